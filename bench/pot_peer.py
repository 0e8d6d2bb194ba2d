#!/usr/bin/env python3
"""Time distances between two clouds with POT (Python Optimal Transport) and print one JSON object a case.

    bench/setup-pot.sh && .venv-pot/bin/python bench/pot_peer.py --clouds .out/bench/clouds

The clouds and directions are those that bench/distances has written. Sliced distances are ot.sliced_wasserstein_distance
on NumPy arrays, squared, timed with the drawing of their projections; the error is that on the directions written, against
sorting in float64. The EMD is ot.emd2 on Euclidean costs, timed with ot.dist.
"""

import argparse
import json
import pathlib
import re
import time

import numpy as np
import ot


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--clouds", type=pathlib.Path, default=pathlib.Path(".out/bench/clouds"))
    parser.add_argument("--dtype", choices=("float32", "float64"), default="float32")
    parser.add_argument("--seconds", type=float, default=2, help="time to repeat every case for, at least three times")
    args = parser.parse_args()
    cases = sorted(args.clouds.glob("*-x.npy"), key=lambda p: (not p.name.startswith("sliced"), number(p)))
    if not cases:
        parser.error(f"--clouds {args.clouds}: no clouds; run bench/distances first")
    for path in cases:
        print(json.dumps(measure(path, args)), flush=True)


def number(path):
    return int(re.fullmatch(r"\w+-(\d+)-x\.npy", path.name)[1])


def measure(path, args):
    load = lambda name: np.load(str(path).replace("-x.npy", f"-{name}.npy")).astype(args.dtype)
    x, y, distance, slices, error = load("x"), load("y"), path.name.split("-")[0], 0, 0.0
    if distance == "sliced":
        theta = load("directions")
        slices = len(theta)
        repeats, seconds, _ = fastest(args.seconds, lambda: ot.sliced_wasserstein_distance(x, y, n_projections=slices))
        value = float(ot.sliced_wasserstein_distance(x, y, projections=theta.T)) ** 2
        error = abs(value / reference(x, y, theta) - 1)
    else:
        repeats, seconds, value = fastest(args.seconds, lambda: float(ot.emd2([], [], ot.dist(x, y, "euclidean"), numItermax=10**8)))
    return {
        "peer": "POT", "version": f"{ot.__version__}, {args.dtype}", "distance": distance, "points": len(x),
        "slices": slices, "repeats": repeats, "seconds_min": seconds,
        "value": value, "relative_error": error,
    }  # fmt: skip


def fastest(seconds, call):
    """Call for so many seconds and at least three times: the number of calls, the time of the fastest, the last result."""
    calls, least, begin = 0, float("inf"), time.perf_counter()
    while calls < 3 or time.perf_counter() - begin < seconds:
        start = time.perf_counter()
        value = call()
        least = min(least, time.perf_counter() - start)
        calls += 1
    return calls, least, value


def reference(x, y, theta):
    """Mean over directions of W_2^2 by sorting float64 projections."""
    a, b = (np.sort(c.astype(np.float64) @ theta.T.astype(np.float64), axis=0) for c in (x, y))
    return float(np.mean((a - b) ** 2))


if __name__ == "__main__":
    main()
