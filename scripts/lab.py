"""JupyterLab with this repository's kernel, and a notebook open in it in a browser."""

import json
import os
import secrets
import socket
import subprocess
import sys
import time
from urllib.request import Request, urlopen

from browser import wait

CURRENT = "jupyterapp.shell.currentWidget"
# A page without a user has no current notebook until one is activated.
ACTIVATE = """(() => {
  const [first] = window.jupyterapp ? jupyterapp.shell.widgets('main') : [];
  if (first) jupyterapp.shell.activateById(first.id);
  return !!(first && first === jupyterapp.shell.currentWidget && first.content && first.content.model && first.content.model.cells.length);
})()"""
# The code cells as stored, of long outputs the beginning.
CODE = f"""JSON.stringify({CURRENT}.content.model.toJSON().cells.filter(c => c.cell_type === 'code'),
  (key, value) => typeof value === 'string' ? value.slice(0, 2000) : value)"""
# Keeps of every HTML that comes from the kernel the kind of message, the output it belongs to, and the beginning.
LISTEN = f"""window.swlabHeard = [], {CURRENT}.sessionContext.session.kernel.iopubMessage.connect((_, message) => {{
  const html = (message.content.data || {{}})['text/html'];
  if (html) swlabHeard.push([message.header.msg_type, (message.content.transient || {{}}).display_id, String(html).slice(0, 400)]);
}}), true"""
INTERRUPT = "[...document.querySelectorAll('[data-command=\"notebook:interrupt-kernel\"]')].find(b => b.offsetParent)"


class Lab:
    """A server on a folder, its log in lab.log there. Use it in a with statement."""

    def __init__(self, folder, environment):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        self.address, self.token = f"http://127.0.0.1:{port}", secrets.token_hex(16)
        command = [sys.executable, "-m", "jupyterlab", "--no-browser", "--ip=127.0.0.1", f"--port={port}", "--ServerApp.port_retries=0",
                   f"--IdentityProvider.token={self.token}", f"--ServerApp.root_dir={folder.resolve()}", "--LabApp.expose_app_in_browser=True"]
        if os.geteuid() == 0:
            command.append("--allow-root")
        with open(folder / "lab.log", "w") as log:
            self.server = subprocess.Popen(command, stdout=log, stderr=subprocess.STDOUT, env={**os.environ, **environment})

    def __enter__(self):
        try:
            wait(lambda: self.server.poll() is not None or self.answers(), 120, "JupyterLab did not start")
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        self.server.terminate()
        self.server.wait(60)

    def answers(self):
        try:
            return urlopen(f"{self.address}/api", timeout=5).status == 200
        except OSError:
            return False

    def kernels(self, path="", method="GET"):
        """What the server answers about its kernels."""
        request = Request(f"{self.address}/api/kernels{path}", method=method, headers={"Authorization": f"token {self.token}"})
        with urlopen(request, timeout=60) as answer:
            return json.loads(answer.read() or "null")

    def interrupt(self, limit):
        """Interrupts the only busy kernel without the page's help; returns the seconds until the server says that it is idle."""
        [kernel] = [k["id"] for k in self.kernels() if k["execution_state"] == "busy"]
        began = time.monotonic()
        self.kernels(f"/{kernel}/interrupt", "POST")
        wait(lambda: self.kernels(f"/{kernel}")["execution_state"] == "idle", limit, "the kernel did not become idle after the interrupt")
        return time.monotonic() - began

    def open(self, browser, name):
        """The notebook of that name, when its kernel is ready."""
        browser.open(f"{self.address}/lab/tree/{name}?token={self.token}&reset")
        wait(lambda: browser.evaluate(ACTIVATE), 120, "the notebook did not open")
        browser.evaluate(f"{CURRENT}.sessionContext.ready.then(() => true)")
        return Notebook(browser)


class Notebook:
    """The notebook that is open. Cells are code cells, counted from 0."""

    def __init__(self, browser):
        self.browser = browser
        browser.evaluate(LISTEN)

    def heard(self):
        """What the kernel has sent as HTML since the last call: (message, output, its beginning)."""
        return self.browser.evaluate("swlabHeard.splice(0)")

    def cells(self):
        return json.loads(self.browser.evaluate(CODE))

    def run_all(self):
        self.browser.evaluate("jupyterapp.commands.execute('notebook:run-all-cells'), true")

    def run(self, number):
        """Starts one cell."""
        self.browser.evaluate(f"""(() => {{
          const all = {CURRENT}.content, code = all.widgets.flatMap((w, i) => w.model.type === 'code' ? [i] : []);
          all.deselectAll();
          all.activeCellIndex = code[{number}];
          jupyterapp.commands.execute('notebook:run-cell');
          return true;
        }})()""")

    def running(self, number):
        """Whether the cell has been started and has not ended: it then has no number."""
        return self.cells()[number]["execution_count"] is None

    def press_stop(self):
        """Presses the stop button of the notebook's toolbar with the mouse."""
        x, y, width, height = self.browser.evaluate(f"(() => {{ const b = {INTERRUPT}.getBoundingClientRect(); return [b.x, b.y, b.width, b.height]; }})()")
        self.browser.click(x + width / 2, y + height / 2)


def texts(cell):
    """What the cell shows, output by output: text, or HTML."""
    return ["".join(o.get("text") or o.get("data", {}).get("text/html") or o.get("data", {}).get("text/plain", "")) for o in cell["outputs"]]
