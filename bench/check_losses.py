#!/usr/bin/env python3
"""Check that the peer computes what swlab computes: every loss that is timed, on the same clouds, directions and weights.

    .venv-torch/bin/python bench/check_losses.py
    .venv-torch/bin/python bench/check_losses.py --swlab .bin/swlab      a built program in place of go run

swlab's numbers come from its command line, in float32 as in training (--path graph) or, for the ascent, from its directions. Whole
training steps are compared through files: reference.py computes those that swlab's tests must meet. Exit code 0 only when all agree.
"""

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

import numpy as np
import torch

import clouds
import losses
import matching
import model

PAIRS, POINTS, SLICES = 3, 128, 7
LIMIT = 2e-5  # largest difference, relative to the largest entry
MATCHED = 5e-3  # of the EMD's gradient: a point's last mass goes where rounding decides; the peer's own float32 is 3e-4 from its float64
CLIMBED = 1e-3  # of unit vectors, after ten steps of an optimizer that divides by the gradient's size


def main():
    parser = argparse.ArgumentParser(description="Compare the peer's losses with swlab's.")
    parser.add_argument("--swlab", default="go run ./cmd/swlab", help="how to call swlab")
    options = parser.parse_args()
    torch.manual_seed(1)
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        check = Check(options.swlab.split(), pathlib.Path(folder))
        for case in (check.sliced, check.chamfer, check.emd, check.amortized, check.ascent, check.located):
            for name, got, want, limit in case():
                error = np.abs(got - want).max() / np.abs(want).max() if got.shape == want.shape else float("inf")
                failed += not error <= limit
                print(f"{'ok  ' if error <= limit else 'FAIL'} {name:40} {error:.1e}", flush=True)
    sys.exit(1 if failed else 0)


class Check:
    """The pairs, and swlab's answers about them."""

    def __init__(self, program, folder):
        self.program, self.folder = program, folder
        self.x, self.y = (torch.from_numpy(clouds.clouds(seed, PAIRS, POINTS)) for seed in (5, 6))
        for name in "xy":
            np.save(folder / f"{name}.npy", getattr(self, name).numpy())

    def ask(self, call, *flags):
        command = [*self.program, call, "--force", "--x", self.file("x"), "--y", self.file("y"), "--format", "json", *map(str, flags)]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            sys.exit(f"check_losses: {' '.join(command)}: {done.stderr.strip()}")
        return json.loads(done.stdout)

    def file(self, name):
        return str(self.folder / f"{name}.npy")

    def distance(self, loss, *flags):
        """Mean over the pairs, gradient in y, directions or None."""
        outputs = ["--out-grad", self.file("gradient")]
        if loss not in ("chamfer", "emd-approx"):
            outputs += ["--out-directions", self.file("directions"), "--path", "graph"]
        answer = self.ask("distance", "--loss", loss, *flags, *outputs)
        directions = torch.from_numpy(np.load(self.file("directions"))) if len(outputs) > 2 else None
        return np.array(answer["value"]), np.load(self.file("gradient")), directions

    def compare(self, name, function, value, gradient, limit=LIMIT):
        y = self.y.clone().requires_grad_()
        loss = function(self.x, y)
        loss.backward()
        yield name + ", value", loss.detach().numpy(), value, LIMIT
        yield name + ", gradient", y.grad.numpy(), gradient, limit

    def sliced(self):
        theta = model.uniform_directions(PAIRS, SLICES)
        np.save(self.file("given"), theta.numpy())
        value, gradient, _ = self.distance("sw", "--directions", self.file("given"))
        yield from self.compare("SW", lambda x, y: model.sliced_costs(x, y, theta).mean(), value, gradient)

    def chamfer(self):
        yield from self.compare("Chamfer", matching.chamfer, *self.distance("chamfer")[:2])

    def emd(self):
        yield from self.compare("EMD", matching.emd, *self.distance("emd-approx")[:2], limit=MATCHED)

    def amortized(self):
        """The predicted locations of equal weights."""
        for name, build in losses.MAPS.items():
            amortizer = build(POINTS)
            weights = self.folder / f"{name}.pth"
            torch.save(amortizer.state_dict(), weights)
            self.ask("direction", "--amortizer", name, "--weights", weights, "--out", self.file("predicted"))
            with torch.no_grad():
                yield name + ", location", amortizer(self.x, self.y).numpy(), np.load(self.file("predicted")), LIMIT

    def ascent(self):
        """Ten steps of Max-SW's ascent from swlab's own start, which steps of no size leave where it is."""
        flags = ("max-sw", "--seed", 3, "--ascent-steps", 10, "--ascent-rate")
        start, rate = self.distance(*flags, 1e-20)[2], 0.05
        value, gradient, end = self.distance(*flags, rate)
        got = losses.climb(start[:, 0], 10, rate, lambda location: losses.around(self.x, self.y, location, None))
        yield "Max-SW, direction after ten steps", got.numpy(), end[:, 0].numpy(), CLIMBED
        yield from self.compare("Max-SW", lambda x, y: model.sliced_costs(x, y, end).mean(), value, gradient)

    def located(self):
        """v-DSW on the directions that swlab drew around a location it climbed to."""
        value, gradient, theta = self.distance("v-dsw", "--slices", SLICES, "--ascent-steps", 2)
        yield from self.compare("v-DSW", lambda x, y: model.sliced_costs(x, y, theta).mean(), value, gradient)


if __name__ == "__main__":
    main()
