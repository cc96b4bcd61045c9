"""Comparisons of runs: differences by hand, the report, and refusals."""

from __future__ import annotations

import itertools
import json
from typing import Any

import numpy as np
import pytest
from cases import judged_runs, paired_difference, refused
from scipy import stats

import ndcg_asymptotics as na
from ndcg_asymptotics.comparisons.comparing import compare
from ndcg_asymptotics.comparisons.comparison import Comparison
from ndcg_asymptotics.comparisons.gates import gate
from ndcg_asymptotics.core.errors import InputError
from ndcg_asymptotics.lists.values import RunValues
from ndcg_asymptotics.plots import draw_all
from ndcg_asymptotics.stats.correction import MultipleTests

RUNS = {"good": 0.4, "fair": 0.8, "twin": 0.8, "bad": 3.0}


def test_differences_are_those_of_the_evaluations():
    scores, labels = judged_runs({"good": 0.4, "bad": 3.0})
    found = compare(scores, labels, resamples=999)
    by_query = [na.lists.evaluate(run, labels, found.measures).values for run in scores.values()]
    for m, judged in enumerate(found.pairs[0].by_measure):
        d = by_query[0][:, m] - by_query[1][:, m]
        assert judged.difference.mean == pytest.approx(d.mean())
        assert judged.difference.sd == pytest.approx(d.std(ddof=1))
        assert judged.mean_a == pytest.approx(by_query[0][:, m].mean())
        assert judged.difference == paired_difference(d, resamples=999)
    assert found.queries == 30


def of_differences(d: np.ndarray, **options: Any) -> tuple[Comparison, str]:
    """Compare two runs with these differences, and return the second sentence."""
    found = compare(values={"new": d.tolist(), "old": [0.0] * len(d)}, resamples=999, **options)
    return found, found.pairs[0].text.split(". ", 1)[1]


def test_the_second_sentence_says_how_many_new_queries_it_takes() -> None:
    noise = stats.norm.ppf((np.arange(100) + 0.5) / 100)
    for effect, assured in ((0.5, True), (0.22, False)):
        found, said = of_differences(noise + effect)
        d = found.pairs[0].by_measure[0].difference
        assert found.pairs[0].by_measure[0].p < 0.05
        expected = (
            f"If the true difference is as large as the observed one, a paired t test on {d.queries} new "
            "queries has 80% power"
        )
        if assured:
            bound = "its lower 80% confidence bound given significance"
            expected += f"; if it is only as large as {bound}, with {d.queries_assured}"
        assert said == expected + "."
        assert (d.queries_assured is not None) == assured


@pytest.mark.parametrize("effect", [0.0, 0.05, 0.15])
def test_a_difference_that_is_not_significant_gives_no_number_of_queries(effect: float) -> None:
    noise = stats.norm.ppf((np.arange(100) + 0.5) / 100) * 0.3
    found, said = of_differences(noise + 0.3 * effect + 1e-9)
    judged = found.pairs[0].by_measure[0]
    assert judged.p > 0.05
    start, stated = said.rstrip(".").rsplit(" ", 1)
    assert start.startswith(
        "The observed difference may be chance and gives no number of new queries: a paired"
    )
    assert start.endswith(" t test on 100 new queries has 80% power for a difference of")
    # the noncentral t law, and no smaller difference
    power = [
        stats.nct.sf(stats.t.isf(0.025, 99), 99, 10 * (float(stated) + off) / judged.difference.sd)
        for off in (0.001, -0.001)
    ]
    assert power[1] < 0.8 < power[0]
    assert f"{judged.difference.queries}" not in said


@pytest.mark.parametrize(("differing", "queries"), [(1, 40), (4, 100), (9, 200)])
def test_few_differences_give_no_number_of_queries(differing: int, queries: int) -> None:
    d = np.zeros(queries)
    d[:differing] = 0.3 + 0.1 * np.arange(differing)
    found, said = of_differences(d)
    row = found.pairs[0].by_measure[0].difference
    assert said.startswith(
        f"The runs differ in {differing} of {queries} queries, too few to say how many new"
    )
    assert (row.queries, row.queries_low, row.queries_high, row.queries_assured) == (None,) * 4
    assert row.queries_text is None
    (remark,) = found.remarks
    assert remark.startswith(
        f"Warning: of {queries} queries new and old differ in only {differing} by value: 95%"
    )
    # ties that leave 30 differences, or half of the queries
    for enough, size in ((30, 200), (10, 15)):
        d = np.zeros(size)
        d[:enough] = 0.3 + 0.1 * np.arange(enough)
        found, said = of_differences(d)
        assert found.pairs[0].by_measure[0].difference.queries is not None
        assert not found.remarks


