#!/usr/bin/env python3
"""Time one training step in PyTorch: the peer that swlab's step is compared with.

    .venv-torch/bin/python bench/peer.py --loss la --batch 32 --points 512

prints one JSON object. The time covers drawing the directions' noise, forward, backward and the optimizers; batches are
made before the clock starts (procedural clouds, or with --data rows of an .npy file of shape [N, m, 3]), bootstrapped.
"""

import argparse
import json
import os
import statistics
import sys
import time

import numpy as np
import torch

import clouds
import model
import steps

BATCHES = 4  # different batches, visited in turn


def main():
    options = parse()
    torch.set_num_threads(options.threads)
    torch.manual_seed(1)
    batches = make_batches(options)
    step = make_step(options)
    seconds = []
    for i in range(options.warmup + options.steps):
        x = batches[i % BATCHES]
        start = time.perf_counter()
        loss = step(x)
        seconds.append(time.perf_counter() - start)
        if not torch.isfinite(loss):
            sys.exit(f"peer: the loss of step {i} is {loss.item()}")
    seconds = seconds[options.warmup :]
    print(
        json.dumps(
            {
                "peer": "torch",
                "version": torch.__version__,
                "loss": options.loss,
                "batch": options.batch,
                "points": options.points,
                "slices": options.slices,
                "threads": options.threads,
                "huge_pages": os.environ.get("THP_MEM_ALLOC_ENABLE") == "1",
                "steps": options.steps,
                "seconds_per_step_min": min(seconds),
                "seconds_per_step_median": statistics.median(seconds),
            }
        )
    )


def parse():
    parser = argparse.ArgumentParser(description="Time one training step in PyTorch on the CPU; prints JSON.")
    parser.add_argument("--loss", choices=["sw", "la"], required=True, help="sw, or la: v-DSW with linear attention")
    parser.add_argument("--batch", type=positive, default=32, help="clouds in a batch (at least 2)")
    parser.add_argument("--points", type=positive, default=512, help="points of a cloud")
    parser.add_argument("--slices", type=positive, default=100, help="slicing directions of a pair")
    parser.add_argument("--steps", type=positive, default=20, help="timed steps")
    parser.add_argument("--warmup", type=int, default=3, help="steps before the clock starts")
    parser.add_argument("--threads", type=positive, default=len(os.sched_getaffinity(0)), help="threads of PyTorch")
    parser.add_argument("--data", help="an .npy file of clouds [N, m, 3]; default: procedural clouds")
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


def make_batches(options):
    if options.data is None:
        data = clouds.clouds(1, BATCHES * options.batch, options.points)
    else:
        data = load(options.data)
    rng = np.random.default_rng(1)
    rows = rng.permutation(np.resize(np.arange(len(data)), BATCHES * options.batch))
    picks = rng.integers(0, data.shape[1], size=(len(rows), options.points))
    sampled = data[rows[:, None], picks]  # bootstrap: points drawn with replacement
    return torch.from_numpy(sampled).view(BATCHES, options.batch, options.points, 3)


def load(path):
    try:
        data = np.load(path)
    except (OSError, ValueError) as error:
        sys.exit(f"peer: --data {path}: {error}")
    if not isinstance(data, np.ndarray) or data.ndim != 3 or data.shape[2] != 3:
        sys.exit(f"peer: --data {path}: expected an array of shape [N, m, 3]")
    return clouds.normalise(data.astype(np.float64)).astype(np.float32)


def make_step(options):
    autoencoder = model.Autoencoder(options.points)
    optimizer = steps.autoencoder_optimizer(autoencoder)
    if options.loss == "sw":
        return lambda x: steps.sw_step(
            autoencoder, optimizer, x, model.uniform_directions(options.batch, options.slices)
        )
    amortizer = model.LinearAttention(options.points)
    ascent = steps.amortizer_optimizer(amortizer)

    def step(x):
        noise = [model.vmf_noise(options.batch, options.slices) for _ in range(2)]
        return steps.la_step(autoencoder, optimizer, amortizer, ascent, x, *noise)[1]

    return step


if __name__ == "__main__":
    main()
