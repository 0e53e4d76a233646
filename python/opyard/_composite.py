"""The sub-operators that an operator's body holds."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import TYPE_CHECKING, Any, ClassVar

from opyard import _C

if TYPE_CHECKING:
    from opyard._op import Op


class Composite:
    """`delegate_for` makes or gives the sub-operator of a stage; it is held as long as the composite lives."""

    delegate_types: ClassVar[Mapping[str, type[Op]]] = {}

    _name: ClassVar[str]
    _tune_requested: bool
    target: Any
    _delegates: dict[str, dict[Hashable, Op]] = {}
    _delegate_stages: dict[int, tuple[str, Hashable]] = {}

    def _declare_stages(self) -> None:
        self._delegates = {stage: {} for stage in self.delegate_types}
        self._delegate_stages = {}
        if self.delegate_types:
            _C.declare_stages(self, list(self.delegate_types))  # type: ignore[arg-type]

    def delegate_for(self, stage: str, identity: Hashable, given: Op | None = None, /, **params: Any) -> Op:
        """The sub-operator held under a stage and an identity.

        The identity has every argument that changes what is built; None where construction settled all of them. On a
        miss it is made with `params` and this operator's target, or is the `given` one, which keeps its own.
        """
        if stage not in self.delegate_types:
            known = ", ".join(self.delegate_types) or "none"
            raise KeyError(f"{self._name}: has no stage {stage!r}; its delegate_types declare: {known}")
        held = self._delegates[stage].get(identity)
        if held is not None:
            if given is not None and given is not held:
                raise ValueError(f"{self._name}: stage {stage!r} holds another operator under {identity!r} already")
            return held
        made = given if given is not None else self.delegate_types[stage](**params, target=self.target)
        if (other := self._delegate_stages.get(id(made))) is not None:
            raise ValueError(
                f"{self._name}: one operator under stage {stage!r}, {identity!r} and stage {other[0]!r}, {other[1]!r}; "
                f"give each its own"
            )
        _C.hold_delegate(self, stage, made)  # type: ignore[arg-type]
        self._delegates[stage][identity] = made
        self._delegate_stages[id(made)] = stage, identity
        if self._tune_requested:
            made.request_tune()
        return made

    def held_delegates(self) -> list[Op]:
        """The sub-operators held, by stage in order of declaration, then as they were made."""
        return [op for stage in self._delegates.values() for op in stage.values()]

    def _all_delegates(self) -> list[Op]:
        """The sub-operators held, and theirs."""
        return [op for held in self.held_delegates() for op in (held, *held._all_delegates())]
