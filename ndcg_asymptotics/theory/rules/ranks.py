"""The law of the number of items above a depth, for means ``E[g(A); A < k]`` in lists of any length.

Of N items each is above depth t with probability t, so the number A of those above is Binomial(N, t).
`rank_nodes` are nodes and weights whose number does not depend on n: all numbers where few are likely,
numbers at steps of half a standard deviation where g is smooth and the cutoff k far away, and an integral
where the cutoff cuts a wide law.

If the label counts are known, A is a sum of independent binomials, and its characteristic function is a
product. On a window (`RankWindow`) of N whole numbers from ``low`` on, which holds the law of A, a function
of A is a sum over N frequencies, and so is its mean::

    E[D(1 + A); A < k] = sum_f g_f E[exp(i w_f (A - low))],   w_f = 2 pi f / N,
    g_f = 1/N sum_{low <= a < k} D(1 + a) exp(-i w_f (a - low)).

The g_f depend neither on the depth nor on label counts. The product falls off like a Gaussian, so that some
forty frequencies are enough however long the list.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np
from scipy.special import gammaln

from ndcg_asymptotics.core.arrays import LARGEST_N, Bools, Complex, Floats, Integers
from ndcg_asymptotics.measures import Discount
from ndcg_asymptotics.measures.exponentials import exponential_sum
from ndcg_asymptotics.theory.rules.binomial import log_binomial
from ndcg_asymptotics.theory.rules.counts import EVERY, reach
from ndcg_asymptotics.theory.rules.quadrature import on_panels

# step of sums over a smooth function, in standard deviations: they leave exp(-2 (pi / 0.5)^2) = 5e-35, and of
# its product with the polynomial of degree 35 not more than 1e-16
_STEP = 0.5
ONE_BY_ONE = 4096  #: ranks that are treated one by one where there may be many
# numbers held at a time: those that the caches of a processor do not hold take four times as long
CHUNK = 50_000
_VANISHED = 40.0  # minus the logarithm of a characteristic function that is negligible


@dataclass(frozen=True)
class RankNodes:
    """Nodes and weights of ``E[g(A); A < k]`` at some depths.

    Attributes
    ----------
    above, weights : (T, Q)
        Numbers of items above, and their weights, which are 0 where the number is not below the cutoff.
    shift : (T, Q)
        The number of counted items, which are those above or, where these are fewer, those below, less its
        mean.
    deep : (T,)
        Whether the items below are counted.
    share : (T,)
        The probability of an item to be counted.
    from_zero : bool
        Whether the counted numbers are 0, 1, 2, ….
    """

    above: Floats
    weights: Floats
    shift: Floats
    deep: Bools
    share: Floats
    from_zero: bool


def require_smooth(discount: Discount, n: int) -> None:
    """Raise `NotAvailableError` unless a discount is affine or a sum of exponentials up to n."""
    if not (discount.regular or discount.affine):
        # which raises unless the discount is smooth up to n
        exponential_sum([discount], float(min(n, LARGEST_N)))


def rank_nodes(t: Floats, k: Floats, trials: float) -> Iterator[tuple[Integers, RankNodes]]:
    """Yield the indices of some depths, and the nodes at each; depths without nodes are left out.

    Parameters
    ----------
    t : (T,)
        Depths in [0, 1].
    k : (T,)
        A cutoff for each; above ``trials`` it cuts nothing.
    trials : float
        N.

    >>> ((_, nodes),) = rank_nodes(np.array([0.5]), np.array([2.0]), 2)
    >>> nodes.above, nodes.weights.round(12)
    (array([[0., 1., 2.]]), array([[0.25, 0.5 , 0.  ]]))
    """
    deep = t > 0.5
    share = np.where(deep, 1 - t, t)  # we count the items above, or those below where these are fewer
    mean, deviation = trials * share, np.sqrt(trials * t * (1 - t))
    far = reach(deviation)
    above = np.where(deep, trials - mean, mean)
    crossing = (above + far >= k) & (k <= trials)
    short = mean <= EVERY
    # all numbers up to a cutoff are summed up to so many standard deviations; beyond it is an integral
    integrated = crossing & ~short & (deviation > 60.0)
    summed = ~short & ~integrated & crossing
    # rows have as many nodes as the widest of them, so those of a group are at most twice as wide as another
    width = np.where(short, mean + far, np.where(summed, 2 * far, EVERY))
    octave = np.ceil(np.log2(width))
    for kind, mask in (
        (_few, short),
        (_up_to_cutoff, integrated),
        (partial(_spaced, 0.0), summed),
        (partial(_spaced, _STEP), ~short & ~crossing),
    ):
        # items below the cutoff gain nothing
        nodes = np.flatnonzero(mask & ~(crossing & (above - far > k)))
        for group in np.unique(octave[nodes]):
            alike = nodes[octave[nodes] == group]
            size = max(1, int(CHUNK / 2.0**group))
            for start in range(0, alike.size, size):
                rows = alike[start : start + size]
                law = mean[rows], deviation[rows], deep[rows], share[rows], k[rows], trials
                counts, weights = kind(*law)
                a = np.where(deep[rows, None], trials - counts, counts)
                shift = counts - mean[rows, None]
                yield rows, RankNodes(a, weights, shift, deep[rows], share[rows], kind is _few)


def _few(
    mean: Floats, deviation: Floats, deep: Bools, share: Floats, k: Floats, trials: float
) -> tuple[Floats, Floats]:
    """Return numbers of counted items from 0 on and their probabilities up to the cutoff, (T, Q) each."""
    most = int(min(math.ceil((mean + reach(deviation)).max()), trials))
    counts = np.broadcast_to(np.arange(most + 1.0), (mean.size, most + 1))
    # P(c) = (1 - t)^N (N t / (1 - t))^c / c! prod_(i < c) (1 - i/N), whose logarithms are moderate
    falling = np.append(0.0, np.cumsum(np.log1p(-np.arange(most) / max(trials, 1.0))))
    odds = np.maximum(mean, np.finfo(float).tiny) / (1 - share)  # N = 0 has c = 0 only
    exponents = np.multiply.outer(np.log(odds), counts[0])
    exponents += falling - gammaln(counts[0] + 1) + (trials * np.log1p(-share))[:, None]
    likely = np.exp(exponents)
    return counts, np.where(_within(counts, deep, k, trials), likely, 0.0)


def _spaced(
    spacing: float,
    mean: Floats,
    deviation: Floats,
    deep: Bools,
    share: Floats,
    k: Floats,
    trials: float,
) -> tuple[Floats, Floats]:
    """Return numbers about the mean at steps of so many standard deviations, and their probabilities."""
    step = np.maximum(np.floor(spacing * deviation), 1.0)
    counts, inside = _about(mean, step, deviation, trials)
    weights = np.where(inside, np.exp(log_binomial(counts, trials, share[:, None])), 0.0)
    total = weights.sum(axis=1, keepdims=True)
    # among 1e30 items and more doubles are further apart than the standard deviation
    at_mean = np.arange(counts.shape[1]) == counts.shape[1] // 2
    weights = np.where(total > 0, weights / np.where(total > 0, total, 1.0), at_mean)
    return counts, weights * _within(counts, deep, k, trials)


def _about(mean: Floats, step: Floats, deviation: Floats, trials: float) -> tuple[Floats, Bools]:
    """Return whole numbers about the mean, the same number on both sides, and which are from 0 to N."""
    count = np.ceil(reach(deviation) / step).max()
    counts = np.floor(mean)[:, None] + np.arange(-count, count + 1) * step[:, None]
    inside = (counts >= 0) & (counts <= trials)
    return np.clip(counts, 0.0, trials), inside


def _up_to_cutoff(
    mean: Floats, deviation: Floats, deep: Bools, share: Floats, k: Floats, trials: float
) -> tuple[Floats, Floats]:
    """Return the nodes of an integral up to k - 1/2 items above."""
    far = reach(deviation)
    low, high = np.maximum(mean - far, -0.5), np.minimum(mean + far, trials + 0.5)
    end = np.where(deep, trials - k + 0.5, k - 0.5)
    low, high = np.where(deep, np.maximum(low, end), low), np.where(deep, high, np.minimum(high, end))
    counts, weights = _sums_to(end, np.where(deep, high, low), 4)
    return counts, weights * np.exp(log_binomial(counts, trials, share[:, None]))


def _sums_to(end: Floats, start: Floats, panels: int) -> tuple[Floats, Floats]:
    """Return nodes and weights (T, Q) of sums over the whole numbers between ``start`` and ``end``.

    They are integrals to ``end``, a whole number and a half, with one term of Euler and Maclaurin:
    ``sum_(a < k) f(a) = int^(k - 1/2) f - f'(k - 1/2) / 24``, the derivative as f(k) - f(k - 1). At ``start``
    the terms have vanished.
    """
    low, high = np.minimum(start, end), np.maximum(start, end)
    edges = low[:, None] + (high - low)[:, None] * np.linspace(0, 1, panels + 1)
    x, dx = (part.reshape(end.size, -1) for part in on_panels(edges[:, :-1].ravel(), edges[:, 1:].ravel()))
    last = np.where(end > start, 1.0, -1.0)[:, None] / 24 * np.array([1.0, -1.0])
    x = np.concatenate([x, np.stack([end - 0.5, end + 0.5], axis=1)], axis=1)
    return x, np.concatenate([dx, last], axis=1)


def _within(counts: Floats, deep: Bools, k: Floats, trials: float) -> Bools:
    return np.asarray(np.where(deep[:, None], trials - counts, counts) < k[:, None])


@dataclass(frozen=True)
class RankWindow:
    """The whole numbers ``low``, …, ``low + size - 1``; ``size`` is odd.

    Parameters
    ----------
    low, size : int
        With an even size there would be a frequency that is its own opposite.

    >>> window = RankWindow.holding(0, 2)
    >>> g = window.weights(Discount.parse("zipf"), 3, 2, window.frequencies(0.5).size)
    >>> toss = ((1 + np.exp(1j * window.frequencies(0.5))) / 2) ** 2  # of the heads of two coins
    >>> float((g @ toss).real.round(12))  # 1/4 + 1/2 · 1/2
    0.5
    """

    low: int
    size: int

    @classmethod
    def holding(cls, low: int, high: int) -> RankWindow:
        """Return a window with the numbers from ``low`` to ``high``."""
        return cls(low, high - low + 1 + (high - low) % 2)

    def frequencies(self, variance: float) -> Floats:
        """Return the w_f from 0 on at which ``|E exp(i w A)| <= exp(-2 variance sin^2(w / 2))`` matters."""
        highest = (self.size - 1) // 2
        if 2 * variance > _VANISHED:
            last = 2 * math.asin(math.sqrt(_VANISHED / (2 * variance)))
            highest = min(highest, math.ceil(self.size * last / (2 * math.pi)))
        return 2 * math.pi * np.arange(highest + 1) / self.size

    def weights(self, discount: Discount, n: int, k: int, count: int) -> Complex:
        """Return the g_f of the first ``count`` frequencies in lists of n; the real part of the sum is meant.

        The frequencies of opposite sign have the conjugate values, so those above 0 count twice.
        """
        stop = min(self.low + self.size, k)
        if stop <= self.low:
            return np.zeros(count, np.complex128)
        # a longer sum is an integral
        if self.size <= 2**13:
            ranks = 1.0 + np.arange(self.low, stop)
            sums = np.fft.rfft(discount(ranks, float(n)), self.size)[:count]
        else:
            sums = self._integrated(discount, n, stop, count)
        return np.asarray(np.where(np.arange(count) > 0, 2.0, 1.0) / self.size * sums)

    def _integrated(self, discount: Discount, n: int, stop: int, count: int) -> Complex:
        """Return the sums as integrals; at the other end the law of A has vanished."""
        (x,), (dx,) = _sums_to(np.array([stop - self.low - 0.5]), np.array([-0.5]), 24)
        turns = np.exp(-2j * math.pi / self.size * np.multiply.outer(np.arange(count), x))
        return np.asarray(turns @ (dx * discount(1.0 + self.low + x, float(n))))

    def turns(self, count: int) -> Complex:
        """Return ``exp(-i w_f low)``, which turn means of ``exp(i w_f A)`` into those that g_f multiply."""
        turned = np.array([f * self.low % self.size for f in range(count)], np.float64)  # exact in long lists
        return np.asarray(np.exp(-2j * math.pi / self.size * turned))
