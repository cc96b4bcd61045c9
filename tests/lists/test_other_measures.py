"""Measures of ir_measures beside NDCG: names, values and what they refuse."""

from __future__ import annotations

import subprocess
import sys

import ir_measures
import numpy as np
import pytest
from cases import judged_runs, refused

from ndcg_asymptotics.comparisons.comparing import compare
from ndcg_asymptotics.core.errors import InputError
from ndcg_asymptotics.lists import evaluate
from ndcg_asymptotics.lists.other_measures import OtherMeasure, any_measures_of
from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.plans.planning import plan

RUN = {"q1": {"a": 4.0, "b": 3.0, "c": 2.0, "d": 1.0}, "q2": {"a": 2.0, "b": 1.0}}
QRELS = {"q1": {"b": 1, "d": 2, "e": 1}, "q2": {"a": 0, "b": 1}, "q3": {"a": 1}}


def test_names():
    """NDCG, DCG and RBP are this package's, whatever their arguments; trec_eval's names are understood."""
    ours = {"nDCG@10": "nDCG@10", "ndcg_cut_5": "nDCG@5", "DCG": "DCG", "RBP(0.8)": "RBP(0.8)"}
    theirs = {"AP(rel=2)@100": "AP(rel=2)@100", "MRR@10": "RR@10", "map": "AP", "P_5": "P@5"}
    of_ranx = {"mrr": "RR", "map@10": "AP@10", "recall@10": "R@10", "precision@5": "P@5", "err@20": "ERR@20"}
    theirs |= of_ranx | {"hit_rate@10": "Success@10"}
    for given, name in (ours | theirs).items():
        assert [str(measure) for measure in any_measures_of([given])] == [name]
    assert any_measures_of(OtherMeasure("AP")) == any_measures_of(ir_measures.AP) == (OtherMeasure("AP"),)
    assert any_measures_of([ir_measures.R @ 9]) == (OtherMeasure("R@9"),)
    assert len(any_measures_of(["HR@10", "hit_rate@10", "ndcg_cut_5", "nDCG@5"])) == 2
    assert any_measures_of(ir_measures.nDCG @ 10) == (Measure.parse("nDCG@10"),)


def test_a_measure_that_ir_measures_cannot_read_under_a_later_python_is_refused(monkeypatch):
    monkeypatch.setattr(ir_measures, "parse_measure", lambda name: name.no_attribute)
    refused("ir_measures cannot read 'AP@10' under this version of Python", any_measures_of, ["AP@10"])


def test_values_by_hand():
    """q1 has its relevant documents b and d at the ranks 2 and 4 of three; q2 its one at rank 2."""
    found = evaluate(RUN, QRELS, ["AP", "nDCG(zipf)@1", "RR@1", "P@2", "R@10", "Judged@2"])
    assert found.queries == ("q1", "q2")
    np.testing.assert_allclose(found.values[0], [(1 / 2 + 2 / 4) / 3, 0, 0, 1 / 2, 2 / 3, 1 / 2], atol=1e-7)
    np.testing.assert_allclose(found.values[1], [1 / 2, 0, 0, 1 / 2, 1, 1], atol=1e-7)
    complete = evaluate(RUN, QRELS, ["AP", "nDCG"], missing="zero")
    assert complete.queries == ("q1", "q2", "q3")
    assert complete.values[2].tolist() == [0, 0]


def test_unjudged_documents_are_removed_for_all_measures():
    dropped = evaluate(RUN, QRELS, ["AP", "nDCG@10"], unjudged="drop")
    only = evaluate(RUN, QRELS, "AP(judged_only=True)")
    np.testing.assert_allclose(dropped.values[:, 0], only.values[:, 0], atol=1e-9)
    assert not np.allclose(only.values, evaluate(RUN, QRELS, "AP").values)


@pytest.mark.parametrize(
    ("measure", "said"),
    [
        ("P", r"'P': P of ir_measures takes cutoff \(int, required\), rel \(int\)"),
        ("P.5,10", r"'P.5,10' is several measures: write one, such as P@5"),
        ("ndgc@10", r"expected 'nDCG', 'DCG' or 'RBP', .* found 'ndgc.*did you mean 'nDCG@10'"),
        ("foo bar", r"expected 'nDCG'"),
        ("faithfulness", r"compared with values= \(--values FILE\)"),
        ("ndcg_cut_10,20", "each measure is a text of its own: --measure nDCG@10 --measure nDCG@20"),
        ("alpha_nDCG@10", r"alpha_nDCG@10: the program .*Unsupported measures .*pip install"),
    ],
)
def test_refused(measure, said):
    refused(said, any_measures_of, measure)


def gdeval_err(labels):
    """Return ERR by its definition: a document of label y stops the reader with probability (2^y - 1)/16."""
    stops = [(2**y - 1) / 16 for y in labels]
    return sum(stop * np.prod([1 - before for before in stops[:r]]) / (r + 1) for r, stop in enumerate(stops))


