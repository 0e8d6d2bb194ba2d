"""Trains for a long time and watches the process: memory, file descriptors, threads, temporary files. At the end it asks the training to stop, by
SIGINT, and fails if anything has grown.

long_training.py SWLAB OUT [SECONDS]: the program, a folder that does not exist, and how long (7200)."""

import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

from growth import grown

EVERY = 2  # seconds between samples
SETTINGS = "--data builtin --loss v-dsw --amortizer la --points 64 --batch 8 --slices 10 --epochs 1000000 --checkpoint-every 100".split()
GROWTH = {"memory_mb": 16, "descriptors": 0, "threads": 2, "temporary": 0}  # allowed between the second quarter and the last


def sample(pid, run, temporary):
    """What the process holds now."""
    status = pathlib.Path(f"/proc/{pid}/status").read_text()
    field = lambda name: int(next(line for line in status.splitlines() if line.startswith(name)).split()[1])
    names = [name for _, folders, files in os.walk(run) for name in folders + files]  # os.walk passes over folders that vanish meanwhile
    return {
        "memory_mb": round(field("VmRSS:") / 1024, 1),
        "descriptors": len(os.listdir(f"/proc/{pid}/fd")),
        "threads": field("Threads:"),
        # A checkpoint that is being written is there at some of the samples; what stays would add up.
        "temporary": len(list(temporary.iterdir())) + max(0, sum(name.startswith(".") for name in names) - 2),
        "checkpoints": len(list(run.glob("checkpoints/step-*"))),
    }


def steps(run):
    """The steps logged so far, of which the last may be half written."""
    log = run / "log.jsonl"
    return log.read_bytes().count(b"\n") if log.exists() else 0


def watch(process, run, temporary, seconds):
    """A sample every EVERY seconds until the time is over."""
    samples, began = [], time.monotonic()
    while time.monotonic() - began < seconds:
        time.sleep(min(EVERY, seconds))
        if process.poll() is not None:
            raise SystemExit(f"the training ended by itself after {time.monotonic() - began:.0f} s; see {run.parent}/stderr")
        samples.append({"seconds": round(time.monotonic() - began), **sample(process.pid, run, temporary), "steps": steps(run)})
        (run.parent / "samples.json").write_text(json.dumps(samples))
    return samples


def main(swlab, out, seconds):
    out = pathlib.Path(out)
    out.mkdir(parents=True)
    run = out / "run"
    with tempfile.TemporaryDirectory(dir=out) as temporary:
        environment = dict(os.environ, TMPDIR=temporary)
        process = subprocess.Popen([swlab, "train", *SETTINGS, "--out", str(run)], env=environment, stdout=subprocess.DEVNULL, stderr=(out / "stderr").open("w"))
        try:
            samples = watch(process, run, pathlib.Path(temporary), seconds)
            asked = time.monotonic()
            process.send_signal(signal.SIGINT)
            process.wait(60)
        finally:
            process.kill()
        print(f"  {steps(run)} steps in {samples[-1]['seconds']} s; stopped {time.monotonic() - asked:.1f} s after SIGINT")
        wrong = grown(samples, GROWTH)
        if max(s["checkpoints"] for s in samples) > 3:
            wrong.append("more than two checkpoints, and the one being written, were kept")
        said = (out / "stderr").read_text().strip().splitlines()[-1]
        if process.returncode != 1 or "--resume continues" not in said:
            wrong.append(f"stopped with {process.returncode}: {said}")
    for line in wrong:
        print("FAILED: " + line, file=sys.stderr)
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2], float(sys.argv[3]) if len(sys.argv) > 3 else 7200))
