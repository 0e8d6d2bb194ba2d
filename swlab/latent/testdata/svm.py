"""Writes svm.json, what scikit-learn's LinearSVC makes of the codes of TestSVMReference.

    pip install scikit-learn==1.9.1
    python svm.py
"""

import json
import os

import numpy as np
from sklearn.svm import LinearSVC

N, DIM, CLASSES = 60, 256, 3


def codes(first, n):
    """Numbers from a formula that Go repeats exactly: multiples of 1/1024."""
    i, k = np.meshgrid(np.arange(first, first + n), np.arange(DIM), indexing="ij")
    noise = (i * 7919 + k * 104729 + i * k * 31) % 257 - 128
    centre = ((i % CLASSES) * 37 + k * 11) % 23 - 11
    return (noise + 2 * centre) / 1024, np.arange(first, first + n) % CLASSES


x, y = codes(0, N)
test, truth = codes(N, 40)
out = {}
for c in (0.1, 1, 100):
    m = LinearSVC(loss="squared_hinge", penalty="l2", dual=False, tol=1e-12, C=c, max_iter=100000, intercept_scaling=1).fit(x, y)
    out[str(c)] = {"accuracy": m.score(test, truth), "weights": np.round(np.hstack([m.coef_, m.intercept_[:, None]])[:, ::16], 12).tolist()}
with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "svm.json"), "w") as f:
    json.dump(out, f, indent=1)
    f.write("\n")
