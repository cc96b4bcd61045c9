"""The excess surrogate risk of scores, and what it says about their regret.

With v = E[r(Y)] the standardised labels and t(s) the targets that the scores s are the minimiser of, sorting
by s is sorting by t(s), so that

    regret = <v, D(π*) - D(π_s)> <= <v - t(s), D(π*) - D(π_s)> <= ||v - t(s)||_p · 2 ||D||_q,

and strong convexity, Φ(s) - min Φ >= C ||v - t(s)||_p², turns the distance into excess risk: Theorem 10 of
Ravikumar, Tewari and Yang (2011). A regret that is not 0 is at least the least positive one, γ, so
regret <= regret²/γ, which is linear in the excess risk: Theorem 11 with α → ∞.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import numpy as np
from numpy.typing import ArrayLike

from ndcg_asymptotics.core.arrays import Floats
from ndcg_asymptotics.core.errors import InputError
from ndcg_asymptotics.core.rows import HIDDEN, Column, Data, general
from ndcg_asymptotics.core.tables import Line, Report, ReportBlock, Table
from ndcg_asymptotics.learning.decide import LeftOut, left_out_lines, of_losses
from ndcg_asymptotics.learning.labels import Batch
from ndcg_asymptotics.learning.losses import Listwise, Loss
from ndcg_asymptotics.learning.problem import Problem, problem_and_losses
from ndcg_asymptotics.learning.utilities import Discounted

_ROUNDINGS = 16  # of each term of a sum of K times m products, which the error of an excess risk allows for


@dataclass(frozen=True)
class LossExcess:
    """The excess risk of scores under one loss.

    Attributes
    ----------
    loss : Loss
    excess, excess_error : float
        Φ(s) - min Φ, and a bound of its rounding error.
    bound : float or None
        The regret is at most ``2 ||D||_q sqrt(excess / C)`` (Theorem 10); None where no C is known, or the
        loss is not consistent for the measure.
    margin_bound : float or None
        The regret is at most ``4 ||D||_q² excess / (C γ)``; 0 if every order is optimal.
    """

    loss: Annotated[Loss, Column("loss"), Data(text=True)]
    excess: Annotated[float, Column("excess risk", general(".4g"))]
    excess_error: float
    bound: Annotated[float | None, Column("bound of the regret", general(".4g"))]
    margin_bound: Annotated[float | None, Column("with the margin", general(".4g"))]


@dataclass(frozen=True, repr=False)
class ExcessRisk(Report):
    """The outcome of `excess_risk`.

    Attributes
    ----------
    problem : Problem
    scores : tuple of float
    order : tuple of int
        The items by decreasing score.
    regret : float
        The expected utility of the best order minus that of ``order``.
    margin : float or None
        γ, the least regret of an order that is not optimal; None if every order is.
    losses : tuple of LossExcess
    left_out : tuple of (loss, reason)
    """

    problem: Annotated[Problem, HIDDEN]
    scores: tuple[float, ...]
    order: tuple[int, ...]
    regret: float
    margin: float | None
    losses: tuple[LossExcess, ...]
    left_out: LeftOut = ()

    def blocks(self) -> Iterator[ReportBlock]:
        """Yield the regret of the order, and a table with a row for every loss."""
        order = " ".join(map(str, self.order))
        if self.margin is None:
            yield Line("Every order is optimal.")
        else:
            least = f"every order that is not optimal has at least the regret {self.margin:.4g}"
            yield Line(
                f"The order {order} has the regret {self.regret:.4g} by {self.problem.utility}; {least}."
            )
        yield Table.of("", LossExcess, self.losses)
        yield from left_out_lines(self.left_out)


def excess_risk(
    problem: Problem | str | Path, scores: ArrayLike, losses: Sequence[Loss | str] | Loss | str | None = None
) -> ExcessRisk:
    """Return the regret of scores, their excess risk under losses, and the bounds of Theorem 10.

    Parameters
    ----------
    problem : Problem or path
        A problem whose measure is DCG or NDCG.
    scores : (m,)
        The scores of the items, finite; items of equal scores keep their order.
    losses : Loss or str, or a list of them, optional
        Listwise losses with a minimiser. By default those of the file, or every kind that has one.

    Raises
    ------
    InputError
        For another measure, scores of another number, or a given loss without a known minimiser.

    >>> risk = excess_risk(Problem([[5, 4], [1, 3]], [0.3, 0.7]), [0.6, 0.4], "squared_consistent")
    >>> risk.order, round(risk.regret, 4)
    ((0, 1), 0.1594)
    >>> row = risk.losses[0]  # the minimiser is E[G/||G||_D] = (0.2229, 0.5222)
    >>> round(row.excess, 4), round(row.bound, 4)
    (0.1571, 1.3524)
    """
    problem, losses = problem_and_losses(problem, losses)
    utility = problem.utility
    if not isinstance(utility, Discounted):
        raise InputError(f"the excess risk bounds the regret of DCG and NDCG, not of {utility}", "measure")
    s = Batch.of([np.zeros(problem.items)]).check_scores(scores)
    order = tuple(np.argsort(-s, kind="stable").tolist())
    _, regrets = problem.regrets()
    least = float(regrets[regrets > 0].min(initial=np.inf))
    regret = float(problem.regret([order])[0])
    rows, left_out = of_losses(losses, lambda loss: _of_loss(problem, utility, loss, s, least))
    return ExcessRisk(
        problem=problem,
        scores=tuple(s.tolist()),
        order=order,
        regret=regret if regret > problem.rounding_error else 0.0,
        margin=None if math.isinf(least) else least,
        losses=rows,
        left_out=left_out,
    )


def _of_loss(problem: Problem, utility: Discounted, loss: Loss, s: Floats, margin: float) -> LossExcess:
    if not isinstance(loss, Listwise):
        raise InputError("the least risk of this kind of loss has no formula")
    labels, chances, items = problem.labels, problem.probabilities, problem.items
    best = loss.minimiser(labels, chances, utility).scores
    if best is None or not np.isfinite(best).all():
        raise InputError("no scores attain the least risk here")
    targets = loss.target(labels, utility)
    contributing = loss.contributes(targets)
    values, sizes = [], []
    for scores in (s, best):
        value = np.where(contributing, loss.at(np.broadcast_to(scores, labels.shape), targets)[0], 0.0)
        values.append(float(value @ chances))
        sizes.append(_size(value, scores, targets))
    excess = max(values[0] - values[1], 0.0)
    error = _ROUNDINGS * (len(labels) + items) * float(np.finfo(float).eps) * max(sizes)
    return LossExcess(loss, excess, error, *_bounds(loss, utility, labels, targets, excess + error, margin))


def _size(value: Floats, scores: Floats, targets: Floats) -> float:
    """Return a bound of the terms of which losses are sums: t log t, t s and a function of s."""
    logs = np.log(np.where(targets > 0, targets, 1.0))
    reach = 1 + np.abs(scores).max() + math.log(scores.size)
    return float((np.abs(value) + 4 * (np.abs(targets) * (reach + np.abs(logs))).sum(axis=-1)).max())


def _bounds(
    loss: Listwise, utility: Discounted, labels: Floats, targets: Floats, excess: float, margin: float
) -> tuple[float | None, float | None]:
    """Return the two bounds of the regret by an excess risk, None where none is known."""
    convexity, items = loss.strong_convexity(labels.shape[-1]), labels.shape[-1]
    if convexity is None or not np.allclose(targets, utility.standardised(labels), rtol=1e-12, atol=0):
        return None, None
    p, constant = convexity
    # C_F of Theorem 10
    reach = 2 * float(np.linalg.norm(utility.weights(items), p / (p - 1)))
    linear = 0.0 if math.isinf(margin) else reach**2 * excess / (constant * margin)
    return reach * math.sqrt(excess / constant), linear
