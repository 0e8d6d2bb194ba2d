#!/usr/bin/env python3
"""Time sliced distances between two clouds in the six lines of NumPy that one would write, and print one JSON object.

    bench/setup-python.sh pot && .venv-pot/bin/python bench/numpy_peer.py --points 2048 --slices 1000

Directions are drawn, both clouds projected by a matrix product, sorted in place, and squared differences averaged. With more
than one thread each takes a part of the directions: NumPy sorts without holding Python's lock. The clouds and the directions on which errors
are measured are those that bench/distances has written.
"""

import argparse
import concurrent.futures
import os
import pathlib

os.environ["OPENBLAS_NUM_THREADS"] = "1"  # the threads are ours
import numpy as np
import repeat
from pot_peer import reference


def mean_cost(x, y, theta):
    a, b = theta @ x.T, theta @ y.T
    a.sort(axis=1)
    b.sort(axis=1)
    a -= b
    return float(np.einsum("ij,ij->", a, a)) / a.size


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--clouds", type=pathlib.Path, default=pathlib.Path(".out/bench/clouds"))
    parser.add_argument("--points", type=int, default=2048)
    parser.add_argument("--slices", type=int, default=1000)
    parser.add_argument("--dtype", choices=("float32", "float64"), default="float32")
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--seconds", type=float, default=2, help="time to repeat the call for, at least three times")
    args = parser.parse_args()
    x, y, common = (
        np.load(args.clouds / f"{args.points}-{name}.npy").astype(args.dtype) for name in ("x", "y", "directions")
    )
    rng = np.random.default_rng(0)
    parts = [len(p) for p in np.array_split(np.arange(args.slices), args.threads)]

    def part(n, rng):
        theta = rng.standard_normal((n, 3), dtype=args.dtype)
        theta /= np.linalg.norm(theta, axis=1, keepdims=True)
        return n * mean_cost(x, y, theta)

    def once():
        if args.threads == 1:
            return part(args.slices, rng) / args.slices
        return sum(pool.map(part, parts, rng.spawn(args.threads))) / args.slices

    with concurrent.futures.ThreadPoolExecutor(args.threads) as pool:
        seconds, _ = repeat.repeat(args.seconds, once)
    value = mean_cost(x, y, common)
    error = abs(value / reference(x, y, common) - 1)
    repeat.report("NumPy", np.__version__, seconds, value=value, relative_error=error)


if __name__ == "__main__":
    main()
