"""The variance of NDCG and DCG of long lists, from mean and variance of DCG given the label counts.

By the law of total variance over the label counts c of the list, with I(c) the ideal DCG, M(c) = E[DCG | c]
and V(c) = Var(DCG | c)::

    Var NDCG_n = E[V(c) / I(c)^2] + Var(M(c) / I(c)),                                                    (1)

and for two scorers, which are independent given the labels, V = V_a + V_b and M = M_a - M_b. For DCG I is 1.
M comes from `given_counts` at a few counts, between which M and V are polynomials; 1/I is taken as it is, so
that kinks where a count passes the cutoff cost nothing. There the counts C are random with the expected
counts c and the covariances Sigma, so that ``Var DCG = E V(C) + Var M(C)``, and to the second order::

    V = L - tr(V'' Sigma)/2 - tr(M'' Sigma M'' Sigma)/2 + Q,                                             (5)

L the variance of DCG less its regression on the counts, and Q the terms (4) of `given_counts`. The formula
errs in the first ranks, where the recursion over ranks is exact (`ranks`): the variance of those is taken
from there.
"""

from __future__ import annotations

import itertools
import math
from typing import NamedTuple

import numpy as np

from ndcg_asymptotics.core.arrays import Floats
from ndcg_asymptotics.core.caching import shared
from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.measures.gains import gain_steps
from ndcg_asymptotics.populations import Relevance
from ndcg_asymptotics.theory.deviation.given_counts import GivenCounts, moments_given_counts
from ndcg_asymptotics.theory.deviation.rank_sums import TOP
from ndcg_asymptotics.theory.deviation.ranks import Variance, rank_moments
from ndcg_asymptotics.theory.rules.binomial import gauss_rules
from ndcg_asymptotics.theory.rules.counts import DEVIATIONS, CountLaw

_FINEST = 1e-3  # distance of their nodes relative to the count, so that differences keep digits
_NODES = 25  # of a Gauss rule for a count, on each side of a kink
_POINTS = 20_000  # of a rule for the counts of several grades
_FEW = 256  # relevant items up to which the first ranks are compared by NDCG
_FEWEST = 10.0  # items of the rarest grade, fewer than which (5) does not hold
# The bound of the relative error of a deviation: the error in the first ranks, the terms of second order,
# this number over the items whose label is random, and rounding in the longest lists. Of 3,317 values one
# lies beyond it, of two grades that fill the cutoff in 2.8e16 items (docs/fluctuations.md, section 2).
_COUNTS, _FLOOR = 0.5, 3e-6
_DEPTHS = (np.arange(4000) + 0.5) / 4000  # at which labels are asked for how random they are
MOST_GRADES = 10
"""Grades beyond which the polynomials have too many terms."""


def variance_by_counts(scorers: tuple[Relevance, ...], measure: Measure, n: int) -> Variance:
    """Return the variance of NDCG_n or DCG_n, or of its difference for two scorers, by (1) and (5).

    The variance of the first 64 ranks is the exact one. The bound of the error has four parts: by how much
    the formula errs in the first ranks, the size of its terms of second order, what jumps may add, and a term
    for the polynomials in the counts. All grades occur.
    """
    k, masses = min(measure.cutoff(n), n), np.array(scorers[0].masses)
    rarest = n * min(float(masses.min()), 1 - float(masses.sum()))
    if not rarest >= _FEWEST:
        return Variance(0.0, math.inf)
    law, cutoffs = _Law.of(masses, n, k), (k, min(k, TOP))
    conditional = [
        moments_given_counts(scorer, measure.discount, n, cutoffs, law.nodes) for scorer in scorers
    ]
    within = [law.given_counts(moments) for moments in conditional]
    ideal = law.ideal(scorers[0], measure, n)
    mean = conditional[0].mean[0] - sum(moments.mean[0] for moments in conditional[1:])
    variance = law.variance(mean, sum(values[0] for values, _ in within), ideal)
    error = sum(moments.missed for moments in conditional) + sum(second for _, second in within)
    # the counts of few items vary so much that the ideal list matters
    normalised = measure.normalised and masses.size == 1 and bool(n * masses[0] < _FEW)
    top, by_ideal = Measure(measure.discount, cutoffs[1], normalised=normalised), ideal.middle**2
    ideal_top = law.ideal(scorers[0], top, n)
    for scorer, moments, (values, _) in zip(scorers, conditional, within, strict=True):
        by_formula = law.variance(moments.mean[1], values[1], ideal_top)
        off = ideal_top.middle**2 * (rank_moments((scorer,), top, n).variance - by_formula)
        variance += off / by_ideal
        error += abs(off)
    variance = max(variance, 0.0)
    random_labels = min(rarest, *(n * _randomness(scorer) for scorer in scorers))
    return Variance(variance, 2 * error / by_ideal + 2 * variance * (_COUNTS / random_labels + _FLOOR))


