"""Sliced Wasserstein and optimal transport distances between point clouds.

    >>> import numpy as np, swlab
    >>> x, y = np.random.default_rng(1).normal(size=(2, 1000, 3)).astype(np.float32)
    >>> d = swlab.distance(x, y, "sw", slices=100, gradient=True)
    >>> d.value, d.stderr, d.gradient_y.shape  # doctest: +SKIP

Everything is computed by the Go library github.com/sliced-wasserstein/lab in this process, on all
cores, and equals its results bit by bit. Clouds are arrays [points, dim], or [clouds, points, dim]
for clouds that are compared in pairs.

A C-contiguous array of float32 is read in place. Everything else is copied. The library's clouds are
float32, its costs float64. Clouds of float64 that are far from 0 are rounded relative to an origin, so
that no distance changes when both clouds move together. A call warns where float32 still loses more
than 1e-4 of a cloud's extent. Calls release the interpreter's lock and may come from many threads; do
not change an array while a call reads it. Results are NumPy arrays of their own. A process that has
called this package must not use it after a fork.
"""

from __future__ import annotations

import html as _html
import math
import os
from dataclasses import dataclass
from typing import Literal, Optional, Sequence, Union

import numpy as np
import numpy.typing as npt

from . import _library
from ._lab import Ablation, Picture, varied as _varied

__all__ = [
    "Ablation", "Distance", "Matching", "Picture", "Result",
    "ablate", "barycenter", "cluster", "color", "distance", "embed", "emd", "neighbours", "normality", "pairwise", "plan", "register", "train", "two_sample_test", "version", "vmf_samples",
]  # fmt: skip


@dataclass(frozen=True, eq=False, repr=False)
class Distance:
    """The result of :func:`distance`. B is the number of pairs; without the axis of clouds in x and
    y, arrays are without it too. Fields that do not apply are None. It prints as one line: the loss, its
    value with error and interval, and the convention."""

    value: float  #: mean over the pairs
    stderr: float  #: Monte-Carlo standard error of value over slices; 0 without random slices, nan for one slice
    interval: tuple[float, float]  #: 95 % confidence interval of value, by Student's t; see covers
    loss: str  #: name of the loss in tables
    convention: str  #: what the number is: sum or mean over points, with or without a root
    p: float  #: the exponent; 0 for a loss that has none
    slices: int  #: slices per pair that count; 0 for a loss without slices
    per_pair: npt.NDArray[np.float64]  #: [B]
    per_pair_stderr: npt.NDArray[np.float64]  #: [B]
    costs: Optional[npt.NDArray[np.float32]] = None  #: [B, L] cost of every slice, before mean and root
    directions: Optional[npt.NDArray[np.float32]] = None  #: [B, L, dim]
    location: Optional[npt.NDArray[np.float32]] = None  #: [B, dim] of the slicing distribution
    gradient_x: Optional[npt.NDArray[np.float32]] = None  #: [B, m, dim] d value / d x
    gradient_y: Optional[npt.NDArray[np.float32]] = None  #: [B, n, dim] d value / d y
    duality_gap: Optional[npt.NDArray[np.float64]] = None  #: [B] of emd-exact, of usw and with certify: distance from the optimum, at most
    ascent_starts: Optional[npt.NDArray[np.float64]] = None  #: [B, N] what each of several ascents reached
    bracket: Optional[Result] = None  #: bounds of W2: low, high, with labels estimate (means over the pairs), and low_per_pair, ...
    marginal_costs: Optional[npt.NDArray[np.float64]] = None  #: [B, pairs] of partial-sw: of each further pair of points
    matched_mass: Optional[npt.NDArray[np.float32]] = None  #: [B] of emd-approx: fraction of the mass that is matched
    covers: Optional[str] = None  #: what stderr and interval cover: "directions", never the sampling of the points
    slicing: Optional[str] = None  #: the slicing distribution, such as "auto: qmc"; "given" with directions
    population: Optional[Result] = None  #: stderr, low and high of directions and points together; None where not known
    scale: Optional[npt.NDArray[np.float64]] = None  #: [dim] by what the coordinates were divided
    line_cost: Optional[str] = None  #: what one direction costs, the name of ``cost``
    _clouds: Optional[dict] = None

    @property
    def optimality_gap(self):
        """duality_gap, by its name in the command line's JSON."""
        return self.duality_gap

    def __repr__(self):
        number = f"{self.value:.8g}"
        if self.slices and self.duality_gap is not None and self.line_cost != "unbalanced":
            number = f"{self.value:.8g}, at most {np.max(self.duality_gap):.2g} from the maximum"
        elif self.slices and math.isnan(self.stderr):
            number = f"{self.value:.6g}, error unknown: too few independent slices, or the root of 0"
        elif self.slices:
            number = f"{self.value:.6g} +- {self.stderr:.2g}, 95 % between {self.interval[0]:.6g} and {self.interval[1]:.6g} ({self.covers})"
        return f"{self.loss} {number} ({self.convention})"

    def __float__(self):
        return float(self.value)

    def _repr_html_(self):
        line = f"<pre>{_html.escape(repr(self))}</pre>"
        return line + self.plot()._repr_html_() if self._drawn() else line

    def _drawn(self):
        return self._clouds is not None and self._clouds["x"].shape[-1] in (2, 3)

    def plot(self) -> Picture:
        """A picture of the most expensive slice or, without slices, of the clouds; in 2 or 3 dimensions."""
        if not self._drawn():
            raise ValueError("plot: expected clouds in 2 or 3 dimensions")
        if self.directions is None or self._clouds["x"].shape != self._clouds["y"].shape:
            return Picture("clouds", self._clouds)
        directions = self.directions.reshape(-1, *self.directions.shape[-2:])[0]
        return Picture("slice", {**self._clouds, "directions": np.ascontiguousarray(directions, np.float32)})


