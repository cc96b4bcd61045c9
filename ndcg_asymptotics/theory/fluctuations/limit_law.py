"""The law of NDCG_n on long lists, with a bound of its distance from the law at n.

The law's distribution function H is known (`laws`); with U = (NDCG_n - centre) / scale

    H(x - shift) - chance <= P(U <= x) <= H(x + shift) + chance.

====================  ==================================================================================
normal                centre and scale are the exact mean and standard deviation; chance is the bound
                      of Berry and Esseen's theorem for the influence of single items, or of single
                      ranks where these decide
fixed k, geometric D  centre and scale are those of the series with the discounts at n; chance is the
                      probability that the labels of the first ranks differ from those of the top (total
                      variation at their random depths), shift is the contribution of the ranks below these
other series          centre and scale are exact; with labels coupled rank by rank ``E (U - V)^2 <= d^2``, V
                      with the law of the series, hence chance is d^2/shift^2 (Chebyshev)
====================  ==================================================================================

The first row treats NDCG_n as a sum of contributions of single items or ranks; the remainder falls faster
and is left out. Section 2 of docs/check.md compares the distances with simulations.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtr, ndtri

from ndcg_asymptotics.core.arrays import Floats
from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.populations import Relevance, Scorer
from ndcg_asymptotics.theory.fluctuations.asymptotic import (
    typical_normaliser,
)
from ndcg_asymptotics.theory.fluctuations.influence import influence
from ndcg_asymptotics.theory.fluctuations.laws import SeriesLaw, regime, series_law
from ndcg_asymptotics.theory.rules import quadrature
from ndcg_asymptotics.theory.rules.binomial import binomial_below

# Berry-Esseen constants for sums of terms with one law or several: Shevtsova (2013)
_IDENTICAL, _DIFFERENT = 0.4690, 0.5600
_EVERY = 1000  # ranks that are summed one by one; those beyond are in a geometric progression
_STEP = 0.01  # its logarithmic step
_TAIL = 1e-4  # part of the sum of discounts that is left to the shift


@dataclass(frozen=True)
class LimitLaw:
    """A distribution function H of (NDCG_n - centre) / scale, and a bound of its error.

    Attributes
    ----------
    centre, scale : float
    shift, chance : float
        As in the module's description; the shift is in units of the scale.
    series : SeriesLaw or None
        None for the normal law.
    """

    centre: float
    scale: float
    shift: float
    chance: float
    series: SeriesLaw | None

    def cdf(self, x: Floats) -> Floats:
        """Return H at standardised values."""
        return np.asarray(ndtr(x) if self.series is None else self.series.cdfs(x))

    def quantile(self, p: float) -> float:
        """Return the smallest value x with H at (x - centre) / scale at least p."""
        standard = float(ndtri(p)) if self.series is None else self.series.quantile(p)
        return self.centre + self.scale * standard

    @property
    def distance(self) -> float:
        """A bound of Lévy's distance from the law at n: the larger one of the shift and the chance.

        It is the largest difference of the distribution functions, up and down as a probability or sideways
        in standard deviations.
        """
        return max(self.shift, self.chance)


def limit_law(
    scorer: Scorer, measure: Measure, n: int, mean: float, sd: float, error: float = 0.0
) -> LimitLaw | None:
    """Return the law of NDCG_n for long lists; None where no law, or no bound of its error, is known.

    Parameters
    ----------
    scorer : Scorer
    measure : Measure
    n : int
    mean, sd : float
        The exact mean and standard deviation at n.
    error : float
        The error of ``sd``.

    >>> curve = Relevance.parse("linear(0.2, 0.8)")
    >>> for text in ("nDCG(linear)", "nDCG@5", "nDCG(zipf)"):
    ...     found = limit_law(curve, Measure.parse(text), 10**6, 0.8, 0.05)
    ...     print(text, f"{found.distance:.0e}")
    nDCG(linear) 7e-04
    nDCG@5 9e-06
    nDCG(zipf) 6e-02
    """
    found = regime((scorer,), measure)
    if found in ("certain", "groups", "one item", "few items") or not sd > 0:
        return None
    relevance = scorer.model
    if found == "normal":
        return LimitLaw(mean, sd, 3 * error / sd, _single(relevance, measure, n, sd), None)
    series = series_law((relevance,), measure, n)
    # where fewer than one item has a gain no limit is near
    if not typical_normaliser(relevance, measure, n) > 0:
        return LimitLaw(mean, sd, 0.0, 1.0, series)
    left = _left(measure, n)
    if found == "lasting" and left[-1] <= _TAIL:
        return _near_the_top(relevance, measure, n, series, left)
    # Chebyshev: P(|U - V| > shift) <= d^2 / shift^2, which is equal to this shift
    shift = _coupled(relevance, measure, n, mean, sd) ** (2 / 3)
    return LimitLaw(mean, sd, shift + 3 * error / sd, shift + series.inexact, series)


def _single(relevance: Relevance, measure: Measure, n: int, sd: float) -> float:
    """Return Berry and Esseen's bound, of items where all depths matter and of ranks where the first do."""
    discount = measure.discount
    if n == 1 or n * sum(relevance.masses) < 1 or not typical_normaliser(relevance, measure, n) > 0:
        return 1.0
    if measure.cutoff.regime == "none" and discount.asymptotics.exponent < 0.5:
        found = influence(relevance, measure, n)
        second = found.moment(2) if found else 0.0
        return _IDENTICAL * found.moment(3) / (second**1.5 * math.sqrt(n)) if found and second > 0 else 1.0
    ranks, width = _ranks(min(measure.cutoff(n), n))
    gains, chances = relevance.label_law(ranks / (n + 1))
    third = (chances * np.abs(gains[:, None] - gains @ chances) ** 3).sum(axis=0)
    weights = discount(ranks, float(n))
    apart = (
        _DIFFERENT
        * float(width @ (weights**3 * third))
        / (typical_normaliser(relevance, measure, n) * sd) ** 3
    )
    return min(apart + _either(relevance, measure, n), 1.0)


