"""The mean of NDCG by the labels of a judge, in lists with a fixed number of relevant items.

Ranks do not depend on the judge. With d1 and d0 the mean discount ``E[D(rank); rank <= k]`` of an item that
is relevant in truth and of one that is not,

    R d1 + (n - R) d0 = F(k),      R d1 = E[DCG_n@k] of the true labels,

so that no new integral is needed, and with the numbers r1, r0 of true and false relevant items of the judge
(`rules.reported_counts`) and the ideal DCG I(r) of r items::

    E[NDCG'] = E[ (r1 d1 + r0 d0) / I(r1 + r0) ],    E[DCG'] = R (1 - fnr) d1 + (n - R) fpr d0.

This is "Fixed numbers of relevant items" of docs/judge-theory.md.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.populations import JudgedCounts
from ndcg_asymptotics.theory.mean.fixed_counts import mean_of
from ndcg_asymptotics.theory.rules.reported_counts import ReportedCounts


class MeanDiscounts(NamedTuple):
    """The mean discounts of an item that is relevant in truth, and of one that is not."""

    relevant: float
    irrelevant: float

    @classmethod
    def of(cls, model: JudgedCounts, measure: Measure, n: int, refine: float) -> MeanDiscounts:
        """Return both from one evaluation of the mean of the true DCG."""
        relevant = model.relevant
        dcg = mean_of(model.truth, measure, n, refine, lambda discount: discount)
        everything = float(measure.discount.cumulative(min(measure.cutoff(n), n), float(n)))
        others = n - relevant
        return cls(dcg / relevant, max(everything - dcg, 0.0) / others if others else 0.0)


def evaluate_judged_counts(model: JudgedCounts, measure: Measure, n: int, refine: float) -> float:
    """Return E[NDCG'_n], or E[DCG'_n], from one evaluation of the integral over depth."""
    d1, d0 = MeanDiscounts.of(model, measure, n, refine)
    if not measure.normalised:
        return model.relevant * (1.0 - model.fnr) * d1 + (n - model.relevant) * model.fpr * d0
    counts = ReportedCounts.of(model, measure, n)
    values = (counts.found * d1 + counts.false * d0) * counts.inverse
    return float(np.minimum(values, 1.0) @ counts.weights)