@dataclass(frozen=True, eq=False, repr=False)
class Matching:
    """The result of :func:`emd`, with its certificate of optimality. It prints as one line: the cost, and
    by how much it exceeds the optimum at most.

    If u[i] + v[j] <= c(x_i, y_j) for all i and j, no matching costs less than sum u + sum v. So cost
    exceeds the optimum by at most duality_gap + m * slack, however it was found. B is the number of
    pairs; without the axis of clouds in x and y, arrays are without it too.
    """

    cost: npt.NDArray[np.float64]  #: [B] sum over the points, or a float
    match: npt.NDArray[np.int32]  #: [B, m] the y matched with each x
    u: npt.NDArray[np.float64]  #: [B, m] dual potentials of x
    v: npt.NDArray[np.float64]  #: [B, m] dual potentials of y
    duality_gap: npt.NDArray[np.float64]  #: [B] cost - sum u - sum v, and all rounding
    slack: npt.NDArray[np.float64]  #: [B] largest u[i] + v[j] - c(x_i, y_j), or 0: u is rounded down
    gradient_x: Optional[npt.NDArray[np.float64]] = None  #: [B, m, dim] d cost / d x
    gradient_y: Optional[npt.NDArray[np.float64]] = None  #: [B, m, dim] d cost / d y

    def __repr__(self):
        cost, excess = np.atleast_1d(self.cost), np.atleast_1d(self.duality_gap + self.match.shape[-1] * self.slack)
        number = f"cost {cost[0]:.8g}" if len(cost) == 1 else f"{len(cost)} costs between {cost.min():.8g} and {cost.max():.8g}"
        return f"EMD of {self.match.shape[-1]} points: {number}, at most {excess.max():.2g} above the optimum (sum over points, no root)"


class Result:
    """What a function found. Its fields are those of the command line's JSON, and arrays in place of files.
    Numbers are Python's own. It prints as one line."""

    def __init__(self, function, texts, arrays):
        self._function = function
        self.__dict__.update(texts)
        self.__dict__.update({name: a.item() if a.ndim == 0 else a for name, a in arrays.items()})

    def __repr__(self):
        def shown(v):
            if isinstance(v, np.ndarray):
                return f"array {list(v.shape)}"
            return f"{v:.6g}" if isinstance(v, float) else str(v)

        return f"{self._function} " + ", ".join(f"{k} {shown(v)}" for k, v in vars(self).items() if k != "_function")


def _result(function, arrays, seed=0, **settings):
    """Calls a function with the settings that were given, those that are not None."""
    given = {name: value for name, value in settings.items() if value is not None}
    return Result(function, *_library.call(function, given, arrays, seed, level=4))


