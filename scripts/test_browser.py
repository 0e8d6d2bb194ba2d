"""Opens a notebook in JupyterLab in a headless browser, as a reader would: test_browser.py NOTEBOOK. Run All must give every cell that has output in
the stored notebook some, in short form; a sphere must turn when it is dragged; the slider of its concentration, if it has one, must change it. The
notebook is a copy without outputs in .out/test-browser."""

import os
import secrets
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from urllib.request import urlopen

import nbformat

from browser import Browser, wait

FOLDER = Path(".out/test-browser")
NOTEBOOK = "jupyterapp.shell.currentWidget"
# A page without a user has no current notebook until one is activated.
OPEN = """(() => {
  const [first] = window.jupyterapp ? jupyterapp.shell.widgets('main') : [];
  if (first) jupyterapp.shell.activateById(first.id);
  return !!(first && first === jupyterapp.shell.currentWidget && first.content && first.content.model && first.content.model.cells.length);
})()"""
# Brings the sphere into view and says where it is.
BOX = """(() => {
  const canvas = document.querySelector('.swlab-sphere canvas');
  canvas.scrollIntoView({block: 'center', behavior: 'instant'});
  const box = canvas.getBoundingClientRect();
  return [box.x, box.y, box.width, box.height];
})()"""
PIXELS = "document.querySelector('.swlab-sphere canvas').toDataURL()"
# Moves the slider of kappa; false where none is shown.
SLIDE = """(() => {
  const slider = document.querySelector('.swlab-sphere label input[type=range]');
  if (!slider || !slider.offsetParent) return false;
  slider.value = 200;
  slider.dispatchEvent(new Event('input', {bubbles: true}));
  return true;
})()"""
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


def serve(port, token):
    """JupyterLab on the copy, its log in lab.log."""
    command = [sys.executable, "-m", "jupyterlab", "--no-browser", "--ip=127.0.0.1", f"--port={port}", "--ServerApp.port_retries=0",
               f"--IdentityProvider.token={token}", f"--ServerApp.root_dir={FOLDER.resolve()}", "--LabApp.expose_app_in_browser=True"]
    if os.geteuid() == 0:
        command.append("--allow-root")
    return subprocess.Popen(command, stdout=open(FOLDER / "lab.log", "w"), stderr=subprocess.STDOUT,
                            env={**os.environ, "FAST": "1", "SWLAB_OUT": str((FOLDER / "results").resolve())})


def answers(address):
    try:
        return urlopen(address, timeout=5).status == 200
    except OSError:
        return False


def run_all(browser, cells):
    """Runs all cells and returns them as stored."""
    browser.evaluate(f"{NOTEBOOK}.sessionContext.ready.then(() => true)")
    browser.evaluate("jupyterapp.commands.execute('notebook:run-all-cells'), true")

    def code():
        stored = browser.evaluate(f"{NOTEBOOK}.content.model.toJSON()")["cells"]
        return [cell for cell in stored if cell["cell_type"] == "code"]

    def done():
        now = code()
        broken = [o for cell in now for o in cell["outputs"] if o["output_type"] == "error"]
        return broken or len(now) == cells and all(cell["execution_count"] for cell in now)

    wait(done, LIMIT, "the cells did not all run")
    return code()


def turn(browser):
    """Drags the first sphere and returns its pixels twice before and once after."""
    wait(lambda: browser.evaluate("!!document.querySelector('.swlab-sphere canvas')"), 30, "no sphere was drawn")
    box, before = browser.evaluate(BOX), None
    while box != before:  # cells above are laid out only when they come into view, and move what is below
        time.sleep(1)
        box, before = browser.evaluate(BOX), box
    x, y, width, height = box
    first = browser.evaluate(PIXELS)
    time.sleep(0.5)
    second = browser.evaluate(PIXELS)
    browser.drag((x + 0.4 * width, y + 0.5 * height), (x + 0.6 * width, y + 0.6 * height))
    time.sleep(0.5)
    return first, second, browser.evaluate(PIXELS)


def test(browser, address, name, token, cells):
    browser.open(f"{address}/lab/tree/{name}?token={token}&reset")
    wait(lambda: browser.evaluate(OPEN), 120, "the notebook did not open")
    code = run_all(browser, len(cells))
    wrong = []
    for number, cell in enumerate(code, 1):
        if cells[number - 1] and not cell["outputs"]:
            wrong.append(f"code cell {number} shows nothing")
        wrong += [f"code cell {number}: {o['ename']}" for o in cell["outputs"] if o["output_type"] == "error"]
    if not wrong:
        first, second, third = turn(browser)
        if first != second:
            wrong.append("the sphere turns by itself")
        if second == third:
            wrong.append("the sphere does not turn when it is dragged")
        if browser.evaluate(SLIDE):
            time.sleep(0.5)
            if browser.evaluate(PIXELS) == third:
                wrong.append("the slider of kappa does not change the sphere")
    (FOLDER / "page.png").write_bytes(browser.screenshot())
    return wrong + [line for line in browser.complaints() if "asks for" not in line or "//127.0.0.1:" not in line]


def main(path):
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("stopped"))  # so that server, kernel and browser end too
    FOLDER.mkdir(parents=True, exist_ok=True)
    cells, token = copy(path), secrets.token_hex(16)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    address = f"http://127.0.0.1:{port}"
    server = serve(port, token)
    try:
        wait(lambda: server.poll() is not None or answers(f"{address}/api"), 120, "JupyterLab did not start")
        with Browser(width=1300, height=1000) as browser:
            wrong = test(browser, address, path.name, token, cells)
    finally:
        server.terminate()
        server.wait(60)
    for line in wrong:
        print(f"FAILED: {path}: {line}", file=sys.stderr)
    if wrong:
        raise SystemExit(1)
    print(f"  {path.name} in JupyterLab: {len(cells)} cells ran, the sphere turns")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