@pytest.mark.parametrize("names", [("q1", "q2"), ("7", "12"), ("web-1", "fed-1"), ("two words", "ф")])
def test_err_of_queries_and_documents_with_any_names(names):
    """The program behind ERR reads numbers of queries, less what is before a hyphen, and words."""
    first, second = names
    run = {first: {"a b": 3.0, "c": 2.0, "d": 1.0}, second: {"c": 2.0, "a b": 1.0}}
    qrels = {first: {"a b": 0, "c": 4, "d": 2}, second: {"c": 1, "a b": 3}}
    found = evaluate(run, qrels, ["ERR@3", "AP"])
    wanted = {first: (gdeval_err([0, 4, 2]), (1 / 2 + 2 / 3) / 2), second: (gdeval_err([1, 3]), 1.0)}
    np.testing.assert_allclose(found.values, [wanted[query] for query in found.queries], atol=1e-5)


@pytest.mark.parametrize("measure", ["RR", "RR@5", "ERR@5", "AP", "Compat(p=0.8)", "P@2"])
def test_equal_scores_are_ordered_as_by_the_names_of_documents(measure):
    """Some programs put the last name first, some the first; numbers in the place of names keep both."""
    run, found = {"7": dict.fromkeys(("é", "a", "B", "10", "9"), 1.0)}, []
    for relevant in run["7"]:
        calculated = ir_measures.iter_calc([ir_measures.parse_measure(measure)], {"7": {relevant: 1}}, run)
        (theirs,) = [metric.value for metric in calculated]
        found.append(evaluate(run, {"7": {relevant: 1}}, measure).values[0, 0])
        assert found[-1] == theirs
    assert len(set(found)) > 1


@pytest.mark.parametrize(
    ("measure", "label", "said"),
    [
        ("ERR@20", 5, r"^ERR@20: ir_measures takes labels up to 4, got 5$"),
        ("AP", 10**9, r"^AP: ir_measures takes labels up to 1e\+06, got 1e\+09$"),
        ("AP", 0.5, r"AP: ir_measures takes labels that are whole numbers, got 0\.5"),
    ],
)
def test_labels_that_a_program_has_no_place_for(measure, label, said):
    """trec_eval gave 0 for every query where it had no memory for the counts of so many labels."""
    refused(said, evaluate, {"q": {"a": 2.0, "b": 1.0}}, {"q": {"a": label, "b": 1}}, measure)
    assert evaluate(RUN, QRELS, measure).values.max() > 0


def test_a_program_that_fails_is_named(monkeypatch):
    """Accuracy divides by the number of documents that are not relevant; others may fail in any way."""
    relevant = {"q": {"a": 1, "b": 1}}, {"q": {"a": 2.0, "b": 1.0}}
    said = "the program behind ir_measures failed: ZeroDivisionError: float division by zero"
    refused(rf"^Accuracy@2: {said}$", evaluate, relevant[1], relevant[0], ["AP", "Accuracy@2", "P@1"])

    def failing(*arguments, **options):
        raise subprocess.CalledProcessError(25, ["perl", "gdeval.pl"])

    monkeypatch.setattr(subprocess, "check_output", failing)
    with pytest.raises(InputError, match=r"^ERR@3: the program behind ir_measures failed: Called.*status 25"):
        evaluate(RUN, QRELS, ["AP", "ERR@3"])


@pytest.mark.parametrize("measure", ["AP", "DCG@5"])
def test_chance_is_of_ndcg(measure):
    with pytest.raises(InputError, match=f"^chance: is for NDCG only, such as nDCG@10, got {measure}$"):
        evaluate(RUN, QRELS, ["nDCG", measure], chance=True)


def test_without_ir_measures(monkeypatch):
    monkeypatch.setitem(sys.modules, "ir_measures", None)
    refused(r"^AP@10 is computed by ir_measures, which is not installed: pip ", any_measures_of, "AP@10")
    refused(r"expected 'nDCG'", any_measures_of, "ndgc@10")
    assert any_measures_of("nDCG@10") == (Measure.parse("nDCG@10"),)


def test_comparisons_and_plans():
    runs, qrels = judged_runs({"a": 0.4, "b": 3.0})
    rows = {row.measure: row for row in plan(runs=runs, qrels=qrels, measures=["AP", "nDCG@3"]).rows}
    for judged in compare(runs, qrels, ["AP", "nDCG@3"], resamples=99).pairs[0].by_measure:
        assert rows[judged.measure].difference.mean == pytest.approx(judged.difference.mean, rel=1e-12)
        assert rows[judged.measure].queries.required == judged.difference.queries
    human = {query: qrels[query] for query in list(qrels)[:10]}
    judged_pair = compare(runs, human, "RR@10", judge=qrels, resamples=99).pairs[0]
    assert judged_pair.by_measure[0].measure == "RR@10"
    assert plan(sd=0.2, measures="AP", queries=50).rows[0].measure == "AP"
