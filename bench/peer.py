#!/usr/bin/env python3
"""Time training steps in PyTorch: the peer that swlab's steps are compared with.

    .venv-torch/bin/python bench/peer.py --loss la --batch 32 --points 512

prints one JSON object. A step draws the directions' noise, runs forward, the loss with its ascent, backward and the optimizers;
batches are made before the clock starts (procedural clouds, or with --data rows of an .npy file of shape [N, m, 3]), bootstrapped.
With --loss-only there is no network: the loss and its gradient at a reconstruction that stays.
"""

import argparse
import json
import os
import resource
import sys
import time

import numpy as np
import torch

import clouds
import losses
import model
import steps

BATCHES = 4  # different batches, visited in turn
BEGAN = float(os.environ.get("BENCH_BEGAN", time.time()))  # when the program was started


def main():
    options = parse()
    torch.set_num_threads(options.threads)
    torch.manual_seed(1)
    batches = make_batches(options)
    step = make_step(options, batches)
    seconds, first = [], 0.0
    for i in range(options.warmup + options.steps):
        x = batches[i % BATCHES]
        start = time.perf_counter()
        loss = step(x)
        seconds.append(time.perf_counter() - start)
        if not torch.isfinite(loss):
            sys.exit(f"peer: the loss of step {i} is {loss.item()}")
        first = first or time.time() - BEGAN
    print(
        json.dumps(
            {
                "program": "torch",
                "version": torch.__version__,
                "threads": options.threads,
                "huge_pages": os.environ.get("THP_MEM_ALLOC_ENABLE") == "1",
                "seconds": seconds[options.warmup :],
                "first_step": first,
                "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
            }
        )
    )


def parse():
    parser = argparse.ArgumentParser(description="Time training steps in PyTorch on the CPU; prints JSON.")
    parser.add_argument("--loss", choices=losses.NAMES, required=True, help="la, ea, a: amortized v-DSW")
    parser.add_argument("--loss-only", action="store_true", help="the loss and its gradient alone, without the autoencoder")
    parser.add_argument("--batch", type=positive, default=32, help="clouds in a batch (at least 2)")
    parser.add_argument("--points", type=positive, default=512, help="points of a cloud")
    parser.add_argument("--slices", type=positive, default=100, help="slicing directions of a pair")
    parser.add_argument("--ascent-steps", type=positive, default=10, help="T of max-sw and v-dsw")
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


def make_step(options, batches):
    """A function of a batch that does one step and returns the loss before it."""
    loss = losses.make(options.loss, options.points, options.slices, options.ascent_steps)
    if options.loss_only:
        y = batches[-1].roll(1, 0).clone().requires_grad_()

        def alone(x):
            y.grad = None
            value = loss(x, y)
            value.backward()
            return value.detach()

        return alone
    autoencoder = model.Autoencoder(options.points)
    optimizer = steps.autoencoder_optimizer(autoencoder)

    def step(x):
        value = loss(x, autoencoder(x))
        steps.descend(optimizer, value)
        return value.detach()

    return step


if __name__ == "__main__":
    main()
