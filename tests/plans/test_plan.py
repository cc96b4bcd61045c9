"""Plans from curves, runs and a standard deviation: their numbers, sentences, tables and figures."""

from __future__ import annotations

import math
from functools import cache

import numpy as np
import pytest
from cases import judged_runs, refused
from scipy import stats
from scipy.special import gammaln

from ndcg_asymptotics.core.tables import in_format
from ndcg_asymptotics.plans import plan_figure
from ndcg_asymptotics.plans.figures import EXPONENTS
from ndcg_asymptotics.plans.outcome import Plan
from ndcg_asymptotics.plans.planning import plan
from ndcg_asymptotics.plans.rows import ListDifference, PlanRow, Requirements
from ndcg_asymptotics.stats.power import queries_for
from ndcg_asymptotics.theory import effect_sizes

GOOD, BLANK = "linear(0.1, 0.7)", "constant(0.4)"
PAIR = "roc_power(0.4)", "roc_power(0.6)"


@cache
def planned() -> Plan:
    measures = ["nDCG(geometric(2))", "nDCG", "nDCG(power(40))", "nDCG@3"]
    return plan(GOOD, BLANK, measures, n=40, queries=15)


def drawn(n: int, count: int, weights: np.ndarray, seed: int) -> np.ndarray:
    """NDCG of `GOOD` less that of `BLANK`, by their definition."""
    rng = np.random.default_rng(seed)
    ideal = np.concatenate(([1.0], np.cumsum(weights)))
    depth = np.sort(rng.random((count, n)), axis=1)
    label = rng.random(depth.shape) < 0.7 - 0.6 * depth
    # of the same labels, in an order that knows nothing
    other = rng.permuted(label, axis=1)
    return (label @ weights - other @ weights) / ideal[label.sum(axis=1)]


