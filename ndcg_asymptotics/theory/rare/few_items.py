"""Whether, and how fast, the wrong order dies out where the number of relevant items is fixed (docs/few.md).

NDCG_n of a whole list depends, in the limit, on the depths T of the relevant items through the sum of
``y phi(T)``, where phi is -log t for the log discount (Theorem F2), t^-b for r^-b and 1 - t for n - r; for
b^-r the least depth decides. With k = cn only depths above c count. Each sum has a range, from the deepest
possible depths to the highest. Where the ranges of two scorers overlap, both orders keep a positive
probability. Where they do not, a wrong order needs a share of all items at unlikely places, so that
``-log P(wrong at n)`` is of the order n. With one relevant item and depths up to x and from y > x on, it is
``-2 n log(sqrt(x y) + sqrt((1 - x)(1 - y)))`` to first order, the cost of two binomial counts that meet.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.measures.asymptotics import Asymptotics, LogDecay
from ndcg_asymptotics.populations import FixedCounts, Scorer
from ndcg_asymptotics.populations.roc import SHALLOWEST, DepthLaw
from ndcg_asymptotics.populations.roc_custom import RocCustom
from ndcg_asymptotics.theory.scaled_limits import certain_top

_Range = tuple[float, float]  # the least and the greatest sum

_LEVEL = 1e-8  # ends of two ranges that differ by less are one, relative: kinks of own curves are as wide


class Fate(NamedTuple):
    """What becomes of the order of two scorers.

    Attributes
    ----------
    settles : bool or None
        Whether P(wrong order at n), with ties, tends to 0; None where it is not known.
    fast : bool
        Whether it falls like exp(-c n).
    ahead : int
        Where the order settles, 0 if the first scorer is ahead, 1 if the second is.
    reason : str
    """

    settles: bool | None
    fast: bool
    ahead: int
    reason: str


def fate(a: Scorer, b: Scorer, measure: Measure) -> Fate:
    """Return what becomes of the order of two scorers with the same fixed numbers of relevant items.

    >>> pair = [Scorer.parse(f"relevant(1, step({x}, {y}, 0.5))") for x, y in ((0, 0.5), (0.5, 0))]
    >>> fate(*pair, Measure.of("nDCG")).fast, fate(*pair, Measure.of("nDCG@10")).settles
    (True, False)
    """
    if not (isinstance(a, FixedCounts) and isinstance(b, FixedCounts)):
        return Fate(None, False, 0, "a judge labels a fixed number of relevant items")
    asymptotics, regime, c = measure.discount.asymptotics, measure.cutoff.regime, measure.cutoff.share
    if certain_top(a) or certain_top(b):
        return Fate(None, False, 0, "a scorer has relevant items that are certain to be at the top")
    if regime in ("fixed", "sublinear"):
        return Fate(False, False, 0, "almost no list has a relevant item above the cutoff")
    if not asymptotics.known:
        return Fate(None, False, 0, "how fast this discount falls is not known: say what it is like")
    weights = [(y, count) for y, count in zip(a.gains, a.counts, strict=True) if count]
    spans = [[_span(model, j) for j, count in enumerate(model.counts) if count] for model in (a, b)]
    if c < 1 and any(abs(end - c) < _LEVEL for pair in (*spans[0], *spans[1]) for end in pair):
        return Fate(None, False, 0, "depths of relevant items end at the cutoff")
    profile, add = _profile(asymptotics), max if math.isinf(asymptotics.exponent) else sum

    def ranges(phi: Callable[[float], float]) -> tuple[_Range, _Range]:
        found = []
        for of_scorer in spans:
            # the deepest depths have the least sum
            least, greatest = (
                [
                    (y * count if add is sum else 1.0) * phi(span[side]) if span[side] < c or c == 1 else 0.0
                    for (y, count), span in zip(weights, of_scorer, strict=True)
                ]
                for side in (1, 0)
            )
            found.append((add(least), add(greatest)))
        return found[0], found[1]

    if isinstance(asymptotics, LogDecay) and c < 1:
        # the gains above the cutoff come first
        (least_a, most_a), (least_b, most_b) = first = ranges(lambda t: 1.0)
        if not least_a == most_a == least_b == most_b > 0:
            return _of_ranges(*first, atoms=True)
    return _of_ranges(*ranges(profile), atoms=c < 1)


def _profile(asymptotics: Asymptotics) -> Callable[[float], float]:
    """Return phi."""
    if isinstance(asymptotics, LogDecay):
        return lambda t: -math.log(t) if t > 0 else math.inf
    if math.isinf(asymptotics.exponent):
        return lambda t: 1.0 - t

    def phi(t: float) -> float:
        with np.errstate(divide="ignore"):
            return float(asymptotics.profile(np.array(t)))

    return phi


def _of_ranges(a: _Range, b: _Range, atoms: bool) -> Fate:
    """Return what two ranges of sums tell; with ``atoms`` the ends of ranges may have a probability."""
    (least_a, most_a), (least_b, most_b) = a, b
    for ahead, low, high in ((0, least_a, most_b), (1, least_b, most_a)):
        near = math.isfinite(high) and abs(low - high) <= _LEVEL * max(1.0, abs(high))
        if near and atoms:
            return Fate(
                None if low else False, False, 0, "both lists may have the same items above the cutoff"
            )
        if near:
            return Fate(True, False, ahead, "the depths of the relevant items meet at one point only")
        if low > high:
            return Fate(True, True, ahead, "the depths of the relevant items do not overlap")
    return Fate(False, False, 0, "the depths of a fixed number of relevant items decide")


def _span(model: FixedCounts, j: int) -> tuple[float, float]:
    """Return the least and the greatest depth of items of a grade, on the scale of irrelevant items above."""
    law, irrelevant = model.laws[j], model.laws[-1]
    low, high = _own_span(law)
    return float(irrelevant.cdf(np.array(low))), float(irrelevant.cdf(np.array(high)))


def _own_span(law: DepthLaw) -> tuple[float, float]:
    if isinstance(law, RocCustom):  # a polynomial, which is flat up to rounding only
        # this share of the items is not seen on either side
        low, high = law.quantile(np.array([1e-12, 1 - 1e-12]))
        return float(low) if low > SHALLOWEST else 0.0, float(high)
    edges = np.array([0.0, *law.breaks, 1.0])
    occupied = np.flatnonzero(np.diff(law.cdf(edges)) > 0)
    return float(edges[occupied[0]]), float(edges[occupied[-1] + 1])
