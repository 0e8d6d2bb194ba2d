#!/usr/bin/env python3
"""Measures swlab on this machine's GPU, beside PyTorch:  ./run

Needs 64-bit Linux on x86 (glibc 2.34 or newer), an NVIDIA driver, and a Python with the wheels jax-cuda13-pjrt, nvidia-cuda-nvcc,
nvidia-nvvm and NVIDIA's libraries; with torch too for the comparison. No network, no Go. What it finds is in results.json, written
after every item. An item that --minutes has no time for is left out; the next ./run goes on where this one stopped.
"""

import argparse
import importlib.metadata
import importlib.util
import json
import os
import platform
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

KIT = Path(__file__).resolve().parent
BEGAN = time.monotonic()
LARGE, SMALL = (128, 2048), (32, 512)
FIRST, REST = ("sw", "la"), ("emd", "v-dsw", "a", "chamfer", "ea", "max-sw")


def main():
    options = parse()
    results = Results(options)
    environment = environ(options)
    for name, least, work in items(options, environment):
        if not options.only or re.search(options.only, name):
            results.take(name, least, work)
    left = [name for name, item in results.items.items() if item.get("left_out")]
    failed = [name for name, item in results.items.items() if not item["ok"] and not item.get("left_out")]
    print(f"{len(results.items)} items in {options.out}; failed: {', '.join(failed) or 'none'}; left out: {', '.join(left) or 'none'}")
    sys.exit(bool(failed))


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--backend", default="xla:cuda", help="xla:cuda, or xla:cpu to try the kit without a GPU")
    parser.add_argument("--plugin", help="folder of XLA's plugin; default: that of the wheel jax-cuda13-pjrt")
    parser.add_argument("--python", default=sys.executable, help="the Python that has torch; default: this one")
    parser.add_argument("--minutes", type=float, default=9.5, help="no item begins that could end later")
    parser.add_argument("--steps", type=int, default=30, help="timed steps")
    parser.add_argument("--only", help="regular expression on the names of items; --list prints them")
    parser.add_argument("--smoke", action="store_true", help="tiny sizes and few tests, to try the kit")
    parser.add_argument("--fresh", action="store_true", help="measure everything again")
    parser.add_argument("--list", action="store_true", help="print the names of the items")
    parser.add_argument("--out", type=Path, default=Path("results.json"))
    options = parser.parse_args()
    options.cuda = options.backend == "xla:cuda"
    if options.smoke:
        options.steps = 2
    if options.list:
        print("\n".join(name for name, _, _ in items(options, {})))
        sys.exit()
    return options


class Results:
    """The items found so far, by name; an item that went well is not done again."""

    def __init__(self, options):
        self.out, self.until = options.out, BEGAN + 60 * options.minutes
        self.items, self.began = {}, time.monotonic()
        if self.out.exists() and not options.fresh:
            self.items = json.loads(self.out.read_text())["items"]
        self.head = {"kit": (KIT / "commit").read_text().strip(), "backend": options.backend, "smoke": options.smoke}

    def take(self, name, least, work):
        """Does an item unless it is done, or needs more seconds than are left; then what is known of it stays."""
        if self.items.get(name, {}).get("ok"):
            return
        left = self.until - time.monotonic()
        began = time.monotonic()
        if left < least and name in self.items:
            return
        if left < least:
            item = {"ok": False, "left_out": "no time was left"}
        else:
            try:
                item = work(left)
            except Exception as error:  # whatever an item does wrong, the others are measured
                item = {"ok": False, "error": f"{type(error).__name__}: {error}"[-1500:]}
        item["took_s"] = round(time.monotonic() - began, 1)
        self.items[name] = item
        fresh = self.out.with_suffix(".new")
        fresh.write_text(json.dumps(self.head | {"items": self.items}, indent=1))
        fresh.replace(self.out)
        said = item.get("left_out") or ("ok" if item["ok"] else "FAILED " + item.get("error", "")[-300:])
        print(f"[{time.monotonic() - BEGAN:4.0f} s] {name}: {said} {summary(item)}", flush=True)


