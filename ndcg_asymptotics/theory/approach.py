"""The limit that the exact mean points to: the mean at n = 1e18, freed of what vanishes.

With w_n the weight of depth (`depth_weight`), v_n its size and phi its profile on (0, c)::

    E[NDCG_n] IDCG_n(n R) / v_n  =  int E[Y | t] phi(t) dt  +  int E[Y | t] (w_n / v_n - phi)(t) dt  +  rest,

IDCG_n(n R) the ideal DCG of the mean label counts. The second integral is the gap: a curve-free measure
that vanishes, against the curve. For the log discount it is the series

    sum_(j >= 1) (log n)^-j int E[Y | t] (-log t)^j dt,

for r^-b it is zeta(b) E[Y | 0] n^-(1-b) and less; what is subtracted here is all of it. Where D
concentrates at the top (1/r, k = o(n)) the point mass F(k) E[Y | 0] takes the place of the profile, and
the gap of 1/r is ``int (E[Y | t] - E[Y | 0]) / t dt`` over F(n). The rest is the fluctuation of IDCG_n::

    |rest| v_n <= (E[NDCG_n] + sqrt(E[NDCG_n] (1 - E[NDCG_n]))) sd(IDCG_n),

so the limit is found with an error of the order n^-1/2 whatever the rate of convergence is.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ndcg_asymptotics.core.arrays import Floats
from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.populations import Mixture, Relevance
from ndcg_asymptotics.specs.scanner import number_text
from ndcg_asymptotics.theory import quadrature
from ndcg_asymptotics.theory.depth_weight import DepthWeight
from ndcg_asymptotics.theory.limits import Labels, concentrates
from ndcg_asymptotics.theory.mean import Expectation, expected_ndcg

_SIZES = tuple(10**d for d in range(4, 19))
_CERTAIN = 12.0  # standard deviations by which a label count is surely beyond the cutoff
_MEAN = 1e-8  # of itself: what the exact mean is trusted with, whatever error it states
_ROUNDING = 1e-11  # of the sums of exponentials
_MESHES = (1, 2, 3)  # the panels of the first one, and every second or third edge of them
_LESS = 0.995  # of its size at n = 1e9, what the gap's measure may be at 1e18

Mean = Callable[[Relevance, Measure, tuple[int, ...]], Expectation]


@dataclass(frozen=True)
class Approach:
    """The exact mean along n = 1e4 … 1e18 and the limit it points to.

    Attributes
    ----------
    sizes, expectation : (K,)
        The exact mean.
    scale : str
        The expected order of the gap, such as ``n^-0.5``.
    extrapolated, error : float
        The limit that the exact mean points to, and a bound of its error; infinite where there is none.
    """

    sizes: tuple[int, ...]
    expectation: Floats
    scale: str
    _x: Floats
    extrapolated: float
    error: float

    def fitted(self, limit: float) -> str:
        """The order of the gap to a limit, fitted over the upper half of the sizes.

        The slope of log |gap| against log x says which power of the expected scale the gap
        follows: 1 where theory and the exact mean agree.
        """
        gap = np.abs(self.expectation - limit)
        half = len(gap) // 2
        gap, x = gap[half:], self._x[half:]
        seen = gap > 1e-11 * abs(limit) + 1e-13
        if np.count_nonzero(seen) < 3:
            return "below 1e-11"
        slope = float(np.polyfit(np.log(x[seen]), np.log(gap[seen]), 1)[0])
        return f"({self.scale})^{slope:.2f}"


def approach(relevance: Relevance, measure: Measure, mean: Mean = expected_ndcg) -> Approach:
    """Follow the exact mean to n = 1e18 and free it of what vanishes; ``mean`` is who is asked for it.

    >>> found = approach(Relevance.parse("linear(0.1, 0.7)"), Measure.parse("nDCG"))
    >>> found.scale, abs(found.extrapolated - 1) < found.error < 1e-7
    ('1/log n', True)

    Raises
    ------
    InputError
        If there is no exact mean.
    """
    if isinstance(relevance, Mixture):
        return _mixed(relevance, relevance.each(lambda model: approach(model, measure, mean)))
    scale, x = _scale(relevance, measure)
    found = mean(relevance, measure, _SIZES)
    return Approach(_SIZES, found.value, scale, x, *_freed(relevance, measure, found))


def _mixed(mixture: Mixture, found: list[Approach]) -> Approach:
    """The average of the groups; the gap's scale is that of the slowest."""
    slowest = max(found, key=lambda of_group: float(of_group._x[-1]))
    weights = mixture.weights
    return Approach(
        _SIZES,
        np.asarray(weights @ [of_group.expectation for of_group in found]),
        slowest.scale,
        slowest._x,
        float(weights @ [of_group.extrapolated for of_group in found]),
        float(weights @ [of_group.error for of_group in found]),
    )


