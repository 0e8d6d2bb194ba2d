"""Runs cells on the kernel: the first errors of docs/notebooks.md, trainings on a loss of the notebook's own, and what a new notebook needs.

Below each heading that is a message in backticks, the first block of Go must fail with that message and the second must run.
A training is read again until the code of its loss changes.
"""

import os
import pathlib
import re
import sys
import tempfile
import time

import nbformat
from jupyter_client.manager import start_new_kernel
from nbclient import NotebookClient

ROOT = pathlib.Path(__file__).resolve().parent.parent
ENTRY = re.compile(r"^### `([^`\n]+)`\n(.*?)(?=^#|^\*\*|\Z)", re.DOTALL | re.MULTILINE)
BLOCK = re.compile(r"^```go\n(.*?)^```$", re.DOTALL | re.MULTILINE)


def said(cell):
    """All text of a cell's outputs."""
    parts = []
    for output in cell.outputs:
        shown = [output.get("text", ""), output.get("data", {}).get("text/html", "")]
        parts += output.traceback if output.output_type == "error" else shown
    return "".join(parts)


LOSS = """type moments struct{}

func (moments) Name() string              { return "moments" }
func (moments) Convention() loss.Convention { return loss.Convention{Cost: "squared distance of the means", Exponent: 2, Reduce: loss.Mean} }
func (moments) Check(_, _, _ int) error   { return nil }
func (moments) Specs() []weights.Spec     { return nil }
func (moments) Violates() []loss.Property { return []loss.Property{loss.ZeroOnlyIfEqual} }

func (moments) Build(_ loss.BuildArgs, x, y *graph.Node) loss.Result {
	d := graph.Sub(graph.ReduceMean(x, 1), graph.ReduceMean(y, 1))
	return loss.Result{Pairs: graph.MulScalar(scaled(graph.ReduceSum(graph.Mul(d, d), 1)), FACTOR)}
}

func init_moments() {
	loss.Register("moments", loss.Entry{New: func(loss.Config) (loss.Loss, error) { return moments{}, nil }})
}
"""

TRAINING = """%%
e := show.Must(engine.Open("go"))
set := show.Must(datasets.Shapes{Points: 16, Train: 1}.Generate())
c := train.DefaultConfig()
c.Loss, c.Points, c.Batch, c.Epochs, c.Steps = "moments", 16, 8, 1, 3
b := show.Must(notebook.Open("stale"))
_, missing := b.Finished(e, set, c)
r := show.Must(b.Train(e, set, c))
fmt.Println("found before:", missing == nil, "loss:", r.Loss)
"""

# What a cell changes, and whether the training is found again after it.
CHANGES = [
    ("the first training", LOSS.replace("FACTOR", "1"), False),
    ("nothing", "", True),
    ("a variable that the loss does not use", "var unrelated = 1", True),
    ("a function that the loss does not use, with the name of a parameter", "func x() int { return unrelated }", True),
    ("a comment", LOSS.replace("FACTOR", "1").replace("type moments", "// moments is a loss.\ntype moments"), True),
    ("the loss, times 1000", LOSS.replace("FACTOR", "1000"), False),
    ("a function that the loss calls", "func scaled(d *graph.Node) *graph.Node { return graph.MulScalar(d, 3) }", False),
    ("the same again", "func scaled(d *graph.Node) *graph.Node {\n\treturn graph.MulScalar(d, 3)\n}", True),
]


def stale():
    """What is wrong with trainings on a loss that cells change."""
    imports = """%noautoget
import (
    "github.com/gomlx/gomlx/core/graph"
    "github.com/sliced-wasserstein/lab/datasets"
    "github.com/sliced-wasserstein/lab/experiments/notebook"
    "github.com/sliced-wasserstein/lab/swlab/engine"
    "github.com/sliced-wasserstein/lab/swlab/loss"
    "github.com/sliced-wasserstein/lab/swlab/train"
    "github.com/sliced-wasserstein/lab/swlab/weights"
    "github.com/sliced-wasserstein/lab/vmfviz/show"
)

func scaled(d *graph.Node) *graph.Node { return d }
"""
    os.environ["SWLAB_OUT"] = tempfile.mkdtemp(dir=os.environ.get("SWLAB_OUT"))  # nothing is found there from another time
    cells = [imports] + [source for _, cell, _ in CHANGES for source in (cell, TRAINING)]
    outputs = iter(run(cells)[1:])
    wrong, values = [], []
    for what, _, found in CHANGES:
        said_cell, said_training = said(next(outputs)), said(next(outputs))
        match = re.search(r"found before: (\w+) loss: (\S+)", said_training)
        if not match or (match[1] == "true") != found or (match[2] in values) != found:
            wrong.append(f"a training after a cell has changed {what}: expected one that is {'' if found else 'not '}found, the kernel says:\n{said_cell}\n{said_training}")
        if match:
            values.append(match[2])
    return wrong


