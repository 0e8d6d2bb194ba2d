"""Distances as PyTorch losses: differentiable in both clouds, computed on the CPU by the Go library.

    loss = swlab.torch.distance(x, y, "sw", slices=100, seed=step)
    loss.backward()
"""

from __future__ import annotations

import torch

from . import distance as _distance

__all__ = ["distance"]


class _Distance(torch.autograd.Function):
    """The value, with the gradients that the library computes beside it."""

    @staticmethod
    def forward(ctx, x, y, loss, options):
        wanted = ctx.needs_input_grad[0] or ctx.needs_input_grad[1]
        d = _distance(x.detach().cpu().numpy(), y.detach().cpu().numpy(), loss, gradient=wanted, **options)
        if wanted:
            ctx.save_for_backward(*(torch.from_numpy(g).to(t) for g, t in ((d.gradient_x, x), (d.gradient_y, y))))
        return torch.tensor(d.value, dtype=x.dtype, device=x.device)

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx, upstream):
        gx, gy = ctx.saved_tensors
        return upstream * gx, upstream.to(gy) * gy, None, None


def distance(x: torch.Tensor, y: torch.Tensor, loss: str = "sw", **options) -> torch.Tensor:
    """The value of :func:`swlab.distance`, a scalar in the dtype of x: the mean over the pairs.

    x and y are [points, dim] or [clouds, points, dim]. A contiguous float32 tensor on the CPU is read
    in place. options are those of :func:`swlab.distance`, except gradient. Seeds are explicit: pass
    another seed in every step of a training. The backward pass costs nothing: the gradients, exact for
    the drawn directions with the sorting held fixed, come with the value. They are of float32
    precision, and there are no second derivatives. Directions from an ascent or an amortizer are held
    fixed too, as in the paper's released code.
    """
    for name, cloud in (("x", x), ("y", y)):
        if not isinstance(cloud, torch.Tensor):
            raise TypeError(f"{name}: expected a tensor, found {type(cloud).__name__}")
    if "gradient" in options:
        raise TypeError("gradient: expected none of this name: backward() computes it if x or y require it")
    return _Distance.apply(x, y, loss, options)
