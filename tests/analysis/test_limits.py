"""Verdicts on limits: true ones agree, wrong ones do not, and what cannot be told is not claimed."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from ndcg_asymptotics.analysis.limits import judge_limit
from ndcg_asymptotics.measures import Measure, discount
from ndcg_asymptotics.populations import Relevance
from ndcg_asymptotics.theory.approach import destination
from ndcg_asymptotics.theory.cache import TheoryCache
from ndcg_asymptotics.theory.limits import limit


def judged(curve: str, measure: str | Measure, **changes):
    scorer, asked = Relevance.parse(curve), Measure.of(measure)
    factor = changes.pop("factor", 1.0)
    found = dataclasses.replace(limit(scorer, asked), **changes)
    return judge_limit("a", scorer, asked, found, TheoryCache(None), factor)


@pytest.mark.slow
def test_prevalences_under_zipf_and_a_certain_top_under_log() -> None:
    """Where an extrapolation by polynomials in 1/log n called true limits false."""
    for p in np.geomspace(1e-3, 0.9, 6):
        for curve, measure, truth in (
            (f"constant({p})", "nDCG(zipf)", p),
            (f"linear({p}, 1)", "nDCG", 1.0),
            (f"linear({p}, 0)", "nDCG(zipf)", 0.0),
        ):
            found, error = destination(curve, measure)
            assert abs(found - truth) <= error < 1e-6


@pytest.mark.parametrize("measure", ["nDCG", "nDCG(zipf)", "nDCG(power(0.5))@0.2n", "nDCG@n^0.5"])
def test_a_limit_that_is_off_is_called_so(measure: str) -> None:
    right = judged("linear(0.1, 0.7)", measure)
    assert (right.verdict, right.detectable < 1e-6) == ("agrees", True)
    for factor in (1 + 2 * right.detectable, 1 - 2 * right.detectable, 1.01):
        assert judged("linear(0.1, 0.7)", measure, factor=factor).verdict == "disagrees"
    assert judged("linear(0.1, 0.7)", measure, factor=1 + right.detectable / 8).verdict == "agrees"


def test_what_cannot_be_bounded_is_not_claimed() -> None:
    row = judged("binormal(0.1, 0.05)", "nDCG(zipf)")
    assert row.verdict == "not tested"
    assert "would not be told" in row.explanation


@pytest.mark.slow
def test_a_limit_under_a_condition_says_so() -> None:
    row = judged("linear(0.1, 0.7)", 'nDCG(custom("numpy:reciprocal", 1000))@n^0.5')
    assert (row.verdict, "if this holds" in row.explanation) == ("agrees", True)
    assert "diverges" in row.explanation


@pytest.mark.parametrize(
    "measure", ["nDCG(power(1.01))", "nDCG(power(1.1))", "nDCG(geometric(2))", "nDCG@10"]
)
def test_the_spread_that_stays_is_where_the_exact_one_goes(measure: str) -> None:
    """F(n) is far from zeta(b) at n = 1e18 still, where b is near 1."""
    row = judged("linear(0.1, 0.7)", measure)
    assert row.verdict == "does not converge"
    assert "the exact one is 0." in row.explanation
    for factor in (1.02, 0.98):
        assert judged("linear(0.1, 0.7)", measure, factor=factor).verdict == "disagrees"


def test_a_spread_that_stays_is_not_claimed_unseen() -> None:
    assert judged("mixture(0.5=constant(0.2), 0.5=constant(0.4))", "nDCG@10").verdict == "does not converge"
    shelf = discount(lambda r: np.where(r < 5.5, 1.0, 0.25), name="shelf", largest=1e7)
    row = judged("constant(0.3)", Measure(shelf, 10))
    assert (row.verdict, "none to hold it against" in row.explanation) == ("not tested", True)
