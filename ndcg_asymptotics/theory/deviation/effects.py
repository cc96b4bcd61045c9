"""The effect size of a measure: how far apart two scorers are on one list, in standard deviations."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np

from ndcg_asymptotics.core.arrays import LARGEST_N, Floats, as_list, whole_number
from ndcg_asymptotics.core.errors import NotAvailableError
from ndcg_asymptotics.core.progress import tracked
from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.populations import Population, Scorer
from ndcg_asymptotics.theory.deviation.standard import moments


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
        To about 1e-3 of their values; NaN where the difference does not vary, or its moments are not known.

    Raises
    ------
    InputError
        If the label laws differ, or the lists are shorter than their number of relevant items.

    Examples
    --------
    By the exponent b of the discount r^-b, and by the cutoff:

    >>> pair = "linear(0.1, 0.7)", "constant(0.4)"
    >>> effect_sizes(*pair, 100, [f"nDCG(power({b}))" for b in (0.2, 1)]).round(2).tolist()
    [2.08, 1.22]
    >>> effect_sizes(*pair, 100, [f"nDCG@{k}" for k in (1, 10)]).round(2).tolist()
    [0.44, 1.22]
    """
    first, second = Population.of({"a": a, "b": b}).scorers.values()
    first.check_lengths([whole_number(n, "n", 1, LARGEST_N)])
    every = [Measure.of(measure) for measure in as_list(measures, "measures", (str, Measure))]
    return np.array([_effect_size((first, second), measure, n) for measure in tracked(every, "effect sizes")])


def _effect_size(pair: tuple[Scorer, Scorer], measure: Measure, n: int) -> float:
    try:
        mean, sd = moments(pair, measure, n)
    except NotAvailableError:
        return math.nan
    return mean / sd if sd > 0 else math.nan
