"""Pictures, ablations and trainings: what package lab of the Go library does in a line."""

from __future__ import annotations

import html
import json
import os

import numpy as np

from . import _library


class Picture:
    """A picture, which a notebook shows. ``save`` writes it as .png, .svg or .pdf."""

    def __init__(self, kind, arrays, **settings):
        self._arrays, self._settings = arrays, dict(kind=kind, **settings)
        text, _ = _library.call("picture", self._settings, arrays, level=4)
        self.alt, self._html = text["alt"], text["html"]

    def __repr__(self):
        return f"[picture: {self.alt}]"

    def _repr_html_(self):
        return self._html

    def save(self, path):
        """Write the picture to a file, whose ending says how."""
        _library.call("save", dict(out=os.path.abspath(os.fspath(path)), **self._settings), self._arrays)


class Ablation:
    """A distance over a grid of settings: the result of :func:`ablate`."""

    def __init__(self, text, values):
        self.rows = json.loads(text["rows"])  #: a dict of settings for each row
        self.values = values  #: [rows, repeats]
        self.mean = values.mean(axis=1)  #: [rows]
        #: [rows] over the repeats; 0 for one
        self.sd = values.std(axis=1, ddof=1) if values.shape[1] > 1 else np.zeros(len(values))
        self.convention = text["convention"]  #: what the numbers are

    def _table(self):
        names = sorted({name for row in self.rows for name in row})
        numbers = zip(self.rows, self.mean, self.sd)
        return [names + ["mean", "sd"]] + [[row.get(n, "") for n in names] + [f"{m:.6g}", f"{s:.2g}"] for row, m, s in numbers]

    def __repr__(self):
        rows = self._table()
        widths = [max(map(len, column)) for column in zip(*rows)]
        return "\n".join("  ".join(map(str.ljust, row, widths)).rstrip() for row in rows) + f"\n{self.convention}"

    def _repr_html_(self):
        head, *rows = self._table()
        cells = lambda kind, row: "".join(f"<{kind}>{html.escape(c)}</{kind}>" for c in row)  # noqa: E731
        body = "".join(f"<tr>{cells('td', row)}</tr>" for row in rows)
        return f"<table><tr>{cells('th', head)}</tr>{body}</table><p>{html.escape(self.convention)}</p>"

    def curves(self, along=None):
        """A picture of the means against one setting, the one with the most numbers if not given, in bands of one
        standard deviation over the repeats."""
        settings = dict(rows=json.dumps(self.rows), y=self.convention)
        if along is not None:
            settings["x"] = along
        return Picture("ablation", {"values": self.values}, **settings)


def varied(settings):
    """Settings with one value, and the grid of those with several, as the library reads it."""
    fixed, grid = {}, []
    for name, value in settings.items():
        if isinstance(value, (list, tuple, np.ndarray)):
            grid.append(name + "=" + ",".join(_library.setting(name, v) for v in value))
        elif value is not None:
            fixed[name] = value
    return fixed, ";".join(grid)
