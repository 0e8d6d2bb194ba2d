"""Tests of swlab.torch, where PyTorch is installed."""

import numpy as np
import pytest

torch = pytest.importorskip("torch")

import swlab  # noqa: E402
import swlab.torch  # noqa: E402


def grid(seed, *shape):
    """Coordinates of ten bits: steps of 2**-10 are exact in the library's float32."""
    return torch.from_numpy(np.random.default_rng(seed).normal(size=shape)).mul(2**10).round().div(2**10)


@pytest.mark.parametrize("loss, options", [
    ("sw", {}), ("sw", dict(reduce="mean", root=True)), ("sw", dict(p=3.0)), ("cv-sw", dict(slices=20)), ("eb-sw", {}), ("chamfer", {}), ("emd-exact", dict(p=2)),
    ("sinkhorn-divergence", dict(reg=1.0)),
])  # fmt: skip
def test_gradcheck(loss, options):
    """Both gradients against central differences in float64. Coordinates moved by eps are exact in float32, the precision
    of clouds; chamfer's costs are float32 too."""
    x, y = grid(1, 2, 7, 3).requires_grad_(), grid(2, 2, 7, 3).requires_grad_()
    call = lambda x, y: swlab.torch.distance(x, y, loss, seed=3, path="host", **options)  # noqa: E731
    precision = dict(eps=2**-10, atol=1e-3, rtol=1e-3) if loss == "chamfer" else dict(eps=2**-20, atol=1e-5, rtol=1e-5)
    assert torch.autograd.gradcheck(call, (x, y), **precision)


def test_autograd():
    """Value and gradients are those of PyTorch's own sort along the same directions."""
    x, y = grid(1, 3, 40, 3).float().requires_grad_(), grid(2, 3, 40, 3).float().requires_grad_()
    theta = torch.from_numpy(swlab.vmf_samples((0, 0, 1), 0, 30, seed=3)).float()
    loss = 2.5 * swlab.torch.distance(x, y, directions=theta.numpy())
    loss.backward()
    a, b = x.detach().double().requires_grad_(), y.detach().double().requires_grad_()
    gap = torch.sort(a @ theta.double().T, dim=1)[0] - torch.sort(b @ theta.double().T, dim=1)[0]
    want = 2.5 * gap.square().sum(1).mean()
    want.backward()
    assert loss.dtype == torch.float32 and x.grad.dtype == torch.float32
    torch.testing.assert_close(loss.double(), want, rtol=1e-6, atol=0)
    torch.testing.assert_close(x.grad.double(), a.grad, rtol=1e-5, atol=1e-6)
    torch.testing.assert_close(y.grad.double(), b.grad, rtol=1e-5, atol=1e-6)


def test_one_side_and_no_side():
    x, y = grid(1, 40, 3), grid(2, 40, 3).requires_grad_()
    swlab.torch.distance(x, y).backward()
    assert x.grad is None and y.grad.shape == (40, 3)
    assert not swlab.torch.distance(x, y.detach()).requires_grad


def test_a_training_step_descends():
    """Plain gradient descent moves a cloud onto another."""
    x, y = grid(1, 50, 3).float(), grid(2, 50, 3).float().requires_grad_()
    optimizer = torch.optim.SGD([y], lr=0.5)
    first = swlab.torch.distance(x, y, seed=0).item()
    for step in range(30):
        optimizer.zero_grad()
        swlab.torch.distance(x, y, seed=step).backward()
        optimizer.step()
    assert swlab.torch.distance(x, y, seed=0).item() < 0.1 * first


def test_errors():
    x = grid(1, 40, 3)
    with pytest.raises(ValueError, match="kappa"):
        swlab.torch.distance(x, x, kappa=3)
    with pytest.raises(TypeError, match="y: expected a tensor, found ndarray"):
        swlab.torch.distance(x, x.numpy())
    with pytest.raises(TypeError, match="gradient"):
        swlab.torch.distance(x, x, gradient=True)
