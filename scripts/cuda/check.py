"""Compiles every training step for an NVIDIA GPU that is not there, and writes what came out: check.py [--write | --only REGEX]

XLA's CUDA plugin compiles a program for a device that a file describes (h200.txtpb, a100.txtpb), without running it. The steps are
those of bench/step. The plugin in plugin.c passes each program to the CUDA plugin; hlo.py counts kernels, bytes and products in
the optimized programs. docs/results/cuda.md holds the tables: without --write, a difference from them is a failure. --only prints
the rows whose "device CLOUDSxPOINTS loss" matches, such as --only "h200 128.* emd", and compares nothing.

The CUDA plugin is that of make setup-cuda, or the file that the environment variable CUDA_PLUGIN names: a file of JAX's wheel, with
NVIDIA's wheels nvidia-cuda-nvcc and nvidia-nvvm beside it. If there is none, nothing is checked, and a line says so.
"""

import argparse
import collections
import difflib
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import hlo

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
OUT = ROOT / ".out" / "cuda"
PAGE = ROOT / "docs" / "results" / "cuda.md"

STEPS = dict(sw="SW", la="LA v-DSW", ea="EA v-DSW", a="A v-DSW", chamfer="Chamfer", emd="approximate EMD", v_dsw="v-DSW, T = 10", max_sw="Max-SW, T = 10")
# Device, clouds in a batch, points of a cloud.
TABLES = [("h200", 128, 2048), ("a100", 128, 2048), ("h200", 32, 512)]
# bench/step takes two steps: one before those that it times.
TAKEN = 2

INTRODUCTION = """# Training steps compiled for CUDA

Written by `make check-cuda WRITE=1` ([how](../../scripts/cuda/check.py)), with the CUDA plugin of {version}.

**Nothing on this page has run on a GPU, and no time here was measured** ([what a GPU takes](gpu.md)). XLA's CUDA plugin compiled every program of every step, in the form that
this project builds for CUDA, for a device that a file describes: {devices}.
Without a device, XLA does not choose among cuBLAS's algorithms by timing them.

- **programs**: compiled programs of a step. **kernels**: kernels and copies that a step launches, loops counted turn by turn.
- **temporary, arguments, outputs**: memory of the largest program, in MB.
- **traffic**: what kernels read and write if each reads every number that it needs once. **products**: floating-point operations of matrix products.
  **other**: those on single numbers, each counted once, an exponential as one.
- **floor**: the sum over kernels of the longer of two times: traffic at the data sheet's memory bandwidth, arithmetic at its FP32 rate (TF32 is off).
  Launches, comparisons of sorts and everything else are free in it. A step cannot be faster, unless arrays stay in the device's cache between
  kernels, as many at 32 x 512 may.
"""


def device(name):
    """The description of a device: its text, its name, bytes per second, FP32 operations per second."""
    text = (HERE / f"{name}.txtpb").read_text()

    def number(field):
        return float(re.search(rf"^ *{field}: ([\d.]+)", text, re.M).group(1))

    rate = 2 * number("core_count") * number("fpus_per_core") * number("clock_rate_ghz") * 1e9
    return re.search(r'device_description_str: "(.*)"', text).group(1), number("memory_bandwidth"), rate


def plugin():
    """The CUDA plugin, or None."""
    given = os.environ.get("CUDA_PLUGIN")
    path = Path(given) if given else ROOT / ".plugins" / "cuda" / "pjrt_c_api_cuda_plugin.so"
    if path.exists():
        return path.absolute()
    if given:
        raise SystemExit(f"CUDA_PLUGIN: expected the file of XLA's CUDA plugin, found nothing at {given}")
    return None


def version(path):
    """The wheel that holds the plugin, with its version."""
    for up in path.resolve().parents:
        for folder in up.glob("jax_cuda*_p*.dist-info"):
            return folder.name.removesuffix(".dist-info").replace("-", " ").replace("_", "-")
    return path.name


def build():
    """Compiles the stand-in plugin and bench/step; returns their paths."""
    OUT.mkdir(parents=True, exist_ok=True)
    subprocess.run([HERE / "build", OUT], check=True)
    subprocess.run(["go", "build", "-o", OUT / "step", "./step"], cwd=ROOT / "bench", check=True)
    return OUT / "pjrt_c_api_cuda_plugin.so", OUT / "step"


