"""Executes many cells in one Go kernel and watches its memory, file descriptors and temporary files; fails if anything has grown.

long_kernel.py FOLDER [CELLS]: a folder for temporary files, and how many cells (500)."""

import json
import os
import pathlib
import sys
import time

import psutil
from growth import grown
from jupyter_client.manager import start_new_kernel

EVERY = 10  # cells between samples
GROWTH = {"memory_mb": 8, "descriptors": 0, "processes": 0, "temporary": 0, "temporary_mb": 8}  # allowed between the second quarter and the last
FIRST = '%noautoget\n\nimport (\n\t"fmt"\n\n\t"github.com/sliced-wasserstein/lab/vmfviz/show"\n)\n'


def sample(kernel, temporary):
    """What the kernel and its children hold between two cells."""
    processes = [kernel, *kernel.children(recursive=True)]
    files = [p for p in temporary.rglob("*") if p.is_file()]
    return {
        "memory_mb": sum(p.memory_info().rss for p in processes) / 2**20,
        "descriptors": sum(p.num_fds() for p in processes),
        "processes": len(processes),
        "temporary": len(list(temporary.iterdir())),
        "temporary_mb": sum(p.stat().st_size for p in files) / 2**20,
    }


def main(folder, cells):
    temporary = pathlib.Path(folder).resolve()
    temporary.mkdir(parents=True, exist_ok=True)
    manager, client = start_new_kernel(kernel_name="gonb", env=dict(os.environ, TMPDIR=str(temporary)))
    samples, began, said = [], time.monotonic(), []

    def hear(message):
        if message["msg_type"] == "stream":
            said.append(message["content"]["text"])

    def run(code):
        said.clear()
        reply = client.execute_interactive(code, timeout=600, output_hook=hear)
        if reply["content"]["status"] != "ok":
            raise SystemExit(f"FAILED: {reply['content']}\n{''.join(said)}")

    try:
        kernel = psutil.Process(manager.provisioner.process.pid)
        run(FIRST)
        for i in range(1, cells + 1):
            run(f'%%\ndefer show.Done()\nfmt.Println("cell", {i})\n')
            if f"cell {i}\n" not in "".join(said):
                raise SystemExit(f"FAILED: cell {i} said {said}")
            if i % EVERY == 0:
                samples.append({"cell": i, "seconds": round(time.monotonic() - began), **sample(kernel, temporary)})
                (temporary.parent / "kernel-samples.json").write_text(json.dumps(samples))
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)
    print(f"  {cells} cells in {time.monotonic() - began:.0f} s")
    wrong = grown(samples, GROWTH)
    for line in wrong:
        print("FAILED: " + line, file=sys.stderr)
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 500))
