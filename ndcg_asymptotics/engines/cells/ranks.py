"""Lists with a fixed number of relevant items, which need no cells: the ranks of these items are drawn.

On the depth scale of the irrelevant items, whose depths are uniform, the relevant ones cut [0, 1] into
intervals. Irrelevant items that arrive between two list lengths fall into these intervals multinomially,
with the widths as probabilities. So the ranks of the relevant items at every list length are an exact draw
of the nested stream, whatever n is, and with them NDCG is known up to rounding.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numba import njit

from ndcg_asymptotics.core.arrays import Floats, Integers
from ndcg_asymptotics.engines.cells.brackets import Words
from ndcg_asymptotics.engines.cells.philox import binomial
from ndcg_asymptotics.engines.engine import Draw
from ndcg_asymptotics.engines.shared.inverse import depth_of_grade
from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.populations import FixedCounts, Model, Relevance, Scorer
from ndcg_asymptotics.studies.design import Design

# Bounds of the rounding error of DCG: that of the discounts and their sums, relative, and that of D = n - r,
# as a part of IDCG, since doubles do not tell ranks beyond 2^53 apart.
_RELATIVE, _ABSOLUTE = 1e-13, 1e-15


def draw_ranks(design: Design, replicate: int, labels: Integers) -> Draw:
    """Draw what `cells.simulate` returns, of scorers with fixed numbers of relevant items.

    The bracket is as wide as rounding. Where those of a pair overlap, it ties to the last digits of a double.
    """
    drawn = [
        _ranked(model, labels, design.generator(replicate, "scorer", name))
        for name, model in design.models.items()
    ]
    scales = [
        _scale(measure, design.sizes, tuple(labels[0, :-1].tolist()), design.population.gains)
        for measure in design.measures
    ]
    every = list(zip(design.measures, scales, strict=True))
    values = np.array(
        [[_ndcg(one, measure, scale, design.sizes) for measure, scale in every] for one in drawn]
    )
    ndcg, low, high = np.moveaxis(values, 2, 0)
    found: Draw = {"ndcg": ndcg, "low": low, "high": high}
    if design.pairs:
        pairs = [(low[a] > high[b], high[a] < low[b]) for a, b in design.pair_indices()]
        found["order"] = np.array([ahead.astype(np.int8) - behind for ahead, behind in pairs], np.int8)
    return {name: np.ascontiguousarray(values) for name, values in found.items()}


@dataclass(frozen=True)
class _Ranked:
    """The relevant items of one scorer's stream.

    Attributes
    ----------
    ranks : (K, R)
        Their ranks at every list length, in increasing order.
    gains : (R,)
        Their gains in this order.
    """

    ranks: Integers
    gains: Floats


def _ranked(model: Relevance | FixedCounts, labels: Integers, rng: np.random.Generator) -> _Ranked:
    """Draw the ranks of the relevant items.

    Parameters
    ----------
    model : FixedCounts
        With fixed numbers of relevant items.
    labels : (K, J + 1)
        The number of new items of each label at each step; all relevant ones come with the first.
    """
    counts = labels[0, :-1]
    key = rng.integers(0, 2**32, 2, dtype=np.uint64)
    depth = np.concatenate([depth_of_grade(model, g, rng.random(count)) for g, count in enumerate(counts)])
    order = np.argsort(depth, kind="stable")
    ends = depth[order]
    starts = np.append(0.0, ends[:-1])
    below = 1.0 - starts
    fraction = np.divide(ends - starts, below, out=np.ones_like(ends), where=below > 0)
    gains = np.repeat(model.gains, counts)[order]
    return _Ranked(_ranks(fraction, labels[:, -1].copy(), key), gains)


@njit(cache=True)
def _ranks(fraction: Floats, arrivals: Integers, key: Words) -> Integers:
    """Return the ranks at every step; ``fraction`` of the items below a relevant item are above the next."""
    ranks = np.empty((len(arrivals), len(fraction)), np.int64)
    above = np.zeros(len(fraction), np.int64)
    zero = np.uint64(0)
    for k in range(len(arrivals)):
        left = arrivals[k]
        for i in range(len(fraction)):
            left -= binomial(left, fraction[i], np.uint64(i), zero, zero, np.uint64(k), key[0], key[1])
            above[i] += arrivals[k] - left
            ranks[k, i] = above[i] + i + 1
    return ranks


@dataclass(frozen=True)
class _Scale:
    """The ideal DCG, what DCG is divided by, and the cutoff of a measure at every list length."""

    ideal: Floats
    normaliser: Floats
    cutoff: Integers


@lru_cache(maxsize=256)
def _scale(
    measure: Measure, sizes: tuple[int, ...], counts: tuple[int, ...], gains: tuple[float, ...]
) -> _Scale:
    ideal, normaliser = (
        np.array([of(counts, gains, n) for n in sizes], np.float64)
        for of in (measure.ideal, measure.normaliser)
    )
    return _Scale(ideal, normaliser, np.array([measure.cutoff(n) for n in sizes]))


def _ndcg(one: _Ranked, measure: Measure, scale: _Scale, sizes: Sequence[int]) -> Floats:
    """Return NDCG, or DCG, at every list length, and a lower and an upper bound of it, (3, K)."""
    counted = one.ranks <= scale.cutoff[:, None]
    ranks, discount = np.where(counted, one.ranks, 1), measure.discount
    if discount.depends_on_n:
        weights = np.array([discount(row, float(n)) for row, n in zip(ranks, sizes, strict=True)])
    else:
        weights = discount(ranks)
    dcg = (np.where(counted, weights, 0.0) * one.gains).sum(axis=1)
    slack = _RELATIVE * dcg + (_ABSOLUTE * scale.ideal if discount.affine else 0.0)
    found = np.array([dcg, dcg - slack, dcg + slack])
    values = np.divide(found, scale.normaliser, out=np.zeros_like(found), where=scale.normaliser > 0)
    return np.asarray(np.clip(values, 0.0, 1.0 if measure.normalised else None), np.float64)


def count_orders_of_ranks(
    a: Scorer, b: Scorer, measure: Measure, n: int, lists: int, seed: int
) -> tuple[int, int]:
    """Count in how many of ``lists`` separate lists the first scorer is ahead, and in how many the second.

    Parameters
    ----------
    a, b : Scorer
        With the same fixed numbers of relevant items, independent given the label.
    measure : Measure
    n, lists : int
        The length and the number of lists; the cost does not depend on n.
    seed : int

    >>> pair = Scorer.parse("relevant(1, roc_power(0.4))"), Scorer.parse("relevant(1, roc_power(0.6))")
    >>> more, less = count_orders_of_ranks(*pair, Measure.of("nDCG"), 10**12, 10_000, seed=1)  # 0.6 and 0.4
    >>> abs(more - 6000) < 250, abs(less - 4000) < 250
    (True, True)
    """
    rng = np.random.Generator(np.random.SFC64(np.random.SeedSequence(seed, spawn_key=(n,))))
    more = less = 0
    for count, (_, first), (_, second) in zip(
        rng.multinomial(lists, a.weights), a.groups, b.groups, strict=True
    ):
        dcg = [_separate_dcg(model, measure, n, int(count), rng) for model in (first, second)]
        slack = _RELATIVE * np.maximum(*dcg)
        more += int((dcg[0] > dcg[1] + slack).sum())
        less += int((dcg[1] > dcg[0] + slack).sum())
    return more, less


def _separate_dcg(model: Model, measure: Measure, n: int, lists: int, rng: np.random.Generator) -> Floats:
    """Return DCG of separate lists of n items."""
    assert isinstance(model, FixedCounts)
    depth = np.concatenate(
        [
            depth_of_grade(model, g, rng.random(lists * count)).reshape(lists, count)
            for g, count in enumerate(model.counts)
        ],
        axis=1,
    )
    order = np.argsort(depth, axis=1)
    ends = np.take_along_axis(depth, order, axis=1)
    starts = np.hstack([np.zeros((lists, 1)), ends[:, :-1]])
    fraction = np.divide(ends - starts, 1.0 - starts, out=np.ones_like(ends), where=starts < 1)
    key = rng.integers(0, 2**32, 2, dtype=np.uint64)
    ranks = _separate_ranks(fraction, n - model.least_n, key)
    counted = ranks <= measure.cutoff(n)
    weights = np.where(counted, measure.discount(np.where(counted, ranks, 1), float(n)), 0.0)
    return np.asarray((weights * np.repeat(model.gains, model.counts)[order]).sum(axis=1), np.float64)


@njit(cache=True)
def _separate_ranks(fraction: Floats, irrelevant: int, key: Words) -> Integers:
    """Return the ranks of the relevant items of separate lists, (lists, R)."""
    ranks = np.empty(fraction.shape, np.int64)
    zero = np.uint64(0)
    for j in range(len(fraction)):
        left = irrelevant
        for i in range(fraction.shape[1]):
            left -= binomial(left, fraction[j, i], np.uint64(i), np.uint64(j), zero, zero, key[0], key[1])
            ranks[j, i] = irrelevant - left + i + 1
    return ranks