def _either(relevance: Relevance, measure: Measure, n: int) -> float:
    """Return the probability that the ideal list is full where it mostly is not, or the other way round.

    NDCG_n has a kink there and is not normal.
    """
    k = measure.cutoff(n)
    if k >= n or not measure.normalised:
        return 0.0
    fewer = binomial_below(n, np.minimum(np.cumsum(relevance.masses), 1.0), k)
    return float(np.minimum(fewer, 1 - fewer).sum())


def _left(measure: Measure, n: int) -> Floats:
    """Return the part of the sum of discounts below each of the first ranks."""
    k, discount = min(measure.cutoff(n), n), measure.discount
    whole = float(discount.cumulative(float(k), float(n)))
    return np.asarray(1 - np.cumsum(discount(np.arange(1.0, min(k, _EVERY) + 1), float(n))) / whole)


def _near_the_top(
    relevance: Relevance, measure: Measure, n: int, series: SeriesLaw, left: Floats
) -> LimitLaw:
    """Return the law where few ranks count: that of independent labels at the top, with a small probability.

    Where the labels of the first ranks are those of the series, and the best grade fills these ranks, the
    sums of both lists and what they are divided by differ by what is ``left`` for the ranks below.
    """
    count = int(np.argmax(left <= _TAIL)) + 1
    other = _any_unlike_the_top(relevance, count, n)
    short = float(binomial_below(n, np.array(relevance.masses[0]), count)) if measure.normalised else 0.0
    k = min(measure.cutoff(n), n)
    whole, below = float(measure.discount.cumulative(float(k), float(n))), max(float(left[count - 1]), 0.0)
    divisor = relevance.gains[0] * whole if measure.normalised else 1.0
    scale = series.unit / divisor
    shift = 2 * below / (1 - below) * relevance.gains[0] * whole / divisor / scale
    return LimitLaw(
        relevance.mean_gain_at_top * whole / divisor,
        scale,
        shift + series.unresolved + 1e-9,
        min(other + short + series.inexact, 1.0),
        series,
    )


def _any_unlike_the_top(relevance: Relevance, count: int, n: int) -> float:
    """Return a bound of the total variation of the labels at the first ranks from those at the very top.

    ``sum_r E TV(t_r) = n int TV(t) P(Binomial(n - 1, t) < count) dt``, t_r the depth at rank r, since the
    densities of the first depths add up to that.
    """
    t, w = quadrature.nodes_between(quadrature.edges(0.0, 1.0, relevance.breakpoints))
    some_above = binomial_below(n - 1, t, count) if count < n else np.ones(t.size)
    return float(n * (w @ (_unlike_the_top(relevance, t) * some_above)))


def _coupled(relevance: Relevance, measure: Measure, n: int, mean: float, sd: float) -> float:
    """Return the root mean square distance of NDCG_n from the series of its limit, both standardised."""
    ranks, width = _ranks(min(measure.cutoff(n), n))
    weights, best = measure.discount(ranks, float(n)), relevance.gains[0]
    divisor = typical_normaliser(relevance, measure, n)
    # Three differences: labels that are unlike those of the top; the random depth of rank r, one standard
    # deviation from r/(n+1); the random number of items with a gain, which changes IDCG by D at its end each
    labels = float(width @ (weights**2 * _unlike_the_top(relevance, ranks / (n + 1)))) * best**2
    higher = np.minimum(ranks + np.sqrt(ranks), float(n)) / (n + 1)
    moved = np.abs(relevance.mean_gain(higher) - relevance.mean_gain(ranks / (n + 1)))
    depths = float(width @ (weights * moved))
    counts = 0.0
    if measure.normalised:
        some = min(sum(relevance.masses), 1.0)
        ends = min(n * some, float(measure.cutoff(n)))
        counts = best * float(measure.discount(ends, float(n))) * math.sqrt(n * some * (1 - some)) * mean
    return 2 * (math.sqrt(labels) + depths + counts) / (divisor * sd)  # standardising doubles it at most


def _ranks(largest: int) -> tuple[Floats, Floats]:
    """Return representatives of the ranks 1 … largest for a sum, and how many ranks each stands for."""
    first = np.arange(1.0, min(largest, _EVERY) + 1)
    if largest <= _EVERY:
        return first, np.ones(first.size)
    count = math.ceil(math.log(largest / _EVERY) / _STEP)
    edges = np.geomspace(_EVERY + 0.5, largest + 0.5, count + 1)
    return np.append(first, np.sqrt(edges[1:] * edges[:-1])), np.append(np.ones(first.size), np.diff(edges))


def _unlike_the_top(relevance: Relevance, depths: Floats) -> Floats:
    """Return the total variation distance of the label laws at given depths from that at the very top."""
    _, chances = relevance.label_law(np.append(0.0, depths))
    return np.asarray(np.abs(chances[:, 1:] - chances[:, :1]).sum(axis=0) / 2)
