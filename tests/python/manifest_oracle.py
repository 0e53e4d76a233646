"""A second reading of a manifest entry, written from the language's document: Python evaluates its expressions.

It says whether a call with given shapes and dtypes is allowed, and what comes back.
"""

from __future__ import annotations

import ast
import re
from functools import cache
from typing import Any

import manifest_primitives

Shape = tuple[int, ...]


class Forbidden(Exception):
    """The entry does not allow this call."""


class Undecided(Exception):
    """A name that nothing has bound yet."""


class _Rewrite(ast.NodeTransformer):
    """Callees get a namespace of their own; present(x) takes a name; `.value` of what is present is itself."""

    def visit_Call(self, node: ast.Call) -> ast.AST:
        name = ast.unparse(node.func).replace(".", "_")
        if name == "present":
            return ast.parse(f"present({ast.unparse(node.args[0])!r})", mode="eval").body
        self.generic_visit(node)
        node.func = ast.parse(f"primitives.{name}", mode="eval").body
        return node

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        self.generic_visit(node)
        return node.value if node.attr == "value" else node


@cache
def compiled(text: str) -> Any:
    tree = _Rewrite().visit(ast.parse(" ".join(text.split()), mode="eval"))
    return compile(ast.fix_missing_locations(tree), "<manifest>", "eval")


@cache
def elements(text: str) -> list[tuple[bool, str]]:
    """Of a shape in brackets: whether each element is a splice, and its text."""
    items = ast.parse(text, mode="eval").body.elts  # type: ignore[attr-defined]
    return [
        (isinstance(item, ast.Starred), ast.unparse(item.value if isinstance(item, ast.Starred) else item))
        for item in items
    ]


@cache
def names_in(text: str) -> frozenset[str]:
    return frozenset(n.id for n in ast.walk(ast.parse(" ".join(text.split()), mode="eval")) if isinstance(n, ast.Name))


class _Names(dict[str, Any]):
    """Known names; a let is evaluated when it is asked for."""

    def __init__(self, call: Call) -> None:
        super().__init__(__builtins__={}, primitives=manifest_primitives, inf=float("inf"), present=call.present)
        self.call = call

    def __missing__(self, name: str) -> Any:
        if name in self.call.lets:
            value = self.call.evaluate(self.call.lets[name], self)
            self[name] = value
            return value
        raise Undecided(name)


