"""What `predict` prints: errors beside values, and intervals where the law of long lists is near."""

from __future__ import annotations

import numpy as np
import pytest

from ndcg_asymptotics.core.tables import Table
from ndcg_asymptotics.theory.fluctuations import StandardDeviation
from ndcg_asymptotics.theory.prediction import Predictions, predict


def printed(scorer: str, measures: str | list[str], n: int | list[int]) -> str:
    return str(predict(scorer, measures, n))


def test_errors_stay_beside_values_at_80_columns() -> None:
    text = printed("linear(0.1, 0.7)", ["nDCG", "nDCG(zipf)", "nDCG@10"], [100, 1000])
    assert max(map(len, text.splitlines())) <= 80
    rows = [line for line in text.splitlines() if line.startswith("nDCG")]
    assert [row.count("±") for row in rows] == [2] * 6
    assert all(limit in row for row, limit in zip(rows[::2], ("1.0000", "0.7000", "-  "), strict=True))
    assert "0.857725 ±" in text


def test_a_standard_deviation_below_its_error_has_no_quantiles(monkeypatch: pytest.MonkeyPatch) -> None:
    (row,) = predict("linear(0, 1)", "nDCG(linear)", 1000)
    assert row.quantiles is not None
    # a mean and a standard deviation that are as small as their errors
    unknown = StandardDeviation(np.array([1e-5]), np.array([2e-5]))
    monkeypatch.setattr("ndcg_asymptotics.theory.prediction.ndcg_std", lambda *_, **__: unknown)
    found = predict("linear(0, 1)", "nDCG(linear)", 1000)
    assert found[0].quantiles is None
    assert "below 3e-5" in str(found)
    assert intervals(found) == ["-"]


def drawn(chance: float, n: int, weights: np.ndarray, count: int) -> np.ndarray:
    """NDCG of lists of i.i.d. labels of this chance, by its definition."""
    labels = np.random.default_rng(5).random((count, n)) < chance
    ideal = np.append(0.0, np.cumsum(weights))[labels.sum(axis=1)]
    return np.divide(labels @ weights, ideal, out=np.zeros(count), where=ideal > 0)


def test_quantiles_of_empty_lists_are_0() -> None:
    """4 of 10 lists are empty, so the quantile at 5% is 0 and the median is not."""
    chance, n = 0.01, 90
    (row,) = predict(f"constant({chance})", "nDCG(power(0.3))", n)
    assert row.quantiles is not None
    assert row.quantiles["0.05"] == 0
    assert np.mean(drawn(chance, n, np.arange(1.0, n + 1) ** -0.3, 4000) == 0) > 0.3


@pytest.mark.parametrize("n", [20, 1000])
def test_intervals_hold_where_they_are_printed(n: int) -> None:
    """Dense labels under 2^-r, 4,000 lists; false alarm below 1e-6. Less than 85% would be noticed."""
    found = predict("constant(0.9)", "nDCG(geometric(2))", n)
    (row,) = found
    assert row.quantiles is not None
    assert row.quantiles_from == "law"
    low, high = row.quantiles["0.05"], row.quantiles["0.95"]
    assert intervals(found) == [f"{low:.4f} to {high:.4f}"]
    values = drawn(0.9, n, 0.5 ** np.arange(1.0, n + 1), 4000)
    inside = np.mean((values > low - 1e-9) & (values < high + 1e-9))
    assert inside > 0.9 - 5 * 0.3 / 4000**0.5


def test_an_interval_from_a_law_that_is_far_is_not_printed() -> None:
    assert intervals(predict("linear(0.1, 0.7)", "nDCG(geometric(2))", [20, 1000]))[0] == "-"
    assert intervals(predict("linear(0.1, 0.7)", "nDCG(geometric(2))", [20, 1000]))[1] != "-"
    assert intervals(predict("linear(0.1, 0.7)", "nDCG", 20)) == ["-"]


def intervals(found: Predictions) -> list[str]:
    """The column "90% of lists"."""
    table = next(iter(found.blocks()))
    assert isinstance(table, Table)
    place = [column.name for column in table.columns].index("90% of lists")
    return [texts[place] for texts in table.texts()]
