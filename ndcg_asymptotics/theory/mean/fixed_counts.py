"""The mean of DCG in lists with a fixed number of relevant items, also by the labels of a judge.

An item of gain y_j at depth t has above it A items, the sum of ``Bin(n - R, G_0(t))`` irrelevant and
``Bin(c_i - [i = j], F_i(t))`` relevant ones, all independent, so::

    E[DCG_n@k] = sum_j y_j c_j int f_j(t) E[D(1 + A); A < k] dt.

The ideal DCG is not random. The relevant items above are enumerated, the irrelevant ones summed over by
`rank_nodes`, so the cost does not depend on n. This is section 1 of docs/few.md.

*Labels of a judge.* Ranks do not depend on the judge. With d1 and d0 the mean discount
``E[D(rank); rank <= k]`` of an item that is relevant in truth and of one that is not,

    R d1 + (n - R) d0 = F(k),      R d1 = E[DCG_n@k] of the true labels,

so that no new integral is needed. Of the R relevant items the judge finds ``r1 ~ Bin(R, 1 - fnr)``, of the
n - R others it calls ``r0 ~ Bin(n - R, fpr)`` relevant, independently, and with the ideal DCG I(r) of r items

    E[NDCG'] = E[ (r1 d1 + r0 d0) / I(r1 + r0) ],    E[DCG'] = R (1 - fnr) d1 + (n - R) fpr d0.

This is "Fixed numbers of relevant items" of docs/judge-theory.md.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ndcg_asymptotics.core.arrays import Floats
from ndcg_asymptotics.core.caching import shared
from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.populations import FixedCounts, JudgedCounts
from ndcg_asymptotics.theory.rules.binomial import log_binomial
from ndcg_asymptotics.theory.rules.counts import NEGLIGIBLE, CountLaw
from ndcg_asymptotics.theory.rules.ideal import discount_sums
from ndcg_asymptotics.theory.rules.law_panels import law_panels
from ndcg_asymptotics.theory.rules.ranks import rank_nodes, require_smooth

_ROWS = 50_000  # depths and numbers of relevant items above that are held at a time
_PAIRS = 400_000  # of the two numbers of a judge, up to which each is a node
_NODES = 12  # of the number of false alarms, on each side of the kink of the ideal list, where there are more


def mean_with_fixed_counts(
    model: FixedCounts | JudgedCounts, measure: Measure, n: int, refine: float
) -> float:
    """Return E[NDCG_n] or E[DCG_n] from one evaluation of the integral over depth."""
    if isinstance(model, FixedCounts):
        ideal = normaliser(model, measure, n)
        return mean_of(model, measure, n, refine) / ideal if ideal else 0.0
    d1, d0 = MeanDiscounts.of(model.truth, measure, n, refine)
    if not measure.normalised:
        return model.relevant * (1.0 - model.fnr) * d1 + (n - model.relevant) * model.fpr * d0
    counts = ReportedCounts.of(model, measure, n)
    values = (counts.found * d1 + counts.false * d0) * counts.inverse
    return float(np.minimum(values, 1.0) @ counts.weights)


def normaliser(model: FixedCounts, measure: Measure, n: int) -> float:
    """Return what DCG is divided by: 1, or the ideal DCG, which is 0 only under linear at n = 1."""
    return float(measure.normaliser(np.array(model.counts), model.gains, n))


def mean_of(
    model: FixedCounts,
    measure: Measure,
    n: int,
    refine: float,
    function: Callable[[Floats], Floats] = np.asarray,
) -> float:
    """Return ``sum_j y_j c_j int f_j(t) E[h(D(1 + A)); A < k] dt``, h a smooth function or D itself."""
    k = min(measure.cutoff(n), n)
    require_smooth(measure.discount, n)
    panels = law_panels(model, n, k, refine)
    grades = len(model.counts)
    mass = (panels.density * panels.dt).reshape(grades, -1)
    shares = panels.above.reshape(grades + 1, -1)
    present = [j for j in range(grades) if model.counts[j]]
    laws = {j: _relevant_above(model, shares, j) for j in present}
    # by depth and number of relevant items above, (T, R)
    gained = np.sum([model.gains[j] * model.counts[j] * mass[j][:, None] * laws[j] for j in present], axis=0)
    node, number = np.nonzero(gained > NEGLIGIBLE * gained.max(axis=1, keepdims=True))
    others, total = n - model.least_n, 0.0
    for start in range(0, node.size, _ROWS):
        part = slice(start, start + _ROWS)
        i, b = node[part], number[part].astype(np.float64)
        for some, nodes in rank_nodes(shares[-1][i], k - b, others):
            rank = 1.0 + b[some, None] + np.maximum(nodes.above, 0.0)
            values = (nodes.weights * function(measure.discount(rank, float(n)))).sum(axis=1)
            total += float(values @ gained[i[some], number[part][some]])
    return total


def spread_of(model: FixedCounts, measure: Measure, n: int, refine: float, mean: float) -> float:
    """Return ``sum_j y_j c_j E[(D - mean)^2]``, D the discount of such an item, 0 beyond the cutoff."""
    within = gained = float(np.array(model.gains) @ model.counts)
    if measure.cutoff(n) < n:
        within = mean_of(model, measure, n, refine, np.ones_like)
    near = mean_of(model, measure, n, refine, lambda discount: np.asarray((discount - mean) ** 2))
    return near + max(gained - within, 0.0) * mean**2


def _relevant_above(model: FixedCounts, shares: Floats, j: int) -> Floats:
    """Return the law of the number of relevant items above an item of grade j at each depth, (T, R)."""
    law = np.ones((shares.shape[1], 1))
    for i, count in enumerate(model.counts):
        size = count - (i == j)
        if size:
            x = np.arange(size + 1.0)
            own = np.exp(log_binomial(x[None], float(size), shares[i][:, None]))
            law = _convolved(law, own)
    return law


def _convolved(a: Floats, b: Floats) -> Floats:
    """Return the convolution of two laws on 0, 1, …, row by row."""
    few, many = (a, b) if a.shape[1] < b.shape[1] else (b, a)
    found = np.zeros((len(a), a.shape[1] + b.shape[1] - 1))
    for x in range(few.shape[1]):
        found[:, x : x + many.shape[1]] += few[:, x, None] * many
    return found


class MeanDiscounts(NamedTuple):
    """The mean discounts of an item that is relevant in truth, and of one that is not."""

    relevant: float
    irrelevant: float

    @classmethod
    def of(cls, truth: FixedCounts, measure: Measure, n: int, refine: float) -> MeanDiscounts:
        """Return both from one evaluation of the mean of the true DCG."""
        dcg = mean_of(truth, measure, n, refine)
        everything = float(measure.discount.cumulative(min(measure.cutoff(n), n), float(n)))
        relevant, others = truth.least_n, n - truth.least_n
        return cls(dcg / relevant, max(everything - dcg, 0.0) / others if others else 0.0)


@dataclass(frozen=True)
class ReportedCounts:
    """Nodes for means over the two numbers of items that a judge calls relevant.

    They are all likely pairs while these are few. Else r0 has a Gauss rule on each side of the number at
    which the ideal list reaches the cutoff.

    Attributes
    ----------
    found, false : (N,)
        r1 and r0.
    weights : (N,)
    inverse : (N,)
        1 / I(r1 + r0), I(r) the ideal DCG of r items; 1 for DCG, and 0 where I is 0.
    kink : float
        A bound of the relative error of a variance that the kink of 1 / I at the cutoff leaves; the means of
        1 / I have less.
    """

    found: Floats
    false: Floats
    weights: Floats
    inverse: Floats
    kink: float

    @classmethod
    def of(cls, model: JudgedCounts, measure: Measure, n: int) -> ReportedCounts:
        """Return the nodes for lists of n items."""
        return _reported(model.relevant, model.fpr, model.fnr, measure, n)


@shared
def _reported(relevant: int, fpr: float, fnr: float, measure: Measure, n: int) -> ReportedCounts:
    k = min(measure.cutoff(n), n)
    first, second = CountLaw(relevant, 1.0 - fnr).every(), CountLaw(n - relevant, fpr)
    every = second.number * first.numbers.size <= _PAIRS
    if every:
        rules = [second.every()] * first.numbers.size
    else:
        kinks = [(k - round(r),) if k < n else () for r in first.numbers.tolist()]
        rules = [CountLaw(second.size, fpr, kinks=kink).gauss(_NODES) for kink in kinks]
    sizes = [rule.numbers.size for rule in rules]
    found, chances = (np.repeat(part, sizes) for part in first)
    false, weights = (np.concatenate(part) for part in zip(*rules, strict=True))
    weights = chances * weights
    # a twelfth of the jump of f' times the density is left, at most 0.4 / deviation; D(k) <= F(k) / k
    kink = 0.0 if every or k >= n else 0.1 / second.deviation**2
    inverse = _inverse(np.minimum(found + false, k), measure, n, every)
    return ReportedCounts(found, false, weights / weights.sum(), inverse, kink)


def _inverse(counted: Floats, measure: Measure, n: int, whole: bool) -> Floats:
    """Return 1 / I for numbers of items within the cutoff, 0 where I is 0."""
    if not measure.normalised:
        return np.ones_like(counted)
    if whole:  # the discount's own sums, at each number once
        numbers, place = np.unique(np.rint(counted).astype(np.int64), return_inverse=True)
        ideal = np.asarray(measure.normaliser(numbers[:, None], (1.0,), n))[place]
    else:
        ideal = discount_sums(measure.discount, n)(counted)
    return np.asarray(np.divide(1.0, ideal, out=np.zeros_like(counted), where=ideal > 0))