def summary(item):
    if "median_ms" in item:
        return f"{item['median_ms']:.3f} ms a step"
    return " ".join(f"{k} {item[k]}" for k in ("passed", "failed", "skipped") if k in item)


def items(options, environment):
    """Name, seconds below which it is not begun, and what does it, the most important first."""
    large, small = ((4, 64), (4, 32)) if options.smoke else (LARGE, SMALL)
    yield "machine", 5, lambda left: machine(options)
    yield "doctor", 10, lambda left: doctor(options, environment, left)
    yield "smoke", 20, lambda left: smoke(options, environment, left)
    first = FIRST[:1] if options.smoke else FIRST
    yield from steps(options, environment, first, large, "FP32", ("swlab", "eager", "compile"))
    tests = sorted(path.parent.relative_to(KIT / "tests") for path in (KIT / "tests").rglob("run.test"))
    if options.smoke:
        yield "tests", 60, lambda left: run_tests(options, environment, tests, left)
        return
    yield from profiles(options, environment, first)
    yield from steps(options, environment, first, small, "FP32", ("swlab", "eager", "compile"))
    yield from steps(options, environment, REST, large, "FP32", ("swlab", "eager", "compile"))
    yield "tests", 60, lambda left: run_tests(options, environment, tests, left)
    yield from profiles(options, environment, ("emd", "a", "chamfer"))
    if options.cuda:
        yield from steps(options, environment, first, large, "TF32", ("swlab", "eager", "compile"))
    yield from steps(options, environment, REST, small, "FP32", ("swlab", "eager", "compile"))


def profiles(options, environment, losses):
    if options.cuda:
        for loss in losses:
            yield f"profile {loss} {LARGE[0]}x{LARGE[1]}", 45, lambda left, loss=loss: profile(options, environment, loss, left)


def steps(options, environment, losses, size, precision, programs):
    for loss in losses:
        for program in programs:
            name = f"step {loss} {size[0]}x{size[1]} {precision} {program}"
            yield name, 45 if size == LARGE else 30, lambda left, a=(loss, size, precision, program): step(options, environment, *a, left)


def environ(options):
    """The environment of swlab's programs: XLA's plugin, NVIDIA's libraries, one GPU."""
    env = dict(os.environ, SWLAB_BACKEND=options.backend, GOMLX_NO_AUTO_INSTALL="1", TF_CPP_MIN_LOG_LEVEL="2")
    env.setdefault("CUDA_VISIBLE_DEVICES", "0")
    env["XDG_CACHE_HOME"] = str(options.out.resolve().with_suffix(".cache"))  # what XLA has found by timing kernels
    plugin = Path(options.plugin).resolve() if options.plugin else None
    if plugin is None and options.cuda:
        try:
            plugin = Path(importlib.util.find_spec("jax_plugins.xla_cuda13").submodule_search_locations[0])
        except (ImportError, AttributeError, TypeError):
            sys.exit("run: expected the wheel jax-cuda13-pjrt in this Python, found none; give another Python (python3.12 run), or --plugin FOLDER")
    if plugin:
        env["PJRT_PLUGIN_LIBRARY_PATH"] = str(plugin)
        libraries = sorted(map(str, plugin.parent.parent.glob("nvidia/*/lib")))
        env["LD_LIBRARY_PATH"] = ":".join(libraries + [p for p in [env.get("LD_LIBRARY_PATH")] if p])
    return env


def call(command, seconds, env, cwd=None):
    """Runs a program for at most so many seconds: its standard output; an error has the end of standard error."""
    try:
        done = subprocess.run(list(map(str, command)), env=env, cwd=cwd, capture_output=True, text=True, timeout=max(1, seconds), errors="replace")
    except subprocess.TimeoutExpired:
        raise RuntimeError(f"stopped after {seconds:.0f} s") from None
    if done.returncode:
        raise RuntimeError(f"exit status {done.returncode}: {(done.stderr or done.stdout)[-1200:]}")
    return done.stdout


