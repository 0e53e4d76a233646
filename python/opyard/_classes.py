"""Makes an operator's class from its declaration: the signatures that a person and a tracer read."""

from __future__ import annotations

from typing import Any

import torch

from opyard import _C
from opyard._document import docstring
from opyard._op import Op


def make_class(name: str) -> type[Op]:
    """The class of a declared operator, with real signatures of `__init__` and `__call__`."""
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
