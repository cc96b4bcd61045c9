"""The tilt of pairs whose means hardly differ, which cells of depth alone do not show."""

from __future__ import annotations

import math

import mpmath
import numpy as np
import pytest

from ndcg_asymptotics.core.errors import NotAvailableError
from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.orders import predict_pair
from ndcg_asymptotics.populations import Relevance, Scorer
from ndcg_asymptotics.theory.deviation import moments
from ndcg_asymptotics.theory.mean import expected_ndcg
from ndcg_asymptotics.theory.orders import level_tilt, tilt

# (m_A - m_B)(t) = 0.01 (4 - 96 t + 324 t^2 - 256 t^3) has integrals 0 with 1, log t and log^2 t: e = 2
SECOND = "polynomial(0.54, -0.96, 3.24, -2.56)", "constant(0.5)"
# the mean gains differ by 0.03 - 0.24 t + 0.27 t^2, which has integrals 0 with 1 and log t: e = 1
GRADED = (
    "graded(2=polynomial(0.3, -0.2), 1=polynomial(0.13, 0.16, 0.27))",
    "graded(2=constant(0.2), 1=constant(0.3))",
)
LIMITS = "polynomial(0.54, -0.96, 1.32)", "constant(0.5)"  # equal under r^-0.8


def upper_half() -> tuple[str, str]:
    """Return curves whose difference has integrals 0 over (0, 1), and over (0, 1/2) with 1 and log t."""
    j = np.arange(1, 6)
    half = 0.5**j / j
    rows = np.stack([1 / j, half, half * (math.log(0.5) - 1 / j)])
    found = np.linalg.svd(rows)[2][-1]
    t = np.linspace(0, 1, 500)
    found *= 0.4 / np.abs(np.polynomial.polynomial.polyval(t, found)).max()
    found[0] += 0.5
    return f"polynomial({', '.join(map(repr, found.tolist()))})", "constant(0.5)"


def parsed(pair: tuple[str, str]) -> tuple[Relevance, Relevance]:
    return Relevance.parse(pair[0]), Relevance.parse(pair[1])


STEEP = (
    "piecewise(0=0.37240503554026094, 0.00023482582761551445=0.24505361119727834, "
    "0.11007977833966957=0.29947096151955038, 0.2279612113341615=0.24120747885020061, "
    "0.418619165691265=0.34140470938962214, 0.44079204187762211=0.88575646522079521, "
    "0.86619994712503467=0.60899409465284537, 1=0.41320926096632871)",
    "piecewise(0=0.31754630095719094, 0.00023482582761551445=0.42649930095141014, "
    "0.11007977833966957=0.14511110016709433, 0.2279612113341615=0.16509940823928021, "
    "0.418619165691265=0.53878429138299055, 0.44079204187762211=0.73535068885149679, "
    "0.86619994712503467=0.77592110346454768, 1=0.19375414970314367)",
)
"""Curves that are steep at the depth 0.44, with the same integral above it."""


def normal_cost(pair: tuple[str, str], measure: str, n: int) -> float:
    """Half of the squared ratio of the exact mean difference and the standard deviation, which is to 1e-5."""
    first, second = (expected_ndcg(text, measure, [n]).value[0] for text in pair)
    deviation = moments((Scorer.of(pair[0]), Scorer.of(pair[1])), Measure.parse(measure), n).sd
    return float((first - second) / deviation) ** 2 / 2


