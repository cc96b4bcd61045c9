"""Studies and lists by the every-n engine: what changes no value, ties, depths, refusals."""

from __future__ import annotations

import math

import numpy as np
import pytest
from cases import design, refused

from ndcg_asymptotics.engines import every_n
from ndcg_asymptotics.engines.every_n.arrivals import draw_depths, draw_grades
from ndcg_asymptotics.engines.shared.inverse import depth_of_grade
from ndcg_asymptotics.populations import Relevance

SCORERS = {"good": "linear(0.1, 0.7)", "fair": "linear(0.3, 0.5)", "random": "random"}


def test_shorter_studies_see_the_same_stream() -> None:
    long = design(SCORERS, (5, 1000), ("nDCG",), seed=20)
    short = design(SCORERS, (5, 400), ("nDCG",), seed=20)
    grade = draw_grades(long, 0)
    np.testing.assert_array_equal(grade[:400], draw_grades(short, 0))
    depth = draw_depths(short, 0, "good", grade[:400])
    np.testing.assert_array_equal(draw_depths(long, 0, "good", grade)[:400], depth)
    close = every_n.simulate(long, 0)["ndcg"][:, :, 0] - every_n.simulate(short, 0)["ndcg"][:, :, 0]
    assert np.abs(close).max() <= 1e-10


def test_identical_scorers_tie_at_every_n() -> None:
    twins = {"one": "linear(0.1, 0.7)", "two": "linear(0.1, 0.7)"}
    measures, pairs = ("nDCG", "nDCG(linear)", "nDCG@0.2n"), (("one", "two"), ("one", "one"))
    study = design(twins, (10, 3000), measures, "gaussian(1)", seed=20, pairs=pairs)
    drawn = every_n.simulate(study, 0)
    assert not drawn["order"].any()
    assert not drawn["changes"].any()
    assert (drawn["last_not_greater"] == 3000).all()
    assert (drawn["last_not_less"] == 3000).all()


QUANTILES = [
    "linear(0, 1)",
    "power(0, 1, 0.3)",
    "cusp(0.2, 0, 0.5)",
    "step(0.1, 0.8, 0.9)",
    "binormal(0.1, 2)",
    "logistic(0.3, 400)",
    "polynomial(0.25, -1, 1)",
    "graded(2=power(0, 0.3, 3), 1=linear(0.1, 0.3))",
]


@pytest.mark.parametrize("text", QUANTILES)
def test_depths_invert_the_distribution_function(text: str) -> None:
    relevance = Relevance.parse(text)
    u = np.concatenate([np.linspace(0, 1, 1001), np.geomspace(1e-12, 1e-3, 300)])
    for grade in range(len(relevance.gains) + 1):
        t = depth_of_grade(relevance, grade, u)
        zero = np.zeros_like(t)
        masses = [curve.integral(zero, t) for curve in relevance.curves]
        above = masses[grade] if grade < len(masses) else t - sum(masses)
        whole = relevance.masses[grade] if grade < len(masses) else 1 - sum(relevance.masses)
        assert np.abs(above / whole - u).max() <= 1e-13
        if grade < len(masses):
            assert np.abs(above[1001:] / whole / u[1001:] - 1).max() <= 1e-12


def test_designs_that_fit_are_accepted() -> None:
    every_n.check(design(SCORERS, (100_000,), ("nDCG", "nDCG(linear)@0.2n", "nDCG(geometric(2))"), seed=20))
    every_n.warm(design(SCORERS, (1000,), ("nDCG",), seed=20))


def test_unretrieved_documents_come_last_in_order_of_arrival() -> None:
    scores = np.array([1.0, -np.inf, 3.0, -np.inf, 2.0])
    far = np.array([1.0, -10.0, 3.0, -10.0, 2.0])
    labels = [0, 1, 1, 2, 0]
    found, expected = (every_n.evaluate_every_n(s, labels, "nDCG") for s in (scores, far))
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize(
    ("scores", "labels", "what"),
    [
        ([1.0, math.nan], [0, 1], "scores must be finite"),
        ([1.0, math.inf], [0, 1], "scores must be finite"),
        ([1.0, 2.0], [0, -1], "labels must be finite and >= 0"),
        ([1.0, 2.0], [0], "one length"),
        ([1.0, 2.0], [10**400, 0], "labels: must be numbers"),
        (np.arange(300.0), np.arange(300.0), "at most 255 different"),
    ],
)
def test_bad_lists_are_refused(scores: list[float], labels: list[float], what: str) -> None:
    refused(what, every_n.evaluate_every_n, scores, labels, "nDCG")
