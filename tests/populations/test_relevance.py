"""Properties of every relevance curve: bounds, means, smoothness, refusals; grades; labels with errors."""

from __future__ import annotations

import numpy as np
import pytest
from cases import refused
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles.curves import BINORMAL, CURVES

from ndcg_asymptotics.core.errors import InputError
from ndcg_asymptotics.populations import Curve, Relevance, Scorer
from ndcg_asymptotics.populations.custom import curve

ALL = [*CURVES, *(f"binormal({p}, {d})" for p, d in BINORMAL)]


# the top itself, or no nearer to it than a list of 1e100 items needs
depths = st.one_of(st.just(0.0), st.floats(1e-100, 1))


@pytest.mark.parametrize("text", ALL)
def test_the_mean_over_an_empty_interval_is_the_value(text):
    curve = Curve.parse(text)
    depths = np.array([0.0, 0.3, 0.5, 1.0])
    np.testing.assert_array_equal(curve.mean(depths, depths), curve.value(depths))
    assert not curve.integral(depths, depths).any()


@pytest.mark.parametrize("text", ALL)
@settings(max_examples=20)
@given(ends=st.tuples(depths, depths), inner=st.floats(0, 1))
def test_bounds_hold_the_curve_and_its_mean(text, ends, inner):
    curve = Curve.parse(text)
    a, b = np.array([min(ends)]), np.array([max(ends)])
    low, high = curve.bounds(a, b)
    within = np.clip(a + inner * (b - a), a, b)
    for value in (curve.value(within), curve.mean(a, b)):
        assert low - 1e-12 <= value <= high + 1e-12


@pytest.mark.parametrize(
    ("text", "holder", "continuous", "breaks"),
    [
        ("constant(0.3)", 1, True, ()),
        ("power(0, 1, 0.5)", 0.5, True, ()),
        ("power(0, 1, 2)", 1, True, ()),
        ("cusp(0, 1, 0.25)", 0.25, True, ()),
        ("piecewise(0=0.9, 0.25=0.3, 1=0.05)", 1, True, (0.25,)),
        ("step(0.1, 0.8, 0.75)", None, False, (0.25,)),
        ("step(0.5, 0.5, 0.75)", None, True, (0.25,)),
        ("binormal(0.3, 1)", None, True, ()),
    ],
)
def test_smoothness(text, holder, continuous, breaks):
    curve = Curve.parse(text)
    assert curve.holder == holder
    assert curve.continuous is continuous
    assert curve.breakpoints == breaks


@pytest.mark.parametrize(("text", "alpha"), [("cusp(0, 1, 0.25)", 0.25), ("power(0, 1, 0.5)", 0.5)])
def test_the_holder_exponent_is_the_largest(text, alpha):
    curve = Curve.parse(text)
    at = 0.0 if text.startswith("cusp") else 1.0
    steps = np.geomspace(1e-12, 1e-2, 30)
    moved = np.abs(curve.value(at) - curve.value(np.abs(at - steps)))
    assert np.max(moved / steps**alpha) < 2
    assert np.max(moved / steps ** (alpha + 0.1)) > 10