@pytest.mark.slow
def test_the_required_documents_and_queries_are_confirmed() -> None:
    row = planned().rows[0]
    assert row.measure == "nDCG"
    log = lambda n: 1 / np.log(np.arange(2.0, n + 2))  # noqa: E731
    right = int((drawn(row.order.required_n, 40_000, log(row.order.required_n), seed=1) > 0).sum())
    # the simulation that finds the length is off by up to 0.3%
    assert abs(right / 40_000 - 0.95) < 0.003 + 5 * math.sqrt(0.95 * 0.05 / 40_000)
    assert row.order.required_n_low <= row.order.required_n <= row.order.required_n_high
    shorter = drawn(row.order.required_n // 2, 40_000, log(row.order.required_n // 2), seed=2)
    assert np.mean(shorter > 0) < 0.93
    d = drawn(40, 4000 * row.queries.required, log(40), seed=3)
    power = np.mean(stats.ttest_1samp(d.reshape(4000, -1), 0.0, axis=1).pvalue < 0.05)
    assert abs(power - 0.8) < 0.05 + 5 * math.sqrt(0.16 / 4000)
    assert row.difference.mean == pytest.approx(d.mean(), abs=5 * d.std() / math.sqrt(d.size))
    assert row.difference.sd == pytest.approx(d.std(), rel=0.02)
    assert {type(each.difference.sd_error) for each in planned().rows[:3]} == {float}
    wrong = float(np.mean(d <= 0))
    # that of the plan is simulated on 1e5 lists; false alarm: 6e-7
    assert abs(10**row.wrong.log10 - wrong) < 5 * math.sqrt(wrong * (1 / d.size + 1e-5))
    assert abs(10**row.wrong.log10 - 1.2 * wrong) > 5 * math.sqrt(wrong * (1 / d.size + 1e-5))


def test_the_figure_marks_the_largest_effects() -> None:
    figure = plan_figure(planned())
    assert figure.get_suptitle().startswith(f"{GOOD} minus {BLANK}, lists of 40 items; paired t test")
    by_exponent, by_cutoff = figure.axes
    families = {
        by_exponent: [f"nDCG(power({b}))" for b in EXPONENTS],
        by_cutoff: [f"nDCG@{k}" for k in (1, 2, 5, 10, 20, 40)],
    }
    for ax, measures in families.items():
        effects = effect_sizes(GOOD, BLANK, 40, measures)
        np.testing.assert_allclose(ax.lines[0].get_ydata(), effects)
        assert ax.lines[2].get_ydata() == [effects.max()]
        said = " ".join(text.get_text() for text in ax.texts)
        assert f"{queries_for(effects.max(), 0.8, 0.05)} queries" in said
    refused("only a plan from relevance curves has a figure", plan_figure, plan(sd=0.2, queries=10))


@pytest.mark.slow
def test_measures_that_disagree_are_named() -> None:
    """The first ranker has the better top, the second the better list."""
    top = "power(0.375, 0.9, 20)"
    found = plan(top, GOOD, ["nDCG", "nDCG@1"], n=100)
    whole, first = found.rows
    assert (whole.measure, whole.difference.effect < 0 < first.difference.effect) == ("nDCG", True)
    assert found.answers[-1] == f"On average {GOOD} is ahead by nDCG, but {top} by nDCG@1."
    assert not any("On average" in said for said in plan(top, GOOD, "nDCG", n=100).answers)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"b": GOOD}, "both have the relevance curve"),
        ({"b": "constant(0.5)"}, "share their labels"),
        ({"power": 0.03}, "power: must lie between alpha = 0.05 and 1, got 0.03"),
        ({"level": 1.0}, "level: must lie inside"),
        ({"rate": 0.5}, "rate: must lie"),
        ({"n": 0}, "n: must be a whole number from 1"),
        ({"measures": []}, "at least one measure"),
        ({"a": PAIR[0], "b": PAIR[1], "relevant": 20}, "lists with 20 relevant items have n >= 20, got 10"),
    ],
)
def test_bad_input(change: dict[str, object], message: str) -> None:
    refused(message, plan, **({"a": GOOD, "b": BLANK, "measures": "nDCG", "n": 10} | change))


def test_a_stated_standard_deviation() -> None:
    found = plan(sd=0.2, measures="nDCG@10", difference=0.1, queries=50, pilot=40)
    (row,) = found.rows
    assert row.queries.required == 34
    # the chi-square interval of the standard deviation
    ends = [0.2 * math.sqrt(39 / stats.chi2.ppf(p, 39)) for p in (0.975, 0.025)]
    assert [row.queries.low, row.queries.high] == [queries_for(0.1 / sd, 0.8, 0.05) for sd in ends]
    assert row.detection.detectable_low / row.detection.detectable == pytest.approx(ends[0] / 0.2)
    assert row.detection.detectable_high / row.detection.detectable == pytest.approx(ends[1] / 0.2)
    assert queries_for(row.detection.detectable / 0.2 * 1.0001, 0.8, 0.05) == 50
    assert "are enough: 34 [24, 54] are needed" in found.answers[1]
    refused("needs queries or a difference", plan, sd=0.2)
    refused("sd: must be 1e-09 to 1e\\+09", plan, sd=0.0, queries=10)


@pytest.mark.slow
def test_runs_of_a_pilot() -> None:
    scores, labels = judged_runs({"good": 0.8, "bad": 1.1}, queries=40, documents=30, seed=2)
    found = plan(runs=scores, qrels=labels, measures=["nDCG", "nDCG@5", "nDCG(geometric(2))"])
    for row in found.rows:
        assert row.queries.required == queries_for(row.difference.effect, 0.8, 0.05)
        assert row.queries.low < row.queries.required
        assert row.queries.high is None or row.queries.high > row.queries.required
        assert row.queries.enough is None  # the queries that gave the estimate
        assert (row.order.long_run, row.order.required_n) == (None, None)
        assert row.detection.detectable_low < row.detection.detectable < row.detection.detectable_high
    assert found.requirements.queries == 40
    assert plan(runs=scores, qrels=labels, measures="nDCG", queries=7).requirements.queries == 7
    same = plan(runs={"a": scores["good"], "b": dict(scores["good"])}, qrels=labels, measures="nDCG")
    assert same.rows[0].reason == "the runs have the same value on every query"


