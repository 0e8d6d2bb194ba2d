#!/usr/bin/env python3
"""Print a Markdown table of the runs that bench/run.sh collected, one JSON object a line.

    python3 bench/table.py .out/bench/steps.jsonl

Seconds are the minimum over all steps of all rounds, and the median of the rounds' medians; the ratios divide swlab's
by the peer's, so less than 1 means that swlab is faster.
"""

import collections
import json
import os
import platform
import statistics
import sys

NAMES = {"sw": "SW", "la": "LA v-DSW"}
REQUIRED = ("peer", "loss", "batch", "points", "slices", "seconds_per_step_min", "seconds_per_step_median")


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: table.py FILE.jsonl")
    groups = collections.defaultdict(list)
    for run in read(sys.argv[1], REQUIRED):
        step = tuple(run[key] for key in ("loss", "batch", "points", "slices"))
        groups[step, program(run)].append(run)
    print(f"{processor()}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}\n")
    print("| step | program | rounds | min s | median s | swlab/this, min | swlab/this, median |")
    print("|---|---|---|---|---|---|---|")
    for (step, name), runs in groups.items():
        least, median = times(runs)
        ratios = ["", ""]
        if not name.startswith("swlab") and (ours := swlab(groups, step)):
            ratios = [f"{mine / theirs:.2f}" for mine, theirs in zip(times(ours), (least, median))]
        label = f"{NAMES.get(step[0], step[0])}, B={step[1]} m={step[2]} L={step[3]}"
        print(f"| {label} | {name} | {len(runs)} | {least:.3f} | {median:.3f} | {ratios[0]} | {ratios[1]} |")


def read(path, required):
    """The runs of a file, each with at least the required fields."""
    try:
        with open(path) as lines:
            runs = [json.loads(line) for line in lines if line.strip()]
    except (OSError, ValueError) as error:
        sys.exit(f"table: {path}: {error}")
    for number, run in enumerate(runs, 1):
        missing = [key for key in required if key not in run]
        if missing:
            sys.exit(f"table: {path}: run {number} lacks {', '.join(missing)}")
    return runs


def program(run):
    name = " ".join(filter(None, (run["peer"], run.get("version", ""))))
    return name + (", huge pages" if run["peer"] == "torch" and run.get("huge_pages") else "")


def times(runs):
    return (
        min(run["seconds_per_step_min"] for run in runs),
        statistics.median(run["seconds_per_step_median"] for run in runs),
    )


def swlab(groups, step):
    return [run for (other, name), runs in groups.items() if other == step and name.startswith("swlab") for run in runs]


def processor():
    try:
        with open("/proc/cpuinfo") as lines:
            return next(line.split(":", 1)[1].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor() or platform.machine()


if __name__ == "__main__":
    main()
