"""How long a cell takes, on the kernel of this repository and on that of another clone of it, in turn:

    .venv/bin/python bench/cells.py [CLONE-BEFORE] [--repeats 5]

Every repeat changes a number, so that no cell is read from a cache. A row is the median of the seconds from the request to the answer and,
with a second clone, the ratio of the medians. Both need `make setup`. docs/performance.md has the results.
"""

import argparse
import os
import pathlib
import statistics
import tempfile
import time

from jupyter_client.manager import KernelManager

ROOT = pathlib.Path(__file__).resolve().parent.parent

PREAMBLE = """import (
	"fmt"

	"github.com/sliced-wasserstein/lab/datasets"
	"github.com/sliced-wasserstein/lab/experiments/notebook"
	"github.com/sliced-wasserstein/lab/swlab"
	"github.com/sliced-wasserstein/lab/swlab/engine"
	"github.com/sliced-wasserstein/lab/swlab/loss"
	"github.com/sliced-wasserstein/lab/swlab/train"
	"github.com/sliced-wasserstein/lab/swlab/weights"
	"github.com/sliced-wasserstein/lab/vmfviz/show"
	"github.com/gomlx/gomlx/core/graph"
)

var session = show.Must(notebook.Open("cells"))

func two() (x, y *datasets.Set) {
	return show.Must(notebook.Shape("chair", 512)), show.Must(notebook.Shape("bed", 512))
}
"""

LAB = """import "github.com/sliced-wasserstein/lab"

var x, y = lab.Cloud("chair"), lab.Cloud("bed")
"""

OWN = """type moments struct{}

func (moments) Name() string                { return "moments" }
func (moments) Convention() loss.Convention { return loss.Convention{Cost: "means", Exponent: 2, Reduce: loss.Mean} }
func (moments) Check(_, _, _ int) error     { return nil }
func (moments) Specs() []weights.Spec       { return nil }
func (moments) Build(_ loss.BuildArgs, x, y *graph.Node) loss.Result {
	d := graph.Sub(graph.ReduceMean(x, 1), graph.ReduceMean(y, 1))
	return loss.Result{Pairs: graph.MulScalar(graph.ReduceSum(graph.Mul(d, d), 1), %d)}
}

func init_moments() {
	loss.Register("moments", loss.Entry{New: func(loss.Config) (loss.Loss, error) { return moments{}, nil }})
}

%%%%
x, y := two()
fmt.Println(show.Must(swlab.Distance("moments", x, y, swlab.DistanceConfig{})).Value)
"""

LAB_OWN = """import "github.com/gomlx/gomlx/core/graph"

var moments = lab.Loss("moments", func(x, y *lab.Node) *lab.Node {
	d := graph.Sub(graph.ReduceMean(x, 1), graph.ReduceMean(y, 1))
	return graph.MulScalar(graph.ReduceSum(graph.Mul(d, d), 1), %d)
})

%%%%
moments(x, y)
"""

TRAIN = """%%%%
e := show.Must(engine.Open(""))
set := show.Must(datasets.Shapes{Points: 128, Train: 2}.Generate())
c := train.DefaultConfig()
c.Loss, c.Amortizer, c.Points, c.Batch, c.Steps, c.Seed = "v-dsw", "la", 128, 32, 2, %d
fmt.Println(show.Must(session.Train(e, set, c)).Loss)
"""

# What is measured: with the packages of before, and with package lab.
CELLS = {
    "a distance": (
        '%%%%\nx, y := two()\no := swlab.DistanceConfig{Seed: %d}\nfmt.Println(show.Must(swlab.Distance("sw", x, y, o)).Value)',
        "%%%%\nlab.SW(x, y, lab.Seed(%d))",
    ),
    "v-DSW, 50 steps of ascent": (
        '%%%%\nx, y := two()\no := swlab.DistanceConfig{Seed: %d}\nfmt.Println(show.Must(swlab.Distance("v-dsw", x, y, o)).Value)',
        "%%%%\nlab.VDSW(x, y, lab.Seed(%d))",
    ),
    "an own loss": (OWN, LAB_OWN),
    "a training of 2 steps, another seed": (TRAIN, '%%%%\nlab.Train(lab.VDSW, lab.LA, lab.On(lab.Shapes("builtin", lab.Size(128))), lab.Steps(2), lab.Seed(%d))'),
}


class Kernel:
    """A kernel of a clone, in a new folder."""

    def __init__(self, root):
        for name, value in {"PATH": ".jupyter", "CONFIG_PATH": ".jupyter/config", "CONFIG_DIR": ".venv/var/config", "DATA_DIR": ".venv/var/data"}.items():
            os.environ["JUPYTER_" + name] = str(root / value)
        os.environ["JUPYTER_RUNTIME_DIR"] = tempfile.mkdtemp()
        began = time.monotonic()
        self.manager = KernelManager(kernel_name="gonb")
        self.manager.start_kernel(cwd=tempfile.mkdtemp())
        self.client = self.manager.client()
        self.client.start_channels()
        self.client.wait_for_ready(timeout=300)
        self.started = time.monotonic() - began

    def run(self, source):
        """The seconds of a cell."""
        began = time.monotonic()
        said = []
        reply = self.client.execute_interactive(source, timeout=900, output_hook=said.append)
        seconds = time.monotonic() - began
        if reply["content"]["status"] != "ok":
            raise RuntimeError(f"the cell\n{source}\nfailed: {[m['content'] for m in said]}")
        return seconds

    def stop(self):
        self.client.stop_channels()
        self.manager.shutdown_kernel(now=True)


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("before", nargs="?", type=pathlib.Path)
    arguments.add_argument("--repeats", type=int, default=5)
    given = arguments.parse_args()
    roots = {"now": (ROOT, LAB, 1)}
    if given.before:
        roots["before"] = (given.before.resolve(), PREAMBLE, 0)
    number = int(time.time()) % 10**6 * 1000
    starts = {name: [] for name in roots}
    for _ in range(given.repeats):
        for name, (root, preamble, which) in roots.items():
            number += 1
            kernel = Kernel(root)
            starts[name].append(kernel.started + kernel.run(preamble) + kernel.run(list(CELLS.values())[0][which] % number))
            kernel.stop()
    rows = {"from the start of the kernel to the first distance": starts}
    kernels = {name: Kernel(root) for name, (root, _, _) in roots.items()}
    for name, (_, preamble, _) in roots.items():
        kernels[name].run(preamble)
    for what, cells in CELLS.items():
        rows[what] = {name: [] for name in roots}
        for repeat in range(given.repeats + 1):
            for name, (_, _, which) in roots.items():
                number += 1
                seconds = kernels[name].run(cells[which] % number)
                if repeat > 0:  # the first one warms up
                    rows[what][name].append(seconds)
    for kernel in kernels.values():
        kernel.stop()
    load = os.getloadavg()[0]
    print(f"| cell, seconds (median of {given.repeats}; load {load:.1f}) | " + " | ".join(roots) + (" | ratio |" if given.before else " |"))
    print("|---" * (2 + len(roots) - (0 if given.before else 1)) + "|")
    for what, seconds in rows.items():
        medians = [statistics.median(seconds[name]) for name in roots]
        ratio = f" {medians[0] / medians[1]:.2f} |" if given.before else ""
        print(f"| {what} | " + " | ".join(f"{m:.2f}" for m in medians) + " |" + ratio)


if __name__ == "__main__":
    main()
