"""JupyterLab in a headless browser, as a reader uses it: test_browser.py NOTEBOOK...

The stop button must end a training soon and lose nothing. Of every notebook, in short form, Run All must give each cell that has output in the
stored notebook some; a bar of progress must be one output that moves; a sphere must turn when it is dragged, and its slider of kappa, if it has
one, must change it; a second Run All must read what the first has trained. The notebooks are copies without outputs in .out/test-browser."""

import json
import re
import shutil
import signal
import sys
from pathlib import Path

import nbformat

import stopping
import views
from browser import Browser, wait
from lab import Lab, texts

FOLDER = Path(".out/test-browser")
RESULTS = FOLDER / "results"
BAR = re.compile(r"<b>training</b> (\d+) of (\d+)")
LIMIT = 900  # seconds for all cells; their first run compiles the library


def copy(path):
    """The notebook without its outputs; returns of each code cell whether it had any."""
    notebook = nbformat.read(path, as_version=4)
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    shows = [bool(cell.outputs) for cell in code]
    for cell in code:
        cell.outputs, cell.execution_count = [], None
    nbformat.write(notebook, FOLDER / path.name)
    return shows


def run_all(notebook, shows):
    """Runs all cells: (what is wrong, the steps that each bar of progress showed)."""
    before = max(cell["execution_count"] or 0 for cell in notebook.cells())
    notebook.heard()
    notebook.run_all()

    def done():
        cells = notebook.cells()
        broken = [o for cell in cells for o in cell["outputs"] if o["output_type"] == "error"]
        return broken or all((cell["execution_count"] or 0) > before for cell in cells)

    wait(done, LIMIT, "the cells did not all run")
    wrong, bars = [], {}
    for number, (cell, expected) in enumerate(zip(notebook.cells(), shows), 1):
        if expected and not cell["outputs"]:
            wrong.append(f"code cell {number} shows nothing")
        wrong += [f"code cell {number}: {o['ename']}" for o in cell["outputs"] if o["output_type"] == "error"]
        if sum(bool(BAR.search(text)) for text in texts(cell)) > 1:
            wrong.append(f"code cell {number} shows more than one bar of progress")
    for _, output, html in notebook.heard():
        if BAR.search(html):
            bars.setdefault(output, []).append(int(BAR.search(html).group(1)))
    return wrong, list(bars.values())


def trained():
    """The logs of all runs, which no second training may touch."""
    return {str(log): (log.stat().st_mtime_ns, log.read_bytes()) for log in RESULTS.glob("runs/*/log.jsonl")}


def parts():
    """The names of the parts that the notebook has timed."""
    file = RESULTS / "times.json"
    return [time["part"] for time in json.loads(file.read_text())] if file.exists() else []


def check(notebook, shows):
    wrong, bars = run_all(notebook, shows)
    if wrong:
        return wrong
    for steps in bars:
        if len(set(steps)) < 2 or steps != sorted(steps):
            wrong.append(f"a bar of progress does not move on: it showed the steps {steps}")
    wrong += views.turn(notebook.browser)
    before = trained()
    if bool(before) != bool(bars):
        wrong.append(f"{len(before)} runs were trained, and {len(bars)} bars of progress shown")
    if before:
        again, bars = run_all(notebook, shows)
        # A run that is read shows the full bar of the one that made it, at once.
        wrong += again + [f"run again, the notebook trains again: steps {steps}" for steps in bars if len(set(steps)) > 1]
        if trained() != before:
            wrong.append("run again, the notebook writes the log of a run that was finished")
        if "reading the run trained before" not in parts():
            wrong.append(f"run again, the notebook does not say that it reads the run trained before: it timed {parts()}")
    return wrong


def main(paths):
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("stopped"))  # so that server, kernel and browser end too
    shutil.rmtree(FOLDER, ignore_errors=True)
    RESULTS.mkdir(parents=True)
    failed = False
    stopping.write(FOLDER / "stop.ipynb")
    with Lab(FOLDER, {"FAST": "1", "SWLAB_OUT": str(RESULTS.resolve())}) as lab:
        for path in [Path("stop.ipynb"), *paths]:
            shows = copy(path) if path in paths else None
            with Browser(width=1300, height=1000) as browser:
                notebook = lab.open(browser, path.name)
                wrong = check(notebook, shows) if shows else stopping.check(lab, notebook, RESULTS)
                (FOLDER / f"{path.stem}.png").write_bytes(browser.screenshot())
                wrong += [line for line in browser.complaints() if "asks for" not in line or "//127.0.0.1:" not in line]
            shutil.rmtree(RESULTS / "runs", ignore_errors=True)
            for line in wrong:
                print(f"FAILED: {path}: {line}", file=sys.stderr)
            failed |= bool(wrong)
            if not wrong:
                print(f"  {path.name} in JupyterLab: " + (f"{len(shows)} cells ran, the sphere turns" if shows else "the stop button stops, nothing is lost"))
    if failed:
        raise SystemExit(1)


if __name__ == "__main__":
    main([Path(p) for p in sys.argv[1:]])