@pytest.mark.parametrize("n", [10**10, 10**14, 10**18])
def test_differences_of_means_in_high_precision(n: int) -> None:
    """n int (m_A - m_B)(t) / log(n t + 3/2) dt, but for terms that do not grow with n."""

    def gain(t: mpmath.mpf) -> mpmath.mpf:
        return t * (4 - 96 * t + 324 * t**2 - 256 * t**3) / 100

    with mpmath.workdps(40):
        pieces = [-mpmath.log(n), *range(-int(math.log(n)) + 1, 1)]
        exact = n * mpmath.quad(lambda s: gain(mpmath.e**s) / mpmath.log(n * mpmath.e**s + 1.5), pieces)
    first, second = (expected_ndcg(text, "DCG", [n]).value[0] for text in SECOND)
    found = float(first - second)
    assert found == pytest.approx(float(exact), rel=1e-5, abs=1)
    # the first term of its expansion, 0.06 n / (log n)^4, is not the difference
    assert 0.06 * n / math.log(n) ** 4 != pytest.approx(float(exact), rel=0.1)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("pair", "measure", "n", "least_off"),
    [
        (SECOND, "nDCG", 10**7, 0.02),
        (SECOND, "nDCG", 10**10, 0.3),
        (SECOND, "nDCG", 10**18, math.inf),  # trapezoids do not even have the sign
        (upper_half(), "nDCG@0.5n", 10**10, math.inf),
        (upper_half(), "nDCG@0.5n", 10**18, 0.1),
        (GRADED, "DCG", 10**18, 0.05),
        (STEEP, "nDCG@0.4407920418776221n", 10**10, math.inf),
    ],
)
def test_costs_are_those_of_exact_means_and_standard_deviations(
    pair: tuple[str, str], measure: str, n: int, least_off: float
) -> None:
    """The tilt is small there, so that the cost is that of a normal law; by cells alone it is not."""
    a, b = parsed(pair)
    exact, asked = normal_cost(pair, measure, n), Measure.parse(measure)
    assert level_tilt(a, b, asked, n).cost == pytest.approx(exact, rel=0.006)
    if least_off < math.inf:
        assert tilt(a, b, asked, n).cost != pytest.approx(exact, rel=least_off)
    else:
        with pytest.raises(NotAvailableError, match="too close for cells of depth"):
            tilt(a, b, asked, n)


def test_means_that_differ_by_a_constant_in_the_longest_lists() -> None:
    """r^-0.8, equal limits: the order never settles, and neither the cost nor P(wrong) changes with n."""
    a, b = parsed(LIMITS)
    measure = Measure.parse("nDCG(power(0.8))")
    costs = [level_tilt(a, b, measure, n).cost for n in (10**9, 10**12, 10**15, 10**18)]
    np.testing.assert_allclose(costs, costs[0], rtol=0.01)
    with pytest.raises(NotAvailableError, match="too close for cells of depth"):
        tilt(a, b, measure, 10**18)
    rows = predict_pair(*LIMITS, "nDCG(power(0.8))", [10**12, 10**18]).rows
    chances = [10 ** (row.wrong.log10 or -math.inf) for row in rows]
    assert chances[0] == pytest.approx(chances[1], rel=0.02)


@pytest.mark.parametrize("measure", ["nDCG", "nDCG(zipf)", "nDCG(power(0.7))", "nDCG@0.2n", "nDCG@10"])
@pytest.mark.parametrize("n", [10, 1000, 10**8])
def test_everywhere_else_the_tilt_is_that_of_cells(measure: str, n: int) -> None:
    a, b = Relevance.parse("linear(0.1, 0.5)"), Relevance.parse("linear(0.2, 0.4)")
    found, on_cells = level_tilt(a, b, Measure.parse(measure), n), tilt(a, b, Measure.parse(measure), n)
    assert found.cost + found.blur == pytest.approx(on_cells.cost, rel=1e-12)
    assert (found.blur > 0) == (measure == "nDCG@0.2n" and n == 10**8)
    np.testing.assert_array_equal(found.sides[0].tilted, on_cells.sides[0].tilted)


def test_what_has_no_tilt_is_refused() -> None:
    a, b = parsed(SECOND)
    with pytest.raises(NotAvailableError, match="the same relevance curve"):
        level_tilt(a, a, Measure("log"), 100)
    with pytest.raises(
        NotAvailableError, match="the same mean DCG"
    ):  # the mean rank of relevant items decides
        level_tilt(*parsed(("linear(0.1, 0.5)", "polynomial(0.4, 0.2, -0.6)")), Measure("linear"), 100)
    behind = level_tilt(a, b, Measure("log"), 10**18, -level_tilt(a, b, Measure("log"), 10**18).leader)
    assert (behind.theta, behind.cost) == (0.0, 0.0)
