"""Two scorers in expectation: which one has the larger mean from some length on, and whether lists show it.

These are the two parts of Theorem 14 of Wang et al. (2013), for binary and for graded labels. The order of
the means is that of exact means (Definition 4); whether almost every long list shows it at every length
(Definition 3) follows from the error exponent (docs/orders.md).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from ndcg_asymptotics.core.arrays import list_lengths
from ndcg_asymptotics.core.errors import NotAvailableError
from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.populations import Population, Scorer
from ndcg_asymptotics.theory.mean import expected_ndcg
from ndcg_asymptotics.theory.orders.exponents import error_exponent

_SIZES = tuple(round(10 ** (d / 3)) for d in range(55))  # three per decade, up to 1e18


@dataclass(frozen=True)
class MeanOrder:
    """The order of two scorers by the mean of a measure.

    Attributes
    ----------
    ahead : "a", "b" or None
        The scorer with the larger mean at the largest n, by more than the error; None if there is none.
    since : int or None
        The smallest n from which on it has the larger mean at every n that was tried.
    sizes : tuple of int
    difference, error : tuple of float
        The mean of the first scorer minus that of the second, and a bound of its error; empty where there
        is no exact mean.
    consistent : bool or None
        Whether the two are consistently distinguishable (Definition 3), if their scores are independent
        given the label; None where no theorem tells.
    reason : str
        Why, and why there is no mean.
    """

    ahead: Literal["a", "b"] | None
    since: int | None
    sizes: tuple[int, ...]
    difference: tuple[float, ...]
    error: tuple[float, ...]
    consistent: bool | None
    reason: str


def order_in_expectation(
    a: Scorer | str,
    b: Scorer | str,
    measure: Measure | str = "nDCG",
    sizes: Sequence[int] | ArrayLike | None = None,
) -> MeanOrder:
    """Find which of two scorers has the larger mean of a measure at every large n, and since which n.

    That one has is Definition 4 of Wang et al. (2013): the two are distinguishable in expectation. It is the
    second part of their Theorem 14, whose first part is Definition 3, consistent distinguishability.

    Parameters
    ----------
    a, b : Scorer or text
        With the same label law, or with fixed numbers of relevant items.
    measure : Measure or text
    sizes : list lengths
        Where the means are compared; by default three per decade up to 1e18, from the shortest length on
        that the scorers have.

    Raises
    ------
    InputError
        For label laws that differ.

    >>> order = order_in_expectation("linear(0.1, 0.7)", "constant(0.4)")
    >>> order.ahead, order.since, order.consistent
    ('a', 2, True)
    """
    a, b, measure = Scorer.of(a), Scorer.of(b), Measure.of(measure)
    if a.iid and b.iid:
        Population.of({"a": a, "b": b})  # which refuses other labels
    usual = [n for n in _SIZES if n >= max(a.least_n, b.least_n)]
    lengths = tuple(sorted(set(list_lengths(usual if sizes is None else sizes, "sizes"))))
    exponent = error_exponent(a, b, measure)
    try:
        first, second = (expected_ndcg(scorer, measure, lengths) for scorer in (a, b))
    except NotAvailableError as unknown:
        reason = f"{exponent.reason}; no exact mean: {unknown}"
        return MeanOrder(None, None, lengths, (), (), exponent.consistent, reason)
    difference, error = first.value - second.value, first.error + second.error
    signs = np.where(np.abs(difference) > error, np.sign(difference), 0.0)
    winner = signs[-1] if a != b else 0.0
    ahead: Literal["a", "b"] | None = None
    since = None
    if winner:
        reversals = np.flatnonzero(signs != winner)
        ahead, since = "a" if winner > 0 else "b", lengths[int(reversals[-1]) + 1 if reversals.size else 0]
    means = tuple(difference.tolist()), tuple(error.tolist())
    return MeanOrder(ahead, since, lengths, *means, exponent.consistent, exponent.reason)
