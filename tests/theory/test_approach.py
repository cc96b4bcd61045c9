"""The limit that the exact mean points to: within its error of the theorem's, and of no other."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import pytest
from scipy.special import exp1
from scipy.stats import binom

from ndcg_asymptotics.measures import Measure, discount
from ndcg_asymptotics.populations import Curve, Relevance, curve
from ndcg_asymptotics.theory import quadrature
from ndcg_asymptotics.theory.approach import approach
from ndcg_asymptotics.theory.depth_weight import DepthWeight
from ndcg_asymptotics.theory.limits import limit

LINEAR = Relevance.parse("linear(0.1, 0.7)")


@pytest.mark.parametrize(
    ("measure", "scale", "wrong"),
    [
        ("nDCG", "1/log n", 0.01),
        ("nDCG(zipf)", "1/log n", 0.01),
        ("nDCG(power(0.3))", "n^-0.7", 1e-6),
        ("nDCG(power(0.7))@0.2n", "n^-0.3", 1e-6),
        ("nDCG(linear)", "n^-1", 1e-6),
        ("nDCG@n^0.5", "(k/n)^1", 1e-6),
        ("nDCG(zipf)@n^0.5", "(k/n)^1/F(k)", 1e-6),
    ],
)
def test_points_to_the_theorems_limit_and_to_no_other(measure: str, scale: str, wrong: float) -> None:
    asked = Measure.parse(measure)
    found, truth = approach(LINEAR, asked), limit(LINEAR, asked).value
    assert truth is not None
    assert found.scale == scale
    assert abs(found.extrapolated - truth) <= found.error
    assert abs(found.extrapolated - truth * (1 + wrong)) > found.error


def test_a_cutoff_at_the_share_of_the_relevant_is_approached_like_the_root_of_n() -> None:
    """k = pn: IDCG's kink adds the fluctuation of the label count."""
    at, off = Measure.parse("nDCG(power(0.3))@0.4n"), Measure.parse("nDCG(power(0.3))@0.3n")
    assert (approach(LINEAR, at).scale, approach(LINEAR, off).scale) == ("n^-0.5", "n^-0.7")
    truth = limit(LINEAR, at).value
    assert truth is not None
    assert approach(LINEAR, at).fitted(truth) == "(n^-0.5)^1.00"


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


@pytest.mark.parametrize("measure", ["nDCG", "nDCG(zipf)", "nDCG(power(0.5))", "nDCG@n^0.5", "nDCG@5log(n)"])
def test_a_top_that_is_reached_with_a_logarithm(measure: str) -> None:
    """As a formula, and as a function of the score, which ends where 1 - s is no longer seen."""
    own = curve(lambda s: 0.5 - 0.3 / (1 - np.log(np.maximum(1 - s, 1e-300))), name="slow")
    for slow in (SlowTop(0.0), own):
        found, truth = approach(slow, Measure.parse(measure)), limit(slow, measure).value
        assert abs(found.extrapolated - truth) <= found.error
        assert abs(found.extrapolated - 1.01 * truth) > found.error


def test_a_value_at_the_top_that_the_curve_does_not_reach() -> None:
    """ybar(1) = 0.7 by definition, 0.5 in the limit: nothing can be bounded, and nothing is claimed."""
    found = approach(SlowTop(0.2), Measure.parse("nDCG(zipf)"))
    assert abs(found.extrapolated - 0.5) <= found.error
    assert found.error > 0.2


def test_a_discount_that_does_not_fall_as_it_is_said_to() -> None:
    """1/sqrt(r) said to fall like 1/log r, and like r^-0.4: where the mean goes has no bound."""
    for like, bounded in (("log", False), ("power(0.4)", False), ("power(0.5)", True)):
        said = discount(lambda r: (r + 3.0) ** -0.5, name=f"said-{like}", largest=1e5, like=like)
        assert math.isfinite(approach(LINEAR, Measure(said)).error) is bounded


def test_fitted_slope_of_a_gap_below_rounding() -> None:
    found = approach(Relevance.parse("constant(0.3)"), Measure.parse("nDCG@0.2n"))
    assert found.fitted(0.3) == "below 1e-11"
    assert math.isclose(found.extrapolated, 0.3, abs_tol=1e-12)


@pytest.mark.parametrize("measure", ["nDCG", "nDCG@n^0.5", "nDCG(zipf)", "nDCG(linear)@0.3n"])
@pytest.mark.parametrize("n", [50, 1000])
def test_depth_weight_is_the_mean_of_dcg(measure: str, n: int) -> None:
    """int w_n = F(k), and w_n itself against the binomial law (where the cutoff is sharp: above it)."""
    weight = DepthWeight(Measure.parse(measure), n)
    ranks = np.arange(1.0, weight.k + 1)
    discounts = weight.at_rank(ranks)
    for depth in (0.2 / n, 3 / n, 0.1, 0.25):
        expected = n * float(binom.pmf(ranks - 1, n - 1, depth) @ discounts)
        # half the sum of two points for the far ranks, Poisson for binomial, the blur of the cutoff
        tolerance = 1e-10 * expected if weight.k == n else float(weight.blurred * n + 0.3 * expected)
        assert abs(float(weight(np.array([depth]))[0]) - expected) <= tolerance
    t, dt = quadrature.nodes(quadrature.edges(0.0, weight.end))
    assert abs(float(weight(t) @ dt) - discounts.sum()) <= weight.blurred + 1e-9 * discounts.sum()
