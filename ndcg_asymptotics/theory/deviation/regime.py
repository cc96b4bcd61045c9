"""What makes NDCG_n fluctuate on long lists, and how far two scorers are apart in standard deviations.

===============================  ==================================================================
discount, cutoff                 regime
===============================  ==================================================================
log, linear, r^-b (b <= 1/2)     normal: all items count
r^-b, 1/2 < b <= 1               top ranks: they decide, while NDCG_n still converges
sum D < infinity; fixed k        lasting: the labels of the top ranks stay random (Theorem 6)
===============================  ==================================================================

A cutoff that grows with n, such as cn or n^a, changes none of these. Where the labels at the very top are
certain, the second is normal, and the third is "certain": NDCG_n converges.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Literal

import numpy as np

from ndcg_asymptotics.core.arrays import LARGEST_N, Floats, as_list, whole_number
from ndcg_asymptotics.core.errors import NotAvailableError
from ndcg_asymptotics.core.progress import tracked
from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.populations import Population, Scorer
from ndcg_asymptotics.theory.deviation.standard import moments

Regime = Literal["normal", "top ranks", "lasting", "certain", "few items", "not known"]


def regime(scorers: Sequence[Scorer], measure: Measure) -> Regime:
    """Return what decides the fluctuation of NDCG_n of one scorer, or of the difference of two.

    >>> from ndcg_asymptotics.populations import Relevance
    >>> regime((Relevance.of("constant(0.5)"),), Measure.of("nDCG(zipf)"))
    'top ranks'
    """
    if not scorers[0].iid:  # a few depths decide, whatever n is
        return "few items"
    asymptotics = measure.discount.asymptotics
    fixed = asymptotics.summable or measure.cutoff.growth.bounded
    if not (fixed or measure.cutoff.growth.known):
        return "not known"
    # a cutoff that grows without bound does not change the top ranks, which make up the variance
    if not (fixed or asymptotics.square_summable):
        return "normal"
    if all(scorer.model.gain_variance(0.0) == 0 for scorer in scorers):
        return "certain" if fixed else "normal"
    return "lasting" if fixed else "top ranks"


def effect_sizes(a: Scorer | str, b: Scorer | str, n: int, measures: Iterable[Measure | str]) -> Floats:
    """Return E[NDCG_n(a) - NDCG_n(b)] over the standard deviation of this difference, for each measure.

    Parameters
    ----------
    a, b : Scorer or text
        With the same label law, independent given the label.
    n : int
        The list length.
    measures : iterable of Measure or text

    Returns
    -------
    (measures,)
        With the relative errors of the standard deviations, at most 2%; NaN where the difference does not
        vary, or its moments are not known.

    Raises
    ------
    InputError
        If the label laws differ, or the lists are shorter than their number of relevant items.

    By the exponent b of the discount r^-b, and by the cutoff:

    >>> pair = "linear(0.1, 0.7)", "constant(0.4)"
    >>> effect_sizes(*pair, 100, [f"nDCG(power({b}))" for b in (0.2, 1)]).round(2).tolist()
    [2.08, 1.22]
    >>> effect_sizes(*pair, 100, [f"nDCG@{k}" for k in (1, 10)]).round(2).tolist()
    [0.44, 1.22]
    """
    pair = tuple(Population.of({"a": a, "b": b}).scorers.values())
    pair[0].check_lengths([whole_number(n, "n", 1, LARGEST_N)])
    measure_list = [Measure.of(measure) for measure in as_list(measures, "measures", (str, Measure))]
    return np.array([_effect_size(pair, measure, n) for measure in tracked(measure_list, "effect sizes")])


def _effect_size(pair: tuple[Scorer, ...], measure: Measure, n: int) -> float:
    try:
        mean, sd = moments(pair, measure, n)
    except NotAvailableError:
        return math.nan
    return mean / sd if sd > 0 else math.nan
