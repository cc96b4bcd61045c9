"""Is the order of a loss's minimiser the best one? Decided for one problem, with a certificate.

The loss's `Minimiser` says for each pair of items how much the other order would cost, and how exactly
that is known. The pairs for which the price exceeds the error are certain; every order that agrees with
them may be the minimiser's. If all of these are optimal the loss is consistent here, if none is it is
inconsistent here, and otherwise it is undecided. Ties, in the loss or in the measure, need no care of
their own: only regret counts.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Annotated, Any, Literal

import numpy as np

from ndcg_asymptotics.core.arrays import Bools, Floats, Integers
from ndcg_asymptotics.core.errors import InputError
from ndcg_asymptotics.core.tables import Column, Line, Report, ReportBlock, Table, general
from ndcg_asymptotics.learning.losses import Loss, Minimiser, losses_of
from ndcg_asymptotics.learning.problem import Problem
from ndcg_asymptotics.learning.utilities import PairwiseDisagreement, ranks_of

Verdict = Literal["consistent here", "inconsistent here", "undecided"]


@dataclass(frozen=True)
class Decided:
    """What minimising one loss does to one problem.

    Attributes
    ----------
    loss : Loss
    order : tuple of int
        An order of the minimiser, items from 0, best first.
    regret : float
        How much less it is worth than the best order.
    verdict : str
    margin : float
        The least price of the other order of two neighbours in ``order``, in the loss's own unit.
    residual : float
        The error of the margin: what is not above it is not certain.
    possible : (float, float)
        The least and the greatest regret of the orders that are not ruled out.
    scores : tuple of float, or None
        The minimiser; None where the infimum is not attained.
    """

    loss: Annotated[Loss, Column("loss")]
    order: Annotated[tuple[int, ...], Column("order", lambda order: " ".join(map(str, order)))]
    regret: Annotated[float, Column("regret", general(".4g"))]
    verdict: Annotated[Verdict, Column("verdict")]
    margin: Annotated[float, Column("margin", general(".2g"), drop=1)]
    residual: Annotated[float, Column("residual", general(".1g"), drop=2)]
    possible: tuple[float, float]
    scores: tuple[float, ...] | None


@dataclass(frozen=True, repr=False)
class Decision(Report):
    """The outcome of `decide_losses`.

    Attributes
    ----------
    problem : Problem
    optimal_order : tuple of int
    losses : tuple of Decided
    left_out : tuple of (loss, reason)
        The losses that do not suit the problem.
    """

    problem: Problem
    optimal_order: tuple[int, ...]
    losses: tuple[Decided, ...]
    left_out: tuple[tuple[str, str], ...] = ()

    def as_dict(self) -> dict[str, Any]:
        """The verdicts as plain data, for JSON."""
        rows = [
            {"loss": str(d.loss), "order": list(d.order), "regret": d.regret, "verdict": d.verdict}
            for d in self.losses
        ]
        return {"optimal_order": list(self.optimal_order), "losses": rows}

    def blocks(self) -> Iterator[ReportBlock]:
        """The best order, and a row for every loss."""
        best = _text(self.optimal_order)
        value = float(self.problem.expected([self.optimal_order])[0])
        yield Table.of(f"{self.problem.utility}: best order {best}, worth {value:.6g}", Decided, self.losses)
        for reason in dict.fromkeys(reason for _, reason in self.left_out):
            names = ", ".join(loss for loss, why in self.left_out if why == reason)
            yield Line(f"Left out: {names} ({reason}).")
        yield from _remarks(self.problem)
        yield Line("An order is certain where its margin, in the loss's unit, exceeds the residual.")


def _text(order: Sequence[int]) -> str:
    return " ".join(map(str, order))


def _remarks(problem: Problem) -> Iterator[Line]:
    if isinstance(problem.utility, PairwiseDisagreement):
        try:
            problem.standardised_order()
        except InputError as error:
            yield Line(f"{error}.")


def decide_losses(problem: Problem, losses: Sequence[Loss | str] | Loss | str | None = None) -> Decision:
    """Which losses, minimised perfectly, order the items of a problem as well as can be?

    Parameters
    ----------
    problem : Problem
        At most 8 items.
    losses : Loss or str, or a list of them, optional
        By default every kind that suits the problem, with usual parameters.

    Raises
    ------
    InputError
        If a loss named cannot take the problem's labels, or needs a standardisation that the measure lacks.

    >>> decided = decide_losses(Problem([[5, 4], [1, 3]], [0.3, 0.7]), ["squared", "squared_consistent"])
    >>> [(str(d.loss), d.order, d.verdict) for d in decided.losses]
    [('squared', (0, 1), 'inconsistent here'), ('squared_consistent', (1, 0), 'consistent here')]
    """
    known = problem.regrets()
    found, left_out = [], []
    for loss in losses_of(losses):
        try:
            least = loss.minimiser(problem.labels, problem.probabilities, problem.utility)
        except InputError as error:
            if losses is not None:
                raise InputError(f"{loss}: {error}") from None
            left_out.append((str(loss), str(error)))
            continue
        found.append(_decided(loss, least, *known))
    return Decision(problem, problem.optimal_order(), tuple(found), tuple(left_out))


def _decided(loss: Loss, least: Minimiser, orders: Integers, regrets: Floats) -> Decided:
    ranks = ranks_of(orders)
    possible = regrets[_agree(ranks, least.certain)]
    low, high = float(possible.min()), float(possible.max())
    # the order of the minimiser as computed: that which agrees with all pairs, the first if several do
    own = int(np.argmax(_agree(ranks, least.above)))
    order = tuple(orders[own].tolist())
    verdict: Verdict = "consistent here" if high == 0 else "inconsistent here" if low > 0 else "undecided"
    margin = min((float(least.price[a, b]) for a, b in pairwise(order)), default=np.inf)
    scores = None if least.scores is None else tuple(least.scores.tolist())
    return Decided(loss, order, float(regrets[own]), verdict, margin, least.residual, (low, high), scores)


def _agree(ranks: Integers, above: Bools) -> Bools:
    """Which orders, by the ranks of their items (P, m), have every pair that is ``above`` in that order."""
    agree = np.ones(len(ranks), np.bool_)
    for i, j in np.argwhere(above).tolist():
        agree &= ranks[:, i] < ranks[:, j]
    return agree
