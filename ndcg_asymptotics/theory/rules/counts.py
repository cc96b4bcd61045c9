"""The law of a label count: the numbers that are likely, and rules of few nodes for means over them.

The number C of items with a label among n is Binomial(n, p). A mean E[f(C)] is a sum over all likely numbers
where these are few. Elsewhere f is smooth in C but for kinks, where a count passes the cutoff, and a Gauss
rule of the law on each side of each kink has few nodes. A function of the labels of a list changes by its own
size over as many items as the rarer class has, those with the label or those without it: with that number m
and K nodes the relative error is about ``K! m^-K``, so that 7 nodes are enough for 1e-8 where m is 100.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple, TypeVar

import numpy as np

from ndcg_asymptotics.core.arrays import Floats
from ndcg_asymptotics.theory.rules.binomial import PROBABILITY_ROUNDING, gauss_rules, log_binomial
from ndcg_asymptotics.theory.rules.quadrature import FEWER_NODES, on_panels

Number = TypeVar("Number", float, Floats)

DEVIATIONS, FURTHER = 9.0, 25.0
"""Counts are cut off this many standard deviations plus items from the mean, which leaves 1e-18."""
NEGLIGIBLE = 1e-18
"""Probability, relative to the likeliest, below which numbers are left out."""
EXHAUSTED = PROBABILITY_ROUNDING**0.5
"""Norm of the next orthogonal polynomial below which a law has no more points."""
EVERY = 200  #: likely numbers up to which each is a node
_SUMMED = 20_000  # likely numbers up to which a Gauss rule is that of their sum; beyond it is an integral
_WIDTH = 1.5  # of a piece of a law, in standard deviations


def reach(deviation: Number) -> Number:
    """Return how far from its mean a count with this standard deviation may be.

    >>> reach(2.0)
    43.0
    """
    return DEVIATIONS * deviation + FURTHER


def around_rank(k: Number, trials: float) -> tuple[Number, Number]:
    """Return mean numbers of items above: with a smaller one rank k is further down, with a larger one above.

    The depth of a rank has a longer tail than a count.

    >>> tuple(map(round, around_rank(500.0, 1000.0)))
    (318, 682)
    """
    far = reach((k * (1 - k / trials)) ** 0.5) + 15.0
    return k - far, k + far


class CountNodes(NamedTuple):
    """Numbers, or points between them, and weights for means over them."""

    numbers: Floats
    weights: Floats


@dataclass(frozen=True)
class CountLaw:
    """The law Binomial(size, probability) of a count, for means of functions that are smooth but for kinks.

    Attributes
    ----------
    size : int
    probability : float
    least : int
        Only numbers from here on count.
    kinks : whole numbers
        Where the derivative of the functions may jump.

    >>> CountLaw(2, 0.5, least=1).every()
    CountNodes(numbers=array([1., 2.]), weights=array([0.5 , 0.25]))
    """

    size: int
    probability: float
    least: int = 0
    kinks: tuple[int, ...] = ()

    @property
    def mean(self) -> float:
        """The mean of the count."""
        return self.size * self.probability

    @property
    def deviation(self) -> float:
        """The standard deviation of the count."""
        return math.sqrt(self.mean * (1 - self.probability))

    @property
    def likely(self) -> tuple[int, int]:
        """The least and the largest number of the whole law that are likely."""
        far = reach(self.deviation)
        return max(0, math.floor(self.mean - far)), min(self.size, math.ceil(self.mean + far))

    @property
    def number(self) -> int:
        """How many numbers are likely."""
        low, high = self.likely
        return max(high - max(low, self.least) + 1, 0)

    def nodes(self, count: int) -> CountNodes:
        """Return every number while at most 200 are likely, else the Gauss rule of ``count`` nodes."""
        return self.every() if self.number <= EVERY else self.gauss(count)

    def every(self) -> CountNodes:
        """Return every likely number with its probability."""
        low, high = self.likely
        x = np.arange(low, high + 1, dtype=np.float64)
        weights = np.exp(log_binomial(x, float(self.size), self.probability))
        return self._likely_part(x, weights / weights.sum())

    def gauss(self, count: int) -> CountNodes:
        """Return the Gauss rule with ``count`` nodes on each side of each kink.

        Beyond 20,000 likely numbers it is that of their density, which leaves a twelfth of the jump of f'.
        """
        if not self.number:
            return CountNodes(np.empty(0), np.empty(0))
        low, high = self.likely
        cuts = sorted(cut for cut in {self.least, *self.kinks} if low < cut <= high and cut >= self.least)
        if not cuts and self.least <= low:
            (shift,), (weights,) = gauss_rules(np.array([float(self.size)]), self.probability, count)
            return CountNodes(self.mean + shift, weights)
        x, weights = self._likely_part(*_pieces(self.size, self.probability, tuple(cuts)))
        sides = np.split(np.arange(x.size), np.searchsorted(x, np.array(cuts) - 0.5))
        rules = [gauss_rule(x[side], weights[side], count) for side in sides]
        return CountNodes(*(np.concatenate(part) for part in zip(*rules, strict=True)))

    def _likely_part(self, x: Floats, weights: Floats) -> CountNodes:
        """Return the nodes from ``least`` on that have a weight."""
        x, weights = x[x >= self.least - 0.5], weights[x >= self.least - 0.5]
        likely = weights > NEGLIGIBLE * weights.max(initial=0.0)
        return CountNodes(x[likely], weights[likely])


def _pieces(size: int, probability: float, cuts: tuple[int, ...]) -> CountNodes:
    """Return a law as the Gauss rules of narrow pieces of it, which end at some numbers."""
    law = CountLaw(size, probability)
    low, high = law.likely
    steps = law.mean + law.deviation * np.arange(-DEVIATIONS, DEVIATIONS + _WIDTH, _WIDTH)
    inner = np.append(steps, np.array(cuts) - 0.5)
    edges = np.concatenate([[low - 0.5], np.unique(inner[(inner > low) & (inner < high)]), [high + 0.5]])
    if high - low >= _SUMMED:
        x, dx = (part.ravel() for part in on_panels(edges[:-1], edges[1:], FEWER_NODES))
        weights = dx * np.exp(log_binomial(x, float(size), probability))
    else:
        x, weights = law.every()
        parts = np.split(np.arange(x.size), np.searchsorted(x, edges[1:-1]))
        rules = [gauss_rule(x[part], weights[part], FEWER_NODES) for part in parts if part.size]
        x, weights = (np.concatenate(part) for part in zip(*rules, strict=True))
    # the logarithm of a density of 1e18 numbers has lost some digits
    return CountNodes(x, weights / weights.sum())


def gauss_rule(x: Floats, weights: Floats, count: int) -> CountNodes:
    """Return the Gauss rule with ``count`` nodes of a law on some points, from its orthonormal polynomials.

    A law of no more points is returned as it is.

    >>> gauss_rule(np.arange(5.0), np.array([1.0, 4.0, 6.0, 4.0, 1.0]) / 16, 2)
    CountNodes(numbers=array([1., 3.]), weights=array([0.5, 0.5]))
    """
    if x.size <= count:
        return CountNodes(x, weights)
    whole = float(weights.sum())
    weights = weights / whole
    centre = float(weights @ x)
    unit = math.sqrt(float(weights @ (x - centre) ** 2))
    u = (x - centre) / unit
    polynomials = np.empty((count + 1, x.size))  # times the root of the law
    polynomials[0] = np.sqrt(weights)
    diagonal, beside = [], []
    for i in range(count):
        rows, following = polynomials[: i + 1], u * polynomials[i]
        diagonal.append(float(polynomials[i] @ following))
        for _twice in range(2):  # orthogonal to rounding
            following -= rows.T @ (rows @ following)
        beside.append(float(np.linalg.norm(following)))
        if beside[-1] < EXHAUSTED:
            break
        polynomials[i + 1] = following / beside[-1]
    # the eigenvalues of the Jacobi matrix and the first entries of its vectors (Golub and Welsch 1969);
    # scipy has this for matrices with three diagonals, but loading it takes longer than most rules
    nodes, vectors = np.linalg.eigh(np.diag(diagonal) + np.diag(beside[: len(diagonal) - 1], -1))
    return CountNodes(np.asarray(centre + unit * nodes), np.asarray(whole * vectors[0] ** 2))