def distance(
    x: npt.ArrayLike,
    y: npt.ArrayLike,
    loss: str = "sw",
    *,
    slices: Optional[int] = None,
    seed: int = 0,
    gradient: bool = False,
    bracket: bool = False,
    population: bool = False,
    scale: bool = False,
    features: Optional[int] = None,
    labelled: Optional[Sequence[tuple[npt.ArrayLike, npt.ArrayLike, float]]] = None,
    p: Optional[float] = None,
    reduce: Optional[Literal["sum", "mean"]] = None,
    root: Optional[bool] = None,
    cost: Optional[Literal["wasserstein", "cramer", "energy", "epps-pulley"]] = None,
    slicing: Optional[str] = None,
    kappa: Optional[float] = None,
    directions: Optional[npt.ArrayLike] = None,
    mass_x: Optional[npt.ArrayLike] = None,
    mass_y: Optional[npt.ArrayLike] = None,
    chain: Optional[int] = None,
    replicates: Optional[int] = None,
    control: Optional[Literal["lower", "upper", "harmonics"]] = None,
    epsilon: Optional[float] = None,
    reg: Optional[float] = None,
    mass: Optional[int] = None,
    kl: Optional[float] = None,
    uniform: Optional[bool] = None,
    ground: Optional[Literal["euclidean", "p"]] = None,
    ascent_steps: Optional[int] = None,
    ascent_rate: Optional[float] = None,
    ascent_tangent: Optional[bool] = None,
    ascent_sgd: Optional[bool] = None,
    ascent_starts: Optional[int] = None,
    certify: bool = False,
    gap: Optional[float] = None,
    budget: Optional[int] = None,
    reflection: Optional[Literal["released", "exact", "stable"]] = None,
    amortizer: Optional[str] = None,
    weights: Optional[Union[str, os.PathLike[str]]] = None,
    fine_tune: Optional[bool] = None,
    dk: Optional[int] = None,
    k: Optional[int] = None,
    variant: Optional[Literal["released", "paper"]] = None,
    normalize: Literal["none", "unit"] = "none",
    path: Literal["auto", "host", "graph"] = "auto",
) -> Distance:
    """The distance of the clouds x [B, m, dim] and y [B, n, dim], or [m, dim] and [n, dim].

    With directions theta_1, ..., theta_L, and a_(i), b_(i) the sorted projections of the clouds, a
    sliced loss is

        value = (1/L) sum_l F(theta_l),   F(theta) = sum_i |a_(i) - b_(i)|^p

    a sum over points without a root, which is m W_p^p of the projections. ``reduce="mean"`` divides
    by the number of points, ``root=True`` takes the p-th root. Clouds of unequal sizes or with
    masses need the mean, also of emd-exact. Nothing is centred or scaled. Clouds of one dimension,
    [m] or [m, 1], are compared on the line, without slices.

    Args:
        x, y: the clouds.
        loss: sw, orthogonal-sw, qmc-sw, cv-sw, eb-sw, rp-sw, markov-sw, asw, max-sw, v-dsw, or, without
            slices, chamfer, emd-approx, emd-exact, sinkhorn, sinkhorn-divergence; circle, for numbers that count
            mod 1, ssw, for unit vectors, partial-sw and usw.
        slices: the number of directions L, 100 if not given.
        seed: of the random directions. Equal seeds give equal directions everywhere.
        gradient: also compute the gradients in x and y.
        bracket: also bound W2, the 2-Wasserstein distance (the root, with a mean over points), by the same
            directions; sliced losses with p = 2.
        labelled: with bracket, pairs (x, y, W2) of clouds [m, dim] with known W2, to which an estimate is fitted.
        p: the exponent, at least 1. Not given: the loss's own, 1 for EMDs, else 2.
        reduce: over points; not given: the loss's own, a mean for chamfer, sinkhorn, circle and ssw, else a sum.
        root: take the p-th root of each pair's value.
        cost: what one direction costs, in sliced losses. Other costs than "wasserstein", F above, are means
            without an exponent and take clouds of any sizes: "cramer" is int (F - G)^2 dt with the
            distribution functions of the projections, "energy" twice that, "epps-pulley"
            2 int_0^3 |phi_x - phi_y|^2 exp(-t^2/2) dt with their characteristic functions.
        slicing: the slicing distribution in place of the loss's own. "auto" has the smallest error: evenly
            spread sets up to dimension 20, orthogonal frames above.
        population: also the 95 % interval that covers the sampling of the points, for clouds of independent
            points. sw and its kind with p=2 and reduce="mean", without a root and masses.
        scale: divide each coordinate by its standard deviation within the clouds, for features of unlike
            range. Not with gradient.
        features: slice all monomials of this odd degree in the coordinates, x^3, x^2 y, x y^2, y^3 for 3 in
            the plane, in place of the points. Not with gradient.
        kappa: concentration of slicing distributions that have one.
        directions: [L, dim] or [B, L, dim], used as given in place of random ones.
        mass_x, mass_y: [B, m] and [B, n] masses of the points, float64, divided by their sum. For sliced losses
            and emd-exact with reduce="mean", chamfer and the Sinkhorn losses.
        ground: of emd-exact and sinkhorn: the norm in the cost ||x - y||^p, "euclidean" or "p", the p-norm.
        chain, replicates, control, epsilon, reg: of markov-sw, of qmc, of cv-sw, of asw, of sinkhorn.
        mass: of partial-sw: how many points are matched, each of mass 1; not given: as many as the smaller cloud has.
        kl: of usw: the weight of the Kullback-Leibler divergence of the masses, 1 if not given. Masses are as
            given, 1 without any; reduce="mean" divides them by their sum.
        uniform: of circle and ssw: compare x with the uniform distribution in place of y.
        ascent_steps, ascent_rate, ascent_tangent, ascent_sgd, ascent_starts: of max-sw and v-dsw.
        certify: of max-sw in the plane and in space: the maximum over all directions, to ``gap`` times the
            value (1e-3), with a proof, duality_gap. ``budget`` is the largest number of directions tried.
        reflection: how von Mises-Fisher samples are turned to their location.
        amortizer, weights, fine_tune, dk, k, variant: the map that predicts the location of max-sw and
            v-dsw, the file of its weights, and its sizes. Without weights they are initial, by seed.
        normalize: of emd-approx, whose scales are for clouds of radius 1. "unit" centres both clouds of a
            pair together, scales them to radius 1, and scales the value back.
        path: "host" sorts exactly. "auto" is the same with gradients; without, it may sort keys of 32
            bits, to a relative error of 1e-6. "graph" is what trainings use.

    Warns:
        UserWarning: where a number may not be what you expect; the text says why.

    Raises:
        ValueError: for a wrong argument, and for one without effect; the text says what was expected.
        MemoryError: if the call does not fit into this machine's memory.
        TypeError: for an array that does not hold real numbers.
    """
    arrays, single = _pair(x, y)
    if directions is not None:
        arrays["directions"] = _library.array("directions", directions, (2, 3))
    for name, masses in (("mass_x", mass_x), ("mass_y", mass_y)):
        if masses is not None:
            m = _library.array(name, masses, (1, 2), np.float64)
            arrays[name] = m[None] if m.ndim == 1 else m
    if labelled is not None:
        for i, (a, b, _) in enumerate(labelled):
            arrays[f"labelled_x{i}"] = _library.array(f"labelled_x{i}", a, (2,), None)[None]
            arrays[f"labelled_y{i}"] = _library.array(f"labelled_y{i}", b, (2,), None)[None]
        arrays["labelled"] = _library.array("labelled", [w for _, _, w in labelled], (1,), np.float64)
    optional = dict(
        slices=slices, p=p, reduce=reduce, root=root, cost=cost, slicing=slicing, kappa=kappa, chain=chain, replicates=replicates, control=control,
        epsilon=epsilon, reg=reg, mass=mass, kl=kl, uniform=uniform, ground=ground, ascent_steps=ascent_steps, ascent_rate=ascent_rate, ascent_tangent=ascent_tangent, ascent_sgd=ascent_sgd,
        ascent_starts=ascent_starts, certify=certify or None, gap=gap, budget=budget,
        reflection=reflection, amortizer=amortizer, weights=weights, fine_tune=fine_tune, dk=dk, k=k, variant=variant, features=features,
    )  # fmt: skip
    settings = {name: value for name, value in optional.items() if value is not None}
    text, found = _library.call("distance", dict(loss=loss, gradient=gradient, bracket=bracket, population=population, scale=scale, normalize=normalize, path=path, **settings), arrays, seed)
    low, high = found.pop("interval").tolist()
    bounds, interval, divided = _take("bracket_", found), _take("population_", found), found.pop("scale", None)
    scalars = {name: found.pop(name).item() for name in ("value", "stderr", "p")}
    return Distance(
        **scalars, interval=(low, high), loss=text["loss"], convention=text["convention"], slices=int(text["slices"]),
        line_cost=text.get("line_cost"), covers=text.get("covers"), slicing=text.get("slicing"), scale=divided,
        bracket=_part("bracket", bounds), population=_part("population", interval), _clouds={name: arrays[name] for name in ("x", "y")},
        **_squeeze(found, single, x, y)
    )  # fmt: skip


