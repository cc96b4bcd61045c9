"""The exponent of the wrong order, where leading terms differ and where they agree."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pytest
from robustness.level_pairs import CERTAIN_TOPS, level_pair, power
from scipy.integrate import quad

from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.measures.cutoffs import Cutoff
from ndcg_asymptotics.measures.growth import UNKNOWN_GROWTH, CutoffGrowth
from ndcg_asymptotics.populations import Relevance, Scorer
from ndcg_asymptotics.theory.limits import limit
from ndcg_asymptotics.theory.limits.extrapolation import extrapolated_limit
from ndcg_asymptotics.theory.limits.leading_terms import leading_gap
from ndcg_asymptotics.theory.orders import error_exponent, level_tilt, log_wrong_probability, tilt
from ndcg_asymptotics.theory.orders.order import order_in_expectation
from ndcg_asymptotics.theory.prediction import predict

LEVEL = ("polynomial(0.5, -0.8, 0.9)", "constant(0.4)")  # int (m_a - m_b)(t) log t dt = 0
TOPS = ("linear(0, 1)", "linear(1, 0)")
OTHER_AT_THE_TOP = (
    "piecewise(0=0.5, 0.25=0.3, 0.5=0.5, 1=0.5)",
    "piecewise(0=0.3, 0.25=0.5, 0.5=0.3, 1=0.7)",
)
OTHER_BELOW_HALF = (
    "piecewise(0=0.4, 0.5=0.4, 0.75=0.6, 1=0.4)",
    "piecewise(0=0.4, 0.5=0.4, 0.75=0.4, 1=0.8)",
)
EQUAL_TOPS = "piecewise(0=0.5, 0.5=0.5, 1=0.35)", "piecewise(0=0.5, 0.5=0.35, 1=0.65)"
GRADED_TOPS = (
    "graded(2=piecewise(0=0.2, 0.5=0.2, 1=0.2), 1=piecewise(0=0.2, 0.5=0.2, 1=0.1))",
    "graded(2=piecewise(0=0.2, 0.5=0.2, 1=0.2), 1=piecewise(0=0.2, 0.5=0.1, 1=0.3))",
)
LIMITS_LEVEL = ("polynomial(0.54, -0.96, 1.32)", "constant(0.5)")  # under r^-0.8


def exponent(pair: tuple[str, str], measure: str) -> tuple[float | None, str]:
    a, b, asked = Relevance.parse(pair[0]), Relevance.parse(pair[1]), Measure.parse(measure)
    found = error_exponent(a, b, asked)
    assert found == error_exponent(b, a, asked)
    assert found.consistent or not found.exponent
    return found.exponent, found.reason


@pytest.mark.parametrize(
    ("pair", "measure", "expected", "words"),
    [
        # Theorem D: the log discount always settles the order, unless the curves are the same
        (LEVEL, "nDCG@n", 1.0, "n/(log n)^2"),
        (("polynomial(0.5, -0.4)", "polynomial(0.4, 0, -0.3)"), "nDCG@0.5n", 1.0, "a share of all items"),
        (OTHER_AT_THE_TOP, "nDCG@0.5n", 1.0, "n/(log n)^2"),
        (OTHER_BELOW_HALF, "nDCG@0.5n", 0.0, "never settles"),
        # Theorem E
        (LIMITS_LEVEL, "nDCG(power(0.8))", 0.0, "never settles"),
        # Theorem F
        (TOPS, "nDCG@10", 0.0, "no faster than a power of n"),
        (TOPS, "nDCG(power(1.2))@1", 0.0, "no faster than a power of n"),
        (TOPS, "nDCG@5log(n)", 0.0, "no faster than a power of n"),
        # Theorem C holds for every k, but at k = c log n the wrong order dies out like a power of n only
        (("step(0.4, 0.6, 0.5)", "step(0.6, 0.4, 0.5)"), "nDCG(constant)@5log(n)", 0.0, "grows like log n"),
        (TOPS, "nDCG@n/log(n)", 1.0, "cutoff"),
        (("step(0, 1, 0.5)", "step(1, 0, 0.5)"), "nDCG@n^0.5", 1.0, "a share of all items"),
        # Theorem B: labels that are possible just below the top turn over as well
        (TOPS, "nDCG(zipf)", 0.5, "the labels of the first n^"),
        (("step(0, 1, 0.5)", "step(1, 0, 0.5)"), "nDCG(zipf)", 1.0, "a share of all items"),
        (("step(0, 1, 0.5)", "constant(0.5)"), "nDCG(zipf)@n^0.6", 0.6, "the labels of the first n^"),
        (("step(0, 1, 0.5)", "constant(0.5)"), "nDCG(zipf)@n/log(n)", 1.0, "the labels of the first n^"),
        (("linear(0, 1)", "constant(0.5)"), "nDCG@10", 0.0, "never settles"),
        (("linear(1, 0)", "constant(0.5)"), "nDCG(geometric(2))", 0.0, "no faster than a power of n"),
        (("linear(0.6, 0)", "polynomial(0, 0, 0.9)"), "nDCG(geometric(2))", None, "what lies below"),
        # the same value at a random top
        (("linear(0.2, 0.5)", "polynomial(0.5, 0, -0.45)"), "nDCG@5log(n)", 0.0, "never settles"),
        (("linear(0.2, 0.5)", "polynomial(0.5, 0, -0.45)"), "nDCG@n^0.4", 0.0, "never settles"),
        (("linear(0.2, 0.5)", "polynomial(0.5, 0, -0.45)"), "nDCG(zipf)", 0.0, "never settles"),
        (("linear(0.2, 0.5)", "polynomial(0.5, 0, -0.45)"), "nDCG@n/log(n)", 1.0, "slopes"),
        (("linear(0.2, 0.5)", "polynomial(0.5, 0, -0.45)"), "nDCG(zipf)@n/log(n)", 0.0, "never settles"),
        # Theorem G: the slopes at equal tops
        (EQUAL_TOPS, "nDCG(constant)@n^0.8", 0.4, "slopes"),
        (EQUAL_TOPS, "nDCG(linear)@n^0.7", 0.1, "slopes"),
        (EQUAL_TOPS, "nDCG(power(0.5))@n^0.9", 0.7, "slopes"),
        (EQUAL_TOPS, "nDCG(power(0.6))@n^0.9", 0.65, "slopes"),  # ((2 - b) a - 1) / (1 - b) beyond b = 1/2
        (GRADED_TOPS, "nDCG@n^0.8", 0.4, "slopes"),
        (EQUAL_TOPS, "nDCG@n^0.6", 0.0, "never settles"),
        (EQUAL_TOPS, "nDCG(zipf)@n^0.9", 0.0, "never settles"),
        # slopes that agree, and no slope at all: d t^s with s other than 1
        (("polynomial(0.5, 0, 0.3)", "polynomial(0.5, 0, 0, 0.4)"), "nDCG@n^0.9", None, "slopes agree"),
        (("polynomial(0.5, 0, 0.3)", "polynomial(0.5, 0, 0, 0.4)"), "nDCG@n^0.6", 0.0, "never settles"),
        (("cusp(0.2, 0.5, 0.1)", "cusp(0.172727272727273, 0.5, 0.2)"), "nDCG@n^0.4", None, "what lies below"),
        # certain tops that are equal
        (("linear(0.6, 0)", "polynomial(0, 0, 0.9)"), "nDCG@n^0.8", None, "what lies below"),
    ],
)
def test_exponents(pair: tuple[str, str], measure: str, expected: float | None, words: str) -> None:
    found, reason = exponent(pair, measure)
    assert found == (None if expected is None else pytest.approx(expected))
    assert words in reason


@pytest.mark.parametrize(("tops", "helped"), CERTAIN_TOPS)
def test_certain_and_different_tops_with_the_same_limit(tops: Any, helped: bool) -> None:
    """r^-0.8, Theorem E (b), (c): labels near the top that help the loser turn the order, if possible."""
    pair = level_pair(np.random.default_rng(3), [power(0.8)], 1.0, tops, len(tops[0]))
    found, reason = exponent(pair, "nDCG(power(0.8))")
    assert found == pytest.approx(0.0 if helped else 0.6)
    assert ("no faster than a power of n" if helped else "only the labels at the top differ") in reason
    assert exponent(pair, "nDCG(power(0.8))@0.9n")[0] == 1.0  # there the limits differ


def test_the_constant_of_theorem_d() -> None:
    """cost / (n / log^2 n) -> mu_2^2 / (2 v), approached like 1/log n; the first moment alone would say 0."""
    a, b = map(Relevance.parse, LEVEL)
    p, s = 0.4, np.linspace(-40, 0, 400_001)
    t = np.exp(s)

    def mean(f: np.ndarray) -> float:
        return float(np.trapezoid(f * t, s))

    v, gaps, curves = 0.0, [], [0.5 - 0.8 * t + 0.9 * t * t, 0.4 + 0 * t]
    for m in curves:
        steps = (m[1:] + m[:-1]) / 2 * np.diff(s)
        push = np.append(np.cumsum(steps[::-1])[::-1], 0.0)  # int_t^1 m(u) / u du
        sides = (m, p, -s - push), (1 - m, 1 - p, -push)
        means = [mean(density * h) / mass for density, mass, h in sides]
        v += sum(mean(density * (h - of) ** 2) for (density, _, h), of in zip(sides, means, strict=True))
        gaps.append(means[0] - means[1])
    v += p * (1 - p) * (gaps[0] - gaps[1]) ** 2
    constant = mean((curves[0] - curves[1]) * s**2) ** 2 / (2 * v)
    sizes = [10**10, 10**13, 10**16]
    found = [level_tilt(a, b, Measure("log"), n).cost * math.log(n) ** 2 / n for n in sizes]
    assert all(abs(ratio / constant - 1) < 6 / math.log(n) for ratio, n in zip(found, sizes, strict=True))
    # the exponents 0 and 4 of log n would be seen: ratios of 1.9 and more between these sizes
    assert max(found) / min(found) < 1.1


@pytest.mark.parametrize(
    ("pair", "measure"),
    [
        (("linear(0.2, 0.6)", "linear(0.45, 0.35)"), "nDCG(zipf)"),
        (("linear(0.1, 0.8)", "linear(0.6, 0.3)"), "nDCG(zipf)@n^0.7"),
        (("linear(0.1, 0.8)", "linear(0.6, 0.3)"), "nDCG(zipf)@n/log(n)"),
        (("graded(3=linear(0.1, 0.3))", "graded(3=linear(0.25, 0.15))"), "nDCG(zipf)"),
        # gain 3 is impossible near the top of the second scorer, and gain 0 near that of the first
        (
            (
                "graded(3=step(0.3, 0.1, 0.5), 1=linear(0.1, 0.3))",
                "graded(3=step(0, 0.4, 0.5), 1=linear(0.3, 0.1))",
            ),
            "nDCG(zipf)",
        ),
        (
            (
                "graded(3=step(0.5, 0.1, 0.5), 1=step(0.5, 0.1, 0.5))",
                "graded(3=constant(0.3), 1=constant(0.3))",
            ),
            "nDCG(zipf)@n^0.7",
        ),
    ],
)
def test_the_first_labels_turn_over_at_the_cost_of_the_tilt(pair: tuple[str, str], measure: str) -> None:
    """1/r: the cost of the tilted law, which is found by iteration, grows like n to the exponent."""
    a, b = map(Relevance.parse, pair)
    found = error_exponent(a, b, Measure.parse(measure)).exponent
    assert found is not None
    costs = [tilt(a, b, Measure.parse(measure), n).cost for n in (10**15, 10**18)]
    slope = math.log(costs[1] / costs[0]) / math.log(1e3)
    assert found == pytest.approx(slope, rel=0.03)
    assert found * 1.1 != pytest.approx(slope, rel=0.03)


def test_labels_that_are_impossible_at_the_very_top_only() -> None:
    """1/r, tops 1 and 0: kappa = 1/2 with the labels just below, each at the cost of a logarithm of n."""
    a, b = map(Relevance.parse, TOPS)
    costs = [tilt(a, b, Measure("zipf"), n).cost / math.log(n) for n in (10**15, 10**18)]
    assert math.log(costs[1] / costs[0]) / math.log(1e3) == pytest.approx(0.5, abs=0.01)


@dataclass(frozen=True)
class SquaredLog(Cutoff):
    """k(n) = (log n)^2 or, if ``known`` is False, the same without a growth."""

    known: bool = True
    keyword: ClassVar[str] = "log(n)^2"

    @property
    def growth(self) -> CutoffGrowth:
        return CutoffGrowth(1.0, 0.0, 2.0) if self.known else UNKNOWN_GROWTH

    def exact(self, n: int) -> int:
        return math.ceil(math.log(n) ** 2)

    def __str__(self) -> str:
        return "log(n)^2"


def test_a_cutoff_of_log_n_squared_is_consistent_with_the_exponent_0() -> None:
    """-log P is a multiple of k = (log n)^2, and under 1/r of k^kappa, here with kappa = 0.2 and 0.5."""
    pair = Relevance.parse("linear(0.2, 0.6)"), Relevance.parse("linear(0.45, 0.35)")
    found = error_exponent(*pair, Measure("log", SquaredLog()))
    assert (found.exponent, found.consistent) == (0.0, True)
    few = error_exponent(*pair, Measure("zipf", SquaredLog()))
    assert (few.exponent, few.consistent, few.settles) == (0.0, False, True)
    first, second = map(Relevance.parse, TOPS)
    even = error_exponent(first, second, Measure("zipf", SquaredLog()))
    assert (even.exponent, even.consistent) == (None, None)


@pytest.mark.parametrize("discount", ["log", "zipf", "power(0.7)", "constant"])
def test_a_cutoff_of_unknown_growth(discount: str) -> None:
    measure = Measure(discount, SquaredLog(known=False))
    a, b = Relevance.parse("linear(0.2, 0.6)"), Relevance.parse("linear(0.45, 0.35)")
    found = error_exponent(a, b, measure)
    assert (found.exponent, found.settles, found.consistent) == (None, None, None)
    assert found.reason == limit(a, measure).reason == "how the cutoff log(n)^2 grows is not known"
    assert limit(a, measure).value is limit(a, measure).converges is None
    assert leading_gap(a, measure) is None
    path = extrapolated_limit(a, measure)
    assert (math.isinf(path.error), path.reason) == (True, found.reason)
    few = limit("relevant(2, roc_power(0.4))", measure)
    assert (few.value, few.reason) == (None, found.reason)
    assert order_in_expectation(a, b, measure).consistent is None
    # exact means and the first ranks of a summable discount need no growth
    assert predict(a, measure, 100)[0].expectation == pytest.approx(0.56, abs=0.03)
    assert error_exponent(a, b, Measure("geometric(2)", SquaredLog(known=False))).consistent is False


@pytest.mark.parametrize(("cost", "std"), [(8.0, 4.0), (3.0, 0.5), (40.0, 9.0)])
def test_the_probability_of_a_tilt_is_an_integral(cost: float, std: float) -> None:
    """exp(-cost) E[exp(-X); X > 0] for X ~ N(0, s^2)."""
    whole = quad(lambda x: math.exp(-x - x * x / (2 * std**2)), 0, math.inf)[0]
    exact = whole / (std * math.sqrt(2 * math.pi))
    assert log_wrong_probability(cost, std) == pytest.approx(math.log(exact) - cost, abs=1e-8)


@pytest.mark.parametrize("measure", ["nDCG", "nDCG@10", "nDCG(zipf)"])
def test_exponents_with_a_fixed_number_of_relevant_items_are_not_known(measure: str) -> None:
    a, b = (Scorer.parse(f"relevant(1, roc_power({kappa}))") for kappa in (0.4, 0.6))
    found = error_exponent(a, b, Measure.parse(measure))
    assert (found.exponent, found.settles) == (None, None)
    assert "not known" in found.reason
