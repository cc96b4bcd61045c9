"""Studies with a judge: what `check` and `distinguish` say, and how many more queries errors cost."""

from __future__ import annotations

import itertools
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ndcg_asymptotics.analysis.check import check, check_grid
from ndcg_asymptotics.analysis.orders.distinguish import distinguish
from ndcg_asymptotics.analysis.orders.judged import query_growth
from ndcg_asymptotics.core.errors import InputError
from ndcg_asymptotics.plots import draw_all, judged_orders_figure
from ndcg_asymptotics.populations import Judge
from ndcg_asymptotics.reports.page import report
from ndcg_asymptotics.results import Results
from ndcg_asymptotics.studies import Study
from ndcg_asymptotics.studies.grid import grid_of, grid_text
from ndcg_asymptotics.sweep import run
from ndcg_asymptotics.sweep.grid import run_grid

PAIR = {"a": "linear(0.1, 0.7)", "b": "power(prevalence=0.4, top=0.8, exponent=2)"}
RATES = {"fpr": 0.05, "fnr": 0.2}
FAVOUR = RATES | {"favours": "a", "share": 0.1, "trust": 0.5}


def study(judge: dict[str, Any] | None, **fields: Any) -> Study:
    given = {"scorers": PAIR, "measures": ["nDCG", "DCG@10"], "n": [20, 2000], "replicates": 2000, "seed": 1}
    return Study(**given | {"pairs": [("a", "b")], "judge": judge} | fields)


def judged_as(found: Results, judge: dict[str, Any]) -> Results:
    """Results that claim to be those of another judge."""
    other = found.study.with_(judge=judge)
    return Results(other, found.versions, found.replicates, found.done, None, found.named, found.attributes)


@pytest.mark.slow
def test_check_confirms_both_kinds_of_labels() -> None:
    # DCG by a discount that falls slowly shows a change of the error rates best
    found = run(study(FAVOUR, measures=["nDCG", "DCG(power(0.5))"], n=[20, 5000], replicates=400), jobs=1)
    said = check(found)  # a false alarm has the probability 1e-4
    assert said.agrees
    assert [row.scorer for row in said.by_cell()][::2] == ["a", "b", "a, by the judge", "b, by the judge"]
    assert all(test.verdict == "agrees" for test in said.rows)
    wrong = check(judged_as(found, FAVOUR | {"fpr": 0.056}))  # 12% off
    assert not wrong.agrees
    assert {row.scorer for row in wrong.rows if row.verdict == "disagrees"} <= {
        "a, by the judge",
        "b, by the judge",
    }
    assert {row.verdict for row in wrong.rows if "judge" not in row.scorer} == {"agrees"}


@pytest.mark.slow
def test_a_judge_that_favours_a_ranker_reverses_the_order() -> None:
    favoured, blind = (
        distinguish(run(study(judge, n=[100], replicates=300), jobs=1), exponents=False)
        for judge in (FAVOUR, RATES)
    )
    assert {row.mean_order for row in favoured.judged} == {"reversed"}
    assert {row.mean_order for row in blind.judged} == {"right"}
    for row in favoured.judged:
        assert row.difference < 0 < row.reported_difference
        assert row.queries is None
        assert row.high < 0.7
    for row in blind.judged:
        assert row.queries is not None
        assert row.low < row.same < row.high
    assert "By the judge's labels the means have the other order" in str(favoured)
    assert "the other order" not in str(blind)
    assert not distinguish(run(study(None, replicates=20, n=[20]), jobs=1)).judged


def test_rows_are_counts_and_moments_of_the_lists() -> None:
    found = run(study(RATES, n=[30], replicates=500), jobs=1)
    row = distinguish(found, exponents=False).judged[1]
    true, reported = (
        found.data[name].values[:, 0, 1, 0] - found.data[name].values[:, 1, 1, 0]
        for name in ("ndcg", "reported")
    )
    same = sum((x > 0) == (u > 0) and (x < 0) == (u < 0) for x, u in zip(true, reported, strict=True))
    assert row.same == same / 500
    assert (row.difference, row.reported_difference) == pytest.approx(
        (true.mean(), reported.mean()), rel=1e-12
    )
    factor = (reported.var(ddof=1) / reported.mean() ** 2) / (true.var(ddof=1) / true.mean() ** 2)
    assert row.queries == pytest.approx(factor, rel=1e-12)


def test_the_interval_of_the_factor_covers() -> None:
    # normal differences with known moments; coverage of 2,000 outside 0.95 ± 0.018 has probability 2e-4
    rng = np.random.default_rng(6)
    truth = (1.2 / 0.3) ** 2 / (1.0 / 0.5) ** 2
    inside = narrow = 0
    for _ in range(2000):
        common, own = rng.standard_normal((2, 400))
        factor, low, high = query_growth(0.5 + common, 0.3 + 1.2 * (0.8 * common + 0.6 * own))
        inside += low < truth < high
        narrow += abs(math.log(factor / truth)) < 0.8 * math.log(high / factor)
    assert abs(inside / 2000 - 0.95) < 0.018
    assert abs(narrow / 2000 - 0.95) > 0.018


DISCOUNTS = 1 / np.log2(np.arange(2, 8))


def test_the_reported_difference_of_dcg_given_the_truth() -> None:
    """Theorem J3, by enumeration of all reported labels of six items in two orders."""
    a, c = 0.1, 0.3
    rng = np.random.default_rng(5)
    for _ in range(5):
        truth = rng.integers(0, 2, 6)
        weights = DISCOUNTS[rng.permutation(6)] - DISCOUNTS[rng.permutation(6)]
        mean = square = 0.0
        for reported in itertools.product((0, 1), repeat=6):
            chances = [
                (1 - c if r else c) if y else (a if r else 1 - a)
                for y, r in zip(truth, reported, strict=True)
            ]
            value = float(weights @ np.array(reported))
            mean, square = mean + math.prod(chances) * value, square + math.prod(chances) * value**2
        assert mean == pytest.approx((1 - a - c) * float(weights @ truth), abs=1e-14)
        variances = np.where(truth == 1, c * (1 - c), a * (1 - a))
        assert square - mean**2 == pytest.approx(float(weights**2 @ variances), rel=1e-12)


