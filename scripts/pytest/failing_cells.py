"""Makes pytest show what a failing Go cell printed: nbmake alone says no more than "exit status 2"."""

import re

import pytest

COLOUR = re.compile(r"\x1b\[[0-9;]*m")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    report = yield
    failure = call.excinfo.value.args[0] if call.excinfo and call.excinfo.value.args else None
    error = getattr(failure, "error", None)
    if error is not None and hasattr(failure, "nb"):
        cell = failure.nb.cells[error.failing_cell_index]
        printed = "".join(out.get("text", "") for out in cell.get("outputs", []) if out.output_type == "stream")
        title = f"printed by cell {error.failing_cell_index + 1} of {item.path.name}"
        report.sections.append((title, COLOUR.sub("", printed) or "(nothing)"))
    return report
