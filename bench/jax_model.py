"""The networks and losses of the PyTorch peer in JAX: pure functions of weights under the names of a state dict, of the clouds x and y
[B, m, 3], and of a key for the noise. What PyTorch draws inside a loss is drawn here by a function of its own, so that both can be given
the same numbers."""

import math

import jax
import jax.numpy as jnp

KAPPA = 1.0
RATE = 1e-4  # of the ascent's Adam on a location
POINT_LAYERS = ("mlp1.0", "mlp1.3", "mlp2.0", "mlp2.3", "mlp2.6")


def autoencoder(w, x):
    """Reconstructions [B, m, 3], with the statistics of the batch in every batch norm."""
    h = x
    for layer in POINT_LAYERS:
        part, number = layer.split(".")
        kernel = w[f"encoder.{layer}.weight"].reshape(-1, h.shape[-1])
        h = h @ kernel.T + w[f"encoder.{layer}.bias"]
        h = jax.nn.relu(batch_norm(w, f"encoder.{part}.{int(number) + 1}", h, (0, 1)))
    code = linear(w, "encoder.fc_mu", h.max(axis=1))
    h = code / jnp.maximum(jnp.linalg.norm(code, axis=1, keepdims=True), 1e-12)
    for i in (1, 2):
        h = jax.nn.relu(batch_norm(w, f"decoder.bn{i}", linear(w, f"decoder.fc{i}", h), (0,)))
    return jnp.tanh(linear(w, "decoder.fc3", h)).reshape(x.shape)


def linear(w, name, h):
    return h @ w[name + ".weight"].T + w[name + ".bias"]


def batch_norm(w, name, h, axes):
    scale = w[name + ".weight"] * jax.lax.rsqrt(h.var(axes) + 1e-5)
    return (h - h.mean(axes)) * scale + w[name + ".bias"]


def autoencoder_shapes(points):
    widths = (3, 64, 64, 64, 128, 1024)
    shapes = {}
    for layer, inputs, outputs in zip(POINT_LAYERS, widths, widths[1:]):
        part, number = layer.split(".")
        shapes |= {f"encoder.{layer}.weight": (outputs, inputs, 1), f"encoder.{layer}.bias": (outputs,)}
        shapes |= {f"encoder.{part}.{int(number) + 1}.{kind}": (outputs,) for kind in ("weight", "bias")}
    for name, inputs, outputs in (("encoder.fc_mu", 1024, 256), ("decoder.fc1", 256, 1024), ("decoder.fc2", 1024, 1024), ("decoder.fc3", 1024, 3 * points)):
        shapes |= {name + ".weight": (outputs, inputs), name + ".bias": (outputs,)}
    for i in (1, 2):
        shapes |= {f"decoder.bn{i}.{kind}": (1024,) for kind in ("weight", "bias")}
    return shapes


def amortizer_shapes(name, points, rows=64, width=64):
    shapes = {}
    for part, outputs in (("toqueries", width), ("tokeys", width), ("tovalues", 3)):
        shapes |= {f"attn.{part}.weight": (outputs, 3), f"attn.{part}.bias": (outputs,)}
    if name == "la":
        for part in ("Kproj", "Vproj"):
            shapes |= {f"attn.{part}.weight": (rows, points), f"attn.{part}.bias": (rows,)}
    return shapes


def weights(key, shapes):
    """Xavier's uniform matrices, vectors of ones in batch norms and zeros elsewhere: the time does not depend on them."""
    out = {}
    for i, (name, shape) in enumerate(shapes.items()):
        if len(shape) > 1:
            bound = math.sqrt(6 / (shape[0] + shape[1]))
            out[name] = jax.random.uniform(jax.random.fold_in(key, i), shape, minval=-bound, maxval=bound)
        else:
            out[name] = (jnp.ones if name.endswith("weight") else jnp.zeros)(shape)
    return out


def location(name, w, x, y):
    """The amortizer's unit location [B, 3]."""
    mean = (pool(name, w, x) + pool(name, w, y)) / 2
    return mean / jnp.linalg.norm(mean, axis=1, keepdims=True)


def pool(name, w, clouds):
    queries, keys, values = (linear(w, "attn." + part, clouds) for part in ("toqueries", "tokeys", "tovalues"))
    if name == "ea":
        context = jnp.einsum("bmk,bmd->bkd", jax.nn.softmax(keys, axis=1), values)
        return (jax.nn.softmax(queries, axis=2) @ context).mean(axis=1)
    queries /= math.sqrt(queries.shape[2])
    if name == "la":
        keys, values = (
            jnp.einsum("rm,bmd->brd", w[f"attn.{part}.weight"], h) + w[f"attn.{part}.bias"][:, None]
            for part, h in (("Kproj", keys), ("Vproj", values))
        )
        return attend(queries, keys, values)
    # A: a cloud at a time, its m x m scores computed again for the gradient, so that no more than one table is kept
    one = jax.checkpoint(lambda qkv: attend(*qkv))
    return jax.lax.map(one, (queries, keys, values))


