"""Theoretical predictions for scorers, measures and list lengths, without simulation."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from numpy.typing import ArrayLike

from ndcg_asymptotics.core.arrays import as_list, list_lengths
from ndcg_asymptotics.core.errors import NotAvailableError, require
from ndcg_asymptotics.core.progress import tracked
from ndcg_asymptotics.core.rows import Column, Estimate, computed_value, decimals, fixed, general
from ndcg_asymptotics.core.tables import Line, Report, ReportBlock, Table
from ndcg_asymptotics.measures import Measure, measures_of
from ndcg_asymptotics.measures.gains import Gain
from ndcg_asymptotics.populations import RocModel, Scorer
from ndcg_asymptotics.studies.relevant import Relevant, scorer_of
from ndcg_asymptotics.theory.deviation import ndcg_std
from ndcg_asymptotics.theory.limits import LIMITS_OF_DCG, Limit, limit
from ndcg_asymptotics.theory.limits.pseudo_expectation import pseudo_expectation
from ndcg_asymptotics.theory.mean import expected_ndcg


@dataclass(frozen=True)
class Prediction:
    """The limit and its theorem, exact mean and standard deviation, and the pseudo-expectation at n.

    ``rate`` is the leading term of the mean of lists with a fixed number of relevant items, such as
    "1.28/n^0.3".
    ``pseudo_expectation`` is None for lists so short that it exceeds 1. ``reason`` says why there is no limit
    or no exact value; it is empty if there are all of them. For DCG ``limit`` is that of DCG_n / F(k(n)), and
    ``unit`` is F(k(n)); for NDCG the unit is 1.
    """

    scorer: str
    measure: str
    n: Annotated[int, Column("n", general("g"))]
    limit: float | None
    rate: str | None
    theorem: str
    assumptions: list[str]
    pseudo_expectation: Annotated[float | None, Column("pseudo-expectation", fixed(6), optional=True)]
    expectation: float | None
    expectation_error: float | None
    reason: str
    sd: float | None
    sd_error: float | None
    sd_method: str | None
    unit: float

    @computed_value(Column("exact mean", Estimate.text, before="pseudo_expectation"))
    def exact_mean(self) -> Estimate | None:
        """The exact mean with its error."""
        return Estimate.of(self.expectation, self.expectation_error)

    @computed_value(Column("standard deviation", Estimate.text, before="pseudo_expectation"))
    def exact_sd(self) -> Estimate | None:
        """The standard deviation with its error."""
        return Estimate.of(self.sd, self.sd_error)

    @property
    def title(self) -> str:
        """The measure and the scorer, their limit and the theorem."""
        limit = "-" if self.limit is None else decimals(4)(self.limit)
        source = f", {self.theorem}" if self.theorem != "none" else ""
        rate = f"; the mean falls like {self.rate}" if self.rate else ""
        return f"{self.measure} of {self.scorer}: limit {limit}{source}{rate}"


@dataclass(frozen=True, repr=False)
class Predictions(Report, Sequence[Prediction]):
    """The predictions for all combinations of scorers, measures and list lengths."""

    rows: tuple[Prediction, ...]

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, index: Any) -> Any:
        return self.rows[index]

    def blocks(self) -> Iterator[ReportBlock]:
        """Yield for each scorer and measure the limit, a table by list length, and what they rest on."""
        for number, (_, group) in enumerate(itertools.groupby(self.rows, lambda row: row.title)):
            rows = list(group)
            if number:
                yield Line("")
            yield Table.of(rows[0].title, Prediction, rows)
            if rows[0].assumptions:
                yield Line(f"Assumptions: {'; '.join(rows[0].assumptions)}.")
            yield from _by_length("Standard deviation by", [(row.n, row.sd_method) for row in rows])
            yield from _by_length("Reason:", [(row.n, row.reason) for row in rows])
        if any(row.unit != 1 for row in self.rows):
            yield Line(LIMITS_OF_DCG)


def _by_length(label: str, texts: Iterable[tuple[int, str | None]]) -> Iterator[Line]:
    """Yield a line with the texts, if there are any; it names the list lengths where they differ."""
    by_text: dict[str, list[str]] = {}
    for n, text in texts:
        by_text.setdefault(text or "", []).append(f"{n:g}")
    parts = [
        text + (f" (n = {', '.join(sizes)})" if len(by_text) > 1 else "")
        for text, sizes in by_text.items()
        if text
    ]
    if parts:
        yield Line(f"{label} {'; '.join(parts)}.")


def predict(
    scorers: Scorer | RocModel | str | Sequence[Scorer | RocModel | str],
    measures: Measure | str | Sequence[Measure | str],
    n: ArrayLike,
    *,
    gain: Gain = "linear",
    relevant: Relevant | None = None,
) -> Predictions:
    """Predict NDCG or DCG for every combination of scorers, measures and list lengths.

    Parameters
    ----------
    scorers, measures : Scorer, Measure or text, or several
    n : list lengths
    gain : {"linear", "binary", "exp2"}, text or mapping
        The gain of a label y of the scorers: y, 2^y - 1, or that of a table (`measures.gains`).
    relevant : int or mapping, optional
        The number of relevant items of every list, or the probability of each number, as of a study.

    >>> (prediction,) = predict("linear(0.1, 0.7)", "nDCG(zipf)", 50)
    >>> prediction.theorem, round(prediction.limit, 6), round(prediction.expectation, 6)
    ('Theorem 5', 0.7, 0.712202)

    Raises
    ------
    InputError
        If an argument is not a relevance curve, measure or list length.
    """
    sizes = tuple(sorted(set(list_lengths(n, "n"))))
    models = [scorers] if callable(scorers) else as_list(scorers, "scorers", (str, Scorer, RocModel))
    require(len(models) > 0, "must hold at least one relevance curve", "scorers")
    combinations = itertools.product(
        [scorer_of(scorer, relevant, gain) for scorer in models], measures_of(measures)
    )
    predictions = (
        _predict_at(scorer, measure, n, ndcg_limit)
        for scorer, measure in tracked(list(combinations), "predictions")
        for ndcg_limit in [limit(scorer, measure)]
        for n in sizes
    )
    return Predictions(tuple(predictions))


def _predict_at(scorer: Scorer, measure: Measure, n: int, ndcg_limit: Limit) -> Prediction:
    reasons = [ndcg_limit.reason] if ndcg_limit.reason else []
    mean, mean_error, sd, sd_error, method = None, None, None, None, None
    try:
        exact = expected_ndcg(scorer, measure, [n])
        mean, mean_error = float(exact.value[0]), float(exact.error[0])
    except NotAvailableError as error:
        reasons.append(f"no exact mean: {error}")
    else:
        try:
            std = ndcg_std(scorer, measure, [n])
            sd, sd_error, method = float(std.value[0]), float(std.error[0]), std.methods[0]
        except NotAvailableError as error:
            reasons.append(str(error))
    return Prediction(
        scorer=str(scorer),
        measure=str(measure),
        n=n,
        limit=ndcg_limit.value,
        rate=_rate(ndcg_limit),
        theorem=ndcg_limit.theorem,
        assumptions=[str(a) for a in ndcg_limit.assumptions],
        pseudo_expectation=_pseudo_expectation(scorer, measure, n),
        expectation=mean,
        expectation_error=mean_error,
        reason="; ".join(reasons),
        sd=sd,
        sd_error=sd_error,
        sd_method=method,
        unit=measure.unit(n),
    )


def _rate(ndcg_limit: Limit) -> str | None:
    if ndcg_limit.scaled is None or ndcg_limit.scaled.value is None:
        return None
    return ndcg_limit.scaled.scale.rate(ndcg_limit.scaled.value)


def _pseudo_expectation(scorer: Scorer, measure: Measure, n: int) -> float | None:
    value = pseudo_expectation(scorer, measure, n)
    return value if value is not None and value <= 1 + 1e-9 else None
