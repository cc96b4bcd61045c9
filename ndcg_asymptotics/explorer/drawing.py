"""Simulated lists for the charts. This is the only module of the explorer that imports engines."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ndcg_asymptotics.analysis.orders.right_order import ahead
from ndcg_asymptotics.core.arrays import Floats
from ndcg_asymptotics.explorer.state import State
from ndcg_asymptotics.explorer.values import NODES
from ndcg_asymptotics.studies.study import Study

LISTS = 300
"""The number of simulated lists of each ranker."""

_LONGEST = 10**5  # items of simulated lists, unless few items have a label other than 0
_SEED = 1


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

    judged = state.errs and state.relevant is not None
    longest = _LONGEST if state.relevant is None or judged else NODES[-1]
    lengths = [n for n in NODES if max(state.relevant or 0, NODES[0]) <= n <= longest]
    of = state if judged else state.truth
    study = Study(
        scorers=dict(zip("ab", of.scorers, strict=True)),
        measures=[state.measure],
        n=lengths,
        replicates=LISTS,
        seed=_SEED,
        judge=None if judged else state.judge,
    )
    shown = "reported" if study.population.judge else "ndcg"
    values = run(study, jobs=1).data[shown].to_numpy()[:, :, 0].swapaxes(0, 1)
    better = ahead(*state.scorers, state.measured)
    lead = values[better] - values[1 - better]
    return DrawnLists(np.array(lengths, np.float64), values, (lead <= 0).mean(axis=0))
