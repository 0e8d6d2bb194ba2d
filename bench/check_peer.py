#!/usr/bin/env python3
"""Check the peer in float64 against the golden numbers of the original program: sliced costs, Chamfer and EMD, the amortizers, the
autoencoder, training steps.

    .venv-torch/bin/python bench/check_peer.py [FOLDER]

FOLDER defaults to shared/golden beside the repository. Exit code 0 only when every array agrees to the limits below.
"""

import pathlib
import sys

import numpy as np
import torch

import amortizers
import matching
import model
import runs

LIMIT = 1e-9  # largest difference allowed, relative to the largest entry of the array
NEAR_ZERO = 1e-6  # for checksums: limit, and least scale of a row (gradients that are zero in exact arithmetic)
INPUTS = ("rows", "x", "theta", "u", "normals", "init_seed", "init_seed_la")


def main():
    root = pathlib.Path(__file__).resolve().parents[1]
    folder = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else root.parent / "shared" / "golden"
    if not folder.is_dir():
        sys.exit(f"check_peer: no golden numbers at {folder}; name their folder as the argument")
    failed = 0
    for check in (check_sliced, check_chamfer_emd, check_amortizers, check_autoencoder, check_trace):
        for key, error, limit in check(folder):
            failed += not error <= limit
            print(f"{'ok  ' if error <= limit else 'FAIL'} {check.__name__[6:]:12} {key:16} {error:.1e}")
    sys.exit(1 if failed else 0)


def check_sliced(folder):
    golden = np.load(folder / "sliced.npz")
    x, y, theta = (torch.from_numpy(golden[k]).double() for k in ("x", "y", "theta"))
    y.requires_grad_()
    costs = model.sliced_costs(x, y, theta)
    costs.mean(dim=1).sum().backward()
    yield compare("F2", costs.detach().numpy(), golden["F2"])
    yield compare("grad_y", y.grad.numpy(), golden["grad_y"])


def check_chamfer_emd(folder):
    """Pair by pair, for the mean over several would divide the gradients."""
    golden = np.load(folder / "chamfer_emd.npz")
    for end in ("", "_big"):
        for name, function in (("cd", matching.chamfer), ("emd_xy", matching.emd)):
            values, gradients = [], []
            for x, y in zip(golden["x" + end], golden["y" + end]):
                x, y = (torch.from_numpy(c).double().unsqueeze(0) for c in (x, y))
                y.requires_grad_()
                value = function(x, y)
                value.backward()
                values.append(value.item())
                gradients.append(y.grad[0].numpy())
            yield compare(name + end, np.array(values), golden[name + end])
            yield compare(f"{name}_grad_y{end}", np.array(gradients), golden[f"{name}_grad_y{end}"])


PARTS = {"q": "toqueries", "k": "tokeys", "v": "tovalues", "pk": "Kproj", "pv": "Vproj"}


def check_amortizers(folder):
    """Predictions, and their gradients in every weight."""
    golden = np.load(folder / "amortizers.npz")
    x, y, w = (torch.from_numpy(golden[key]).double() for key in ("x", "y", "W"))
    for name in ("A", "EA", "LA"):
        width, rows = golden[f"{name}_q_b"].size, golden["LA_pk_b"].size
        kinds = {"A": amortizers.FullAttention, "EA": amortizers.EfficientAttention}
        amortizer = model.LinearAttention(x.shape[1], rows, width) if name == "LA" else amortizers.Pooled(kinds[name], width)
        amortizer = amortizer.double()
        weights = {}
        for short, part in PARTS.items():
            for letter, kind in (("w", "weight"), ("b", "bias")):
                if f"{name}_{short}_{letter}" in golden.files:
                    weights[f"attn.{part}.{kind}"] = f"{short}_{letter}"
        amortizer.load_state_dict({key: torch.from_numpy(golden[f"{name}_{of}"]).double() for key, of in weights.items()})
        location = amortizer(x, y)
        (location * w).sum().backward()
        yield compare(f"{name}_out", location.detach().numpy(), golden[f"{name}_out"])
        for key, of in weights.items():
            if of == "k_b" and name != "LA":
                continue  # zero in exact arithmetic
            yield compare(f"{name}_d_{of}", amortizer.get_parameter(key).grad.numpy(), golden[f"{name}_d_{of}"])


def check_autoencoder(folder):
    golden = np.load(folder / "autoencoder.npz")
    got = runs.autoencoder_run(golden["x"], golden["theta"], int(golden["init_seed"][0]), torch.float64)
    yield from compare_all(got, golden)


def check_trace(folder):
    golden = np.load(folder / "train_step_trace.npz")
    seeds = int(golden["init_seed"][0]), int(golden["init_seed_la"][0])
    got = runs.trace_run(golden["x"], golden["u"], golden["normals"], *seeds, 64, 64, torch.float64)
    yield from compare_all(got, golden)


def compare_all(got, golden):
    for key in golden.files:
        if key in got:
            yield compare(key, got[key], golden[key])
        elif key not in INPUTS:
            yield key, float("inf"), LIMIT


def compare(key, got, want):
    if got.shape != want.shape:
        return key, float("inf"), LIMIT
    if not key.startswith("ck_"):
        return key, np.abs(got - want).max() / np.abs(want).max(), LIMIT
    scale = np.maximum(np.sqrt(np.abs(want[..., 1:2])), NEAR_ZERO)
    difference = np.abs(got - want) / scale
    difference[..., 1:2] /= scale  # the column of sums of squares
    return key, difference.max(), NEAR_ZERO


if __name__ == "__main__":
    main()
