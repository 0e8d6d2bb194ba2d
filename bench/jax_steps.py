"""One training step in JAX for every loss, as pure functions of a state and of the noise."""

import typing

import jax
import jax.numpy as jnp

import jax_model

AMORTIZED = ("la", "ea", "a")


class Method(typing.NamedTuple):
    """What is trained with: a loss of timed_steps.LOSSES, L and T."""

    loss: str
    slices: int
    ascent_steps: int


class State(typing.NamedTuple):
    """Weights and momentum of the autoencoder, weights and Adam's moments of the amortizer; empty where there is none."""

    w: dict
    momentum: dict
    psi: dict
    moments: tuple


def start(key, loss, points, network):
    first, second = jax.random.split(key)
    w = jax_model.weights(first, jax_model.autoencoder_shapes(points)) if network else {}
    psi = jax_model.weights(second, jax_model.amortizer_shapes(loss, points)) if loss in AMORTIZED else {}
    return begin(w, psi)


def begin(w, psi):
    return State(w, jax.tree.map(jnp.zeros_like, w), psi, jax_model.adam_start(psi))


def draw(method, batch, key):
    """The noise of one call: directions of SW, noise of the amortizer's ascent and of the loss after it, or the start of an ascent,
    the noise of its steps and that of the loss."""
    first, second, third = jax.random.split(key, 3)
    if method.loss == "sw":
        return jax_model.uniform_directions(first, batch, method.slices)
    if method.loss in AMORTIZED:
        return [jax_model.vmf_noise(k, batch, method.slices) for k in (first, second)]
    if method.loss in ("chamfer", "emd"):
        return None
    begin = jax_model.uniform_directions(first, batch, 1)[:, 0]
    if method.loss == "max-sw":
        return begin, None, None
    keys = jax.random.split(second, method.ascent_steps)
    return begin, jax.vmap(lambda k: jax_model.vmf_noise(k, batch, method.slices))(keys), jax_model.vmf_noise(third, batch, method.slices)


def directions(method, state, x, y, noise):
    """The state after the amortizer's ascent, and the directions [B, L, 3] of the loss, if it has any."""
    if method.loss == "sw":
        return state, noise
    if method.loss in AMORTIZED:
        def objective(psi):
            return jax_model.around(x, y, jax_model.location(method.loss, psi, x, y), noise[0])

        change, moments = jax_model.adam(jax.grad(objective)(state.psi), state.moments, 1e-3, 0.0, 0.9)
        psi = jax.tree.map(jnp.add, state.psi, change)
        center = jax_model.location(method.loss, psi, x, y)
        return state._replace(psi=psi, moments=moments), jax_model.vmf_directions(center, *noise[1])
    if method.loss in ("chamfer", "emd"):
        return state, None
    begin, noises, last = noise
    center = jax_model.climb(begin, noises, lambda at, step: jax_model.around(x, y, at, step), method.ascent_steps)
    return state, center[:, None] if last is None else jax_model.vmf_directions(center, *last)


def cost(method, x, y, theta):
    if method.loss in ("chamfer", "emd"):
        return getattr(jax_model, method.loss)(x, y)
    return jax_model.sliced_costs(x, y, theta).mean()


def alone(method, state, x, y, noise):
    """The state after the amortizer's ascent, the loss and its gradient in y."""
    state, theta = directions(method, state, x, y, noise)
    return state, *jax.value_and_grad(lambda y: cost(method, x, y, theta))(y)


def training(method, state, x, noise):
    """The state after one step, the loss before it, and its gradient in the weights of the autoencoder: SGD with momentum, whose weight
    decay is coupled and reaches all weights."""

    def loss(w):
        y = jax_model.autoencoder(w, x)
        after, theta = directions(method, state, x, jax.lax.stop_gradient(y), noise)
        return cost(method, x, y, theta), after

    (value, after), gradient = jax.value_and_grad(loss, has_aux=True)(state.w)
    momentum = jax.tree.map(lambda v, g, w: 0.9 * v + g + 5e-4 * w, state.momentum, gradient, state.w)
    w = jax.tree.map(lambda w, v: w - 1e-3 * v, state.w, momentum)
    return after._replace(w=w, momentum=momentum), value, gradient
