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

from ndcg_asymptotics.core.arrays import Floats, Integers
from ndcg_asymptotics.engines.cells.brackets import Words
from ndcg_asymptotics.engines.cells.philox import binomial
from ndcg_asymptotics.engines.compiled import kernel
from ndcg_asymptotics.engines.engine import Draw
from ndcg_asymptotics.engines.shared.inverse import depth_of_grade
from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.populations import FixedCounts
from ndcg_asymptotics.studies.design import Design

# Bounds of the rounding error of DCG: that of the discounts and their sums, relative, and that of D = n - r,
# as a part of IDCG, since doubles do not tell ranks beyond 2^53 apart.
_RELATIVE, _ABSOLUTE = 1e-13, 1e-15


def draw_ranks(design: Design, replicate: int, labels: Integers) -> Draw:
    """Draw what `cells.simulate` returns, of scorers with fixed numbers of relevant items.

    The bracket is as wide as rounding. Where those of a pair overlap, it ties to the last digits of a double.
    """
    rankings = []
    for name, model in design.population.fixed_counts.items():
        rng = design.generator(replicate, "scorer", name)
        key = draw_key(rng)  # before the depths: the order of draws is part of the results
        rankings.append(_ranked(model, _depths(model, 1, rng), labels[:, -1].copy(), key))
    scales = [
        _scale(measure, design.sizes, tuple(labels[0, :-1].tolist()), design.population.gains)
        for measure in design.measures
    ]
    scaled_measures = list(zip(design.measures, scales, strict=True))
    brackets = np.array(
        [
            [_ndcg(ranked, measure, scale, design.sizes) for measure, scale in scaled_measures]
            for ranked in rankings
        ]
    )
    ndcg, low, high = np.moveaxis(brackets, 2, 0)
    draw: Draw = {"ndcg": ndcg, "low": low, "high": high}
    if design.pairs:
        pairs = [(low[a] > high[b], high[a] < low[b]) for a, b in design.pair_indices()]
        draw["order"] = np.array([ahead.astype(np.int8) - behind for ahead, behind in pairs], np.int8)
    return {name: np.ascontiguousarray(values) for name, values in draw.items()}


@dataclass(frozen=True)
class _Ranked:
    """The relevant items of one scorer, in separate lists that grow.

    Attributes
    ----------
    ranks : (lists, K, R)
        Their ranks at every list length, in increasing order.
    gains : (lists, R)
        Their gains in this order.
    """

    ranks: Integers
    gains: Floats

    def dcg(self, measure: Measure, sizes: Sequence[int], cutoff: Integers) -> Floats:
        """Return DCG of every list at every list length, (lists, K), with the cutoff there."""
        within_cutoff = self.ranks <= cutoff[:, None]
        lengths = np.array(sizes, np.float64)[:, None]
        weights = measure.discount(np.where(within_cutoff, self.ranks, 1), lengths)
        return np.asarray(
            (np.where(within_cutoff, weights, 0.0) * self.gains[:, None]).sum(axis=-1), np.float64
        )


def draw_key(rng: np.random.Generator) -> Words:
    """Draw the key of a counter-based generator."""
    return rng.integers(0, 2**32, 2, dtype=np.uint64)


def _depths(model: FixedCounts, lists: int, rng: np.random.Generator) -> Floats:
    """Draw the depths of the relevant items, grade by grade, (lists, R)."""
    depths = [
        depth_of_grade(model, g, rng.random(lists * count)).reshape(lists, count)
        for g, count in enumerate(model.counts)
    ]
    return np.concatenate(depths, axis=1)


def _ranked(model: FixedCounts, depth: Floats, arrivals: Integers, key: Words) -> _Ranked:
    """Draw the ranks of relevant items at these depths (lists, R); irrelevant ones arrive step by step."""
    order = np.argsort(depth, axis=1, kind="stable")
    ends = np.take_along_axis(depth, order, axis=1)
    starts = np.hstack([np.zeros((len(ends), 1)), ends[:, :-1]])
    below = 1.0 - starts
    fraction = np.divide(ends - starts, below, out=np.ones_like(ends), where=below > 0)
    gains = np.repeat(model.gains, model.counts)[order]
    return _Ranked(_ranks(fraction, arrivals, key), gains)


