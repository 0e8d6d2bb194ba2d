"""Chamfer and the approximate earth mover's distance between clouds [B, m, 3], pair by pair: memory is that of one m x m table."""

import torch

LEVELS = [-(4.0**j) for j in range(7, -2, -1)]
SHORTEST = 1e-10


def chamfer(x, y):
    """Mean over pairs of the mean squared distances to the nearest point, both ways added."""
    with torch.no_grad():
        to_y = torch.stack([nearest(a, b) for a, b in zip(x, y)])
        to_x = torch.stack([nearest(b, a) for a, b in zip(x, y)])
    left = (x - rows(y, to_y)).square().sum(dim=2).mean()
    return left + (y - rows(x, to_x)).square().sum(dim=2).mean()


def nearest(x, y):
    """For every point of x [m, 3] the number of the nearest in y. |x|^2 does not change which one it is."""
    return torch.addmm(y.square().sum(dim=1), x, y.T, alpha=-2).argmin(dim=1)


def rows(clouds, numbers):
    return torch.gather(clouds, 1, numbers.unsqueeze(2).expand(-1, -1, 3))


class Transport(torch.autograd.Function):
    """The cost [B] of the soft match, a sum over points of unsquared distances; its gradient holds the match fixed."""

    @staticmethod
    def forward(context, x, y):
        costs, gradients = [], []
        for a, b in zip(x, y):
            cost, gradient = transport(a, b, context.needs_input_grad[1])
            costs.append(cost)
            gradients.append(gradient)
        if context.needs_input_grad[1]:
            context.save_for_backward(torch.stack(gradients))
        return torch.stack(costs)

    @staticmethod
    def backward(context, grad):
        return None, grad[:, None, None] * context.saved_tensors[0]


def emd(x, y):
    """Mean over pairs of the approximate EMD, differentiable in y."""
    return Transport.apply(x, y).mean()


def transport(x, y, gradient):
    """Cost and, where asked for, its gradient in y for one pair [m, 3]: nine levels, every table made in place."""
    square = torch.cdist(x, y, compute_mode="donot_use_mm_for_euclid_dist").square_()
    kernel, match = torch.empty_like(square), torch.zeros_like(square)
    left, right = x.new_ones(len(x)), y.new_ones(len(y))
    for level in LEVELS:
        torch.mul(square, level, out=kernel).exp_()
        offer = left / (kernel @ right + 1e-9)
        asked = right * (kernel.T @ offer)
        taken = (right / (asked + 1e-9)).clamp_(max=1) * right
        right = (right - asked).clamp_(min=0)
        left = (left - offer * (kernel @ taken)).clamp_(min=0)
        match += kernel.mul_(offer[:, None]).mul_(taken)
    length = square.sqrt_()
    cost = (match * length).sum()
    if not gradient:
        return cost, None
    pull = match.div_(length.masked_fill_(length < SHORTEST, torch.inf))  # what lies on a point does not pull it
    return cost, y * pull.sum(dim=0)[:, None] - pull.T @ x
