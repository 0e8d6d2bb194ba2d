"""What the training peers share: their flags, their batches, and the clock around their steps."""

import argparse
import json
import os
import resource
import statistics
import sys
import time

import numpy as np

import clouds

LOSSES = ("sw", "max-sw", "v-dsw", "la", "ea", "a", "chamfer", "emd")
BATCHES = 4  # different batches, visited in turn
BEGAN = float(os.environ.get("BENCH_BEGAN", time.time()))  # when the program was started


def flags(description):
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--loss", choices=LOSSES, required=True, help="la, ea, a: amortized v-DSW")
    parser.add_argument("--loss-only", action="store_true", help="the loss and its gradient alone, without the autoencoder")
    parser.add_argument("--batch", type=positive, default=32, help="clouds in a batch (at least 2)")
    parser.add_argument("--points", type=positive, default=512, help="points of a cloud")
    parser.add_argument("--slices", type=positive, default=100, help="slicing directions of a pair")
    parser.add_argument("--ascent-steps", type=positive, default=10, help="T of max-sw and v-dsw")
    parser.add_argument("--steps", type=positive, default=20, help="timed steps")
    parser.add_argument("--warmup", type=int, default=3, help="steps before the clock starts")
    parser.add_argument("--data", help="an .npy file of clouds [N, m, 3]; default: procedural clouds")
    return parser


def parse(parser):
    options = parser.parse_args()
    if options.batch < 2:
        parser.error("--batch: batch norm needs at least 2 clouds")
    if options.warmup < 0:
        parser.error(f"--warmup: expected 0 or more, found {options.warmup}")
    return options


def positive(text):
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError(f"expected 1 or more, found {value}")
    return value


def batches(options):
    """BATCHES bootstrapped batches, float32 [BATCHES, B, m, 3]."""
    if options.data is None:
        data = clouds.clouds(1, BATCHES * options.batch, options.points)
    else:
        data = load(options.data)
    rng = np.random.default_rng(1)
    rows = rng.permutation(np.resize(np.arange(len(data)), BATCHES * options.batch))
    picks = rng.integers(0, data.shape[1], size=(len(rows), options.points))
    sampled = data[rows[:, None], picks]  # bootstrap: points drawn with replacement
    return sampled.reshape(BATCHES, options.batch, options.points, 3)


def load(path):
    try:
        data = np.load(path)
    except (OSError, ValueError) as error:
        sys.exit(f"--data {path}: {error}")
    if not isinstance(data, np.ndarray) or data.ndim != 3 or data.shape[2] != 3:
        sys.exit(f"--data {path}: expected an array of shape [N, m, 3]")
    return clouds.normalise(data.astype(np.float64)).astype(np.float32)


def run(options, step, inputs, program, version, compiles):
    """Call step on the inputs in turn and print one JSON object. step returns the loss as a number, which waits for it. compiles
    says that the first steps compile: by how much they are longer than the others is reported apart."""
    seconds, first = [], 0.0
    for i in range(options.warmup + options.steps):
        start = time.perf_counter()
        loss = step(inputs[i % BATCHES])
        seconds.append(time.perf_counter() - start)
        if not np.isfinite(loss):
            sys.exit(f"{program}: the loss of step {i} is {loss}")
        first = first or time.time() - BEGAN
    warmup, timed = seconds[: options.warmup], seconds[options.warmup :]
    report = {
        "program": program,
        "version": version,
        "threads": len(os.sched_getaffinity(0)),
        "huge_pages": os.environ.get("THP_MEM_ALLOC_ENABLE") == "1" or "GLIBC_TUNABLES" in os.environ,
        "seconds": timed,
        "first_step": first,
        "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    }
    if compiles:
        report["compile"] = max(0.0, sum(warmup) - len(warmup) * statistics.median(timed))
    print(json.dumps(report))
