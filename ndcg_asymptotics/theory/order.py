"""Two scorers in expectation: which one has the larger mean from some length on, and whether lists show it.

These are the two parts of Theorem 14 of Wang et al. (2013), for binary and for graded labels. The order of
the means is that of exact means (Definition 4); whether almost every long list shows it at every length
(Definition 3) follows from the error exponent (docs/orders.md).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated, Literal

import numpy as np
from numpy.typing import ArrayLike

from ndcg_asymptotics.core.arrays import list_lengths
from ndcg_asymptotics.core.errors import NotAvailableError
from ndcg_asymptotics.core.progress import tracked
from ndcg_asymptotics.core.rows import Column, Estimate, computed_value, general
from ndcg_asymptotics.core.tables import Line, Report, ReportBlock, Table
from ndcg_asymptotics.measures import Measure, measures_of
from ndcg_asymptotics.measures.gains import Gain
from ndcg_asymptotics.populations import RocModel, Scorer
from ndcg_asymptotics.studies.relevant import Relevant, scorer_of
from ndcg_asymptotics.theory.leading_terms import require_one_population
from ndcg_asymptotics.theory.mean import expected_ndcg
from ndcg_asymptotics.theory.rare.exponents import error_exponent

_SIZES = tuple(round(10 ** (d / 3)) for d in range(55))  # three per decade, up to 1e18


@dataclass(frozen=True)
class MeanOrder:
    """The order of two scorers by the mean of one measure.

    Attributes
    ----------
    measure : str
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

    measure: Annotated[str, Column("measure", whole=True)]
    ahead: Annotated[Literal["a", "b"] | None, Column("larger mean")]
    since: Annotated[int | None, Column("from n", general("g"))]
    sizes: tuple[int, ...]
    difference: tuple[float, ...]
    error: tuple[float, ...]
    consistent: bool | None
    reason: str

    @computed_value(Column("consistently distinguishable", before="sizes"))
    def distinguishable(self) -> str:
        """Whether they are consistently distinguishable: yes, no or not known."""
        return "not known" if self.consistent is None else "yes" if self.consistent else "no"

    @computed_value(Column("by, at the last n", Estimate.text, before="sizes"))
    def lead(self) -> Estimate | None:
        """The size of the difference at the largest n, with its error."""
        return Estimate(abs(self.difference[-1]), self.error[-1]) if self.difference else None


@dataclass(frozen=True, repr=False)
class MeanOrders(Report):
    """The outcome of `order_in_expectation`.

    Attributes
    ----------
    a, b : str
        The scorers.
    rows : tuple of MeanOrder
    """

    a: str
    b: str
    rows: tuple[MeanOrder, ...]

    def blocks(self) -> Iterator[ReportBlock]:
        """Yield a table with a row for every measure, and what its words mean."""
        yield Table.of(f"a: {self.a}, b: {self.b}", MeanOrder, self.rows)
        for reason in dict.fromkeys(row.reason for row in self.rows):
            names = ", ".join(row.measure for row in self.rows if row.reason == reason)
            yield Line(f"{names}: {reason}.")
        yield Line(
            "Consistently: the order is the same at every length from n on, with a probability that tends to "
            "1 faster than any power of n, if the scores are independent given the label.",
            detail=True,
        )


def order_in_expectation(
    a: Scorer | RocModel | str,
    b: Scorer | RocModel | str,
    measures: Measure | str | Sequence[Measure | str] = "nDCG",
    sizes: Sequence[int] | ArrayLike | None = None,
    *,
    gain: Gain = "linear",
    relevant: Relevant | None = None,
) -> MeanOrders:
    """Find which of two scorers has the larger mean of a measure at every large n, and since which n.

    That one has is Definition 4 of Wang et al. (2013): the two are distinguishable in expectation. It is the
    second part of their Theorem 14, whose first part is Definition 3, consistent distinguishability.

    Parameters
    ----------
    a, b : Scorer or text
        Curves with the same label law, or ROC curves with ``relevant``.
    measures : Measure or text, or several
    sizes : list lengths
        Where the means are compared; by default three per decade up to 1e18, from the shortest length on
        that the scorers have.
    gain, relevant
        As in `predict`.

    Raises
    ------
    InputError
        For label laws that differ.

    >>> (found,) = order_in_expectation("linear(0.1, 0.7)", "constant(0.4)", "nDCG").rows
    >>> found.ahead, found.since, found.consistent
    ('a', 2, True)
    """
    first, second = (scorer_of(scorer, relevant, gain) for scorer in (a, b))
    if first.iid and second.iid:
        require_one_population(first, second)
    least = max(first.least_n, second.least_n)
    usual = [n for n in _SIZES if n >= least]
    lengths = tuple(sorted(set(list_lengths(usual if sizes is None else sizes, "sizes"))))
    rows = tuple(_order(first, second, m, lengths) for m in tracked(measures_of(measures), "measures"))
    return MeanOrders(str(first), str(second), rows)


def _order(a: Scorer, b: Scorer, measure: Measure, sizes: tuple[int, ...]) -> MeanOrder:
    exponent = error_exponent(a, b, measure)
    consistent = exponent.consistent
    try:
        first, second = (expected_ndcg(scorer, measure, sizes) for scorer in (a, b))
    except NotAvailableError as unknown:
        reason = f"{exponent.reason}; no exact mean: {unknown}"
        return MeanOrder(str(measure), None, None, sizes, (), (), consistent, reason)
    difference, error = first.value - second.value, first.error + second.error
    signs = np.where(np.abs(difference) > error, np.sign(difference), 0.0)
    winner = signs[-1] if a != b else 0.0
    ahead: Literal["a", "b"] | None = None
    since = None
    if winner:
        others = np.flatnonzero(signs != winner)
        ahead, since = "a" if winner > 0 else "b", sizes[int(others[-1]) + 1 if others.size else 0]
    means = tuple(difference.tolist()), tuple(error.tolist())
    return MeanOrder(str(measure), ahead, since, sizes, *means, consistent, exponent.reason)
