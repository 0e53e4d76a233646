"""A backend: it claims the CPU, and serves RMSNorm as a whole. Importing it registers and compiles nothing."""

import opyard


def claims(device):
    return device.type == "cpu"


def build_rms_norm(x, weight, *, normalized_shape, eps):
    """`x` and `weight` are TensorSpecs, an absent weight is None: what is built here may depend on shape and dtype."""
    import torch  # a real one would compile for x.shape, x.dtype and x.device

    dims = tuple(range(-len(normalized_shape), 0))
    small = torch.finfo(x.dtype).eps if eps is None else eps

    def kernel(x, weight):
        scaled = x.float() * torch.rsqrt(x.float().square().mean(dims, keepdim=True) + small)
        return (scaled if weight is None else scaled * weight).to(x.dtype)

    return kernel


opyard.register_detector("acme", claims)
opyard.register_kernel_builder("RMSNormFwdOp", "acme", build_rms_norm)
