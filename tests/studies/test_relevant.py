"""The field ``relevant`` of a study: in Python, in files, in grids, and what it refuses."""

from __future__ import annotations

import pytest
from cases import refused, study, write

from ndcg_asymptotics.studies import load, load_grid
from ndcg_asymptotics.studies.canonical import canonical
from ndcg_asymptotics.studies.toml import study_of, study_text

SCORERS = {"roc": "roc_power(0.4)", "curve": "linear(0.1, 0.7)", "random": "random"}
FILE = """
measures = ["nDCG"]
n = [10, 100]
replicates = 5
{}
[scorers]
roc = "roc_power(0.4)"
curve = "linear(0.1, 0.7)"
random = "random"
"""


def texts(of):
    return [str(scorer) for scorer in of.scorers.values()]


def test_a_number_of_relevant_items_is_one_of_every_scorer():
    of = study(SCORERS, relevant=2)
    expected = ["relevant(2, roc_power(0.4))", "relevant(2, linear(0.1, 0.7))", "relevant(2, roc_power(1))"]
    assert texts(of) == expected
    assert of.engine == "cells"
    assert study(SCORERS, relevant=2, coupling="gaussian(0.5)").engine == "items"
    assert texts(of.with_(relevant=3))[0] == "relevant(3, roc_power(0.4))"
    graded = {"a": "graded(2=roc_power(0.3), 1=roc_power(0.5))"}
    assert texts(study(graded, relevant={1: 4, 2: 1})) == [f"relevant(2=1, 1=4, {graded['a']})"]


def test_files_say_the_same(tmp_path):
    of = load(write(tmp_path, FILE.format('relevant = "2"')))
    same = study(SCORERS, relevant=2)
    assert canonical(of)["scorers"] == canonical(same)["scorers"]
    assert texts(of)[0] == "relevant(2, roc_power(0.4))"
    assert canonical(load(write(tmp_path, study_text(of)))) == canonical(of)
    assert canonical(study_of(canonical(of), tmp_path, "study.json")) == canonical(of)


def test_grids_of_numbers_and_of_curves(tmp_path):
    text = FILE.format('relevant = "$R"').replace("0.4", "$kappa")
    grid = load_grid(write(tmp_path, f"{text}[grid]\nR = [1, 3]\nkappa = [0.3, 0.5]\n"))
    assert [texts(point)[0] for point in grid.studies.values()] == [
        f"relevant({count}, roc_power({kappa}))" for count in (1, 3) for kappa in (0.3, 0.5)
    ]


@pytest.mark.parametrize(
    ("scorers", "relevant", "message"),
    [
        (SCORERS, 0, "relevant: must be a whole number from 1 to 1000, got 0"),
        (SCORERS, {}, "relevant: has no number of relevant items"),
        (SCORERS, {1: "half"}, "relevant: must be a table of positive numbers, got 'half'"),
        (SCORERS, {"1": 0.5, "1.0": 0.5}, "relevant: has a number twice"),
        (SCORERS, {1: 0.7, 2: 0.3}, r"scorers.roc: relevant: roc_power\(0.4\) takes one number of relevant "),
        (SCORERS, 11, "n: lists with 11 relevant items have n >= 11, got 10"),
        ("roc_power(0.4)", None, "scorers.a: .*a ROC curve needs a number of relevant items"),
        ("relevant(1, roc_power(0.4))", 1, "scorers.a: a number of relevant items is given for a curve"),
        (
            "graded(2=constant(0.2))",
            1,
            "scorers.a: relevant: graded curves need a number of items for each gain",
        ),
        ("graded(2=constant(0.2))", {3: 1}, "scorers.a: .* 2 = …, got 3"),
    ],
)
def test_what_is_no_number_of_relevant_items(scorers, relevant, message):
    refused(f"^{message}", study, scorers, relevant=relevant)
