"""The margin of a problem, and the bound of Theorem 11 over a population of problems.

Theorem 11 of Ravikumar, Tewari and Yang (2011) follows from the bounds of one problem (`excess_risk` of the
package). With margins γ, R <= R^(1+s) γ^-s for every s >= 0, and Hölder's inequality with s = α/(α+2) gives

    E[R] <= (C_F²/C_φ · E[excess])^((α+1)/(α+2)) E[γ^-α]^(1/(α+2)).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from ndcg_asymptotics.core.arrays import Floats
from ndcg_asymptotics.core.errors import require


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