def test_several_runs_are_compared_in_pairs_and_ranked():
    scores, labels = judged_runs(RUNS)
    found = compare(scores, labels, ["nDCG", "nDCG@1"], resamples=999)
    assert [(pair.a, pair.b) for pair in found.pairs] == list(itertools.combinations(RUNS, 2))
    power = {row.measure: row for row in found.discriminative_power}
    assert [*power] == ["nDCG", "nDCG@1"]
    assert power["nDCG"].significant == 5  # all but the twins
    assert power["nDCG"].corrected <= power["nDCG"].significant
    assert power["nDCG"].queries < power["nDCG@1"].queries
    frame = found.to_dataframe()
    assert len(frame) == 12
    # the correction is for all of them
    assert (frame["p_corrected"] >= frame["p"]).all()
    plain = json.loads(json.dumps(found.as_dict()))
    assert plain["pairs"][0]["measures"][0]["queries"] >= 2
    for measure, rows in enumerate(plain["rankings"]):
        by_pair = {frozenset((pair.a, pair.b)): pair.by_measure[measure] for pair in found.pairs}
        means = [row["mean"] for row in rows["runs"]]
        assert means == sorted(means, reverse=True)
        for one, other in itertools.combinations(rows["runs"], 2):
            judged = by_pair[frozenset((one["run"], other["run"]))]
            assert one["against"][other["place"] - 1] == (">" if judged.p < 0.05 else "·")
    log = found.ranked(0)
    assert [row.run for row in (log[0], log[3])] == ["good", "bad"]
    assert [row.ranks for row in log] == [(1, 1), (2, 3), (2, 3), (4, 4)]
    said = str(found)
    assert said.startswith("good is better than ")
    assert "good and fair are the first two of 4 runs by nDCG, which tells 5 of 6 pairs apart" in said
    assert "Discriminative power: significant differences among 6 pairs of runs" in " ".join(said.split())
    assert "<··-" not in said
    assert "good against fair" not in said


def test_latex_names_what_a_run_beats_and_the_best_is_bold():
    scores, labels = judged_runs(RUNS)
    found = compare({"_a": scores["good"], "b": scores["bad"], "c": scores["twin"]}, labels, "nDCG")
    pairs = {(pair.a, pair.b): pair.by_measure[0] for pair in found.pairs}
    assert all(judged.p < 0.05 for judged in pairs.values())
    means = [pairs["_a", "b"].mean_a, pairs["_a", "b"].mean_b, pairs["_a", "c"].mean_b]
    rows = [line for line in found.to_latex().splitlines() if line[:3] in ("a &", "b &", "c &")]
    assert rows == [
        rf"a & \_a & \textbf{{{means[0]:.4f}}}\textsuperscript{{b c}} \\",
        rf"b & b & {means[1]:.4f} \\",
        rf"c & c & {means[2]:.4f}\textsuperscript{{b}} \\",
    ]


def test_refusals():
    scores, labels = judged_runs(RUNS)
    few = {q: scores["bad"][q] for q in list(scores["bad"])[:5]}
    said = "needs at least 6 common queries, there are 5"
    refused(said, compare, {"good": scores["good"], "bad": few}, labels)
    refused(r"^runs: a comparison needs at least two runs, such as", compare, {"bad": few}, labels)
    refused(r"^power: must lie between alpha", compare, scores, labels, power=0.01)


def test_the_first_measure_decides_and_the_others_confirm_it_or_not() -> None:
    """M1 and M3 are clear, the others are not: no measure is picked for its p-value."""
    noise = np.random.default_rng(2).normal(size=(40, 4))
    values = {"new": noise + np.array([0.1, 1.0, 0.0, -1.0]), "old": np.zeros((40, 4))}

    def said(*measures: int) -> str:
        runs = np.array([values["new"][:, measures], values["old"][:, measures]])
        names = tuple(f"M{i}" for i in measures)
        given = RunValues(("new", "old"), tuple(map(str, range(40))), names, np.ascontiguousarray(runs))
        return compare(values=given, resamples=499).pairs[0].text

    assert said(0, 1, 2).startswith("By M0, 40 queries show no significant difference between new and old (")
    assert said(0, 1, 2).endswith("But by M1 new is significantly better: the answer depends on the measure.")
    assert said(0, 2).endswith("M2 shows none either.")
    assert said(1, 0, 2).startswith("new is better than old by ")
    assert said(1, 0, 2).endswith("Neither other measure confirms this.")
    assert said(1, 2).endswith("M2 does not confirm this.")
    assert said(1, 3).endswith("By M3 old is significantly better: the answer depends on the measure.")


