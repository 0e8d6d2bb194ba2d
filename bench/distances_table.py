#!/usr/bin/env python3
"""Print a Markdown table of the runs that bench/distances.sh collected, one JSON object a line.

    python3 bench/distances_table.py .out/bench/distances.jsonl

Times are minima over all repeats of all rounds; the ratio divides the program's by swlab's on all threads. The error of a
sliced distance is that against sorting in float64; that of an EMD its difference from POT's value in float64.
"""

import collections
import os
import sys

import table

REQUIRED = ("peer", "version", "distance", "points", "slices", "seconds_min", "value", "relative_error")
NAMES = {"sliced": "sliced W_2^2", "emd": "exact EMD"}


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: distances_table.py FILE.jsonl")
    cases = collections.defaultdict(lambda: collections.defaultdict(list))
    for run in table.read(sys.argv[1], REQUIRED):
        cases[run["distance"], run["points"], run["slices"]][f"{run['peer']} {run['version']}"].append(run)
    print(f"{table.processor()}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}\n")
    print("| distance | program | ms | program/swlab | relative error |")
    print("|---|---|---|---|---|")
    for (distance, points, slices), programs in cases.items():
        label = f"{NAMES[distance]}, m={points}" + (f" L={slices}" if slices else "")
        least = {name: min(run["seconds_min"] for run in runs) for name, runs in programs.items()}
        ours = next(iter(least.values()))  # swlab on all threads runs first
        exact = next(run["value"] for runs in programs.values() for run in runs if run["version"].endswith("float64"))
        for name, runs in programs.items():
            error = max(run["relative_error"] if slices else abs(run["value"] / exact - 1) for run in runs)
            print(f"| {label} | {name} | {1000 * least[name]:.1f} | {least[name] / ours:.2f} | {error:.0e} |")


if __name__ == "__main__":
    main()
