#!/usr/bin/env python3
"""Time sliced distances between two clouds with POT (Python Optimal Transport) and print one JSON object.

    bench/setup-python.sh pot && .venv-pot/bin/python bench/pot_peer.py --points 2048 --slices 1000
    .venv-pot/bin/python bench/pot_peer.py --points 2048 --slices 100 --loss min-swgg

The clouds and the directions on which errors are measured are those that bench/distances has written. Timed is
ot.sliced_wasserstein_distance on NumPy arrays with the drawing of its projections; the value is its square, the error that
against sorting in float64. The other calls are POT's own functions, but for pairwise, a loop over all pairs, and
partial-sw, a loop over directions; their value is that on the same directions.
"""

import argparse
import pathlib

import numpy as np
import ot
import repeat


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--clouds", type=pathlib.Path, default=pathlib.Path(".out/bench/clouds"))
    parser.add_argument("--points", type=int, default=2048)
    parser.add_argument("--pairs", type=int, default=1)
    parser.add_argument("--slices", type=int, default=1000)
    parser.add_argument("--loss", choices=CALLS, default="sw")
    parser.add_argument("--dtype", choices=("float32", "float64"), default="float64")
    parser.add_argument("--seconds", type=float, default=2, help="time to repeat the call for, at least three times")
    args = parser.parse_args()
    name = f"{args.pairs}x{args.points}" if args.pairs > 1 else args.points
    x, y, theta = (np.load(args.clouds / f"{name}-{part}.npy").astype(args.dtype) for part in ("x", "y", "directions"))
    if args.loss == "ssw":
        x, y = (c / np.linalg.norm(c, axis=1, keepdims=True) for c in (x, y))
    call = CALLS[args.loss]
    seconds, _ = repeat.repeat(args.seconds, lambda: call(x, y, None, args.slices))
    value = float(call(x, y, theta.T, len(theta)))
    error = {"relative_error": abs(value / reference(x, y, theta) - 1)} if args.loss == "sw" else {}
    repeat.report("POT", ot.__version__, seconds, value=value, **error)


def sw(x, y, projections, n):
    return ot.sliced_wasserstein_distance(x, y, n_projections=n, projections=projections) ** 2


def ssw(x, y, projections, n):
    if projections is not None:  # planes, by their normals
        frames = np.linalg.qr(np.concatenate([projections.T[:, :, None], np.ones((n, 3, 1)) * np.eye(3)[:, :2]], axis=2))
        projections = frames[0][:, :, 1:]
    return ot.sliced_wasserstein_sphere(x, y, n_projections=n, projections=projections) ** 2


def partial(x, y, projections, n):
    if projections is None:
        projections = ot.sliced.get_random_projections(x.shape[1], n)
    costs = (ot.partial.partial_wasserstein_1d(a, b, len(x) // 2, p=2)[2] for a, b in zip((x @ projections).T, (y @ projections).T))
    return sum(np.sum(c) for c in costs) / n


def pairwise(x, y, projections, n):
    if projections is None:
        projections = ot.sliced.get_random_projections(x.shape[2], n)
    pairs = [(a, b) for i, a in enumerate(x) for b in x[:i]]
    return np.mean([ot.sliced_wasserstein_distance(a, b, projections=projections) for a, b in pairs])


CALLS = {
    "sw": sw,
    "ssw": ssw,
    "partial-sw": partial,
    "min-swgg": lambda x, y, t, n: ot.min_sliced_transport_plan(x, y, projections=t, n_projections=n, dense=False)[1],
    "expected-plan": lambda x, y, t, n: ot.expected_sliced_plan(x, y, projections=t, n_projections=n, dense=False)[1],
    "pairwise": pairwise,
}


def reference(x, y, theta):
    """Mean over directions of W_2^2 by sorting float64 projections."""
    a, b = (np.sort(c.astype(np.float64) @ theta.T.astype(np.float64), axis=0) for c in (x, y))
    return float(np.mean((a - b) ** 2))


if __name__ == "__main__":
    main()
