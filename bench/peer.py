#!/usr/bin/env python3
"""Time training steps in PyTorch: the peer that swlab's steps are compared with.

    .venv-torch/bin/python bench/peer.py --loss la --batch 32 --points 512
    .venv-torch/bin/python bench/peer.py --loss la --batch 32 --points 512 --compile .out/inductor

prints one JSON object. A step draws the directions' noise, runs forward, the loss with its ascent, backward and the optimizers;
batches are made before the clock starts (procedural clouds, or with --data rows of an .npy file of shape [N, m, 3]), bootstrapped.
With --loss-only there is no network: the loss and its gradient at a reconstruction that stays.
"""

import os

import torch

import compiled
import losses
import model
import steps
import timed_steps


def main():
    parser = timed_steps.flags("Time training steps in PyTorch on the CPU; prints JSON.")
    parser.add_argument("--compile", metavar="FOLDER", help="torch.compile, by Inductor, which keeps what it compiles in that folder")
    parser.add_argument("--threads", type=timed_steps.positive, default=len(os.sched_getaffinity(0)), help="threads of PyTorch")
    options = timed_steps.parse(parser)
    torch.set_num_threads(options.threads)
    torch.manual_seed(1)
    batches = torch.from_numpy(timed_steps.batches(options))
    if options.compile:
        os.environ["TORCHINDUCTOR_CACHE_DIR"] = os.path.abspath(options.compile)
        compiled.use()
    loss = losses.make(options.loss, options.points, options.slices, options.ascent_steps)
    step = alone(loss, batches) if options.loss_only else training(loss, options.points, compiling=bool(options.compile))
    timed_steps.run(options, step, batches, "torch", torch.__version__, compiles=bool(options.compile))


def alone(loss, batches):
    """A function of a batch: the loss and its gradient at another batch."""
    y = batches[-1].roll(1, 0).clone().requires_grad_()

    def step(x):
        y.grad = None
        value = loss(x, y)
        value.backward()
        return value.item()

    return step


def training(loss, points, compiling):
    """A function of a batch that does one training step and returns the loss before it."""
    autoencoder = model.Autoencoder(points)
    optimizer = steps.autoencoder_optimizer(autoencoder)
    if compiling:
        compiled.network(autoencoder, optimizer)

    def step(x):
        value = loss(x, autoencoder(x))
        steps.descend(optimizer, value)
        return value.item()

    return step


if __name__ == "__main__":
    main()