def destination(relevance: Relevance | str, measure: Measure | str) -> tuple[float, float]:
    """The limit that the exact mean at n = 1e18 points to, and a bound of its error.

    >>> found, error = destination("linear(0.4, 1)", "nDCG(power(0.5))@0.2n")
    >>> abs(found - 0.96) < error < 1e-7
    True
    """
    relevance, measure = Relevance.of(relevance), Measure.of(measure)
    return _freed(relevance, measure, expected_ndcg(relevance, measure, _SIZES[-1:]))


def _freed(relevance: Relevance, measure: Measure, mean: Expectation) -> tuple[float, float]:
    """`destination`, from means of which the last is that at n = 1e18."""
    labels, weight = Labels.of(relevance), DepthWeight(measure, _SIZES[-1])
    if not labels.gains:
        return 0.0, _ROUNDING
    value = float(mean.value[-1])
    ideal, deviation = _ideal(labels, weight)
    rest = (value + math.sqrt(value * max(1 - value, 0.0))) * deviation
    rest += max(float(mean.error[-1]), _MEAN * value) * ideal
    find = _top if concentrates(measure) else _bulk
    return find(relevance, labels, weight, value * ideal, rest)


def _ideal(labels: Labels, weight: DepthWeight) -> tuple[float, float]:
    """IDCG_n of the mean label counts, and a bound of the standard deviation of IDCG_n about it.

    ``IDCG = sum_j (y_j - y_(j+1)) F(min(C_j, k))``. F is concave, so ``|F(c) - F(c')|`` is at most
    ``|c - c'| F(c')/c'``, and ``|c - c'| D(c'/2)`` for c > c'/2.
    """
    n, k = float(weight.n), float(weight.k)
    shares = np.minimum(labels.reached, 1.0)
    steps = np.array(labels.gains) - np.array([*labels.gains[1:], 0.0])
    counts, deviations = n * shares, np.sqrt(n * shares * (1 - shares))
    random = counts - k < _CERTAIN * deviations
    ends = np.minimum(counts, k)
    sums = weight.total(ends)
    slope = sums / ends
    many = counts > _CERTAIN**2
    slope = np.where(many, np.minimum(slope, weight.at_rank(np.maximum(ends / 2, 1.0))), slope)
    return float(steps @ sums), float(steps @ (slope * deviations * random))


def _bulk(
    relevance: Relevance, labels: Labels, weight: DepthWeight, dcg: float, rest: float
) -> tuple[float, float]:
    """Where the weight has a profile: log, r^-b, linear, with k = cn or without a cutoff."""
    discount, c = weight.measure.discount, weight.end
    breaks = relevance.breakpoints
    size = _size(weight)
    fine, *coarse = (_vanishing(relevance, weight, breaks, every) for every in _MESHES)
    apart = 4 * max(abs(fine[0] - other[0]) for other in coarse)
    whole = labels.ideal_integral(discount, c)
    highest = float(_highest(relevance, c, weight.n)) if weight.measure.cutoff.regime == "fraction" else 0.0
    limit = (dcg / size - fine[0]) / whole
    error = (rest + highest * weight.blurred) / size + apart + _ROUNDING * fine[1]
    if not discount.regular and not discount.affine:  # a discount that is said to fall like another
        before = _vanishing(relevance, DepthWeight(weight.measure, 10**9), breaks, 2)[1]
        if fine[1] > _LESS * before:
            return limit, math.inf
    return limit, error / whole + _ROUNDING


def _size(weight: DepthWeight) -> float:
    """v_n: n D(n), or n^2 for n - r."""
    n = float(weight.n)
    return n * n if weight.measure.discount.affine else n * float(weight.at_rank(n))


