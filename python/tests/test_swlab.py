"""Tests of the installed wheel: the numbers are those of the command line to the last bit, and those of
NumPy and POT to rounding. make check-wheel runs them."""

import base64
import concurrent.futures
import hashlib
import importlib.metadata
import json
import os
import re
import resource
import shutil
import subprocess
import sys
import threading
import warnings

import numpy as np
import pytest

import swlab
from swlab import _library

SLICED = ["sw", "orthogonal-sw", "qmc-sw", "cv-sw", "eb-sw", "rp-sw", "markov-sw", "asw", "max-sw", "v-dsw"]
UNSLICED = ["chamfer", "emd-approx", "emd-exact", "sinkhorn", "sinkhorn-divergence"]


def normal(seed, *shape):
    return np.random.default_rng(seed).normal(size=shape).astype(np.float32)


@pytest.fixture
def pair():
    return normal(1, 2, 60, 3), 0.8 * normal(2, 2, 60, 3)


def program(folder, *arguments):
    """The answer of the wheel's program, run in a folder."""
    call = [shutil.which("swlab"), *map(str, arguments), "--format", "json"]
    done = subprocess.run(call, cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def number(v):
    return float("nan") if v is None else v


@pytest.mark.parametrize("loss", SLICED + UNSLICED)
def test_equals_the_program(tmp_path, pair, loss):
    """Value, error, interval, slices and gradient are those of swlab distance, bit by bit."""
    x, y = pair
    np.save(tmp_path / "x.npy", x)
    np.save(tmp_path / "y.npy", y)
    options = {"reg": 1.0} if loss.startswith("sinkhorn") else {}
    flags = ["--reg", 1] if options else []
    if loss in SLICED:
        flags += ["--out-slices", "costs.npy", "--out-directions", "directions.npy"]
    want = program(tmp_path, "distance", "--loss", loss, "--x", "x.npy", "--y", "y.npy", "--seed", 5, "--out-grad", "gradient.npy", *flags)
    got = swlab.distance(x, y, loss, seed=5, gradient=True, **options)
    numbers = [got.value, got.stderr, *got.interval, *got.per_pair, *got.per_pair_stderr, got.slices, got.p]
    expected = [want["value"], want["stderr"], *want["confidence_95"], *want["per_pair"], *want["stderr_per_pair"], want["slices"], want["p"]]
    np.testing.assert_array_equal(numbers, [number(v) for v in expected])
    assert got.convention == want["convention"]
    np.testing.assert_array_equal(got.gradient_y, np.load(tmp_path / "gradient.npy"), strict=True)
    if loss in SLICED:
        np.testing.assert_array_equal(got.costs, np.load(tmp_path / "costs.npy"), strict=True)
        np.testing.assert_array_equal(got.directions, np.load(tmp_path / "directions.npy"), strict=True)


def test_numpy(pair):
    """Costs and both gradients along the drawn directions, by NumPy in float64, for three exponents."""
    x, y = pair
    for p in (1, 2, 3.5):
        d = swlab.distance(x, y, "sw", slices=40, p=p, gradient=True)
        theta = d.directions.astype(np.float64)
        a, b = np.einsum("bmd,bld->blm", x, theta), np.einsum("bmd,bld->blm", y, theta)
        i, j = a.argsort(-1), b.argsort(-1)
        gap = np.take_along_axis(a, i, -1) - np.take_along_axis(b, j, -1)
        costs = (abs(gap) ** p).sum(-1)
        np.testing.assert_allclose(d.costs, costs, rtol=1e-6)
        np.testing.assert_allclose(d.value, costs.mean(), rtol=1e-12)
        slope = p * abs(gap) ** (p - 1) * np.sign(gap) / costs.size
        for gradient, order, sign in ((d.gradient_x, i, 1), (d.gradient_y, j, -1)):
            at = np.empty_like(slope)
            np.put_along_axis(at, order, sign * slope, -1)
            np.testing.assert_allclose(gradient, np.einsum("blm,bld->bmd", at, theta), rtol=1e-5, atol=1e-7)


def test_pot():
    """POT's distances along the same directions, of clouds with masses, and the exact EMD."""
    ot = pytest.importorskip("ot")
    x, y = normal(1, 70, 3), 0.8 * normal(2, 50, 3)
    mass_x, mass_y = (np.random.default_rng(s).uniform(0.5, 1.5, size=n).astype(np.float32) for s, n in ((3, 70), (4, 50)))
    directions = swlab.vmf_samples((0, 0, 1), 0, 25, seed=3)
    theta = directions.astype(np.float32).astype(np.float64)
    a, b = (m.astype(np.float64) / m.sum(dtype=np.float64) for m in (mass_x, mass_y))
    ours = swlab.distance(x, y, reduce="mean", root=True, directions=directions, mass_x=mass_x, mass_y=mass_y)
    theirs = ot.sliced_wasserstein_distance(x.astype(np.float64), y.astype(np.float64), a, b, projections=theta.T)
    np.testing.assert_allclose(ours.value, theirs, rtol=1e-9)
    for p in (1, 2):
        m = swlab.emd(x[:50], y, p=p)
        table = np.linalg.norm(x[:50, None].astype(np.float64) - y[None], axis=-1) ** p
        np.testing.assert_allclose(m.cost, 50 * ot.emd2([], [], table), rtol=1e-9)


def test_emd(pair):
    """The matching costs what it says, and its potentials prove that no other costs less."""
    x, y = (c.astype(np.float64) for c in pair)
    for p in (1, 2):
        m = swlab.emd(*pair, p=p, gradient=True)
        for b in range(2):
            c = np.linalg.norm(x[b][:, None] - y[b][None], axis=-1) ** p
            assert sorted(m.match[b]) == list(range(60))
            np.testing.assert_allclose(m.cost[b], c[np.arange(60), m.match[b]].sum(), rtol=1e-12)
            assert (m.u[b][:, None] + m.v[b] - c).max() <= m.slack[b] + 1e-12
            assert m.cost[b] - m.u[b].sum() - m.v[b].sum() <= 1e-9
            # Moved along its gradient, the cost grows by the square of its length: the matching stays.
            h = 1e-3 if p == 1 else 1e-2
            moved = (x[b] + h * m.gradient_x[b]).astype(np.float32)
            assert swlab.emd(moved, pair[1][b], p=p).cost > m.cost[b]
        np.testing.assert_allclose(m.gradient_x.sum(1), -m.gradient_y.sum(1), atol=1e-9)
    assert swlab.emd(pair[0][0], pair[1][0]).match.shape == (60,)


def test_small_clouds_warn(pair):
    small = [np.float32(0.002) * cloud for cloud in pair]
    exact = swlab.distance(*small, "emd-exact").value
    with pytest.warns(UserWarning, match='excess: .* times as much.*normalize="unit"'):
        assert swlab.distance(*small, "emd-approx").value > 1.53 * exact
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        unit = swlab.distance(*small, "emd-approx", normalize="unit")
    assert 1.05 * exact < unit.value < 1.53 * exact
    with pytest.raises(ValueError, match="normalize"):
        swlab.distance(*small, "sw", normalize="unit")


def test_plan(tmp_path):
    x, y = np.array([[3, 3], [1, 1]]), np.array([[2, 2.5], [3, 2]])
    p = swlab.plan(x, y, directions=np.eye(2))
    assert p.costs.tolist() == [2.125, 3.125] and (p.cost, p.best, p.expected_cost) == (2.125, 0, 2.625)
    assert p.plan.tolist() == [[0, 1, 0.5], [1, 0, 0.5]] and p.expected_plan.shape == (4, 3)
    assert "cost 2.125" in repr(p)
    r = np.random.RandomState(0)
    x, y = r.randn(8, 3), r.randn(11, 3)
    x[0] += 1e-9  # of float64
    mass = r.rand(11)
    p = swlab.plan(x, y, slices=20, seed=3, mass_y=mass, temperature=0.5)
    for rows, cost in ((p.plan, p.cost), (p.expected_plan, p.expected_cost)):
        dense = np.zeros((8, 11))
        dense[rows[:, 0].astype(int), rows[:, 1].astype(int)] = rows[:, 2]
        np.testing.assert_allclose(dense.sum(1), 1 / 8, rtol=1e-14)
        np.testing.assert_allclose(dense.sum(0), mass / mass.sum(), rtol=1e-14)
        assert cost == pytest.approx((dense * ((x[:, None] - y) ** 2).sum(-1)).sum(), rel=1e-14)
    weights = np.exp(-p.costs / 0.5)
    assert p.expected_cost == pytest.approx((weights * p.costs).sum() / weights.sum(), rel=1e-14)
    for name, array in (("x", x), ("y", y), ("mass", mass)):
        np.save(tmp_path / f"{name}.npy", array)
    calls = "plan x.npy y.npy -L 20 --seed 3 --mass-y mass.npy --temperature 0.5 --out p.npy"
    answer = program(tmp_path, *calls.split())
    assert answer["costs"] == p.costs.tolist() and answer["expected_cost"] == p.expected_cost
    assert np.array_equal(np.load(tmp_path / "p.npy"), p.plan)
    with pytest.raises(ValueError, match="directions: expected rows"):
        swlab.plan(x, y, directions=np.eye(2))


def test_bracket(tmp_path, pair):
    x, y = pair
    labelled = [(normal(i, 30, 3), 1.2 * normal(9 - i, 30, 3) + i, 0.0) for i in range(5)]
    labelled = [(a, b, np.sqrt(swlab.emd(a, b, p=2).cost / 30)) for a, b, _ in labelled]
    d = swlab.distance(x, y, "sw", seed=4, bracket=True, labelled=labelled)
    w2 = np.sqrt(swlab.emd(x, y, p=2).cost / 60)
    b = d.bracket
    assert (b.low_per_pair <= w2).all() and (w2 <= b.high_per_pair).all()
    assert b.low <= b.estimate <= b.high and b.estimate == pytest.approx(b.estimate_per_pair.mean(), rel=1e-15)
    assert isinstance(b.low, float) and b.low == b.low_per_pair.mean()
    for name, array in (("x", x), ("y", y)):
        np.save(tmp_path / f"{name}.npy", array)
    for i, (a, c, _) in enumerate(labelled):
        np.save(tmp_path / f"a{i}.npy", a)
        np.save(tmp_path / f"b{i}.npy", c)
    (tmp_path / "labels.csv").write_text("".join(f"a{i}.npy,b{i}.npy,{float(w)!r}\n" for i, (_, _, w) in enumerate(labelled)))
    answer = program(tmp_path, *"distance x.npy y.npy --seed 4 --bracket --labelled labels.csv".split())
    assert answer["bracket"]["estimate"] == b.estimate and answer["bracket"]["low_per_pair"] == b.low_per_pair.tolist()
    assert swlab.distance(x[0], y[0]).bracket is None and not hasattr(swlab.distance(x[0], y[0], bracket=True).bracket, "estimate")
    for wrong, text in (({"bracket": True, "p": 1}, "p = 2"), ({"labelled": labelled}, "belongs to bracket=True"), ({"bracket": 1}, "bracket")):
        with pytest.raises(ValueError, match=text):
            swlab.distance(x, y, **wrong)


def knots():
    """The knots of Epps and Pulley's integral, and their weights."""
    t = np.linspace(0, 3, 17)
    w = 2 * np.exp(-t * t / 2) * np.diff(t)[0]
    w[[0, -1]] /= 2
    return t, w


def test_line_costs(tmp_path):
    """Other costs of a direction from all pairs of points and from characteristic functions, for clouds of two
    sizes, and the gradient in y by differences; value and name are those of the program."""
    x, y = normal(1, 40, 3), 0.8 * normal(2, 30, 3) + np.float32(0.5)
    directions = normal(3, 5, 3)

    def apart(a, b):
        return abs(a[:, None] - b[None]).mean((0, 1))

    def cramer(a, b):
        return apart(a, b) - apart(a, a) / 2 - apart(b, b) / 2

    def epps_pulley(a, b):
        t, w = knots()
        phi = [np.exp(1j * t[:, None, None] * c).mean(1) for c in (a, b)]
        return w @ abs(phi[0] - phi[1]) ** 2

    np.save(tmp_path / "x.npy", x)
    np.save(tmp_path / "y.npy", y)
    np.save(tmp_path / "directions.npy", directions)
    for cost, f in (("cramer", cramer), ("energy", lambda a, b: 2 * cramer(a, b)), ("epps-pulley", epps_pulley)):
        d = swlab.distance(x, y, cost=cost, directions=directions, gradient=True)
        wide = [c.astype(np.float64) @ directions.T.astype(np.float64) for c in (x, y)]
        np.testing.assert_allclose(d.costs, f(*wide), rtol=1e-6)
        np.testing.assert_allclose(d.value, f(*wide).mean(), rtol=1e-11)
        move = 1e-6 * np.random.default_rng(4).normal(size=y.shape)
        ends = [f(wide[0], (y + sign * move) @ directions.T.astype(np.float64)).mean() for sign in (1, -1)]
        np.testing.assert_allclose((d.gradient_y * 2 * move).sum(), ends[0] - ends[1], rtol=1e-4)
        want = program(tmp_path, *f"distance x.npy y.npy --cost {cost} --directions directions.npy".split())
        assert (want["value"], want["line_cost"]) == (d.value, d.line_cost) and d.line_cost == cost
    with pytest.raises(ValueError, match="p = 2 would do nothing"):
        swlab.distance(x, y, cost="cramer", p=2)


def test_normality(tmp_path):
    """The statistic of every direction by NumPy, in float64, and by the program."""
    x, directions = 1.2 * np.random.default_rng(1).normal(size=(50, 3)) + 0.1, np.random.default_rng(2).normal(size=(4, 3))
    s, (t, w) = swlab.normality(x, directions=directions), knots()
    phi = np.exp(1j * t[:, None, None] * (x @ directions.T)).mean(1)
    want = 50 * (w @ abs(phi - np.exp(-t * t / 2)[:, None]) ** 2)
    np.testing.assert_allclose(s.statistics, want, rtol=1e-12)
    np.testing.assert_allclose(s.value, want.mean(), rtol=1e-12)
    np.testing.assert_allclose(swlab.normality(np.zeros((9, 3))).statistics, np.full(100, 9 * 0.40204758), rtol=2e-8)
    np.testing.assert_allclose(swlab.normality([-1, 0, 1, 2]).value, 0.55819035, rtol=1e-8)
    np.save(tmp_path / "x.npy", x)
    theirs = program(tmp_path, *"normality x.npy -L 7 --slicing qmc --seed 3".split())
    np.testing.assert_allclose(swlab.normality(x, slices=7, slicing="qmc", seed=3).statistics, theirs["statistics"], rtol=1e-12)
    with pytest.raises(ValueError, match=r"directions: expected shape \[L, 3\]"):
        swlab.normality(x, directions=np.eye(2))


def test_two_sample_test(tmp_path):
    x, y = normal(5, 40, 3), normal(6, 30, 3) + 0.4
    np.save(tmp_path / "x.npy", x)
    np.save(tmp_path / "y.npy", y)
    want = program(tmp_path, *"test x.npy y.npy --slices 20 --permutations 199 --p 1 --seed 3".split())
    t = swlab.two_sample_test(x, y, slices=20, permutations=199, p=1, seed=3)
    assert (t.p_value, t.p_value_stderr, t.statistic) == (want["p_value"], want["p_value_stderr"], want["statistic"])
    assert swlab.two_sample_test(x, x).p_value == 1 and "p_value" in repr(t)
    for wrong, text in ((dict(permutations=0), "permutations"), (dict(p=0.5), "p: expected"), (dict(slicing="other"), "slicing distribution")):
        with pytest.raises(ValueError, match=text):
            swlab.two_sample_test(x, y, **wrong)
    with pytest.raises(ValueError, match="of one dimension"):
        swlab.two_sample_test(x, y[:, :2])


def test_auto_population_scale_features(tmp_path):
    x, y = normal(5, 100, 3), normal(6, 80, 3) + 1
    np.save(tmp_path / "x.npy", x)
    np.save(tmp_path / "y.npy", y)
    want = program(tmp_path, *"distance x.npy y.npy --slicing auto --population --reduce mean --seed 3".split())
    d = swlab.distance(x, y, slicing="auto", population=True, reduce="mean", seed=3)
    assert (d.slicing, d.covers) == (want["slicing"], want["covers"]) and d.slicing == "auto: qmc"
    assert want["population"] == {name: getattr(d.population, name) for name in ("stderr", "low", "high")}
    assert d.population.stderr > d.stderr and d.population.low < 1 < d.population.high
    with pytest.warns(UserWarning, match="two_sample_test"):
        assert swlab.distance(x, x[:80], population=True, reduce="mean").population is None
    wide = np.array([1, 1e4, 1], np.float32)
    with pytest.warns(UserWarning, match="scale=True"):
        swlab.distance(x * wide, y * wide, reduce="mean")
    np.save(tmp_path / "x.npy", x * wide)
    np.save(tmp_path / "y.npy", y * wide)
    scaled = swlab.distance(x * wide, y * wide, scale=True, features=3, reduce="mean", seed=3)
    want = program(tmp_path, *"distance x.npy y.npy --scale --features 3 --reduce mean --seed 3".split())
    assert scaled.value == want["value"] and scaled.scale.tolist() == want["scale"] and scaled.directions.shape == (100, 10)
    assert swlab.distance([[1, 1]], [[2, 1]], features=3, directions=[[1, 0, 0, 0]]).value == 49
    for wrong in (dict(features=2), dict(scale=True, gradient=True), dict(population=True), dict(scale=1), dict(features=1.5)):
        with pytest.raises(ValueError):
            swlab.distance(x, y, **wrong)


def test_vmf_samples(tmp_path):
    want = program(tmp_path, "vmf", "sample", "--kappa", 12, "--location", "0,0,1", "--n", 70000, "--seed", 9, "--out", "s.npy")
    got = swlab.vmf_samples((0, 0, 1), 12, 70000, seed=9)
    np.testing.assert_array_equal(got.astype(np.float32), np.load(tmp_path / "s.npy"), strict=True)
    np.testing.assert_allclose(np.linalg.norm(got, axis=1), 1, rtol=1e-12)
    np.testing.assert_allclose(np.linalg.norm(got.mean(0)), want["mean_resultant_length_expected"], atol=5e-3)


def test_line():
    """Arrays [m] are clouds on the line, in all calls; gradients have their shape."""
    x, y = [0.0, 2.0, 5.0], np.array([1.0, 1.0, 1.0])
    d = swlab.distance(x, y, p=1, gradient=True)
    assert (d.value, d.gradient_y.tolist(), d.stderr) == (pytest.approx(6, rel=1e-12), [1, -1, -1], 0)
    assert swlab.distance(x, y[:2, None], p=1, reduce="mean", mass_x=[0, 1, 1]).value == 2.5
    assert swlab.emd(x, y, p=2).cost == 18
    p = swlab.plan(x, y[:1], mass_x=[1, 1, 2])
    assert (p.cost, p.plan.tolist()) == (8.5, [[0, 0, 0.25], [1, 0, 0.25], [2, 0, 0.5]])


def test_no_copy(pair, monkeypatch):
    """float32 is handed over as it lies in memory, also if it may not be written."""
    x, y = pair
    x.flags.writeable = False
    library = _library._load()
    seen = []

    class Spy:
        def __getattr__(self, name):
            return getattr(library, name)

        def swlab_call(self, request, pointers, result):
            seen.extend(pointers)
            return library.swlab_call(request, pointers, result)

    monkeypatch.setattr(_library, "_library", Spy())
    swlab.distance(x, y)
    assert seen == [x.ctypes.data, y.ctypes.data]


def test_circle_sphere_partial_unbalanced():
    column = lambda *v: np.array(v, float)[:, None]  # noqa: E731
    a, b = column(0.1, 0.11, 0.4, 0.6), column(0.21, 0.15, 0.7, 0.95)
    for p, want in ((1, 0.12), (2, 0.01755)):
        for by in (0, 0.37, -12.5):
            assert swlab.distance(a + by, b + by, "circle", p=p, reduce="mean", mass_x=np.ones(4)).value == pytest.approx(want, abs=1e-7)
    assert swlab.distance(a[:1], a[:1], "circle", uniform=True, root=True).value == pytest.approx(12**-0.5, abs=1e-7)
    pole = np.array([[0, 0, 1.0]])
    assert swlab.distance(pole, -pole, "ssw", root=True).value == pytest.approx(0.5, abs=1e-7)
    assert swlab.distance(pole, pole, "ssw", root=True, uniform=True).value == pytest.approx(12**-0.5, abs=1e-7)
    x, y = column(0, 1, 2, 10), column(0.5, 1.5, 30, 2.5)
    part = swlab.distance(x, y, "partial-sw", p=1, mass=3)
    assert part.marginal_costs.tolist() == [0.5, 0.5, 0.5, 20] and part.value == 1.5
    two = swlab.distance(column(0), column(2), "usw", kl=1)
    assert two.value == pytest.approx(2 - 2 * np.exp(-2), abs=1e-12) and 0 <= two.optimality_gap < 1e-12
    with pytest.raises(ValueError, match="x: cloud 0, point 0: expected a unit vector, found length 2"):
        swlab.distance(2 * pole, pole, "ssw")
    with pytest.raises(ValueError, match="mass = 2 would do nothing"):
        swlab.distance(x, y, mass=2)


def test_certified_maximum(pair):
    x, y = pair
    top = swlab.distance(x, y, "max-sw", certify=True, gap=1e-4)
    some = swlab.distance(x, y, "max-sw", ascent_starts=3)
    assert some.ascent_starts.shape == (2, 3)
    assert (some.ascent_starts <= (top.per_pair + top.optimality_gap)[:, None]).all()
    assert (0 < top.optimality_gap).all() and (top.optimality_gap <= 1.01e-4 * top.per_pair).all()
    assert "from the maximum" in repr(top)
    for wrong, says in ((dict(gap=0.1), "gap would do nothing"), (dict(certify=True, ascent_steps=3), "certify replaces")):
        with pytest.raises(ValueError, match=says):
            swlab.distance(x, y, "max-sw", **wrong)


def test_copies_are_rounded_to_float32(pair):
    x, y = pair
    want = swlab.distance(x, y).value
    wide = x.astype(np.float64) * (1 + 1e-12)
    assert not np.array_equal(wide, x)
    strided = np.zeros((2, 120, 3), np.float32)[:, ::2]
    strided[...] = x
    unaligned = np.frombuffer(b"\0" + x.tobytes(), np.uint8)[1:].view(np.float32).reshape(x.shape)
    for same in (wide, strided, np.asfortranarray(x), x.astype(">f4"), x.tolist(), unaligned):
        assert swlab.distance(same, y).value == want
    before = x.copy()
    swlab.distance(x, y, gradient=True)
    np.testing.assert_array_equal(x, before)


def test_masses_and_line():
    """Masses are float64 and divided by their sum; sizes may differ; one dimension needs no slices."""
    x, y = np.array([[0, 0], [1, 0], [0, 1.0]]), np.array([[1, 1], [2, 0], [0, 0.0]])
    a, b = np.array([0.5, 0.25, 0.25]), np.array([0.25, 0.25, 0.5])
    for scale in (1, 1e-50, 1e300):
        for p in (1, 2):
            d = swlab.distance(x, y, "emd-exact", reduce="mean", p=p, mass_x=scale * a, mass_y=b, gradient=True)
            np.testing.assert_allclose(d.value, 0.5, rtol=1e-14)
            assert 0 <= d.duality_gap <= 1e-12
    d = swlab.distance(np.array([[2.7, 4.11], [9.6, 14], [34.2, 34.974]]), np.array([[2.8, 4.45], [9.5, 14.1]]), "emd-exact", reduce="mean")
    np.testing.assert_allclose(d.value, 12.853658627, rtol=1e-7)
    x, y = np.array([1.0, 2, 3, 54]), np.array([1.0, 2, 3, 4])
    with pytest.warns(UserWarning, match="units of 64"):  # of the slices' costs
        d = swlab.distance(x[:, None], y[:, None], "sw", reduce="mean", root=True, p=100)
    np.testing.assert_allclose(d.value, 49.311635, rtol=1e-7)
    assert d.stderr == 0 and d.slices == 1
    m = swlab.emd(np.array([[1.0], [2], [5], [5]]), np.array([[0.0], [6], [1], [6]]), p=60)
    assert m.cost == 4 and m.duality_gap <= 1e-12
    assert swlab.distance(x, y, "sw", reduce="mean", root=True, p=1).value == pytest.approx(12.5, rel=1e-12)


WRONG = [
    (dict(loss="swx"), 'unknown loss "swx"'),
    (dict(slices=0), "slices: expected at least 1"),
    (dict(slices=1.5), "slices: expected a whole number"),
    (dict(kappa=2), "kappa would do nothing"),
    (dict(p=0.5), "p: expected a number >= 1"),
    (dict(reduce="average"), "reduce: expected sum or mean"),
    (dict(seed=-1), "seed: expected"),
    (dict(seed=2**64), "seed: expected"),
    (dict(path="gpu"), "path: expected auto, host or graph"),
    (dict(weights="none.safetensors"), "weights would do nothing: without an amortizer"),
    (dict(loss="v-dsw", amortizer="la", weights="no.safetensors"), "weights: open no.safetensors"),
    (dict(directions=np.zeros((3, 3))), "directions: direction 0 is the zero vector"),
    (dict(directions=np.ones((3, 2))), "directions: expected shape"),
    (dict(mass_x=np.ones((2, 60))), 'reduce="mean"'),
    (dict(mass_x=np.ones((2, 5)), reduce="mean"), "mass_x: expected shape [2, 60]"),
    (dict(loss="sinkhorn", reg=1e-9), "take a larger one"),
    (dict(x=normal(1, 2, 5, 3)), 'reduce="mean"'),
    (dict(x=np.full((2, 60, 3), np.nan)), "x: cloud 0, point 0: expected finite coordinates"),
    (dict(x=np.full((2, 60, 3), 1e300)), "x: cloud 0, point 0: expected finite coordinates, found one that is infinite, or larger than 3.4e38"),
    (dict(x=np.zeros((2, 0, 3))), "at least one point"),
    (dict(x=normal(1, 60, 3)), "as many axes"),
    (dict(x=1.0), "x: expected 1 or 2 or 3 axes"),
]


@pytest.mark.parametrize("wrong, text", WRONG, ids=[w[1] + str(i) for i, w in enumerate(WRONG)])
def test_wrong_calls(pair, wrong, text):
    """The library's text, with Python's names."""
    with pytest.raises(ValueError) as error:
        swlab.distance(**{"x": pair[0], "y": pair[1], **wrong})
    assert text in str(error.value) and "--" not in str(error.value)


@pytest.mark.parametrize("name, values", [
    ("slices", [True, 1.5, "5", float("nan"), -1, 10**30, [1]]), ("p", [True, "x", float("inf"), 10**400, 1j]),
    ("root", [1, "yes"]), ("loss", [5, None, b"sw"]), ("directions", ["text", 5, np.ones((5, 3), complex), np.zeros((5, 0))]),
    ("x", ["text", True, {"a": 1}, [[1.0, 2.0], [1.0]], np.full((60, 3), np.nan), np.ma.array(np.eye(3), mask=np.eye(3)), None]),
])  # fmt: skip
def test_wrong_kinds(pair, name, values):
    """An error that names the argument, on one line."""
    for value in values:
        with pytest.raises((ValueError, TypeError)) as error:
            swlab.distance(**{"x": pair[0][0], "y": pair[1][0], name: value})
        assert re.search(rf"\b{name}\b", str(error.value)) and "\n" not in str(error.value), error.value


def test_whole_numbers_that_float64_rounds():
    with pytest.raises(ValueError, match=r"x: .*2\^53"):
        swlab.distance([[2**53 + 1, 0, 0]], [[0, 0, 0]])
    assert swlab.distance([[2**60, 0, 0]], [[2**60, 0, 0]]).value == 0


def test_masked(pair):
    """What the error advises works."""
    x, y = pair[0][0], pair[1][0]
    mask = np.zeros(x.shape, bool)
    mask[7, 1] = True
    c = np.ma.array(x, mask=mask)
    with pytest.raises(ValueError, match="x: .*masked") as error:
        swlab.distance(c, y, reduce="mean")
    advice = re.search(r"c\[.*\]\.data", str(error.value)).group()
    left = swlab.distance(eval(advice), y, reduce="mean", seed=3).value
    assert left == swlab.distance(np.delete(x, 7, 0), y, reduce="mean", seed=3).value != swlab.distance(x, y, reduce="mean", seed=3).value


def test_beyond_float32(pair):
    x = pair[0].astype(np.float64)
    x[1, 2, 0] = 1e40
    with pytest.raises(ValueError, match="x: cloud 1, point 2: .*3.4e38, the largest of float32"):
        swlab.distance(x, pair[1])


def test_prints_one_line(pair):
    x, y = pair
    d = swlab.distance(x, y, slices=1000, gradient=True)
    for shown in (repr(d), str(d), f"{d}"):
        assert shown.startswith(f"{d.loss} {d.value:.6g} +- {d.stderr:.2g}, 95 % between {d.interval[0]:.6g} and {d.interval[1]:.6g} (") and d.convention in shown
        assert "\n" not in shown and len(shown) < 200
    exact = swlab.distance(x, y, "emd-exact")
    assert repr(exact).startswith(f"{exact.loss} {exact.value:.8g} (") and "+-" not in repr(exact)
    assert "error unknown" in repr(swlab.distance(x, y, slices=1))
    one, two = swlab.emd(x[0], y[0]), swlab.emd(x, y)
    assert f"60 points: cost {one.cost:.8g}, at most {one.duality_gap + 60 * one.slack:.2g} above" in repr(one)
    assert f"2 costs between {min(two.cost):.8g} and {max(two.cost):.8g}" in repr(two)
    assert all("\n" not in repr(m) and len(repr(m)) < 200 for m in (one, two))


def test_other_errors(pair):
    for wrong in (lambda: swlab.vmf_samples((0, 0, 2), 1, 5), lambda: swlab.vmf_samples((0, 1), -1, 5), lambda: swlab.vmf_samples((0, 1), 1, 0),
                  lambda: swlab.emd(pair[0], pair[1][:, :5]), lambda: swlab.emd(*pair, p=0)):  # fmt: skip
        with pytest.raises(ValueError):
            wrong()
    with pytest.raises(TypeError, match="x: expected an array of real numbers"):
        swlab.distance(pair[0].astype(complex), pair[1])
    with pytest.raises(MemoryError, match="n: "):
        swlab.vmf_samples((0, 1), 1, 2**45)


def test_threads(pair):
    """Calls from many threads give what they give one after the other."""
    x, y = pair
    losses = ["sw", "cv-sw", "v-dsw", "chamfer", "emd-exact"]

    def one(i):
        d = swlab.distance(x, y, losses[i % 5], seed=i // 5, gradient=True)
        return d.value, d.gradient_x.tobytes(), d.gradient_y.tobytes()

    want = [one(i) for i in range(40)]
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        assert list(pool.map(one, range(40))) == want


def test_other_threads_run_meanwhile():
    x, y = normal(1, 3000, 3), normal(2, 3000, 3)
    done, turns = threading.Event(), 0
    thread = threading.Thread(target=lambda: (swlab.distance(x, y, slices=2000), done.set()))
    thread.start()
    while not done.is_set():
        turns += 1
    thread.join()
    assert turns > 1000


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
def test_fork():
    """A child of a process that has used the library is told; one of a process that has not may use it."""
    script = """if True:
        import os, sys, numpy as np, swlab
        x = np.eye(3, dtype=np.float32)
        if sys.argv[1] == "used":
            swlab.distance(x, x)
        pid = os.fork()
        if pid == 0:
            try:
                swlab.distance(x, x)
            except RuntimeError as error:
                os._exit(7 if "spawn" in str(error) else 8)
            os._exit(0)
        sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
    """
    for what, code in (("used", 7), ("unused", 0)):
        assert subprocess.run([sys.executable, "-c", script, what], timeout=60).returncode == code, what


def test_results_are_freed():
    x, y = normal(1, 50, 2000, 3), normal(2, 50, 2000, 3)
    for _ in range(10):
        swlab.distance(x, y, slices=2, gradient=True)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for _ in range(100):  # results of 2.4 MB each
        swlab.distance(x, y, slices=2, gradient=True)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 100_000  # kB


def test_the_wheel(tmp_path):
    """Files are as recorded, and the bill of materials is that of the installed programs."""
    package = importlib.metadata.distribution("swlab")
    hashed = 0
    for file in package.files:
        if file.hash is not None:
            digest = hashlib.new(file.hash.mode, file.locate().read_bytes()).digest()
            assert base64.urlsafe_b64encode(digest).rstrip(b"=").decode() == file.hash.value, file
            hashed += 1
    assert hashed >= 10
    programs = {"swlab": shutil.which("swlab"), "libswlab.so": _library._path}
    for name, path in programs.items():
        (bom,) = [f for f in package.files if f.name == f"{name}.cdx.json"]
        bom = json.loads(bom.read_text())
        with open(path, "rb") as file:
            assert bom["metadata"]["component"]["hashes"] == [{"alg": "SHA-256", "content": hashlib.sha256(file.read()).hexdigest()}]
        assert any(c["name"] == "github.com/gomlx/gomlx" for c in bom["components"])
    assert (package.locate_file("swlab/py.typed")).exists()
    assert swlab.version() == program(tmp_path, "version")["version"]


@pytest.mark.parametrize("loss", ["sw", "max-sw", "chamfer", "emd-approx", "emd-exact", "sinkhorn"])
def test_moved_together(loss):
    """float64 keeps its digits: a distance does not change when both clouds move."""
    r = np.random.default_rng(4)
    x, y = np.round(r.normal(size=(2, 2, 50, 3)) * 2**20) / 2**20  # exact in float64 when moved
    options = {"reg": 1.0} if loss == "sinkhorn" else {}
    want = swlab.distance(x, y, loss, gradient=True, **options)
    for by in (1e6, 1e7, 1e8):
        got = swlab.distance(x + by, y + by, loss, gradient=True, **options)
        np.testing.assert_allclose(got.per_pair, want.per_pair, rtol=2e-6)
        np.testing.assert_allclose(got.gradient_y, want.gradient_y, atol=1e-3 * np.abs(want.gradient_y).max())
        np.testing.assert_allclose(swlab.emd(x + by, y + by).cost, swlab.emd(x, y).cost, rtol=2e-6)


def test_whole_numbers():
    """Integers keep their digits as far as float64 does."""
    x = np.random.default_rng(6).integers(-(2**20), 2**20, (50, 3))
    want = swlab.distance(x, x[:, ::-1], "emd-exact").value
    np.testing.assert_allclose(swlab.distance(x + 2**50, x[:, ::-1] + 2**50, "emd-exact").value, want, rtol=2e-6)


def test_warns_of_rounding():
    """What float32 cannot hold is said, at the line of the call."""
    x = np.random.default_rng(5).normal(size=(30, 3))
    with pytest.warns(UserWarning, match="float32 rounds coordinates") as found:
        swlab.distance(x, x + 1e10)
    assert found[0].filename == __file__
    with pytest.warns(UserWarning, match="float32 rounds coordinates"):
        swlab.emd(x, x + 1e10)


def test_distance_in_a_notebook():
    x, y = normal(1, 60, 3), normal(2, 60, 3)
    d = swlab.distance(x, y, slices=20)
    assert float(d) == d.value and "<img" in d._repr_html_() and repr(d) in d._repr_html_()
    assert "<img" in d.plot()._repr_html_() and "projected" in repr(d.plot())
    flat = swlab.distance(x[:, :1], y[:, :1])
    assert "<img" not in flat._repr_html_()
    with pytest.raises(ValueError, match="2 or 3 dimensions"):
        flat.plot()


def test_pictures_are_saved(tmp_path):
    swlab.distance(normal(1, 60, 3), normal(2, 60, 3)).plot().save(tmp_path / "a.svg")
    assert b"<svg" in (tmp_path / "a.svg").read_bytes()
    with pytest.raises(ValueError, match=".png, .svg or .pdf"):
        swlab.distance(normal(1, 60, 3), normal(2, 60, 3)).plot().save(tmp_path / "a.jpg")


def test_ablate():
    x, y = normal(1, 60, 3), normal(2, 60, 3)
    a = swlab.ablate(x, y, loss=["sw", "v-dsw"], kappa=[1, 10], slices=[1, 10], repeats=3, seed=5)
    assert a.values.shape == (6, 3) and a.rows[0] == {"loss": "sw", "slices": "1"}
    row = a.rows.index({"loss": "v-dsw", "kappa": "10", "slices": "10"})
    assert a.values[row, 2] == swlab.distance(x, y, "v-dsw", kappa=10, slices=10, seed=7).value
    assert "<img" in a.curves("slices")._repr_html_() and "kappa" in repr(a) and "<table>" in a._repr_html_()
    with pytest.raises(ValueError, match="unknown setting"):
        swlab.ablate(x, y, kapa=[1, 2])


def test_train(tmp_path):
    data = np.random.default_rng(1).normal(size=(8, 32, 3)).astype(np.float32)
    first = swlab.train(data, steps=2, batch=4, slices=5, out=tmp_path)
    assert first.steps == 2 and first.losses.shape == (2,) and first.run.startswith(str(tmp_path))
    assert swlab.train(data, steps=2, batch=4, slices=5, out=tmp_path).loss == first.loss
    with pytest.raises(ValueError, match="unknown setting"):
        swlab.train(data, step=2, out=tmp_path)


def test_sets_of_clouds(tmp_path):
    """Vectors, distances, kernel, neighbours and clusters: by NumPy, and as the program writes them."""
    x, theta = np.random.default_rng(1).normal(size=(12, 30, 3)), np.random.default_rng(2).normal(size=(9, 3))
    np.save(tmp_path / "x.npy", x)
    a = np.sort(x @ theta.T, axis=1)
    want = np.sqrt(((a[:, None] - a[None]) ** 2).mean(axis=(2, 3)))
    e = swlab.embed(x, directions=theta)
    assert e.shape == (12, 270) and e.slices == 9 and e.out is e.vectors
    np.testing.assert_allclose(np.linalg.norm(e.vectors[:, None] - e.vectors[None], axis=-1), want, atol=1e-12)
    p = swlab.pairwise(x, directions=theta)
    np.testing.assert_allclose(p.matrix, want, atol=1e-12)
    assert (np.diag(p.matrix) == 0).all() and (p.matrix == p.matrix.T).all()
    k = swlab.pairwise(x, directions=theta, kernel=0.5).matrix
    np.testing.assert_allclose(k, np.exp(-(want**2) / 0.5), atol=1e-12)
    assert np.linalg.eigvalsh(k).min() > -1e-10
    np.fill_diagonal(want, np.inf)
    assert (swlab.neighbours(x, 3, directions=theta).neighbours == want.argsort(axis=1)[:, :3]).all()
    for call, found in (
        ("embed", swlab.embed(x, slices=5, quantiles=7, seed=3)),
        ("pairwise", swlab.pairwise(x, slices=5, quantiles=7, seed=3)),
        ("neighbours --k 2", swlab.neighbours(x, 2, slices=5, quantiles=7, seed=3)),
        ("cluster --k 2", swlab.cluster(x, 2, slices=5, quantiles=7, seed=3)),
    ):
        answer = program(tmp_path, *call.split(), "x.npy", *"--slices 5 --quantiles 7 --seed 3 --out o.npy --force".split())
        assert np.array_equal(np.load(tmp_path / "o.npy"), found.out) and answer["shape"] == list(found.shape)
    for call, text in (
        (lambda: swlab.embed(x, quantiles=0), "quantiles"),
        (lambda: swlab.embed(x, directions=theta, slices=3), "slices would do nothing"),
        (lambda: swlab.neighbours(x, 12), "k: expected 1 to 11"),
        (lambda: swlab.pairwise(x, kernel=-1), "kernel"),
        (lambda: swlab.cluster(np.where(x > 2, np.nan, x), 2), "NaN"),
    ):
        with pytest.raises(ValueError, match=text):
            call()


def test_moving_clouds(tmp_path):
    rng = np.random.default_rng(1)
    x = rng.normal(size=(1, 40, 3)) + 3 * rng.normal(size=(4, 1, 3))
    b = swlab.barycenter(x, steps=10, seed=2)
    np.testing.assert_allclose(b.points, x.mean(axis=0), atol=1e-3)
    np.save(tmp_path / "x.npy", x)
    assert program(tmp_path, *"barycenter x.npy --steps 10 --seed 2 --out b.npy".split())["value"] == b.value
    rows, columns = np.mgrid[0:1:30j, 0:1:40j]
    sea = np.uint8(255 * np.stack([0.1 + 0.2 * rows, 0.3 + 0.4 * columns, 0.9 - 0.4 * rows * columns], axis=-1))
    sunset = np.stack([0.9 - 0.3 * rows, 0.2 + 0.4 * columns**2, 0.2 + 0 * rows], axis=-1)[:20]
    for source, to in ((sea, sunset), (sunset, sea)):
        c = swlab.color(source, to)
        assert c.after <= 0.02 * c.before and c.picture.shape == source.shape and c.picture.dtype == source.dtype
    turn = np.array([[np.cos(np.pi / 6), -np.sin(np.pi / 6)], [np.sin(np.pi / 6), np.cos(np.pi / 6)]])
    a = rng.normal(size=(100, 2)) * [1, 2]
    moved = a @ turn.T + [1, 5]
    target = np.concatenate([moved[20:], rng.uniform(-8, 8, size=(20, 2))])[rng.permutation(100)]
    r = swlab.register(a, target)
    np.testing.assert_allclose(r.rotation, turn, atol=1e-6)
    np.testing.assert_allclose(r.moved, moved, atol=1e-6)
    assert abs(r.angle_deg - 30) < 1e-4 and abs(r.share - 0.8) < 0.02
    for call, text in (
        (lambda: swlab.barycenter(x, "chamfer"), "sliced"),
        (lambda: swlab.barycenter(x, kappa=3), "kappa would do nothing"),
        (lambda: swlab.register(x, x), "one cloud"),
        (lambda: swlab.color(sea[..., :2], sea), "picture"),
    ):
        with pytest.raises(ValueError, match=text):
            call()
