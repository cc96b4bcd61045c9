"""Judges: the relevance curves of the labels that they report, and what is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.integrate import quad

from ndcg_asymptotics.core.errors import InputError
from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.populations import Curve, Favoured, Judge, Mixture, Population
from ndcg_asymptotics.theory import limit

CURVES = ("linear(0.1, 0.7)", "step(0.05, 0.9, 0.8)", "cusp(0, 1, 0.5)", "power(0, 1, 20)", "constant(1)")
RATES = {"fpr": 0.05, "fnr": 0.2}
T = np.concatenate(([0.0], np.geomspace(1e-18, 1, 60)))


@pytest.mark.parametrize("text", CURVES)
@pytest.mark.parametrize(("share", "trust"), [(0.1, 0.5), (0.25, 1.0), (1.0, 0.3), (1e-9, 0.2), (0.3, 0.0)])
def test_a_favoured_curve_is_that_of_a_judge_who_believes_a_scorer(
    text: str, share: float, trust: float
) -> None:
    curve, reported = Curve.parse(text), Curve.parse(f"favoured({text}, {share}, {trust})")
    believed = trust * (share >= T)
    np.testing.assert_allclose(reported.value(T), believed + (1 - believed) * curve.value(T), rtol=1e-14)
    low, high = reported.bounds(T[:-1], T[1:])
    inside = np.concatenate([reported.value(T[:-1] + u * np.diff(T))[None] for u in (0.0, 0.3, 0.9, 1.0)])
    assert np.all(low <= inside.min(axis=0) + 1e-15)
    assert np.all(high >= inside.max(axis=0) - 1e-15)
    assert Curve.parse(str(reported)) == reported
    for a, b in ((0.0, 1.0), (0.05, 0.6), (0.09, 0.11), (0.5, 0.7), (0.0, 1e-12)):
        breaks = sorted({x for x in (share, *curve.breaks) if a < x < b})
        expected, _ = quad(lambda t: float(reported.value(t)), a, b, points=breaks or None, epsabs=1e-13)
        assert float(reported.integral(a, b)) == pytest.approx(expected, rel=1e-9, abs=1e-18)


def test_a_curve_jumps_where_the_favour_ends() -> None:
    jumps, whole = (
        Curve.parse("favoured(linear(0.1, 0.7), 0.25, 0.5)"),
        Curve.parse("favoured(cusp(0, 1, 0.5), 1, 0.5)"),
    )
    assert (jumps.breaks, jumps.is_continuous, jumps.holder) == ((0.25,), False, None)
    assert (whole.breaks, whole.is_continuous, whole.holder) == ((), True, 0.5)


@pytest.mark.parametrize("other", ["power(prevalence=0.4, top=0.8, exponent=2)", "constant(0.4)"])
def test_error_rates_for_the_other_scorers_are_means_over_the_depths_of_the_favoured_one(other: str) -> None:
    first, second = Curve.parse("linear(0.1, 0.7)"), Curve.parse(other)
    judge = Judge(**RATES, favours="a", share=0.15, trust=0.4)
    found = Population({"a": first, "b": second}, judge=judge).reported
    # means of the rates over the law of the depth in a, given the label, by quadrature
    fpr = quad(
        lambda t: (0.05 + 0.95 * 0.4 * (t <= 0.15)) * (1 - float(first.value(t))) / 0.6, 0, 1, points=[0.15]
    )[0]
    fnr = quad(lambda t: (0.2 * (1 - 0.4 * (t <= 0.15))) * float(first.value(t)) / 0.4, 0, 1, points=[0.15])[
        0
    ]
    expected = fpr * (1 - second.value(T)) + (1 - fnr) * second.value(T)
    np.testing.assert_allclose(found["b"].mean_gain(T), expected, rtol=1e-9)
    assert found["a"].masses[0] == pytest.approx(found["b"].masses[0], rel=1e-13)  # one label serves both
    assert isinstance(found["a"], Favoured)


def test_each_group_of_a_mixture_has_its_reported_labels() -> None:
    mixed = "mixture(0.25=linear(0.2, 0.8), 0.75=constant(0.1))"
    population = Population.of({"a": mixed, "random": "random"}, judge=RATES)
    found = population.reported["a"]
    assert isinstance(found, Mixture)
    assert [str(model) for _, model in found.groups] == [
        "noisy(linear(0.2, 0.8), 0.05, 0.2)",
        "noisy(constant(0.1), 0.05, 0.2)",
    ]
    assert not Population.of({"a": mixed}).reported


@pytest.mark.parametrize(
    ("judge", "said"),
    [
        ({"fpr": 0.6, "fnr": 0.5}, "fpr \\+ fnr must be below 1, got 0.6 \\+ 0.5"),
        ({"fpr": 0.1, "fnr": 1.5}, "judge needs 0 <= fnr <= 1"),
        ({"fpr": 0.1}, "fnr is missing"),
        ({"fpr": "0.1", "fnr": 0.1}, "fpr must be a number"),
        ({"fpr": True, "fnr": 0.1}, "fpr must be a number"),
        (RATES | {"favors": "a"}, "did you mean 'favours'"),
        (RATES | {"favours": 1}, "favours must be the name of a scorer"),
        (RATES | {"favours": "a"}, "favours needs share and trust above 0"),
        (RATES | {"trust": 0.5}, "share and trust need a scorer"),
        (RATES | {"favours": "c", "share": 0.1, "trust": 0.5}, "'c' is no scorer, expected one of: a"),
        ([0.1, 0.2], "must be a table with fpr and fnr"),
    ],
)
def test_a_judge_is_refused_in_one_line(judge: Any, said: str) -> None:
    with pytest.raises(InputError, match=said) as caught:
        Population.of({"a": "linear(0.1, 0.7)"}, judge=judge)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("scorers", "coupling", "said"),
    [
        ({"a": "relevant(2, roc_power(0.4))"}, "independent", "the number of relevant ones is fixed"),
        ({"a": "graded(2=linear(0, 0.2), 1=constant(0.3))"}, "independent", "binary labels"),
        ({"a": "linear(0.1, 0.7)", "b": "constant(0.4)"}, 0.5, "independent given the label, got gaussian"),
    ],
)
def test_populations_without_a_law_of_reported_labels_are_refused(
    scorers: dict[str, str], coupling: Any, said: str
) -> None:
    with pytest.raises(InputError, match=said):
        Population.of(scorers, coupling, judge=RATES)


def test_the_difference_of_limits_is_linear_in_the_trust() -> None:
    # Theorem J5: times sqrt(p') for 1 / sqrt(r); and it changes its sign, so that the judge turns the order
    measure = Measure.parse("nDCG(power(0.5))")
    scaled, plain = [], []
    for trust in (0.1, 0.2, 0.3, 0.4):
        judge = RATES | {"favours": "a", "share": 0.1, "trust": trust}
        second = "power(prevalence=0.4, top=0.8, exponent=2)"
        a, b = Population.of({"a": "linear(0.1, 0.7)", "b": second}, judge=judge).reported.values()
        plain.append(limit(a, measure).value - limit(b, measure).value)
        scaled.append(plain[-1] * np.sqrt(a.masses[0]))
    assert np.diff(scaled, 2) == pytest.approx(0, abs=1e-11)
    assert np.abs(np.diff(plain, 2)).max() > 1e-7
    assert scaled[0] < 0 < scaled[1]


def test_labels_that_fall_with_the_true_ones_are_refused() -> None:
    # the judge believes a scorer that ranks what is relevant last
    worst = {"fpr": 0.0, "fnr": 0.1, "favours": "a", "share": 0.6, "trust": 1.0}
    texts = {"a": "step(1, 0, 0.4)", "b": "constant(0.4)"}
    mixed = {name: f"mixture(0.5={text}, 0.5=constant(0.1))" for name, text in texts.items()}
    for scorers in (texts, mixed):
        with pytest.raises(InputError, match=r"^judge: noisy needs .* do not rise with the true ones"):
            Population.of(scorers, judge=worst)
