"""The bins of a histogram of NDCG of drawn lists, and how many lists the law of theory expects in each."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ndcg_asymptotics.core.arrays import Floats
from ndcg_asymptotics.core.errors import NotAvailableError
from ndcg_asymptotics.explorer.against_n import moments
from ndcg_asymptotics.explorer.drawing import LISTS, shown_length
from ndcg_asymptotics.explorer.state import State
from ndcg_asymptotics.theory.fluctuations.effort import MeanAndDeviation
from ndcg_asymptotics.theory.fluctuations.enumeration import exact_law
from ndcg_asymptotics.theory.fluctuations.laws import standard_cdfs

_BINS = 40
_WIDTH = 4.0  # standard deviations on either side of the means that bins cover
_ASIDE = 1e-9
_LEAST = 0.02  # width of all bins together


@dataclass(frozen=True)
class Bins:
    """The bins, and what is expected in them.

    Attributes
    ----------
    n : int
        The length of the lists.
    edges : (B + 1,)
    expected : pair of (B,) or None
        The expected number of `LISTS` lists in each bin, for both rankers; None where no law is known.
    exact : bool
        Whether the law is that of lists of n items; else it is that of long lists.
    """

    n: int
    edges: Floats
    expected: tuple[Floats | None, Floats | None]
    exact: bool

    def counts(self, values: Floats) -> Floats:
        """Return how many values fall into each bin; those beyond the ends are in the first and the last."""
        inside = np.clip(values, self.edges[0], self.edges[-1])
        return np.asarray(np.histogram(inside, self.edges)[0], np.float64)


def bins(state: State) -> Bins:
    """Return the bins for the lists that are shown in a state.

    >>> found = bins(State(n=100))
    >>> [round(float(expected.sum()), 6) for expected in found.expected], found.exact
    ([300.0, 300.0], False)
    """
    state = replace(state, n=shown_length(state))
    found = moments(state, state.n)[:2]
    low = max(min(m.mean - _WIDTH * m.sd for m in found), 0.0)
    high = min(max(m.mean + _WIDTH * m.sd for m in found), 1.0)
    room = max(_LEAST - (high - low), 0.0)
    # no edge is a value that lists have, such as 1/2, whose last bit could decide on its bin
    edges = np.linspace(low - room, high + room, _BINS + 1) + _ASIDE
    (a, exact), (b, _) = (_expected(state, i, m, edges) for i, m in enumerate(found))
    return Bins(state.n, edges, (a, b), exact)


def _expected(state: State, ranker: int, of: MeanAndDeviation, edges: Floats) -> tuple[Floats | None, bool]:
    """Return the expected numbers of lists, and whether their law is exact."""
    scorer = state.scorers[ranker]
    known = exact_law(scorer, state.measured, state.n)
    try:
        if known is not None:
            below = 1.0 - known.above(edges)[0]
        elif of.sd > 0:
            below = standard_cdfs((scorer,), state.measured, (edges - of.mean) / of.sd)
        else:
            below = np.asarray(edges >= of.mean, np.float64)
    except NotAvailableError:
        return None, False
    below[0], below[-1] = 0.0, 1.0  # what lies beyond is in the first and the last bin
    return LISTS * np.diff(below), known is not None
