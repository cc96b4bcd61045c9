"""The law of the number of sampled negatives above a relevant item.

Of ``total`` irrelevant items, ``above`` are ranked above the relevant one. Among m sampled ones A are above
it: Binomial(m, above/total) with replacement, Hypergeometric(total, above, m) without. Both are sums of
independent indicators, so with variance v

    P(|A - E A| > d) <= 2 exp(-v h(d/v)),    h(u) = (1 + u) log(1 + u) - u

(Bennett): d = 9 sqrt(v) + 25 (`rules.counts.reach`) leaves out less than 1e-17.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ndcg_asymptotics.core.arrays import Floats, Integers
from ndcg_asymptotics.theory.rules.binomial import log_binomial
from ndcg_asymptotics.theory.rules.counts import reach

AT_ONCE = 1 << 17  #: probabilities in memory


def log_law(x: Floats, negatives: Floats, above: Floats, total: Floats, replacement: bool) -> Floats:
    """Return log P(A = x) for possible x; arguments broadcast.

    >>> x = np.ones(1)
    >>> np.exp(log_law(x, 2 * x, 2 * x, 4 * x, False)).round(12)
    array([0.66666667])
    >>> np.exp(log_law(x, 2 * x, 2 * x, 4 * x, True)).round(12)
    array([0.5])
    """
    if replacement:
        return log_binomial(x, negatives, above / total)
    # C(a, x) C(t-a, m-x) / C(t, m), each as a binomial probability with m/t, in which nothing cancels
    share = negatives / total
    return np.asarray(
        log_binomial(x, above, share)
        + log_binomial(negatives - x, total - above, share)
        - log_binomial(negatives, total, share)
    )


def likely_counts(
    negatives: int, above: Integers, total: int, last: int, replacement: bool
) -> Iterator[tuple[slice, Integers, Floats]]:
    """Yield the likely values of A and their probabilities, for some items at a time.

    Parameters
    ----------
    negatives : int
        m.
    above : (P,)
        The number of items above each relevant one.
    total : int
        The number of items from which negatives are sampled, >= 1.
    last : int
        Larger values are left out: the function that is summed is 0 there.
    replacement : bool

    Yields
    ------
    which : slice
        The items.
    x, probability : (p, J)
        Values of A; the probability is 0 of those that an item does not have.
    """
    m, t, a = float(negatives), float(total), above.astype(np.float64)
    variance = m * a / t * (1 - a / t)
    least, most = np.where(a == t, m, 0.0), np.where(a == 0, 0.0, m)
    if not replacement:
        variance = variance * (t - m) / max(t - 1, 1.0)
        least, most = np.maximum(0.0, m - (t - a)), np.minimum(m, a)
    far = reach(np.sqrt(variance))
    low: Floats = np.maximum(least, np.floor(m * a / t - far))
    high = np.minimum(np.minimum(most, np.ceil(m * a / t + far)), last)
    width = max(int((high - low).max(initial=0.0)) + 1, 1)
    for start in range(0, a.size, max(1, AT_ONCE // width)):
        chunk = slice(start, start + max(1, AT_ONCE // width))
        x = low[chunk, None] + np.arange(width)
        inside = x <= high[chunk, None]
        x = np.where(inside, x, low[chunk, None]).astype(np.float64)
        y, higher = x[:, :-1], a[chunk, None]
        with np.errstate(divide="ignore", invalid="ignore"):
            odds = higher / (t - higher) if replacement else (higher - y) / (t - higher - m + y + 1)
            steps = np.where(inside[:, 1:], np.log((m - y) / (y + 1) * odds), 0.0)
        least = x[:, :1]
        law = log_law(least, np.full_like(least, m), higher, np.full_like(least, t), replacement)
        law = np.concatenate([law, law + np.cumsum(steps, axis=1)], axis=1)
        yield chunk, x.astype(np.int64), np.where(inside, np.exp(law), 0.0)
