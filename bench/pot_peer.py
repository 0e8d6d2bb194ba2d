#!/usr/bin/env python3
"""Time sliced distances between two clouds with POT (Python Optimal Transport) and print one JSON object.

    bench/setup-python.sh pot && .venv-pot/bin/python bench/pot_peer.py --points 2048 --slices 1000

The clouds and the directions on which errors are measured are those that bench/distances has written. Timed is
ot.sliced_wasserstein_distance on NumPy arrays with the drawing of its projections; the value is its square, the error that
against sorting in float64.
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
    parser.add_argument("--slices", type=int, default=1000)
    parser.add_argument("--dtype", choices=("float32", "float64"), default="float64")
    parser.add_argument("--seconds", type=float, default=2, help="time to repeat the call for, at least three times")
    args = parser.parse_args()
    x, y, theta = (
        np.load(args.clouds / f"{args.points}-{name}.npy").astype(args.dtype) for name in ("x", "y", "directions")
    )
    seconds, _ = repeat.repeat(args.seconds, lambda: ot.sliced_wasserstein_distance(x, y, n_projections=args.slices))
    value = float(ot.sliced_wasserstein_distance(x, y, projections=theta.T)) ** 2
    error = abs(value / reference(x, y, theta) - 1)
    repeat.report("POT", ot.__version__, seconds, value=value, relative_error=error)


def reference(x, y, theta):
    """Mean over directions of W_2^2 by sorting float64 projections."""
    a, b = (np.sort(c.astype(np.float64) @ theta.T.astype(np.float64), axis=0) for c in (x, y))
    return float(np.mean((a - b) ** 2))


if __name__ == "__main__":
    main()