def test_graded():
    graded = Relevance.parse("graded(1=linear(0.1, 0.3), 4=power(0, 0.5, 3))")
    assert graded.gains == (4.0, 1.0)
    np.testing.assert_allclose(graded.masses, [0.125, 0.2], rtol=1e-14)
    assert graded.mean_gain_at_top == pytest.approx(4 * 0.5 + 0.3)
    np.testing.assert_allclose(graded.mean_gain([0.0, 1.0]), [2.3, 0.1])
    assert graded.continuous
    assert not Relevance.parse("graded(2=step(0, 0.2, 0.5), 1=constant(0.1))").continuous
    assert Relevance.parse("graded(2=constant(0.4), 1=constant(0.6))").masses == (0.4, 0.6)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        # in the middle, where it is 4 * 0.5^2 + 0.1, at a spike of width 1e-6, at depths 0.3 … 0.3000001
        ("graded(2=polynomial(0, 4, -4), 1=constant(0.1))", r"add up to as much as 1\.1"),
        ("graded(2=step(0, 0.6, 0.999999), 1=step(0, 0.6, 0.999999))", r"add up to as much as 1\.2"),
        ("graded(2=step(0, 0.6, 0.6999999), 1=step(0.6, 0, 0.7))", r"add up to as much as 1\.2"),
        ("constant(1.1)", "constant"),
        ("linear(-0.1, 0.5)", "linear"),
        ("power(0, 1, 0)", "power"),
        ("polynomial(0.5, 1)", "polynomial"),
        ("polynomial()", "polynomial"),
        ("cusp(0, 2, 1)", "cusp"),
        ("step(0, 1, 0)", "step"),
        ("logistic(0, 1)", "logistic"),
        ("binormal(1, 1)", "binormal"),
        ("noisy(linear(0.1, 0.7), 0.5, 0.5)", r"fpr \+ fnr < 1"),
        ("noisy(linear(0.1, 0.7), -0.1, 0.2)", "noisy needs 0 <= fpr <= 1, got -0.1"),
        ("noisy(linear(0.1, 0.7), 0.1)", "noisy needs 'fnr'"),
        ("noisy(0.3, 0.1, 0.1)", "noisy takes a relevance curve"),
        ("noisy(linear(0.1, 0.7), constant(0.1), 0.1)", "fpr must be a number"),
        ("noisy(roc_power(0.4), 0.1, 0.1)", "noisy takes a relevance curve"),
        ("noisy(graded(2=constant(0.1), 1=constant(0.2)), 0.1, 0.1)", "unknown relevance model 'graded'"),
        ("noisy(linear(0.1, prevalence=0.3), 0.1, prevalence=0.2)", "no parameter 'prevalence'"),
        ("relevant(0, roc_power(0.4))", "1 to 1000 relevant items, a whole number, got 0"),
        ("relevant(roc_power(0.4))", "relevant takes a number of relevant items and a curve"),
        ("relevant(1, 2, roc_power(0.4))", "relevant takes a number of relevant items and a curve"),
        ("relevant(3, graded(2=linear(0, 0.2), 1=constant(0.1)))", "a number for each grade"),
        ("relevant(2=1, graded(2=linear(0, 0.2), 1=constant(0.1)))", "no number of items of gain 1"),
        ("relevant(2=1, 2=1, graded(2=linear(0, 0.2), 1=constant(0.1)))", "given twice"),
        ("relevant(1, constant(1))", "has no irrelevant items"),
        ("relevant(1, constant(0))", "has no items of gain 1"),
        ("relevant(1, roc_beta(1, 0))", "roc_beta needs 0.05 <= b <= 1000, got 0"),
        ("relevant(1, relevant(1, roc_power(1)))", "unknown relevance model 'relevant'"),
        ("relevant(1, roc_pover(0.4))", "unknown ROC curve 'roc_pover', did you mean 'roc_power'"),
        ("roc_power(0.4)", r"needs a number of relevant items: relevant\(1, roc_power\(…\)\)"),
    ],
)
def test_what_is_no_model_is_refused_in_one_line(text, said):
    refused(said, Scorer.parse, text)


def test_random_alone_has_no_law():
    with pytest.raises(InputError, match="alone it has none"):
        _ = Scorer.parse("random").masses


def test_own_curves_that_part_anywhere_are_different():
    """Equal curves share what caches hold of them, however short the interval on which they differ."""

    def stepped(height):
        return curve(
            lambda s: 0.3 + height * ((s > 0.3001) & (s < 0.3002)), name="own", breaks=(0.6998, 0.6999)
        )

    flat = stepped(0.0)
    assert flat == stepped(0.0)
    assert hash(flat) == hash(stepped(0.0))
    assert flat != stepped(0.2)
    assert flat.digest != stepped(0.2).digest
    assert curve(lambda s: 0.3 + 0 * s, name="own") != curve(lambda s: 0.3 + 1e-10 + 0 * s, name="own")


def test_rounding_by_a_library_does_not_change_the_digest():
    one = curve(lambda s: 0.3 + 0.2 * np.sin(6 * s), name="own")
    two = curve(lambda s: 0.3 + 0.2 * np.sin(6 * s) * (1 + 2e-16), name="own")
    assert one != two
    assert one.digest == two.digest


