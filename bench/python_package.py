"""Times of the Python package beside NumPy's own sort, POT and PyTorch, in one process: python_package.py OUT.md

Two normal clouds in space, the same 100 directions for all, the mean over slices of the squared cost. The programs take turns,
round by round. make bench-python runs it.
"""

import os
import platform
import statistics
import sys
import time

import numpy as np
import ot
import swlab
import swlab.torch
import torch

ROUNDS = 7
SLICES = 100


def programs(points):
    random = np.random.default_rng(1)
    x = random.normal(size=(points, 3)).astype(np.float32)
    y = random.normal(size=(points, 3)).astype(np.float32)
    theta = random.normal(size=(SLICES, 3))
    theta = (theta / np.linalg.norm(theta, axis=1, keepdims=True)).astype(np.float32)
    tx, ty, tt = torch.from_numpy(x), torch.from_numpy(y), torch.from_numpy(theta)

    def with_numpy():
        a, b = np.sort(theta @ x.T, axis=1), np.sort(theta @ y.T, axis=1)
        return float(np.square(a - b).mean())

    def with_pot():
        return float(ot.sliced_wasserstein_distance(x, y, projections=theta.T)) ** 2

    def with_torch(gradient):
        a, b = tx.clone().requires_grad_(gradient), ty.clone().requires_grad_(gradient)
        v = (torch.sort(tt @ a.T, dim=1)[0] - torch.sort(tt @ b.T, dim=1)[0]).square().mean()
        if gradient:
            v.backward()
        return v.item()

    def wrapped():
        a, b = tx.clone().requires_grad_(), ty.clone().requires_grad_()
        v = swlab.torch.distance(a, b, directions=theta, reduce="mean")
        v.backward()
        return v.item()

    def ours(**options):
        return swlab.distance(x, y, directions=theta, reduce="mean", **options).value

    return {
        "NumPy's sort": with_numpy,
        "POT": with_pot,
        "PyTorch": lambda: with_torch(False),
        "swlab": ours,
        "swlab, sorted exactly": lambda: ours(path="host"),
        "PyTorch, both gradients": lambda: with_torch(True),
        "swlab, both gradients": lambda: ours(gradient=True),
        "swlab.torch, both gradients": wrapped,
    }


def measure(points):
    functions = programs(points)
    want = functions["swlab, sorted exactly"]()
    for name, f in functions.items():  # also warms up
        if not abs(f() - want) <= 1e-5 * want:
            raise SystemExit(f"{name}: {f()}, expected {want}")
    times = {name: [] for name in functions}
    for _ in range(ROUNDS):
        for name, f in functions.items():
            began = time.perf_counter()
            f()
            times[name].append(1e3 * (time.perf_counter() - began))
    return {name: statistics.quantiles(t, n=4) for name, t in times.items()}


def processor():
    with open("/proc/cpuinfo") as file:
        return next(line.split(":")[1].strip() for line in file if line.startswith("model name"))


def main():
    load = os.getloadavg()[0]
    columns = {points: measure(points) for points in (256, 2048, 8192)}
    versions = f"NumPy {np.__version__}, POT {ot.__version__}, PyTorch {torch.__version__} on {torch.get_num_threads()} threads"
    lines = [
        "# Times of the Python package",
        "",
        f"`make bench-python`: one pair of clouds in space, {SLICES} given directions, milliseconds, median (quartiles) of {ROUNDS} rounds, in which the programs take turns.",
        f"{processor()}, {os.cpu_count()} cores, Python {platform.python_version()}, {versions}. The load of the machine was {load:.1f} at the start: above 0.5, other work was running, and the times are no comparison.",
        "Before it is timed, each program's value is compared with the others', to 1e-5.",
        "",
        "| | " + " | ".join(f"{points} points" for points in columns) + " |",
        "|---|" + "---|" * len(columns),
    ]
    for name in columns[256]:
        cells = ("{1:.3g} ({0:.3g} to {2:.3g})".format(*columns[points][name]) for points in columns)
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    with open(sys.argv[1], "w") as file:
        file.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
