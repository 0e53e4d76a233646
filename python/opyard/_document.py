"""What a declaration says, for a person: the docstring of an operator's class, and its page."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass, field
from typing import Any

from opyard import _C


@dataclass(frozen=True)
class Section:
    """A titled list of (term, explanation)."""

    title: str
    rows: list[tuple[str, str]] = field(default_factory=list)


def docstring(name: str) -> str:
    """The declaration in plain text, as `help()` shows it."""
    facts = _C.declaration(name)
    parts = [facts["summary"] or name]
    for section in sections(facts):
        rows = [f"    {term}: {text}" if text else f"    {term}" for term, text in section.rows]
        parts.append("\n".join([section.title, *rows]))
    if facts["example"]:
        parts.append("Example\n" + textwrap.indent(facts["example"].rstrip(), "    "))
    return "\n\n".join(parts) + "\n"


def page(name: str) -> str:
    """The declaration as a page in Markdown."""
    facts = _C.declaration(name)
    parts = [f"# {name}", facts["summary"]]
    if facts["example"]:
        code = f"from opyard.ops import {name}\n\n{facts['example'].rstrip()}"
        parts.append(f"```python\nimport torch\n\n{code}\n```")
    for section in sections(facts):
        rows = [f"- `{term}`: {_markdown(text)}" if text else f"- {_markdown(term)}" for term, text in section.rows]
        parts.append("\n".join([f"## {section.title}", "", *rows]))
    parts.append(f"Workloads: {', '.join(row['label'] for row in facts['workloads'] or [])}.")
    return "\n\n".join(part for part in parts if part) + "\n"


def sections(facts: dict[str, Any]) -> list[Section]:
    """The parts of a declaration that have something to say, in the order in which a reader needs them."""
    found = [
        Section("Parameters", [_parameter(param) for param in facts["params"]]),
        Section("Inputs", [_tensor(tensor) for tensor in facts["construction_tensors"] + facts["inputs"]]),
        Section("Outputs", [_tensor(tensor) for tensor in facts["outputs"]]),
        Section("Where", _names(facts)),
        Section("Rules", [(label, rule) if label else (rule, "") for label, rule in facts["rules"]]),
        Section("Dtypes together", [(_combination(combo), "") for combo in facts["dtype_combos"]]),
        Section("Raises", _errors(facts)),
        Section("Equals", _reference(facts)),
        Section("Declared", [(facts["declared_at"].rpartition(":")[0], f"family {facts['family']}")]),
    ]
    return [section for section in found if section.rows]


def _parameter(param: dict[str, Any]) -> tuple[str, str]:
    notes = [param["type"]]
    notes.append("required" if param["required"] else f"default {_literal(param['default'])}")
    return param["name"], ", ".join([*notes, *(["by name"] if param["kw_only"] else [])])


def _literal(value: Any) -> str:
    return repr(value).removeprefix("torch.")


def _tensor(tensor: dict[str, Any]) -> tuple[str, str]:
    notes = [f"{tensor['dtype']} {tensor['shape']}"]
    notes += ["may be absent"] if tensor["optional"] else []
    notes += [f"present when {tensor['present_when']}"] if tensor["present_when"] else []
    notes += [f"None unless {tensor['nullable']}"] if tensor["nullable"] else []
    notes += ["by name"] if tensor["kw_only"] else []
    notes += ["contiguous"] if tensor["contiguous"] else []
    notes += ["on the CPU"] if tensor["on_cpu"] else []
    if tensor["mutated"]:
        written = "written, not read" if tensor["write_only"] else "written"
        notes.append(written if tensor["mutated"] == "True" else f"{written} when {tensor['mutated']}")
    notes += [f"is {tensor['alias']} where that is written"] if tensor["alias"] else []
    notes += [f"contents: {rule}" for rule in tensor["requires"]]
    return tensor["name"], ", ".join(notes)


def _names(facts: dict[str, Any]) -> list[tuple[str, str]]:
    meanings = {"Dim": "a size", "Shape": "any number of sizes", "Seq[Int]": "a list of integers"}
    rows = []
    for name, kind in facts["forall"]:
        one_of = kind.removeprefix("DType[").removesuffix("]").replace(" |", ",")
        rows.append((name, meanings.get(kind, f"one of {one_of}")))
    rows += [(name, value) for name, value in facts["lets"]]
    for name, formals, match, cases in facts["types"]:
        shapes = "; ".join(f"{shape} for {', '.join(_pattern(p) for p in when)}" for when, shape in cases)
        rows.append((f"{name}[{', '.join(n for n, _ in formals)}]", f"by {', '.join(match)}: {shapes}"))
    return rows


def _pattern(pattern: Any) -> str:
    return "any" if pattern == "_" else str(pattern)


def _combination(combo: list[tuple[str, str]]) -> str:
    return ", ".join(f"{name} {dtype}" for name, dtype in combo)


def _errors(facts: dict[str, Any]) -> list[tuple[str, str]]:
    rows = [
        ("SignatureError", "a call or construction that this declaration forbids; also a TypeError or ValueError"),
        ("OpNotAvailableError", "no implementation serves the call; it lists each with its reason"),
    ]
    if isinstance(facts["backward"], dict):
        gives = facts["backward"]["gives"].values()
        named = [name for item in gives for name in (item if isinstance(item, list) else [item])]
        others = [t["name"] for t in facts["inputs"] if t["name"] not in named]
        if others:
            rows.append(("SignatureError", f"a gradient of {' or '.join(others)} would be recorded: none is declared"))
    elif not facts["backward"]:
        rows.append(("SignatureError", "a gradient would be recorded: no backward is declared"))
    return rows


def _reference(facts: dict[str, Any]) -> list[tuple[str, str]]:
    if not facts["reference"]:
        return []
    within = ", ".join(f"{value:g} in {dtype}" for dtype, value in (facts["tolerance"] or {}).items())
    return [(facts["reference"], f"within {within}" if within else "")]


def _markdown(text: str) -> str:
    """Text in which stars and underscores stand for themselves."""
    return text.replace("*", r"\*").replace("_", r"\_")
