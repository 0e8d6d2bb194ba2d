"""One training step: the sliced Wasserstein loss (SW) and amortized v-DSW."""

import torch

import model

KAPPA = 1.0


def autoencoder_optimizer(autoencoder):
    """SGD with momentum; the weight decay is coupled and reaches all parameters."""
    return torch.optim.SGD(autoencoder.parameters(), lr=1e-3, momentum=0.9, weight_decay=5e-4)


def amortizer_optimizer(amortizer):
    """Adam without first-moment averaging, used for ascent."""
    return torch.optim.Adam(amortizer.parameters(), lr=1e-3, betas=(0.0, 0.9))


def descend(optimizer, loss):
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()


def amortized_loss(amortizer, ascent, x, y, max_noise, min_noise):
    """Ascent of the amortizer on detached clouds, then the loss at the new, detached location.

    Returns J, the loss, and the locations before and after the ascent.
    """
    before = amortizer(x, y.detach())
    objective = model.sliced_costs(x, y.detach(), model.vmf_directions(before, KAPPA, *max_noise)).mean()
    descend(ascent, -objective)
    with torch.no_grad():
        after = amortizer(x, y)
        directions = model.vmf_directions(after, KAPPA, *min_noise)
    loss = model.sliced_costs(x, y, directions).mean()
    return objective.detach(), loss, before.detach(), after


def amortized_step(autoencoder, optimizer, amortizer, ascent, x, max_noise, min_noise):
    """amortized_loss, then descent of the autoencoder on it; returns the same four."""
    objective, loss, before, after = amortized_loss(amortizer, ascent, x, autoencoder(x), max_noise, min_noise)
    descend(optimizer, loss)
    return objective, loss.detach(), before, after
