"""Bounds of the regret of a loss: the greatest over all distributions, and by the excess risk of scores.

*The greatest regret.* A listwise loss sorts by E[T(Y)], and under a linear utility the value of an order is
Σ E[r_i(Y)] D(rank of i). Number the items so that the loss orders them 0, 1, …. For each other order σ the
regret is linear in the probabilities of the label vectors, and so are the conditions E[T_0] >= E[T_1] >= ….
The greatest regret is therefore the largest of the m! optima of linear programs, and a vertex has at most m
label vectors. At the optimum some E[T_i] are equal, so the value is a supremum: distributions under which
the loss's order is strict come as near to it as one likes.

*Excess risk.* The bounds of Ravikumar, Tewari and Yang (2011) for one problem. With v = E[r(Y)] and t(s) the
mean that the scores s are the link of, sorting by s is sorting by t(s), so

    regret = <v, D(π*) - D(π_s)> <= <v - t(s), D(π*) - D(π_s)> <= ||v - t(s)||_p · 2 ||D||_q,

and strong convexity turns the distance into excess risk: Theorem 10. A regret that is not 0 is at least the
least positive one, γ, so regret <= regret²/γ: with a margin γ the bound is linear in the excess risk. Over a
population of problems with margins γ, Theorem 11 follows: R <= R^(1+s) γ^-s for every s >= 0, and Hölder's
inequality with s = α/(α+2) gives

    E[R] <= (C_F²/C_φ · E[excess])^((α+1)/(α+2)) E[γ^-α]^(1/(α+2)).
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import linprog

from ndcg_asymptotics.core.arrays import Floats
from ndcg_asymptotics.core.errors import InputError, require
from ndcg_asymptotics.core.progress import tracked
from ndcg_asymptotics.learning.labels import Batch
from ndcg_asymptotics.learning.losses import Listwise, Loss
from ndcg_asymptotics.learning.problem import Problem
from ndcg_asymptotics.learning.utilities import Discounted, Utility, all_orders, ranks_of

LARGEST_PROGRAM = 3e6
"""The largest number of label vectors times orders for which the linear programs are solved."""

_ROUNDING = 1e-12  # regrets up to this count as 0
_STRICT_SHARE = 1e-3  # the probability in the example that makes the loss's order strict


@dataclass(frozen=True)
class Worst:
    """The highest regret that a loss can have.

    Attributes
    ----------
    regret : float
        The supremum over all distributions of label vectors with these items and grades.
    example : Problem
        A problem whose regret is within a relative 0.001 of it, and in which the loss's order 0, 1, … is
        strict.
    """

    regret: float
    example: Problem


def has_worst_regret(loss: Loss, utility: Utility, items: int, grades: int) -> bool:
    """Return whether `worst_regret` applies to a loss."""
    tried = float(grades) ** items * len(all_orders(items))
    return isinstance(loss, Listwise) and isinstance(utility, Discounted) and tried <= LARGEST_PROGRAM


def worst_regret(loss: Loss | Floats, utility: Utility, *, items: int, grades: int) -> Worst:
    """Return the highest regret of the order of a loss, over all distributions of labels 0 … grades - 1.

    Parameters
    ----------
    loss : Loss, or an array (grades^items, items)
        A listwise loss, or its targets for all label vectors in lexicographic order.
    utility : Utility
        DCG or NDCG, with any discount and cutoff.
    items, grades : int

    Raises
    ------
    InputError
        For another kind of loss or utility, or if there are too many label vectors.

    >>> from ndcg_asymptotics.learning.utilities import utility_of
    >>> worst = worst_regret(Loss.parse("squared"), utility_of("nDCG"), items=2, grades=5)
    >>> round(worst.regret, 4), worst.example.labels[:2].tolist()
    (0.3229, [[0.0, 1.0], [4.0, 0.0]])
    """
    if not isinstance(utility, Discounted):
        raise InputError(f"the worst regret is known for DCG and NDCG, not for {utility}", "measure")
    require(grades >= 2, f"must be at least 2, got {grades}", "grades")
    size = float(grades) ** items * len(all_orders(items))
    require(size <= LARGEST_PROGRAM, f"{items} items of {grades} grades are too many", "items")
    labels = np.array(list(product(range(grades), repeat=items)), np.float64)
    targets = _targets(loss, labels, utility)
    value = utility.standardised(labels)
    weights = utility.weights(items)
    steps = (targets[:, 1:] - targets[:, :-1]).T  # E[T_1 - T_0] <= 0, …
    scale = max(float(np.abs(steps).max(initial=0.0)), 1e-300)
    best, chances = 0.0, np.eye(len(labels))[0]
    for ranks in tracked(
        ranks_of(all_orders(items)), f"{loss if isinstance(loss, Loss) else 'loss'}, orders"
    ):
        gain = value @ (weights[ranks] - weights)
        if gain.max() <= best:
            continue
        found: Any = linprog(
            -gain, A_ub=steps / scale, b_ub=np.zeros(items - 1), A_eq=np.ones((1, len(labels))), b_eq=[1.0],
            method="highs",
        )  # fmt: skip
        if found.status != 0:
            raise InputError(f"the linear program was not solved ({found.message})")
        if -found.fun > best:
            best, chances = -float(found.fun), np.asarray(found.x)
    best = best if best > _ROUNDING else 0.0
    return Worst(best, _strict(labels, chances, grades, utility))


def _targets(loss: Loss | Floats, labels: Floats, utility: Discounted) -> Floats:
    if not isinstance(loss, Loss):
        require(loss.shape == labels.shape, f"must have shape {labels.shape}, got {loss.shape}", "loss")
        return loss
    if not isinstance(loss, Listwise):
        raise InputError(f"the worst regret is known for listwise losses, not for {loss}", "loss")
    targets = loss.target(labels, utility)
    return targets * loss.contributes(targets)[:, None]


def _strict(labels: Floats, chances: Floats, grades: int, utility: Utility) -> Problem:
    """Return a vertex as a problem, with a little probability on vectors (top, …, 0, …) that break ties."""
    kept = np.flatnonzero(chances > 1e-12)
    items = labels.shape[1]
    steps = np.tril(np.full((items - 1, items), float(grades - 1)))
    share = np.full(len(steps), _STRICT_SHARE / max(len(steps), 1))
    vertex = chances[kept] / chances[kept].sum() * (1 - share.sum())
    rows, where = np.unique(np.vstack([labels[kept], steps]), axis=0, return_inverse=True)
    return Problem(rows, np.bincount(where.reshape(-1), np.concatenate([vertex, share])), utility)


@dataclass(frozen=True)
class ExcessRisk:
    """The regret of scores, their excess surrogate risk, and bounds of the one by the other.

    Attributes
    ----------
    regret : float
        The regret of the order by these scores.
    excess : float
        Φ(s) - min Φ.
    bound : float
        ``2 ||D||_q sqrt(excess / C)``, Theorem 10.
    margin_bound : float
        ``4 ||D||_q² excess / (C γ)``; infinite if every order is optimal.
    """

    regret: float
    excess: float
    bound: float
    margin_bound: float


def excess_risk(problem: Problem, loss: Loss | str, scores: ArrayLike) -> ExcessRisk:
    """Return the regret of scores, their excess surrogate risk, and the bounds of Theorem 10.

    Parameters
    ----------
    problem : Problem
        A problem whose measure is DCG or NDCG.
    loss : Loss or str
        `squared_consistent` or `pnorm`, whose strong convexity is known.
    scores : (m,)

    Raises
    ------
    InputError
        For another measure or loss.

    >>> risk = excess_risk(Problem([[5, 4], [1, 3]], [0.3, 0.7]), "squared_consistent", [0.5, 0.4])
    >>> 0 < risk.regret <= risk.bound
    True
    """
    loss = Loss.of(loss)
    utility, items = problem.utility, problem.items
    known = loss.strong_convexity if isinstance(loss, Listwise) else None
    if known is None or not isinstance(loss, Listwise) or not isinstance(utility, Discounted):
        raise InputError(f"no bound is known for {loss} and {utility}", "loss")
    same = np.allclose(loss.target(problem.labels, utility), utility.standardised(problem.labels))
    require(same, f"{loss} does not sort by the standardisation of {utility}, so no bound holds", "loss")
    p, convexity = known
    q = p / (p - 1)
    s = Batch.of([np.zeros(items)]).check_scores(scores)
    batch = Batch(np.tile(problem.labels.reshape(-1), 2), np.full(2 * len(problem.labels), items))
    best = loss.minimiser(problem.labels, problem.probabilities, utility).scores
    assert best is not None  # these losses have a minimiser
    both = np.concatenate([np.tile(s, len(problem.labels)), np.tile(best, len(problem.labels))])
    risk, least = loss.evaluate(both, batch, utility)[0].reshape(2, -1) @ problem.probabilities
    excess = max(float(risk - least), 0.0)
    constant = 2 * float(np.linalg.norm(utility.weights(items), q))
    _, regrets = problem.regrets()
    margin = regrets[regrets > 0].min(initial=np.inf)
    linear = np.inf if np.isinf(margin) else constant**2 * excess / (convexity * margin)
    regret = float(problem.regret([np.argsort(-s, kind="stable")])[0])
    regret = regret if regret > problem.rounding_error else 0.0
    return ExcessRisk(regret, excess, constant * float(np.sqrt(excess / convexity)), float(linear))


def least_regret(means: ArrayLike, weights: ArrayLike) -> Floats:
    """Return γ, the least positive regret of an order, for problems with given mean targets.

    γ = min (r̄_l - r̄_(l+1)) (D(l) - D(l+1)) over the l with r̄_l > r̄_(l+1), r̄ the sorted E[r(Y)] (Ravikumar
    et al. 2011, before Theorem 11). The regret of any order is Σ_l (D(l) - D(l+1)) times what its first l
    items lack, so one that is not 0 lacks at least r̄_l - r̄_(l+1) at one l. The exchange of the two items
    attains it.

    Parameters
    ----------
    means : (..., m)
        E[r(Y)] of every item.
    weights : (m,)
        D(1), …, D(m), not increasing.

    Returns
    -------
    (...,)
        Infinite where every order is optimal.

    >>> float(least_regret([0.2, 0.5, 0.4], [1.0, 0.5, 0.4]).round(3))
    0.02
    """
    best = -np.sort(-np.asarray(means, np.float64), axis=-1)
    lost = -np.diff(best, axis=-1) * -np.diff(np.asarray(weights, np.float64))
    return np.asarray(np.where(lost > 0, lost, np.inf).min(axis=-1, initial=np.inf))


def margin_bound(
    excess: float, margins: ArrayLike, alpha: float, *, weights_norm: float, convexity: float = 1.0
) -> float:
    """Return the bound of a mean regret by the mean excess surrogate risk, under a margin (Theorem 11).

    ``(4 ||D||_q²/C excess)^((α+1)/(α+2)) E[γ^-α]^(1/(α+2))``: Theorem 10 for α = 0, and linear in the
    excess risk for α → ∞.

    Parameters
    ----------
    excess : float
        The mean of Φ(s) - min Φ.
    margins : (N,)
        γ of every problem, positive (`least_regret`).
    alpha : float
        At least 0.
    weights_norm : float
        ||(D(1), …, D(m))||_q.
    convexity : float
        C with Φ(s) - min Φ >= C ||E[T] - t(s)||_p².

    Raises
    ------
    InputError
        If alpha is negative or a margin is not positive.

    >>> margin_bound(0.01, [0.1, 0.2], 0.0, weights_norm=1.0)  # Theorem 10: 2 sqrt(0.01)
    0.2
    """
    gamma = np.asarray(margins, np.float64)
    require(0 <= alpha < np.inf, f"must be at least 0, got {alpha}", "alpha")
    require(bool((gamma > 0).all()), f"must be positive, got {gamma[~(gamma > 0)][:1].tolist()}", "margins")
    moment = float(np.mean(gamma**-alpha))
    power = (alpha + 1) / (alpha + 2)
    return float((4 * weights_norm**2 / convexity * excess) ** power * moment ** (1 / (alpha + 2)))
