"""What theory says of one scorer, measure and list length, without drawing anything."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any, overload

from numpy.typing import ArrayLike

from ndcg_asymptotics.arrays import list_lengths
from ndcg_asymptotics.errors import InputError
from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.progress import tracked
from ndcg_asymptotics.scorers import Relevance
from ndcg_asymptotics.tables import Column, Part, Shown, Table, fixed, general
from ndcg_asymptotics.theory.limits import limit
from ndcg_asymptotics.theory.mean import expected_ndcg
from ndcg_asymptotics.theory.pseudo_expectation import pseudo_expectation


@dataclass(frozen=True)
class Prediction:
    """The limit and its theorem, the exact mean with its error, and the pseudo-expectation at n.

    ``reason`` says why there is no limit, or no exact mean; empty where there are both.
    """

    scorer: str
    measure: str
    n: int
    limit: float | None
    theorem: str
    assumptions: list[str]
    pseudo_expectation: float | None
    expectation: float | None
    expectation_error: float | None
    reason: str


@dataclass(frozen=True, repr=False)
class Predictions(Shown, Sequence[Prediction]):
    """Predictions, one per combination of scorer, measure and list length."""

    rows: tuple[Prediction, ...]

    def __len__(self) -> int:
        return len(self.rows)

    @overload
    def __getitem__(self, index: int) -> Prediction: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Prediction]: ...
    def __getitem__(self, index: int | slice) -> Prediction | Sequence[Prediction]:
        return self.rows[index]

    def as_dicts(self) -> list[dict[str, Any]]:
        """As plain data, for JSON."""
        return [asdict(row) for row in self.rows]

    def parts(self) -> Iterator[Part]:
        """One table."""
        columns = (
            Column("scorer"), Column("measure"), Column("n", general("g")), Column("exact mean", fixed(8)),
            Column("±", general(".0e"), 2), Column("pseudo", fixed(6), 3), Column("limit", fixed(6)),
            Column("theorem"), Column("assumptions", None, 4), Column("why", None, 1),
        )  # fmt: skip
        rows = (
            (r.scorer, r.measure, r.n, r.expectation, r.expectation_error, r.pseudo_expectation, r.limit,
             r.theorem, "; ".join(r.assumptions), r.reason)
            for r in self.rows
        )  # fmt: skip
        yield Table("", columns, tuple(rows))


def predict(
    scorers: Relevance | str | Sequence[Relevance | str],
    measures: Measure | str | Sequence[Measure | str],
    n: ArrayLike,
) -> Predictions:
    """What theory says of scorers, measures and list lengths, each one or several.

    >>> (found,) = predict("linear(0.1, 0.7)", "nDCG(zipf)", 50)
    >>> found.theorem, round(found.limit, 6), round(found.expectation, 6)
    ('Theorem 5', 0.7, 0.712202)

    Raises
    ------
    InputError
        For what is no relevance curve, measure or list length.
    """
    sizes = tuple(sorted(set(list_lengths(n, "n"))))
    asked = [
        (Relevance.of(scorer), Measure.of(measure))
        for scorer in ([scorers] if isinstance(scorers, str | Relevance) else scorers)
        for measure in ([measures] if isinstance(measures, str | Measure) else measures)
    ]
    found = (_predict(scorer, measure, sizes) for scorer, measure in tracked(asked, "predictions"))
    return Predictions(tuple(row for rows in found for row in rows))


def _predict(scorer: Relevance, measure: Measure, sizes: tuple[int, ...]) -> list[Prediction]:
    found = limit(scorer, measure)
    assumptions = [str(a) for a in found.assumptions]
    reasons = [found.reason] if found.reason else []
    means: list[tuple[float | None, float | None]]
    try:
        exact = expected_ndcg(scorer, measure, sizes)
        means = [(float(v), float(e)) for v, e in zip(exact.value, exact.error, strict=True)]
    except InputError as error:
        reasons.append(f"no exact mean: {error}")
        means = [(None, None)] * len(sizes)
    return [
        Prediction(
            str(scorer), str(measure), n, found.value, found.theorem, assumptions,
            pseudo_expectation(scorer, measure, n), value, error, "; ".join(reasons),
        )
        for n, (value, error) in zip(sizes, means, strict=True)
    ]  # fmt: skip
