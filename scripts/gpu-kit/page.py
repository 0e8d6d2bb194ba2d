"""Makes docs/results/gpu.md of what the kit measured on a GPU machine: page.py RESULTS.json [PAGE.md]

"notes", a list of paragraphs that someone adds to the results, stand before the tables.
"""

import json
import sys
from pathlib import Path

PAGE = Path(__file__).resolve().parent.parent.parent / "docs" / "results" / "gpu.md"
PROGRAMS = {"swlab": "swlab", "eager": "PyTorch", "compile": "torch.compile"}
LOSSES = {"sw": "SW", "la": "LA v-DSW", "ea": "EA v-DSW", "a": "A v-DSW", "chamfer": "Chamfer", "emd": "approximate EMD", "v-dsw": "v-DSW, T = 10", "max-sw": "Max-SW, T = 10"}

INTRODUCTION = """# Measured on a GPU

Written by `make gpu-page RESULTS=...` from what the kit of `make gpu-kit` measured, built of commit {kit}.
Median of {steps} steps after {warm} others, in ms; every step is waited for. In brackets the time of the first step, with everything
before it, in s; for swlab also that of the next run, for which XLA remembers the kernels it chose. A ratio is swlab's time over that of the fastest peer of its row. PyTorch's Chamfer and EMD take all pairs at once.

| | |
|---|---|
| GPU | {gpu} |
| backend | {backend}, plugin {plugin} |
| processor | {processor}, {cores} cores, {memory_gb} GB |
| PyTorch (CUDA, cuDNN) | {torch} |
"""


def cell(text):
    return str(text).replace("|", "\\|").replace("\n", " ")


def steps(items):
    """A table for each size and precision."""
    found = [i for name, i in items.items() if name.startswith("step ")]
    lines = []
    for key in dict.fromkeys((i["clouds"], i["points"], i["precision"]) for i in found if i["ok"]):
        lines += [f"\n## {key[0]} clouds of {key[1]} points, {key[2]}\n", "| step | " + " | ".join(PROGRAMS.values()) + " | ratio | memory MB |", "|---" * (len(PROGRAMS) + 3) + "|"]
        for loss, title in LOSSES.items():
            row = {i["program"]: i for i in found if i["ok"] and (i["clouds"], i["points"], i["precision"], i["loss"]) == (*key, loss)}
            if not row:
                continue
            firsts = {p: ", then ".join(f"{v:.1f}" for k in ("first_step_s", "next_first_step_s") if (v := row[p].get(k))) for p in row}
            times = [f"{row[p]['median_ms']:.3f} ({firsts[p]})" if p in row else "-" for p in PROGRAMS]
            peers = [row[p]["median_ms"] for p in ("eager", "compile") if p in row]
            ratio = f"{row['swlab']['median_ms'] / min(peers):.2f}" if peers and "swlab" in row else "-"
            memory = " / ".join(f"{row[p].get('device_mb', row[p].get('peak_mb', 0)):,.0f}" if p in row else "-" for p in PROGRAMS)
            lines.append(f"| {title} | " + " | ".join(times) + f" | {ratio} | {memory} |")
    return lines


def tests(item):
    lines = ["\n## Tests\n", f"{item['passed']} passed, {item['failed']} failed, {item['skipped']} skipped, in their short form.\n", "| package | passed | failed | skipped | |", "|---|---|---|---|---|"]
    for name, p in item["packages"].items():
        lines.append(f"| {name} | {p['passed']} | {p['failed']} | {p['skipped']} | {cell(' '.join(p.get('names', [])))} |")
    return lines


def profiles(items):
    lines = []
    for name, i in items.items():
        if name.startswith("profile ") and i["ok"]:
            lines += [f"\n## Kernels: {LOSSES[i['loss']]}, {name.split()[-1]}\n", f"{i['kernels']:,.0f} kernels and copies a step, busy for {i['busy_ms']:.3f} ms; the longest:\n", "| kernel | a step | us a step | share |", "|---|---|---|---|"]
            lines += [f"| `{cell(k['kernel'])}` | {k['launches']:.1f} | {k['us']:.1f} | {k['us'] / i['busy_ms'] / 10:.1f} % |" for k in i["most"]]
    return lines


def page(results):
    items = results["items"]
    machine = items["machine"]
    timed = [i for name, i in items.items() if name.startswith("step ") and i["ok"]]
    gpu = machine["gpu"]
    about = f"{gpu['name']}, {gpu['memory.total']} MB, driver {gpu['driver_version']}" if gpu else "**none: the kit was tried on a CPU, and these numbers say nothing**"
    count = {i["steps"] for i in timed}
    lines = [INTRODUCTION.format(kit=results["kit"][:12], steps=" or ".join(map(str, sorted(count))) or "no", warm=2 if results["smoke"] else 5, gpu=about, backend=results["backend"], **{k: machine[k] for k in ("plugin", "processor", "cores", "memory_gb", "torch")})]
    lines += [note + "\n" for note in results.get("notes", [])]
    smoke = items.get("smoke", {})
    if "relative_difference" in smoke:
        lines.append(f"A training, an evaluation and a distance ran; the distance in a graph is within {smoke['relative_difference']:.1e} of the one in plain Go.")
    lines += steps(items)
    lines.append("\nMemory is the device's in use, in the order of the columns, as nvidia-smi saw it; without a device the process's.")
    lines += profiles(items)
    if items.get("tests", {}).get("packages"):
        lines += tests(items["tests"])
    failed = {name: i.get("error", "see above") for name, i in items.items() if not i["ok"] and not i.get("left_out")}
    if failed:
        lines += ["\n## Failed\n", "| item | |", "|---|---|", *(f"| {name} | {cell(why)[-300:]} |" for name, why in failed.items())]
    left = [name for name, i in items.items() if i.get("left_out")]
    if left:
        lines.append(f"\n**Not measured, for no time was left:** {len(left)} of {len(items)} items of the kit (`swlab-gpu-kit/run --list`).")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    target = Path(sys.argv[2]) if len(sys.argv) == 3 else PAGE
    target.write_text(page(json.loads(Path(sys.argv[1]).read_text())))
    print(f"  wrote {target}")
