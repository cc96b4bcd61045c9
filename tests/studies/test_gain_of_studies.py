"""The field ``gain`` of a study, and ``gain`` of predictions: scorers whose labels are replaced by gains."""

from __future__ import annotations

import pytest
from cases import refused, write

from ndcg_asymptotics.orders.prediction import predict_pair
from ndcg_asymptotics.populations import Empirical, Scorer
from ndcg_asymptotics.populations.curve_file import encode
from ndcg_asymptotics.studies import Study, load
from ndcg_asymptotics.studies.canonical import canonical
from ndcg_asymptotics.studies.relevant import with_gain
from ndcg_asymptotics.theory.prediction import predict

GRADED = "graded(2=linear(0, 0.2), 1=linear(0.1, 0.3))"
EXP2 = "graded(3=linear(0, 0.2), 1=linear(0.1, 0.3))"


def test_scorers_with_other_gains():
    assert str(with_gain(GRADED, "exp2")) == EXP2
    assert str(with_gain(GRADED, "1=0, 2=1")) == "graded(1=linear(0, 0.2))"
    assert str(with_gain("linear(0, 0.2)", "1=5")) == "graded(5=linear(0, 0.2))"
    for unchanged in ("linear(0, 0.2)", "random"):
        assert with_gain(unchanged, "exp2") == Scorer.parse(unchanged)
    few = "relevant(2=1, 1=4, graded(2=roc_power(0.3), 1=roc_power(0.5)))"
    swapped = "relevant(7=4, 3=1, graded(7=roc_power(0.5), 3=roc_power(0.3)))"
    assert str(with_gain(few, "1=7, 2=3")) == swapped
    for scorer, gain, message in (
        ("relevant(3, linear(0, 0.2))", "1=5", r"gain: the label 1 of relevant\(3, .* the gain 1, got 5"),
        (few, "1=0, 2=3", "none may have the gain 0"),
        (GRADED, "1=2, 2=2", "^gain: the positive gains of a scorer must be different, got 2=2, 1=2"),
        (GRADED, "1=1", "^gain: has none for the label 2"),
    ):
        refused(message, with_gain, scorer, gain)


def test_fitted_curves_with_other_gains():
    fitted = Empirical("a.csv", encode([2, 1], [0.0, 1.0], [[0.2, 0.0], [0.3, 0.1]], ["run: a.run"]))
    turned = with_gain(fitted, "1=9, 2=4")
    assert isinstance(turned, Empirical)
    assert turned.gains == (9.0, 4.0)
    assert turned.masses == fitted.masses[::-1]
    assert turned.portable().text != fitted.portable().text  # the text holds a digest of the gains
    assert [curve.values for curve in turned.nodes] == [(0.3, 0.1), (0.2, 0.0)]
    assert turned.content.startswith(b"# run: a.run\n")
    assert with_gain(turned, "9=1, 4=0").gains == (1.0,)


def test_a_study_with_gains_is_that_of_scorers_with_gains(tmp_path):
    fields = {"measures": "nDCG@10", "n": [20], "replicates": 5}
    study = Study(scorers={"a": GRADED, "b": "random"}, gain="exp2", **fields)
    assert canonical(study) == canonical(Study(scorers={"a": EXP2, "b": "random"}, **fields))
    assert str(study.with_(gain="linear").scorers["a"]) == GRADED
    text = f'measures = ["nDCG@10"]\nn = [20]\nreplicates = 5\ngain = "GAIN"\n[scorers]\na = "{GRADED}"\n'
    assert str(load(write(tmp_path, text.replace("GAIN", "1=1, 2=3"))).scorers["a"]) == EXP2
    other = write(tmp_path, text.replace("GAIN", "exp3"), "study.toml")
    refused(r"study\.toml: gain: must be one of linear, binary, exp2", load, other)


@pytest.mark.slow
def test_predictions_with_gains():
    asked = ("nDCG@3", [10])
    (found,) = predict(GRADED, *asked, gain="exp2")
    assert found == predict(EXP2, *asked)[0]
    assert found.expectation != pytest.approx(predict(GRADED, *asked)[0].expectation, rel=1e-3)
    other = "graded(2=linear(0.1, 0.1), 1=linear(0.2, 0.2))"
    pair = predict_pair(GRADED, other, "nDCG", 1000, gain="exp2")
    assert pair.rows == predict_pair(EXP2, with_gain(other, "exp2"), "nDCG", 1000).rows
