"""The bias-variance estimate of a full metric from sampled ranks (Krichene & Rendle, KDD 2020).

A user has one relevant item, of rank rho among N, and the full metric is f(rho) = D(rho)/D(1) up to the
cutoff. The sampled rank r = 1 + Binomial(m, (rho - 1)/(N - 1)) is given; an estimate is a vector of values
g(1) … g(m + 1), whose mean over users stands for the full metric.

It minimises bias and variance over a uniform prior of rho,

    sum_rho [(E[g|rho] - f(rho))^2 + gamma Var[g|rho]] / N.

With P the matrix P(r|rho), Var[g|rho] = sum_r P(r|rho) g(r)^2 - (Pg)(rho)^2. So the sum is quadratic in g,

    (1 - gamma) |Pg|^2/N - 2 f'Pg/N + gamma sum_r c_r g(r)^2 + constant,     c_r = sum_rho P(r|rho)/N,

and it is smallest where its gradient is zero:

    ((1 - gamma) P'P/N + gamma diag(c)) g = P'f/N.
"""

from __future__ import annotations

import numpy as np

from ndcg_asymptotics.core.arrays import Floats, brief, is_number
from ndcg_asymptotics.core.errors import InputError, require, require_available
from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.theory.rules.binomial import log_binomial
from ndcg_asymptotics.theory.sampled.law import AT_ONCE
from ndcg_asymptotics.theory.sampled.moments import metric_of_ranks

_MOST_NEGATIVES = 2000  # the time grows like the cube of their number
_MOST_PROBABILITIES = 10**8  # P(r|rho)


def bias_variance_estimate(measure: Measure, items: int, negatives: int, gamma: float = 0.1) -> Floats:
    """Return the estimate that minimises squared bias plus gamma times variance over uniform ranks.

    Parameters
    ----------
    measure : Measure
    items : int
        N.
    negatives : int
        m, at most 2000, below N.
    gamma : float
        From 0 (exclusive) to 1: at 1 it is the conditional mean of f given the sampled rank.

    Raises
    ------
    InputError
        For another gamma.
    NotAvailableError
        For more negatives, or if N (m + 1) exceeds 1e8.

    >>> f = Measure.parse("nDCG(zipf)")
    >>> bias_variance_estimate(f, 3, 1, 1.0).round(4)  # (1 + 1/4)/(3/2), (1/4 + 1/3)/(3/2)
    array([0.8333, 0.3889])
    """
    if not (is_number(gamma) and 0 < gamma <= 1):
        raise InputError(f"must be above 0 and at most 1, got {brief(gamma)}", "gamma")
    require(negatives < items, f"needs fewer negatives than items, got {negatives} and {items}")
    feasible = negatives <= _MOST_NEGATIVES and items * (negatives + 1) <= _MOST_PROBABILITIES
    most = f"at most {_MOST_NEGATIVES} negatives, and items (negatives + 1) up to {_MOST_PROBABILITIES:g}"
    words = f"the bias-variance estimate is computed for {most}, got {negatives} of {items} items"
    require_available(feasible, words)
    sampled = np.arange(negatives + 1.0)
    squares = np.zeros((negatives + 1, negatives + 1))
    mass, right = np.zeros((2, negatives + 1))
    for start in range(1, items + 1, max(1, AT_ONCE // sampled.size)):
        rank = np.arange(start, min(start + max(1, AT_ONCE // sampled.size), items + 1))
        law = np.exp(log_binomial(sampled[None, :], float(negatives), (rank[:, None] - 1) / (items - 1)))
        squares += law.T @ law
        mass += law.sum(axis=0)
        right += metric_of_ranks(measure, rank, items) @ law
    return np.asarray(np.linalg.solve((1 - gamma) * squares + gamma * np.diag(mass), right))