def _vanishing(
    relevance: Relevance, weight: DepthWeight, breaks: tuple[float, ...], every: int
) -> tuple[float, float]:
    """``int E[Y | t] nu(dt)`` and ``int |nu|`` for nu = (w_n / v_n - phi) dt on (0, c).

    Of the mesh every edge is taken, every second, ….
    """
    discount, c = weight.measure.discount, weight.end
    edges = np.union1d(quadrature.edges(0.0, c, breaks)[::every], [c, *(b for b in breaks if b < c)])
    t, dt = quadrature.weighted_nodes(edges, discount.exponent)
    nu = (weight(t) / _size(weight) - discount.profile(t)) * t**discount.exponent * dt
    return float(nu @ relevance.mean_gain(t)), float(np.abs(nu).sum())


def _highest(relevance: Relevance, c: float, n: int) -> Floats:
    """The largest E[Y | t] about a cutoff at c, as far as the rank there spreads."""
    reach = 40 * math.sqrt(c * (1 - c) / n) + 1e-15
    a, b = np.array(max(c - reach, 0.0)), np.array(min(c + reach, 1.0))
    tops = (y * curve.bounds(a, b)[1] for y, curve in zip(relevance.gains, relevance.curves, strict=True))
    return np.asarray(sum(tops))


def _top(
    relevance: Relevance, labels: Labels, weight: DepthWeight, dcg: float, rest: float
) -> tuple[float, float]:
    """Where the weight concentrates at the top: 1/r, k = o(n)."""
    size = float(weight.total(float(weight.k)))
    top = relevance.mean_gain_at_top
    fine, *coarse = (_departure(relevance, weight, every) for every in _MESHES)
    apart = 4 * max(abs(fine - other) for other in coarse)
    # a curve is at its top value no nearer than doubles go
    unseen = abs(float(relevance.mean_gain(quadrature.SMALLEST)) - top)
    most = labels.gains[0]
    error = (rest + most * weight.blurred + apart + _ROUNDING * abs(fine)) / size + unseen
    return (dcg - fine) / (size * most), error / most + _ROUNDING * top / most


def _departure(relevance: Relevance, weight: DepthWeight, every: int) -> float:
    """``int (E[Y | t] - E[Y | 0]) w_n(t) dt``."""
    c, breaks = weight.end, relevance.breakpoints
    share = min(weight.k / weight.n, 1.0)
    around = tuple(b for b in {*breaks, share} if b < c)
    edges = np.union1d(quadrature.edges(0.0, c, around)[::every], [c, *around])
    t, dt = quadrature.nodes(edges)
    return float((relevance.mean_gain(t) - relevance.mean_gain_at_top) * weight(t) @ dt)


def _scale(relevance: Relevance, measure: Measure) -> tuple[str, Floats]:
    n = np.array(_SIZES, dtype=np.float64)
    discount, cutoff = measure.discount, measure.cutoff
    if cutoff.regime == "sublinear":
        k = np.array([cutoff(size) for size in _SIZES], dtype=np.float64)
        a = _exponent_at_top(relevance)
        text, x = f"(k/n)^{number_text(round(a, 3))}", (k / n) ** a
        return (f"{text}/F(k)", x / discount.cumulative(k)) if discount.growth == "zipf" else (text, x)
    if discount.growth in ("log", "zipf", "unknown"):
        return "1/log n", 1 / np.log(n)
    at_share = cutoff.regime == "fraction" and bool(
        np.any(np.abs(np.cumsum(relevance.masses) - cutoff.share) < 1e-9)
    )
    exponent = 1 - discount.exponent
    exponent = min(exponent, 0.5) if at_share else exponent
    return f"n^-{number_text(round(exponent, 12))}", n**-exponent


def _exponent_at_top(relevance: Relevance) -> float:
    """a in E[Y | t] = E[Y | 0] + O(t^a), read off at t = 1e-6 and 1e-7; 1 where it is flat."""
    near, nearer = (abs(float(relevance.mean_gain(t)) - relevance.mean_gain_at_top) for t in (1e-6, 1e-7))
    return min(1.0, math.log10(near / nearer)) if nearer > 1e-14 else 1.0
