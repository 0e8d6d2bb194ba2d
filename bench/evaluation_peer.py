#!/usr/bin/env python3
"""Time the metrics of an evaluation, per pair of clouds, with PyTorch, POT or SciPy, and print one JSON object.

    .venv-torch/bin/python bench/evaluation_peer.py --metric cd
    .venv-pot/bin/python bench/evaluation_peer.py --metric emd-exact --program pot

The pairs are those that bench/evaluation has written. PyTorch has cd, sw (100 slices) and emd (the approximate one), POT and SciPy the
exact EMD, POT's cost matrix and SciPy's included. The value is the mean over the pairs, a sum over points except for cd.
"""

import argparse
import pathlib

import numpy as np
import repeat


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--metric", choices=("cd", "sw", "emd", "emd-exact"), required=True)
    parser.add_argument("--program", choices=("torch", "pot", "scipy"), default="torch")
    parser.add_argument("--clouds", type=pathlib.Path, default=pathlib.Path(".out/bench/clouds"))
    parser.add_argument("--points", type=int, default=2048)
    parser.add_argument("--seconds", type=float, default=2, help="time to repeat the call for, at least three times")
    args = parser.parse_args()
    if (args.metric == "emd-exact") == (args.program == "torch"):
        parser.error(f"--program {args.program} has no {args.metric} here")
    x, y = (np.load(args.clouds / f"pairs-{args.points}-{name}.npy") for name in "xy")
    name, version, call = globals()[args.program](args.metric, x, y)
    call()
    seconds, value = repeat.repeat(args.seconds, call)
    repeat.report(name, version, [s / len(x) for s in seconds], value=value)


def torch(metric, x, y):
    import torch

    import losses
    import matching

    x, y = torch.from_numpy(x), torch.from_numpy(y)
    function = {"cd": matching.chamfer, "sw": lambda x, y: losses.sw(x, y, 100), "emd": matching.emd}[metric]

    def call():
        with torch.no_grad():
            return function(x, y).item()

    return "torch", torch.__version__, call


def pot(_, x, y):
    import ot

    def one(a, b):
        return len(a) * float(ot.emd2([], [], ot.dist(a, b, "euclidean"), numItermax=10**8))

    x, y = x.astype(np.float64), y.astype(np.float64)
    return "POT", ot.__version__, lambda: float(np.mean([one(a, b) for a, b in zip(x, y)]))


def scipy(_, x, y):
    import scipy
    from scipy.optimize import linear_sum_assignment
    from scipy.spatial.distance import cdist

    def one(a, b):
        costs = cdist(a, b)
        return costs[linear_sum_assignment(costs)].sum()

    x, y = x.astype(np.float64), y.astype(np.float64)
    return "SciPy", scipy.__version__, lambda: float(np.mean([one(a, b) for a, b in zip(x, y)]))


if __name__ == "__main__":
    main()
