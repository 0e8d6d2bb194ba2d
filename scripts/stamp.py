"""Keeps in a notebook which code its outputs came from: stamp.py write|check NOTEBOOK...

write, called after a run, puts the SHA-256 of the code cells into the notebook's metadata. check fails where the code is another one now,
where a cell has not been run, or where its run failed.
"""

import hashlib
import json
import sys

import nbformat

AGAIN = "make notebooks NOTEBOOKS={path} runs it again"


def digest(notebook):
    code = [cell.source for cell in notebook.cells if cell.cell_type == "code"]
    return hashlib.sha256(json.dumps(code).encode()).hexdigest()


def unfinished(notebook):
    """Why the notebook holds no complete run; None if it does."""
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    for number, cell in enumerate(code, 1):
        if any(output.output_type == "error" for output in cell.outputs):
            return f"code cell {number} has failed"
        if cell.execution_count != number:
            return f"code cell {number} has not been run, or not in order"
    return None


def write(path):
    notebook = nbformat.read(path, as_version=4)
    wrong = unfinished(notebook)
    notebook.metadata.pop("swlab", None)
    if wrong is None:
        notebook.metadata["swlab"] = {"code": digest(notebook)}
    nbformat.write(notebook, path)
    return wrong


def check(path):
    notebook = nbformat.read(path, as_version=4)
    if wrong := unfinished(notebook):
        return wrong
    if notebook.metadata.get("swlab", {}).get("code") != digest(notebook):
        return "its outputs are not those of its code"
    return None


def main(what, paths):
    failed = 0
    for path in paths:
        if wrong := what(path):
            print(f"FAILED: {path}: {wrong}; {AGAIN.format(path=path)}", file=sys.stderr)
            failed = 1
    return failed


if __name__ == "__main__":
    if len(sys.argv) < 3 or sys.argv[1] not in ("write", "check"):
        sys.exit("stamp.py: expected write or check, and at least one notebook\n" + __doc__)
    sys.exit(main({"write": write, "check": check}[sys.argv[1]], sys.argv[2:]))