@kernel
def _ranks(fraction: Floats, arrivals: Integers, key: Words) -> Integers:
    """Return the ranks at every step; ``fraction`` of the items below a relevant item are above the next."""
    lists, relevant = fraction.shape
    ranks, above = np.empty((lists, len(arrivals), relevant), np.int64), np.empty(relevant, np.int64)
    zero = np.uint64(0)
    for j in range(lists):
        above[:] = 0
        for k in range(len(arrivals)):
            left = arrivals[k]
            for i in range(relevant):
                left -= binomial(
                    left, fraction[j, i], np.uint64(i), np.uint64(j), zero, np.uint64(k), key[0], key[1]
                )
                above[i] += arrivals[k] - left
                ranks[j, k, i] = above[i] + i + 1
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


def _ndcg(ranked: _Ranked, measure: Measure, scale: _Scale, sizes: Sequence[int]) -> Floats:
    """Return NDCG, or DCG, of a single list at every length, and a lower and an upper bound of it, (3, K)."""
    (dcg,) = ranked.dcg(measure, sizes, scale.cutoff)
    slack = _RELATIVE * dcg + (_ABSOLUTE * scale.ideal if measure.discount.affine else 0.0)
    bracket = np.array([dcg, dcg - slack, dcg + slack])
    values = np.divide(bracket, scale.normaliser, out=np.zeros_like(bracket), where=scale.normaliser > 0)
    return np.asarray(np.clip(values, 0.0, 1.0 if measure.normalised else None), np.float64)


def count_orders_of_ranks(
    a: FixedCounts, b: FixedCounts, measure: Measure, n: int, lists: int, seed: int
) -> tuple[int, int]:
    """Count in how many of ``lists`` separate lists the first scorer is ahead, and in how many the second.

    Parameters
    ----------
    a, b : FixedCounts
        With the same fixed numbers of relevant items, independent given the label.
    measure : Measure
    n, lists : int
        The length and the number of lists; the cost does not depend on n.
    seed : int

    >>> pair = [FixedCounts.parse(f"relevant(1, roc_power({k}))") for k in (0.4, 0.6)]
    >>> a_wins, b_wins = count_orders_of_ranks(*pair, Measure.of("nDCG"), 10**12, 10_000, seed=1)
    >>> abs(a_wins - 6000) < 250, abs(b_wins - 4000) < 250  # 0.6 and 0.4
    (True, True)
    """
    first, second = draw_values_of_ranks((a, b), measure, n, lists, seed)
    slack = _RELATIVE * np.maximum(first, second)
    return int((first > second + slack).sum()), int((second > first + slack).sum())


def draw_values_of_ranks(
    scorers: Sequence[FixedCounts], measure: Measure, n: int, lists: int, seed: int
) -> Floats:
    """Draw separate lists of n items, and return the value of each by each scorer: (scorers, lists).

    >>> model, measure = FixedCounts.parse("relevant(1, roc_power(1))"), Measure.of("DCG(constant)@1")
    >>> draw_values_of_ranks([model], measure, 4, 10_000, seed=1).mean().round(2)
    np.float64(0.25)
    """
    rng = np.random.Generator(np.random.SFC64(np.random.SeedSequence(seed, spawn_key=(n,))))
    best = float(measure.normaliser(scorers[0].counts, scorers[0].gains, n))
    dcg = []
    for model in scorers:
        depth = _depths(model, lists, rng)
        ranked = _ranked(model, depth, np.array([n - model.least_n]), draw_key(rng))
        dcg.append(ranked.dcg(measure, [n], np.array([measure.cutoff(n)]))[:, 0])
    return np.array(dcg) / (best or 1.0)
