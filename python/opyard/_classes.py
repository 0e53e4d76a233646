"""Gives an operator's class what follows from its declaration: the signatures that a person and a tracer read."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any

import torch

from opyard import _C
from opyard._document import docstring
from opyard._entry_text import as_yaml
from opyard._registered import written_classes
from opyard.errors import ContractTypeError

if TYPE_CHECKING:
    from opyard._op import Op


def make_class(name: str) -> type[Op]:
    """The class of a declared operator, with real signatures of `__init__` and `__call__`."""
    from opyard._op import Op

    facts = _C.describe(name)
    defaults: dict[str, Any] = {}
    overload = _overload(facts)
    namespace: dict[str, Any] = {"Op": Op, "_overload": overload, "_defaults": defaults, "_placed": placed}
    body = _constructor(facts, defaults) + _call(facts)
    exec(compile(body, f"<opyard {name}>", "exec"), namespace)
    members = {
        "__doc__": docstring(name),
        "__module__": "opyard.ops",
        "__init__": namespace["__init__"],
        "__call__": namespace["__call__"],
        "_name": name,
        "_parameters": tuple(param[0] for param in facts["params"]),
        "_overload": overload,
        "_has_effects": facts["has_effects"],
        "compile_op_names": tuple(facts["compile_op_names"]),
    }
    namespace["__call__"]._generated = True
    namespace["__init__"].__qualname__ = f"{name}.__init__"
    namespace["__call__"].__qualname__ = f"{name}.__call__"
    return type(name, (Op,), members)


def prepare_written(cls: type[Op]) -> None:
    """For a class that defines `forward`: its declaration, and the call that a tracer reads. A class without a
    declaration, such as a family base, is left alone."""
    if "spec" in cls.__dict__ and cls.spec is not None:
        _C.add_operator(cls.__name__, as_yaml(cls.spec), _file_of(cls))
    name = _declaration(cls)
    if name is None or not hasattr(cls, "forward"):
        return
    facts = _C.describe(name)
    _check_forward(cls, facts)
    overload = _overload(facts)
    namespace: dict[str, Any] = {"_overload": overload, "_placed": placed}
    exec(compile(_call(facts), f"<opyard {name}>", "exec"), namespace)
    call = namespace["__call__"]
    call._generated = True
    call.__qualname__ = f"{cls.__qualname__}.__call__"
    cls._name = name
    cls._parameters = tuple(param[0] for param in facts["params"])
    cls._overload = overload
    cls._has_effects = facts["has_effects"]
    cls._written = True
    cls.compile_op_names = tuple(facts["compile_op_names"])
    if "__call__" not in cls.__dict__:
        cls.__call__ = call  # type: ignore[method-assign]
    if cls.__name__ == name:  # a subclass under another name serves only those who construct it
        written_classes[name] = cls


def _declaration(cls: type[Op]) -> str | None:
    known = set(_C.operators())
    return next((base.__name__ for base in cls.__mro__ if base.__name__ in known), None)


def _file_of(cls: type) -> str:
    try:
        return inspect.getfile(cls)
    except (OSError, TypeError):
        return cls.__module__  # typed at a prompt


def _check_forward(cls: type[Op], facts: dict[str, Any]) -> None:
    given = [name for name in inspect.signature(cls.forward).parameters if name != "self"]  # type: ignore[attr-defined]
    wanted = [name for name, _, _ in facts["inputs"]]
    if given != wanted:
        raise ContractTypeError(
            f"{cls.__qualname__}: forward takes ({', '.join(given)}); the declaration at {facts['declared_at']} has "
            f"the inputs ({', '.join(wanted)})"
        )


def _overload(facts: dict[str, Any]) -> Any:
    names = facts["compile_op_names"]
    return getattr(torch.ops.opyard, names[0].split("::")[1]).default if names else None


def _constructor(facts: dict[str, Any], defaults: dict[str, Any]) -> str:
    positional: list[str] = []
    keyword: list[str] = []
    for name, _type, has_default, default, keyword_only in facts["params"]:
        defaults[name] = tuple(default) if isinstance(default, list) else default
        text = f"{name}=_defaults[{name!r}]" if has_default else name
        (keyword if keyword_only else positional).append(text)
    arguments = ", ".join(["self", *positional, "*", *keyword, "target=None"])
    assigned = "".join(f"    self.{param[0]} = {param[0]}\n" for param in facts["params"])
    return f"def __init__({arguments}):\n{assigned}    Op.__init__(self, target=target)\n"


def _call(facts: dict[str, Any]) -> str:
    positional: list[str] = []
    keyword: list[str] = []
    for name, optional, keyword_only in facts["inputs"]:
        (keyword if keyword_only else positional).append(f"{name}=None" if optional else name)
    arguments = ", ".join(["self", *positional, *(["*", *keyword] if keyword else [])])
    names = [name for name, _, _ in facts["inputs"]]
    if not facts["compile_op_names"]:
        # Read by tracers alone, which go into a body; a declared operator without a boundary is run at once.
        given = ", ".join(f"{name}={name}" for name in names)
        return f"def __call__({arguments}):\n    return self.forward({given})\n"
    passed = ", ".join([*names, "self._graph_key"])
    head = f"def __call__({arguments}):\n"
    if not facts["has_effects"]:
        return f"{head}    return _overload({passed})\n"
    presence = "".join(f"{name} is not None, " for name, optional, _ in facts["inputs"] if optional)
    return (
        f"{head}    overload, places = self._effects[({presence})]\n"
        f"    return _placed(places, ({', '.join(names)},), overload({passed}))\n"
    )


def placed(places: tuple[tuple[str, int] | None, ...], inputs: tuple[Any, ...], results: Any) -> Any:
    """The outputs of a call: what its custom op made, inputs that it wrote, and None for what it does not return."""
    made = results if isinstance(results, (tuple, list)) else (results,)
    outputs = tuple(place and (made if place[0] == "new" else inputs)[place[1]] for place in places)
    return outputs[0] if len(outputs) == 1 else outputs or None
