"""Estimates of a full metric from ranks among sampled negatives (Krichene & Rendle, KDD 2020).

A user has one relevant item, of rank rho among N, and the full metric is f(rho) = D(rho)/D(1) up to the
cutoff. The sampled rank r = 1 + Binomial(m, (rho - 1)/(N - 1)) is given; an estimate is a vector of values
g(1) … g(m + 1), whose mean over users stands for the full metric.

The *rank estimate* is g(r) = f(1 + (N - 1)(r - 1)/m): the argument is an unbiased estimate of rho, but g is
biased.

The *bias-variance estimate* minimises bias and variance over a uniform prior of rho,

    sum_rho [(E[g|rho] - f(rho))^2 + gamma Var[g|rho]] / N.

With P the matrix P(r|rho), Var[g|rho] = sum_r P(r|rho) g(r)^2 - (Pg)(rho)^2. So the sum is quadratic in g,

    (1 - gamma) |Pg|^2/N - 2 f'Pg/N + gamma sum_r c_r g(r)^2 + constant,     c_r = sum_rho P(r|rho)/N,

and it is smallest where its gradient is zero:

    ((1 - gamma) P'P/N + gamma diag(c)) g = P'f/N.

P(r|rho) is a polynomial of degree m in rho, so P'P/N and c are exact with the m + 1 nodes of the Gauss rule
of the uniform law on N points, whose recurrence coefficients are k^2 (N^2 - k^2)/(4 (4 k^2 - 1)).
"""

from __future__ import annotations

import math

import numpy as np
from scipy.linalg import eigh_tridiagonal

from ndcg_asymptotics.core.arrays import Floats
from ndcg_asymptotics.core.errors import InputError, require, require_available
from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.theory.rules.binomial import log_binomial
from ndcg_asymptotics.theory.sampled.law import at_counts
from ndcg_asymptotics.theory.sampled.ranked_items import RankedItems

_MOST_NEGATIVES = 2000  # the time grows like the cube of their number
_BLOCK = 64  # ranks that are summed one by one; further ones in blocks that double
_BLOCK_NODES = 24  # of a block, and 8 for each standard deviation that fits
_MOST_RANKS = 10**6  # of a sum without blocks


def metric_of_ranks(measure: Measure, rank: Floats, items: int) -> Floats:
    """Return f(rho) = D(rho)/D(1) up to the cutoff, 0 beyond it, at real ranks."""
    require_available(measure.normalised, f"corrected estimates are for NDCG, got {measure}")
    one = measure.discount(np.ones(1), float(items))[0]
    return np.where(rank <= measure.cutoff(items), measure.discount(rank, float(items)) / one, 0.0)


def rank_estimate(measure: Measure, items: int, negatives: int) -> Floats:
    """Return the estimate f(1 + (N - 1)(r - 1)/m) for the sampled ranks r = 1 … m + 1.

    >>> rank_estimate(Measure.parse("nDCG(zipf)"), 11, 2).round(4)
    array([1.    , 0.1667, 0.0909])
    """
    return metric_of_ranks(measure, 1 + (items - 1) * np.arange(negatives + 1.0) / negatives, items)


