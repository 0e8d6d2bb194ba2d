#!/usr/bin/env python3
"""Time sliced distances between two clouds in the six lines of NumPy that one would write, and print one JSON object.

    bench/setup-python.sh pot && .venv-pot/bin/python bench/numpy_peer.py --points 2048 --slices 1000

Directions are drawn, both clouds projected by a matrix product, sorted in place, and squared differences averaged. With more
than one thread each takes a part of the directions: NumPy sorts without holding Python's lock. With --pairs every pair has directions of its
own, and each thread takes a part of the pairs. --blocks is the seventh line. The clouds and the directions on which errors
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


CACHED = 2**16  # projections of a cloud in a block
TOGETHER = 4  # pairs in a block: their projections stay in the cache, and threads seldom wait for Python's lock


def mean_cost(x, y, theta):
    a, b = theta @ x.swapaxes(-1, -2), theta @ y.swapaxes(-1, -2)
    a.sort(axis=-1)
    b.sort(axis=-1)
    a -= b
    return float(np.vdot(a, a)) / a.size


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--clouds", type=pathlib.Path, default=pathlib.Path(".out/bench/clouds"))
    parser.add_argument("--points", type=int, default=2048)
    parser.add_argument("--pairs", type=int, default=1)
    parser.add_argument("--slices", type=int, default=1000)
    parser.add_argument("--dtype", choices=("float32", "float64"), default="float32")
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--blocks", action="store_true", help="a block of directions or pairs at a time, whose projections fit a core's cache")
    parser.add_argument("--seconds", type=float, default=2, help="time to repeat the call for, at least three times")
    args = parser.parse_args()
    size = f"{args.pairs}x{args.points}" if args.pairs > 1 else args.points
    x, y, common = (
        np.load(args.clouds / f"{size}-{name}.npy").astype(args.dtype) for name in ("x", "y", "directions")
    )
    rng = np.random.default_rng(0)

    def draw(rng, *shape):
        theta = rng.standard_normal((*shape, 3), dtype=args.dtype)
        return theta / np.linalg.norm(theta, axis=-1, keepdims=True)

    def some_directions(part, rng):
        theta = draw(rng, len(part))
        block = max(4, CACHED // args.points) if args.blocks else len(part)
        parts = [theta[i : i + block] for i in range(0, len(part), block)]
        return sum(len(p) * mean_cost(x, y, p) for p in parts) / args.slices

    def some_pairs(part, rng):
        total, together = 0.0, TOGETHER if args.blocks else len(part)
        for i in range(part[0], part[-1] + 1, together):
            some = slice(i, min(i + together, part[-1] + 1))
            theta = draw(rng, some.stop - i, args.slices)
            total += len(theta) * mean_cost(x[some], y[some], theta)
        return total / args.pairs

    work, items = (some_pairs, args.pairs) if args.pairs > 1 else (some_directions, args.slices)
    parts = np.array_split(np.arange(items), args.threads)

    def once():
        if args.threads == 1:
            return work(parts[0], rng)
        return sum(pool.map(work, parts, rng.spawn(args.threads)))

    with concurrent.futures.ThreadPoolExecutor(args.threads) as pool:
        seconds, _ = repeat.repeat(args.seconds, once)
    pairs = [(x, y)] if args.pairs == 1 else list(zip(x, y))
    value = sum(mean_cost(*pair, common) for pair in pairs) / args.pairs
    error = abs(value / (sum(reference(*pair, common) for pair in pairs) / args.pairs) - 1)
    repeat.report("NumPy", np.__version__, seconds, value=value, relative_error=error)


if __name__ == "__main__":
    main()
