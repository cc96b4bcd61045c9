"""From excess surrogate risk to regret: the bounds of Ravikumar, Tewari and Yang (2011) for one problem.

With v = E[r(Y)] and t(s) the mean that the scores s are the link of, sorting by s is sorting by t(s), so

    regret = <v, D(π*) - D(π_s)> <= <v - t(s), D(π*) - D(π_s)> <= ||v - t(s)||_p · 2 ||D||_q,

and strong convexity turns the distance into excess risk: Theorem 10. A regret that is not 0 is at least the
least positive one, γ, so regret <= regret²/γ: with a margin γ the bound is linear in the excess risk.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from ndcg_asymptotics.core.errors import InputError, require
from ndcg_asymptotics.learning.batch import Batch
from ndcg_asymptotics.learning.consistency.problem import Problem
from ndcg_asymptotics.learning.losses import Listwise, Loss
from ndcg_asymptotics.learning.utilities import Discounted


@dataclass(frozen=True)
class ExcessRisk:
    """How far scores are from the best, as the measure and as the surrogate see it.

    Attributes
    ----------
    regret : float
        Of the order by these scores.
    excess : float
        Φ(s) - min Φ.
    bound : float
        ``2 ||D||_q sqrt(excess / C)``, Theorem 10.
    margin_bound : float
        ``4 ||D||_q² excess / (C γ)``; infinite if every order is as good as the best.
    """

    regret: float
    excess: float
    bound: float
    margin_bound: float


def excess_risk(problem: Problem, loss: Loss | str, scores: ArrayLike) -> ExcessRisk:
    """The regret of scores, their excess surrogate risk, and the bounds of the one by the other.

    Parameters
    ----------
    problem : Problem
        With DCG or NDCG as its measure.
    loss : Loss or str
        `squared_consistent` or `pnorm`: its strong convexity must be known.
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
    require(same, f"{loss} does not sort by what {utility} does, so no bound holds", "loss")
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
    regret = regret if regret > problem.rounding else 0.0
    return ExcessRisk(regret, excess, constant * float(np.sqrt(excess / convexity)), float(linear))
