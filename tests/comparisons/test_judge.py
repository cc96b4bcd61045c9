"""Comparisons with a judge: the estimate, its coverage and level, agreement, and what is said."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
import pytest
from cases import noisy_runs
from scipy import special

import ndcg_asymptotics as na
from ndcg_asymptotics.comparisons import judged_figure
from ndcg_asymptotics.comparisons.agreement import agreement
from ndcg_asymptotics.comparisons.comparing import compare
from ndcg_asymptotics.comparisons.judge import of_both
from ndcg_asymptotics.comparisons.judged import JudgedMeasure, Quality, could_turn
from ndcg_asymptotics.core.arrays import Floats
from ndcg_asymptotics.core.errors import InputError
from ndcg_asymptotics.lists.records import Qrels, Records, Run
from ndcg_asymptotics.stats.combined import combine, corrected_for_all
from ndcg_asymptotics.stats.correction import MultipleTests
from ndcg_asymptotics.stats.paired import paired_differences, student_test


@dataclass(frozen=True)
class Judge:
    """How differences by humans and by a judge are drawn.

    Differences of two runs are 0 in a share of the queries (ties); the others are skewed, as those of nDCG@10
    are. The judge finds the same ties in most queries, has a correlation with humans in the others, and may
    favour a run by a constant.
    """

    ties: float = 0.0
    correlation: float = 0.8
    bias: float = 0.0
    skew: float = 0.3
    agree: float = 0.8

    def draw(self, shape: tuple[int, ...], rng: np.random.Generator) -> tuple[Floats, Floats]:
        """Return differences by humans and by the judge, whose expectation by humans is `truth`."""
        z, e = rng.standard_normal((2, *shape))
        w = self.correlation * z + np.sqrt(1 - self.correlation**2) * e
        tied = rng.random(shape) < self.ties
        same = rng.random(shape) < self.agree
        by_judge = np.where(same, tied, rng.random(shape) < self.ties)
        return np.where(tied, 0.0, self._value(z)), np.where(by_judge, 0.0, self._value(w) + self.bias)

    def _value(self, z: Floats) -> Floats:
        return np.tanh(0.4 * np.expm1(self.skew * z) / self.skew + 0.1)

    @property
    def truth(self) -> float:
        """The true mean difference, by quadrature."""
        nodes, weights = special.roots_hermitenorm(80)
        return float((1 - self.ties) * (weights @ self._value(nodes)) / weights.sum())


def coverage(
    judge: Judge, humans: int, every: int, repetitions: int, seed: int = 1
) -> tuple[float, float, float]:
    """Return how often 95% intervals of both and of humans hold the truth, and the ratio of widths."""
    y, f = judge.draw((every, repetitions), np.random.default_rng(seed))
    both = combine(y[:humans], f)
    moments = zip(y[:humans].mean(axis=0), y[:humans].std(axis=0, ddof=1), strict=True)
    alone = [student_test(mean, sd, humans, 0.05)[0] for mean, sd in moments]
    held, widths = [], []
    for intervals in ([one.interval or (one.mean, one.mean) for one in both], alone):
        held.append(float(np.mean([low <= judge.truth <= high for low, high in intervals])))
        widths.append(float(np.mean([high - low for low, high in intervals])))
    return held[0], held[1], widths[0] / widths[1]


def family_error(judge: Judge, humans: int, every: int, runs: int, repetitions: int, seed: int = 1) -> float:
    """Return how often some pair of runs that are alike has a corrected p-value below 0.05."""
    rng = np.random.default_rng(seed)
    pairs = np.array([(a, b) for a in range(runs) for b in range(a)])
    wrong = 0
    for repetition in range(repetitions):
        y, f = judge.draw((every, runs), rng)
        d, e = (of[:, pairs[:, 0]] - of[:, pairs[:, 1]] for of in (y[:humans], f))
        p = corrected_for_all(d, e, combine(d, e), resamples=999, seed=repetition)
        wrong += min(p) < 0.05
    return wrong / repetitions


def ppi_plus_plus(y: list[float], f: list[float], further: list[float]) -> float:
    """Return the mean of PPI++ (Angelopoulos, Duchi and Zrnic); ``further`` is another sample."""
    n, more = len(y), len(further)
    mean_y, mean_f = sum(y) / n, sum(f) / n
    covariance = sum((a - mean_y) * (b - mean_f) for a, b in zip(y, f, strict=True))
    spread = sum((b - mean_f) ** 2 for b in f)  # of the same queries as the covariance
    weight = min(max(covariance / ((1 + n / more) * spread), 0.0), more / (n + more))
    return weight * sum(further) / more + sum(a - weight * b for a, b in zip(y, f, strict=True)) / n


def test_the_estimate_is_that_of_ppi_plus_plus_on_the_other_queries() -> None:
    for seed in range(50):
        rng = np.random.default_rng(seed)
        humans, every = int(rng.integers(4, 40)), int(rng.integers(41, 200))
        y, f = Judge(correlation=rng.uniform(-0.5, 1), bias=rng.normal()).draw((every, 1), rng)
        found = combine(y[:humans], f)[0]
        expected = ppi_plus_plus(y[:humans, 0].tolist(), f[:humans, 0].tolist(), f[humans:, 0].tolist())
        assert found.mean == pytest.approx(expected, abs=1e-13)


@pytest.mark.slow
@pytest.mark.long
def test_intervals_cover_and_one_that_trusts_the_judge_does_not() -> None:
    # 1,000 repetitions: the standard error at 0.95 is 0.007, so that 0.915 is five of them away
    for judge, humans, every in (
        (Judge(), 10, 50),
        (Judge(0.3, bias=0.2), 30, 60),
        (Judge(0.3, 0.4, skew=0.8), 60, 100),
        (Judge(correlation=0.0), 30, 300),
    ):
        both, alone, width = coverage(judge, humans, every, 1000)
        assert both > 0.915
        assert alone > 0.915
        assert width < (0.9 if judge.correlation == 0.8 else 1.06)
    judge = Judge(bias=0.2)
    _, f = judge.draw((300, 1000), np.random.default_rng(1))
    machine = [
        abs(mean - judge.truth) < 2 * sd for mean, sd in zip(f.mean(0), f.std(0) / 300**0.5, strict=True)
    ]
    assert np.mean(machine) < 0.1
    assert coverage(Judge(0.9), 20, 100, 1000)[0] < 0.9  # the warning about few differing queries is needed


@pytest.mark.parametrize("correlation", [0.8, 0.99])
def test_both_are_worth_as_many_queries_of_humans_as_their_variance_says(correlation: float) -> None:
    """Also for a judge who is nearly perfect, whose labels are worth almost those of humans."""
    rng = np.random.default_rng(9)
    y, e = rng.standard_normal((2, 100, 2000))
    f = correlation * y + math.sqrt(1 - correlation**2) * e
    found = combine(y[:10], f)
    true = 1 / float(np.var([one.mean for one in found]))  # a query of humans has the variance 1
    worth = np.array([one.equivalent for one in found])
    # the variance of 2,000 means has the relative standard error 0.03, of which these are five
    assert np.median(worth) == pytest.approx(true, rel=0.15)
    assert worth.max() <= 100
    # wrong: the variance of humans alone over that of the estimate
    plain = y[:10].var(axis=0, ddof=1) / [one.error**2 for one in found]
    assert np.sum(plain > 100) > (0 if correlation < 0.9 else 300)
    # a slope of covariance and variance over different queries loses most of what a good judge is worth
    slope = np.clip(10 / 9 * (y[:10] * (f[:10] - f[:10].mean(0))).mean(0) / f.var(axis=0, ddof=1), 0, 1)
    mixed = y[:10].mean(0) + slope * (f.mean(0) - f[:10].mean(0))
    assert 1 / float(mixed.var()) < (0.97 if correlation < 0.9 else 0.7) * true


def judged_measures(y: Floats, f: Floats) -> list[JudgedMeasure]:
    """What comparisons have of differences by humans and by the judge, (queries, comparisons)."""
    biases = paired_differences(f[: len(y)] - y, resamples=99)
    return [
        JudgedMeasure(
            "m",
            cast(Any, None),
            cast(Any, None),
            of_both("m", both, both.p, len(y), MultipleTests()),
            Quality(bias.mean, bias.interval, *[None] * 4),
        )
        for both, bias in zip(combine(y, f), biases, strict=True)
    ]


@pytest.mark.slow
def test_a_bias_as_large_as_the_difference_is_hardly_denied() -> None:
    """The judge favours a run by the true difference; that it does not is said in at most 2.5%."""
    rng, tried, queries = np.random.default_rng(4), 300, 30
    y = 0.3 + rng.standard_normal((300, tried))
    f = y + 0.3 + rng.standard_normal((300, tried))
    said = by_estimates = 0
    for found in judged_measures(y[:queries], f):
        unknown = not found.judge.favours
        said += unknown and not could_turn(found)
        bias = found.judge.bias_interval
        by_estimates += unknown and max(map(abs, bias)) < abs(found.combined.difference)
    # 0.025 of 300 are 7.5; more than 20 have the probability 5e-5
    assert said <= 7
    assert by_estimates > 10  # wrong: to hold the bias against an estimated difference
    (small,) = judged_measures(0.3 + (y := rng.standard_normal((300, 1)))[:200], 0.3 + y)
    assert not could_turn(small)  # a judge who is right is not suspected for ever


@pytest.mark.slow
def test_corrected_p_values_keep_the_level() -> None:
    # 600 repetitions: 0.05 has the standard error 0.009, and 0.09 is exceeded with probability 1e-5
    assert 0.015 < family_error(Judge(0.2), 30, 100, 4, 600) < 0.09


@pytest.mark.slow
def test_agreement_counts_documents_and_its_intervals_go_by_query() -> None:
    human = {"q": {"a": 2.0, "b": 0.0, "c": 0.0}, "r": {"a": 1.0, "b": 0.0, "x": 1.0}}
    judge = {"q": {"a": 1.0, "b": 1.0, "c": 0.0}, "r": {"a": 0.0, "b": 0.0, "y": 1.0}, "s": {"a": 1.0}}
    found = agreement(Records.of(human, "label"), Records.of(judge, "label"))
    assert (found.documents, found.fpr.value, found.fnr.value) == (5, 1 / 3, 1 / 2)
    # errors that go together in queries: intervals that count documents hold the rate too rarely
    rng = np.random.default_rng(1)
    held, naive = 0, 0
    truth = Records.of({str(q): dict.fromkeys(map(str, range(40)), 0.0) for q in range(30)}, "label")
    for _ in range(300):
        said = rng.random((30, 40)) < rng.beta(1.0, 9.0, (30, 1))
        fpr = agreement(truth, truth.with_values(said.ravel().astype(float))).fpr
        held += fpr.interval.low <= 0.1 <= fpr.interval.high
        naive += abs(fpr.value - 0.1) < 1.96 * math.sqrt(fpr.value * (1 - fpr.value) / 1200)
    assert held >= 0.92 * 300  # 2.4 standard errors below 0.95
    assert naive < 0.8 * 300


def lists(queries: int) -> tuple[dict[str, Run], Qrels]:
    """Return two runs, the first better, and their judgements."""
    truth = {str(q): {f"d{i}": float(i < 5) for i in range(30)} for q in range(queries)}
    return noisy_runs(truth, {"good": 0.6, "bad": 0.8}, np.random.default_rng(1)), truth


def judged(truth: Qrels) -> Qrels:
    """Return the labels of a judge who errs, with a false positive rate of 0.05 and a negative one of 0.2."""
    rng = np.random.default_rng(2)
    return {
        q: {d: float(rng.random() >= 0.2 if y else rng.random() < 0.05) for d, y in docs.items()}
        for q, docs in truth.items()
    }


def first(truth: Qrels, count: int) -> Qrels:
    """Return the judgements of the first queries."""
    return {q: truth[q] for q in [*truth][:count]}


def test_a_comparison_with_a_judge_has_three_rows_for_each_measure() -> None:
    runs, truth = lists(300)
    human = first(truth, 40)
    found = compare(runs, human, ["nDCG", "nDCG@10"], judge=judged(truth))
    data = found.as_dict()
    for row in data["pairs"][0]["measures"]:
        for kind, queries in (("human", 40), ("machine", 300), ("combined", 300)):
            assert {"difference", "interval", "p", "p_corrected"} <= row[kind].keys()
            assert row[kind]["queries"] == queries
        both = row["combined"]
        assert both["design"] == "nested"
        assert (both["human_queries"], both["machine_queries"]) == (40, 300)
        assert 0 < both["lambda"] <= 1
        assert both["effective_human_queries"] > 45
        assert both["interval"][0] < both["difference"] < both["interval"][1]
        assert row["judge"]["fpr"] == pytest.approx(0.05, abs=0.02)
        assert row["judge"]["fnr"] == pytest.approx(0.2, abs=0.1)
        assert row["judge"]["bias_interval"][0] < row["judge"]["bias"] < row["judge"]["bias_interval"][1]
    assert "good is better than bad" in str(found)
    frame = found.to_dataframe()
    assert len(frame) == 6
    assert frame.worth[0] == 40
    assert frame.worth[2] == data["pairs"][0]["measures"][0]["combined"]["effective_human_queries"]
    # and a figure with three intervals for each measure
    (ax,) = judged_figure(found, found.pairs[0]).axes
    lines = [line.get_xdata() for line in ax.get_lines()]
    shown = [tuple(x) for x in lines if len(x) == 2 and x[0] != x[1]]
    rows = [row for of_measure in found.pairs[0].by_measure for row in of_measure.rows]
    assert shown == [(row.interval.low, row.interval.high) for row in rows if row.interval]
    assert len(shown) == 6
    filled = [line.get_markerfacecolor() != "white" for line in ax.get_lines() if len(line.get_xdata()) == 1]
    assert filled == [row.p_corrected < 0.05 for row in rows]


def test_a_judge_who_favours_a_run_is_named_and_corrected() -> None:
    runs, truth = lists(300)
    human = first(truth, 40)
    top = {q: sorted(docs, key=docs.__getitem__)[-3:] for q, docs in runs["bad"].items()}
    judge = {q: {d: 1.0 if d in top[q] else y for d, y in docs.items()} for q, docs in truth.items()}
    (pair,) = compare(runs, human, "nDCG@10", judge=judge).pairs
    found = pair.by_measure[0]
    assert found.judge.favours == -1
    assert found.machine.interval.high < 0  # the judge alone gets the order wrong, with certainty
    assert found.combined.sign >= 0
    assert found.combined.difference > 0
    assert "in favour of bad" in pair.text


def test_several_runs_have_ranks_by_both_kinds_of_labels() -> None:
    runs, truth = lists(200)
    runs["worse"] = {q: {d: -s for d, s in docs.items()} for q, docs in runs["bad"].items()}
    human = first(truth, 30)
    found = compare(runs, human, "nDCG@10", judge=judged(truth))
    assert [row.run for row in found.ranked(0)] == ["good", "bad", "worse"]
    assert found.ranked(0)[2].ranks == (3, 3)
    assert found.leaders().startswith(found.words.headline(found.pairs[0]))
    assert "good and bad are the first two of 3 runs by nDCG@10" in found.leaders()
    apart = sum(pair.by_measure[0].combined.p_corrected < 0.05 for pair in found.pairs)
    assert f"which tells {apart} of 3 pairs apart" in found.leaders()
    assert 'Against the runs in this order: ">" significantly better' in str(found)
    for correction in ("holm", "bh"):
        other = compare(runs, human, "nDCG@10", judge=judged(truth), correction=correction)
        assert other.pairs[0].by_measure[0].combined.p <= other.pairs[0].by_measure[0].combined.p_corrected


def test_what_the_combination_cannot_show_is_said() -> None:
    runs, truth = lists(100)
    machine = judged(truth)
    with pytest.raises(InputError, match="there are 3, of 3 judged by humans and 100 by the judge"):
        compare(runs, first(truth, 3), "nDCG", judge=machine)
    with pytest.raises(InputError, match="there are 0"):
        compare(runs, first(truth, 50), "nDCG", judge={q: machine[q] for q in list(truth)[50:]})
    some = {q: machine[q] for q in list(truth)[10:]}
    answered = {**runs, "bad": {q: docs for q, docs in runs["bad"].items() if int(q) % 10}}
    found = compare(answered, first(truth, 30), "nDCG", judge=some)
    assert (found.human_queries, found.machine_queries) == (18, 81)
    assert any("9 of the queries that humans judged" in remark for remark in found.remarks)
    lacks = "Warning: 10 of the queries that good answers are not answered by all runs and do not count"
    assert lacks in found.remarks
    same = compare(runs, truth, "nDCG", judge=machine)
    assert any("add nothing" in remark for remark in same.remarks)
    row = same.pairs[0].by_measure[0]
    assert row.combined.difference == pytest.approx(row.human.difference, abs=1e-14)
    assert row.combined.design == "equal"
    few = {q: docs if int(q) < 4 else runs["good"][q] for q, docs in runs["bad"].items()}
    ties = compare({"good": runs["good"], "few": few}, first(truth, 30), "nDCG", judge=machine)
    assert "differ in only 4 of the 30 queries" in ties.pairs[0].text


def test_labels_that_are_odd_are_named() -> None:
    runs, truth = lists(60)
    machine, human = judged(truth), first(truth, 20)
    swapped = compare(runs, machine, "nDCG", judge=human)
    assert swapped.remarks[1].startswith("Warning: humans have judged 60 queries, more than the judge's 20")
    constant = compare(runs, human, "nDCG", judge={q: dict.fromkeys(docs, 1.0) for q, docs in truth.items()})
    assert constant.remarks == ("Warning: all labels of the judge are the same, so that they tell nothing",)
    assert "the same in every query" in constant.pairs[0].text
    assert "in favour" not in constant.pairs[0].text
    twice = compare(runs, truth, "nDCG", judge=truth)
    assert twice.remarks[-1].startswith("The judge agrees with humans about each of 1,800 documents")
    assert "?." not in str(twice)
    assert not compare(runs, human, "nDCG", judge=machine).remarks


def test_scales_that_differ_are_named() -> None:
    runs, truth = lists(60)
    machine = judged(truth)
    graded = {
        q: {d: 3 * y if i % 2 else y for i, (d, y) in enumerate(truth[q].items())} for q in list(truth)[:20]
    }
    found = compare(runs, graded, "nDCG", judge=machine)
    (said,) = (remark for remark in found.remarks if "other scale" in remark)
    assert said.startswith("Humans have given the labels 0, 1, 3, the judge 0, 1: its other scale is part of")
    assert "gain '0=0, 1=1, 3=1'" in said
    same = compare(runs, graded, "nDCG", judge=machine, gain="0=0, 1=1, 3=1")
    binary = compare(runs, {q: truth[q] for q in graded}, "nDCG", judge=machine)
    assert same.pairs[0].by_measure == binary.pairs[0].by_measure
    assert not any("scale" in remark for remark in binary.remarks)


@pytest.mark.slow
def test_queries_chosen_by_their_difference_are_hardly_random() -> None:
    runs, truth = lists(100)
    one, other = (na.lists.evaluate(run, truth, "nDCG") for run in runs.values())
    order = np.argsort((one.values - other.values)[:, 0])[:30]
    chosen = [one.queries[place] for place in order.tolist()]
    found = compare(runs, {q: truth[q] for q in chosen}, "nDCG", judge=truth)
    assert found.remarks[0].startswith("Warning: the queries that humans judged do not look like a random")
    drawn = compare(runs, first(truth, 30), "nDCG", judge=truth).remarks
    assert not any(remark.startswith("Warning") for remark in drawn)
