"""The shapes and dtypes that a declaration infers are those that torch itself gives, on meta tensors."""

from __future__ import annotations

import warnings
from typing import Any

import pytest
import torch
import yaml
from built_in import built_in

from opyard import _C
from opyard.testing import SampleCall, random_calls, right_values

CALLS_OF_AN_ENTRY = 24
DTYPES = {name: value for name, value in vars(torch).items() if isinstance(value, torch.dtype)}

# Entries whose torch call is not `ref_api(*inputs, **params)`: the call, over inputs and parameters.
ADAPTERS = {
    "MaskedFillScalarFwdOp": "input.masked_fill(mask, value)",
    "MaskedFillTensorFwdOp": "input.masked_fill(mask, value)",
    "LerpScalarFwdOp": "torch.lerp(input, end, weight)",
    "DropoutFwdOp": "F.dropout(input, p, training, inplace)",
    "RMSNormFwdOp": "F.rms_norm(x, normalized_shape, weight, eps)",
    "LayerNormFwdOp": "F.layer_norm(input, normalized_shape, weight, bias, eps)",
    "GroupNormFwdOp": "F.group_norm(input, num_groups, weight, bias, eps)",
    "BatchNormFwdOp": "F.batch_norm(input, running_mean, running_var, weight, bias, training, momentum, eps)",
    "InstanceNormFwdOp": "F.instance_norm("
    "input, running_mean, running_var, weight, bias, use_input_stats, momentum, eps)",
    "BatchNormBwdOp": "torch.ops.aten.native_batch_norm_backward("
    "doutput, input, save_mean if weight is None else weight, None, None, save_mean, save_invstd, "
    "True, 1e-5, [True] * 3)",
    "MaxPool1dIndicesFwdOp": "F.max_pool1d("
    "input, kernel_size, stride, padding, dilation, ceil_mode, return_indices=True)",
    "MaxPool2dIndicesFwdOp": "F.max_pool2d("
    "input, kernel_size, stride, padding, dilation, ceil_mode, return_indices=True)",
    "MaxPool3dIndicesFwdOp": "F.max_pool3d("
    "input, kernel_size, stride, padding, dilation, ceil_mode, return_indices=True)",
    "AdaptiveMaxPool2dIndicesFwdOp": "F.adaptive_max_pool2d(input, output_size, return_indices=True)",
    "SoftmaxFwdOp": "F.softmax(x, dim, dtype=dtype)",
    "VarMeanFwdOp": "torch.var_mean(input, dim=dim, correction=correction, keepdim=keepdim)",
    "ArgmaxFwdOp": "torch.argmax(input, dim, keepdim)",
    "CumsumFwdOp": "torch.cumsum(input, dim, dtype=dtype)",
}


# Where torch itself has no answer, or none that agrees with its other sizes: calls that are left out.
EMPTY = "0 in input.shape"
NO_ANSWER = {
    # Without input channels it drops the output channels too.
    **dict.fromkeys(["Conv1dFwdOp", "Conv2dFwdOp", "Conv3dFwdOp"], "input.shape[1] == 0"),
    # It refuses empty dims, and images that only their padding makes as large as the kernel.
    **dict.fromkeys(["AvgPool1dFwdOp", "AvgPool2dFwdOp"], EMPTY),
    "AvgPool3dFwdOp": f"{EMPTY} or any(s < k for s, k in zip(input.shape[2:], "
    "[kernel_size] * 3 if isinstance(kernel_size, int) else kernel_size))",
    **dict.fromkeys([f"MaxPool{n}d{kind}FwdOp" for n in (1, 2, 3) for kind in ("", "Indices")], EMPTY),
    # It divides by the number of elements.
    **dict.fromkeys(["BatchNormFwdOp", "BatchNormBwdOp", "InstanceNormFwdOp"], EMPTY),
}


def facts_of(values: Any) -> list[tuple[tuple[int, ...], torch.dtype] | None]:
    return [None if t is None else (tuple(t.shape), t.dtype) for t in values]


def inferred_facts(outputs: Any) -> list[tuple[tuple[int, ...], torch.dtype] | None]:
    return [None if output is None else (tuple(output[0]), output[1]) for output in outputs]


# References written in Python may need values; those are compared on real tensors, with the right values.
BUILTIN = [name for name in built_in() if (_C.declaration(name)["reference"] or "").startswith("torch.")]


@pytest.mark.parametrize("name", BUILTIN)
def test_builtin_inference_equals_its_reference(name):
    calls = list(random_calls(name, CALLS_OF_AN_ENTRY, seed=7, device="meta"))
    assert calls
    for call in calls:
        wanted = facts_of(right_values(call, wide=False))
        assert inferred_facts(_C.infer(call.operator, call.args, call.kwargs)) == wanted, described(call)


def described(call: SampleCall) -> str:
    shapes = [tuple(t.shape) for t in (*call.args, *call.kwargs.values())]
    return f"{call.operator!r} {call.label}: {shapes}"


def call_of(name: str, entry: dict[str, Any]) -> str:
    """An entry's call of torch, over the names of its inputs and parameters."""
    signature = entry["signature"]
    by_name = [f"{param}={param}" for param in signature.get("params") or {}]
    return ADAPTERS.get(name, f"{entry.get('ref_api')}({', '.join([*signature['inputs'], *by_name])})")


def torch_facts(call: str, names: dict[str, Any]) -> list[Any]:
    """Shapes and dtypes of what torch gives, or why it gives nothing."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of parameters that torch has deprecated
            value = eval(call, names)
    except (RuntimeError, TypeError, ValueError, IndexError, ArithmeticError) as error:
        return [repr(error)]
    return facts_of(value if isinstance(value, (tuple, list)) else (value,))


def plain(value: Any) -> Any:
    """A row's parameter as torch takes it."""
    if isinstance(value, list):
        return tuple(value)
    return DTYPES.get(value, value) if isinstance(value, str) else value


def test_inference_of_the_reference_catalogue_equals_torch(folder, manifest):
    compared, wrong = 0, []
    entries = {n: e for n, e in read(folder).items() if n in ADAPTERS or str(e.get("ref_api")).startswith("torch.")}
    for name, entry in entries.items():
        params = entry["signature"].get("params") or {}
        for case in manifest.random_cases(name, CALLS_OF_AN_ENTRY, 7):
            tensors = case.tensors(name, torch.device("meta"))
            present = {n: t for n, t in tensors.items() if t is not None}
            names = {p: plain(case.params.get(p, decl.get("default"))) for p, decl in params.items()}
            names |= {**tensors, "torch": torch, "F": torch.nn.functional}
            if eval(NO_ANSWER.get(name, "False"), names):
                continue
            compared += 1
            ours = inferred_facts(manifest.infer(name, case.params, {}, present))
            theirs = torch_facts(call_of(name, entry), names)
            if ours[: len(theirs)] != theirs:
                shapes = {n: (tuple(t.shape), t.dtype) for n, t in present.items()}
                wrong.append(f"{name} {case.params} {shapes}: inferred {ours}, torch gives {theirs}")
    print(f"{compared} calls of {len(entries)} entries compared with torch")
    assert not wrong, f"{len(wrong)} of {compared}:\n" + "\n".join(wrong[:40])
    assert compared >= 2000


def read(folder) -> dict[str, Any]:
    files = [file for file in sorted(folder.glob("*.yaml")) if file.name != "types.yaml"]
    return {name: entry for file in files for name, entry in yaml.safe_load(file.read_text()).items()}
