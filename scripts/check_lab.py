"""Does `make lab` let nobody in? Starts it and asks without a token, with a wrong one, and at other addresses of this machine. Then runs two notebooks
at once on one store."""

import os
import pathlib
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from urllib.error import HTTPError
from urllib.request import HTTPRedirectHandler, Request, build_opener

import nbformat
import psutil
from nbclient import NotebookClient

from browser import wait

PATHS = ["/api/kernels", "/api/contents", "/api/sessions", "/api/terminals", "/lab", "/files/README.md"]
STORE = '''%noautoget

import (
	"fmt"

	"github.com/sliced-wasserstein/lab/experiments/notebook"
	"github.com/sliced-wasserstein/lab/swlab/engine"
	"github.com/sliced-wasserstein/lab/swlab/train"
	"github.com/sliced-wasserstein/lab/vmfviz/show"
)
''', '''%%
defer show.Done()
book := show.Must(notebook.Open("pair"))
set, _, err := book.Clouds(32, 1)
show.Check(err)
c := train.DefaultConfig()
c.Loss, c.Points, c.Batch, c.Epochs, c.Seed = "sw", 32, 8, 1, SEED
r := show.Must(book.Train(show.Must(engine.Open("go")), set, c))
fmt.Println("loss", r.Loss)
'''


class Stay(HTTPRedirectHandler):
    """Answers redirections as they are."""

    def redirect_request(self, *_):
        return None


def status(address, path, token=None):
    """The status of an answer, and where it redirects to."""
    request = Request(address + path, headers={"Authorization": f"token {token}"} if token else {})
    try:
        answer = build_opener(Stay).open(request, timeout=10)
    except HTTPError as error:
        answer = error
    return answer.status, answer.headers.get("Location", "")


def check_door():
    """Who gets into JupyterLab as `make lab` starts it."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    flags = f"--no-browser --port={port} --ServerApp.port_retries=0"
    server = subprocess.Popen(["make", "-o", "setup", "lab", "NOTEBOOKS=", f"LAB_FLAGS={flags}"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                              start_new_session=True)
    wrong, address = [], f"http://127.0.0.1:{port}"

    def answers():
        try:
            return status(address, "/api")[0] == 200
        except OSError:
            return False

    try:
        wait(lambda: server.poll() is not None or answers(), 180, "JupyterLab did not start")
        for path in PATHS:
            for token in (None, "0" * 48):
                code, to = status(address, path, token)
                if not (code == 403 or code == 302 and "/login" in to):
                    wrong.append(f"{path} with {'a wrong' if token else 'no'} token: {code} {to}, expected 403 or the login page")
        listening = {c.laddr.ip for p in processes(server) for c in p.net_connections("tcp") if c.status == psutil.CONN_LISTEN}
        if listening != {"127.0.0.1"}:
            wrong.append(f"listens on {sorted(listening)}, expected 127.0.0.1 only")
        others = [a.address for all in psutil.net_if_addrs().values() for a in all if a.family == socket.AF_INET and not a.address.startswith("127.")]
        for other in others:
            try:
                socket.create_connection((other, port), 5).close()
                wrong.append(f"{other}:{port} answers")
            except OSError:
                pass
        print(f"  JupyterLab: {2 * len(PATHS)} requests without the token refused; not on {len(others)} other addresses of this machine")
    finally:
        os.killpg(server.pid, signal.SIGTERM)
        server.wait(60)
    return wrong


def processes(server):
    parent = psutil.Process(server.pid)
    return [parent, *parent.children(recursive=True)]


def check_pair():
    """Two notebooks whose cells run at once and train in one store."""
    said, wrong = {}, []
    with tempfile.TemporaryDirectory() as folder:
        os.environ["SWLAB_OUT"] = folder

        def run(seed):
            cells = [nbformat.v4.new_code_cell(source.replace("SEED", str(seed))) for source in STORE]
            book = nbformat.v4.new_notebook(cells=cells, metadata={"kernelspec": {"name": "gonb", "display_name": "Go", "language": "go"}})
            try:
                NotebookClient(book, timeout=600).execute()
                said[seed] = "".join(o.get("text", "") for o in book.cells[1].outputs)
            except Exception as error:  # reported below
                said[seed] = f"FAILED: {error}"

        both = [threading.Thread(target=run, args=(seed,)) for seed in (1, 2)]
        for thread in both:
            thread.start()
        for thread in both:
            thread.join()
        left = [p for p in pathlib.Path(folder).rglob(".*")]
        finished = list(pathlib.Path(folder).glob("runs/*/result.json"))
    if any("loss" not in text for text in said.values()) or len(finished) != 2 or left:
        wrong.append(f"two notebooks on one store: {said}, {len(finished)} finished runs, left {left}")
    else:
        print("  two notebooks at once on one store: two finished runs, nothing half-written")
    return wrong


if __name__ == "__main__":
    problems = check_door() + check_pair()
    for line in problems:
        print("FAILED: " + line, file=sys.stderr)
    sys.exit(bool(problems))
