"""Limits extrapolated from exact means: sequences with known limits, and theorems of every kind."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import pytest
from scipy.special import exp1

from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.populations import Curve, Relevance, curve
from ndcg_asymptotics.theory.at_lengths import AtLengths
from ndcg_asymptotics.theory.limits import limit
from ndcg_asymptotics.theory.limits.extrapolation import SIZES, extrapolated_limit
from ndcg_asymptotics.theory.limits.leading_terms import leading_gap
from ndcg_asymptotics.theory.mean import expected_ndcg

LINEAR = Relevance.parse("linear(0.1, 0.7)")
N = np.array(SIZES, np.float64)
L = np.log(N)


def extrapolated(values: np.ndarray, measure: str) -> tuple[float, float]:
    """The extrapolation of a sequence in place of the exact means of a measure."""
    found = extrapolated_limit(
        LINEAR, Measure.parse(measure), lambda *_: AtLengths(values, np.full(len(N), 1e-12))
    )
    return found.limit, found.error


@pytest.mark.parametrize(
    ("measure", "values", "expected", "largest"),
    [
        ("nDCG", (2 * L + 1) / (4 * L - 3), 0.5, 1e-4),
        ("nDCG", 0.3 + 0.2 / L - 5 / L**2 + 30 / L**3 + 100 / L**4, 0.3, 2e-2),
        ("nDCG(power(0.9))", (0.4 * N**0.1 - 3) / (N**0.1 + 2), 0.4, 1e-4),
        ("nDCG(power(1.2))@10", 0.9 - 0.5 * N**-0.06 + 0.1 * N**-0.17, 0.9, 1e-3),
        ("nDCG(linear)", 0.25 + N**-0.5, 0.25, 1e-6),
        ("nDCG(linear)", np.full(len(N), 0.125), 0.125, 1e-7),
    ],
)
def test_sequences_with_known_limits(
    measure: str, values: np.ndarray, expected: float, largest: float
) -> None:
    found, error = extrapolated(values, measure)
    assert abs(found - expected) <= error <= largest


@pytest.mark.parametrize(
    ("of", "measure"),
    [
        ("binormal(0.00619946, -0.2496)", "nDCG(power(0.5))@0.08166n"),
        ("binormal(0.00423548, -0.9499)", "nDCG(power(0.9))"),
    ],
)
def test_coefficients_of_gaps_lie_within_their_errors(of: str, measure: str) -> None:
    gap = leading_gap(of, measure)
    assert gap is not None
    found, error = extrapolated_limit(of, measure).coefficient(limit(of, measure).value or 0.0, gap.exponent)
    assert abs(found - gap.coefficient) <= error < 0.1 * gap.coefficient


def test_a_sequence_of_another_kind_has_a_wide_error() -> None:
    """1/log log n under the log discount, n^-0.01 jumping at random, and a sequence that grows."""
    rng = np.random.default_rng(5)
    for values in (1 / np.log(L), 0.5 + 0.01 * rng.standard_normal(len(N)), 1e-3 * N**0.03):
        found, error = extrapolated(values, "nDCG")
        assert error > 0.02 * abs(found)


def test_the_error_grows_with_the_errors_of_the_means() -> None:
    values = (2 * L + 1) / (4 * L - 3)
    wide = extrapolated_limit(LINEAR, "nDCG", lambda *_: AtLengths(values, np.full(len(N), 1e-5)))
    rng = np.random.default_rng(7)
    for _ in range(20):
        noisy = values + 1e-5 * rng.uniform(-1, 1, len(N))
        found = extrapolated_limit(
            LINEAR, "nDCG", lambda *_, noisy=noisy: AtLengths(noisy, np.full(len(N), 1e-5))
        )
        assert abs(found.limit - 0.5) <= found.error
    assert wide.error > 1e-5
    assert extrapolated(values, "nDCG")[1] < wide.error / 10


@dataclass(frozen=True)
class SlowTop(Curve, keyword="slow-top"):
    """m(t) = 0.5 - 0.3 / (1 - log t): nearer to its top value than any power, only with a logarithm."""

    jump: float

    def formula(self, t):
        with np.errstate(divide="ignore"):
            return np.where(t == 0, 0.5 + self.jump, 0.5 - 0.3 / (1 - np.log(t)))

    def average(self, a, b):
        with np.errstate(divide="ignore"):
            ends = [np.e * exp1(1 - np.log(t)) for t in (a, b)]  # int_0^t ds / (1 - log s)
        return 0.5 - 0.3 * (ends[1] - ends[0]) / (b - a)


@pytest.mark.slow
@pytest.mark.parametrize("measure", ["nDCG", "nDCG(zipf)", "nDCG@n^0.5", "nDCG@5log(n)"])
def test_a_top_that_is_reached_with_a_logarithm(measure: str) -> None:
    """The curve as a formula, and as a function of the score s, which cannot resolve small 1 - s."""
    own = curve(lambda s: 0.5 - 0.3 / (1 - np.log(np.maximum(1 - s, 1e-300))), name="slow")
    for slow in (SlowTop(0.0), own):
        found, truth = extrapolated_limit(slow, measure), limit(slow, measure).value
        assert abs(found.limit - truth) <= found.error


def test_a_value_at_the_top_that_the_curve_does_not_reach() -> None:
    """ybar(1) = 0.7 by definition, 0.5 in the limit: the error says that nothing is known."""
    found = extrapolated_limit(SlowTop(0.2), "nDCG(zipf)")
    assert found.error > 0.2


def test_a_discount_that_does_not_fall_as_declared() -> None:
    """The exact means of r^-1/2 as those of a discount that is declared to fall like 1/log r: they tell."""
    other = "nDCG(power(0.5))"
    found = extrapolated_limit(LINEAR, "nDCG", lambda of, _, sizes: expected_ndcg(of, other, sizes))
    assert abs(found.limit - limit(LINEAR, "nDCG").value) > found.error
    assert found.limit == pytest.approx(limit(LINEAR, other).value, abs=1e-3)


@pytest.mark.parametrize(
    ("of", "measure", "reason"),
    [
        ("linear(0.0001, 0.0004)", "nDCG@n^0.95", "beyond the best grade"),
        ("step(0.2, 0.7, 0.95)", "nDCG@n^0.97", "a break of the curve"),
        ("constant(1e-12)", "nDCG", "fewer than 1000 items"),
        ("constant(0.3)", "nDCG@0.000000000001n", "fewer than 1000 items"),
    ],
)
def test_lists_that_are_too_short_to_extrapolate(of: str, measure: str, reason: str) -> None:
    found = extrapolated_limit(of, measure)
    assert math.isinf(found.error)
    assert reason in found.reason
