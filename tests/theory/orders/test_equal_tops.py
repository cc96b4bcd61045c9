"""Equal tops under a cutoff n^a (Theorem G): the slopes at the top decide."""

from __future__ import annotations

import math

import pytest
from scipy.stats import norm
from simulated_orders import wrong

from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.populations import Relevance
from ndcg_asymptotics.theory.orders import error_exponent

# straight down to the middle, with the value Q at the top and slopes that differ by SLOPE
PAIR = "piecewise(0=0.5, 0.5=0.5, 1=0.35)", "piecewise(0=0.5, 0.5=0.35, 1=0.65)"
Q, SLOPE = 0.5, 0.3
GRADED = (
    "graded(2=piecewise(0=0.2, 0.5=0.2, 1=0.2), 1=piecewise(0=0.2, 0.5=0.2, 1=0.1))",
    "graded(2=piecewise(0=0.2, 0.5=0.2, 1=0.2), 1=piecewise(0=0.2, 0.5=0.1, 1=0.3))",
)


def exponent(pair: tuple[str, str], measure: str) -> tuple[float | None, str]:
    a, b = map(Relevance.parse, pair)
    found = error_exponent(a, b, Measure.parse(measure))
    assert found == error_exponent(b, a, Measure.parse(measure))
    return found.exponent, found.reason


@pytest.mark.parametrize(
    ("pair", "measure", "expected", "words"),
    [
        (PAIR, "nDCG(constant)@n^0.8", 0.4, "slopes"),
        (PAIR, "nDCG(linear)@n^0.7", 0.1, "slopes"),
        (PAIR, "nDCG(power(0.5))@n^0.9", 0.7, "slopes"),
        (GRADED, "nDCG@n^0.8", 0.4, "slopes"),
        (PAIR, "nDCG@n^0.6", 0.0, "never settles"),
        (PAIR, "nDCG(zipf)@n^0.9", 0.0, "never settles"),
        # slopes that agree, and no slope at all: d t^s with s other than 1
        (("polynomial(0.5, 0, 0.3)", "polynomial(0.5, 0, 0, 0.4)"), "nDCG@n^0.9", None, "slopes agree"),
        (("polynomial(0.5, 0, 0.3)", "polynomial(0.5, 0, 0, 0.4)"), "nDCG@n^0.6", 0.0, "never settles"),
        (("cusp(0.2, 0.5, 0.1)", "cusp(0.172727272727273, 0.5, 0.2)"), "nDCG@n^0.4", None, "what lies below"),
        # certain tops that are equal
        (("linear(0.6, 0)", "polynomial(0, 0, 0.9)"), "nDCG@n^0.8", None, "what lies below"),
    ],
)
def test_exponents_of_equal_tops(
    pair: tuple[str, str], measure: str, expected: float | None, words: str
) -> None:
    found, reason = exponent(pair, measure)
    assert found == (None if expected is None else pytest.approx(expected))
    assert words in reason


@pytest.mark.slow
def test_simulated_orders_of_equal_tops() -> None:
    """Constant discount, P(wrong or tie): 0.075 at k = n^0.8; 0.48, which tends to 1/2, at n^0.6.

    Each within 4 standard errors of the normal value (6e-5). The labels are shared, which leaves 1 - k/n of
    the variance, as drawing without replacement does.
    """
    n, lists, powers = 10_000, 600, (0.8, 0.6)
    shares = wrong(PAIR, [f"nDCG(constant)@n^{a}" for a in powers], n, lists, seed=n)
    for a, share in zip(powers, shares, strict=True):
        k = math.ceil(n**a - 1e-9)
        mean, std = SLOPE * k * (k + 1) / (2 * n), math.sqrt(2 * k * Q * (1 - Q) * (1 - k / n))
        predicted = norm.cdf((0.5 - mean) / std)  # the difference is an integer, and a tie is wrong
        assert abs(share - predicted) < 4 * math.sqrt(predicted * (1 - predicted) / lists)
        # the slope twice as large; at n^0.6 also an order that settles, with the normal value of n^0.8
        other = norm.cdf((0.5 - 2 * mean) / std) if a == 0.8 else 0.1
        assert abs(share - other) > 4 * math.sqrt(predicted * (1 - predicted) / lists)