def gpu(fields):
    """What nvidia-smi says of the first visible device, by field; nothing if it is not there."""
    if not shutil.which("nvidia-smi"):
        return {}
    first = os.environ.get("CUDA_VISIBLE_DEVICES", "0").split(",")[0] or "0"
    done = subprocess.run(["nvidia-smi", "-i", first, f"--query-gpu={','.join(fields)}", "--format=csv,noheader,nounits"], capture_output=True, text=True)
    return dict(zip(fields, done.stdout.strip().split(", "))) if done.returncode == 0 else {}


def machine(options):
    cpu = re.search(r"^model name\s*: (.*)$", Path("/proc/cpuinfo").read_text(), re.M)
    found = {"processor": cpu.group(1) if cpu else platform.machine(), "cores": len(os.sched_getaffinity(0)), "python": platform.python_version()}
    found["memory_gb"] = round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 1e9)
    code = "import torch; print(torch.__version__, torch.version.cuda, torch.backends.cudnn.version() if torch.cuda.is_available() else None)"
    try:
        found["torch"] = call([options.python, "-c", code], 60, dict(os.environ)).strip()
    except (OSError, RuntimeError):
        found["torch"] = "none"
    found["gpu"] = gpu(["name", "driver_version", "memory.total", "clocks.max.sm", "power.limit"])
    try:
        found["plugin"] = importlib.metadata.version("jax-cuda13-pjrt")
    except Exception:
        found["plugin"] = "given by --plugin" if options.plugin else "unknown"
    return {"ok": bool(found["gpu"]) or not options.cuda, **found}


def doctor(options, env, left):
    """swlab doctor outside of a repository: what counts is the backend."""
    done = subprocess.run([KIT / "bin" / "swlab", "doctor"], env=env, capture_output=True, text=True, timeout=left, cwd=KIT)
    return {"ok": f"{options.backend}:" in done.stdout, "text": done.stdout.replace(str(KIT), "."), "error": done.stderr[-600:]}


def smoke(options, env, left):
    """A training and an evaluation, and a distance in a graph of this backend against the one in plain Go."""
    swlab = KIT / "bin" / "swlab"
    with tempfile.TemporaryDirectory() as folder:
        train = [swlab, "train", "--loss", "v-dsw", "--amortizer", "la", "--points", 64, "--batch", 8, "--steps", 5, "--out", "run", "--format", "json"]
        call(train, min(left, 200), env, folder)
        scores = json.loads(call([swlab, "evaluate", "--run", "run", "--format", "json"], min(left, 200), env, folder))
        for name, shift in (("x", 0.1), ("y", 0.37)):
            points = [[((k * a + shift) * 0.6180339887) % 1 for a in (1, 7, 31)] for k in range(1, 513)]
            Path(folder, name + ".xyz").write_text("".join("%.6f %.6f %.6f\n" % tuple(p) for p in points))
        value = {}
        for path in ("host", "graph"):
            answer = call([swlab, "distance", "--loss", "sw", "--x", "x.xyz", "--y", "y.xyz", "--path", path, "--format", "json"], min(left, 200), env, folder)
            value[path] = json.loads(answer)["value"]
    apart = abs(value["graph"] / value["host"] - 1)
    return {"ok": apart < 1e-5, "distance": value, "relative_difference": apart, "scores": scores}


