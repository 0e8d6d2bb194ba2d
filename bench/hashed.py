"""Weights and random numbers from a formula, so that full-size weights need not be stored.

Tensor number t, element i of its row-major flattening (all arithmetic wraps in uint64):

    key = seed * 2**40 + t * 2**32 + i
    z = key + 0x9E3779B97F4A7C15
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB
    z = z ^ (z >> 31)
    U = 2 * (float64(z >> 11) * 2**-53) - 1          in [-1, 1), exact
    w = float32(offset + amp * U)                    computed in float64, rounded once

This is SplitMix64 used as a hash. The Go tests of swlab use the same formula.
"""

import math

import numpy as np

AUTOENCODER_FIRST = 0  # t of the autoencoder's first tensor
AMORTIZER_FIRST = 40  # t of the linear attention amortizer's first tensor


def uniform(seed, tensor, count):
    """count numbers U in [-1, 1) of one tensor, float64."""
    with np.errstate(over="ignore"):
        key = np.uint64((seed << 40) + (tensor << 32)) + np.arange(count, dtype=np.uint64)
        z = key + np.uint64(0x9E3779B97F4A7C15)
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        z = z ^ (z >> np.uint64(31))
    return 2.0 * ((z >> np.uint64(11)).astype(np.float64) * 2.0**-53) - 1.0


def unit(seed, tensor, count):
    """count numbers in [0, 1), float64."""
    return (uniform(seed, tensor, count) + 1.0) / 2.0


def normal(seed, tensor, count):
    """count standard normals by Box-Muller from the tensors t and t + 1."""
    radius = np.sqrt(-2.0 * np.log1p(-unit(seed, tensor, count)))
    return radius * np.cos(2.0 * np.pi * unit(seed, tensor + 1, count))


def tensor(seed, number, shape, amp, offset=0.0):
    """One weight tensor, float32."""
    values = offset + amp * uniform(seed, number, math.prod(shape))
    return values.astype(np.float32).reshape(shape)


def fill_autoencoder(model, seed):
    """Overwrite the 32 parameters of an Autoencoder in their order (t = 0..31); running buffers are left alone."""
    for number, (name, parameter) in enumerate(model.named_parameters(), AUTOENCODER_FIRST):
        _fill(parameter, tensor(seed, number, tuple(parameter.shape), *_autoencoder_range(model, name, parameter)))


def fill_amortizer(model, seed):
    """Overwrite the 10 parameters of a LinearAttention in their order (t = 40..49)."""
    rows, points = model.attn.Kproj.weight.shape
    for number, (name, parameter) in enumerate(model.named_parameters(), AMORTIZER_FIRST):
        if "proj.weight" in name:
            amp = math.sqrt(3.0) * math.sqrt(2.0 / (points + rows))
        elif "proj.bias" in name:
            amp = 1.0 / math.sqrt(points)
        else:
            amp = 1.0 / math.sqrt(3.0)
        _fill(parameter, tensor(seed, number, tuple(parameter.shape), amp))


def checksums(tensors):
    """One row per tensor: sum, sum of squares, first 8 elements (zero-padded); float64 (n, 10)."""
    rows = np.zeros((len(tensors), 10))
    for row, values in zip(rows, tensors):
        flat = values.detach().double().numpy().ravel()
        row[0], row[1] = flat.sum(), (flat * flat).sum()
        row[2 : 2 + min(8, flat.size)] = flat[:8]
    return rows


def _autoencoder_range(model, name, parameter):
    """amp and offset of one autoencoder tensor, from the kind of the layer that owns it."""
    owner = model.get_submodule(name.rpartition(".")[0])
    kind, is_weight = type(owner).__name__, name.endswith("weight")
    if kind == "Conv1d":
        return 1.0 / math.sqrt(owner.in_channels), 0.0
    if kind == "BatchNorm1d":
        return 0.1, 1.0 if is_weight else 0.0
    if is_weight:
        return math.sqrt(6.0 / (owner.in_features + owner.out_features)), 0.0
    return 0.05, 0.0


def _fill(parameter, values):
    import torch

    with torch.no_grad():
        parameter.copy_(torch.from_numpy(values))