# Cells of a new notebook, and what they must say. Each import is the notebook's first of that package, so that the kernel looks for a version.
FRESH = [
    ("""import "github.com/sliced-wasserstein/lab"

var x, y = lab.Cloud("chair"), lab.Cloud("bed")

var two = lab.Keep("two", func() int { return 1 + one })

const one = 1

%%
lab.SW(x, x)
""", "SW 0 "),
    ("""%%
two
""", "2"),
    ("const one = 2\n\n%%\ntwo\n", "3"),
    ("""import . "github.com/gomlx/gomlx/core/graph"

var moments = lab.Loss("moments", func(x, y *lab.Node) *lab.Node {
	return MulScalar(ReduceSum(Square(Sub(ReduceMean(x, 1), ReduceMean(y, 1))), -1), 0)
})

%%
moments(x, y)
""", "moments 0 "),
    ("""var moments = lab.Loss("moments", func(x, y *lab.Node) *lab.Node { return OnePlus(MulScalar(ReduceSum(x, 1, 2), 0)) })

%%
moments(x, y)
""", "moments 1 "),
    ("""%%
lab.SW(x, x, lab.Slices(7))
""", "SW 0 "),
    ("""var ranks = lab.Loss("ranks", func(x, y *lab.Node) *lab.Node {
	return Add(ReduceMean(x, 1), ReduceMean(y, 1, 2))
})

%%
ranks(x, y)
""", "Line 2"),
    ("""import "gonum.org/v1/gonum/stat"

%%
fmt.Println(stat.Mean([]float64{1, 3}, nil))
""", "2"),
    ("!grep -c 'gonum.org/v1/gonum v0.1[7-9]' $GONB_TMP_DIR/go.mod || echo as the lab", "as the lab"),
    ("""import "github.com/sliced-wasserstein/lab/swlab/slicing"

func init() {
	slicing.Register("first", slicing.Entry{})
}

%%
fmt.Println(slicing.Names())
""", "first"),
    ("""func init() {
	slicing.Register("second", slicing.Entry{})
}

%%
fmt.Println(slicing.Names())
""", 'takes the place of an earlier one, which registers slicing "first"'),
    ("""func init_second() {
	slicing.Register("second", slicing.Entry{})
}

%%
fmt.Println(slices.Contains(slicing.Names(), "first"), slices.Contains(slicing.Names(), "second"))
""", "true true"),
    ("""func init_again() {
	slicing.Register("second", slicing.Entry{})
	fmt.Print("again ")
}

%%
fmt.Println(slices.Contains(slicing.Names(), "second"))
""", "again true"),
]


def tab():
    """What is wrong with Tab and Shift-Tab in a new notebook."""
    manager, client = start_new_kernel(kernel_name="gonb")
    try:
        client.execute('import "github.com/sliced-wasserstein/lab/swlab"\n\n%%\nfmt.Println(swlab.DistanceConfig{}.Seed)', reply=True, timeout=300)
        for _ in range(30):  # a cold cache takes gopls half a minute
            code = "%%\nd, err := swlab.Dist"
            found = client.complete(code, len(code), reply=True, timeout=120)["content"]["matches"]
            if "DistanceConfig" in found:
                break
            time.sleep(1)
        else:
            return [f"Tab behind swlab.Dist: expected Distance and DistanceConfig, found {found}"]
        code = "%%\nx := swlab.Distance"
        told = client.inspect(code, len(code) - 2, reply=True, timeout=120)["content"]
        text = str(told.get("data"))
        return [] if "func swlab.Distance(" in text else [f"Shift-Tab on swlab.Distance: expected its signature, found {text}"]
    finally:
        client.stop_channels()
        manager.shutdown_kernel()


def run(sources):
    """The cells after they have run on one kernel."""
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(s) for s in sources])
    notebook.metadata.kernelspec = {"name": "gonb", "display_name": "Go", "language": "go"}
    NotebookClient(notebook, kernel_name="gonb", allow_errors=True, timeout=600).execute()
    return notebook.cells


def main():
    entries = [(message, BLOCK.findall(body)) for message, body in ENTRY.findall((ROOT / "docs" / "notebooks.md").read_text(encoding="utf-8"))]
    if len(entries) < 5 or any(len(blocks) != 2 for _, blocks in entries):
        found = [(message, len(blocks)) for message, blocks in entries]
        return f"FAILED: docs/notebooks.md: expected five messages with two blocks of Go each, found {found}"
    sources = ['import (\n\t"fmt"\n\n\t"github.com/sliced-wasserstein/lab"\n)', *(block for _, blocks in entries for block in blocks)]
    cells = run(sources)
    wrong = stale() + (tab() if (ROOT / ".bin" / "gopls").exists() else [])
    for (source, expected), cell in zip(FRESH, run([source for source, _ in FRESH])):
        if expected not in said(cell):
            wrong.append(f"a new notebook, the cell\n{source}\nexpected {expected!r}, the kernel says:\n{said(cell)}")
    for number, (message, _) in enumerate(entries):
        fails, runs = cells[1 + 2 * number], cells[2 + 2 * number]
        if message not in said(fails):
            wrong.append(f"docs/notebooks.md: expected {message!r}, the kernel says:\n{said(fails)}")
        if any(output.output_type == "error" for output in runs.outputs):
            wrong.append(f"docs/notebooks.md: {message!r}: what to write instead fails:\n{said(runs)}")
    for text in wrong:
        print(f"FAILED: {text}", file=sys.stderr)
    print(f"{len(entries)} errors of docs/notebooks.md and {len(CHANGES)} changes of a loss, {len(FRESH)} cells of a new notebook, Tab; {len(wrong)} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
