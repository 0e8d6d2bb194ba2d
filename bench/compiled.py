"""torch.compile of the PyTorch peer: the same functions, compiled by Inductor.

Compiled are the network, the step of its optimizer and the largest pieces of a loss between two optimizer steps; of Chamfer and the
EMD, which go pair by pair, the work on one pair.
"""

import torch

import losses
import matching
import steps

PIECES = ((steps, ("objective", "loss_after")), (losses, ("sw", "around")), (matching, ("nearest", "transport")))


def use():
    """Replace the pieces by their compiled forms, for all losses made from now on."""
    for module, names in PIECES:
        for name in names:
            setattr(module, name, torch.compile(getattr(module, name), fullgraph=True))


def network(autoencoder, optimizer):
    autoencoder.compile(fullgraph=True)
    optimizer.step = torch.compile(optimizer.step)
