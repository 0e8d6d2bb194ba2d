#!/usr/bin/env python3
"""Make the reference numbers of the Go tests, from procedural clouds and hashed weights, in float64.

    .venv-torch/bin/python bench/reference.py                writes the three files below
    .venv-torch/bin/python bench/reference.py --check        recomputes and compares with them, writes nothing
    .venv-torch/bin/python bench/reference.py --tolerances   prints the float32 errors behind the READMEs beside them

Files: swlab/ot1d/testdata/sliced.npz, swlab/pointnet/testdata/autoencoder.npz, swlab/train/testdata/trace.npz; their
keys are explained in the README.md of each folder. Inputs are float32, results are float64 and computed from exactly
those inputs. The same machine and versions give the same bytes; others differ by about 1e-12.
"""

import argparse
import math
import pathlib
import sys

import numpy as np
import torch

import clouds
import hashed
import model
import runs

ROOT = pathlib.Path(__file__).resolve().parents[1]
POINTS = 256
ROWS = WIDTH = 16  # k and d_k of the amortizer
TRIALS = 4  # input sets over which --tolerances takes the worst float32 error; the stored one is number 0
# Seed offsets of the trials of trace.npz. The first Adam step is a sign step: one gradient entry within rounding of
# zero turns eps by 1e-3. In the stored set every entry is 80 times the float32 error of its tensor away from zero; in
# the others no sign differs between float32 and float64.
TRACE_OFFSETS = (4, 1, 2, 5)
AGREE = 1e-9  # largest relative difference that --check accepts
TIE = 3e-7  # least distance of two projections of a cloud in sliced.npz


def main():
    parser = argparse.ArgumentParser(description="Make the reference numbers of the Go tests.")
    mode = parser.add_mutually_exclusive_group()
    mode.add_argument("--check", action="store_true", help="recompute and compare with the stored files")
    mode.add_argument("--tolerances", action="store_true", help="print the errors of float32 runs and the tolerances")
    options = parser.parse_args()
    torch.set_num_threads(1)
    bad = 0
    for make, path in FILES.items():
        if options.tolerances:
            print_tolerances(make, path)
        elif options.check:
            bad += not check(make, ROOT / path)
        else:
            write(make, ROOT / path)
    sys.exit(1 if bad else 0)


def sliced(trial, dtype):
    """Pairs, directions, F for p = 2 and 1, and the gradients of mean2."""
    batch, slices = 4, 32
    x = clouds.clouds(11 + trial, batch, POINTS)
    y = clouds.clouds(11 + trial, batch, POINTS, first=batch)
    y[3] = _jittered(x[3], 21 + trial)
    theta = _directions(31 + trial, x, y, slices)
    xt, yt, tt = (torch.from_numpy(a).to(dtype) for a in (x, y, theta))
    yt.requires_grad_()
    tt.requires_grad_()
    squares = model.sliced_costs(xt, yt, tt)
    squares.mean(dim=1).sum().backward()
    a, b = (torch.sort(tt.detach() @ p.detach().transpose(1, 2), dim=2)[0] for p in (xt, yt))
    absolute, squares = (a - b).abs().sum(dim=2), squares.detach()
    results = {
        "F2": squares,
        "F1": absolute,
        "mean2": squares.mean(dim=1),
        "mean1": absolute.mean(dim=1),
        "meansq2": squares.square().mean(dim=1),
        "grad_y": yt.grad,
        "grad_theta": tt.grad,
    }
    return {"x": x, "y": y, "theta": theta}, {k: v.double().numpy() for k, v in results.items()}


def autoencoder(trial, dtype):
    """Two SGD steps of the autoencoder on the sliced loss."""
    seed = 41 + trial
    x = clouds.clouds(51 + trial, 4, POINTS)
    theta = _unit_vectors(61 + trial, 0, (4, 16))
    return {"x": x, "theta": theta, "init_seed": np.array([seed])}, runs.autoencoder_run(x, theta, seed, dtype)


def trace(trial, dtype):
    """Three steps of linear-attention amortized v-DSW."""
    offset = TRACE_OFFSETS[trial]
    steps, batch, slices, seed, seed_la = 3, 8, 8, 71 + offset, 81 + offset
    x = clouds.clouds(91 + offset, steps * batch, POINTS).reshape(steps, batch, POINTS, 3)
    shape = (steps, 2, batch, slices)
    u = hashed.unit(101 + offset, 0, math.prod(shape)).astype(np.float32).reshape(shape)
    normals = hashed.normal(101 + offset, 1, 2 * math.prod(shape)).astype(np.float32).reshape(*shape, 2)
    inputs = {"x": x, "u": u, "normals": normals, "init_seed": np.array([seed]), "init_seed_la": np.array([seed_la])}
    return inputs, runs.trace_run(x, u, normals, seed, seed_la, ROWS, WIDTH, dtype)


FILES = {
    sliced: "swlab/ot1d/testdata/sliced.npz",
    autoencoder: "swlab/pointnet/testdata/autoencoder.npz",
    trace: "swlab/train/testdata/trace.npz",
}


