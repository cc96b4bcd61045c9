"""The bins of a histogram of NDCG of drawn lists."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ndcg_asymptotics.core.arrays import Floats
from ndcg_asymptotics.explorer.against_n import moments
from ndcg_asymptotics.explorer.drawing import shown_length
from ndcg_asymptotics.explorer.state import State

_BINS = 40
_WIDTH = 4.0  # standard deviations on either side of the means that bins cover
_ASIDE = 1e-9
_LEAST = 0.02  # width of all bins together


@dataclass(frozen=True)
class Bins:
    """The bins.

    Attributes
    ----------
    n : int
        The length of the lists.
    edges : (B + 1,)
    """

    n: int
    edges: Floats

    def counts(self, values: Floats) -> Floats:
        """Return how many values fall into each bin; those beyond the ends are in the first and the last."""
        inside = np.clip(values, self.edges[0], self.edges[-1])
        return np.asarray(np.histogram(inside, self.edges)[0], np.float64)


def bins(state: State) -> Bins:
    """Return the bins for the lists that are shown in a state.

    >>> len(bins(State(n=100)).edges)
    41
    """
    state = replace(state, n=shown_length(state))
    found = moments(state, state.n)[:2]
    low = max(min(m.mean - _WIDTH * m.sd for m in found), 0.0)
    high = min(max(m.mean + _WIDTH * m.sd for m in found), 1.0)
    room = max(_LEAST - (high - low), 0.0)
    # no edge is a value that lists have, such as 1/2, whose last bit could decide on its bin
    edges = np.linspace(low - room, high + room, _BINS + 1) + _ASIDE
    return Bins(state.n, edges)
