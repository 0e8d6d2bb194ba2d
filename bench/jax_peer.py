#!/usr/bin/env python3
"""Time training steps in JAX, each a single jitted program: a second peer beside peer.py, with its flags and its output.

    .venv-torch/bin/python bench/jax_peer.py --loss la --batch 32 --points 512
"""

import jax
import jax.numpy as jnp

import jax_steps
import timed_steps


def main():
    options = timed_steps.parse(timed_steps.flags("Time training steps in JAX on the CPU; prints JSON."))
    batches = jnp.asarray(timed_steps.batches(options))
    method = jax_steps.Method(options.loss, options.slices, options.ascent_steps)
    key = jax.random.key(1)
    state = jax_steps.start(key, options.loss, options.points, network=not options.loss_only)
    y = jnp.roll(batches[-1], 1, axis=0)

    def program(state, x, key):
        noise = jax_steps.draw(method, len(x), key)
        if options.loss_only:
            return jax_steps.alone(method, state, x, y, noise)
        return jax_steps.training(method, state, x, noise)[:2]

    program = jax.jit(program, donate_argnums=0)
    keys = iter(jax.random.split(key, options.warmup + options.steps))

    def step(x):
        nonlocal state
        state, value, *_ = jax.block_until_ready(program(state, x, next(keys)))
        return value.item()

    timed_steps.run(options, step, list(batches), "jax", jax.__version__, compiles=True)


if __name__ == "__main__":
    main()
