"""The mean of DCG given the label counts of its list.

Of a list of n items with label counts c one of grade j stands at depth t, and c - e_j are the counts of the
others. So with the terms of `rank_terms`, of which the mean of NDCG takes means over c::

    E[DCG_n | c] = sum_j c_j / (n p_j) · y_j n int P(Y = y_j | t) E[D(1 + A); A < k | c - e_j, t] dt.

Only the terms of degree 0 do not depend on c but for the factor c_j, so that by how much this differs from
E[DCG_n] is found without a difference of nearly equal numbers.
"""

from __future__ import annotations

import itertools
import math
from typing import NamedTuple

import numpy as np

from ndcg_asymptotics.core.arrays import HELD, Bools, Floats, Integers
from ndcg_asymptotics.measures import Discount, Measure
from ndcg_asymptotics.measures.discounts import Constant
from ndcg_asymptotics.populations import Relevance
from ndcg_asymptotics.theory.mean.label_counts import SMALLEST
from ndcg_asymptotics.theory.mean.rank_terms import (
    DEGREES,
    Places,
    RankTerms,
    fourier_terms,
    log_remainder,
    projections_of,
)
from ndcg_asymptotics.theory.rules.binomial import log_choose
from ndcg_asymptotics.theory.rules.mesh import Mesh

_WHOLE = 1e-9  # distance from a whole number, or of a probability from 1, that is rounding


class MeansGivenCounts(NamedTuple):
    """E[DCG_n], and by how much E[DCG_n | c] differs from it for each of several label counts, (C,)."""

    mean: float
    changes: Floats


def means_given_counts(
    relevance: Relevance, measure: Measure, n: int, counts: Floats, refine: float, tolerance: float
) -> MeansGivenCounts:
    """Return the means for counts (C, J + 1), which may lie between whole numbers.

    ``refine`` is as for `mesh.Mesh`, and ``tolerance`` relative to the standard deviation of E[DCG_n | c].

    >>> curve, measure = Relevance.of("constant(0.5)"), Measure.of("nDCG(zipf)")
    >>> found = means_given_counts(curve, measure, 2, np.array([[2.0, 0.0], [1.0, 1.0]]), 1.0, 1e-6)
    >>> round(found.mean, 9), found.changes.round(9)
    (0.75, array([0.75, 0.  ]))
    """
    mesh = Mesh.of(relevance, n, refine)
    occurs = np.append(mesh.law[:-1] > 0, True)
    counts, places = counts[:, occurs], Places.of(mesh, min(measure.cutoff(n), n), n, refine)
    law = places.law[:-1]
    shares = counts[:, :-1] / (n * law)
    spread = float(np.sqrt((1 - law) / (n * law)).min())
    gains, places = _expanded(places, measure.discount, spread, tolerance)
    alone, expanded = places.gained * gains[:, 0], places.degrees >= 0
    # as if the counts of the others did not matter
    changes = (counts[:, :-1] - n * law) / (n * law) @ alone[:, expanded].sum(axis=1)
    changes -= alone[:, ~expanded].sum()
    above = places.deviation + places.t
    given = (n - 1) * places.law @ (above * (1 - above))
    total = _by_degrees(places, gains, counts)
    for terms in fourier_terms(measure.discount, places, given):
        total += _by_frequencies(places, terms, counts)
    changes += (total * shares).sum(axis=1)
    return MeansGivenCounts(float(alone.sum()), changes)


def _expanded(places: Places, discount: Discount, spread: float, tolerance: float) -> tuple[Floats, Places]:
    """Return the g_m (T, M + 1), and places with the degrees that matter.

    ``spread`` is the relative standard deviation of the number of items of the grade that varies least.
    """
    gained, rho, allowed = places.gained.sum(axis=0), np.minimum(places.correlation, 1 - 1e-9), 0.0
    gains, degrees = np.zeros((places.t.size, 1)), np.full(places.t.size, -1)
    for most in sorted({min(degree, places.n - 1) for degree in DEGREES[::2]}):
        some = np.flatnonzero(degrees < 0)
        gains = np.pad(gains, ((0, 0), (0, most + 1 - gains.shape[1])))
        gains[some] = _projections(places.with_degrees(np.where(degrees < 0, most, -1)), discount)[some]
        sizes = gained[:, None] * np.abs(gains) * rho[:, None] ** np.arange(most + 1)
        allowed = allowed or tolerance * float(sizes[:, 0].sum() * spread + sizes[:, 1:].sum())
        # what those after each degree add: beyond the last one a geometric series, as one of two may be 0
        beyond = sizes[:, -2:].max(axis=1) * rho / (1 - rho) * (most < places.n - 1)
        after = np.cumsum(np.column_stack([sizes[:, 1:], beyond])[some, ::-1], axis=1)[:, ::-1]
        # a hundredth of what is allowed, as this is one of many depths
        small = after <= 0.01 * allowed
        degrees[some] = np.where(small.any(axis=1), np.argmax(small, axis=1), -1)
        if (degrees >= 0).all():
            break
    return gains, places.with_degrees(degrees)


