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
    tables = [line for line in text.splitlines() if not line.startswith(("nDCG", "Assum", "Stand", "Reason"))]
    assert max(map(len, tables)) <= 80  # a terminal folds lines of text
    rows = [line for line in text.splitlines() if line.strip().startswith("100")]
    assert [row.count("±") for row in rows] == [2] * 6
    assert "0.857725 ±" in text


def test_each_measure_has_a_block_with_its_limit_theorem_and_assumptions() -> None:
    blocks = printed("step(0.1, 0.7, 0.2)", ["nDCG", "nDCG@0.2n", "nDCG@10"], [50, 10**6]).split("\n\nnDCG")
    assert "of step(0.1, 0.7, 0.2): limit 1.0000, Theorem 1\n" in blocks[0]
    assert "@0.2n of step(0.1, 0.7, 0.2): limit 0.7000, Theorem 8\n" in blocks[1]
    assert "Assumptions: p > 0; ybar continuous (not met)." in blocks[1]
    assert "first ranks, exact (n = 50); label counts, error below" in blocks[1]  # by list length
    assert "@10 of step(0.1, 0.7, 0.2): limit -, Theorem 6\n" in blocks[2]
    assert "Reason: the cutoff is fixed: the top ranks stay random." in blocks[2]
    few = printed("relevant(2, roc_power(0.4))", "nDCG", 10_000)
    assert "limit 0.0000, Theorem F1; the mean falls \nlike 0.85/log n" in few
    assert "pseudo-expectation" not in few  # a column without values


def test_a_standard_deviation_below_its_error_is_a_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    # a mean and a standard deviation that are as small as their errors
    unknown = StandardDeviation(np.array([1e-5]), np.array([2e-5]), ("label counts",))
    monkeypatch.setattr("ndcg_asymptotics.theory.prediction.ndcg_std", lambda *_, **__: unknown)
    found = predict("linear(0, 1)", "nDCG(linear)", 1000)
    assert "below 3e-5" in str(found)
