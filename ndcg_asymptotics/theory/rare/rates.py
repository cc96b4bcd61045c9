"""The probability of a wrong order at n by large deviations, its cost in nats, and their growth with n."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Annotated, Any

from numpy.typing import ArrayLike
from scipy.special import log_ndtr

from ndcg_asymptotics.core.arrays import LARGEST_N, list_lengths
from ndcg_asymptotics.core.tables import Column, Line, Report, ReportBlock, Table, fixed, general
from ndcg_asymptotics.measures import Measure, measures_of
from ndcg_asymptotics.measures.gains import Gain
from ndcg_asymptotics.populations import Relevance, Scorer
from ndcg_asymptotics.studies.gains import with_gain
from ndcg_asymptotics.theory.fluctuations.enumeration import (
    LONGEST_ENUMERATED,
    enumerable,
    order_law,
    order_law_at_the_top,
)
from ndcg_asymptotics.theory.rare.exponents import error_exponent
from ndcg_asymptotics.theory.rare.tilting import tilt

# In lists too long to enumerate, labels at fixed ranks have their limiting law up to terms of the order
# 1/n; a wrong order that is at least this likely there has the limiting probability to three digits.
_COMMON = 0.01

_STEP = 10**0.125  # the factor of n to both sides of the local slope: a quarter of a decade together


def log_wrong_probability(cost: float, std: float) -> float:
    """Return log P(wrong order) for a tilt: ``-cost + s^2/2 + log P(N(0,1) > s)``, s the standard deviation.

    Under the tilted law theta (DCG_A - DCG_B) is about normal with mean 0 and standard deviation s,
    and P is ``exp(-cost)`` times the mean of exp(-x) over x > 0 (Esscher's approximation).

    >>> round(log_wrong_probability(8.0, 4.0), 3)  # P(N(0,1) > 4), for which it is exact
    -10.36
    """
    return -cost + std**2 / 2 + float(log_ndtr(-std))


@dataclass(frozen=True)
class PairPrediction:
    """The prediction for the order of a pair at one list length.

    Attributes
    ----------
    right : str
        The scorer with the larger mean DCG.
    cost : float
        The cost of the wrong order in nats: ``-log P(wrong order at n)`` to first order.
    slope : float or None
        d log cost / d log n; None where another scorer leads at neighbouring list lengths.
    log10_wrong : float or None
        log10 of P(wrong order at n), a tie counting as wrong: exact where few ranks count (in lists
        of more than 1e5 items, to three digits), else approximate. None where the wrong order is impossible.
    error_exponent : float or None
        The error exponent, None where no theorem gives it. It is 0 where the order never settles, or the
        probability of the wrong one falls no faster than a power of n.
    residual : float
        The relative change of the tilt in the last iteration.
    why : str
        The reason for the error exponent.
    """

    pair: tuple[str, str]
    measure: Annotated[str, Column("measure", whole=True)]
    n: Annotated[int, Column("n", general("g"))]
    right: Annotated[str, Column("right")]
    cost: Annotated[float, Column("cost in nats", general(".4g"))]
    slope: Annotated[float | None, Column("slope", fixed(3))]
    log10_wrong: Annotated[float | None, Column("log10 P(wrong)", general(".6g"))]
    error_exponent: Annotated[float | None, Column("error exponent", fixed(3))]
    residual: float
    why: str


@dataclass(frozen=True, repr=False)
class PairPredictions(Report):
    """The outcome of `predict_pair`."""

    rows: tuple[PairPrediction, ...]

    def as_dicts(self) -> list[dict[str, Any]]:
        """Return the rows as plain data, for JSON."""
        return [asdict(row) for row in self.rows]

    def blocks(self) -> Iterator[ReportBlock]:
        """Yield a table of the predictions and the reasons for the error exponents."""
        a, b = self.rows[0].pair
        yield Table.of(f"{a} against {b}", PairPrediction, self.rows)
        for measure, why in dict.fromkeys((row.measure, row.why) for row in self.rows):
            yield Line(f"{measure}: {why}.")


def predict_pair(
    a: Scorer | str,
    b: Scorer | str,
    measures: Measure | str | Sequence[Measure | str],
    n: ArrayLike,
    *,
    gain: Gain = "linear",
) -> PairPredictions:
    """Predict how unlikely the wrong order of two scorers is, without simulation.

    Parameters
    ----------
    a, b : Scorer or text
        Curves with the same label law; the scores are independent given the label.
    measures : Measure or text, or a list of them
    n : list lengths
    gain : {"linear", "exp2"}, text or mapping
        As in `predict`.

    Raises
    ------
    InputError
        If the curves or their means are equal, or do not share their labels.

    >>> (row,) = predict_pair("linear(0.1, 0.5)", "linear(0.2, 0.4)", "nDCG", 10**6).rows
    >>> round(row.cost), round(row.slope, 2), row.error_exponent
    (2019, 1.06, 1.0)
    """
    first, second = with_gain(a, gain).model, with_gain(b, gain).model
    several = measures_of(measures)
    sizes = sorted(set(list_lengths(n, "n")))
    return PairPredictions(tuple(_predict(first, second, m, size) for m in several for size in sizes))


def _predict(a: Relevance, b: Relevance, measure: Measure, n: int) -> PairPrediction:
    found = tilt(a, b, measure, n)
    end = error_exponent(a, b, measure)
    return PairPrediction(
        (str(a), str(b)), str(measure), n, str(a if found.leader > 0 else b), found.cost,
        slope(a, b, measure, n), log10_wrong(a, b, measure, n), end.exponent,
        found.residual, end.reason,
    )  # fmt: skip


def log10_wrong(a: Scorer, b: Scorer, measure: Measure, n: int) -> float | None:
    """Return log10 of P(wrong order at n): the scorer with the smaller mean DCG is ahead or level.

    It is exact where few ranks count (in lists of more than 1e5 items, to three digits), else that of large
    deviations, which is accurate where it is small. None where the wrong order is impossible.

    Raises
    ------
    NotAvailableError
        As `tilt`, and for mixtures.

    >>> pair = Scorer.of("linear(0.1, 0.5)"), Scorer.of("linear(0.2, 0.4)")
    >>> round(log10_wrong(*pair, Measure.of("nDCG"), 10**4), 2)
    -6.41
    """
    first, second = a.model, b.model
    found = tilt(first, second, measure, n)
    ahead, behind = (first, second) if found.leader > 0 else (second, first)
    if enumerable(first, measure, n):
        law = order_law(ahead, behind, measure, n)
        wrong = law.less + law.tie
        return math.log10(wrong) if wrong > 0 else None
    at_the_top = order_law_at_the_top(ahead, behind, measure) if n > LONGEST_ENUMERATED else None
    if at_the_top is not None and (wrong := at_the_top.less + at_the_top.tie) > _COMMON:
        return math.log10(wrong)
    return log_wrong_probability(found.cost, found.std) / math.log(10)


def slope(a: Relevance, b: Relevance, measure: Measure, n: int) -> float | None:
    """Return d log cost / d log n, over a quarter of a decade around n.

    It is None where the leader at n is behind at one of the two ends: its defeat costs nothing there.
    """
    low, high = max(int(n / _STEP), 1), min(max(int(n * _STEP), n + 1), LARGEST_N)
    leader = tilt(a, b, measure, n).leader
    costs = [tilt(a, b, measure, size, leader=leader).cost for size in (low, high)]
    if min(costs) <= 0:
        return None
    return math.log(costs[1] / costs[0]) / math.log(high / low)
