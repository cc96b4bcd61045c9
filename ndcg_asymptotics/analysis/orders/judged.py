"""How often a judge orders two scorers as the true labels do, and how many more queries its labels need.

Both are counted on lists that a study has drawn with both kinds of labels. If d is the mean of the difference
of two scorers over lists and s its standard deviation, a paired test needs a number of queries proportional
to (s / d)^2; the ratio of the two for reported and for true labels is how much that number grows. Where the
judge's mean difference has the other sign no number of queries helps.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, Literal

import numpy as np

from ndcg_asymptotics.analysis.orders.rates import NORMAL_QUANTILE, rate_of
from ndcg_asymptotics.core.arrays import Floats
from ndcg_asymptotics.core.tables import Column, decimals, fixed, general
from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.results import Results

JudgedMeans = Literal["right", "reversed", "not known"]


@dataclass(frozen=True)
class JudgedOrder:
    """What a judge makes of the order of a pair under one measure, at one list length.

    Attributes
    ----------
    same, low, high : float
        The share of lists that the judge orders as the true labels do, or ties as they do, and its Wilson
        interval.
    difference, reported_difference : float
        Means of NDCG of the first minus the second scorer, by true and by reported labels; each with its
        Monte Carlo standard error (``mcse``) and its standard deviation over lists (``std``).
    mean_order : {"right", "reversed", "not known"}
        Whether the two means have the same sign; not known if the 95% interval of one has 0.
    queries : float or None
        The factor by which the number of queries grows, with its 95% interval; None unless the mean order is
        right.
    """

    pair: Annotated[str, Column("pair")]
    measure: Annotated[str, Column("measure", whole=True)]
    n: Annotated[int, Column("n", general("g"))]
    same: Annotated[float, Column("same order", fixed(4))]
    low: Annotated[float, Column("from", fixed(4), 2, together=True)]
    high: Annotated[float, Column("to", fixed(4), 2, together=True)]
    difference: Annotated[float, Column("true difference", decimals(5), 1, together=True)]
    mcse: Annotated[float, Column("MCSE", general(".1e"), 2, together=True)]
    std: Annotated[float, Column("std", decimals(4), 3, together=True)]
    reported_difference: Annotated[float, Column("by the judge", decimals(5), 1, together=True)]
    reported_mcse: Annotated[float, Column("MCSE ", general(".1e"), 2, together=True)]
    reported_std: Annotated[float, Column("std ", decimals(4), 3, together=True)]
    mean_order: Annotated[JudgedMeans, Column("order of means", whole=True)]
    queries: Annotated[float | None, Column("queries", lambda factor: f"x {factor:.3g}")]
    queries_low: Annotated[float | None, Column("at least", fixed(2), 2)]
    queries_high: Annotated[float | None, Column("at most", fixed(2), 2)]


def judged_orders(results: Results, pair: tuple[str, str], measure: Measure) -> Iterator[JudgedOrder]:
    """Yield the judged order of a pair at every list length of a study with a judge and two replicates.

    >>> import ndcg_asymptotics as na
    >>> study = na.Study(
    ...     scorers={"good": "linear(0.1, 0.7)", "random": "random"}, measures="nDCG", n=[100],
    ...     replicates=400, judge={"fpr": 0.05, "fnr": 0.2},
    ... )
    >>> (found,) = judged_orders(na.run(study, jobs=1), ("good", "random"), study.measures[0])
    >>> found.mean_order, found.low < found.same < found.high
    ('right', True)
    """
    first, second = (results.of_scorer(name, measure) for name in pair)
    true, reported = (first[labels] - second[labels] for labels in ("ndcg", "reported"))
    for i, n in enumerate(results.study.n):
        yield _judged_order(pair, measure, n, true[:, i], reported[:, i])


def _judged_order(
    pair: tuple[str, str], measure: Measure, n: int, true: Floats, reported: Floats
) -> JudgedOrder:
    same = rate_of(n, np.asarray(np.sign(true) == np.sign(reported), bool))
    means = [float(x.mean()) for x in (true, reported)]
    stds = [float(x.std(ddof=1)) for x in (true, reported)]
    errors = [std / math.sqrt(len(true)) for std in stds]
    known = all(abs(m) > NORMAL_QUANTILE * error for m, error in zip(means, errors, strict=True))
    order: JudgedMeans = "not known" if not known else "right" if means[0] * means[1] > 0 else "reversed"
    growth = query_growth(true, reported) if order == "right" and min(stds) > 0 else (None, None, None)
    return JudgedOrder(
        " > ".join(pair),
        str(measure),
        n,
        same.rate,
        same.low,
        same.high,
        means[0],
        errors[0],
        stds[0],
        means[1],
        errors[1],
        stds[1],
        order,
        *growth,
    )


def query_growth(true: Floats, reported: Floats) -> tuple[float, float, float]:
    """Return (s' / d')^2 / (s / d)^2 of two differences (R,), and its 95% interval by the delta method.

    The logarithm of (s / d)^2 changes with one list x by ((x - d)^2 / s^2 - 1 - 2 (x - d) / d) / R.

    >>> [round(found, 3) for found in query_growth(np.array([1.0, 2.0]), np.array([2.0, 4.0]))]
    [1.0, 1.0, 1.0]
    """
    logarithms, changes = [], []
    for values in (reported, true):
        mean, variance = values.mean(), values.var(ddof=1)
        off = values - mean
        logarithms.append(math.log(variance / mean**2))
        changes.append(off**2 / variance - 2 * off / mean)
    growth = logarithms[0] - logarithms[1]
    half = NORMAL_QUANTILE * float(np.std(changes[0] - changes[1], ddof=1)) / math.sqrt(len(true))
    return math.exp(growth), math.exp(growth - half), math.exp(growth + half)
