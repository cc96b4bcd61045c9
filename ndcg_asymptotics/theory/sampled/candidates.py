"""What ranks among sampled candidates say about a full metric, where nothing else is known.

A user has one relevant item, of unknown rank rho among N, and its rank 1 + B among m sampled negatives is
given, B ~ Hypergeometric(N - 1, rho - 1, m). For a law pi of rho over the users, the share of users with B <=
k has the mean ``sum_rho pi(rho) P(B <= k | rho)``. It is a mean of independent variables in [0, 1], so each
end of the interval

    {p : U KL(share, p) <= log(2 K/alpha)},    KL(x, p) = x log(x/p) + (1 - x) log((1 - x)/(1 - p)),

for K thresholds k misses it with a probability of alpha/2K at most (Hoeffding 1963, Theorem 1), so that all
hold with 1 - alpha. The full metric ``sum_rho pi(rho) f(rho)`` then lies between the smallest and the largest
value over all laws pi with these shares, two linear programs. They are over cells of ranks: P(B <= k | rho)
and f fall in rho, and each constraint takes the end of a cell that makes it weaker.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from ndcg_asymptotics.core.arrays import Bools, Floats, Integers, bisected
from ndcg_asymptotics.core.errors import require
from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.theory.sampled.law import log_law
from ndcg_asymptotics.theory.sampled.moments import metric_of_ranks

_TOLERANCE = 1e-6  # of the linear programs


@dataclass(frozen=True, eq=False)
class CandidateRanks:
    """The ranks of one system's relevant items among sampled candidates.

    Attributes
    ----------
    items : int
        N, the number of items from which candidates are sampled, the relevant one included.
    negatives : int
        The number of sampled negatives of each user, m < N.
    above : (U,)
        How many of them are above the relevant item of each user.
    """

    items: int
    negatives: int
    above: Integers

    def full_range(self, measure: Measure, alpha: float) -> tuple[float, float]:
        """Return bounds of the mean of NDCG over the users in rankings of all items.

        The full metric of these users lies between them with the probability 1 - alpha at least, over the
        sampling of the negatives without replacement, by which all are equally probable.

        Raises
        ------
        InputError
            Where no law of ranks has these shares: the negatives are not sampled like that.

        >>> ranks = CandidateRanks(1000, 99, np.zeros(400, int))
        >>> [round(end, 2) for end in ranks.full_range(Measure.parse("nDCG"), 0.05)]
        [0.93, 1.0]
        """
        from scipy.optimize import linprog  # here: it takes long to load

        first, last = _cells(self.items)
        best, worst = (np.cumsum(self._law(rank), axis=1) for rank in (first, last))
        thresholds = np.unique(np.rint(np.geomspace(1, self.negatives, 100)).astype(np.int64)) - 1
        shares = (self.above[:, None] <= thresholds).mean(axis=0)
        most = math.log(2 * thresholds.size / alpha) / self.above.size
        low, high = _end(shares, np.zeros_like(shares), most), _end(shares, np.ones_like(shares), most)
        ends = []
        for sign, rank in ((1.0, last), (-1.0, first)):
            constraints: dict[str, Any] = {
                "A_ub": np.concatenate((worst[:, thresholds].T, -best[:, thresholds].T)),
                "b_ub": np.concatenate((high, -low)),
                "A_eq": np.ones((1, first.size)),
                "b_eq": [1.0],
            }
            solved: Any = linprog(sign * metric_of_ranks(measure, rank, self.items), **constraints)
            require(solved.status == 0, "the negatives are no uniform sample of all items")
            ends.append(sign * float(solved.fun))
        return max(ends[0] - _TOLERANCE, 0.0), min(ends[1] + _TOLERANCE, 1.0)

    def _law(self, rank: Integers) -> Floats:
        """Return P(B = x), x = 0 … m, for ranks of the relevant item, a row for each."""
        m, total = float(self.negatives), float(self.items - 1)
        above = (rank[:, None] - 1).astype(np.float64)
        x = np.arange(m + 1)[None, :]
        possible = (x <= above) & (m - x <= total - above)
        inside = np.where(possible, x, np.maximum(0.0, m - (total - above)))
        law = log_law(inside, np.full_like(inside, m), above, np.full_like(inside, total), False)
        return np.where(possible, np.exp(law), 0.0)


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
