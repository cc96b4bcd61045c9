"""Exact means and standard deviations with a fixed number of relevant items, against exact enumeration."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import mpmath
import numpy as np
import pytest
from oracles import label_orders
from oracles.discounts import DISCOUNTS
from oracles.naive import ndcg
from random_curves import random_measure
from scipy.special import gammaln, ndtr

from ndcg_asymptotics.core.errors import InputError
from ndcg_asymptotics.populations import FixedCounts, Scorer
from ndcg_asymptotics.theory.deviation import difference_std, ndcg_std
from ndcg_asymptotics.theory.mean import expected_ndcg
from ndcg_asymptotics.theory.rules.law_panels import law_panels

KNOWN = [d for d in DISCOUNTS if not d.startswith(("custom", "clipped", "power(40)", "constant"))]
CUTOFFS = ["", "@1", "@2", "@7", "@10", "@100", "@0.05n", "@0.5n", "@n^0.5", "@7.62log(n)"]


def exact_mean_of_one_item(kappa: float, n: int, discount: Any, k: int) -> float:
    """``sum_r D(r)/D(1) C(n-1, r-1) int kappa t^(kappa-1) t^(r-1) (1-t)^(n-r) dt``, by beta functions."""
    with mpmath.workdps(40):
        x, total = mpmath.mpf(kappa), mpmath.mpf(0)
        for r in range(1, k + 1):
            chance = x * mpmath.exp(
                mpmath.loggamma(n) - mpmath.loggamma(r) + mpmath.loggamma(r - 1 + x) - mpmath.loggamma(n + x)
            )
            total += chance * discount(r)
        return float(total / discount(1))


@pytest.mark.slow
def test_random_means_of_one_item(effort):
    """``--effort 16`` tests 320 laws, cutoffs and lengths to 1e18 against sums of beta functions."""
    rng = np.random.default_rng(3)
    discounts = {
        "log": lambda r: 1 / mpmath.log(1 + r),
        "zipf": lambda r: mpmath.mpf(1) / r,
        "power(0.5)": lambda r: 1 / mpmath.sqrt(r),
        "geometric(2)": lambda r: mpmath.mpf(2) ** -r,
    }
    for _ in range(20 * effort):
        kappa, name = round(float(rng.uniform(0.05, 4)), 3), str(rng.choice(list(discounts)))
        n, k = round(10 ** rng.uniform(0, 18)), int(rng.integers(1, 31))
        exact = exact_mean_of_one_item(kappa, n, discounts[name], min(k, n))
        found = expected_ndcg(f"relevant(1, roc_power({kappa}))", f"nDCG({name})@{k}", [n])
        assert abs(found.value[0] - exact) <= found.error[0] + 1e-15, (kappa, name, n, k)
        assert found.value[0] == pytest.approx(exact, rel=1e-10)


def fraction(rng: np.random.Generator, low: float, high: float) -> Fraction:
    return Fraction(int(rng.integers(math.ceil(20 * low), math.floor(20 * high) + 1)), 20)


def random_roc(rng: np.random.Generator) -> tuple[str, label_orders.Density]:
    kappa = fraction(rng, 0.05, 1.0) if rng.random() < 0.7 else fraction(rng, 1.0, 4.0)
    if rng.random() < 0.6:
        return f"roc_power({float(kappa)})", label_orders.power(kappa)
    b = int(rng.integers(1, 4))
    return f"roc_beta({float(kappa)}, {b})", label_orders.beta(kappa, b)


def random_curve(rng: np.random.Generator, most: float) -> tuple[str, label_orders.Density]:
    low, high = sorted((fraction(rng, 0.0, most), fraction(rng, 0.05, most)))
    if rng.random() < 0.5:
        if rng.random() < 0.2:
            low, high = high, low
        return f"linear({float(low)}, {float(high)})", {Fraction(0): high, Fraction(1): low - high}
    alpha = fraction(rng, 0.2, 3.0)
    low = min(low, high - Fraction(1, 20))
    return f"cusp({float(low)}, {float(high)}, {float(alpha)})", {Fraction(0): high, alpha: low - high}


def random_model(
    rng: np.random.Generator, longest: int
) -> tuple[str, list[float], list[label_orders.Density], list[int]]:
    """A spec, gains and densities with those of irrelevant items last, and label counts of a list."""
    n, graded, roc = int(rng.integers(1, longest + 1)), rng.random() < 0.3, rng.random() < 0.6
    longer = roc and not graded and rng.random() < 0.5  # few orders are possible
    if longer:
        n = int(rng.integers(13, 41))
    if graded and n > 1:
        counts = [int(x) for x in rng.integers(0, min(n // 2, 2) + 1, 2)]
        counts[int(rng.integers(2))] += not sum(counts)
        parts = [random_roc(rng) if roc else random_curve(rng, 0.45) for _ in range(2)]
        gains, numbers = [3.0, 1.0, 0.0], f"3={counts[0]}, 1={counts[1]}"
        text = f"relevant({numbers}, graded(3={parts[0][0]}, 1={parts[1][0]}))"
    else:
        counts, gains = [int(rng.integers(1, min(n, 2 if longer else 4) + 1))], [1.0, 0.0]
        parts = [random_roc(rng) if roc else random_curve(rng, 1.0)]
        text = f"relevant({counts[0]}, {parts[0][0]})"
    densities = [density for _, density in parts]
    uniform = {Fraction(0): Fraction(1)}
    return (
        text,
        gains,
        [*densities, uniform] if roc else label_orders.given_label(densities),
        [*counts, n - sum(counts)],
    )


def wrong_values(rng: np.random.Generator, cases: int, longest: int) -> list[Any]:
    wrong = []
    for _ in range(cases):
        try:
            text, gains, densities, counts = random_model(rng, longest)
            Scorer.parse(text)
        except (InputError, ZeroDivisionError):  # a curve that is 0, or has no irrelevant items
            continue
        n = sum(counts)
        law = list(label_orders.sequence_law(densities, counts))
        weights = np.array([chance for _, chance in law])
        assert weights.sum() == pytest.approx(1, abs=1e-12)
        labels = [[gains[grade] for grade in order] for order, _ in law]
        for _ in range(3):
            measure = random_measure(rng, KNOWN, CUTOFFS)
            k, name = min(measure.cutoff(n), n), str(measure.discount)
            values = np.array([ndcg(row, lambda r, d=name, m=n: DISCOUNTS[d](r, m), k) for row in labels])
            mean = float(weights @ values)
            std = math.sqrt(float(weights @ (values - mean) ** 2))
            found, spread = expected_ndcg(text, measure, [n]), ndcg_std(text, measure, [n])
            off = abs(found.value[0] - mean) > found.error[0] + 1e-12
            # the root of rounding in a variance near 0
            error = 2 * std * spread.error[0] + spread.error[0] ** 2 + 1e-12
            if (
                off
                or found.error[0] > 1e-9
                or abs(spread.value[0] ** 2 - std**2) > error
                or error > 1e-7 + 1e-3 * std
            ):
                wrong.append((text, str(measure), n, found, mean, spread, std))
    return wrong


@pytest.mark.parametrize("base", ["1.01", "1.0001", "1.000001"])
def test_a_discount_that_hardly_falls(base):
    """The variance is 1e-5 to 1e-13 of the mean products that it is a difference of."""
    densities = label_orders.given_label([{Fraction(0): Fraction(17, 20), Fraction(1): Fraction(-12, 20)}])
    mpmath.mp.dps = 40
    discounts = [mpmath.mpf(base) ** -r for r in range(1, 8)]
    law = [
        (chance, [d for d, grade in zip(discounts, order, strict=True) if grade == 0])
        for order, chance in label_orders.sequence_law(densities, [3, 4])
    ]
    whole = mpmath.fsum(mpmath.mpf(float(chance)) for chance, _ in law)
    first, second = (
        mpmath.fsum(mpmath.mpf(float(chance)) * mpmath.fsum(gained) ** power for chance, gained in law)
        / whole
        for power in (1, 2)
    )
    exact = float(mpmath.sqrt(second - first**2) / mpmath.fsum(discounts[:3]))
    found = ndcg_std("relevant(3, linear(0.25, 0.85))", f"nDCG(geometric({base}))", [7])
    assert abs(found.value[0] - exact) <= found.error[0] < 1e-3 * exact


@pytest.mark.slow
def test_lists_of_one_to_twelve_items_against_enumeration(effort):
    """``--effort 64`` tests 320 models, each under three measures; one or two items in up to 40 as well."""
    assert not wrong_values(np.random.default_rng(2), 5 * effort, 12)


@pytest.mark.parametrize("n", [10**12, 10**18])
def test_a_cutoff_above_which_relevant_items_are_rare(n: int) -> None:
    """With F(t) = t^kappa one of R has rank r with chance R kappa Gamma(r - 1 + kappa)/Gamma(r) n^-kappa.

    Two of them are above rank 10 with a chance that is smaller by n^-kappa, or 1e-11.
    """
    kappa, r = 0.9, np.arange(1.0, 11.0)
    chance = 5 * kappa * np.exp(gammaln(r - 1 + kappa) - gammaln(r) - kappa * math.log(n))
    discount = 1 / np.log2(1 + r)
    ideal = discount[:5].sum()
    found = ndcg_std(f"relevant(5, roc_power({kappa}))", "nDCG@10", [n])
    assert found.value[0] == pytest.approx(math.sqrt(chance @ discount**2) / ideal, rel=1e-7)
    assert found.error[0] < 1e-6 * found.value[0]


def test_differences():
    # labels are not random, so two scorers are independent
    first, other = (ndcg_std(f"relevant(2, roc_power({k}))", "nDCG", [50]).value[0] for k in (0.4, 0.6))
    pair = difference_std("relevant(2, roc_power(0.4))", "relevant(2, roc_power(0.6))", "nDCG", [50])
    assert pair.value[0] == pytest.approx(math.hypot(first, other), abs=1e-10)


def test_lists_that_are_too_short():
    for function in (expected_ndcg, ndcg_std):
        with pytest.raises(InputError, match="n: lists with 3 relevant items have n >= 3, got 2"):
            function("relevant(3, roc_power(0.4))", "nDCG", [2, 5])


@pytest.mark.slow
def test_the_deviation_of_three_grades_with_a_cutoff():
    """Against a sum over the depth of the rank below the cutoff and the grades above it."""
    scorer = "relevant(7=2, 3=3, 1=5, graded(7=roc_power(0.3), 3=roc_power(0.5), 1=roc_power(0.7)))"
    std = ndcg_std(scorer, "nDCG(geometric(1.2))@10", [100])
    assert std.value[0] == pytest.approx(0.2009211843, abs=1e-9)


@pytest.mark.parametrize("separation", [-8.0, -6.0])
@pytest.mark.parametrize("n", [10, 1000])
def test_a_relevant_item_that_is_nearly_always_last(separation, n):
    """Its depth is 1 - Phi(separation - z), z standard normal, which in double precision is nearly 1."""
    scorer = f"relevant(1, roc_binormal({separation:g}))"
    assert len(law_panels(FixedCounts.parse(scorer), n, n).t) < 200  # some 600,000 for -8 and n = 1000 once
    z = np.linspace(-12.0, 12.0 - separation, 20_001)
    weights = np.exp(-(z**2) / 2) * (z[1] - z[0]) / math.sqrt(2 * math.pi)
    share = ndtr(separation - z)[:, None]  # of the irrelevant items below it
    share = share[weights > 1e-30]
    weights = weights[weights > 1e-30]
    below = np.arange(float(n))
    logs = gammaln(n) - gammaln(below + 1) - gammaln(n - below)
    gained = (n - below) ** -0.5 - n**-0.5
    mean = second = 0.0
    for part in np.array_split(np.arange(len(weights)), 40):
        chances = np.exp(logs + below * np.log(share[part]) + (n - 1 - below) * np.log1p(-share[part]))
        mean += weights[part] @ (chances @ gained)
        second += weights[part] @ (chances @ gained**2)
    found = expected_ndcg(scorer, "nDCG(power(0.5))", [n])
    assert abs(found.value[0] - n**-0.5 - mean) <= found.error[0] + 1e-15
    std, exact = ndcg_std(scorer, "nDCG(power(0.5))", [n]), math.sqrt(second - mean**2)
    assert abs(std.value[0] - exact) <= std.error[0] + 1e-9 * exact
    assert std.error[0] < 1e-6 * exact


def test_all_relevant_items_below_the_cutoff() -> None:
    """One of the first 10 of 1e18 items is relevant with a probability below 1e-40."""
    found = ndcg_std("relevant(2, roc_beta(2.55, 1.2))", "nDCG@10", [10**18])
    assert found.value.tolist() == [0.0]
