"""Whether the modules inside an exchanged one are still the plain modules that they were when it was exchanged."""

from __future__ import annotations

from collections.abc import Iterable

from torch import nn
from torch.nn.modules import module as torch_module

HOOKS = "a module inside has hooks, which a served call would not run"
CHANGED = "a module inside was replaced, or its forward was, after enable"


class Inside:
    """A served call passes by the `__call__` of the modules inside: nobody may wait there to be called.

    Holds the dicts that torch fills when someone adds a hook, replaces a module or its forward, so that a call only
    looks at them.
    """

    def __init__(self, owner: nn.Module, names: Iterable[str]) -> None:
        self._places = tuple(
            (owner._modules, name, module, type(module), vars(module), vars(module).get("forward"))
            for name in names
            if (module := owner._modules[name]) is not None
        )
        hooks = [torch_module._global_forward_hooks, torch_module._global_forward_pre_hooks]
        for _, _, module, _, _, _ in self._places:
            hooks += [module._forward_hooks, module._forward_pre_hooks]
        self._hooks = tuple(hooks)

    def __add__(self, other: Inside) -> Inside:
        both = Inside.__new__(Inside)
        both._places = self._places + other._places
        both._hooks = self._hooks + other._hooks[2:]
        return both

    def changed(self) -> str | None:
        if any(self._hooks):
            return HOOKS
        for modules, name, module, kind, attributes, forward in self._places:
            # A parametrized module is the same object of another class.
            if modules[name] is not module or type(module) is not kind or attributes.get("forward") is not forward:
                return CHANGED
        return None


def is_plain_linear(module: nn.Module | None) -> bool:
    """A weight of a class of its own, such as a quantised one, knows better how to multiply."""
    return (
        type(module) is nn.Linear
        and "forward" not in vars(module)
        and all(p is None or type(p) is nn.Parameter for p in module._parameters.values())
    )