def _take(prefix, found):
    """Takes the arrays of that prefix out of what was found."""
    return {name.removeprefix(prefix): found.pop(name) for name in list(found) if name.startswith(prefix)}


def _part(name, found):
    """A part of a result, if it was asked for."""
    return Result(name, {}, found) if found else None


def ablate(x: npt.ArrayLike, y: npt.ArrayLike, *, repeats: int = 1, seed: int = 0, **settings) -> Ablation:
    """A distance for every combination of the settings of :func:`distance` that are given as lists, each with as many
    seeds as ``repeats``. Without ``loss`` it is v-dsw. A setting that a loss does not read is left out of its rows.

        >>> swlab.ablate(x, y, kappa=[0.1, 1, 10], slices=[10, 100], repeats=20).curves("slices")  # doctest: +SKIP
    """
    fixed, grid = _varied({"loss": "v-dsw", **settings})
    arrays, _ = _pair(x, y)
    if grid:
        fixed["vary"] = grid
    text, found = _library.call("ablate", dict(repeats=repeats, **fixed), arrays, seed)
    return Ablation(text, found["values"])


def train(data: npt.ArrayLike, loss: str = "sw", *, out: Union[str, os.PathLike[str]] = ".", seed: int = 1, **settings) -> Result:
    """Train the autoencoder on clouds [clouds, points, 3] by a loss. Settings are those of ``swlab train``, with
    underscores: epochs, steps, batch, amortizer, kappa, slices. What is not given has the size of the tables' preset
    quick, 3 epochs of batches of 32. The run lies below ``out``; an equal call reads it, or goes on with it.

    The result has ``loss``, ``steps``, ``losses`` [steps], ``reconstructions`` of a few clouds, and the folder ``run``.
    """
    arrays = {"data": _library.array("data", data, (3,), None)}
    given = dict(loss=loss, **{name: v for name, v in settings.items() if v is not None})
    return Result("train", *_library.call("train", given, arrays, seed, folder=os.path.abspath(os.fspath(out))))


