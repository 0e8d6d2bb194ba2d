"""Runs the Python of a documentation page: run_blocks.py PAGE.md...

Every ```python block of a page is executed, in order and in one namespace, in a temporary folder. A block that raises ends
the run with the page, the line in it and the error.
"""

import os
import pathlib
import re
import sys
import tempfile
import time
import traceback

BLOCK = re.compile(r"^```python\n(.*?)^```$", re.DOTALL | re.MULTILINE)


def run(page):
    text = page.read_text(encoding="utf-8")
    blocks = list(BLOCK.finditer(text))
    if not blocks:
        raise SystemExit(f"FAILED: {page} has no ```python block")
    names = {"__name__": "__main__"}
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for block in blocks:
            line = text.count("\n", 0, block.start(1))
            code = compile("\n" * line + block.group(1), str(page), "exec")
            try:
                exec(code, names)
            except Exception as error:
                print(getattr(error, "stderr", None) or "", end="", file=sys.stderr)
                frames = [f for f in traceback.extract_tb(error.__traceback__) if f.filename == str(page)]
                raise SystemExit(f"FAILED: {page}:{frames[-1].lineno if frames else line + 1}: {type(error).__name__}: {error}") from error
        os.chdir("/")
    return len(blocks)


def main(pages):
    for page in [pathlib.Path(p).resolve() for p in pages]:
        began = time.monotonic()
        count = run(page)
        print(f"{page.name}: {count} blocks run, {time.monotonic() - began:.0f} s")


if __name__ == "__main__":
    main(sys.argv[1:])
