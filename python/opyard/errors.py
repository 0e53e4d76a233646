"""What a failed declaration, construction or call raises."""

from __future__ import annotations


class OpyardError(Exception):
    """Base of every error of opyard; its attributes are the facts that the text states."""

    operator: str = ""
    argument: str = ""
    expected: str = ""
    got: str = ""
    declared_at: str = ""
    advice: str = ""


class SignatureError(OpyardError):
    """A call or a construction that the declaration forbids; also a TypeError or a ValueError, as fits."""


class SignatureTypeError(SignatureError, TypeError):
    """A wrong type, or an unknown or missing argument."""


class SignatureValueError(SignatureError, ValueError):
    """A wrong value: a shape, a dtype, a rule of the declaration."""


class ContractError(SignatureError):
    """An implementation or operator class that breaks the contract of its interface."""


class ContractTypeError(ContractError, TypeError):
    """A contract broken by type."""


class ContractValueError(ContractError, ValueError):
    """A contract broken by value."""


class ConditionError(ContractError, RuntimeError):
    """A condition of an override that raised in eager mode; what it raised is the cause."""


class EndlessRecursionError(ContractError, RecursionError):
    """An override whose implementation calls its own operator without end."""


def condition_error(override: str, cause: BaseException) -> ConditionError:
    """The error for an override whose condition raised `cause`."""
    error = ConditionError(f"the condition of the override '{override}' raised {type(cause).__name__}: {cause}")
    error.argument = override
    error.expected = "true or false"
    error.got = repr(cause)
    error.advice = "give False for calls that the override does not serve"
    return error


# What a runtime says that lacks a driver, a device or a library; not all have an exception of their own for it.
_NO_RUNTIME = ("active drivers", "no NVIDIA driver", "not compiled with CUDA", "cannot open shared object file")


def cannot_start(error: BaseException) -> bool:
    """Whether an implementation failed because what it runs on is not there, and will not be at the next call."""
    return isinstance(error, ImportError) or any(words in str(error) for words in _NO_RUNTIME)


class OpNotAvailableError(OpyardError, ValueError):
    """Nothing serves the call; the text lists every candidate with its refusal."""


class AmbiguousDispatchError(OpyardError, RuntimeError):
    """Several implementations serve the call and none is preferred."""


class ManifestError(OpyardError, ValueError):
    """A manifest that cannot be read or is invalid; the text has file:line:column."""


class BuildError(OpyardError, RuntimeError):
    """A kernel that could not be built."""