def emd(x: npt.ArrayLike, y: npt.ArrayLike, *, p: float = 1, gradient: bool = False) -> Matching:
    """The exact earth mover's distance of clouds of equally many points, [B, m, dim] or [m, dim]:

        cost = min over permutations s of sum_i ||x_i - y_s(i)||^p,   p > 0

    a sum over points: p = 1 is m times the earth mover's distance, p = 2 is m W_2^2. The gradients
    hold the matching fixed. Two shapes of 2048 points take a fraction of a second; the worst case is
    cubic in m.

    Raises:
        ValueError: for clouds of unequal sizes, numbers that are not finite, or a wrong p.
    """
    arrays, single = _pair(x, y)
    _, found = _library.call("emd", dict(p=p, gradient=gradient), arrays)
    return Matching(**_squeeze(found, single, x, y))


def plan(
    x: npt.ArrayLike,
    y: npt.ArrayLike,
    *,
    directions: Optional[npt.ArrayLike] = None,
    slices: Optional[int] = None,
    temperature: Optional[float] = None,
    mass_x: Optional[npt.ArrayLike] = None,
    mass_y: Optional[npt.ArrayLike] = None,
    seed: int = 0,
) -> Result:
    """Sliced transport plans between the clouds x [m, dim] and y [n, dim]. The points are matched in the
    order of their projections on a direction; in space that plan costs

        c(theta) = sum of mass ||x_i - y_j||^2 >= W_2^2

    as a mean over points. The expected plan is the mean of all. Everything is computed in float64.

    Args:
        directions: [L, dim], used as given in place of random ones; slices: their number, 100 if not given.
        temperature: T > 0 of the expected plan, in which a direction of cost c weighs exp(-c/T). Not given:
            all weigh the same.
        mass_x, mass_y: [m] and [n] masses of the points, divided by their sum. Not given: equal ones.
        seed: of the random directions.

    Returns:
        ``costs`` [L], ``cost`` of the best direction, which is number ``best``, ``expected_cost``, and the plans
        of both, ``plan`` and ``expected_plan``: rows [k, 3] of a row of x, a row of y and the mass.
    """
    clouds, single = _pair(x, y)
    if not single:
        raise ValueError(f"x and y: expected clouds [m, dim], found shapes {np.shape(x)} and {np.shape(y)}")
    arrays = {name: cloud[0] for name, cloud in clouds.items()}
    for name, given, axes in (("directions", directions, 2), ("mass_x", mass_x, 1), ("mass_y", mass_y, 1)):
        if given is not None:
            arrays[name] = _library.array(name, given, (axes,), np.float64)
    return _result("plan", arrays, seed, slices=slices, temperature=temperature)


