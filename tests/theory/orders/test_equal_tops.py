"""Equal tops under a cutoff n^a (Theorem G): the slopes at the top decide."""

from __future__ import annotations

import math

import pytest
from scipy.integrate import quad
from scipy.stats import norm
from simulated_orders import wrong

from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.populations import Relevance
from ndcg_asymptotics.theory.orders import error_exponent, tilt

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


def cost(b: float, n: float, a: float) -> float:
    """-log P(wrong) of PAIR at large n, from Theorem G."""
    mean = SLOPE * n ** ((2 - b) * a - 1) / (2 - b)
    if b < 0.5:
        return mean**2 * (1 - 2 * b) / (4 * Q * (1 - Q) * n ** (a * (1 - 2 * b)))

    def integrand(log_x: float) -> float:
        """With u = x^(-1/b), the sum of log E exp(z (Y - 1/2)) at z = x and z = -x: 2 log cosh(x/2)."""
        x = math.exp(log_x)
        both = x * x / 4 if x < 1e-3 else x - 2 * math.log(2) + 2 * math.log1p(math.exp(-x))
        return both * x ** (-1 / b) / b

    K = sum(quad(integrand, low, low + 2)[0] for low in range(-60, 60, 2))
    return (1 - b) * (b / K) ** (b / (1 - b)) * mean ** (1 / (1 - b))


@pytest.mark.parametrize(
    ("pair", "measure", "expected", "words"),
    [
        (PAIR, "nDCG(constant)@n^0.8", 0.4, "slopes"),
        (PAIR, "nDCG@n^0.8", 0.4, "slopes"),
        (PAIR, "nDCG(linear)@n^0.7", 0.1, "slopes"),
        (PAIR, "nDCG(power(0.5))@n^0.9", 0.7, "slopes"),
        (PAIR, "nDCG(power(0.7))@n^0.9", 17 / 30, "slopes"),
        (GRADED, "nDCG@n^0.8", 0.4, "slopes"),
        (PAIR, "nDCG@n^0.6", 0.0, "never settles"),
        (PAIR, "nDCG(power(0.7))@n^0.75", 0.0, "never settles"),
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


@pytest.mark.parametrize(
    ("discount", "b", "a", "tolerance"),
    [
        ("constant", 0.0, 0.8, 0.01),
        ("constant", 0.0, 0.9, 0.03),
        ("log", 0.0, 0.8, 0.05),
        ("power(0.25)", 0.25, 0.8, 0.01),
        ("power(0.6)", 0.6, 0.9, 0.03),
        ("power(0.7)", 0.7, 0.9, 0.05),
    ],
)
def test_costs_of_equal_tops(discount: str, b: float, a: float, tolerance: float) -> None:
    """The cost of the tilted law, which is found by iteration, is that of the theorem at n = 1e18."""
    left, right = map(Relevance.parse, PAIR)
    found = tilt(left, right, Measure.parse(f"nDCG({discount})@n^{a}"), 10**18)
    assert found.leader == 1
    assert found.cost == pytest.approx(cost(b, 1e18, a), rel=tolerance)
    # half of a cost, and that of an exponent b that is 0.1 larger, are not
    assert found.cost / 2 != pytest.approx(cost(b, 1e18, a), rel=tolerance)
    assert found.cost != pytest.approx(cost(b + 0.1, 1e18, a), rel=tolerance)


def test_the_cost_of_a_constant_discount_at_1e10() -> None:
    """d^2 k^3 / (16 q (1 - q) n^2) = 225, for curves that are no longer straight at k = 0.01 n: 223.5."""
    pair = Relevance.parse("linear(0.2, 0.5)"), Relevance.parse("polynomial(0.5, 0, -0.45)")
    found = tilt(*pair, Measure.parse("nDCG(constant)@n^0.8"), 10**10)
    assert found.cost == pytest.approx(SLOPE**2 * 1e24 / (16 * Q * (1 - Q) * 1e20), rel=0.01)


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