def test_means_and_bounds_of_an_own_curve():
    """Of intervals within a panel and across many, against the antiderivative and values between the ends."""
    own = curve(lambda s: 0.5 + 0.3 * np.sin(9 * s), name="own")
    a = np.concatenate([np.linspace(0, 0.9, 40), np.linspace(0, 0.4, 20)])
    b = a + np.concatenate([np.linspace(1e-4, 0.1, 40), np.linspace(0.05, 0.6, 20)])
    t = a + (b - a) * np.linspace(0, 1, 201)[:, None]
    values = 0.5 + 0.3 * np.sin(9 * (1 - t))
    means = 0.5 + 0.3 / 9 * (np.cos(9 * (1 - b)) - np.cos(9 * (1 - a))) / (b - a)
    assert own.value(t) == pytest.approx(values, abs=1e-13)
    assert own.average(a, b) == pytest.approx(means, abs=1e-11)
    assert np.abs(own.average(a, b) - 1.01 * means).min() > 1e-4
    low, high = own.bounds(a, b)
    assert np.all((low <= values.min(axis=0) + 1e-12) & (values.max(axis=0) - 1e-12 <= high))
    assert np.all((low[:3] > 0) & (high[:3] < low[:3] + 0.3))  # and short intervals are told apart


@pytest.mark.parametrize(
    ("function", "integral", "breaks"),
    [
        (np.sqrt, lambda s: s**1.5 * 2 / 3, ()),
        (lambda s: np.exp(-300 * (1 - s)), lambda s: np.exp(-300 * (1 - s)) / 300, ()),
        (lambda s: np.abs(s - np.pi / 8), lambda s: np.abs(s - np.pi / 8) * (s - np.pi / 8) / 2, ()),
        (lambda s: np.abs(s - 0.4), lambda s: np.abs(s - 0.4) * (s - 0.4) / 2, (0.6,)),
        (lambda s: 0.1 + 0.5 * (s >= 0.3), lambda s: 0.1 * s + 0.5 * np.maximum(s - 0.3, 0), (0.7,)),
        (lambda s: 0.1 + 0.5 * (s >= np.pi / 8), lambda s: 0.1 * s + 0.5 * np.maximum(s - np.pi / 8, 0), ()),
    ],
    ids=["root", "steep", "kink", "stated kink", "stated jump", "jump"],
)
def test_an_own_curve_follows_its_function_over_roots_kinks_and_jumps(function, integral, breaks):
    own = curve(function, name="own", breaks=breaks)
    s = np.random.default_rng(3).uniform(1e-3, 1, 2000)
    assert own.value(1 - s) == pytest.approx(function(s), abs=1e-13)
    low, high = np.minimum(s, s[::-1]), np.maximum(s, s[::-1])
    assert own.integral(1 - high, 1 - low) == pytest.approx(integral(high) - integral(low), abs=1e-13)


NOISY = (
    "linear(0.1, 0.7)",
    "step(0.05, 0.9, 0.8)",
    "cusp(0, 1, 0.5)",
    "binormal(0.001, 2)",
    "power(0, 1, 20)",
    "logistic(0.3, -4)",
    "piecewise(0=0, 0.5=0.2, 1=1)",
)
T = np.concatenate(([0.0], np.geomspace(1e-18, 1, 60)))


@pytest.mark.parametrize("text", NOISY)
@pytest.mark.parametrize(("fpr", "fnr"), [(0.0, 0.0), (0.05, 0.2), (0.0, 0.9), (1e-9, 0.3), (0.6, 0.3)])
def test_a_noisy_curve_is_that_of_flipped_labels(text, fpr, fnr):
    curve = Curve.parse(text)
    reported = Curve.parse(f"noisy({text}, fpr={fpr}, fnr={fnr})")
    expected = fpr * (1 - curve.value(T)) + (1 - fnr) * curve.value(T)
    np.testing.assert_allclose(reported.value(T), expected, rtol=1e-14, atol=0)
    assert reported.mass == pytest.approx(fpr * (1 - curve.mass) + (1 - fnr) * curve.mass, rel=1e-13)
    narrow = reported.mean(T[1:], 1.01 * T[1:] * (T[1:] < 0.9) + (T[1:] >= 0.9))
    assert np.all((narrow >= reported.value(T[1:]).min() - 1e-15) & (narrow <= 1))
    low, high = reported.bounds(T[1:-1], T[2:])
    assert np.all(low <= reported.value(T[2:]) + 1e-15)
    assert np.all(high >= reported.value(T[2:]) - 1e-15)
    if reported.complement is not None:
        np.testing.assert_allclose(reported.complement.value(T), 1 - reported.value(T), atol=1e-15)
    assert (reported.breaks, reported.is_continuous, reported.holder) == (
        curve.breaks,
        curve.is_continuous,
        curve.holder,
    )
    assert Curve.parse(str(reported)) == reported
