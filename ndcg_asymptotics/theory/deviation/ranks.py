"""Mean and variance of NDCG and DCG where few ranks count (section 3 of docs/fluctuations.md).

With A the label counts of the first k ranks, C those of the list and I the ideal DCG of k ranks, NDCG lacks

    1 - NDCG = (I(C) - I(A) + L) / I(C),        L = I(A) - DCG.

Neither term is negative. L is a sum over ranks: an item of gain y at rank s adds to it what I(A) grows by
less y D(s). So its moments given A and the depth of rank k follow from the recursion over ranks, and C - A
are the counts of the n - k items below, which are independent. Variances are those of 1 - NDCG where A > 0,
so that nearly perfect orders lose no digits; elsewhere NDCG is 0.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.special import betainc

from ndcg_asymptotics.core.arrays import Floats, Integers
from ndcg_asymptotics.core.caching import shared
from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.measures.gains import gain_steps
from ndcg_asymptotics.populations import Relevance
from ndcg_asymptotics.theory.deviation.rank_recursion import (
    UNLIKELY,
    CountStates,
    RankPanels,
    at_rank,
    depth_of,
    largest_counts,
)
from ndcg_asymptotics.theory.rules.binomial import log_binomial
from ndcg_asymptotics.theory.rules.counts import NEGLIGIBLE, CountLaw

MOST_RANKS = 128
_MOST_WORK = 1e6  # panels times states times ranks
_MOST_COUNTS = 1_500_000  # states times counts below
ERROR = 1e-10  #: of a second moment; 1e-11 at most in 840 lists with oracles
_SUMMED = 1e12  # items from which a probability is 1 less a sum, as scipy's is wrong there
_EVERY = 800  # counts up to which each is summed


def few_ranks(scorers: tuple[Relevance, ...], measure: Measure, n: int) -> bool:
    """Return whether `rank_moments` is for this measure: few ranks count, and not too many label counts.

    >>> curve = Relevance.of("linear(0.1, 0.7)")
    >>> [few_ranks((curve,), Measure.of(text), 1000) for text in ("nDCG", "nDCG@100")]
    [False, True]
    """
    k, scorer = min(measure.cutoff(n), n), scorers[0]
    grades = len(scorer.gains)
    states = below = 1
    if k > MOST_RANKS or (len(scorers) > 1 and k < n and grades > 1 and not _each_count(scorer, n)):
        return False
    if measure.normalised or len(scorers) > 1:
        items = np.minimum(n * np.array(scorer.masses), depth_of(k, n))
        states = min(math.prod(m + 1 for m in largest_counts(k, items)), math.comb(k + grades, grades))
        below = math.comb(k + grades, grades) if k < n else 1
        if len(scorers) > 1 and k < n and grades > 1:
            below = math.prod(m + 1 for m in _likely(scorer, n))
    breaks = max(len(model.breakpoints) for model in scorers)
    return (breaks + math.sqrt(k)) * states * k <= _MOST_WORK and states * below <= _MOST_COUNTS


class Variance(NamedTuple):
    """A variance and a bound of its error."""

    value: float
    error: float


class RankMoments(NamedTuple):
    """Mean and variance, the second moment, to which errors are relative, and the error of the variance."""

    mean: float
    variance: float
    size: float
    error: float = 0.0


@shared
def rank_moments(scorers: tuple[Relevance, ...], measure: Measure, n: int) -> RankMoments:
    """Return mean and variance of NDCG_n or DCG_n, or of its difference for two scorers, and its error.

    Two scorers are independent given the label.

    >>> curve = Relevance.of("constant(0.4)")
    >>> round(rank_moments((curve,), Measure.of("DCG(zipf)@1"), 10).variance, 9)
    0.24
    """
    k, largest = min(measure.cutoff(n), n), measure.largest(scorers[0].gains, n)
    eps = float(np.finfo(float).eps)
    relative, least = ERROR + eps * (8 + 4 * math.sqrt(k)), 100 * UNLIKELY
    if any(len(model.curves) > 1 or model.curves[0].complement is None for model in scorers):
        # the probability of no gain is 1 less the others
        relative, least = relative + 1e-13, k * eps
    a, *subtracted = (_one(scorer, measure, n) for scorer in scorers)
    mean, variance, size = a.mean, a.variance, a.size
    for b in subtracted:
        mean, size = mean - b.mean, 2 * (size + b.size)
        variance += b.variance - 2 * _covariance(scorers, measure, n)
    return RankMoments(mean, max(variance, 0.0), size, relative * size + least * largest**2)


@dataclass(frozen=True, eq=False)
class FirstRanks:
    """The first k ranks of lists of n items.

    Attributes
    ----------
    ends : (S, J)
        How many of them have each gain or a higher one.
    t : (T,)
        Depths of the item at rank k.
    moments : (3, S, T)
        E[X^p; counts, t] for p = 0, 1, 2, times weights of the depths; X is L for NDCG, and DCG itself.
    steps : (J,)
        Differences of successive gains.
    sums : (k + 1,)
        F(0), …, F(k).
    """

    k: int
    ends: Integers
    t: Floats
    moments: Floats
    steps: Floats
    sums: Floats

    def ideal(self, ends: Integers) -> Floats:
        """Return I for numbers of items that have each gain or a higher one, (..., J)."""
        return np.asarray(self.sums[np.minimum(ends, self.k)] @ self.steps)


@shared
def first_ranks(scorer: Relevance, measure: Measure, n: int, with_counts: bool) -> FirstRanks:
    """Return what the recursion over ranks finds; with the label counts of these ranks if ``with_counts``."""
    k = min(measure.cutoff(n), n)
    panels, gains = RankPanels.of(scorer, n, k), np.array(scorer.gains)
    items = (panels.labels[:-1] * panels.dz).sum(axis=(1, 2))
    states = CountStates.of(k, items) if with_counts else CountStates.none(gains.size)
    discount = measure.discount(np.arange(1.0, k + 1), float(n))
    steps = gain_steps(gains)
    # D of the rank up to which one item more extends each gain in the ideal list
    following = discount[np.minimum(np.cumsum(states.counts, axis=1), k - 1)]

    def term(rank: int, gain: int, alive: Integers) -> Floats:
        if not measure.normalised:
            return np.full(alive.size, gains[gain] * discount[rank - 1])
        return np.asarray((following[alive, gain:] - discount[rank - 1]) @ steps[gain:])

    t, counts, moments = at_rank(panels, n, k, states, term)
    sums = np.concatenate([[0.0], np.cumsum(discount)])
    return FirstRanks(k, np.cumsum(counts, axis=1), t, moments, steps, sums)


@shared  # a scorer's moments serve it alone and in every pair
def _one(scorer: Relevance, measure: Measure, n: int) -> RankMoments:
    first = first_ranks(scorer, measure, n, with_counts=measure.normalised)
    if not measure.normalised:
        total, mean, square = first.moments.sum(axis=(1, 2)).tolist()
        return RankMoments(mean / total, square / total - (mean / total) ** 2, square)
    below, chances = counts_below(_shares_below(scorer, first), n - first.k, first.k)
    law, lost, squared = chances.T @ first.moments.swapaxes(1, 2)  # (B, S) each
    lacking, scale = _lacking(first, below[:, None] + first.ends)
    gained = first.ends[:, -1] > 0
    without_gain, with_gain = float(law[:, ~gained].sum()), float(law[:, gained].sum())
    if with_gain == 0:
        return RankMoments(0.0, 0.0, 0.0)
    mean = float(((law * lacking + lost) * scale)[:, gained].sum()) / with_gain
    square = float((((law * lacking + 2 * lost) * lacking + squared) * scale**2)[:, gained].sum()) / with_gain
    share, complement = with_gain / (with_gain + without_gain), without_gain / (with_gain + without_gain)
    of_none = complement * (1 - mean) ** 2
    return RankMoments(share * (1 - mean), share * (square - mean**2 + of_none), share * (square + of_none))


def _lacking(first: FirstRanks, ends: Integers) -> tuple[Floats, Floats]:
    """Return I(C) - I(A) and 1/I(C), or 0, for C given by its ``ends`` (..., S, J): (..., S) each."""
    ideal = first.ideal(ends)
    lacking = (first.sums[np.minimum(ends, first.k)] - first.sums[first.ends]) @ first.steps
    return lacking, np.divide(1.0, ideal, out=np.zeros_like(ideal), where=ideal > 0)


def _covariance(scorers: tuple[Relevance, ...], measure: Measure, n: int) -> float:
    """Return ``Cov(E[NDCG_a | c], E[NDCG_b | c])`` over the label counts c of the list."""
    top_ranks = [first_ranks(scorer, measure, n, with_counts=True) for scorer in scorers]
    if _each_count(scorers[0], n):
        most = sum(_likely(scorers[0], n))
        parts = [_by_counts(*pair, measure, n, most) for pair in zip(scorers, top_ranks, strict=True)]
        keys, place = np.unique(np.concatenate([part[0] for part in parts]), return_inverse=True)
        places = np.split(place, [parts[0][0].size])
        sums = [
            np.array([np.bincount(at, x, keys.size) for x in of_count], np.float64)
            for at, (_, *of_count) in zip(places, parts, strict=True)
        ]
        law = (sums[0][0] + sums[1][0]) / 2
    else:
        counts, law = CountLaw(n, min(scorers[0].masses[0], 1.0)).gauss(13)
        sums = [
            np.array(_at_counts(*pair, measure, n, counts)) for pair in zip(scorers, top_ranks, strict=True)
        ]
    likely = law > NEGLIGIBLE
    law = law[likely] / law[likely].sum()
    a, b = (value[likely] / chance[likely] for chance, value in sums)
    return float(law @ ((a - law @ a) * (b - law @ b)))


def _each_count(scorer: Relevance, n: int) -> bool:
    """Return whether so few label counts are likely that means are sums over all of them."""
    return max(_likely(scorer, n)) <= _EVERY


def _likely(scorer: Relevance, n: int) -> list[int]:
    """Return a number for each gain that its count hardly exceeds; more than `_EVERY` is one more."""
    return largest_counts(min(n, _EVERY + 1), n * np.array(scorer.masses))


def _shares_below(scorer: Relevance, first: FirstRanks) -> Floats:
    """Return the probability of each gain below the depths of rank k, (J, T)."""
    return np.array([curve.mean(first.t, 1.0) for curve in scorer.curves])


def _by_counts(
    scorer: Relevance, first: FirstRanks, measure: Measure, n: int, most: int
) -> tuple[Integers, Floats, Floats]:
    """Return numbers of label counts c, and P(C = c) and E[1 - NDCG; C = c] or that of DCG, in parts."""
    shares = _shares_below(scorer, first)
    below, chances = counts_below(shares, n - first.k, most)
    law, lost = chances.T @ first.moments[:2].swapaxes(1, 2)
    ends = below[:, None] + first.ends
    keys = np.ravel_multi_index(tuple(np.moveaxis(ends, 2, 0)), (most + first.k + 1,) * len(shares))
    return keys.ravel(), law.ravel(), _lost(first, ends, law, lost, measure).ravel()


def _at_counts(
    scorer: Relevance, first: FirstRanks, measure: Measure, n: int, counts: Floats
) -> tuple[Floats, Floats]:
    """Return P(C = c) and E[1 - NDCG; C = c], or that of DCG, for counts c of a binary list: (C,) each.

    Between whole numbers, which are beyond the cutoff, both are continued by the gamma function.
    """
    counts_above = first.ends[:, 0]
    numbers, place = np.unique(counts[:, None] - counts_above, return_inverse=True)
    possible = (numbers >= 0) & (numbers <= n - first.k)
    share = _shares_below(scorer, first).T
    chances = np.zeros((first.t.size, numbers.size))
    chances[:, possible] = np.exp(log_binomial(numbers[possible], float(n - first.k), share))
    joint = chances.T @ first.moments[:2].swapaxes(1, 2)
    law, lost = joint[:, place.reshape(-1, counts_above.size), np.arange(counts_above.size)]  # (C, S) each
    ends = np.minimum(counts, first.k).astype(int)[:, None, None] + np.zeros((counts_above.size, 1), int)
    return law.sum(axis=1), _lost(first, ends, law, lost, measure).sum(axis=1)


def _lost(first: FirstRanks, ends: Integers, law: Floats, lost: Floats, measure: Measure) -> Floats:
    """Return E[1 - NDCG; C, A] from that of L, or E[DCG; C, A]."""
    if not measure.normalised:
        return lost
    lacking, scale = _lacking(first, ends)
    return np.where(scale > 0, (law * lacking + lost) * scale, law)


def counts_below(shares: Floats, size: int, k: int) -> tuple[Integers, Floats]:
    """Return the numbers of items that have each gain or a higher one, up to k, and their law.

    Parameters
    ----------
    shares : (J, T)
        The probability of each gain, for T laws.
    size : int
        The number of items.

    Returns
    -------
    ends : (B, J)
        Increasing along a row; k stands for k and more.
    law : (T, B)

    >>> ends, law = counts_below(np.array([[0.5]]), 2, 1)
    >>> ends.ravel(), law
    (array([0, 1]), array([[0.25, 0.75]]))
    """
    if size == 0:
        return np.zeros((1, len(shares)), int), np.ones((shares.shape[1], 1))
    ends, law, cumulative = np.zeros((1, 0), int), np.ones((shares.shape[1], 1)), np.zeros(shares.shape[1])
    for share in shares:
        chance = np.where(
            cumulative < 1, np.minimum(share / np.where(cumulative < 1, 1 - cumulative, 1.0), 1.0), 0.0
        )
        cumulative = cumulative + share
        last = ends[:, -1] if ends.shape[1] else np.zeros(1, int)
        rows, columns = [], []
        for count in np.unique(last):
            alike = last == count
            further = (
                _up_to(size - int(count), chance, k - int(count)) if count < k else np.ones((len(law), 1))
            )
            (added,) = np.nonzero(further.max(axis=0) > UNLIKELY)  # before each joins all `alike`
            numbers, further = count + added, further[:, added]
            rows.append(
                np.column_stack([np.repeat(ends[alike], numbers.size, axis=0), np.tile(numbers, alike.sum())])
            )
            columns.append((law[:, alike, None] * further[:, None]).reshape(len(law), -1))
        ends, law = np.concatenate(rows), np.concatenate(columns, axis=1)
        likely = law.max(axis=0) > UNLIKELY
        ends, law = ends[likely], law[:, likely]
    return ends, law


def _up_to(size: int, chance: Floats, most: int) -> Floats:
    """Return P(Bin(size, chance) = 0, 1, …), the last entry that of ``most`` and more: (T, most + 1).

    Where a number is hardly exceeded, the entries beyond it are 0.
    """
    (largest,) = largest_counts(min(most, size), size * chance.max(keepdims=True), -math.log(UNLIKELY))
    numbers = np.arange(float(min(most, largest + 1)))
    law = np.zeros((chance.size, most + 1))
    law[:, : numbers.size] = np.exp(log_binomial(numbers, float(size), chance[:, None]))
    if largest < most:
        return law
    # scipy's function keeps the digits of a small probability
    exact = size < _SUMMED
    law[:, -1] = betainc(most, size - most + 1.0, chance) if exact else np.maximum(1 - law.sum(axis=1), 0.0)
    return law
