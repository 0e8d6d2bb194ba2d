#!/usr/bin/env python3
"""Check that the compiled peers compute what the eager one computes: two training steps with every loss that is timed, and the loss
alone, on the same clouds, weights and noise, in float64.

    .venv-torch/bin/python bench/check_steps.py

Compared are the losses of both steps, the gradients of the first in all weights of the autoencoder, all weights after both, and the
gradient of the loss in the reconstructions. Exit code 0 only when all agree.
"""

import sys

import jax
import numpy as np
import torch

import clouds
import compiled
import jax_model
import jax_steps
import losses
import model
import steps
import timed_steps

BATCH, POINTS, SLICES, ASCENT_STEPS = 3, 48, 5, 3
LIMIT = 1e-8  # largest difference, relative to the largest entry of the array; Adam divides by gradients, small ones too


def main():
    torch.set_default_dtype(torch.float64)
    torch._inductor.config.fallback_random = True  # the same numbers from the same seed as eager
    jax.config.update("jax_enable_x64", True)
    x, y = (clouds.clouds(seed, BATCH, POINTS).astype(np.float64) for seed in (5, 6))
    eager = {name: torch_steps(name, x, y, compiling=False) for name in timed_steps.LOSSES}
    compiled.use()
    failed = 0
    for name, (want, weights, noise) in eager.items():
        for peer, got in (("torch.compile", torch_steps(name, x, y, compiling=True)[0]), ("JAX", jax_results(name, x, y, weights, noise))):
            error = max(difference(got[key], want[key]) for key in want) if got.keys() == want.keys() else float("inf")
            failed += not error <= LIMIT
            print(f"{'ok  ' if error <= LIMIT else 'FAIL'} {name:8} {peer:14} {error:.1e}", flush=True)
    sys.exit(1 if failed else 0)


def difference(got, want):
    return np.abs(got - want).max() / np.abs(want).max() if np.shape(got) == np.shape(want) else float("inf")


def torch_steps(name, x, y, compiling):
    """Results, the weights before, and the noise of every call of the loss."""
    torch.manual_seed(1)
    x, y = torch.from_numpy(x), torch.from_numpy(y).requires_grad_()
    autoencoder = model.Autoencoder(POINTS)
    optimizer = steps.autoencoder_optimizer(autoencoder)
    loss = losses.make(name, POINTS, SLICES, ASCENT_STEPS)
    amortizer = loss.amortizer if name in losses.MAPS else torch.nn.Module()
    weights = arrays(autoencoder), arrays(amortizer)
    if compiling:
        compiled.network(autoencoder, optimizer)
    out, noise = {}, []

    def record(call):
        if compiling:
            return call()
        with Recorder() as drawn:
            noise.append(drawn)
            return call()

    for i in range(2):
        value = record(lambda: loss(x, autoencoder(x)))
        steps.descend(optimizer, value)
        out[f"loss {i}"] = value.detach().numpy()
        if i == 0:
            out |= {f"gradient {key}": p.grad.numpy().copy() for key, p in autoencoder.named_parameters() if not dead(key)}
    out |= {f"weight {key}": p for key, p in arrays(autoencoder).items()} | {f"amortizer {key}": p for key, p in arrays(amortizer).items()}
    value = record(lambda: loss(x, y))
    value.backward()
    return out | {"loss alone": value.detach().numpy(), "gradient alone": y.grad.numpy()}, weights, noise


def arrays(module):
    return {key: p.detach().numpy().copy() for key, p in module.named_parameters()}


def dead(key):
    """A bias before batch norm has no effect: its gradient is zero in exact arithmetic."""
    return key.endswith("bias") and key[:-5] in {*(f"encoder.{layer}" for layer in jax_model.POINT_LAYERS), "decoder.fc1", "decoder.fc2"}


class Recorder:
    """Notes what model's functions draw, in order."""

    NAMES = ("uniform_directions", "vmf_noise")

    def __enter__(self):
        self.drawn, self.originals = [], {name: getattr(model, name) for name in self.NAMES}
        for name, function in self.originals.items():
            setattr(model, name, lambda *args, function=function: self.note(function(*args)))
        return self.drawn

    def note(self, value):
        self.drawn.append(jax.tree.map(lambda t: t.numpy().copy(), value))
        return value

    def __exit__(self, *_):
        for name, function in self.originals.items():
            setattr(model, name, function)


def jax_results(name, x, y, weights, noise):
    method = jax_steps.Method(name, SLICES, ASCENT_STEPS)
    state = jax_steps.begin(*weights)
    training = jax.jit(lambda state, noise: jax_steps.training(method, state, x, noise))
    out = {}
    for i in range(2):
        state, value, gradient = training(state, shaped(name, noise[i]))
        out[f"loss {i}"] = value
        if i == 0:
            out |= {f"gradient {key}": g for key, g in gradient.items() if not dead(key)}
    out |= {f"weight {key}": p for key, p in state.w.items()} | {f"amortizer {key}": p for key, p in state.psi.items()}
    _, value, gradient = jax_steps.alone(method, state, x, y, shaped(name, noise[2]))
    return out | {"loss alone": value, "gradient alone": gradient}


def shaped(name, drawn):
    """What the eager peer drew in one call, as jax_steps.draw returns it."""
    match name:
        case "sw":
            return drawn[0]
        case "la" | "ea" | "a":
            return drawn
        case "max-sw":
            return drawn[0][:, 0], None, None
        case "v-dsw":
            return drawn[0][:, 0], jax.tree.map(lambda *n: np.stack(n), *drawn[1:-1]), drawn[-1]
    return None


if __name__ == "__main__":
    main()
