"""Populations: one label law, whatever the scorers; and the couplings."""

from __future__ import annotations

import pytest
from cases import refused

from ndcg_asymptotics.populations import (
    ConstantCurve,
    Graded,
    Independent,
    LinearCurve,
    Population,
)


def test_scorers_of_one_law():
    population = Population.of(
        {
            "strong": "power(prevalence=0.3, top=0.9, exponent=2)",
            "weak": "linear(prevalence=0.3, top=0.5)",
            "random": "random",
        }
    )
    assert list(population.scorers) == ["strong", "weak", "random"]
    assert population.gains == (1.0,)
    assert population.masses == pytest.approx((0.3,), abs=1e-13)
    assert population.scorers["random"] == ConstantCurve(population.scorers["strong"].masses[0])
    assert population.coupling == Independent()


def test_graded_scorers_and_random():
    population = Population.of({"random": "random", "good": "graded(2=power(0, 0.3, 2), 1=linear(0.1, 0.3))"})
    assert population.gains == (2.0, 1.0)
    assert population.masses == pytest.approx((0.1, 0.2), abs=1e-14)
    blank = population.scorers["random"]
    assert isinstance(blank, Graded)
    assert [type(curve) for curve in blank.curves] == [ConstantCurve, ConstantCurve]
    assert blank.masses == population.scorers["good"].masses


def test_the_error_names_every_label_law_that_differs():
    scorers = {"a": "linear(0.1, 0.7)", "b": "constant(0.4)", "c": "constant(0.41)", "d": "random"}
    laws = r"a: P\(Y=1\) = 0.4; b: P\(Y=1\) = 0.4; c: P\(Y=1\) = 0.41"
    refused(rf"these differ: {laws} \(prevalence=0.4 in place of a parameter", Population.of, scorers)


def test_laws_agree_to_1e12():
    near, off = ({"a": ConstantCurve(0.4), "b": LinearCurve(0.1, 0.7 + 2 * off)} for off in (9e-13, 1.1e-12))
    assert Population(near).masses == (0.4,)
    refused("share their labels", Population, off)


@pytest.mark.parametrize(
    "scorers",
    [
        {"a": "graded(2=constant(0.4))", "b": "constant(0.4)"},
        {"a": "graded(2=constant(0.1), 1=constant(0.2))", "b": "graded(2=constant(0.2), 1=constant(0.1))"},
        {"a": "graded(2=constant(0.1), 1=constant(0.2))", "b": "graded(2=constant(0.1))"},
    ],
)
def test_gains_and_every_mass_must_agree(scorers):
    refused("share their labels", Population.of, scorers)


def test_one_grade_of_gain_1_is_binary():
    population = Population.of({"a": "graded(1=constant(0.4))", "b": "linear(0.1, 0.7)"})
    assert population.gains == (1.0,)


def test_a_population_needs_an_informed_scorer():
    refused("at least one scorer", Population.of, {})
    refused("'random' takes the label law of the others", Population.of, dict.fromkeys("ab", "random"))
