"""Prints what `make run` has found: report.py SUMMARY SETUP-SECONDS START END (START and END of the run).

The summary is written by experiments/quickstart:
{"backend", "why", "data", "row": {"name", "before": {"cd", "sw", "emd"}, "after": {...}},
 "times": [{"part", "seconds"}], "pictures": [paths]}
"""

import json
import os
import sys


def shown(path):
    """The path as seen from the repository, if it lies inside."""
    relative = os.path.relpath(path)
    return path if relative.startswith("..") else relative


def number(value):
    return "-" if value is None else f"{value:.4g}"


def table(rows):
    """The rows in columns, the first aligned left and the others right."""
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    for i, row in enumerate(rows):
        cells = [row[0].ljust(widths[0])] + [cell.rjust(width) for cell, width in zip(row[1:], widths[1:])]
        print("  " + "   ".join(cells))
        if i == 0:
            print("  " + "   ".join("-" * width for width in widths))


def main(summary_path, setup, start, end):
    try:
        with open(summary_path, encoding="utf-8") as file:
            summary = json.load(file)
        row = summary["row"]
        before, after = row["before"], row["after"]
        backend, why, data = summary["backend"], summary["why"], summary["data"]
        times = [(str(t["part"]), float(t["seconds"])) for t in summary["times"]]
        pictures = [shown(p) for p in summary["pictures"]]
        rows = [[row["name"], "CD (mean over points)", "SW (root of the sum)", "EMD (sum over points)"]]
        for title, values in (("before training", before), ("after training", after)):
            rows.append([title, *(number(values.get(key)) for key in ("cd", "sw", "emd"))])
    except FileNotFoundError:
        return f"FAILED: the quickstart ran, but wrote no {summary_path}"
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        return f"FAILED: {summary_path} is not what was expected: {error!r}"

    seconds_of_run = float(end) - float(start)
    print()
    print(f"Backend   {backend}: {why}")
    print(f"Data      {data}")
    print()
    table(rows)
    print()
    rest = seconds_of_run - sum(seconds for _, seconds in times)
    parts = [("set-up", float(setup)), ("quickstart", seconds_of_run)]
    parts += [("  " + part, seconds) for part, seconds in times]
    if times and rest > 0:
        parts.append(("  compiling, scores, pictures", rest))
    table([["time of each part", "seconds"], *([part, f"{seconds:.1f}"] for part, seconds in parts)])
    print()
    if pictures:
        print("Pictures  " + "\n          ".join(pictures))
    return None


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