def bias_variance_estimate(measure: Measure, items: int, negatives: int, gamma: float) -> Floats:
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
        For more negatives, or where a discount that is not smooth has more than a million ranks.

    >>> f = Measure.parse("nDCG(zipf)")
    >>> bias_variance_estimate(f, 3, 1, 1.0).round(4)  # (1 + 1/4)/(3/2), (1/4 + 1/3)/(3/2)
    array([0.8333, 0.3889])
    """
    if not 0 < gamma <= 1:
        raise InputError(f"must be above 0 and at most 1, got {gamma}", "gamma")
    require_available(
        negatives <= _MOST_NEGATIVES,
        f"the bias-variance estimate is computed for at most {_MOST_NEGATIVES} negatives, got {negatives}",
    )
    require(negatives < items, f"needs fewer negatives than items, got {negatives} and {items}")
    rank, weights = _uniform_rule(items, negatives + 1)
    law = _sampled_ranks(rank, items, negatives)
    squares, mass = (law.T * weights) @ law, weights @ law
    rank, weights = _ranks_of_the_metric(measure, items, negatives)
    right = (weights * metric_of_ranks(measure, rank, items)) @ _sampled_ranks(rank, items, negatives)
    return np.asarray(np.linalg.solve((1 - gamma) * squares + gamma * np.diag(mass), right))


def _sampled_ranks(rank: Floats, items: int, negatives: int) -> Floats:
    """Return P(r|rho), a row per rank rho and a column per sampled rank."""
    share = np.clip((rank - 1) / (items - 1), 0.0, 1.0)[:, None]
    return np.asarray(np.exp(log_binomial(np.arange(negatives + 1.0)[None, :], float(negatives), share)))


def _uniform_rule(size: int, count: int) -> tuple[Floats, Floats]:
    """Return the Gauss rule of ``count`` nodes of the uniform law on 1 … size, or the law if it is shorter.

    >>> nodes, weights = _uniform_rule(5, 2)
    >>> np.array([nodes @ weights, nodes**3 @ weights]).round(9)
    array([ 3., 45.])
    """
    if size <= count:
        return np.arange(1.0, size + 1), np.full(size, 1 / size)
    k = np.arange(1.0, count)
    beside = k * np.sqrt((float(size) ** 2 - k**2) / (4 * (4 * k**2 - 1)))
    shift, vectors = eigh_tridiagonal(np.zeros(count), beside)
    weights = np.asarray(vectors[0] ** 2, np.float64)
    return (size + 1) / 2 + np.asarray(shift, np.float64), weights / weights.sum()


def _ranks_of_the_metric(measure: Measure, items: int, negatives: int) -> tuple[Floats, Floats]:
    """Return ranks and weights for sums of f(rho) P(r|rho)/N over all ranks up to the cutoff."""
    last, discount = measure.cutoff(items), measure.discount
    if not discount.smooth:
        reason = f"{discount} is not known to be smooth, and {last} ranks are too many to sum"
        require_available(last <= _MOST_RANKS, reason)
        return np.arange(1.0, last + 1), np.full(last, 1 / items)
    count = _BLOCK_NODES + 8 * math.ceil(math.sqrt(negatives))
    parts, done = [], 0
    while done < last:
        size = min(max(done, _BLOCK), last - done)
        rank, weights = _uniform_rule(size, count)
        parts.append((done + rank, weights * size / items))
        done += size
    return np.concatenate([rank for rank, _ in parts]), np.concatenate([part for _, part in parts])


def corrected_moments(
    estimate: Floats, ranked: RankedItems, *, replacement: bool = False
) -> tuple[Floats, Floats]:
    """Return the exact mean and variance (U,) of an estimate for each user.

    Parameters
    ----------
    estimate : (m + 1,)
        Its value at each sampled rank.
    ranked : RankedItems
        With one relevant item for every user, and all of them ranked.
    replacement : bool
        How negatives are sampled. The estimates are made for sampling with replacement.

    Raises
    ------
    NotAvailableError
        If a user has several relevant items, or one that was not retrieved.
    """
    one = bool((ranked.relevant == 1).all()) and ranked.user.size == len(ranked.users)
    require_available(one, "corrected estimates need one relevant item for every user, which is retrieved")
    (above, total), inverse = np.unique(
        np.stack([ranked.above, ranked.irrelevant]), axis=1, return_inverse=True
    )
    m = np.full(above.size, estimate.size - 1)
    mean, variance = np.zeros(above.size), np.zeros(above.size)
    for which, x, weights in at_counts(m, above, total, m, replacement, False):
        value = estimate[x.astype(np.int64)]
        mean[which] = (weights * value).sum(axis=1)
        variance[which] = (weights * (value - mean[which, None]) ** 2).sum(axis=1)
    return mean[inverse.ravel()], variance[inverse.ravel()]
