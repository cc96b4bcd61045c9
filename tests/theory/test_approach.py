"""The limit that the exact mean points to: within its error of the theorem's, and of no other."""

from __future__ import annotations

import math

import numpy as np
import pytest

from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.scorers import Relevance, curve
from ndcg_asymptotics.theory.approach import approach
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


def test_a_top_that_is_reached_with_a_logarithm_is_not_extrapolated_away() -> None:
    """m(t) = 0.5 - 0.1 t^0.7 (1 - log t): a power alone does not describe how k = n^0.5 gets there."""
    slow = curve(lambda s: 0.5 - 0.1 * (1 - s) ** 0.7 * (1 - np.log(np.maximum(1 - s, 1e-300))), name="slow")
    found = approach(slow, Measure.parse("nDCG@n^0.5"))
    assert abs(found.extrapolated - 0.5) <= found.error
    assert found.error >= abs(found.extrapolated - found.expectation[-1])


def test_fitted_slope_of_a_gap_below_rounding() -> None:
    found = approach(Relevance.parse("constant(0.3)"), Measure.parse("nDCG@0.2n"))
    assert found.fitted(0.3) == "below 1e-13"
    assert math.isclose(found.extrapolated, 0.3, abs_tol=1e-12)