def compile_step(cuda, stand_in, step, name, target, clouds, points):
    """Compiles the programs of one step; returns the report's lines and the folder with the optimized programs."""
    folder = OUT / f"{target}-{clouds}x{points}" / name
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    report = folder / "report.jsonl"
    flags = f"--xla_gpu_enable_triton_gemm=false --xla_dump_to={folder} --xla_dump_hlo_as_text"
    for tools in (up / "nvidia" / "cu13" for up in cuda.parents[1:3]):
        if tools.is_dir():
            flags += f" --xla_gpu_cuda_data_dir={tools}"
            break
    env = os.environ | {
        "SWLAB_BACKEND": f"xla:{stand_in}",
        "CUDA_FORM_CPU": str(ROOT / ".plugins" / "cpu" / "pjrt_c_api_cpu_plugin.so"),
        "CUDA_FORM_CUDA": str(cuda),
        "CUDA_FORM_TARGET": str(HERE / f"{target}.txtpb"),
        "CUDA_FORM_REPORT": str(report),
        "XLA_FLAGS": flags,
    }
    command = [step, "-loss", name, "-batch", str(clouds), "-points", str(points), "-warmup", "1", "-steps", str(TAKEN - 1)]
    done = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"FAILED: the step {name} at {clouds} x {points} does not compile for {target}:\n{done.stderr[-2000:]}")
    return [json.loads(line) for line in report.read_text().splitlines()], folder


def row(report, folder, bandwidth, rate):
    """A step's numbers: programs, kernels, bytes, floor in seconds."""
    calls = collections.Counter(line["called"] for line in report if "called" in line)
    programs = {line["compiled"]: line for line in report if "compiled" in line}
    if len(programs) != sum("compiled" in line for line in report) or set(calls) != set(programs):
        raise SystemExit(f"FAILED: expected programs of different names, each called; found {report}")
    kernels = traffic = products = singles = floor = 0
    for name, times in calls.items():
        [optimized] = folder.glob(f"*.{name}.*gpu_after_optimizations.txt")
        for k in hlo.kernels(optimized.read_text()):
            n = k.times * times / TAKEN
            kernels += n
            traffic += n * k.bytes
            products += n * k.flops
            singles += n * k.singles
            floor += n * max(k.bytes / bandwidth, (k.flops + k.singles) / rate)
    largest = [max(p[part] for p in programs.values()) / 1e6 for part in ("temporary", "arguments", "outputs")]
    return [len(programs), f"{kernels:,.0f}", *(f"{m:,.0f}" for m in largest), f"{traffic / 1e9:.2f}", f"{products / 1e9:.1f}", f"{singles / 1e9:.1f}", f"{floor * 1e3:.2f}"]


def table(cuda, target, clouds, points, tools, only):
    name, bandwidth, rate = device(target)
    lines = [
        f"\n## {name}, {clouds} clouds of {points} points\n",
        f"Memory at {bandwidth / 1e12:.2f} TB/s, FP32 at {rate / 1e12:.1f} TFLOP/s.\n",
        "| step | programs | kernels | temporary MB | arguments MB | outputs MB | traffic GB | products GFLOP | other GFLOP | floor ms |",
        "|---|---|---|---|---|---|---|---|---|---|",
    ]
    for key, title in STEPS.items():
        if not re.search(only, f"{target} {clouds}x{points} {key}"):
            continue
        report, folder = compile_step(cuda, *tools, key.replace("_", "-"), target, clouds, points)
        lines.append(f"| {title} | " + " | ".join(map(str, row(report, folder, bandwidth, rate))) + " |")
        print(f"  {name}, {clouds} x {points}: {title} compiles", flush=True)
    return "\n".join(lines) + "\n"


def main(write, only):
    cuda = plugin()
    if cuda is None:
        print("  NOT CHECKED: the steps for CUDA, for XLA's CUDA plugin is not installed (make setup-cuda: 2 GB to download; no GPU is needed)")
        return
    tools = build()
    devices = ", ".join(f"{device(name)[0]} ([{name}.txtpb](../../scripts/cuda/{name}.txtpb))" for name in dict.fromkeys(t[0] for t in TABLES))
    page = INTRODUCTION.format(version=version(cuda), devices=devices) + "".join(table(cuda, *t, tools, only) for t in TABLES)
    if only:
        print("\n".join(line for line in page.splitlines() if line.startswith(("## ", "| "))))
        return
    if write:
        PAGE.write_text(page)
        return
    stored = PAGE.read_text()
    if page != stored:
        sys.stdout.writelines(difflib.unified_diff(stored.splitlines(True), page.splitlines(True), "docs/results/cuda.md", "now", n=0))
        raise SystemExit("FAILED: every step compiles, but not into the programs of docs/results/cuda.md; if the change is meant: make check-cuda WRITE=1")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Compile every training step for an NVIDIA GPU that is not there.")
    parser.add_argument("--write", action="store_true", help="store the tables")
    parser.add_argument("--only", default="", help='print the rows whose "device CLOUDSxPOINTS loss" matches this regular expression')
    options = parser.parse_args()
    main(options.write and not options.only, options.only)
