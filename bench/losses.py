"""Every loss that is timed, as a function of the clouds x and their reconstructions y. A call draws its own noise and does its own
ascent, as in the original program, and returns the number to be descended on."""

import torch

import amortizers
import matching
import model
import steps

RATE = 1e-4  # of the ascent's Adam
MAPS = {
    "la": model.LinearAttention,
    "ea": lambda points: amortizers.Pooled(amortizers.EfficientAttention),
    "a": lambda points: amortizers.Pooled(amortizers.FullAttention),
}


def make(name, points, slices, ascent_steps):
    """The loss of that name; amortized ones keep their map and its optimizer."""
    if name in MAPS:
        return Amortized(MAPS[name](points), slices)
    if name in ("max-sw", "v-dsw"):
        return Climbed(name == "max-sw", slices, ascent_steps)
    return {"sw": lambda x, y: sw(x, y, slices), "chamfer": matching.chamfer, "emd": matching.emd}[name]


def sw(x, y, slices):
    return model.sliced_costs(x, y, model.uniform_directions(len(x), slices)).mean()


class Amortized:
    """v-DSW with a predicted location: the map's ascent step, then the loss at the new location."""

    def __init__(self, amortizer, slices):
        self.amortizer, self.optimizer, self.slices = amortizer, steps.amortizer_optimizer(amortizer), slices

    def __call__(self, x, y):
        noise = [model.vmf_noise(len(x), self.slices) for _ in range(2)]
        return steps.amortized_loss(self.amortizer, self.optimizer, x, y, *noise)[1]


class Climbed:
    """Max-SW (one direction) or v-DSW (slices around a location), with the direction or location found by ascent."""

    def __init__(self, single, slices, ascent_steps):
        self.slices, self.ascent_steps = None if single else slices, ascent_steps

    def __call__(self, x, y):
        start, fixed = model.uniform_directions(len(x), 1)[:, 0], y.detach()
        location = climb(start, self.ascent_steps, RATE, lambda at: around(x, fixed, at, self.slices))
        return around(x, y, location, self.slices)


def around(x, y, location, slices):
    """The mean cost along so many directions around the location [B, 3], or with None along the location itself."""
    if slices is None:
        return model.sliced_costs(x, y, location.unsqueeze(1)).mean()
    directions = model.vmf_directions(location, steps.KAPPA, *model.vmf_noise(len(location), slices))
    return model.sliced_costs(x, y, directions).mean()


def climb(start, count, rate, cost):
    """count steps of a fresh Adam up the cost of a location [B, 3], each followed by division by the norm."""
    location = start.clone().requires_grad_()
    adam = torch.optim.Adam([location], lr=rate)
    for _ in range(count):
        value = cost(location)
        adam.zero_grad()
        (-value).backward()
        adam.step()
        with torch.no_grad():
            location /= location.norm(dim=1, keepdim=True)
    return location.detach()
