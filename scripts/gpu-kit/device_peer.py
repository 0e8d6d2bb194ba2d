"""Runs bench/peer.py on a device, in a precision: device_peer.py --device cuda --precision FP32 [FLAGS OF peer.py]

Prints peer.py's line, then one with the device's memory. The peer was written for a CPU: here its tensors are made on the device,
its clock waits for the device, and Chamfer and the EMD take all pairs of a batch at once, for which a GPU has the memory.
"""

import argparse
import json
import runpy
import sys
import time
from pathlib import Path

import torch

parser = argparse.ArgumentParser(description="Time training steps in PyTorch on a device; prints JSON.")
parser.add_argument("--device", choices=("cuda", "cpu"), default="cuda")
parser.add_argument("--precision", choices=("FP32", "TF32"), default="FP32", help="of matrix products and convolutions on a GPU")
options, flags = parser.parse_known_args()
bench = Path(__file__).resolve().parent / "bench"
sys.path.insert(0, str(bench))

import matching  # noqa: E402
import model  # noqa: E402


def nearest(x, y):
    """For every point of x [B, m, 3] the number of the nearest in y."""
    return torch.baddbmm(y.square().sum(dim=2).unsqueeze(1), x, y.transpose(1, 2), alpha=-2).argmin(dim=2)


def chamfer(x, y):
    with torch.no_grad():
        to_y, to_x = matching.nearest(x, y), matching.nearest(y, x)
    left = (x - matching.rows(y, to_y)).square().sum(dim=2).mean()
    return left + (y - matching.rows(x, to_x)).square().sum(dim=2).mean()


def transport(x, y, gradient):
    """matching.transport of all pairs [B, m, 3]."""
    square = torch.cdist(x, y, compute_mode="donot_use_mm_for_euclid_dist").square_()
    kernel, match = torch.empty_like(square), torch.zeros_like(square)
    left, right = x.new_ones(x.shape[:2]), y.new_ones(y.shape[:2])
    times = lambda table, v: torch.bmm(table, v.unsqueeze(2)).squeeze(2)
    for level in matching.LEVELS:
        torch.mul(square, level, out=kernel).exp_()
        offer = left / (times(kernel, right) + 1e-9)
        asked = right * times(kernel.transpose(1, 2), offer)
        taken = (right / (asked + 1e-9)).clamp_(max=1) * right
        right = (right - asked).clamp_(min=0)
        left = (left - offer * times(kernel, taken)).clamp_(min=0)
        match += kernel.mul_(offer.unsqueeze(2)).mul_(taken.unsqueeze(1))
    length = square.sqrt_()
    cost = (match * length).sum(dim=(1, 2))
    if not gradient:
        return cost, None
    pull = match.div_(length.masked_fill_(length < matching.SHORTEST, torch.inf))
    return cost, y * pull.sum(dim=1).unsqueeze(2) - pull.transpose(1, 2) @ x


class Transport(matching.Transport):
    @staticmethod
    def forward(context, x, y):
        cost, gradient = matching.transport(x, y, context.needs_input_grad[1])
        if gradient is not None:
            context.save_for_backward(gradient)
        return cost


def uniform_directions(batch, slices, device=options.device):
    """model.uniform_directions; what torch.compile compiles sees neither the default device nor this file's globals."""
    normals = torch.randn(batch, slices, 3, device=device)
    return normals / normals.norm(dim=2, keepdim=True)


def vmf_noise(batch, slices, device=options.device):
    """model.vmf_noise, likewise."""
    return torch.rand(batch, slices, device=device), torch.randn(batch, slices, 2, device=device)


def waiting(clock):
    def now():
        torch.cuda.synchronize()
        return clock()

    return now


def on_device(make):
    return lambda *values, **named: make(*values, **named).to(options.device)


matching.nearest, matching.chamfer, matching.transport, matching.Transport = nearest, chamfer, transport, Transport
model.uniform_directions, model.vmf_noise = uniform_directions, vmf_noise
if options.device == "cuda":
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = options.precision == "TF32"
    torch.set_default_device("cuda")
    torch.from_numpy = on_device(torch.from_numpy)
    time.perf_counter = waiting(time.perf_counter)
sys.argv = ["peer.py", *flags]
runpy.run_path(str(bench / "peer.py"), run_name="__main__")
if options.device == "cuda":
    print(json.dumps({"allocated_mb": torch.cuda.max_memory_allocated() / 1e6, "reserved_mb": torch.cuda.max_memory_reserved() / 1e6}))
