#!/usr/bin/env python3
"""Time von Mises-Fisher samples, seconds per million, and print one JSON object.

    .venv-torch/bin/python bench/sampling_peer.py --program torch --dim 3 --kappa 1
    .venv-pot/bin/python bench/sampling_peer.py --program scipy --dim 10 --kappa 10.5

torch: the scheme of the authors' sampler, the closed form at dimension 3, else rejection in rounds that draw a candidate for every
sample, with the constant b blended from kappa 10 to 11; numpy: the closed form, dimension 3 alone; scipy:
scipy.stats.vonmises_fisher. The value is the mean component along the location, the last axis.
"""

import argparse
import math

import repeat


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", choices=("torch", "numpy", "scipy"), required=True)
    parser.add_argument("--dim", type=int, default=3)
    parser.add_argument("--kappa", type=float, default=1)
    parser.add_argument("--samples", type=int, default=1_000_000, help="of one call")
    parser.add_argument("--seconds", type=float, default=2, help="time to repeat the call for, at least three times")
    args = parser.parse_args()
    if args.program == "numpy" and args.dim != 3:
        parser.error("--program numpy has dimension 3 alone")
    name, version, draw = globals()[args.program + "_sampler"](args.dim, args.kappa, args.samples)
    draw()
    seconds, value = repeat.repeat(args.seconds, lambda: float(draw()[..., -1].mean()))
    repeat.report(name, version, [s / args.samples * 1e6 for s in seconds], value=value)


def torch_sampler(dim, kappa, samples):
    import torch

    import model

    location = torch.eye(dim)[dim - 1 :]
    if dim == 3:
        draw = lambda: model.vmf_directions(location, kappa, *model.vmf_noise(1, samples))[0]
    else:
        draw = lambda: rejection(dim, kappa, samples, location)
    return "torch", torch.__version__, draw


def rejection(dim, kappa, samples, location):
    import torch

    root = math.sqrt(4 * kappa**2 + (dim - 1) ** 2)
    b = (-2 * kappa + root) / (dim - 1)
    mix = min(max(kappa - 10, 0), 1)
    b = mix * (dim - 1) / (4 * kappa) + (1 - mix) * b
    a = ((dim - 1) + 2 * kappa + root) / 4
    top = 4 * a * b / (1 + b) - (dim - 1) * math.log(dim - 1)
    beta = torch.distributions.Beta(*2 * (torch.tensor((dim - 1) / 2, dtype=torch.float64),))
    omega, missing = torch.zeros(samples), torch.ones(samples, dtype=torch.bool)
    while missing.any():
        psi = beta.sample((samples,))
        candidate = (1 - (1 + b) * psi) / (1 - (1 - b) * psi)
        t = 2 * a * b / (1 - (1 - b) * psi)
        accepted = missing & ((dim - 1) * t.log() - t + top > torch.rand(samples, dtype=torch.float64).log())
        omega = torch.where(accepted, candidate.float(), omega)
        missing &= ~accepted
    tangent = torch.randn(samples, dim)[:, 1:]
    tangent = tangent / tangent.norm(dim=1, keepdim=True)
    h = torch.cat([omega[:, None], (1 - omega.square()).clamp(min=1e-10).sqrt()[:, None] * tangent], dim=1)
    mirror = torch.eye(dim)[:1] - location
    mirror = mirror / (mirror.norm() + 1e-5)
    return h - 2 * (h @ mirror.T) * mirror


def numpy_sampler(_, kappa, samples):
    import numpy as np

    rng = np.random.default_rng(1)

    def draw():
        u, angle = rng.random(samples), 2 * np.pi * rng.random(samples)
        omega = 1 + np.log(u + (1 - u) * math.exp(-2 * kappa)) / kappa
        across = np.sqrt(np.maximum(1 - omega * omega, 0))
        return np.stack([across * np.cos(angle), across * np.sin(angle), omega], axis=1)

    return "NumPy", np.__version__, draw


def scipy_sampler(dim, kappa, samples):
    import numpy as np
    import scipy
    from scipy.stats import vonmises_fisher

    location, rng = np.eye(dim)[dim - 1], np.random.default_rng(1)
    law = vonmises_fisher(location, kappa)
    return "SciPy", scipy.__version__, lambda: law.rvs(samples, random_state=rng)


if __name__ == "__main__":
    main()