def normality(
    x: npt.ArrayLike,
    *,
    directions: Optional[npt.ArrayLike] = None,
    slices: Optional[int] = None,
    slicing: Optional[str] = None,
    seed: int = 0,
) -> Result:
    """The statistic of Epps and Pulley of the projections of the points x [n, dim], or of the numbers x [n],
    against N(0, 1):

        n 2 int_0^3 |phi(t) - exp(-t^2/2)|^2 exp(-t^2/2) dt

    with phi the characteristic function of the n projections, by the trapezoid rule with 17 knots, as in
    SIGReg. Everything is computed in float64. The points are neither centred nor scaled. Points of
    N(0, I) have 1.05 on average.

    Args:
        directions: [L, dim], used as given in place of random ones; slices: their number, 100 if not given.
        slicing: the slicing distribution in place of "uniform".
        seed: of the random directions.

    Returns:
        ``statistics`` [L], one of each direction, and ``value``, their mean.
    """
    points = _library.array("x", x, (1, 2), None)
    arrays = {"x": points[:, None] if points.ndim == 1 else points}
    if directions is not None:
        arrays["directions"] = _library.array("directions", directions, (2,), np.float64)
    return _result("normality", arrays, seed, slices=slices, slicing=slicing)


def two_sample_test(
    x: npt.ArrayLike,
    y: npt.ArrayLike,
    *,
    slices: Optional[int] = None,
    permutations: Optional[int] = None,
    p: Optional[float] = None,
    slicing: Optional[str] = None,
    directions: Optional[npt.ArrayLike] = None,
    seed: int = 0,
) -> Result:
    """Tests whether the independent points x [m, dim] and y [n, dim] come from one distribution, by a
    permutation test of the sliced Wasserstein distance T, the mean over directions of W_p^p (a mean over
    points, without a root):

        p_value = (1 + #{k: T_k >= T}) / (1 + permutations)

    with T_k the distance after a random permutation of the labels. If the distributions are equal,
    p_value <= alpha has a probability of at most alpha. Everything is computed in float64.

    Args:
        slices: the number of directions, 100 if not given; permutations: 999 if not given; p: 2 if not given.
        slicing: the slicing distribution in place of "uniform".
        directions: [L, dim], used as given in place of random ones.
        seed: of the random directions and permutations.

    Returns:
        ``p_value``, its Monte-Carlo error over the permutations ``p_value_stderr``, and ``statistic``, T.
    """
    arrays = {"x": _library.array("x", x, (2,), None), "y": _library.array("y", y, (2,), None)}
    if directions is not None:
        arrays["directions"] = _library.array("directions", directions, (2,), np.float64)
    return _result("two_sample_test", arrays, seed, slices=slices, permutations=permutations, p=p, slicing=slicing)


def _of_set(function, clouds, directions, seed, out, **settings):
    """Calls a function of all clouds of a set; the array of that name is also its out."""
    arrays = {"clouds": _library.array("clouds", clouds, (3,), None)}
    if directions is not None:
        arrays["directions"] = _library.array("directions", directions, (2,), np.float64)
    found = _result(function, arrays, seed, **settings)
    found.out = getattr(found, out)
    found.shape = found.out.shape
    return found


def embed(
    clouds: npt.ArrayLike,
    *,
    slices: Optional[int] = None,
    slicing: Optional[str] = None,
    quantiles: Optional[int] = None,
    directions: Optional[npt.ArrayLike] = None,
    seed: int = 0,
) -> Result:
    """A vector for each of the clouds [N, m, dim]: its sorted projections on L directions that all clouds share,
    divided by the root of their number. The Euclidean distance of two vectors is the sliced Wasserstein distance
    along these directions,

        SW_2^2 = (1/L) sum_l (1/m) sum_i (a_(i) - b_(i))^2

    with the root, as a mean over points. Everything is computed in float64.

    Args:
        slices: the number of directions, 100 if not given; slicing: their distribution in place of "uniform".
        quantiles: q means of the quantile function in place of all points; distances are then lower bounds.
        directions: [L, dim], used as given in place of random ones.
        seed: of the random directions.

    Returns:
        ``vectors`` [N, L q], also as ``out``, ``directions`` [L, dim], ``slices``, ``quantiles``, ``shape``.
    """
    return _of_set("embed", clouds, directions, seed, "vectors", slices=slices, slicing=slicing, quantiles=quantiles)