def test_ties_of_runs_are_not_wrong() -> None:
    """Of 60 users `a` is ahead by nDCG@3 for 20 and `b` for 10; for the others both have the item too low."""
    items = [f"i{i}" for i in range(20)]

    def run(ranks: list[int]) -> dict[str, dict[str, float]]:
        found = {}
        for user, rank in enumerate(ranks):
            order = items[1:]
            order.insert(rank - 1, items[0])
            found[str(user)] = {item: -float(place) for place, item in enumerate(order)}
        return found

    scores = {"a": run([1] * 20 + [2] * 10 + [9] * 30), "b": run([2] * 20 + [1] * 10 + [10] * 30)}
    labels = {str(user): {items[0]: 1} for user in range(60)}
    found = plan(runs=scores, qrels=labels, measures=["nDCG", "nDCG@3"])
    rows = {row.measure: row for row in found.rows}
    assert 10 ** rows["nDCG@3"].wrong.log10 == pytest.approx(10 / 60)
    assert rows["nDCG@3"].ties == 0.5
    assert rows["nDCG"].ties == 0
    assert "a tie is not counted as wrong" in " ".join(str(found).split())


@pytest.mark.parametrize(
    ("sd_error", "shown"),
    [(1e-6, "+0.50"), (4e-3, "+0.50 ±0.03"), (0.02, "+0.5 ±0.2"), (0.06, "below"), (0.2, "±∞")],
)
def test_the_digits_of_an_effect_follow_its_error(sd_error: float, shown: str) -> None:
    row = PlanRow("nDCG", 10, difference=ListDifference(0.05, 1e-6, 0.1, sd_error))
    effect = row.difference.shown_effect
    assert effect.error >= abs(0.05 / (0.1 + sd_error) - 0.5)
    assert shown in str(Plan("a", "b", "curves", Requirements(), (row,)))


def test_a_table_as_csv_has_values_only() -> None:
    """Intervals were once written as the text of the whole row."""
    said = in_format(plan(sd=0.2, measures="nDCG@10", difference=0.1, queries=50, pilot=40).blocks(), "csv")
    assert '"34 [24, 54]",True,0.2,0.1,0.5' in said
    assert "PlanRow" not in said


def right_orders(n: int, k: int) -> float:
    """P(the first of PAIR is ahead) with one relevant item, by the closed form of its rank's law."""
    r = np.arange(1.0, n + 1)
    p, q = (
        kappa * np.exp(gammaln(r - 1 + kappa) - gammaln(r) + gammaln(n) - gammaln(n + kappa))
        for kappa in (0.4, 0.6)
    )
    return float((p * (1 - np.cumsum(q)))[:k].sum())


def test_orders_with_one_relevant_item() -> None:
    """Shares of 20,000 lists and more are known to 0.0035: five standard errors are 0.018."""
    found = plan(*PAIR, ["nDCG", "nDCG@10"], n=1000, relevant=1, rate=0.55)
    rows = {row.measure: row for row in found.rows}
    for measure, k in (("nDCG", 1000), ("nDCG@10", 10)):
        row = rows[measure]
        assert row.wrong.method == "counted"
        assert 10**row.wrong.log10 == pytest.approx(1 - right_orders(1000, k), abs=0.018)
    assert 10 ** rows["nDCG@10"].wrong.log10 == pytest.approx(0.8481, abs=0.018)
    n = rows["nDCG"].order.required_n or 0
    assert abs(right_orders(n, n) - 0.55) < 0.018
