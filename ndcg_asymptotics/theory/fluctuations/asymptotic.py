"""The standard deviation of NDCG_n of a whole list as n grows, by formula: a second opinion on the exact one.

With phi(u) = D(nu), m(t) = E[Y | t], ``A = int m phi`` and ``B = sum_j y_j int_{R_(j-1)}^{R_j} phi`` the
influence of an item of gain y at depth t is

    psi = [ y phi(t) + int_t^1 m phi' - int_0^1 u m(u) phi'(u) du - A ] / B
          - A / B^2 sum_j (y_j - y_(j+1)) phi(R_j) (1{y >= y_j} - R_j)

and ``Var NDCG_n ~ E[psi^2] / n`` for the log discount, the linear one and r^-b with b < 1/2. Where 1/2 < b,
top ranks decide: ``Var NDCG_n ~ Var(Y | s = 1) sum D^2 / IDCG^2``, the ideal DCG at the expected counts.
"""

from __future__ import annotations

import math

import numpy as np

from ndcg_asymptotics.core.arrays import Floats
from ndcg_asymptotics.core.errors import require_available
from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.populations import Relevance
from ndcg_asymptotics.theory import quadrature

_STEP = 1e-4  # relative, of the difference that stands for a derivative
_RANKS = 10**6


def asymptotic_std(relevance: Relevance | str, measure: Measure | str, n: int) -> float:
    """The leading term of the standard deviation of NDCG_n, n large, of a whole list.

    Its relative error for ybar(s) = 0.1 + 0.6 s at n = 1e3, 1e6, 1e12 is 7e-4, 8e-7, 4e-7 for the linear
    discount, 0.02, 4e-4, 9e-8 for r^-0.2, 0.1, 6e-3, 1e-7 for the log discount and 0.03, 6e-4, 9e-5 for
    r^-0.8. At b = 1/2 exactly there is no such formula.

    Raises
    ------
    NotAvailableError
        With a cutoff, or for r^-1/2 and discounts of which it is not known how they fall.

    >>> round(asymptotic_std("linear(0.1, 0.7)", "nDCG(linear)", 30_000), 6)
    0.002343
    """
    relevance, measure = Relevance.of(relevance), Measure.of(measure)
    asymptotics = measure.discount.asymptotics
    known = asymptotics.known and asymptotics.exponent != 0.5 and measure.cutoff.regime == "none"
    require_available(known, f"no asymptotic variance is known for {measure}")
    if asymptotics.square_summable:
        return _top_heavy(relevance, measure, n)
    return math.sqrt(influence_moments(relevance, measure, n)[0] / n)


def influence_moments(relevance: Relevance, measure: Measure, n: int) -> tuple[float, float]:
    """Return ``E psi^2`` and ``E |psi|^3`` of a whole list, psi the influence of one item.

    Both are 0 for lists so short that the integral for the ideal list is empty.

    >>> second, third = influence_moments(Relevance.of("constant(0.5)"), Measure.of("nDCG(linear)"), 1000)
    >>> 1 < third / second**1.5 < 2
    True
    """

    def phi(t: Floats) -> Floats:
        return measure.discount(n * t, float(n))

    ends = np.minimum(np.cumsum(relevance.masses), 1.0)
    # a list has no rank above 1: an item at depth t < 1/n counts as if at 1/n
    t, w = quadrature.nodes(np.unique([*np.geomspace(1 / n, 1.0, 600), *ends, *relevance.breakpoints]))
    mean, slope = relevance.mean_gain(t), (phi(t * (1 + _STEP)) - phi(t * (1 - _STEP))) / (2 * _STEP * t)
    pushed = w * mean * slope
    below = pushed.sum() - np.cumsum(pushed) + pushed / 2
    gains = np.array(relevance.gains)
    steps = gains - np.append(gains[1:], 0.0)
    a = float(w @ (mean * phi(t)))
    ideal = float(sum(step * (w * phi(t))[t < end].sum() for step, end in zip(steps, ends, strict=True)))
    if not ideal > 0:  # a list of one or two items: no rank is below the first
        return 0.0, 0.0
    base = below - float(pushed @ t) - a
    second = third = 0.0
    for value, chance in zip(*relevance.label_law(t), strict=True):
        counted = float((steps * phi(ends) * ((value >= gains) - ends)).sum())
        influence = (value * phi(t) + base) / ideal - a * counted / ideal**2
        second += float(w @ (chance * influence**2))
        third += float(w @ (chance * np.abs(influence) ** 3))
    return second, third


def _top_heavy(relevance: Relevance, measure: Measure, n: int) -> float:
    weights = measure.discount(np.arange(1.0, min(n, _RANKS) + 1), float(n))
    std = math.sqrt(float(relevance.gain_variance(0.0)) * float((weights**2).sum()))
    return std / typical_ideal(relevance, measure, n)


def typical_ideal(relevance: Relevance, measure: Measure, n: int) -> float:
    """IDCG_n of the mean label counts."""
    return float(measure.ideal(n * np.array(relevance.masses), relevance.gains, n))