def lists_of_both(n: int, k: int, lists: int) -> tuple[np.ndarray, np.ndarray]:
    """Return labels (lists, n) and the discounts (2, lists, n) of their ranks up to k in both orders."""
    rng = np.random.default_rng(8)
    # P(Y = 1) = 0.4, and depths given Y by rejection from the two curves
    labels, depths = rng.random(lists * n) < 0.4, np.empty((2, lists * n))
    for depth, curve in zip(
        depths, (lambda t: 0.7 - 0.6 * t, lambda t: 0.2 + 0.6 * (1 - t) ** 2), strict=True
    ):
        left = np.arange(depth.size)
        while left.size:
            depth[left] = rng.random(left.size)
            chance = curve(depth[left])
            left = left[rng.random(left.size) > np.where(labels[left], chance, 1 - chance)]
    ranks = np.argsort(np.argsort(depths.reshape(2, lists, n), axis=2), axis=2)
    weights = np.where(ranks < k, 1 / np.log2(ranks + 2.0), 0.0)
    return labels.reshape(lists, n).astype(float), weights


def growth_by_theorem(labels: np.ndarray, weights: np.ndarray, a: float, c: float, alike: bool) -> float:
    """Return 1 + E[Var] / (g^2 Var(DCG_A - DCG_B)) from what `lists_of_both` returns.

    Not ``alike``: as if each scorer had reported labels of its own.
    """
    differences = ((weights[0] - weights[1]) * labels).sum(axis=1)
    square = (weights[0] - weights[1]) ** 2 if alike else weights[0] ** 2 + weights[1] ** 2
    spread = (square * np.where(labels == 1, c * (1 - c), a * (1 - a))).sum(axis=1).mean()
    return float(1 + spread / ((1 - a - c) ** 2 * differences.var(ddof=1)))


@pytest.mark.slow
def test_the_number_of_queries_grows_as_the_theorem_says() -> None:
    found = run(study(RATES, measures=["DCG@10"], n=[30], replicates=3000), jobs=1)
    (row,) = distinguish(found, exponents=False).judged
    assert row.queries is not None
    assert row.queries_low is not None
    assert row.queries_high is not None
    error = math.log(row.queries_high / row.queries_low) / (2 * 1.96)
    lists = lists_of_both(30, 10, 20_000)
    expected = growth_by_theorem(*lists, 0.05, 0.2, alike=True)
    # within 4.2 standard errors with probability 1 - 3e-5
    assert abs(math.log(row.queries / expected)) < 4.2 * error
    assert abs(row.reported_difference - 0.75 * row.difference) < 4.2 * row.reported_mcse
    # the means are known to have the ratio g, and the variances say more: each logarithm has an error of
    # sqrt(2 / 3000), and there are two here; what is expected has less
    found_growth = (row.reported_std / (0.75 * row.std)) ** 2
    tolerance = 4.2 * math.sqrt(4 / 3000 + 4 / 20_000)
    assert abs(math.log(found_growth / expected)) < tolerance
    for wrong in (
        growth_by_theorem(*lists, 0.05, 0.2, alike=False),
        growth_by_theorem(*lists, 0.12, 0.2, alike=True),
    ):
        assert abs(math.log(found_growth / wrong)) > tolerance


@pytest.mark.slow
def test_figures_show_how_often_the_order_of_the_judge_is_the_true_one(tmp_path: Path) -> None:
    found = run(study(RATES, measures=["nDCG"], replicates=60, n=[20, 200]), jobs=1)
    names = [path.name for path in draw_all(found, tmp_path, dpi=50)]
    assert "judge-a-b.png" in names
    (ax,) = judged_orders_figure(found, ("a", "b"), found.study.measures).axes
    rows = distinguish(found, exponents=False).judged
    for line, measure in zip(ax.get_lines(), found.study.measures, strict=False):
        same = [row.same for row in rows if row.measure == str(measure)]
        np.testing.assert_array_equal(line.get_ydata(), same)
    other = run(study(None, measures=["nDCG"], replicates=20, n=[20]), jobs=1)
    without = [path.name for path in draw_all(other, tmp_path / "other", dpi=50)]
    assert not any(name.startswith("judge") for name in without)


@pytest.mark.slow
def test_the_rates_of_a_judge_are_parameters_of_a_grid() -> None:
    fields = {"scorers": PAIR, "measures": ["nDCG"], "n": [20], "replicates": 40, "pairs": [("a", "b")]}
    judge = {"fpr": "$p", "fnr": 0.2}
    grid = grid_of({"p": [0.0, 0.1]}, fields | {"judge": judge})
    assert [one.population.judge for one in grid.studies.values()] == [Judge(0.0, 0.2), Judge(0.1, 0.2)]
    assert 'fpr = "$p"' in grid_text(grid.axes)
    found = run_grid(grid, jobs=1)
    assert check_grid(found).agrees
    assert "against p" in report(found)
    with pytest.raises(InputError, match=r"at p = 1\.1: judge: judge needs 0 <= fpr <= 1, got 1\.1"):
        grid_of({"p": [1.1]}, fields | {"judge": judge})
    with pytest.raises(InputError, match="fpr must be a number, got '1 \\$p'"):
        grid_of({"p": [0.1]}, fields | {"judge": judge | {"fpr": "1 $p", "fnr": "$p"}})