@pytest.mark.parametrize("correction", ["maxt", "holm"])
def test_only_pairs_with_the_baseline_are_compared_and_corrected_for(correction: Any, tmp_path) -> None:
    scores, labels = judged_runs(RUNS)
    asked = {"measures": ["nDCG@10", "nDCG"], "resamples": 499, "correction": correction}
    found, every = compare(scores, labels, baseline="fair", **asked), compare(scores, labels, **asked)
    assert [pair.pair for pair in found.pairs] == [("good", "fair"), ("twin", "fair"), ("bad", "fair")]
    direction = {("good", "fair"): 1, ("fair", "twin"): -1, ("fair", "bad"): -1}
    of_all = {pair.pair: pair for pair in every.pairs}
    for pair, (of, sign) in zip(found.pairs, direction.items(), strict=True):
        for one, other in zip(pair.by_measure, of_all[of].by_measure, strict=True):
            assert one.difference.mean == pytest.approx(sign * other.difference.mean)
            assert one.difference.p == other.difference.p
            assert one.difference.p <= one.p <= other.p  # 6 tests in place of 12
    values = found.by_query.to_dataframe().groupby("run")[["nDCG@10", "nDCG"]]
    of_runs = {run: of_run.to_numpy() for run, of_run in values}
    d = np.hstack([of_runs[run] - of_runs["fair"] for run in ("good", "twin", "bad")])
    corrected = MultipleTests(resamples=499, correction=correction).of(d)[1]
    assert [one.p for pair in found.pairs for one in pair.by_measure] == pytest.approx(corrected)
    text = str(found)
    assert "By nDCG@10, good is better than fair; bad is worse than fair; 1 of 3 runs cannot be told" in text
    assert "(corrected for 6 tests)" in text
    assert "Runs by nDCG, less fair (mean " in text
    assert "ranks" not in text
    assert found.rankings == []
    assert found.as_dict()["baseline"] == "fair"
    beaten = [row.count("textsuperscript") for row in found.to_latex().splitlines() if " & " in row]
    assert beaten == [0, 2, 2, 0, 0]  # good beats fair, fair beats bad; others were not compared
    assert all(path.is_file() for path in draw_all(found, tmp_path, dpi=50))


def test_a_baseline_is_one_of_the_runs_and_not_the_one_that_a_gate_is_about() -> None:
    scores, labels = judged_runs(RUNS)
    with pytest.raises(InputError, match=r"^baseline: there is no fare; there are good, fair, twin, bad$"):
        compare(scores, labels, baseline="fare")
    found = compare(scores, labels, "nDCG", baseline="runs/good.run.gz", resamples=99)  # the name of its file
    assert found.baseline == "good"
    refused(r"^baseline: the first run is what the others are compared with", gate, found)
    refused("baseline", compare, scores, labels, "nDCG", judge=labels, baseline="good", resamples=99)


def test_inputs_that_do_not_fit_are_refused_or_named_first():
    scores, labels = judged_runs(RUNS)
    a, b = scores["good"], scores["fair"]

    def compared(other, measures=("nDCG", "nDCG@10")):
        return compare({"a": a, "b": other}, labels, measures, resamples=99)

    def renamed(run, share):
        return {
            q: {(f"x{d}" if i < share * len(of) else d): s for i, (d, s) in enumerate(of.items())}
            for q, of in run.items()
        }

    refused(r"^b: no document of the run is judged: for query q00 the run has", compared, renamed(b, 1.0))
    assert not any(remark.startswith("Warning") for remark in compared(b).remarks)
    few = compared(renamed(b, 0.3))
    assert str(few).startswith("Warning: only ")
    assert "documents are judged in b; the others count as not relevant" in str(few)
    fewer = compared({q: docs for q, docs in b.items() if q < "q20"})
    assert fewer.queries == 20
    assert "10 of the queries that a answers are not answered by all runs and do not count." in str(fewer)
    more = compared(b | {"lost": {"d": 1.0}})
    assert str(more).startswith("Warning: 1 query of b has no judgements (lost): not counted.")
    short = {q: dict(sorted(of.items(), key=lambda item: -item[1])[:10]) for q, of in b.items()}
    said = " ".join(str(compared(short)).split())
    assert said.startswith(
        "Warning: a has 60 documents per query in the median, b 10: nDCG counts ranks that b "
    )
    assert "leaves empty; nDCG@10 does not." in said
    assert not any(remark.startswith("Warning") for remark in compared(short, "nDCG@10").remarks)
