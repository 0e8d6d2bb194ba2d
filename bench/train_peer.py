#!/usr/bin/env python3
"""Train the autoencoder in PyTorch with linear-attention amortized v-DSW, then evaluate: the peer of a short swlab run.

    .venv-torch/bin/python bench/train_peer.py --data ../shared/data/psb_shrec12

The folder holds points.npy [N, M, 3] and split.npy [N] (0 train, 1 test). A cloud is its first --points points, centred
and scaled to radius 1; for training that many points are drawn from it with replacement at each visit. Prints one JSON
object per evaluation (before training, and after it): means over the test clouds of the Chamfer distance CD and of
SW = sqrt(mean over 100 fresh directions of F), F summed over points.
"""

import argparse
import json
import pathlib
import sys
import time

import numpy as np
import torch

import clouds
import model
import steps

SLICES = 100


def main():
    options = parse()
    torch.manual_seed(options.seed)
    train, test = load(options)
    net = model.Autoencoder(options.points)
    amortizer = model.LinearAttention(options.points)
    optimizers = steps.autoencoder_optimizer(net), steps.amortizer_optimizer(amortizer)
    report(0, evaluate(net, test))
    start = time.perf_counter()
    for epoch in range(options.epochs):
        losses = train_epoch(net, optimizers, amortizer, train, options)
        print(f"epoch {epoch + 1}: mean loss {np.mean(losses):.3f}", file=sys.stderr)
    seconds = time.perf_counter() - start
    report(options.epochs, evaluate(net, test) | {"train_seconds": seconds})


def parse():
    parser = argparse.ArgumentParser(description="Train the PyTorch peer with LA v-DSW and evaluate it.")
    parser.add_argument("--data", type=pathlib.Path, required=True, help="folder with points.npy and split.npy")
    parser.add_argument("--points", type=int, default=512, help="points of a cloud")
    parser.add_argument("--batch", type=int, default=32, help="clouds in a batch")
    parser.add_argument("--epochs", type=int, default=3, help="passes over the train split")
    parser.add_argument("--seed", type=int, default=1, help="seed of all random numbers")
    return parser.parse_args()


def load(options):
    """Train and test clouds, float32 [N, m, 3]."""
    try:
        points, split = (np.load(options.data / name) for name in ("points.npy", "split.npy"))
    except (OSError, ValueError) as error:
        sys.exit(f"train_peer: {error}")
    if points.ndim != 3 or points.shape[1] < options.points or points.shape[2] != 3:
        sys.exit(f"train_peer: points.npy: expected [N, {options.points} or more, 3], found {list(points.shape)}")
    chosen = clouds.normalise(points[:, : options.points].astype(np.float64)).astype(np.float32)
    return (torch.from_numpy(chosen[split == part]) for part in (0, 1))


def train_epoch(net, optimizers, amortizer, train, options):
    net.train()
    optimizer, ascent = optimizers
    losses = []
    for rows in torch.randperm(len(train)).split(options.batch):
        picks = torch.randint(options.points, (len(rows), options.points, 1)).expand(-1, -1, 3)
        x = train[rows].gather(1, picks)
        noise = [model.vmf_noise(len(rows), SLICES) for _ in range(2)]
        losses.append(steps.amortized_step(net, optimizer, amortizer, ascent, x, *noise)[1].item())
    return losses


def evaluate(net, test):
    net.eval()
    cd, sw = [], []
    with torch.no_grad():
        for x in test.split(32):
            y = net(x)
            squares = torch.cdist(x, y, compute_mode="donot_use_mm_for_euclid_dist").square()
            cd.append(squares.min(dim=2)[0].mean(dim=1) + squares.min(dim=1)[0].mean(dim=1))
            costs = model.sliced_costs(x, y, model.uniform_directions(len(x), SLICES))
            sw.append(costs.mean(dim=1).sqrt())
    return {"clouds": len(test), "cd": torch.cat(cd).mean().item(), "sw": torch.cat(sw).mean().item()}


def report(epochs, numbers):
    print(json.dumps({"peer": "torch", "epochs": epochs} | numbers), flush=True)


if __name__ == "__main__":
    main()
