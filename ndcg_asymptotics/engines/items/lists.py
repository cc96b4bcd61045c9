"""Many independent lists of one length, drawn together: how often each of two scorers is ahead.

A study follows one stream of items through many list lengths. To estimate one probability at one length it
is faster to draw thousands of separate lists at once, with one call for all their depths and one sort. Of
lists that are much longer than the largest cutoff only the items near the top are drawn: their number of each
grade is binomial, given the label counts of the list. Discounts whose squares have a finite sum, such as 1/r,
need the first ranks only, too: the DCG of all ranks below them is nearly normal, and is drawn as one number.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from ndcg_asymptotics.core.arrays import ENDLESS, Floats, Integers
from ndcg_asymptotics.engines.shared import grades
from ndcg_asymptotics.engines.shared.inverse import depth_of_grade
from ndcg_asymptotics.engines.shared.long_counts import binomial_counts
from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.populations import FixedCounts, Relevance, Scorer

_ITEMS = 1 << 19  # of a block of lists
_MOST_LISTS = 4096  # in a block
# most ranks drawn one by one at its top, with a fixed cutoff and without one, where discounts fall faster
_RANKS, _WHOLE_RANKS = 2000, 500
_NOTHING = 1e-16  # relative to the first discount
_WHOLE = 4096  # up to this length whole lists are drawn for a picture
# items expected in the part of a list that is drawn, beyond k: there are fewer than k with probability 1e-18
_DEVIATIONS, _EXTRA = 9.0, 40.0
_BELOW = np.float64(2.0).view(np.int64)  # a depth beyond 1
_TIE = 1e-12  # DCGs are equal if they differ by less than this part of the terms in which they differ


def items_drawn(scorer: Scorer, ranks: int, n: int) -> int:
    """Return about how many items of each list of n items are drawn for its first ranks.

    >>> curve = Relevance.of("constant(0.3)")
    >>> [items_drawn(curve, ranks, n) for ranks, n in ((10, 100), (10, 1000), (10, 10**12), (1000, 1000))]
    [100, 79, 79, 1000]
    """
    top = math.ceil(ranks + _DEVIATIONS * math.sqrt(ranks) + _EXTRA)
    return top if scorer.iid and top < n // 4 else n


class DrawnRanks(NamedTuple):
    """The ranks that are drawn one by one, and the normal law of the difference of the DCGs below them."""

    ranks: int
    mean: float = 0.0
    sd: float = 0.0


def count_orders(
    a: Scorer,
    b: Scorer,
    measures: Sequence[Measure],
    n: int,
    lists: int,
    seed: int,
    tops: Sequence[DrawnRanks] = (),
) -> Integers:
    """Count in how many of ``lists`` lists the first scorer is ahead, and in how many the second.

    Parameters
    ----------
    a, b : Scorer
        With the same label law or number of relevant items, independent given the label.
    measures : sequence of M measures
    n, lists : int
        The length and the number of lists.
    seed : int
        The result depends on the arguments only; more lists begin with the same ones.
    tops : sequence of M DrawnRanks
        By default all ranks that count are drawn one by one.

    Returns
    -------
    (M, 2) integers
        Lists with NDCG_n(a) > NDCG_n(b), and with NDCG_n(a) < NDCG_n(b).

    >>> pair = Relevance.of("step(0, 1, 0.5)"), Relevance.of("constant(0.5)")
    >>> ((a_wins, b_wins),) = count_orders(*pair, [Measure.of("nDCG")], 2, 10_000, seed=1)  # 1/4 and 0
    >>> bool(abs(a_wins - 2500) < 250), int(b_wins)
    (True, 0)
    """
    tops = tops or [DrawnRanks(min(measure.cutoff(n), n)) for measure in measures]
    ranks = np.arange(1.0, max(top.ranks for top in tops) + 1)
    weights = np.column_stack(
        [
            np.where(ranks <= top.ranks, measure.discount(ranks, float(n)), 0.0)
            for measure, top in zip(measures, tops, strict=True)
        ]
    )
    means, sds = np.array([top[1:] for top in tops]).T
    items = items_drawn(a, len(ranks), n)
    counts = np.zeros((len(measures), 2), np.int64)
    for rng, block in _blocks(lists, items, n, seed):
        first, second, _ = _pair_of_lists(a, b, n, items, len(ranks), block, rng)
        difference = np.subtract(first, second, out=first)
        ahead = difference @ weights + means
        if sds.any():
            ahead += sds * rng.standard_normal(block[0])[: block[1], None]
        tie = _TIE * (np.abs(difference, out=difference) @ weights)
        counts += np.column_stack([(ahead > tie).sum(axis=0), (ahead < -tie).sum(axis=0)])
    return counts


def draw_values(a: Scorer, b: Scorer, measure: Measure, n: int, lists: int, seed: int) -> Floats:
    """Draw lists of n items, and return the value of each by both scorers: (2, lists).

    Parameters and random numbers are those of `count_orders`.

    >>> pair = Relevance.of("step(0, 1, 0.5)"), Relevance.of("constant(0.5)")
    >>> values = draw_values(*pair, Measure.of("nDCG"), 2, 10_000, seed=1)
    >>> set(values[0].tolist()), abs(float(values[0].mean()) - 0.75) < 0.02  # 0 without a relevant item
    ({0.0, 1.0}, True)
    """
    k = min(measure.cutoff(n), n)
    items = items_drawn(a, k, n)
    weights = measure.discount(np.arange(1.0, k + 1), float(n))
    values = []
    for rng, block in _blocks(lists, items, n, seed):
        *gains, counts = _pair_of_lists(a, b, n, items, k, block, rng)
        best = measure.normaliser(counts, a.gains, n)
        dcg = np.array([labels @ weights for labels in gains])
        values.append(np.divide(dcg, best, out=np.zeros_like(dcg), where=best > 0))
    return np.concatenate(values, axis=1)


def count_orders_at_the_top(
    a: Relevance, b: Relevance, measure: Measure, lists: int, seed: int
) -> tuple[int, int]:
    """Return the two counts of `count_orders` as n grows, for a fixed cutoff or a finite sum of discounts.

    The labels at the top are then independent draws from the label law there. Ranks beyond 2000 (500
    without a cutoff) count by their mean.

    >>> pair = Relevance.of("linear(0.1, 0.7)"), Relevance.of("constant(0.4)")
    >>> a_wins, b_wins = count_orders_at_the_top(*pair, Measure.of("nDCG@1"), 10_000, seed=1)  # 0.42 and 0.12
    >>> abs(a_wins - 4200) < 300, abs(b_wins - 1200) < 200
    (True, True)
    """
    k = measure.cutoff(ENDLESS)
    most = min(k, _RANKS if k < ENDLESS else _WHOLE_RANKS)
    weights = measure.discount(np.arange(1.0, most + 1), float(ENDLESS))
    weights = weights[weights > _NOTHING * weights[0]]
    ranks = weights.size
    whole = measure.discount.total if k == ENDLESS else measure.discount.cumulative(float(k), float(ENDLESS))
    left = float(whole) - float(weights.sum()) if k > ranks else 0.0
    beyond = left * (a.mean_gain_at_top - b.mean_gain_at_top)
    a_wins = b_wins = 0
    for rng, (size, ranked) in _blocks(lists, ranks, 0, seed):
        first, second = (
            gains[np.searchsorted(np.cumsum(chances)[:-1], rng.random((size, ranks)), side="right")]
            for gains, chances in (a.label_law(0.0), b.label_law(0.0))
        )
        difference = (first - second)[:ranked]
        ahead, tie = difference @ weights + beyond, _TIE * (np.abs(difference) @ weights)
        a_wins, b_wins = a_wins + int((ahead > tie).sum()), b_wins + int((ahead < -tie).sum())
    return a_wins, b_wins


def _blocks(
    lists: int, items: int, n: int, seed: int
) -> Iterator[tuple[np.random.Generator, tuple[int, int]]]:
    """Yield the generator of each block, how many lists are drawn with it, and how many of them are used."""
    size = max(1, min(_ITEMS // items, _MOST_LISTS))
    for block, start in enumerate(range(0, lists, size)):
        seeds = np.random.SeedSequence(seed, spawn_key=(n, block))
        yield np.random.Generator(np.random.SFC64(seeds)), (size, min(size, lists - start))


def draw_list(a: Scorer, b: Scorer, measure: Measure, n: int, seed: int) -> tuple[Floats, float]:
    """Draw the labels of one list of n items, and the order in which each of two scorers ranks them.

    Equal seeds give random numbers that do not depend on the scorers, so that lists change little
    where a scorer changes little.

    Returns
    -------
    gains : (2, k(n))
        The gains at ranks 1 … k(n), by each scorer.
    best : float
        What their DCG is divided by, which both scorers share.

    >>> pair = Relevance.of("step(0, 1, 0.5)"), Relevance.of("step(1, 0, 0.5)")
    >>> gains, best = draw_list(*pair, Measure.of("nDCG(zipf)"), 6, seed=2)
    >>> gains, round(best, 3)  # 1 + 1/2 + 1/3 + 1/4
    (array([[1., 1., 1., 1., 0., 0.],
           [0., 0., 1., 1., 1., 1.]]), 2.083)
    """
    rng = np.random.Generator(np.random.SFC64(np.random.SeedSequence(seed, spawn_key=(n, 0))))
    k = min(measure.cutoff(n), n)
    items = items_drawn(a, k, n) if n > _WHOLE else n
    first, second, counts = _pair_of_lists(a, b, n, items, k, (1, 1), rng)
    return np.concatenate([first, second]), float(measure.normaliser(counts, a.gains, n)[0])


def _pair_of_lists(
    a: Scorer, b: Scorer, n: int, items: int, k: int, lists: tuple[int, int], rng: np.random.Generator
) -> tuple[Floats, Floats, Integers]:
    """Return the gains at ranks 1 … k by both scorers and the label counts, of the first lists of a block.

    Parameters
    ----------
    lists : (int, int)
        The lists of the block, whose random numbers are drawn, and the first of them, which are ranked: so
        more lists begin with the same ones.
    """
    size, ranked = lists
    if isinstance(a, FixedCounts):
        counts = np.tile([*a.counts, n - a.least_n], (size, 1))
    else:
        law = np.append(a.masses, max(1.0 - sum(a.masses), 0.0))
        counts = rng.multinomial(n, law / law.sum(), size=size)
    labels, gains = counts[:, :-1], np.append(a.gains, 0.0)
    first, second = (gains[_ranked_kinds(model, counts, ranked, items / n, k, rng)] for model in (a, b))
    return first, second, np.asarray(labels[:ranked])


def _ranked_kinds(
    model: Scorer, counts: Integers, lists: int, part: float, k: int, rng: np.random.Generator
) -> Integers:
    """Return the grades at the first k ranks, best first from 0, of the first lists with these label counts.

    Items are drawn down to the depth ``part``. The grade of an item takes the place of the last bits of its
    depth, so that sorting depths sorts grades.
    """
    kinds = counts.shape[1]
    shares = np.ones(kinds)
    if part < 1:
        assert isinstance(model, Relevance)
        top = np.array(0.0), np.array(part)
        masses = (*model.masses, max(1.0 - sum(model.masses), 0.0))
        above = [part * float(grades.mean(model, g, *top)) for g in range(kinds)]
        # G_g(part), the chance of an item of grade g to be drawn
        shares = np.array([min(x / p, 1.0) if p > 0 else 0.0 for x, p in zip(above, masses, strict=True)])
        counts = binomial_counts(rng, counts, shares)
    totals, counts = counts.sum(axis=0).tolist(), counts[:lists]
    grade = np.repeat(np.tile(np.arange(kinds, dtype=np.int16), lists), counts.ravel())
    depth = np.empty(grade.size)
    for g, ranked in enumerate(counts.sum(axis=0).tolist()):
        u = rng.random(totals[g])[:ranked]
        u *= shares[g]
        depth[grade == g] = depth_of_grade(model, g, u)
    mask = (1 << (kinds - 1).bit_length()) - 1
    # in place: half of the time of these large arrays would go to making them
    keys: Integers = depth.view(np.int64)
    keys &= ~mask
    keys |= grade
    sizes = counts.sum(axis=1)
    if part < 1:  # lists have different numbers of items: others, below all of them, fill them up
        padded = np.full((lists, max(int(sizes.max(initial=0)), k)), (_BELOW & ~mask) | (kinds - 1))
        padded[np.arange(padded.shape[1]) < sizes[:, None]] = keys
        keys = padded
    else:
        keys = keys.reshape(lists, int(sizes[0]) if lists else 0)
    if k < keys.shape[1] // 4:
        keys = np.partition(keys, k - 1, axis=1)[:, :k]
    keys.sort(axis=1)
    keys &= mask
    return np.asarray(keys[:, :k])
