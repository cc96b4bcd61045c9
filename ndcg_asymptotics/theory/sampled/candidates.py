"""What ranks among sampled candidates say about a full metric, where nothing else is known.

A user has one relevant item, of unknown rank rho among N, and its rank 1 + B among m sampled negatives is
given, B ~ Hypergeometric(N - 1, rho - 1, m). Users with more negatives are thinned to the smallest number of
them: given B of m', the number above among m of these is Hypergeometric(m', B, m), whose law is averaged.

For a law pi of rho over the users, the share of users with B <= k has the mean ``sum_rho pi(rho) P(B <= k |
rho)``. It is a mean of independent variables in [0, 1], so each end of the interval

    {p : U KL(share, p) <= log(2 K/alpha)},    KL(x, p) = x log(x/p) + (1 - x) log((1 - x)/(1 - p)),

for K thresholds k misses it with a probability of alpha/2K at most (Hoeffding 1963, Theorem 1), so that all
hold with 1 - alpha. The full metric ``sum_rho pi(rho) f(rho)`` then lies between the smallest and the largest
value over all laws pi with these shares, two linear programs. They are over cells of ranks: P(B <= k | rho)
and f fall in rho, and each constraint takes the end of a cell that makes it weaker.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ndcg_asymptotics.core.arrays import Bools, Floats, Integers, bisected
from ndcg_asymptotics.core.errors import require, require_available
from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.theory.sampled.corrected import metric_of_ranks
from ndcg_asymptotics.theory.sampled.law import log_law

_TOLERANCE = 1e-6  # of the linear programs


@dataclass(frozen=True, eq=False)
class CandidateRanks:
    """The ranks of one system's relevant items among sampled candidates.

    Attributes
    ----------
    items : int
        N, the number of items from which candidates are sampled, the relevant one included.
    above, negatives : (U,)
        The numbers of sampled negatives of each user, above the relevant item and in all.
    """

    items: int
    above: Integers
    negatives: Integers

    @property
    def fewest(self) -> int:
        """The number of negatives to which all users are thinned, m."""
        return int(self.negatives.min())

    @cached_property
    def law(self) -> Floats:
        """The law (U, m + 1) of the number of negatives above, given what was found."""
        pairs, which = np.unique(np.stack([self.above, self.negatives]), axis=1, return_inverse=True)
        return _hypergeometric(pairs[0], pairs[1], self.fewest)[which.ravel()]

    def mean(self, values: Floats) -> tuple[float, float]:
        """Return the mean over users of values (m + 1,) of the sampled ranks, and its standard error."""
        of_users = self.law @ values
        count = of_users.size
        return float(of_users.mean()), float(of_users.std(ddof=1)) / math.sqrt(count) if count > 1 else 0.0

    def full_range(self, measure: Measure, alpha: float) -> tuple[float, float]:
        """Return bounds of the mean of NDCG over the users in rankings of all items.

        The full metric of these users lies between them with the probability 1 - alpha at least, over the
        sampling of the negatives without replacement, by which all are equally probable.

        Raises
        ------
        NotAvailableError
            For DCG, and where no law of ranks has these shares: the negatives are not sampled like that.

        >>> one = CandidateRanks(1000, np.zeros(400, int), np.full(400, 99))
        >>> [round(end, 2) for end in one.full_range(Measure.parse("nDCG"), 0.05)]
        [0.93, 1.0]
        """
        from scipy.optimize import linprog  # here: it takes long to load

        first, last, best, worst = self._cells
        low, high, thresholds = self._shares(alpha)
        found = []
        for sign, rank in ((1.0, last), (-1.0, first)):
            constraints: dict[str, Any] = {
                "A_ub": np.concatenate((worst[:, thresholds].T, -best[:, thresholds].T)),
                "b_ub": np.concatenate((high, -low)),
                "A_eq": np.ones((1, first.size)),
                "b_eq": [1.0],
            }
            objective = sign * metric_of_ranks(measure, rank.astype(np.float64), self.items)
            solved: Any = linprog(objective, **constraints)
            require_available(
                solved.status == 0, "no ranks of all items agree with these: the negatives are not uniform"
            )
            found.append(sign * float(solved.fun))
        return max(found[0] - _TOLERANCE, 0.0), min(found[1] + _TOLERANCE, 1.0)

    @cached_property
    def _cells(self) -> tuple[Integers, Integers, Floats, Floats]:
        """The first and last ranks of cells, and P(B <= k) at these (cells, m + 1)."""
        first, last = _cells(self.items)
        best, worst = (
            np.cumsum(_hypergeometric(rank - 1, np.full(rank.size, self.items - 1), self.fewest), axis=1)
            for rank in (first, last)
        )
        return first, last, best, worst

    def _shares(self, alpha: float) -> tuple[Floats, Floats, Integers]:
        """Return intervals of the shares of users with at most k negatives above, and the k."""
        m = self.fewest
        thresholds = np.unique(np.rint(np.geomspace(1, m, 100)).astype(np.int64)) - 1
        shares = np.clip(self.law.cumsum(axis=1).mean(axis=0)[thresholds], 0.0, 1.0)
        most = math.log(2 * thresholds.size / alpha) / self.above.size
        low, high = _end(shares, np.zeros_like(shares), most), _end(shares, np.ones_like(shares), most)
        return low, high, thresholds


def _end(share: Floats, outside: Floats, most: float) -> Floats:
    """Return the p between shares and 0 or 1 at which KL(share, p) is ``most``, on its outer side."""
    from scipy.special import rel_entr

    def near(p: Floats) -> Bools:
        return np.asarray(rel_entr(share, p) + rel_entr(1 - share, 1 - p) <= most)

    return bisected(near, share, outside, 60)[1]


def _cells(items: int) -> tuple[Integers, Integers]:
    """Return the first and last ranks of cells that cover 1 … N.

    >>> first, last = _cells(10**6)
    >>> bool((first[1:] == last[:-1] + 1).all()), int(first[0]), int(last[-1]), first.size
    (True, 1, 1000000, 383)
    """
    first = [*range(1, min(64, items) + 1)]
    while first[-1] < items:
        first.append(min(math.ceil(first[-1] * 1.03), items))
    starts = np.array(first, np.int64)
    return starts, np.append(starts[1:] - 1, items)


def _hypergeometric(above: Integers, total: Integers, negatives: int) -> Floats:
    """Return P(A = x), x = 0 … m, for m of ``total`` items of which ``above`` count, a row for each."""
    require(bool((total >= negatives).all()), f"there are fewer than {negatives} negatives")
    x = np.arange(negatives + 1.0)[None, :]
    a, t = above[:, None].astype(np.float64), total[:, None].astype(np.float64)
    possible = (x <= a) & (negatives - x <= t - a)
    inside = np.where(possible, x, np.maximum(0.0, negatives - (t - a)))
    return np.where(possible, np.exp(log_law(inside, np.full_like(t, negatives), a, t, False)), 0.0)