def _projections(places: Places, discount: Discount) -> Floats:
    """Return the g_m (T, M + 1), those from degree 1 on by how D differs from its mean."""
    found, law = projections_of([discount, Constant()], [places])[0]
    # in long lists the law is rounded, and E[phi_m] is not quite 0
    whole = (law[:, :1] > 1 - _WHOLE) & (np.arange(law.shape[1]) > 0)
    return np.asarray(found - np.where(whole, found[:, :1] * law, 0.0))


def _by_degrees(places: Places, gains: Floats, counts: Floats) -> Floats:
    """Return sums over degrees from 1 on for an item of each grade, given the counts (C, J + 1): (C, J)."""
    others, found = places.n - 1, np.zeros((len(counts), len(places.gained)))
    scaled = places.deviation / np.sqrt(max(others, 1) * places.t * (1 - places.t))
    for degree in np.unique(places.degrees[places.degrees > 0]).tolist():
        some = places.degrees == degree
        u, m = scaled[:, some], np.arange(degree + 1)
        # sum_m E[phi_m(A) | c] w^m / scale_m = prod_i (1 + w u_i)^c_i
        weights = gains[some, : degree + 1] * np.exp(0.5 * (m * math.log(others) - log_choose(others, m)))
        for j, gained in enumerate(places.gained[:, some]):
            without = counts - np.eye(counts.shape[1])[j]
            # Newton's identities: power sums, in which nothing cancels, to the coefficients of the product
            sums = [
                (without - others * places.law) @ u,
                *(without @ -((-u) ** i) for i in range(2, degree + 1)),
            ]
            coefficients = [np.ones((len(counts), u.shape[1]))]
            for size in range(1, degree + 1):
                terms = (x * y for x, y in zip(sums, coefficients[::-1], strict=False))
                coefficients.append(np.asarray(sum(terms)) / size)
                found[:, j] += coefficients[-1] @ (gained * weights[:, size])
    return found


def _by_frequencies(places: Places, terms: RankTerms, counts: Floats) -> Floats:
    """Return sums over the terms of Fourier series, as `_by_degrees`."""
    others, found = (places.n - 1) * places.law, np.zeros((len(counts), len(places.gained)))
    if not terms.node.size:  # all items at these depths are beyond the cutoff
        return found
    moved = terms.slope * (places.deviation + places.t)[:, terms.node]  # (J + 1, R)
    moved[np.abs(1 + moved) < SMALLEST] = SMALLEST - 1
    log_q = moved + log_remainder(moved)
    typical = others @ log_q
    starts = np.flatnonzero(np.diff(terms.node, prepend=-1))  # of the terms at each depth
    rows = max(1, HELD // terms.node.size)
    for (j, weight), i in itertools.product(enumerate(terms.weight), range(0, len(counts), rows)):
        here = slice(i, i + rows)
        without = counts[here] - np.eye(counts.shape[1])[j]
        values = (np.exp(typical + (without - others) @ log_q) * weight).real
        at_depths = np.add.reduceat(values, starts, axis=1)
        at_depths[_beyond(without, places, terms.node[starts])] = 0.0
        found[here, j] = at_depths.sum(axis=1)
    return found


def _beyond(counts: Floats, places: Places, node: Integers) -> Bools:
    """Return where P(A < k) is below the error of a Fourier series, for counts and depths (C, nodes).

    Where nearly all items of a grade lie above and their count is not a whole number, the series rings with
    an amplitude of about ``exp(-2 variance)``.
    """
    above = (places.deviation + places.t)[:, node]
    variance = np.maximum(counts @ (above * (1 - above)), 1e-300)
    crowd = counts @ (above > 0.5)
    rings = (np.abs(crowd - crowd.round()) > _WHOLE) & (variance < 15.0)
    fewer = np.maximum(counts @ above - places.k + 1, 1e-300)
    ratio = fewer / variance
    # Bennett's bound of P(A < k)
    chance = -variance * ((1 + ratio) * np.log1p(ratio) - ratio)
    return np.asarray(rings & (fewer > 1) & (chance < -2 * variance - np.log(math.pi * fewer)))
