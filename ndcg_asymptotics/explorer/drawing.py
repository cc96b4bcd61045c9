"""A drawn list, item by item. This is the only module of the explorer that imports engines."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ndcg_asymptotics.core.arrays import Floats
from ndcg_asymptotics.explorer.state import NAMES, State

_LONGEST = 10**4  # items of a list, unless few of its ranks count
_SEED = 1


@dataclass(frozen=True)
class DrawnList:
    """The items of one list, as each ranker orders them.

    Attributes
    ----------
    n : int
    gains : (2, k(n))
        1 for a relevant item and 0 for another one, at each rank that counts.
    discounts : (k(n),)
    best : float
        The sum of discounts if relevant items come first.
    """

    n: int
    gains: Floats
    discounts: Floats
    best: float

    @property
    def sums(self) -> Floats:
        """The sums of the discounts of relevant items, (2,)."""
        return np.asarray(self.gains @ self.discounts)

    @property
    def ndcg(self) -> Floats:
        """The NDCG of both rankers, (2,), 0 where no item is relevant."""
        return np.minimum(self.sums / self.best, 1.0) if self.best else np.zeros(2)

    def sum_text(self, ranker: int) -> str:
        """Return the sum of the filled bars and NDCG, for A if ``ranker`` is 0.

        >>> bars = DrawnList(3, np.array([[1.0, 0, 1], [0, 1, 1]]), np.array([1, 1 / 2, 1 / 3]), 1.5)
        >>> bars.sum_text(1)
        'B: DCG 0.833 of at most 1.5, NDCG 0.5556'
        """
        dcg, ndcg = self.sums[ranker], self.ndcg[ranker]
        return f"{NAMES[ranker]}: DCG {dcg:.3g} of at most {self.best:.3g}, NDCG {ndcg:.4f}"


def ranked_list(state: State) -> DrawnList:
    """Draw a list of n items, or of 10,000 if that takes too long; it is alike in similar states.

    >>> bars = ranked_list(State(n=10, measure="nDCG(zipf)"))
    >>> bars.gains, bars.ndcg.round(3)
    (array([[1., 1., 1., 0., 1., 0., 1., 0., 0., 0.],
           [1., 1., 1., 1., 0., 0., 0., 0., 1., 0.]]), array([0.953, 0.961]))
    """
    from ndcg_asymptotics.engines.items.lists import draw_list, items_drawn

    measure = state.measured
    long = items_drawn(state.scorers[0], measure.cutoff(state.n), state.n) > _LONGEST
    n = min(state.n, _LONGEST) if long else state.n
    gains, best = draw_list(*state.scorers, measure, n, _SEED)
    discounts = measure.discount(np.arange(1.0, gains.shape[1] + 1), float(n))
    return DrawnList(n, gains, discounts, best)
