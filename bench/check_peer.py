#!/usr/bin/env python3
"""Check the peer in float64 against the golden numbers of the original program (autoencoder, train_step_trace, sliced).

    .venv-torch/bin/python bench/check_peer.py [FOLDER]

FOLDER defaults to shared/golden beside the repository. Exit code 0 only when every array agrees to the limits below.
"""

import pathlib
import sys

import numpy as np
import torch

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
    for check in (check_sliced, check_autoencoder, check_trace):
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
