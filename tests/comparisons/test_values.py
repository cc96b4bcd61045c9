"""Comparisons of values of any measures, whatever their unit and whichever direction is better."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from cases import refused
from oracles.paired import permutation_p
from scipy import stats

from ndcg_asymptotics.comparisons.comparing import compare
from ndcg_asymptotics.comparisons.comparison import Comparison
from ndcg_asymptotics.comparisons.gates import gate
from ndcg_asymptotics.core.errors import InputError
from ndcg_asymptotics.lists.values import MeasureScale, RunValues
from ndcg_asymptotics.plans.planning import plan


def values(*, unit: float = 1.0, lower: bool = False, queries: int = 40, runs: int = 3) -> RunValues:
    """Values of runs a, b, … by the measures X and Y; each run has larger ones than the one before."""
    rng = np.random.default_rng(3)
    found = rng.random((runs, queries, 2)) + 0.3 * np.arange(runs)[:, None, None]
    names = tuple(map(str, range(queries)))
    scales = (MeasureScale(lower_is_better=lower), MeasureScale(lower_is_better=lower))
    return RunValues(tuple("abc"[:runs]), names, ("X", "Y"), unit * found, scales)


def test_the_unit_of_the_values_changes_neither_p_values_nor_effects() -> None:
    def found(comparison: Comparison) -> list[tuple[float, float, float, int | None]]:
        judged = [j for pair in comparison.pairs for j in pair.by_measure]
        return [(j.p, j.difference.p, j.difference.effect, j.difference.queries_assured) for j in judged]

    # powers of two, so that not even a rounding error differs
    one = found(compare(values=values(), resamples=499))
    assert found(compare(values=values(unit=2.0**60), resamples=499)) == one
    assert found(compare(values=values(unit=2.0**-60), resamples=499)) == one


def test_lower_values_are_better_where_that_is_said() -> None:
    higher, lower = (compare(values=values(lower=lower), resamples=499) for lower in (False, True))
    assert [row.run for row in higher.ranked(0)] == ["c", "b", "a"]
    assert [row.run for row in lower.ranked(0)] == ["a", "b", "c"]
    assert lower.ranked(0)[0].against == "->>"
    assert higher.pairs[0].text.startswith("b is better than a")
    assert lower.pairs[0].text.startswith("a is better than b")
    assert [pair.by_measure[0].difference for pair in lower.pairs] == [
        pair.by_measure[0].difference for pair in higher.pairs
    ]
    assert r"\textbf{" in lower.to_latex().split("a & a & ")[1].split("\n")[0]


def test_one_run_and_names_that_occur_twice_are_refused() -> None:
    with pytest.raises(InputError, match=r"^values: .* at least two runs, got those of \w+ alone; a run is"):
        compare(values=values(runs=1))
    refused("runs: 'a' occurs twice", RunValues, ("a", "a"), ("1",), ("X",), np.zeros((2, 1, 1)))


@pytest.mark.parametrize("shift", [-0.4, 0.0, 0.4])
def test_p_values_are_the_larger_of_two_tests(shift: float) -> None:
    """With at most 14 queries every permutation is taken once."""
    rng = np.random.default_rng(7)
    a, b = rng.random((2, 11)).round(1)  # rounded, so that some differences are 0 and some sums tie
    a = (a + shift).round(1)
    found = compare(values={"a": a.tolist(), "b": b.tolist()}).pairs[0].by_measure[0]
    student = stats.ttest_rel(a, b)
    assert found.difference.p == pytest.approx(max(student.pvalue, permutation_p(a - b)), rel=1e-9)
    assert found.p == pytest.approx(found.difference.p)
    interval = student.confidence_interval(0.95)
    assert found.difference.low <= interval.low + 1e-12
    assert found.difference.high >= interval.high - 1e-12


def gated(shift: float, noise: float, **options: Any) -> Comparison:
    """New is larger than old by a shift in the mean."""
    rng = np.random.default_rng(6)
    old = rng.random(40)
    new = old + shift + noise * (z := rng.normal(size=40)) - noise * z.mean()
    return compare(values={"new": new.tolist(), "old": old.tolist()}, resamples=999, **options)


def test_a_run_fails_if_its_interval_lies_below_0() -> None:
    better, same, worse = (gated(shift, 0.1) for shift in (0.1, 0.0, -0.1))
    assert [gate(found).passed for found in (better, same, worse)] == [True, True, False]
    assert gate(worse).line.startswith("FAIL: new is worse than old: value -0.1 [-0.1")
    assert gate(better).line.startswith("PASS: new is not shown to be worse than old: value +0.1 [+0.0")
    assert gate(better).line.endswith("(40 queries, 95% interval of the difference)")
    lower = {"measures": ["s"], "lower_is_better": ["s"]}
    assert [gate(gated(shift, 0.1, **lower)).passed for shift in (0.1, -0.1)] == [False, True]
    # every older run and measure counts, and no other pair
    several = gate(compare(values=values(runs=3), resamples=499))  # a is the worst of all
    rows = [(row.old, row.measure) for row in several.rows]
    assert rows == [("b", "X"), ("b", "Y"), ("c", "X"), ("c", "Y")]
    assert "FAIL: a is worse than b and c: X " in several.line
    best = gate(compare(values=values(runs=3), runs=["c", "a", "b"], resamples=499))
    assert best.passed  # though a is worse than b


def test_a_run_is_noninferior_if_its_interval_lies_above_minus_the_margin() -> None:
    for shift, noise, passes in (
        (0.0, 0.01, True),
        (0.0, 0.5, False),
        (-0.02, 0.01, False),
        (0.3, 0.5, True),
    ):
        found = gated(shift, noise)
        assert found.pairs[0].by_measure[0].difference.low > -0.01 if passes else True
        assert gate(found, margin=0.01).passed == passes
    line = gate(gated(0.0, 0.5), margin=0.01).line
    assert line.startswith("FAIL: new is not shown to be less than 0.01 worse than old: ")
    lower = {"measures": ["s"], "lower_is_better": ["s"]}
    assert [gate(gated(s, 0.01, **lower), margin=0.01).passed for s in (0.02, -0.02)] == [False, True]
    for margin in (0, -1, math.inf, math.nan):
        refused("margin: must be a number above 0", gate, found, margin=margin)


def few_that_differ(
    queries: int, losses: int, wins: int = 0, unit: float = 1.0, **options: Any
) -> Comparison:
    """New loses and wins a whole unit in some queries, and is equal in the others."""
    d = np.zeros(queries)
    d[:losses], d[losses : losses + wins] = -unit, unit
    old = np.where(d > 0, 0.0, unit)
    return compare(values={"new": (old + d).tolist(), "old": old.tolist()}, resamples=499, **options)


def test_a_run_is_not_noninferior_by_queries_that_show_nothing() -> None:
    """Losses of 1 in a share p of the queries are missed by n queries with probability (1 - p)^n."""
    for queries, margin, passes in (
        (20, 0.02, False),
        (40, 0.08, False),
        (40, 0.09, True),
        (183, 0.02, True),
    ):
        found = few_that_differ(queries, 0)
        assert gate(found).passed
        result = gate(found, margin=margin)
        (row,) = result.rows
        assert row.loss_bound == pytest.approx(1 - 0.025 ** (1 / queries))
        assert result.passed == row.passed == passes
        assert row.queries_needed == (None if passes else math.ceil(math.log(0.025) / math.log(1 - margin)))
    line = gate(few_that_differ(20, 0), margin=0.02).line
    assert line.startswith(
        "FAIL: new is not shown to be less than 0.02 worse than old: value +0 [+0, +0] (20 "
    )
    assert "0 of 20 lose, at most 0.17 of all, by at most 1 each and 0.17 in the mean." in line
    assert line.endswith(" It takes about 183 queries like these")
    # one gain, and percentages
    assert not gate(few_that_differ(40, 0, wins=1), margin=0.02).passed
    assert not gate(few_that_differ(40, 0, unit=100.0), margin=2.0).passed


def test_with_30_differences_the_interval_decides_alone() -> None:
    found = [few_that_differ(300, losses, wins=15) for losses in (14, 15)]
    few, enough = (gate(one, margin=0.05).rows[0] for one in found)
    assert few.loss_bound is not None
    assert not few.passed
    assert few.queries_needed == math.ceil(30 * 300 / 29)
    assert (enough.loss_bound, enough.passed) == (None, True)


@pytest.mark.slow
def test_a_gate_with_rare_losses_at_the_margin_passes_rarely() -> None:
    """The new run loses 1 in a share of the queries that is the margin, the others are equal."""
    for queries, share in ((20, 0.02), (60, 0.05), (200, 0.02)):
        passes = by_interval = 0.0
        for losses, weight in enumerate(stats.binom(queries, share).pmf(np.arange(queries + 1))):
            if weight > 1e-5:
                row = gate(few_that_differ(queries, losses), margin=share).rows[0]
                passes += weight * row.passed
                by_interval += weight * (row.low > -share)
        assert passes <= 0.025
        assert by_interval > 0.03  # wrong: the interval alone


def test_wins_ties_and_losses_are_counted_by_what_is_better() -> None:
    runs = {"a": [1, 2, 3, 4, 5, 6], "b": [4] * 6}
    for lower, expected in (((), (2, 1, 3)), (("value",), (3, 1, 2))):
        judged = compare(values=runs, lower_is_better=lower).pairs[0].by_measure[0]
        assert (judged.wins, judged.ties, judged.losses) == expected
    assert judged.wins_text == "3/1/2"


def test_a_plan_of_values_is_that_of_a_comparison() -> None:
    given = {"new": [0.1 * (q % 7) for q in range(50)], "old": [0.1 * (q % 5) for q in range(50)]}
    row = plan(values=given).rows[0]
    d = compare(values=given).pairs[0].by_measure[0].difference
    assert (row.queries.required, row.queries.assured) == (d.queries, d.queries_assured)
    options: Any = {"measures": ["s"], "lower_is_better": ["s"]}
    assert (row.order.ahead, plan(values=given, **options).rows[0].order.ahead) == ("new", "old")
    found = plan(values={"new": [1.0, *[0.5] * 39], "old": [0.5] * 40})
    assert found.rows[0].queries.required is None
    assert found.rows[0].reason == "the runs differ in 1 of 40 queries, too few to say how many are needed"
    assert "316" not in str(found)
    refused("a plan takes two runs, got 3: runs names them", plan, values=values(runs=3))
