"""What `predict` prints: errors beside values."""

from __future__ import annotations

import numpy as np
import pytest

from ndcg_asymptotics.theory.deviation import StandardDeviation
from ndcg_asymptotics.theory.prediction import predict


def printed(scorer: str, measures: str | list[str], n: int | list[int]) -> str:
    return str(predict(scorer, measures, n))


def test_errors_stay_beside_values_at_80_columns() -> None:
    text = printed("linear(0.1, 0.7)", ["nDCG", "nDCG(zipf)", "nDCG@10"], [100, 1000])
    assert max(map(len, text.splitlines())) <= 80
    rows = [line for line in text.splitlines() if line.startswith("nDCG")][:6]  # of the first table
    assert [row.count("±") for row in rows] == [2] * 6
    assert all(limit in row for row, limit in zip(rows[::2], ("1.0000", "0.7000", "-  "), strict=True))
    assert "0.857725 ±" in text


def test_a_standard_deviation_below_its_error_is_a_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    # a mean and a standard deviation that are as small as their errors
    unknown = StandardDeviation(np.array([1e-5]), np.array([2e-5]), ("label counts",))
    monkeypatch.setattr("ndcg_asymptotics.theory.prediction.ndcg_std", lambda *_, **__: unknown)
    found = predict("linear(0, 1)", "nDCG(linear)", 1000)
    assert "below 3e-5" in str(found)