def pairwise(
    clouds: npt.ArrayLike,
    *,
    kernel: Optional[float] = None,
    slices: Optional[int] = None,
    slicing: Optional[str] = None,
    quantiles: Optional[int] = None,
    directions: Optional[npt.ArrayLike] = None,
    seed: int = 0,
) -> Result:
    """The sliced Wasserstein distances of all pairs of the clouds [N, m, dim], with the root, as means over points,
    from one projection and one sort per cloud and direction. With ``kernel=S`` exp(-SW_2^2 / (2 S^2)), a positive
    semidefinite matrix. The other arguments are those of :func:`embed`.

    Returns:
        ``matrix`` [N, N], also as ``out``, ``directions``, ``slices``, ``quantiles``, ``shape``.
    """
    return _of_set(
        "pairwise", clouds, directions, seed, "matrix", kernel=kernel, slices=slices, slicing=slicing, quantiles=quantiles
    )


def neighbours(
    clouds: npt.ArrayLike,
    k: int,
    *,
    slices: Optional[int] = None,
    slicing: Optional[str] = None,
    quantiles: Optional[int] = None,
    directions: Optional[npt.ArrayLike] = None,
    seed: int = 0,
) -> Result:
    """The k nearest other clouds of each of the clouds [N, m, dim], nearest first, in the distance of :func:`pairwise`,
    without its matrix. The other arguments are those of :func:`embed`.

    Returns:
        ``neighbours`` [N, k] int32, also as ``out``, ``distances`` [N, k], ``directions``, ``slices``, ``quantiles``,
        ``shape``.
    """
    return _of_set(
        "neighbours", clouds, directions, seed, "neighbours", k=k, slices=slices, slicing=slicing, quantiles=quantiles
    )


def cluster(
    clouds: npt.ArrayLike,
    k: int,
    *,
    starts: Optional[int] = None,
    slices: Optional[int] = None,
    slicing: Optional[str] = None,
    quantiles: Optional[int] = None,
    directions: Optional[npt.ArrayLike] = None,
    seed: int = 0,
) -> Result:
    """k clusters of the clouds [N, m, dim], by k-means in the distance of :func:`pairwise`: the best of ``starts``, 10
    if not given. The other arguments are those of :func:`embed`.

    Returns:
        ``labels`` [N] int32, also as ``out``, numbered by their first clouds, ``centres`` [k, L q], ``inertia``, the sum
        of the squared distances to them, ``directions``, ``slices``, ``quantiles``, ``shape``.
    """
    return _of_set(
        "cluster", clouds, directions, seed, "labels", k=k, starts=starts, slices=slices, slicing=slicing, quantiles=quantiles
    )


def barycenter(
    clouds: npt.ArrayLike,
    loss: str = "sw",
    *,
    steps: Optional[int] = None,
    points: Optional[int] = None,
    slices: Optional[int] = None,
    p: Optional[float] = None,
    cost: Optional[str] = None,
    slicing: Optional[str] = None,
    kappa: Optional[float] = None,
    chain: Optional[int] = None,
    replicates: Optional[int] = None,
    control: Optional[str] = None,
    epsilon: Optional[float] = None,
    reflection: Optional[str] = None,
    ascent_steps: Optional[int] = None,
    ascent_rate: Optional[float] = None,
    ascent_tangent: Optional[bool] = None,
    seed: int = 0,
) -> Result:
    """A cloud of points of equal mass whose mean sliced loss to the clouds [N, m, dim] is least, as a mean over points. The
    points are free, and the minimum is local: it starts with the first cloud, moved to the mean of the centroids.

    Args:
        loss: a sliced loss of :func:`distance`, with its settings.
        steps: 100 if not given, each along new directions.
        points: of the barycenter; as many as a cloud has if not given.
        control: of cv-sw; lower if not given.

    Returns:
        ``points`` [n, dim], also as ``out``, ``value``, the mean loss, its ``stderr``, ``loss`` and ``convention``.
    """
    found = _result(
        "barycenter", {"clouds": _library.array("clouds", clouds, (3,), None)}, seed, loss=loss, steps=steps, points=points,
        slices=slices, p=p, cost=cost, slicing=slicing, kappa=kappa, chain=chain, replicates=replicates, control=control,
        epsilon=epsilon, reflection=reflection, ascent_steps=ascent_steps, ascent_rate=ascent_rate, ascent_tangent=ascent_tangent,
    )  # fmt: skip
    found.out = found.points
    return found


