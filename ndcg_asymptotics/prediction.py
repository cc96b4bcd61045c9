"""What theory says of one scorer, measure and list length, without drawing anything."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from ndcg_asymptotics.errors import InputError
from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.relevance import Relevance
from ndcg_asymptotics.theory.expectation import expected_ndcg
from ndcg_asymptotics.theory.limits import limit, pseudo_expectation


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

    def as_dict(self) -> dict[str, Any]:
        """As plain data, for JSON."""
        return asdict(self)


def predict(scorer: Relevance, measure: Measure, sizes: Sequence[int]) -> list[Prediction]:
    """One prediction per list length, in increasing order.

    >>> found, = predict(Relevance.parse("linear(0.1, 0.7)"), Measure.parse("nDCG(zipf)"), [50])
    >>> found.theorem, round(found.limit, 6), round(found.expectation, 6)
    ('Theorem 5', 0.7, 0.712202)
    """
    ordered = sorted(set(sizes))
    found = limit(scorer, measure)
    assumptions = [str(a) for a in found.assumptions]
    reasons = [found.reason] if found.reason else []
    means: list[tuple[float | None, float | None]]
    try:
        exact = expected_ndcg(scorer, measure, ordered)
        means = [(float(v), float(e)) for v, e in zip(exact.value, exact.error, strict=True)]
    except InputError as error:
        reasons.append(f"no exact mean: {error}")
        means = [(None, None)] * len(ordered)
    return [
        Prediction(
            str(scorer), str(measure), n, found.value, found.theorem, assumptions,
            pseudo_expectation(scorer, measure, n), value, error, "; ".join(reasons),
        )
        for n, (value, error) in zip(ordered, means, strict=True)
    ]  # fmt: skip
