"""How fast means approach their limits: the fitted exponent, its standard error, and their leading terms."""

from __future__ import annotations

import math

import numpy as np
import pytest

import ndcg_asymptotics as na
from ndcg_asymptotics.checks.convergence import fit_exponent_of_gap
from ndcg_asymptotics.theory.limits import limit
from ndcg_asymptotics.theory.limits.leading_terms import leading_gap
from ndcg_asymptotics.theory.mean import expected_ndcg

SIZES = np.array([10.0, 100.0, 1000.0, 10_000.0])


def test_the_standard_error_of_an_exponent_covers_it() -> None:
    """1000 fits of gaps 2 n^-0.5, whose noise the list lengths share.

    The share within two standard errors is 0.954 of a normal law; from 1000 fits its own standard error is
    0.007, so it is below 0.925 or above 0.98 with probability 1e-4.
    """
    rng, exponents, errors = np.random.default_rng(7), [], []
    for _ in range(1000):
        shared, own = rng.normal(size=(100, 1)), rng.normal(size=(100, 4))
        gaps = 2 * SIZES**-0.5 * (1 + 0.8 * shared + 0.5 * own)
        exponent, error, fitted = fit_exponent_of_gap(SIZES, gaps)
        assert exponent is not None
        assert error is not None
        assert fitted == [2, 3]
        exponents.append(exponent)
        errors.append(error)
    scores = (np.array(exponents) - 0.5) / errors
    assert 0.925 < np.mean(np.abs(scores) < 2) < 0.98
    # errors that took the list lengths for independent ones would be too large by the shared noise
    wrong = np.hypot(0.8, 0.5) * math.sqrt(2) / 10 / math.log(10)
    assert np.mean(np.abs(np.array(exponents) - 0.5) < 2 * wrong) > 0.99
    # another exponent is noticed
    assert np.mean(np.abs(scores + 0.1 / np.array(errors)) < 2) < 0.5


def test_gaps_that_are_not_clear_of_zero_are_not_fitted() -> None:
    rng = np.random.default_rng(3)
    means = np.array([0.5, 0.05, 0.005, 0.0])
    exponent, _, fitted = fit_exponent_of_gap(SIZES, means + rng.normal(0, 0.05, (400, 4)))
    assert fitted == [0, 1]
    assert exponent == pytest.approx(1, abs=0.1)
    for gaps in (np.zeros((10, 4)), means[:1] + rng.normal(0, 0.01, (10, 1)), [1, -1, 1, -1] + means / 100):
        assert fit_exponent_of_gap(SIZES[: np.shape(gaps)[-1]], np.atleast_2d(gaps).repeat(2, 0))[2] == []


def test_a_leading_term_of_zero_predicts_nothing() -> None:
    """Under nDCG@0.2n every label of a random scorer counts alike: the coefficient is 0 up to rounding."""
    scorers = {"good": "linear(0.1, 0.4)", "random": "random"}
    study = na.Study(scorers=scorers, measures=["nDCG@0.2n"], n=[10, 100], replicates=20, seed=1)
    good, random = na.check(na.run(study, jobs=1)).convergence
    assert (good.predicted, random.predicted) == ("1 of log n", None)
    assert good.predicted_gap is not None
    assert random.predicted_gap is None


@pytest.mark.slow
def test_a_study_shows_gaps_leading_terms_and_exponents() -> None:
    """Seed 1; each of 5 gaps and exponents is off by five standard errors with probability 6e-7."""
    measures = ["nDCG", "nDCG(power(0.5))", "nDCG(zipf)", "nDCG@n^0.5", "DCG(zipf)", "nDCG@5"]
    sizes = [10, 30, 100, 300, 1000, 3000, 10_000]
    study = na.Study(scorers={"a": "linear(0.1, 0.4)"}, measures=measures, n=sizes, replicates=800, seed=1)
    results = na.run(study, jobs=1)
    rows = {row.measure: row for row in na.check(results).convergence}
    assert list(rows) == ["nDCG", "nDCG(power(0.5))", "nDCG(zipf)", "nDCG@n^0.5", "DCG(zipf)"]
    assert [row.predicted for row in rows.values()] == [
        "1 of log n",
        "0.5 of n",
        "1 of log n",
        None,
        "1 of log n",
    ]
    shifted = {row.measure: row for row in na.check(results, perturb=0.2).convergence}
    for measure, row in rows.items():
        of = next(m for m in study.measures if str(m) == measure)
        goal, units = limit("linear(0.1, 0.4)", of).value, np.array([of.unit(n) for n in sizes])
        exact = expected_ndcg("linear(0.1, 0.4)", of, sizes).value / units - goal
        assert abs(row.gap - exact[-1]) < 5 * row.gap_error
        assert abs(shifted[measure].gap - exact[-1]) > 5 * row.gap_error
        assert (row.exponent is None) == (measure == "nDCG@n^0.5")  # whose gap is the fastest to close
        if row.exponent is None or row.exponent_error is None or row.fitted_from is None:
            continue
        fitted = slice(sizes.index(row.fitted_from), sizes.index(row.fitted_to) + 1)
        x = np.log(sizes[fitted] if row.variable == "n" else np.log(sizes[fitted]))
        of_means = -np.polyfit(x, np.log(np.abs(exact[fitted])), 1)[0]
        assert abs(row.exponent - of_means) < 5 * row.exponent_error
        if (term := leading_gap("linear(0.1, 0.4)", of)) is not None:
            assert row.predicted_gap == term.at(sizes[-1])
            assert type(row.predicted_gap) is float  # which is printed as a number, unlike one of numpy
    text = str(na.check(results))
    assert "Gaps between means and limits, at n = 10,000, and how fast they close" in text
    assert "0.5 of n" in text
