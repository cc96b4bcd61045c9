"""Decide for one problem whether the minimiser of a loss gives the best order, with a certificate.

The `Minimiser` of a loss holds for each pair of items the cost of swapping them, and a bound of the error
of these costs. The pairs whose swap cost exceeds the error are certain, and every order that agrees with
them may be that of a minimiser. If all of these orders are optimal, the loss is consistent here; if none
is, it is inconsistent here. Between the two, some minimisers have an optimal order and others may not. A
loss is consistent if *every* minimiser sorts optimally (Ravikumar, Tewari and Yang 2011, Definition 2), so
it is inconsistent through ties if a suboptimal order is proved, in whole numbers, to be that of a
minimiser. Otherwise the problem is too close to a tie for the precision, and the loss is undecided.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Literal, TypeVar

import numpy as np

from ndcg_asymptotics.core.arrays import Bools, Floats, Integers
from ndcg_asymptotics.core.errors import InputError
from ndcg_asymptotics.core.rows import HIDDEN, Column, Data, general
from ndcg_asymptotics.core.tables import Line, Report, ReportBlock, Table
from ndcg_asymptotics.core.text import listed
from ndcg_asymptotics.learning.losses import Loss, Minimiser, losses_of
from ndcg_asymptotics.learning.problem import Problem, problem_and_losses
from ndcg_asymptotics.learning.utilities import PairwiseDisagreement, ranks_of

Verdict = Literal["consistent here", "inconsistent here", "inconsistent (ties)", "undecided"]
LeftOut = tuple[tuple[str, str], ...]
"""Losses that cannot be used, each with the reason."""

_T = TypeVar("_T")

_NAMED = 3  # losses that a sentence names


@dataclass(frozen=True)
class LossDecision:
    """The order that one loss leads to in one problem, and the verdict on it.

    Attributes
    ----------
    loss : Loss
    order : tuple of int
        An order of the minimiser, items from 0, best first. Where minimisers have several orders and the
        loss is inconsistent through ties, the worst of those that are proved.
    regret : float
        The expected utility of the best order minus that of this one.
    verdict : str
    margin : float
        The lowest swap cost of two neighbours in ``order``, in the unit of the loss.
    residual : float
        A bound of the error of the margin: an order is certain if its margin exceeds it.
    possible : (float, float)
        The lowest and the highest regret of the orders that the minimiser may have.
    scores : tuple of float, or None
        One minimiser, which need not be one that has ``order``; None where the infimum is not attained.
    """

    loss: Annotated[Loss, Column("loss"), Data(text=True)]
    order: Annotated[tuple[int, ...], Column("order", lambda order: " ".join(map(str, order)))]
    regret: Annotated[float, Column("regret", general(".4g"))]
    verdict: Annotated[Verdict, Column("verdict")]
    margin: Annotated[float, Column("margin", general(".2g"), later=1)]
    residual: Annotated[float, Column("residual", general(".1g"), later=2)]
    possible: Annotated[tuple[float, float], Data("possible_regrets")]
    scores: Annotated[tuple[float, ...] | None, HIDDEN]

    @property
    def wrong(self) -> bool:
        """Whether a minimiser is proved to have a suboptimal order."""
        return self.verdict.startswith("inconsistent")


@dataclass(frozen=True, repr=False)
class Decision(Report):
    """The outcome of `decide_losses`.

    Attributes
    ----------
    problem : Problem
    optimal_order : tuple of int
    losses : tuple of LossDecision
    left_out : tuple of (loss, reason)
        The losses that cannot be used with this problem.
    """

    problem: Annotated[Problem, HIDDEN]
    optimal_order: tuple[int, ...]
    losses: tuple[LossDecision, ...]
    left_out: Annotated[LeftOut, HIDDEN] = ()

    def blocks(self) -> Iterator[ReportBlock]:
        """Yield the answer, and a table with a row for every loss."""
        yield Line(self._answer())
        yield Table.of("", LossDecision, self.losses)
        yield from left_out_lines(self.left_out)
        if isinstance(self.problem.utility, PairwiseDisagreement):
            try:
                self.problem.standardised_order()
            except InputError as error:  # the preferences are not low-noise
                yield Line(f"{error}.")
        yield Line(
            "An order is certain where its margin, in the loss's unit, exceeds the residual.", detail=True
        )
        if any(d.verdict == "inconsistent (ties)" for d in self.losses):
            yield Line(
                "Ties: other minimisers of the loss have an optimal order, but not the one shown.",
                detail=True,
            )

    def _answer(self) -> str:
        """Return the best order and the losses that lead to it, in words."""
        best = " ".join(map(str, self.optimal_order))
        value = float(self.problem.expected([self.optimal_order])[0])
        right = [d.loss for d in self.losses if d.verdict == "consistent here"]
        wrong = [d.loss for d in self.losses if d.wrong]
        clauses = [
            f"{_named(losses)} {'leads' if len(losses) == 1 else 'lead'} to {target}"
            for losses, target in ((wrong, "another one"), (right, "it"))
            if losses
        ]
        if unknown := [d.loss for d in self.losses if d.verdict == "undecided"]:
            clauses.append(f"of {_named(unknown)} this is not known")
        order = f"The best order by {self.problem.utility} is {best}, with the expected value {value:.6g}"
        return f"{order}. When minimised, {'; '.join(clauses)}." if clauses else f"{order}."


def _named(losses: Sequence[Loss]) -> str:
    return listed([str(loss) for loss in losses]) if len(losses) <= _NAMED else f"{len(losses)} losses"


def decide_losses(
    problem: Problem | str | Path, losses: Sequence[Loss | str] | Loss | str | None = None
) -> Decision:
    """Decide which losses, when minimised exactly, lead to the best order of the items of a problem.

    Parameters
    ----------
    problem : Problem or path
        At most 8 items.
    losses : Loss or str, or a list of them, optional
        By default those of the file, or every kind that can be used with the problem, with usual parameters.

    Raises
    ------
    InputError
        If a given loss does not allow the problem's labels.

    >>> decided = decide_losses(Problem([[5, 4], [1, 3]], [0.3, 0.7]), ["squared", "squared_consistent"])
    >>> [(str(d.loss), d.order, d.verdict) for d in decided.losses]
    [('squared', (0, 1), 'inconsistent here'), ('squared_consistent', (1, 0), 'consistent here')]
    """
    problem, losses = problem_and_losses(problem, losses)
    orders_and_regrets = problem.regrets()

    def decided(loss: Loss) -> LossDecision:
        least = loss.minimiser(problem.labels, problem.probabilities, problem.utility)
        return _decided(loss, least, *orders_and_regrets)

    return Decision(problem, problem.optimal_order(), *of_losses(losses, decided))


def of_losses(
    losses: Sequence[Loss | str] | Loss | str | None, compute: Callable[[Loss], _T]
) -> tuple[tuple[_T, ...], LeftOut]:
    """Return what is computed for each loss, and the losses that are left out.

    Raises
    ------
    InputError
        If a loss that was given cannot be used; of all kinds of losses it is left out.
    """
    outcomes, left_out = [], []
    for loss in losses_of(losses):
        try:
            outcomes.append(compute(loss))
        except InputError as error:
            if losses is not None:
                raise InputError(f"{loss}: {error}") from None
            left_out.append((str(loss), str(error)))
    return tuple(outcomes), tuple(left_out)


def left_out_lines(left_out: LeftOut) -> Iterator[Line]:
    """Yield a line for each reason why losses are left out of a report.

    >>> [line.text for line in left_out_lines((("a", "no minimum"), ("b", "no minimum")))]
    ['Left out: a, b (no minimum).']
    """
    for reason in dict.fromkeys(reason for _, reason in left_out):
        names = ", ".join(loss for loss, why in left_out if why == reason)
        yield Line(f"Left out: {names} ({reason}).")


def _decided(loss: Loss, least: Minimiser, orders: Integers, regrets: Floats) -> LossDecision:
    ranks = ranks_of(orders)
    may_be = _agree(ranks, least.certain)
    possible = regrets[may_be]
    low, high = float(possible.min()), float(possible.max())
    # the order of the computed minimiser: the first that agrees with all pairs
    row = int(np.argmax(_agree(ranks, least.above)))
    verdict: Verdict = "consistent here" if high == 0 else "inconsistent here" if low > 0 else "undecided"
    if verdict == "undecided":
        wrong = np.flatnonzero(may_be & (regrets > 0))
        worst_first = wrong[np.argsort(-regrets[wrong], kind="stable")]
        tied = (k for k in worst_first.tolist() if least.admits(tuple(orders[k].tolist())))
        worst_tied = next(tied, None)
        if worst_tied is not None:
            row, verdict = worst_tied, "inconsistent (ties)"
    order = tuple(orders[row].tolist())
    margin = min((float(least.swap_cost[a, b]) for a, b in pairwise(order)), default=np.inf)
    return LossDecision(
        loss=loss,
        order=order,
        regret=float(regrets[row]),
        verdict=verdict,
        margin=margin,
        residual=least.residual,
        possible=(low, high),
        scores=None if least.scores is None else tuple(least.scores.tolist()),
    )


def _agree(ranks: Integers, above: Bools) -> Bools:
    """Return which orders, given the ranks of their items (P, m), agree with every pair in ``above``."""
    agree = np.ones(len(ranks), np.bool_)
    for i, j in np.argwhere(above).tolist():
        agree &= ranks[:, i] < ranks[:, j]
    return agree
