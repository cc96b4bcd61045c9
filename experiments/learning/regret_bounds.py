"""Bounds of the regret of scores by their excess surrogate risk.

The bounds are those of Ravikumar, Tewari and Yang (2011). For one problem, with v = E[r(Y)] and t(s) the
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

import numpy as np
from numpy.typing import ArrayLike

from ndcg_asymptotics.core.arrays import Floats
from ndcg_asymptotics.core.errors import InputError, require
from ndcg_asymptotics.learning.labels import Batch
from ndcg_asymptotics.learning.losses import Listwise, Loss
from ndcg_asymptotics.learning.problem import Problem
from ndcg_asymptotics.learning.utilities import Discounted


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
    """
    gamma = np.asarray(margins, np.float64)
    require(0 <= alpha < np.inf, f"must be at least 0, got {alpha}", "alpha")
    require(bool((gamma > 0).all()), f"must be positive, got {gamma[~(gamma > 0)][:1].tolist()}", "margins")
    moment = float(np.mean(gamma**-alpha))
    power = (alpha + 1) / (alpha + 2)
    return float((4 * weights_norm**2 / convexity * excess) ** power * moment ** (1 / (alpha + 2)))