def step(options, env, loss, size, precision, program, left):
    """The times of training steps by swlab, or by PyTorch: eager, or by torch.compile."""
    shape = ["batch", size[0], "points", size[1], "loss", loss, "steps", options.steps, "warmup", 5 if not options.smoke else 2]
    flags = [("--" + v if k % 2 == 0 else v) for k, v in enumerate(shape)]
    if program == "swlab":
        backend = options.backend + (",tf32=true" if precision == "TF32" else "")
        command = [KIT / "bin" / "step", "--backend", backend, *flags]
    else:
        command = [options.python, KIT / "device_peer.py", "--device", "cuda" if options.cuda else "cpu", "--precision", precision, *flags]
        env = dict(os.environ, CUDA_VISIBLE_DEVICES=env["CUDA_VISIBLE_DEVICES"])  # torch brings its own libraries
    with tempfile.TemporaryDirectory() as folder:
        if program == "compile":
            if "--compile" not in (KIT / "bench" / "peer.py").read_text():
                return {"ok": False, "left_out": "the kit's bench/peer.py has no --compile"}
            command += ["--compile", folder]
        timed = lambda: call(command, min(left, 240), env | {"BENCH_BEGAN": str(time.time())}, folder).splitlines()
        before = memory_in_use()
        with Watch() as watch:
            lines = timed()
        again = timed() if program == "swlab" else []
    found, second = ({k: v for line in lines if line.startswith("{") for k, v in json.loads(line).items()} for lines in (lines, again))
    seconds = found["seconds"]
    item = {"ok": True, "program": program, "loss": loss, "clouds": size[0], "points": size[1], "precision": precision, "steps": len(seconds)}
    item |= {"median_ms": 1e3 * statistics.median(seconds), "fastest_ms": 1e3 * min(seconds), "first_step_s": found.get("first_step"), "next_first_step_s": second.get("first_step")}
    item |= {k: found[k] for k in ("version", "allocated_mb", "reserved_mb", "peak_mb") if k in found}
    if watch.most:
        item["device_mb"] = watch.most - before
    return item


def profile(options, env, loss, left):
    """The time of every kernel in ten training steps, by the profiler of XLA's CUDA plugin."""
    folder = Path(env["PJRT_PLUGIN_LIBRARY_PATH"])
    plugin = next(p for name in ("xla_cuda_plugin.so", "pjrt_c_api_cuda_plugin.so") if (p := folder / name).exists())
    flags = env.get("XLA_FLAGS", "")
    toolkit = folder.parent.parent / "nvidia" / "cu13"
    if toolkit.is_dir() and "--xla_gpu_cuda_data_dir" not in flags:
        flags += f" --xla_gpu_cuda_data_dir={toolkit}"
    flags += " --xla_gpu_experimental_enable_fusion_autotuner=false"  # swlab looks for its name in the plugin, which is another here
    command = [KIT / "bin" / "step", "--backend", f"xla:{KIT}/profile/pjrt_c_api_cuda_plugin.so", "--loss", loss]
    command += ["--batch", LARGE[0], "--points", LARGE[1], "--warmup", 5, "--steps", 25]
    with tempfile.TemporaryDirectory() as work:
        out = Path(work) / "profile.pb"
        own = {"PROFILE_PLUGIN": str(plugin), "PROFILE_OUT": str(out), "PROFILE_CALLS": "41 10", "XLA_FLAGS": flags}
        call(command, min(left, 240), env | own, work)
        kernels = kernel_times(out.read_bytes())
    if not kernels:
        return {"ok": False, "error": "the profiler recorded no kernel"}
    total = sum(seconds for _, seconds in kernels.values())
    most = sorted(kernels.items(), key=lambda k: -k[1][1])[:25]
    table = [{"kernel": name, "launches": count / 10, "us": seconds / 10 * 1e6} for name, (count, seconds) in most]
    return {"ok": True, "loss": loss, "kernels": sum(n for n, _ in kernels.values()) / 10, "busy_ms": total / 10 * 1e3, "most": table}


