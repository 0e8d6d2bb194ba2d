"""The stop button of JupyterLab, pressed while a notebook trains: the cell ends soon, what was trained is kept, the kernel answers, and the cell
run again goes on."""

import json
import re

import nbformat

from browser import wait
from lab import texts
from pixels import drawn
from views import look

CELLS = ('''%noautoget

import (
	"context"
	"fmt"

	"github.com/sliced-wasserstein/lab/experiments/notebook"
	"github.com/sliced-wasserstein/lab/swlab/train"
	"github.com/sliced-wasserstein/lab/vmfviz/show"
)

var book = show.Must(notebook.Open("stop"))
''', '''%%
trainSet, testSet, err := book.Clouds(64, 1)
show.Check(err)
c := train.DefaultConfig()
c.Loss, c.Points, c.Batch, c.Steps, c.Epochs = "sw", 64, 8, 1000000, 1000000
e := show.Must(book.Backend())
show.Must(book.Live(context.Background(), e, trainSet, c, notebook.LiveOptions{Clouds: testSet.Select([]int{0, 1}), Every: 50}))
''', '''%%
fmt.Println("here")
''')
STEPS = re.compile(r"<b>training</b> (\d+) of 1000000")
PICTURE = "document.querySelector('.jp-OutputArea-output img')"
SOON = 2  # seconds; the kernel kills a cell that has not ended after five


def write(path):
    """The notebook: names, a training that would take hours, and a cell that says something."""
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source) for source in CELLS])
    notebook.metadata.kernelspec = {"name": "gonb", "display_name": "Go (swlab)", "language": "go"}
    nbformat.write(notebook, path)


def records(out):
    """The steps in the log of the only run, and its lines; a last line half written is left out."""
    lines = next(out.glob("runs/*/log.jsonl")).read_text().split("\n")[:-1]
    return [json.loads(line)["step"] for line in lines], lines


def train_and_stop(notebook, wrong, when, stop):
    """Runs the training cell, looks at it while it trains, and stops it. Returns the first step it showed."""
    notebook.run(1)
    seen, moments = [], []

    def enough():
        cell = notebook.cells()[1]
        if not notebook.running(1):
            raise SystemExit(f"the training cell ended by itself: {texts(cell)}")
        bars = [text for text in texts(cell) if STEPS.search(text)]
        moments.append(len(bars))
        seen.extend(int(STEPS.search(bar).group(1)) for bar in bars)
        return len(set(seen)) >= 3 and sum("<img" in text for text in texts(cell)) == 1

    wait(enough, 300, "the training cell did not show its progress and its picture")
    if max(moments) != 1:
        wrong.append(f"{when}: the progress is {max(moments)} outputs, expected one that is updated")
    if seen != sorted(seen):
        wrong.append(f"{when}: the progress goes back: {seen}")
    if not drawn(look(notebook.browser, PICTURE)):
        wrong.append(f"{when}: the picture of the training is blank")
    stop()
    wait(lambda: not notebook.running(1), 300, "the cell did not end")
    said = texts(notebook.cells()[1])
    if not any("interrupted; what was done is kept" in text for text in said) or any("killed" in text for text in said):
        wrong.append(f"{when}: the cell does not say that it was interrupted: {said}")
    return seen[0]


def check(lab, notebook, out):
    """What is wrong with stopping; out is where the notebook keeps its results. The first stop is the button's; the second one, which is timed, is
    the server's own, for a page on a busy machine may hear of it late."""
    wrong = []

    def interrupt():
        took = lab.interrupt(30)
        if took > SOON:
            wrong.append(f"the cell ended {took:.1f} s after the interrupt, expected {SOON} s at most")

    notebook.run(0)
    wait(lambda: not notebook.running(0), 300, "the first cell did not end")
    train_and_stop(notebook, wrong, "first stop", notebook.press_stop)
    steps, first = records(out)
    if not list(out.glob(f"runs/*/checkpoints/step-{steps[-1]:09d}/*")):
        wrong.append(f"no checkpoint of the last step, {steps[-1]}")
    notebook.run(2)
    wait(lambda: not notebook.running(2), 60, "the cell after the one stopped did not end")
    if "here" not in "".join(texts(notebook.cells()[2])):
        wrong.append("the kernel does not answer after the stop")
    begins = train_and_stop(notebook, wrong, "second stop", interrupt)
    again, second = records(out)
    if begins != steps[-1] + 1:
        wrong.append(f"run again, the cell began at step {begins}, expected {steps[-1] + 1}")
    if again != list(range(1, len(again) + 1)) or len(again) <= len(steps) or second[:len(first)] != first:
        wrong.append(f"run again, the log of {len(steps)} steps became one of {len(again)} that does not continue it")
    return wrong
