"""Reference values of the closed forms of package vmf, by mpmath with 80 digits.

Writes closed_forms.json beside this file: one row per (dimension, kappa). Needs only mpmath (1.3).
    python3 closed_forms.py
"""
import json
import pathlib

import mpmath as mp

mp.mp.dps = 80
DIMS = [2, 3, 4, 5, 8, 10, 17, 33, 64, 100, 256, 1000]
KAPPAS = ["0", "1e-8", "1e-4", "0.01", "0.1", "0.5", "1", "2", "5", "10", "11", "20", "30", "45", "60", "99.9", "100.1",
          "130", "200", "345.6", "500", "1000", "1100", "2345", "10000", "100000", "1000000"]


def row(d, text):
    kappa = mp.mpf(float(text))  # the double that the Go code sees
    area = 2 * mp.pi ** (mp.mpf(d) / 2) / mp.gamma(mp.mpf(d) / 2)
    if kappa == 0:
        mrl, log_norm = mp.mpf(0), -mp.log(area)
        cos2 = mp.mpf(1) / d
        scale = mp.mpf(1) / d
    else:
        nu = mp.mpf(d) / 2 - 1
        low, high = mp.besseli(nu, kappa), mp.besseli(nu + 1, kappa)
        mrl = high / low
        log_norm = nu * mp.log(kappa) - mp.mpf(d) / 2 * mp.log(2 * mp.pi) - mp.log(low)
        scale = mrl / kappa
        cos2 = 1 - (d - 1) * scale
    entropy = -log_norm - kappa * mrl
    values = {
        "mean_resultant_length": mrl,
        "resultant_gap": 1 - mrl,
        "mean_cos2": cos2,
        "var_cos": cos2 - mrl ** 2,
        "log_normalizer": log_norm,
        "entropy": entropy,
        "kl_uniform": mp.log(area) - entropy,
    }
    return {"dim": d, "kappa": float(text), **{k: float(v) for k, v in values.items()}}


rows = [row(d, k) for d in DIMS for k in KAPPAS]
out = pathlib.Path(__file__).with_name("closed_forms.json")
out.write_text("[\n" + ",\n".join(json.dumps(r) for r in rows) + "\n]\n")
