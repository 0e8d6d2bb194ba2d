"""Runs the cells of "ten errors" in docs/notebooks.md on the kernel.

Below each heading that is a message in backticks, the first block of Go must fail with that message and the second must run.
"""

import pathlib
import re
import sys

import nbformat
from nbclient import NotebookClient

ROOT = pathlib.Path(__file__).resolve().parent.parent
ENTRY = re.compile(r"^### `([^`\n]+)`\n(.*?)(?=^#|^\*\*|\Z)", re.DOTALL | re.MULTILINE)
BLOCK = re.compile(r"^```go\n(.*?)^```$", re.DOTALL | re.MULTILINE)


def imports():
    """What the first cell of lecture 01 imports."""
    lecture = nbformat.read(ROOT / "notebooks" / "01_quickstart.ipynb", as_version=4)
    first = next(cell.source for cell in lecture.cells if cell.cell_type == "code")
    return first[: first.index("\n)\n") + 3]


def said(cell):
    """All text of a cell's outputs."""
    parts = []
    for output in cell.outputs:
        parts += output.traceback if output.output_type == "error" else [output.get("text", "")]
    return "\n".join(parts)


def main():
    entries = [(message, BLOCK.findall(body)) for message, body in ENTRY.findall((ROOT / "docs" / "notebooks.md").read_text(encoding="utf-8"))]
    if len(entries) < 10 or any(len(blocks) != 2 for _, blocks in entries):
        found = [(message, len(blocks)) for message, blocks in entries]
        return f"FAILED: docs/notebooks.md: expected ten messages with two blocks of Go each, found {found}"
    sources = [imports(), *(block for _, blocks in entries for block in blocks)]
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(s) for s in sources])
    notebook.metadata.kernelspec = {"name": "gonb", "display_name": "Go", "language": "go"}
    NotebookClient(notebook, kernel_name="gonb", allow_errors=True, timeout=600).execute()
    wrong = []
    for number, (message, _) in enumerate(entries):
        fails, runs = notebook.cells[1 + 2 * number], notebook.cells[2 + 2 * number]
        if message not in said(fails):
            wrong.append(f"expected {message!r}, the kernel says:\n{said(fails)}")
        if any(output.output_type == "error" for output in runs.outputs):
            wrong.append(f"{message!r}: what to write instead fails:\n{said(runs)}")
    for text in wrong:
        print(f"FAILED: docs/notebooks.md: {text}", file=sys.stderr)
    print(f"{len(entries)} errors of docs/notebooks.md, {len(wrong)} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