def write(make, path):
    inputs, results = make(0, torch.float64)
    path.parent.mkdir(parents=True, exist_ok=True)
    np.savez(path, **inputs, **results)
    print(f"{path.relative_to(ROOT)}: {len(inputs) + len(results)} arrays, {path.stat().st_size} bytes")


def check(make, path):
    """Inputs must be equal, results agree to AGREE of the largest entry; says which array does not."""
    if not path.is_file():
        print(f"reference: {path} is missing; run bench/reference.py to write it")
        return False
    inputs, results = make(0, torch.float64)
    good = True
    with np.load(path) as stored:
        for key in sorted(set(stored.files) ^ set(inputs | results)):
            print(f"reference: {path}: key {key} is on one side only")
            good = False
        for key in set(stored.files) & set(inputs | results):
            got, want = (inputs | results)[key], stored[key]
            limit = 0 if key in inputs else AGREE * np.abs(want).max()
            if got.shape != want.shape or np.abs(got - want).max() > limit:
                print(f"reference: {path}: {key} differs from what is computed here")
                good = False
    print(f"{path.relative_to(ROOT)}: {'agrees' if good else 'differs'}")
    return good


def print_tolerances(make, path):
    """Worst float32 error over the trials, and five times that, rounded up to 1-2-5 and at least 1e-6."""
    worst = {}
    for trial in range(TRIALS):
        exact, single = (make(trial, dtype)[1] for dtype in (torch.float64, torch.float32))
        for key in exact:
            for label, error in errors(key, single[key], exact[key]):
                worst.setdefault(label, []).append(error)
    print(f"{path}: array, float32 error on the stored set and on the others, tolerance")
    for label, found in worst.items():
        listed = ", ".join(f"{e:.1e}" for e in found)
        print(f"  {label:24} {listed:40} {round_up(5 * max(found)):.0e}")


def errors(key, got, want):
    """(label, error) pairs, as the READMEs define the errors."""
    if key.startswith("ck_"):
        if want.ndim == 3:
            for s in range(len(want)):
                yield from _checksum_errors(f"{key}[{s}]", got[s], want[s])
        else:
            yield from _checksum_errors(key, got, want)
    elif key in ("J", "loss", "eps_before", "eps_after"):
        for s in range(len(want)):
            yield f"{key}[{s}]", np.abs(got[s] - want[s]).max() / np.abs(want[s]).max()
    else:
        yield key, np.abs(got - want).max() / np.abs(want).max()


def round_up(value):
    """The next of 1, 2, 5 times a power of ten, at least 1e-6."""
    power = 10.0 ** math.floor(math.log10(max(value, 1e-6)))
    return next(f * power for f in (1, 2, 5, 10) if f * power >= max(value, 1e-6) * (1 - 1e-12))


def _checksum_errors(label, got, want):
    """Per tensor: relative error of the sum of squares, of the sum (to sqrt(sumsq * count)), of the first 8 (to the
    largest of them). Rows that are zero in exact arithmetic are left out; their largest entry is reported instead."""
    net = model.Autoencoder(POINTS) if len(want) == 32 else model.LinearAttention(POINTS, ROWS, WIDTH)
    counts = np.array([p.numel() for p in net.parameters()])
    difference, rows = np.abs(got - want), want[:, 1] > 1e-12 * want[:, 1].max()
    yield f"{label} sumsq", (difference[rows, 1] / want[rows, 1]).max()
    yield f"{label} sum", (difference[rows, 0] / np.sqrt(want[rows, 1] * counts[rows])).max()
    yield f"{label} first 8", (difference[rows, 2:] / np.abs(want[rows, 2:]).max(axis=1, keepdims=True)).max()
    if not rows.all():
        yield f"{label} zero rows (abs)", np.abs(got[~rows, 2:]).max()


def _jittered(points, seed):
    """A shuffled copy with normal noise of deviation 0.01."""
    order = np.argsort(hashed.unit(seed, 0, len(points)))
    noise = hashed.normal(seed, 1, points.size).reshape(points.shape)
    return (points + 0.01 * noise).astype(np.float32)[order]


def _unit_vectors(seed, tensor, shape):
    vectors = hashed.normal(seed, tensor, 3 * math.prod(shape)).reshape(*shape, 3)
    return (vectors / np.linalg.norm(vectors, axis=-1, keepdims=True)).astype(np.float32)


def _directions(seed, x, y, slices):
    """Unit directions [B, slices, 3] for which no two projections of a cloud are closer than TIE."""
    chosen = np.empty((len(x), slices, 3), np.float32)
    for pair in range(len(x)):
        candidates = _unit_vectors(seed, 2 * pair, (4 * slices,)).astype(np.float64)
        gaps = [np.diff(np.sort(candidates @ cloud[pair].T.astype(np.float64))).min(axis=1) for cloud in (x, y)]
        kept = candidates[np.minimum(*gaps) >= TIE]
        if len(kept) < slices:
            sys.exit(f"reference: only {len(kept)} of {slices} directions without ties for pair {pair}")
        chosen[pair] = kept[:slices]
    return chosen


if __name__ == "__main__":
    main()