@shared
def _randomness(scorer: Relevance) -> float:
    """Return the mean over the depths of P(two items there have different labels), at most 1."""
    _, law = scorer.label_law(_DEPTHS)
    return max(1 - float((law**2).sum(axis=0).mean()), _FLOOR)


class _Ideal(NamedTuple):
    """The ideal DCG, or 1: at the expected counts, and its differences from that at others, (N,)."""

    middle: float
    change: Floats


class _Law(NamedTuple):
    """The law of the label counts, and polynomials in them.

    Attributes
    ----------
    nodes : (C, J)
        The counts through whose values polynomials go; the middle one is the expected one.
    counts, weights : (N, J), (N,)
        A rule for means over the law of the counts.
    basis : (C, N)
        The polynomials that are 1 at a node and 0 at the others, at these counts.
    """

    nodes: Floats
    counts: Floats
    weights: Floats
    basis: Floats
    unit: Floats
    n: int

    @classmethod
    def of(cls, masses: Floats, n: int, k: int) -> _Law:
        """Return the law for n items; where one count passes k functions of it have a kink."""
        counts, weights = _rule(masses, n, k)
        means = np.rint(n * masses)
        irrelevant = n - means.sum()
        spread = np.sqrt(n * masses * (1 - masses))
        steps = _steps(masses.size)
        # far from counts below 0 and above n
        reach = 0.98 * np.minimum(means, irrelevant / min(masses.size, 2)) / np.abs(steps).max()
        unit = np.minimum(np.maximum(spread, _FINEST * np.minimum(means, irrelevant)), reach)
        basis = _monomials((counts - means) / unit) @ np.linalg.inv(_monomials(steps))
        return cls(means + unit * steps, counts, weights, basis.T, unit, n)

    def ideal(self, scorer: Relevance, measure: Measure, n: int) -> _Ideal:
        """Return what DCG is divided by."""
        if not measure.normalised:
            return _Ideal(1.0, np.zeros(len(self.counts)))
        # linear between whole numbers
        counts = np.vstack([self.nodes[len(self.nodes) // 2], self.counts])
        ends = np.minimum(np.cumsum(counts, axis=1), min(measure.cutoff(n), n))
        whole, size = np.floor(ends), float(n)
        sums = measure.discount.cumulative(whole, size)
        sums = sums + (ends - whole) * measure.discount(np.minimum(whole + 1, size), size)
        middle, *values = sums @ gain_steps(np.array(scorer.gains))
        return _Ideal(float(middle), np.array(values) - middle)

    def given_counts(self, moments: GivenCounts) -> tuple[Floats, float]:
        """Return Var(DCG | c) by (5), (K, C), and the size of the second-order terms of the first cutoff."""
        variances, sizes = [], []
        for mean, linear, second in zip(moments.mean, moments.linear, moments.second, strict=True):
            curved, bent = (
                self._second_derivatives(linear) @ moments.counts,
                self._second_derivatives(mean) @ moments.counts,
            )
            of_variance = np.trace(curved, axis1=1, axis2=2) / 2
            of_mean = np.trace(bent @ bent, axis1=1, axis2=2) / 2
            variances.append(np.maximum(linear - of_variance - of_mean + second, 0.0))
            middle = len(mean) // 2
            sizes.append(abs(-of_variance - linear / self.n)[middle] + of_mean[middle] + abs(second[middle]))
        return np.array(variances), float(sizes[0])

    def _second_derivatives(self, values: Floats) -> Floats:
        """Return second derivatives (J, J) in the counts, at the expected ones, of values at the nodes."""
        grades = self.unit.size
        steps = (self.nodes - self.nodes[len(values) // 2]) / self.unit
        terms = np.linalg.solve(_monomials(steps), values - values[len(values) // 2])
        hessian = np.zeros((grades, grades))
        for term, (i, j) in zip(
            terms[1 + grades :], itertools.combinations_with_replacement(range(grades), 2), strict=False
        ):
            hessian[i, j] += term
            hessian[j, i] += term
        return hessian / np.outer(self.unit, self.unit)

    def variance(self, mean: Floats, variance: Floats, ideal: _Ideal) -> float:
        """Return (1) from M and V at the nodes.

        As differences from the values at the expected counts, so that no digits cancel in long lists.
        """
        middle = len(self.nodes) // 2
        grown = 1 + ideal.change / ideal.middle
        positive = grown > 1e-12
        grown = np.where(positive, grown, 1.0)
        of_mean = (mean - mean[middle]) @ self.basis - mean[middle] * (grown - 1)
        of_mean = np.where(positive, of_mean / grown, -mean[middle])
        within = np.maximum(variance[middle] + (variance - variance[middle]) @ self.basis, 0.0)
        within = np.where(positive, within / grown**2, 0.0)
        return float(self.weights @ (within + (of_mean - self.weights @ of_mean) ** 2)) / ideal.middle**2


@shared
def _steps(grades: int) -> Floats:
    """Return nodes (C, J) for polynomials, in units of their distance, the middle one 0."""
    unit = np.eye(grades)
    pairs = [unit[i] + unit[j] for i, j in itertools.combinations(range(grades), 2)]
    nodes = np.array([*-unit, *pairs, *unit])
    return np.insert(nodes, (len(nodes) + 1) // 2, 0.0, axis=0)


def _monomials(x: Floats) -> Floats:
    """Return the products of at most two of several counts: (N, C)."""
    products = [x[:, i] * x[:, j] for i, j in itertools.combinations_with_replacement(range(x.shape[1]), 2)]
    return np.column_stack([np.ones(len(x)), x, *products])


def _rule(masses: Floats, n: int, k: int) -> tuple[Floats, Floats]:
    """Return label counts (N, J) and weights, for means of functions with a kink where the sum passes k."""
    ways = min(max(int(_POINTS ** (1 / masses.size)), 2), _NODES)
    # one number of items with the highest grades may pass the cutoff: it has a rule on each side
    sums = np.minimum(np.cumsum(masses), 1.0)
    from_cutoff = np.abs(n * sums - k) / np.sqrt(n * sums * (1 - sums) + 1)
    first = int(np.argmin(from_cutoff)) + 1
    share, kinks = float(sums[first - 1]), (k,) if k < n and from_cutoff[first - 1] < DEVIATIONS else ()
    above, weights = CountLaw(n, share, kinks=kinks).nodes(ways)
    counts, weights = _split(above, weights, masses[:first] / share, ways)
    lower_shares = np.append(masses[first:], 1 - sums[-1]) / max(1 - share, 1e-300)
    below, weights = _split(n - counts.sum(axis=1), weights, lower_shares, ways)
    counts = np.column_stack([np.repeat(counts, len(below) // len(counts), axis=0), below[:, :-1]])
    return counts, weights / weights.sum()


def _split(sizes: Floats, weights: Floats, shares: Floats, ways: int) -> tuple[Floats, Floats]:
    """Return the numbers (N', J) of items of each grade among some (N,), for shares that add up to 1."""
    counts, remaining = np.empty((len(sizes), 0)), sizes
    for share in (shares / np.cumsum(shares[::-1])[::-1])[:-1].tolist():
        shift, chances = gauss_rules(remaining, min(share, 1.0), ways)
        count = np.maximum(remaining[:, None] * share + np.where(chances > 1e-28, shift, 0.0), 0.0).ravel()
        size = chances.shape[1]
        counts = np.column_stack([np.repeat(counts, size, axis=0), count])
        weights, remaining = (weights[:, None] * chances).ravel(), np.repeat(remaining, size) - count
    return np.column_stack([counts, remaining]), weights