def kernel_times(space):
    """Of an XSpace (xplane.proto), by name, how often a kernel ran on a GPU and for how many seconds."""
    found = {}
    for plane in (dict_of(v) for k, v in fields(space) if k == 1):
        if b"GPU" not in plane.get(2, [b""])[0]:
            continue
        entries = [dict_of(entry) for entry in plane.get(4, [])]
        names = {e.get(1, [0])[0]: dict_of(e[2][0]).get(2, [b"?"])[0].decode(errors="replace") for e in entries}
        for line in map(dict_of, plane.get(3, [])):
            if not line.get(2, [b""])[0].startswith(b"Stream"):
                continue
            for event in map(dict_of, line.get(4, [])):
                name = names.get(event.get(1, [0])[0], "?")
                count, seconds = found.get(name, (0, 0.0))
                found[name] = (count + 1, seconds + event.get(3, [0])[0] * 1e-12)
    return found


def dict_of(message):
    """The fields of a message of Protocol Buffers: lists of values by number."""
    found = {}
    for number, value in fields(message):
        found.setdefault(number, []).append(value)
    return found


def fields(message):
    """Number and value of every field: an int, or bytes. A zero ends the message."""
    at = 0

    def varint():
        nonlocal at
        value = shift = 0
        while True:
            byte = message[at]
            at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    while at < len(message) and message[at]:
        number, kind = divmod(varint(), 8)
        if kind == 0:
            yield number, varint()
            continue
        size = varint() if kind == 2 else {1: 8, 5: 4}[kind]
        yield number, message[at : at + size]
        at += size


def memory_in_use():
    try:
        return int(gpu(["memory.used"]).get("memory.used", 0))
    except ValueError:
        return 0


class Watch:
    """The most memory of the device that was in use, in MB, seen five times a second."""

    most = 0

    def __enter__(self):
        self.process = None
        if shutil.which("nvidia-smi"):
            first = os.environ.get("CUDA_VISIBLE_DEVICES", "0").split(",")[0] or "0"
            query = ["nvidia-smi", "-i", first, "--query-gpu=memory.used", "--format=csv,noheader,nounits", "-lms", "200"]
            self.file = tempfile.TemporaryFile("w+")
            self.process = subprocess.Popen(query, stdout=self.file, stderr=subprocess.DEVNULL)
        return self

    def __exit__(self, *_):
        if self.process:
            self.process.terminate()
            self.process.wait()
            self.file.seek(0)
            self.most = max((int(v) for v in self.file.read().split() if v.isdigit()), default=0)


def run_tests(options, env, packages, left):
    """The fast tests of the packages with graphs on the backend, four packages at a time: how many passed, which failed and why."""

    def one(package):
        folder = KIT / "tests" / package
        command = [folder / "run.test", "-test.short", "-test.v", f"-test.timeout={max(10, int(left) - 15)}s"]
        try:
            done = subprocess.run(command, env=env, cwd=folder, capture_output=True, text=True, errors="replace", timeout=left)
        except subprocess.TimeoutExpired as stopped:
            return package, -1, (stopped.stdout or b"").decode(errors="replace")
        return package, done.returncode, done.stdout + done.stderr

    left = min(left - 10, 240)
    item = {"ok": True, "passed": 0, "failed": 0, "skipped": 0, "packages": {}}
    with ThreadPoolExecutor(4 if options.cuda else 2) as pool:
        for package, status, text in pool.map(one, packages):
            count = {word: len(re.findall(rf"^--- {word}:", text, re.M)) for word in ("PASS", "FAIL", "SKIP")}
            failed = re.findall(r"^\s*--- FAIL: (\S+)", text, re.M)
            found = {"ok": status == 0, "passed": count["PASS"], "failed": count["FAIL"], "skipped": count["SKIP"]}
            if status:
                found |= {"names": failed, "lines": re.findall(r"^\s+\w+_test\.go:\d+: .{0,300}", text, re.M)[:40], "end": text[-800:]}
            item["packages"][str(package)] = found
            item["ok"] &= found["ok"]
            for k in ("passed", "failed", "skipped"):
                item[k] += found[k]
    return item


if __name__ == "__main__":
    main()
