"""The exact law of NDCG_n where few ranks count, by enumeration of their labels, or one item is relevant.

Let k be the number of ranks that count and t_k the depth of the item at rank k. The labels y_1, …, y_k of
the first k ranks and the label counts c of the whole list have the joint law::

    P(y, c) = n!/(n-k)! int_0^1 g_(k-1)(t) p(y_k | t) (1-t)^(n-k) M(c - counts(y); t) dt,
    g_0 = 1,   g_i(t) = int_0^t p(y_i | s) g_(i-1)(s) ds,

where p(y | t) is the label law at depth t and M(.; t) the multinomial law of the n - k labels below t. All
laws of one list follow. Two scorers are independent given the counts, and given the counts their ideal DCG
is the same, so the order of two scorers needs their DCG only.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from typing import NamedTuple

import numpy as np
from scipy.special import gammaln, xlog1py, xlogy

from ndcg_asymptotics.core.arrays import Floats, Integers
from ndcg_asymptotics.core.caching import shared
from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.populations import FixedCounts, Relevance, Scorer
from ndcg_asymptotics.theory.fluctuations.one_item import OneItemLaw, one_item
from ndcg_asymptotics.theory.rules import quadrature
from ndcg_asymptotics.theory.rules.binomial import log_binomial
from ndcg_asymptotics.theory.rules.counts import CountLaw
from ndcg_asymptotics.theory.rules.quadrature import running_integrals

_SEQUENCES = 1024  # most label sequences at the ranks that count
_COUNTS = 300  # most vectors of label counts
LONGEST_ENUMERATED = 10**18
"""The largest list length at which few ranks are enumerated."""
_TOGETHER = 256  # panels
_ROUNDING = 1e-9  # error of a probability
_TIE = 1e-12  # relative difference below which DCGs are equal


@dataclass(frozen=True, eq=False)
class LabelSequences:
    """The joint law of the labels at the first k ranks and the label counts of the list.

    Attributes
    ----------
    gains : (P, k)
        The label sequences.
    counts : (C, J)
        The number of items with each positive gain. Where one grade has many possible counts, only every h-th
        is there.
    chances : (P, C)
        P(sequence, counts), times h.
    """

    gains: Floats
    counts: Integers
    chances: Floats


def enumerable(scorer: Scorer, measure: Measure, n: int) -> bool:
    """Return whether the law of NDCG_n is found by enumeration in well under a second.

    >>> curve = Relevance.of("linear(0.1, 0.7)")
    >>> [enumerable(curve, Measure.of(text), 1000) for text in ("nDCG", "nDCG@5")]
    [False, True]
    """
    return scorer.iid and _enumerable(len(scorer.gains), measure, n)


def _enumerable(grades: int, measure: Measure, n: int) -> bool:
    k = min(measure.cutoff(n), n)
    few_counts = grades == 1 or math.comb(n + grades, grades) <= _COUNTS
    return n <= LONGEST_ENUMERATED and k <= math.log(_SEQUENCES) / math.log(grades + 1) + 1e-9 and few_counts


class OrderChances(NamedTuple):
    """The probabilities of NDCG_n(a) > NDCG_n(b), of NDCG_n(a) < NDCG_n(b) and of a tie."""

    more: float
    less: float
    tie: float


def order_law(a: Scorer, b: Scorer, measure: Measure, n: int) -> OrderChances:
    """Return the probability of each order of two scorers.

    Parameters
    ----------
    a, b : Scorer
        With the same label law, independent given the label.
    measure : Measure
    n : int
        A list length at which both are `enumerable`.

    >>> best, blank = Relevance.of("step(0, 1, 0.5)"), Relevance.of("constant(0.5)")
    >>> [round(chance, 9) for chance in order_law(best, blank, Measure.of("nDCG"), 2)]  # labels 1, 0 and 0, 1
    [0.25, 0.0, 0.75]
    """
    k = min(measure.cutoff(n), n)
    first, second = (label_sequences(scorer.model, k, n, a.masses) for scorer in (a, b))
    return _order(first, second, measure.discount(np.arange(1.0, k + 1), float(n)))


def order_law_at_the_top(a: Scorer, b: Scorer, measure: Measure) -> OrderChances | None:
    """Return `order_law` as n grows, for a fixed cutoff; None where there are too many label sequences.

    The labels at the ranks that count become independent draws from the label law at the top.

    >>> good, blank = Relevance.of("linear(0.1, 0.7)"), Relevance.of("constant(0.4)")
    >>> [round(chance, 9) for chance in order_law_at_the_top(good, blank, Measure.of("nDCG@1"))]
    [0.42, 0.12, 0.46]
    """
    return _order_law_at_the_top(a.model, b.model, measure)


def _order_law_at_the_top(a: Relevance, b: Relevance, measure: Measure) -> OrderChances | None:
    if measure.cutoff.regime != "fixed" or not enumerable(a, measure, LONGEST_ENUMERATED):
        return None
    k = measure.cutoff(LONGEST_ENUMERATED)
    first, second = (_independent(scorer, k) for scorer in (a, b))
    return _order(first, second, measure.discount(np.arange(1.0, k + 1), float(LONGEST_ENUMERATED)))


def _independent(relevance: Relevance, k: int) -> LabelSequences:
    gains, chances = relevance.label_law(0.0)
    sequences = np.array(list(product(range(gains.size), repeat=k)), np.int64).reshape(-1, k)
    nobody = np.zeros((1, gains.size - 1), np.int64)
    return LabelSequences(gains[sequences], nobody, chances[sequences].prod(axis=1)[:, None])


def _order(first: LabelSequences, second: LabelSequences, weights: Floats) -> OrderChances:
    x, y = first.gains @ weights, second.gains @ weights
    tie = _TIE * max(x.max(initial=0.0), y.max(initial=0.0))
    order = np.argsort(y, kind="stable")
    below = np.vstack([np.zeros(second.chances.shape[1]), np.cumsum(second.chances[order], axis=0)])
    less_than = below[np.searchsorted(y[order], x - tie, side="left")]
    at_most = below[np.searchsorted(y[order], x + tie, side="right")]
    whole = below[-1]
    # P(x, y, c) = P(x, c) P(y, c) / P(c), since the scorers are independent given the counts c
    given = np.divide(first.chances, whole, out=np.zeros_like(first.chances), where=whole > 0)
    parts = [(given * part).sum() for part in (less_than, whole - at_most, at_most - less_than)]
    return OrderChances(*(np.array(parts) / sum(parts)).tolist())


@dataclass(frozen=True, eq=False)
class EnumeratedLaw:
    """The exact law of NDCG_n by its atoms: values, increasing, and their probabilities.

    >>> law = EnumeratedLaw(*ndcg_law(Relevance.of("constant(0.5)"), Measure.of("nDCG(zipf)"), 2))
    >>> law.above(np.array([0.5]))[0].round(12), law.quantile(0.6)
    (array([0.5]), 1.0)
    """

    values: Floats
    chances: Floats

    def above(self, x: Floats) -> tuple[Floats, Floats]:
        """Return P(NDCG_n > x), and bounds of the errors, for an array."""
        from_each_on = np.append(np.cumsum(self.chances[::-1])[::-1], 0.0)
        found = from_each_on[np.searchsorted(self.values, x, side="right")]
        return found, np.full(found.shape, _ROUNDING)

    def quantile(self, p: float) -> float:
        """Return the smallest x with P(NDCG_n <= x) >= p."""
        place = int(np.searchsorted(np.cumsum(self.chances), p - _ROUNDING))
        return float(self.values[min(place, self.values.size - 1)])


def exact_law(scorer: Scorer, measure: Measure, n: int) -> OneItemLaw | EnumeratedLaw | None:
    """Return the law of lists with one relevant item, or one that is `enumerable`; None elsewhere.

    >>> curve = Scorer.of("linear(0.1, 0.7)")
    >>> round(exact_law(curve, Measure.of("nDCG@5"), 1000).quantile(0.5), 2)
    0.7
    >>> exact_law(curve, Measure.of("nDCG"), 1000) is None
    True
    """
    if one_item(scorer):
        assert isinstance(scorer, FixedCounts)
        return OneItemLaw(scorer, measure, n)
    return EnumeratedLaw(*ndcg_law(scorer, measure, n)) if enumerable(scorer, measure, n) else None


def ndcg_law(scorer: Scorer, measure: Measure, n: int) -> tuple[Floats, Floats]:
    """Return the values that NDCG_n takes, increasing, and their probabilities, at an `enumerable` n.

    >>> values, chances = ndcg_law(Relevance.of("constant(0.5)"), Measure.of("nDCG(zipf)"), 2)
    >>> values, chances.round(12)
    (array([0. , 0.5, 1. ]), array([0.25, 0.25, 0.5 ]))
    """
    return _ndcg_law(scorer.model, measure, n)


def _ndcg_law(relevance: Relevance, measure: Measure, n: int) -> tuple[Floats, Floats]:
    k = min(measure.cutoff(n), n)
    law = label_sequences(relevance, k, n)
    dcg = law.gains @ measure.discount(np.arange(1.0, k + 1), float(n))
    ideal = measure.normaliser(law.counts, relevance.gains, n)
    ndcg = np.divide(dcg[:, None], ideal, out=np.zeros_like(law.chances), where=ideal > 0)
    possible = law.chances > 0
    most = 1.0 if measure.normalised else np.inf  # rounding must not make NDCG exceed 1
    return collected(np.minimum(ndcg[possible], most), law.chances[possible])


@shared
def label_sequences(
    relevance: Relevance, k: int, n: int, masses: tuple[float, ...] | None = None
) -> LabelSequences:
    """Return the joint law of the labels at the first k of n ranks and the label counts.

    ``masses`` are those of the grades, up to rounding: scorers with the same have the same vectors of counts.
    """
    grades = len(relevance.gains) + 1
    indices = np.array(list(product(range(grades), repeat=k)), np.int64).reshape(-1, k)
    per_sequence = np.array([np.bincount(row, minlength=grades) for row in indices])
    counts, step = _counts(masses or relevance.masses, k, n)
    numbers = np.unique(per_sequence, axis=0)
    of_numbers = [((per_sequence == seen).all(axis=1), counts - seen) for seen in numbers]
    chances = np.zeros((len(indices), len(counts)))
    for t, last, above in _by_panels(relevance, k, n):
        below = np.array([curve.mean(t, 1.0) for curve in relevance.curves])
        rest = np.vstack([below, np.maximum(1 - below.sum(axis=0), 0.0)])
        for same, left in of_numbers:
            possible = (left >= 0).all(axis=1)
            if not possible.any():
                continue
            beyond = step * _multinomial(rest, left[possible], n - k)
            for label in range(grades):
                rows = np.flatnonzero(same & (indices[:, -1] == label))
                found = above[rows // grades] @ (last[label][:, None] * beyond)
                chances[np.ix_(rows, possible)] += found
    every = np.append(relevance.gains, 0.0)
    return LabelSequences(every[indices], counts[:, :-1], np.maximum(chances, 0.0))


def _by_panels(relevance: Relevance, k: int, n: int) -> Iterator[tuple[Floats, Floats, Floats]]:
    """Yield depths (T,) of rank k, panel after panel, with its labels' weights and the law above it.

    The weights are (n-k+1) p(y_k | t) (1-t)^(n-k) dt, (J + 1, T), and the law is n!/(n-k+1)! g_(k-1)(t) for
    the labels of the first k - 1 ranks, (P, T). Curves may have thousands of breaks, so only some panels are
    in memory at a time.
    """
    edges = _panels(relevance, k, n)
    # g_i(t) = int_0^t p(y_i | s) g_(i-1)(s) ds; each rank i contributes a factor n - i + 1 of n!/(n-k)!
    so_far = [np.zeros(((len(relevance.gains) + 1) ** rank, 1, 1)) for rank in range(k)]
    for start in range(0, len(edges) - 1, _TOGETHER):
        some = edges[start : start + _TOGETHER + 1]
        t, w = quadrature.on_panels(some[:-1], some[1:], quadrature.FEWER_NODES)
        _, p = relevance.label_law(t.ravel())
        above = np.ones((1, t.size))
        for rank in range(1, k):
            terms = (above[:, None, :] * (p * w.ravel() * (n - rank + 1))).reshape(-1, *t.shape)
            above = (so_far[rank] + running_integrals(terms)).reshape(-1, t.size)
            so_far[rank] = so_far[rank] + terms.sum(axis=(1, 2), keepdims=True)
        yield t.ravel(), p * (np.exp(xlog1py(n - k, -t.ravel())) * w.ravel() * (n - k + 1)), above


def _panels(relevance: Relevance, k: int, n: int) -> Floats:
    """Return panels of the depth of rank k, shrinking towards the top, with the curve's breaks as edges."""
    # with so many expected items above no rank that counts is deeper
    last = (60.0 + 6 * k) / max(n - k, 1)
    # the first panel has 1e-10 expected items
    halves = 0.5 ** np.arange(1, math.ceil(math.log2(n / 1e-10)) + 1)
    edges = np.concatenate([halves, 1 - halves[1:48:2], relevance.breakpoints])
    return np.unique(np.concatenate([[0.0, min(last, 1.0)], edges[edges < last]]))


