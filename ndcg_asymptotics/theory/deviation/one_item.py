"""The law of the rank of one relevant item, such as the held-out item of a recommender's test user.

The relevant item is among the first r of n items if its depth is above that of the r-th irrelevant item,
which has the law Beta(r, n - r) on the scale where depths of irrelevant items are uniform::

    P(rank <= r) = E F(G_0^-1(B)),      B ~ Beta(r, n - r),

F and G_0 the distribution functions of the depths of the relevant item and of an irrelevant one.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import gammaincinv

from ndcg_asymptotics.core.arrays import LARGEST_N, Floats, brief, floats, whole_number
from ndcg_asymptotics.core.errors import InputError, require
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


def rank_law(scorer: Scorer | str, n: int, ranks: ArrayLike) -> tuple[Floats, Floats]:
    """Return P(rank <= r) of the one relevant item of lists of n items, and bounds of the errors.

    Parameters
    ----------
    scorer : Scorer or text
        With one relevant item in every list.
    n : int
        Up to 9e18.
    ranks : array of whole numbers

    Raises
    ------
    InputError
        If lists have another number of relevant items.

    >>> value, error = rank_law("relevant(1, roc_power(0.3))", 10**12, [0, 10**11, 10**12])
    >>> value.round(9), bool((error < 1e-9).all())
    (array([0.        , 0.50118723, 1.        ]), True)
    """
    model, n = Scorer.of(scorer), whole_number(n, "n", 1, LARGEST_N)
    if not (isinstance(model, FixedCounts) and model.least_n == 1):
        raise InputError(
            f"lists need one relevant item, as those of relevant(1, roc_power(0.3)), got {model}", "scorer"
        )
    numbers = floats(ranks, "ranks", "whole numbers")
    whole = bool((np.isfinite(numbers) & (numbers == np.rint(numbers)) & (np.abs(numbers) < 2.0**63)).all())
    require(whole, f"must be whole numbers, got {brief(ranks)}", "ranks")
    distinct, places = np.unique(np.asarray(ranks, np.int64), return_inverse=True)
    certain = distinct >= n
    value, error = certain.astype(np.float64), np.zeros(distinct.size)
    for deep in (False, True):
        chosen = (distinct > 0) & ~certain & ((distinct > n // 2) == deep)
        side = (n - distinct if deep else distinct)[chosen].astype(np.float64)
        value[chosen], error[chosen] = _from_side(model, n, side, deep)
    shape = np.shape(ranks)
    return value[places].reshape(shape), error[places].reshape(shape)


def _from_side(model: FixedCounts, n: int, side: Floats, deep: bool) -> tuple[Floats, Floats]:
    """Return P(rank <= side), where ``deep`` P(rank <= n - side), and bounds of the errors.

    ``side`` is the number of items on the nearer side, 0 < side < n.
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
