"""Predictions of the order of a pair: how unlikely the wrong one is, and its error exponent."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated

from numpy.typing import ArrayLike

from ndcg_asymptotics.core.arrays import list_lengths
from ndcg_asymptotics.core.errors import NotAvailableError
from ndcg_asymptotics.core.rows import Column, Data, computed_value, fixed, general
from ndcg_asymptotics.core.tables import Line, Report, ReportBlock, Table
from ndcg_asymptotics.measures import Measure, measures_of
from ndcg_asymptotics.measures.gains import Gain
from ndcg_asymptotics.orders.long_run import better_first
from ndcg_asymptotics.orders.pair import Pair
from ndcg_asymptotics.orders.probability import WrongOrder
from ndcg_asymptotics.orders.wrong_order import wrong_order
from ndcg_asymptotics.populations import Relevance, Scorer
from ndcg_asymptotics.studies import Study
from ndcg_asymptotics.studies.relevant import with_gain
from ndcg_asymptotics.theory.orders import error_exponent, level_tilt, log_wrong_probability


@dataclass(frozen=True)
class PairPrediction:
    """The prediction for the order of a pair at one list length.

    Attributes
    ----------
    right : str
        The scorer with the larger mean DCG.
    cost : float
        The cost of the wrong order in nats: ``-log P(wrong order at n)`` to first order.
    wrong : WrongOrder
        P(wrong order at n), a tie counting as wrong, with its interval and how it is known.
    error_exponent : float or None
        The error exponent, None where no theorem gives it. It is 0 where the order never settles, or the
        probability of the wrong one falls no faster than a power of n.
    why : str
        The reason for the error exponent.
    """

    pair: tuple[str, str]
    measure: Annotated[str, Column("measure")]
    n: Annotated[int, Column("n", general("g"), key=True)]
    right: Annotated[str, Column("right", None, 2)]
    cost: Annotated[float, Column("cost in nats", general(".4g"), 3)]
    wrong: Annotated[WrongOrder, Column("P(wrong order)", str), Data(inline=True)]
    error_exponent: Annotated[float | None, Column("error exponent", fixed(3), 1)]
    why: str

    @computed_value(Column("method", None, 5, before="error_exponent"))
    def method(self) -> str:
        """How the probability is known."""
        return self.wrong.method


@dataclass(frozen=True, repr=False)
class PairPredictions(Report):
    """The outcome of `predict_pair`."""

    rows: tuple[PairPrediction, ...]

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
    """Predict how unlikely the wrong order of two scorers is.

    Parameters
    ----------
    a, b : Scorer or text
        Curves with the same label law; the scores are independent given the label.
    measures : Measure or text, or a list of them
    n : list lengths
    gain : {"linear", "binary", "exp2"}, text or mapping
        As in `predict`.

    Raises
    ------
    InputError
        If the curves or their means are equal, or do not share their labels.

    >>> (row,) = predict_pair("linear(0.1, 0.5)", "linear(0.2, 0.4)", "nDCG", 10**6).rows
    >>> round(row.cost), row.error_exponent
    (2019, 1.0)
    """
    first, second = with_gain(a, gain).model, with_gain(b, gain).model
    sizes = sorted(set(list_lengths(n, "n")))
    return PairPredictions(
        tuple(_predict(first, second, m, size) for m in measures_of(measures) for size in sizes)
    )


def _predict(a: Relevance, b: Relevance, measure: Measure, n: int) -> PairPrediction:
    tilt = level_tilt(a, b, measure, n)
    pair = better_first((a, b), int(tilt.leader < 0))
    wrong, end = wrong_order(*pair, measure, n), error_exponent(a, b, measure)
    return PairPrediction(
        pair=(str(a), str(b)),
        measure=str(measure),
        n=n,
        right=str(pair[0]),
        cost=tilt.cost,
        wrong=wrong,
        error_exponent=end.exponent,
        why=end.reason,
    )


def predicted_nats(study: Study, pair: Pair, sizes: Sequence[int], *, most: float = math.inf) -> list[float]:
    """Return -log P(wrong order at n) of a pair of a study, without simulation (`theory.orders`).

    The list ends before the first n at which there is no prediction, or after the first value above ``most``.
    """
    a, b = (study.scorers[name].model for name in pair.pair)
    measure = study.measure(pair.measure)
    leader = level_tilt(a, b, measure, study.n[-1]).leader
    nats: list[float] = []
    for n in sizes:
        try:
            tilt = level_tilt(a, b, measure, n, leader=leader)
        except NotAvailableError:  # the tilt has no fixed point at this n
            break
        nats.append(-log_wrong_probability(tilt.cost, tilt.std))
        if nats[-1] > most:
            break
    return nats
