"""The law of the number of sampled negatives above a relevant item, as nodes and weights.

Of ``total`` irrelevant items, ``above`` are ranked above the relevant one. Among m sampled ones A are above
it: Binomial(m, above/total) with replacement, Hypergeometric(total, above, m) without. Both are sums of
independent indicators, so with variance v

- ``P(|A - E A| > d) <= 2 exp(-v h(d/v))``, ``h(u) = (1 + u) log(1 + u) - u`` (Bennett): d = 8 sqrt(v) + 16
  leaves out less than 3e-14;
- a factor of ``E z^A`` is ``1 - p + p z``, whose modulus on the ray ``z = rho exp(i theta)``, 0 <= rho <= 1,
  is largest at an end: ``|E z^A| <= max(exp(-E A), exp(-v (1 - cos theta)))``. A sum over every s-th number,
  times s, differs from the whole one by the terms at ``theta = 2 pi k/s``. With sqrt(v) >= 6 and
  s <= sqrt(v)/2 they are less than 1e-15 of f(0) for every completely monotone f, a sum of ``rho^x`` with
  weights: the standard discounts, their squares and products.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ndcg_asymptotics.core.arrays import Floats, Integers
from ndcg_asymptotics.theory.rules.binomial import log_binomial

_DEVIATIONS, _FURTHER = 8.0, 16.0
_THINNED = 2.0  # numbers per standard deviation on a thinned lattice
_WIDE = 6.0  # the least standard deviation of a lattice that is thinned
_AT_ONCE = 1 << 17  # nodes in memory


def log_law(x: Floats, negatives: Floats, above: Floats, total: Floats, replacement: bool) -> Floats:
    """Return log P(A = x); arguments broadcast.

    >>> one = np.ones(1)
    >>> np.exp(log_law(one, 2 * one, 2 * one, 4 * one, False)).round(12)
    array([0.66666667])
    >>> np.exp(log_law(one, 2 * one, 2 * one, 4 * one, True)).round(12)
    array([0.5])
    """
    if replacement:
        share = np.divide(above, total, out=np.zeros(np.broadcast(above, total).shape), where=total > 0)
        return log_binomial(x, negatives, share)
    # C(a, x) C(t-a, m-x) / C(t, m), each as a binomial probability with m/t, in which nothing cancels
    share = np.divide(negatives, total, out=np.zeros(np.broadcast(negatives, total).shape), where=total > 0)
    return np.asarray(
        log_binomial(x, above, share)
        + log_binomial(negatives - x, total - above, share)
        - log_binomial(negatives, total, share)
    )


def window(
    negatives: Integers, above: Integers, total: Integers, replacement: bool
) -> tuple[Floats, Floats, Floats]:
    """Return the first and last number of each law that are not left out, and its standard deviation."""
    m, a, t = (values.astype(np.float64) for values in (negatives, above, total))
    share = np.divide(a, t, out=np.zeros_like(a), where=t > 0)
    mean, variance = m * share, m * share * (1 - share)
    least, most = np.where(share == 1, m, 0.0), np.where(share == 0, 0.0, m)
    if not replacement:
        variance *= np.divide(t - m, t - 1, out=np.zeros_like(a), where=t > 1)
        least, most = np.maximum(0.0, m - (t - a)), np.minimum(m, a)
    deviation = np.sqrt(variance)
    reach = _DEVIATIONS * deviation + _FURTHER
    low = np.maximum(least, np.floor(mean - reach))
    high = np.minimum(most, np.ceil(mean + reach))
    return low, high, deviation


def at_counts(
    negatives: Integers, above: Integers, total: Integers, last: Integers, replacement: bool, smooth: bool
) -> Iterator[tuple[Integers, Floats, Floats]]:
    """Yield the nodes and weights of the laws of several items, those of similar size together.

    Parameters
    ----------
    negatives, above, total : (P,)
    last : (P,)
        Numbers beyond it are left out: the function is 0 there.
    replacement : bool
    smooth : bool
        Whether wide lattices are thinned; never those that ``last`` cuts.

    Yields
    ------
    which : (p,)
        Indices of the items.
    x, weights : (p, J)
        Nodes, and weights that are 0 beyond the number of nodes of an item.
    """
    m, a, t = (values.astype(np.float64) for values in (negatives, above, total))
    low, high, deviation = window(negatives, above, total, replacement)
    step = np.ones_like(a)
    if smooth:
        step = np.where((last >= high) & (deviation >= _WIDE), np.floor(deviation / _THINNED), 1.0)
    high = np.minimum(high, last)
    counts = np.maximum(np.floor((high - low) / step) + 1, 0).astype(np.int64)
    order = np.argsort(counts, kind="stable")
    order = order[counts[order] > 0]
    start = 0
    while start < order.size:
        # items in increasing number of nodes; as many as fit
        fits = np.arange(1, order.size - start + 1) * counts[order[start:]] <= _AT_ONCE
        stop = start + max(1, int(np.count_nonzero(fits)))
        which = order[start:stop]
        j = np.arange(counts[which[-1]], dtype=np.float64)
        x = low[which, None] + step[which, None] * j
        inside = j < counts[which, None]
        x = np.where(inside, x, low[which, None])
        law = log_law(x, m[which, None], a[which, None], t[which, None], replacement)
        yield which, x, np.where(inside, step[which, None] * np.exp(law), 0.0)
        start = stop
