"""Mean and standard deviation of NDCG of one list: exact, or that of drawn lists where theory has none.

The mean is exact. Where the standard deviation cannot be computed to 2% (`theory.deviation`) lists are drawn,
with a fixed seed, and it has an interval. The engines are imported where lists are drawn.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from scipy.special import ndtr

from ndcg_asymptotics.core.arrays import Floats
from ndcg_asymptotics.core.caching import shared
from ndcg_asymptotics.core.errors import NotAvailableError
from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.populations import FixedCounts, Scorer
from ndcg_asymptotics.theory.deviation.standard import deviation, mean_on_one_list

_ITEMS = 1_000_000  # drawn for one standard deviation
_FEWEST, _MOST = 400, 10_000  # lists
_MOST_RANKED = 20_000  # lists of which only the ranks of relevant items are drawn
_SEED = 20130612  # of drawn lists
_Z = 1.96  # of an interval of 95%


class ListMoments(NamedTuple):
    """Mean and standard deviation of NDCG_n, or of its difference for two scorers.

    Attributes
    ----------
    mean, sd : float
    error : float
        A bound of the error of the standard deviation, or half its 95% interval where lists are drawn.
    lists : int
        The number of lists that were drawn, 0 where theory has the standard deviation.
    """

    mean: float
    sd: float
    error: float
    lists: int = 0

    @property
    def right_rate(self) -> float:
        """P(NDCG_n(a) > NDCG_n(b)) by the normal law."""
        return float(ndtr(self.mean / self.sd)) if self.sd > 0 else float(self.mean > 0)


@shared
def list_moments(scorers: tuple[Scorer, ...], measure: Measure, n: int) -> ListMoments:
    """Return mean and standard deviation of NDCG_n of one scorer, or of the difference of two.

    Raises
    ------
    NotAvailableError
        If the measure has no exact mean, or no standard deviation and lists are too long to be drawn.

    >>> scorer, measure = Scorer.of("constant(0.004)"), Measure.of("nDCG")
    >>> moments = list_moments((scorer,), measure, 1000)
    >>> moments.lists, abs(moments.sd - 0.0559) < moments.error
    (1000, True)
    """
    mean = mean_on_one_list(scorers, measure, n)
    try:
        sd, error, _ = deviation(scorers, measure, n)
    except NotAvailableError as reason:
        return ListMoments(mean, *_drawn(scorers, measure, n, reason))
    return ListMoments(mean, sd, error)


def _drawn(
    scorers: tuple[Scorer, ...], measure: Measure, n: int, reason: NotAvailableError
) -> tuple[float, float, int]:
    """Return the standard deviation of drawn lists, half its interval and their number."""
    values = _values(scorers, measure, n, reason)
    deviations = values[0] - values[1] if len(scorers) > 1 else values[0]
    deviations = deviations - deviations.mean()
    lists = deviations.size
    variance = float(deviations @ deviations) / (lists - 1)
    # the variance of a sample variance is (m_4 - m_2^2) / lists
    of_variance = math.sqrt(max(float(np.mean(deviations**4)) - variance**2, 0.0) / lists)
    sd = math.sqrt(variance)
    return sd, _Z * of_variance / (2 * sd) if sd > 0 else 0.0, lists


def _values(scorers: tuple[Scorer, ...], measure: Measure, n: int, reason: NotAvailableError) -> Floats:
    """Draw lists, and return their values by each scorer; raise the reason if the lists are too long."""
    from ndcg_asymptotics.engines.cells.ranks import draw_values_of_ranks
    from ndcg_asymptotics.engines.items.lists import draw_values, items_drawn

    fixed = [scorer for scorer in scorers if isinstance(scorer, FixedCounts)]
    if fixed:  # of which ranks are drawn, at every n
        lists = min(_ITEMS // fixed[0].least_n, _MOST_RANKED)
        return draw_values_of_ranks(fixed, measure, n, lists, _SEED)
    lists = min(_ITEMS // items_drawn(scorers[0], min(measure.cutoff(n), n), n), _MOST)
    if lists < _FEWEST:
        raise reason
    return draw_values(scorers[0], scorers[-1], measure, n, lists, _SEED)
