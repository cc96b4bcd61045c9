"""Simulated lists for the charts. This is the only module of the explorer that imports engines."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ndcg_asymptotics.analysis.orders.right_order import ahead
from ndcg_asymptotics.core.arrays import Floats
from ndcg_asymptotics.explorer.against_n import NODES
from ndcg_asymptotics.explorer.state import State
from ndcg_asymptotics.studies.study import Study

LISTS = 300
"""The number of simulated lists of each ranker."""

_LONGEST = 10**5  # items of simulated lists, unless few items have a label other than 0
_SHOWN = 10**4  # items of a list that is shown rank by rank
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


def shown_length(state: State) -> int:
    """Return the number of items of the lists that are shown: n, or the longest that is drawn quickly."""
    from ndcg_asymptotics.engines.items.lists import items_drawn

    whole = items_drawn(state.scorers[0], [state.measured], state.n) > _SHOWN
    return min(state.n, _SHOWN) if whole else state.n


def ranked_list(state: State, index: int) -> DrawnList:
    """Draw a list; lists of one index are alike where two states are.

    >>> found = ranked_list(State(n=10, measure="nDCG(zipf)"), 0)
    >>> found.gains, found.ndcg.round(3)
    (array([[1., 1., 1., 0., 1., 0., 1., 0., 0., 0.],
           [1., 1., 1., 1., 0., 0., 0., 0., 1., 0.]]), array([0.953, 0.961]))
    """
    from ndcg_asymptotics.engines.items.lists import draw_list

    n, measure = shown_length(state), state.measured
    gains, best = draw_list(*state.scorers, measure, n, _SEED, index)
    discounts = measure.discount(np.arange(1.0, gains.shape[1] + 1), float(n))
    return DrawnList(n, gains, discounts, best)


@dataclass(frozen=True)
class DrawnLists:
    """NDCG of simulated lists.

    Attributes
    ----------
    n : (N,)
    values : (2, lists, N)
    wrong : (N,)
        The share of lists with which the ranker that is ahead on long lists is not ahead.
    """

    n: Floats
    values: Floats
    wrong: Floats


def draw_lists(state: State) -> DrawnLists:
    """Simulate lists of the state; the same state gives the same lists."""
    from ndcg_asymptotics.sweep import run

    longest = _LONGEST if state.relevant is None else NODES[-1]
    lengths = [n for n in NODES if max(state.relevant or 0, NODES[0]) <= n <= longest]
    study = Study(
        scorers=dict(zip("ab", state.scorers, strict=True)),
        measures=[state.measure],
        n=lengths,
        replicates=LISTS,
        seed=_SEED,
    )
    values = run(study, jobs=1).data["ndcg"].to_numpy()[:, :, 0].swapaxes(0, 1)
    better = ahead(*state.scorers, state.measured)
    lead = values[better] - values[1 - better]
    return DrawnLists(np.array(lengths, np.float64), values, (lead <= 0).mean(axis=0))
