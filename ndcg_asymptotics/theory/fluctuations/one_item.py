"""The exact law of NDCG_n with one relevant item.

The relevant item is among the first r of n items if its depth is above that of the r-th irrelevant item,
which has the law Beta(r, n - r) on the scale where depths of irrelevant items are uniform::

    P(rank <= r) = E F(G_0^-1(B)),      B ~ Beta(r, n - r),

F and G_0 the distribution functions of the depths of the relevant item and of an irrelevant one. NDCG_n is
``D(rank)/D(1)`` up to the cutoff and 0 beyond, so its law has atoms at these values and, with a cutoff, at 0.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.special import gammaincinv

from ndcg_asymptotics.core.arrays import Floats, Integers
from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.populations import FixedCounts, Scorer
from ndcg_asymptotics.theory.mean.expectation import CAUTION
from ndcg_asymptotics.theory.rules.binomial import ROUNDING, log_binomial
from ndcg_asymptotics.theory.rules.counts import around_rank
from ndcg_asymptotics.theory.rules.quadrature import PANEL_NODES, SPACING, rule

_LEFT_OUT = 1e-19  # probability of the law Beta(r, n - r) on either side
_SKEW, _LONG_TAIL = 1000.0, 20.0  # r up to which the lower quantile is that of a gamma law, and needs …
_TAIL_PANELS, _PANELS = 48, 10  # … the first number of panels instead of the second, in log depth
_SHORT = 40  # list length up to which a singularity of F at the other end is felt
_FAR_END = 1 - 0.5 ** np.arange(1, 50)  # edges of panels that shrink towards the other end
_CHUNK = 2_000_000  # nodes held at a time


def one_item(scorer: Scorer) -> bool:
    """Return whether every list has one relevant item.

    >>> [one_item(Scorer.parse(f"relevant({r}, roc_power(0.4))")) for r in (1, 2)]
    [True, False]
    """
    return isinstance(scorer, FixedCounts) and scorer.least_n == 1


@dataclass(frozen=True)
class OneItemLaw:
    """The law of NDCG_n, or DCG_n, of lists with one relevant item.

    Attributes
    ----------
    scorer : FixedCounts
        With `one_item`.
    measure : Measure
    n : int

    >>> law = OneItemLaw(FixedCounts.parse("relevant(1, roc_power(1))"), Measure.of("nDCG(zipf)"), 4)
    >>> chance, error = law.above(np.array([0.0, 0.5, 0.9]))  # NDCG is 1, 1/2, 1/3, 1/4 with equal chances
    >>> chance.round(12), bool((error < 1e-12).all())
    (array([1.  , 0.25, 0.25]), True)
    >>> law.quantile(0.5)
    0.3333333333333333
    """

    scorer: FixedCounts
    measure: Measure
    n: int

    def above(self, x: Floats) -> tuple[Floats, Floats]:
        """Return P(NDCG_n > x), and bounds of the errors, for an array."""
        return rank_law(self.scorer, self.n, self._ranks_above(x.ravel()).reshape(x.shape))

    def quantile(self, p: float) -> float:
        """Return the smallest x with P(NDCG_n <= x) >= p, 0 < p < 1."""
        # that of the largest rank r with P(rank >= r) = 1 - P(rank <= r - 1) >= p
        low, high = 1, self.n
        while low < high:
            ranks = np.geomspace(low, high, 32).round().astype(np.int64)
            ranks = np.unique(np.append(ranks[(ranks > low) & (ranks < high)], high))
            below, error = rank_law(self.scorer, self.n, ranks - 1)
            enough = int(np.count_nonzero(1 - below + error >= p))
            low = int(ranks[enough - 1]) if enough else low
            high = int(ranks[enough]) - 1 if enough < ranks.size else low
        return float(self.values(np.array([low]))[0])

    def values(self, ranks: Integers) -> Floats:
        """Return the NDCG_n of lists with the relevant item at these ranks."""
        measure, n = self.measure, self.n
        counted = ranks <= measure.cutoff(n)
        found = self._top * np.asarray(measure.discount(np.where(counted, ranks, 1), float(n)))
        return np.where(counted, found, 0.0)

    @property
    def _top(self) -> float:
        """The factor of the discount: 1/D(1), or the gain for DCG."""
        counts, gains = self.scorer.counts, self.scorer.gains
        divisor = float(self.measure.normaliser(np.array(counts), gains, self.n))
        (gain,) = (y for y, count in zip(gains, counts, strict=True) if count)
        return gain / divisor if divisor else 0.0  # linear has D(1) = 0 at n = 1

    def _ranks_above(self, x: Floats) -> Integers:
        """Return the number of ranks at which NDCG_n exceeds x."""
        low, high = np.zeros(x.size, np.int64), np.full(x.size, self.n)
        while (low < high).any():
            middle = high - (high - low) // 2
            exceeds = self.values(np.maximum(middle, 1)) > x
            low, high = np.where(exceeds, middle, low), np.where(exceeds, high, np.maximum(middle - 1, low))
        return low


def rank_law(scorer: FixedCounts, n: int, ranks: Integers) -> tuple[Floats, Floats]:
    """Return P(rank <= r) of the one relevant item at ranks r, and bounds of the errors.

    >>> scorer = FixedCounts.parse("relevant(1, roc_power(0.3))")
    >>> value, error = rank_law(scorer, 10**12, np.array([0, 10**11, 10**12]))
    >>> value.round(9), bool((error < 1e-9).all())
    (array([0.        , 0.50118723, 1.        ]), True)
    """
    distinct, places = np.unique(ranks, return_inverse=True)
    value, error = (part[places].reshape(ranks.shape) for part in _rank_law(scorer, n, distinct))
    return value, error


def _rank_law(model: FixedCounts, n: int, ranks: Integers) -> tuple[Floats, Floats]:
    certain = ranks >= n
    value, error = certain.astype(np.float64), np.zeros(ranks.size)
    for deep in (False, True):
        chosen = (ranks > 0) & ~certain & ((ranks > n // 2) == deep)
        side = (n - ranks if deep else ranks)[chosen].astype(np.float64)
        value[chosen], error[chosen] = rank_law_from(model, n, side, deep)
    return value, error


def rank_law_from(model: FixedCounts, n: int, side: Floats, deep: bool) -> tuple[Floats, Floats]:
    """Return P(rank <= side), where ``deep`` P(rank <= n - side), and bounds of the errors.

    ``side`` is the number of items on the nearer side, 0 < side < n; between whole numbers the law
    Beta(r, n - r) continues it.
    """
    value, error = np.zeros(side.size), np.zeros(side.size)
    for tail in (False, True):
        chosen = np.flatnonzero((side < _LONG_TAIL) == tail)
        count = _TAIL_PANELS if tail else _PANELS
        pieces = math.ceil(chosen.size * count * PANEL_NODES / _CHUNK)
        for part in np.array_split(chosen, pieces) if pieces else ():
            rough, _ = _mean_share(model, n, side[part], deep, count)
            # another number of panels shows the error
            value[part], rounding = _mean_share(model, n, side[part], deep, math.ceil(1.5 * count))
            error[part] = CAUTION * np.abs(value[part] - rough) + rounding + ROUNDING
    return value, error


def _mean_share(model: FixedCounts, n: int, side: Floats, deep: bool, count: int) -> tuple[Floats, Floats]:
    """Return E F(G_0^-1(B)), ``B ~ Beta(side, n - side)`` or where ``deep`` 1 - B, and what rounding changes.

    Panels are in log B.
    """
    above, below = around_rank(side, float(n))
    skew = gammaincinv(np.minimum(side, _SKEW), _LEFT_OUT)
    low = np.where(side < _SKEW, skew, above) / n
    high = np.minimum(below / n, 1.0)
    law = model.laws[-1]
    breaks = law.cdf(np.array(model.breaks))
    inner = np.concatenate([1 - breaks if deep else breaks, _FAR_END[: _FAR_END.size * (n <= _SHORT)]])
    cuts = np.clip(inner, low[:, None], high[:, None])
    logs = np.log(low)[:, None] + np.log(high / low)[:, None] * np.linspace(0, 1, count + 1)
    edges = np.sort(np.concatenate([logs, np.log(cuts)], axis=1))
    x, w = rule(PANEL_NODES)
    half = np.diff(edges)[..., None] / 2
    log_v = np.minimum((edges[:, :-1] + edges[:, 1:])[..., None] / 2 + half * x, 0.0)
    # the density of Beta(r, n - r) in log v is r times P(Bin(n - 1, v) = r)
    weights = half * w * np.exp(log_binomial(side[:, None, None], float(n - 1), np.exp(log_v)))
    # the logarithm of a density of 1e18 items has lost some digits
    weights /= weights.sum(axis=(1, 2), keepdims=True)
    (own,) = (part for part, items in zip(model.laws, model.counts, strict=False) if items)
    t = law.quantile(-np.expm1(log_v) if deep else np.exp(log_v))
    mean = (weights * own.cdf(t)).sum(axis=(1, 2))
    if own.cdf(np.array(1 - SPACING)) > 1 - ROUNDING:
        return mean, np.zeros(side.size)
    # a density that is infinite at the bottom
    between = own.cdf(np.minimum(t + SPACING, 1.0)) - own.cdf(np.maximum(t - SPACING, 0.0))
    return mean, (weights * between).sum(axis=(1, 2))
