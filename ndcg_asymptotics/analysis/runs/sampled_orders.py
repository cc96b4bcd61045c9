"""The order of systems by sampled metrics, and the full metrics that are estimated from these.

Means over users are treated as normal, with their exact means and standard deviations. The systems sample
their negatives independently of each other.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from statistics import NormalDist

import numpy as np

from ndcg_asymptotics.analysis.runs.paired import ROUNDING
from ndcg_asymptotics.analysis.runs.sampled_rows import CorrectedRow, OrderAt, PairRow, SampledRow
from ndcg_asymptotics.core.arrays import Floats, Integers
from ndcg_asymptotics.core.search import first_true
from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.theory.sampled import (
    RankedItems,
    bias_variance_estimate,
    corrected_moments,
    full_ndcg,
    rank_estimate,
    sampled_ndcg,
)

_UNDECIDED = 1e-10  # expected metrics that differ by less are equal: they are exact to 1e-10


@dataclass(frozen=True)
class _AtM:
    """Means and their variances (S,), and variances over users of differences (S, S), at one m."""

    mean: Floats
    variance: Floats
    over_users: Floats


class SampledMoments:
    """The moments of all systems under one measure, computed once for every number of negatives."""

    def __init__(self, systems: Mapping[str, RankedItems], measure: Measure, replacement: bool) -> None:
        self.systems, self.measure, self.replacement = systems, measure, replacement
        self.full = np.array([full_ndcg(ranked, measure) for ranked in systems.values()])
        self._known: dict[int, _AtM] = {}

    def at(self, m: int) -> _AtM:
        """Return the moments at m."""
        if m not in self._known:
            self.compute(np.array([m]))
        return self._known[m]

    def compute(self, negatives: Integers) -> None:
        """Compute the moments at some m."""
        found = [
            sampled_ndcg(ranked, self.measure, negatives, replacement=self.replacement)
            for ranked in self.systems.values()
        ]
        users = self.full.shape[1]
        for k, m in enumerate(negatives.tolist()):
            values = np.array([mean[k] for mean, _ in found])
            variance = np.array([of_users[k].sum() for _, of_users in found]) / users**2
            centred = values - values.mean(axis=1, keepdims=True)
            products = centred @ centred.T / max(users - 1, 1)
            squares = np.diag(products)
            differences = np.maximum(squares[:, None] + squares[None, :] - 2 * products, 0.0)
            self._known[m] = _AtM(values.mean(axis=1), variance, differences / users)

    def difference(self, a: int, b: int, m: int) -> float:
        """Return the difference of the expected means at m; 0 within the error."""
        mean = self.at(m).mean
        found = float(mean[a] - mean[b])
        return found if abs(found) > _UNDECIDED else 0.0

    def full_difference(self, a: int, b: int) -> float:
        """Return the difference of the full metrics; 0 within the error."""
        found = float(self.full[a].mean() - self.full[b].mean())
        return found if abs(found) > ROUNDING else 0.0

    def probability(self, a: int, b: int, m: int, *, users: bool = False) -> float:
        """Return the probability that the sampled order of two systems is the full one; 0 if that is a tie.

        It is over the sampled negatives, and with ``users`` over users drawn like the given ones as well.
        """
        at, full = self.at(m), self.full_difference(a, b)
        if not full:
            return 0.0
        variance = at.variance[a] + at.variance[b] + (at.over_users[a, b] if users else 0.0)
        ahead = self.difference(a, b, m) * math.copysign(1.0, full)
        if variance <= 0:
            return float(ahead > 0)
        return NormalDist().cdf(ahead / math.sqrt(variance))


def order_of(moments: SampledMoments, a: int, b: int, grid: Integers, level: float) -> PairRow:
    """Return where the expected order of two systems changes, and how many negatives are enough.

    The expected order is looked at on a grid of numbers of negatives, and between two of them that differ.
    """
    names, points = list(moments.systems), grid.tolist()

    def has_sign(sign: float, m: int) -> bool:
        return moments.difference(a, b, m) * sign > 0

    def certain(users: bool, m: int) -> bool:
        return moments.probability(a, b, m, users=users) >= level

    crossings, before, last = [], 0.0, points[0]
    for m in points:
        sign = float(np.sign(moments.difference(a, b, m)))
        if sign and before and sign != before:
            crossings.append(first_true(partial(has_sign, sign), last, m))
        if sign:
            before, last = sign, m
    enough: list[int | None] = []
    for users in (False, True):
        bad = max((k for k, m in enumerate(points) if not certain(users, m)), default=-1)
        if bad == len(points) - 1:
            enough.append(None)
        elif bad < 0:
            enough.append(points[0])
        else:
            enough.append(first_true(partial(certain, users), points[bad], points[bad + 1]))
    difference = moments.full_difference(a, b)
    return PairRow(names[a], names[b], str(moments.measure), difference, tuple(crossings), *enough)


def order_at(moments: SampledMoments, pair: PairRow, m: int) -> OrderAt:
    """Return the sampled order of two systems at m."""
    a, b = map(list(moments.systems).index, (pair.a, pair.b))
    return OrderAt(pair, moments.difference(a, b, m), moments.probability(a, b, m))


def sampled_rows(moments: SampledMoments, m: int) -> list[SampledRow]:
    """Return the rows of all systems at m."""
    at, measure = moments.at(m), str(moments.measure)
    return [
        SampledRow(name, measure, m, float(mean), math.sqrt(variance), float(full))
        for name, mean, variance, full in zip(
            moments.systems, at.mean, at.variance, moments.full.mean(axis=1), strict=True
        )
    ]


def corrected_rows(moments: SampledMoments, m: int, gamma: float) -> list[CorrectedRow]:
    """Return the estimates of the full metric from ranks among m negatives, two for each system.

    Raises
    ------
    NotAvailableError
        If there are none for the measure.
    """
    measure, items = moments.measure, int(np.median(next(iter(moments.systems.values())).sizes))
    weighed = bias_variance_estimate(measure, items, m, gamma)
    estimates = {"rank": rank_estimate(measure, items, m), "bias-variance": weighed}
    found = []
    for (name, ranked), full in zip(moments.systems.items(), moments.full.mean(axis=1).tolist(), strict=True):
        for kind, estimate in estimates.items():
            mean, variance = corrected_moments(estimate, ranked, replacement=moments.replacement)
            average, sd = float(mean.mean()), math.sqrt(variance.sum()) / len(ranked.users)
            found.append(CorrectedRow(name, str(measure), m, kind, average, average - full, sd))
    return found