def _counts(masses: tuple[float, ...], k: int, n: int) -> tuple[Integers, int]:
    """Return vectors of counts of all grades, the gain 0 last, and h; of one grade only every h-th count."""
    grades = len(masses)
    if grades == 1:
        law = CountLaw(n, min(masses[0], 1.0))
        low, high = law.likely
        # Where all lists have more than k relevant items the law is smooth in their number, with a spectrum
        # that ends far below that of every second standard deviation. Else the ideal list bends.
        step = max(1, math.floor(law.deviation / 2) if low > k else (high - low) // _COUNTS)
        relevant = np.arange(low, high + 1, step)
        return np.column_stack([relevant, n - relevant]), step
    several = [c for c in product(range(n + 1), repeat=grades) if sum(c) <= n]
    return np.array([(*c, n - sum(c)) for c in several], np.int64), 1


def _multinomial(law: Floats, counts: Integers, total: int) -> Floats:
    """Return P(counts) at each node, (nodes, vectors); law is (grades, nodes)."""
    if len(law) == 2:  # in a form that keeps its digits, as lists may be long
        return np.exp(log_binomial(counts[:, 0].astype(float), float(total), law[0][:, None]))
    ways = gammaln(total + 1.0) - gammaln(counts + 1.0).sum(axis=1)
    exponent = sum(xlogy(counts[:, j], law[j][:, None]) for j in range(len(law)))
    return np.asarray(np.exp(ways + exponent))


def collected(values: Floats, chances: Floats, size: float | None = None) -> tuple[Floats, Floats]:
    """Return values in increasing order with their probabilities; equal up to rounding are merged.

    Rounding errors are relative to each value, or to ``size`` where values are sums that may cancel.
    """
    order = np.argsort(values, kind="stable")
    values, chances = values[order], chances[order]
    new = np.concatenate(([True], np.diff(values) > _TIE * (values[1:] if size is None else size)))
    sums = np.add.reduceat(chances, np.flatnonzero(new))
    return values[new], sums / sums.sum()