def attend(queries, keys, values):
    return (jax.nn.softmax(queries @ jnp.swapaxes(keys, -1, -2), axis=-1) @ values).mean(axis=-2)


def sliced_costs(x, y, directions):
    a, b = (jnp.sort(jnp.einsum("bld,bmd->blm", directions, c), axis=2) for c in (x, y))
    return ((a - b) ** 2).sum(axis=2)


def uniform_directions(key, batch, slices):
    normals = jax.random.normal(key, (batch, slices, 3))
    return normals / jnp.linalg.norm(normals, axis=2, keepdims=True)


def vmf_noise(key, batch, slices):
    first, second = jax.random.split(key)
    u = jax.random.uniform(first, (batch, slices), minval=jnp.finfo(jnp.float32).tiny)
    return u, jax.random.normal(second, (batch, slices, 2))


def vmf_directions(center, u, normals):
    omega = 1 + jnp.logaddexp(jnp.log(u), jnp.log1p(-u) - 2 * KAPPA) / KAPPA
    tangent = normals / jnp.linalg.norm(normals, axis=2, keepdims=True)
    height = jnp.sqrt(jnp.maximum(1 - omega**2, 1e-10))
    h = jnp.concatenate([omega[..., None], height[..., None] * tangent], axis=2)
    reflector = jnp.array([1.0, 0.0, 0.0]) - center
    reflector = (reflector / (jnp.linalg.norm(reflector, axis=1, keepdims=True) + 1e-5))[:, None]
    return h - 2 * (h * reflector).sum(axis=2, keepdims=True) * reflector


def around(x, y, center, noise):
    """The mean cost along directions around the center [B, 3], or along the center itself without noise."""
    directions = center[:, None] if noise is None else vmf_directions(center, *noise)
    return sliced_costs(x, y, directions).mean()


def climb(start, noises, cost, count, rate=RATE):
    """count steps of a fresh Adam up the cost of a location and the step's noise, each followed by division by the norm."""

    def step(state, noise):
        at, moments = state
        change, moments = adam(jax.grad(cost)(at, noise), moments, rate, 0.9, 0.999)
        at = at + change
        return (at / jnp.linalg.norm(at, axis=1, keepdims=True), moments), None

    return jax.lax.scan(step, (start, adam_start(start)), noises, length=count)[0][0]


def adam_start(w):
    return jax.tree.map(jnp.zeros_like, w), jax.tree.map(jnp.zeros_like, w), jnp.zeros(())


def adam(gradient, moments, rate, first, second):
    """The change of Adam's ascent, and its new moments."""
    m, v, count = moments
    m = jax.tree.map(lambda m, g: first * m + (1 - first) * g, m, gradient)
    v = jax.tree.map(lambda v, g: second * v + (1 - second) * g * g, v, gradient)
    count += 1
    change = jax.tree.map(lambda m, v: rate * (m / (1 - first**count)) / (jnp.sqrt(v / (1 - second**count)) + 1e-8), m, v)
    return change, (m, v, count)


def chamfer(x, y):
    """Mean over pairs of the mean squared distances to the nearest point, both ways added; pair by pair."""

    def nearest(x, y):
        return ((y**2).sum(axis=1) - 2 * x @ y.T).argmin(axis=1)

    def pair(xy):
        a, b = xy
        fixed = jax.lax.stop_gradient(b)
        left = ((a - b[nearest(a, fixed)]) ** 2).sum(axis=1).mean()
        return left + ((b - a[nearest(fixed, a)]) ** 2).sum(axis=1).mean()

    return jax.lax.map(pair, (x, y)).mean()


@jax.custom_vjp
def emd(x, y):
    """Mean over pairs of the approximate EMD, pair by pair; its gradient in y holds the soft match fixed."""
    return jax.lax.map(lambda xy: transport(*xy)[0], (x, y)).mean()


def transport(x, y):
    """Cost of one pair and its gradient in y."""
    square = ((x[:, None] - y) ** 2).sum(axis=2)
    match, left, right = jnp.zeros_like(square), jnp.ones(len(x), x.dtype), jnp.ones(len(y), y.dtype)
    for j in range(7, -2, -1):
        kernel = jnp.exp(-(4.0**j) * square)
        offer = left / (kernel @ right + 1e-9)
        asked = right * (offer @ kernel)
        taken = jnp.minimum(right / (asked + 1e-9), 1) * right
        right = jnp.maximum(right - asked, 0)
        left = jnp.maximum(left - offer * (kernel @ taken), 0)
        match += offer[:, None] * kernel * taken
    length = jnp.sqrt(square)
    pull = jnp.where(length < 1e-10, 0, match / jnp.where(length < 1e-10, 1, length))
    return (match * length).sum(), y * pull.sum(axis=0)[:, None] - pull.T @ x


def _emd_forward(x, y):
    costs, gradients = jax.lax.map(lambda xy: transport(*xy), (x, y))
    return costs.mean(), gradients


def _emd_backward(gradients, upstream):
    return jnp.zeros_like(gradients), upstream / len(gradients) * gradients


emd.defvjp(_emd_forward, _emd_backward)