def color(
    source: npt.ArrayLike, to: npt.ArrayLike, *, steps: Optional[int] = None, slices: Optional[int] = None, seed: int = 0
) -> Result:
    """The picture ``source`` [height, width, 3] in the colours of the picture ``to``, of any size, by sliced matching: uint8, or
    floats from 0 to 1.

    Args:
        steps: along new perpendicular directions, 50 if not given.
        slices: directions of the distances, 100 if not given.

    Returns:
        ``picture``, of the shape and the type of ``source``, also as ``out``, and ``before`` and ``after``: SW_2 to the colours
        of ``to``, with the root, as a mean over pixels, of colours from 0 to 1.
    """
    arrays, narrow = {}, np.asarray(source).dtype == np.uint8
    for name, picture in (("source", source), ("to", to)):
        a = _library.array(name, picture, (3,), np.float64)
        kind = np.asarray(picture).dtype
        if kind.kind != "f" and kind != np.uint8:
            raise TypeError(f"{name}: expected uint8, or floats from 0 to 1, found {kind}")
        arrays[name] = a / 255 if kind == np.uint8 else a
    found = _result("color", arrays, seed, steps=steps, slices=slices, round=narrow)
    found.picture = np.rint(255 * found.picture).astype(np.uint8) if narrow else found.picture
    found.out = found.picture
    return found


def register(
    x: npt.ArrayLike,
    y: npt.ArrayLike,
    *,
    steps: Optional[int] = None,
    slices: Optional[int] = None,
    starts: Optional[int] = None,
    seed: int = 0,
) -> Result:
    """The rigid motion y = rotation x + translation between the clouds x [m, dim] and y [n, dim], whose rows are in any order
    and of which some have no partner in the other.

    Args:
        steps, slices: of the descent of the sliced distance, 30 and 30 if not given.
        starts: random motions that the refinement also starts from, 100 if not given.

    Returns:
        ``rotation`` [dim, dim], ``translation`` [dim], ``angle_deg``, the largest angle by which a vector turns, ``share`` of
        the points with a partner, ``rms`` of the distances to these, and ``moved`` [m, dim], also as ``out``.
    """
    arrays, single = _pair(x, y)
    if not single:
        raise ValueError(f"x and y: expected one cloud each, found shapes {np.shape(x)} and {np.shape(y)}")
    found = _result("register", arrays, seed, steps=steps, slices=slices, starts=starts)
    found.out = found.moved
    return found


def vmf_samples(location: Sequence[float], kappa: float, n: int, *, seed: int = 0) -> npt.NDArray[np.float64]:
    """n samples [n, dim] of the von Mises-Fisher distribution on the unit sphere, with density

        f(theta) = C(dim, kappa) exp(kappa <location, theta>)

    location is a unit vector of at least 2 coordinates; kappa = 0 is the uniform distribution.

    Raises:
        ValueError: for a location that is no unit vector, a negative kappa, or n < 1.
        MemoryError: if the samples do not fit into this machine's memory.
    """
    at = _library.array("location", location, (1,), np.float64)
    settings = dict(location=",".join(map(repr, at.tolist())), kappa=kappa, n=n)
    return _library.call("vmf_samples", settings, {}, seed)[1]["samples"]


def version() -> str:
    """The version of the Go library."""
    return _library.call("version", {}, {})[0]["version"]


def _pair(x, y):
    """Both clouds with an axis of clouds, and whether they came without one. An array [m] is the cloud [m, 1]."""
    x, y = (_library.array(name, cloud, (1, 2, 3), None) for name, cloud in (("x", x), ("y", y)))
    x, y = (cloud[:, None] if cloud.ndim == 1 else cloud for cloud in (x, y))
    if x.ndim != y.ndim:
        raise ValueError(f"x and y: expected as many axes in both, found shapes {x.shape} and {y.shape}")
    single = x.ndim == 2
    return ({"x": x[None], "y": y[None]} if single else {"x": x, "y": y}), single


def _squeeze(found, single, x, y):
    """The arrays without the axis of clouds if the clouds have none. Gradients have the shapes of the clouds."""
    shapes = {"gradient_x": np.shape(x), "gradient_y": np.shape(y)}
    found = {name: a[0] for name, a in found.items()} if single else found
    return {name: a.reshape(shapes.get(name, a.shape)) for name, a in found.items()}