class Call:
    """One call of an entry: parameter values, and shape and dtype name of each tensor that is passed."""

    def __init__(self, entry: dict[str, Any], params: dict[str, Any], tensors: dict[str, tuple[Shape, str]]) -> None:
        signature = entry["signature"]
        self.indices: dict[str, str] = signature.get("forall") or {}
        self.lets: dict[str, str] = signature.get("let") or {}
        self.families: dict[str, Any] = signature.get("types") or {}
        self.signature = signature
        self.tensors = tensors
        declared = signature.get("params") or {}
        self.given = {name: params.get(name, facts.get("default")) for name, facts in declared.items()}
        self.inputs = {name: facts for name, facts in (signature.get("inputs") or {}).items() if name in tensors}
        self.inputs |= {name: facts for name, facts in declared.items() if "shape" in facts and name in tensors}
        self.names = _Names(self)
        for name, value in self.given.items():
            if "shape" not in declared[name]:
                self.names[name] = manifest_primitives.as_value(value)

    def present(self, name: str) -> bool:
        return name in self.tensors or self.given.get(name) is not None

    def evaluate(self, text: str, names: _Names | None = None) -> Any:
        return eval(compiled(text), self.names if names is None else names)

    def _with(self, name: str, value: int) -> _Names:
        names = _Names(self)
        names.update(self.names)
        names[name] = value
        return names

    def outputs(self) -> list[tuple[Shape, str] | None]:
        """Raises Forbidden where the entry allows no such call."""
        self._dtypes()
        self._sizes()
        for rule in self.signature.get("shape_rules") or []:
            if self.evaluate(rule) is not True:
                raise Forbidden(rule)
        results: list[tuple[Shape, str] | None] = []
        for facts in (self.signature.get("outputs") or {}).values():
            if "nullable" in facts and not self.evaluate(facts["nullable"]):
                results.append(None)
                continue
            results.append((self._shape(facts["shape"]), self.evaluate(self._quoted(facts["dtype"]))))
            if min(results[-1][0], default=0) < 0:
                raise Forbidden("negative size")
        return results

    def _quoted(self, dtype: str) -> str:
        """Names of dtypes as strings, unless the entry declares the name."""
        own = {**self.indices, **self.given}
        return re.sub(
            r"\b\w+\b", lambda m: m[0] if m[0] in own or m[0] not in manifest_primitives.DTYPES else repr(m[0]), dtype
        )

    def _dtypes(self) -> None:
        for name, facts in self.inputs.items():
            text, dtype = facts["dtype"], self.tensors[name][1]
            if text in self.indices and text not in self.names:
                if dtype not in [part.strip() for part in self.indices[text][6:-1].split("|")]:
                    raise Forbidden(f"dtype of {name}")
                self.names[text] = dtype
        for name, facts in self.inputs.items():
            if self.evaluate(self._quoted(facts["dtype"])) != self.tensors[name][1]:
                raise Forbidden(f"dtype of {name}")
        rows = self.signature.get("dtype_combos")
        if rows and not any(all(self.evaluate(column) == row[column] for column in row) for row in rows):
            raise Forbidden("dtype_combos")

    def _family(self, text: str) -> tuple[str, dict[str, Any]]:
        """The shape text of the one case that matches, and its formals; arguments may be undecided."""
        tree = ast.parse(text, mode="eval").body
        assert isinstance(tree, ast.Subscript)
        family = self.families[tree.value.id]  # type: ignore[attr-defined]
        arguments = tree.slice.elts if isinstance(tree.slice, ast.Tuple) else [tree.slice]
        formals = dict(zip(family["params"], [ast.unparse(argument) for argument in arguments]))
        match = family["match"] if isinstance(family["match"], list) else [family["match"]]
        values = [self.evaluate(_substituted(item, formals)) for item in match]
        chosen = [
            case["is"]
            for case in family["cases"]
            if all(
                manifest_primitives.matches(pattern, value)
                for pattern, value in zip(case["when"] if isinstance(family["match"], list) else [case["when"]], values)
            )
        ]
        assert len(chosen) == 1, text
        return _substituted(chosen[0], formals), formals

    def _elements(self, text: str) -> list[tuple[bool, str]]:
        while not text.lstrip().startswith("["):
            text, _ = self._family(text)
        return elements(text)

    def _shape(self, text: str) -> Shape:
        sizes: list[int] = []
        for splice, item in self._elements(text):
            value = self.evaluate(item)
            sizes.extend(value) if splice else sizes.append(value)
        return tuple(sizes)

    def _sizes(self) -> None:
        changed = True
        while changed:
            changed = any([self._solve(name) for name in self.inputs])
        for name, facts in self.inputs.items():
            try:
                wanted = self._shape(facts["shape"])
            except (Undecided, ValueError, ArithmeticError, IndexError) as reason:
                raise Forbidden(f"shape of {name}: {reason!r}") from reason
            if wanted != self.tensors[name][0]:
                raise Forbidden(f"shape of {name}")

    def _solve(self, tensor: str) -> bool:
        """Binds what this tensor's axes say of names not bound yet."""
        sizes = list(self.tensors[tensor][0])
        items = self._elements(self.inputs[tensor]["shape"])
        before = len(self.names)
        open_splice = [i for i, (splice, text) in enumerate(items) if splice and not self._known(text)]
        lengths = [0 if i in open_splice else len(self.evaluate(t)) if s else 1 for i, (s, t) in enumerate(items)]
        rest = len(sizes) - sum(lengths)
        if len(open_splice) > 1 or rest < 0:
            left = items[: open_splice[0]] if open_splice else items
            items, lengths = left, lengths[: len(left)]
        elif open_splice:
            lengths[open_splice[0]] = rest
        at = 0
        for (splice, text), length in zip(items, lengths):
            part = sizes[at : at + length]
            at += length
            if len(part) != length or self._known(text):
                continue
            if splice and text in self.indices:
                self.names[text] = tuple(part)
            elif not splice:
                self._affine(text, part[0])
        return len(self.names) > before

    def _affine(self, text: str, size: int) -> None:
        unknown = [n for n in names_in(text) if self.indices.get(n) == "Dim" and n not in self.names]
        if len(unknown) != 1:
            return
        try:
            zero, one = (self.evaluate(text, self._with(unknown[0], value)) for value in (0, 1))
        except Undecided:
            return
        if one > zero:
            if size < zero or (size - zero) % (one - zero):
                raise Forbidden(text)
            self.names[unknown[0]] = (size - zero) // (one - zero)

    def _known(self, text: str) -> bool:
        try:
            self.evaluate(text)
        except Undecided:
            return False
        return True


def _substituted(text: str, formals: dict[str, str]) -> str:
    return re.sub(r"(?<!\.)\b[A-Za-z_]\w*\b", lambda m: f"({formals[m[0]]})" if m[0] in formals else m[0], text)
