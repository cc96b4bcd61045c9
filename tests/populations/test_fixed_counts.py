"""Lists with a fixed number of relevant items: texts, ROC curves, laws of depths and populations."""

from __future__ import annotations

import itertools

import mpmath
import numpy as np
import pytest
from cases import refused

from ndcg_asymptotics.core.errors import InputError, NotAvailableError
from ndcg_asymptotics.populations import (
    FixedCounts,
    Population,
    Random,
    Roc,
    RocPower,
    Scorer,
    with_relevant,
)

GRADED = "relevant(2=1, 1=3, graded(2=linear(0, 0.2), 1=linear(0.1, 0.3)))"
ROCS = ("roc_power(0.1)", "roc_power(3)", "roc_binormal(1.5)", "roc_binormal(0)", "roc_beta(0.4, 2)")


@pytest.mark.parametrize(
    ("text", "counts"),
    [
        ("relevant(3, roc_power(0.4))", (3,)),
        ("relevant(1000, linear(0.1, 0.7))", (1000,)),
        ("relevant(2=1, 1=3, graded(2=roc_power(0.3), 1=roc_beta(0.6, 1)))", (1, 3)),
        (GRADED, (1, 3)),
    ],
)
def test_texts_are_canonical(text, counts):
    scorer = Scorer.parse(text)
    assert isinstance(scorer, FixedCounts)
    assert (scorer.counts, str(scorer), scorer.least_n) == (counts, text, sum(counts))
    assert Scorer.parse(str(scorer)) == scorer == Scorer.parse(scorer.portable().text)
    assert not scorer.iid
    assert Scorer.parse("linear(0.1, 0.7)").iid


def test_chance_and_order_of_grades():
    assert Scorer.parse("relevant(3, random)") == FixedCounts((3,), RocPower(1.0))
    assert Scorer.parse("relevant(1=3, 2=1, graded(1=linear(0.1, 0.3), 2=linear(0, 0.2)))") == Scorer.parse(
        GRADED
    )


def test_a_number_of_relevant_items_of_a_curve():
    assert str(with_relevant("roc_power(0.4)", 3)) == "relevant(3, roc_power(0.4))"
    assert with_relevant("random", 3) == Random()
    for wrong in ({}, {1: 0.7, 2: 0.3}, 0, 2.0, True):
        refused("^relevant: ", with_relevant, "roc_power(0.4)", wrong)
    for text in ("graded(2=constant(0.2))", "relevant(1, constant(0.2))"):
        refused("a number of", with_relevant, text, 2)


def test_populations_agree_if_and_only_if_the_counts_do():
    scorers = {"a": "relevant(2, roc_power(0.4))", "b": "relevant(2, linear(0, 0.3))", "chance": "random"}
    population = Population.of(scorers)
    assert population.scorers["chance"] == FixedCounts((2,), RocPower(1.0))
    assert (population.iid, population.least_n, list(population.fixed_counts)) == (False, 2, list(scorers))
    with pytest.raises(InputError, match=r"a: 2 of gain 1; b: 3 of gain 1$"):
        Population.of({"a": "relevant(2, roc_power(0.4))", "b": "relevant(3, roc_power(0.4))"})
    with pytest.raises(InputError, match=r"a: 2 of gain 1; b: not fixed$"):
        Population.of({"a": "relevant(2, roc_power(0.4))", "b": "linear(0, 0.3)"})
    blank = Population.of({"a": GRADED, "chance": "random"}).scorers["chance"]
    assert str(blank) == "relevant(2=1, 1=3, graded(2=roc_power(1), 1=roc_power(1)))"


def test_what_depends_on_the_length_of_a_list_is_not_available():
    scorer = Scorer.parse("relevant(2, roc_power(0.4))")
    for quantity in (lambda: scorer.masses, lambda: scorer.mean_gain(0.5), lambda: scorer.model):
        with pytest.raises(NotAvailableError):
            quantity()
    scorer.check_lengths((2, 5))
    refused(r"n: lists with 2 relevant items have n >= 2, got 1", scorer.check_lengths, (5, 1))


def exact_cdf(text, t):
    """F at one depth in 40 digits."""
    name, rest = text.rstrip(")").split("(")
    x, t = [mpmath.mpf(part) for part in rest.split(",")], mpmath.mpf(t)
    if name == "roc_power":
        return t ** x[0]
    if name == "roc_beta":
        return mpmath.betainc(*x, 0, t, regularized=True)
    guess = -mpmath.sqrt(2 * mpmath.log(1 / t)) if t < 0.1 else mpmath.mpf(0)
    z = mpmath.findroot(lambda z: mpmath.log(mpmath.ncdf(z) / t), guess)
    return mpmath.ncdf(x[0] + z)


@pytest.mark.parametrize("text", ROCS)
def test_roc_curves_have_all_their_digits_near_the_top(text):
    curve = Roc.parse(text)
    with mpmath.workdps(40):
        for t in (1e-300, 1e-200, 1e-18, 1e-3, 0.3, 0.9):
            if text == "roc_power(3)" and t < 1e-100:
                continue  # below the smallest number
            exact = exact_cdf(text, t)
            # -log t units of rounding: what a power of t loses
            assert float(curve.cdf(np.array(t)) / exact - 1) == pytest.approx(0, abs=2e-12)
            slope = mpmath.diff(lambda x: exact_cdf(text, mpmath.exp(x)), mpmath.log(t))
            assert float(curve.density(np.array(t)) * t / slope - 1) == pytest.approx(0, abs=1e-9)
    u = np.array([1e-12, 0.01, 0.5, 0.999])
    assert curve.cdf(curve.quantile(u)) == pytest.approx(u, rel=1e-10)
    assert Roc.quantile.__get__(curve)(u) == pytest.approx(curve.quantile(u), rel=1e-9)
    if curve.top.scale is not None:
        near = 1e-60 if text != "roc_power(3)" else 1e-20
        assert curve.cdf(np.array(near)) / near**curve.top.exponent == pytest.approx(
            curve.top.scale, rel=1e-9
        )
    assert (curve.cdf(np.array([0.0, 1.0])) == [0.0, 1.0]).all()


@pytest.mark.parametrize(
    "text", [f"relevant(3, {curve})" for curve in (*ROCS, "step(0.1, 0.8, 0.7)")] + [GRADED]
)
def test_laws_of_depth_integrate_to_their_distribution_functions(text):
    scorer = FixedCounts.parse(text)
    edges = np.union1d([1e-4, 0.2, 0.4, 0.7, 0.95], scorer.breaks)
    x, w = np.polynomial.legendre.leggauss(30)
    for law in scorer.laws:
        for a, b in itertools.pairwise(edges):
            t = np.exp((np.log(b) + np.log(a) + (np.log(b) - np.log(a)) * x) / 2)
            mass = (law.density(t) * t * w).sum() * np.log(b / a) / 2
            assert mass == pytest.approx(float(law.cdf(np.array(b)) - law.cdf(np.array(a))), abs=1e-9)
        u = np.array([0.0, 1e-6, 0.2, 0.9])
        assert law.cdf(law.quantile(u)) == pytest.approx(u, abs=1e-14)
