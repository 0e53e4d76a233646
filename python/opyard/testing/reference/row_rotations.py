"""The right values of rotary embeddings by row number: angles in float64, rotations in the dtype received."""

from __future__ import annotations

import math

import torch


def _wavelengths(base: float, width: int) -> torch.Tensor:
    return 2 * math.pi * base ** (torch.arange(0, width, 2, dtype=torch.float64) / width)


def _rotated(
    x: torch.Tensor, input_layout: str, frequencies: torch.Tensor, amplitude: float = 1.0, interleaved: bool = False
) -> torch.Tensor:
    rows = x.shape[0] if input_layout == "1d" else x.shape[1]
    angles = torch.arange(rows, dtype=torch.float64)[:, None] * frequencies
    if input_layout == "2d":
        angles = angles[:, None, :]
    turn = torch.polar(torch.full_like(angles, amplitude), angles)
    cos, sin = turn.real.to(x.dtype), turn.imag.to(x.dtype)
    a, b = (x[..., ::2], x[..., 1::2]) if interleaved else x.chunk(2, -1)
    first, second = a * cos - b * sin, a * sin + b * cos
    return torch.stack((first, second), -1).flatten(-2) if interleaved else torch.cat((first, second), -1)


def rope(x: torch.Tensor, rope_layout: str, input_layout: str, base: float) -> torch.Tensor:
    """Plain frequencies; pairs of halves, or of neighbours."""
    frequencies = 2 * math.pi / _wavelengths(base, x.shape[-1])
    return _rotated(x, input_layout, frequencies, interleaved=rope_layout == "interleaved")


def rope_llama31(
    x: torch.Tensor,
    input_layout: str,
    base: float,
    scaling_factor: float,
    low_freq_factor: float,
    high_freq_factor: float,
    original_max_position: int,
) -> torch.Tensor:
    """Frequencies divided by scaling_factor where a wave is long, blended between the two bounds."""
    waves = _wavelengths(base, x.shape[-1])
    plain, stretched = 2 * math.pi / waves, 2 * math.pi / waves / scaling_factor
    turns = original_max_position / waves
    share = (turns - low_freq_factor) / (high_freq_factor - low_freq_factor)
    blended = torch.lerp(stretched, plain, share)
    frequencies = torch.where(turns < low_freq_factor, stretched, blended)
    return _rotated(x, input_layout, torch.where(turns > high_freq_factor, plain, frequencies))


def yarn(
    x: torch.Tensor,
    input_layout: str,
    base: float,
    scaling_factor: float,
    original_max_position: int,
    beta_fast: float,
    beta_slow: float,
    attn_factor: float,
) -> torch.Tensor:
    """Frequencies divided by scaling_factor by a ramp over the pairs between beta_fast and beta_slow turns."""
    width = x.shape[-1]

    def pair_turning(times: float) -> float:
        return width * math.log(original_max_position / (times * 2 * math.pi)) / (2 * math.log(base))

    first = max(math.floor(pair_turning(beta_fast)), 0)
    last = min(math.ceil(pair_turning(beta_slow)), width - 1)
    pairs = torch.arange(width // 2, dtype=torch.float64)
    ramp = ((pairs - first) / (0.001 if first == last else last - first)).clamp(0, 1)
    plain = 2 * math.pi / _wavelengths(base, width)
    amplitude = (0.1 * math.log(scaling_factor) + 1 if scaling_factor > 1 else 1.0) * attn_factor
    return _rotated(x, input_layout, torch.lerp(plain, plain / scaling_factor, ramp), amplitude)


def long_rope(
    x: torch.Tensor,
    input_layout: str,
    base: float,
    max_position: int,
    original_max_position: int,
    rescale_factors: torch.Tensor | None = None,
) -> torch.Tensor:
    """Each pair's frequency divided by its factor; a longer context raises the amplitude."""
    frequencies = 2 * math.pi / _wavelengths(base, x.shape[-1])
    if rescale_factors is not None:
        frequencies = frequencies / rescale_factors.double()
    stretch = max_position / original_max_position
    amplitude = math.sqrt(1 + math.log(stretch) / math.log(original_max_position)) if stretch > 1 else 1.0
    return _rotated(x, input_layout, frequencies, amplitude)
