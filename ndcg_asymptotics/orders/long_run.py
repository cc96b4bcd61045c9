"""Which of two scorers is ahead on long lists, and on what share of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from ndcg_asymptotics.core.arrays import ENDLESS
from ndcg_asymptotics.core.caching import shared
from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.orders.wrong_order import SEED
from ndcg_asymptotics.populations import Relevance, Scorer
from ndcg_asymptotics.theory.deviation.regime import regime
from ndcg_asymptotics.theory.limits import limit
from ndcg_asymptotics.theory.mean import expected_ndcg
from ndcg_asymptotics.theory.orders import ErrorExponent, error_exponent

_Ranker = TypeVar("_Ranker", bound=Scorer | Relevance)

_LONG = 10**9  # items; the scorer with the larger mean at this length is ahead on long lists
_DISTINCT = 1e-6  # a larger difference of limits is that of means, whose error bounds are below this
_LABELS = 4_000_000  # drawn of each scorer at the top
_FEWEST, _MOST = 4000, 20_000  # draws of the labels at the top


@dataclass(frozen=True)
class LongRun:
    """The order of two scorers by one measure as lists grow.

    Attributes
    ----------
    ahead : int
        0 if a is ahead on long lists, 1 if b is.
    rate : float or None
        The limit of P(right order at n): 1 where a theorem says that the order settles, from drawn labels
        where the first ranks decide, and None where it is not known.
    end : ErrorExponent
        How fast P(wrong order at n) falls, and the theorem's reason.
    """

    ahead: int
    rate: float | None
    end: ErrorExponent


@shared
def long_run(a: Scorer, b: Scorer, measure: Measure) -> LongRun:
    """Return which scorer is ahead on long lists, and the limit of the probability of the right order.

    Parameters
    ----------
    a, b : Scorer
        With the same label law, independent given the label.
    measure : Measure

    >>> pair = Scorer.of("linear(0.1, 0.7)"), Scorer.of("constant(0.4)")
    >>> whole, top = (long_run(*pair, Measure.of(text)) for text in ("nDCG", "nDCG@1"))
    >>> (whole.ahead, whole.rate), (top.ahead, round(top.rate, 1))
    ((0, 1.0), (0, 0.4))
    """
    first, end = ahead(a, b, measure), error_exponent(a, b, measure)
    if end.settles:
        return LongRun(first, 1.0, end)
    top = end.settles is False and regime((a, b), measure) in ("lasting", "certain")
    return LongRun(first, _at_the_top(a.model, b.model, measure, first) if top else None, end)


def _at_the_top(a: Relevance, b: Relevance, measure: Measure, first: int) -> float:
    """Return the limit where the first ranks decide, from draws of their labels; 0 if they always tie."""
    from ndcg_asymptotics.engines.items.lists import count_orders_at_the_top

    lists = int(np.clip(_LABELS // min(measure.cutoff(ENDLESS), _LABELS), _FEWEST, _MOST))
    counts = count_orders_at_the_top(a, b, measure, lists, SEED)
    return (counts[first] + 0.5) / (lists + 1) if any(counts) else 0.0


def better_first(pair: tuple[_Ranker, _Ranker], ahead: int) -> tuple[_Ranker, _Ranker]:
    """Return a pair with the scorer first that is ahead: the second one if ``ahead`` is 1."""
    return pair[::-1] if ahead else pair


def ahead(a: Scorer, b: Scorer, measure: Measure) -> int:
    """Return 0 if a has the larger mean on long lists, 1 if b has."""
    limits = limit(a, measure).value, limit(b, measure).value
    if limits[0] is None or limits[1] is None or abs(limits[0] - limits[1]) < _DISTINCT:
        first, second = (expected_ndcg(scorer, measure, [_LONG]).value[0] for scorer in (a, b))
        return 0 if first >= second else 1
    return int(limits[0] < limits[1])
