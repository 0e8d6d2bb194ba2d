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


def objective(amortizer, x, y, noise):
    """The mean cost along directions around the predicted location, and that location."""
    location = amortizer(x, y)
    return model.sliced_costs(x, y, model.vmf_directions(location, KAPPA, *noise)).mean(), location


def loss_after(amortizer, x, y, noise):
    """objective, without a gradient in the location."""
    with torch.no_grad():
        location = amortizer(x, y)
        directions = model.vmf_directions(location, KAPPA, *noise)
    return model.sliced_costs(x, y, directions).mean(), location


def amortized_loss(amortizer, ascent, x, y, max_noise, min_noise):
    """Ascent of the amortizer on detached clouds, then the loss at the new, detached location.

    Returns J, the loss, and the locations before and after the ascent.
    """
    mean_cost, before = objective(amortizer, x, y.detach(), max_noise)
    descend(ascent, -mean_cost)
    loss, after = loss_after(amortizer, x, y, min_noise)
    return mean_cost.detach(), loss, before.detach(), after


def amortized_step(autoencoder, optimizer, amortizer, ascent, x, max_noise, min_noise):
    """amortized_loss, then descent of the autoencoder on it; returns the same four."""
    objective, loss, before, after = amortized_loss(amortizer, ascent, x, autoencoder(x), max_noise, min_noise)
    descend(optimizer, loss)
    return objective, loss.detach(), before, after
