"""Comparisons of values of any measures, whatever their unit and whichever direction is better."""

from __future__ import annotations

import numpy as np
import pytest

from ndcg_asymptotics.analysis.runs.comparison import Comparison
from ndcg_asymptotics.analysis.runs.values import compare_values
from ndcg_asymptotics.core.errors import InputError
from ndcg_asymptotics.lists.values import RunValues, Scale


def values(*, unit: float = 1.0, lower: bool = False, queries: int = 40, runs: int = 3) -> RunValues:
    """Values of runs a, b, … by the measures X and Y, larger in each run than in the one before."""
    rng = np.random.default_rng(3)
    found = rng.random((runs, queries, 2)) + 0.3 * np.arange(runs)[:, None, None]
    names = tuple(map(str, range(queries)))
    scales = (Scale(lower_is_better=lower), Scale(lower_is_better=lower))
    return RunValues(tuple("abc"[:runs]), names, ("X", "Y"), unit * found, scales)


def test_the_unit_of_the_values_changes_neither_p_values_nor_effects() -> None:
    def found(comparison: Comparison) -> list[tuple[float, float, float, int | None]]:
        judged = [j for pair in comparison.pairs for j in pair.by_measure]
        return [(j.p, j.difference.p, j.difference.effect, j.difference.queries_assured) for j in judged]

    # powers of two, so that not even a rounding error differs
    one = found(compare_values(values(), resamples=499))
    assert found(compare_values(values(unit=2.0**60), resamples=499)) == one
    assert found(compare_values(values(unit=2.0**-60), resamples=499)) == one


def test_differences_are_in_the_unit_of_the_values() -> None:
    given = values(unit=1000.0)
    compared = compare_values(given, resamples=499)
    for k, (a, b) in enumerate([(0, 1), (0, 2), (1, 2)]):
        for m in range(2):
            d = given.values[a, :, m] - given.values[b, :, m]
            judged = compared.pairs[k].by_measure[m]
            assert judged.difference.mean == pytest.approx(d.mean(), rel=1e-12)
            assert judged.difference.sd == pytest.approx(d.std(ddof=1), rel=1e-12)
            assert judged.difference.low < d.mean() < judged.difference.high
            assert (judged.mean_a, judged.mean_b) == pytest.approx(given.values[[a, b], :, m].mean(axis=1))


def test_lower_values_are_better_where_that_is_said() -> None:
    higher, lower = (compare_values(values(lower=lower), resamples=499) for lower in (False, True))
    assert [row.run for row in higher.ranked(0)] == ["c", "b", "a"]
    assert [row.run for row in lower.ranked(0)] == ["a", "b", "c"]
    assert lower.ranked(0)[0].against == "->>"
    assert higher.pairs[0].text.startswith("b is better than a")
    assert lower.pairs[0].text.startswith("a is better than b")
    assert [pair.by_measure[0].difference for pair in lower.pairs] == [
        pair.by_measure[0].difference for pair in higher.pairs
    ]
    assert r"\textbf{" in lower.to_latex().split("a & a & ")[1].split("\n")[0]


def test_measures_that_point_the_same_way_agree_though_one_is_better_where_it_is_lower() -> None:
    given = values(runs=2)
    opposite = RunValues(given.runs, given.queries, ("X", "cost"), given.values * [1.0, -1.0])
    said = compare_values(opposite, resamples=499).pairs[0].text
    assert "shows the opposite" in said
    scales = (Scale(), Scale(lower_is_better=True))
    same = RunValues(given.runs, given.queries, ("X", "cost"), opposite.values, scales)
    assert "agrees." in compare_values(same, resamples=499).pairs[0].text


def test_one_run_and_names_that_occur_twice_are_refused() -> None:
    with pytest.raises(InputError, match="at least two runs, got 1"):
        compare_values(values(runs=1))
    with pytest.raises(InputError, match="at least 6 common queries, there are 5"):
        compare_values(values(queries=5))
    with pytest.raises(InputError, match="runs: 'a' occurs twice"):
        RunValues(("a", "a"), ("1",), ("X",), np.zeros((2, 1, 1)))
