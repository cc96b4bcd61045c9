"""The correlation of scorers with a Gaussian copula, against integrals and lists that share no code."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np
import pytest
from numpy.polynomial import Polynomial
from numpy.polynomial.hermite_e import hermegauss
from random_pairs import curve as random_curve
from scipy.special import ndtr
from scipy.stats import binom

from ndcg_asymptotics.core.errors import InputError, NotAvailableError
from ndcg_asymptotics.engines.items import engine
from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.populations import Population, Scorer
from ndcg_asymptotics.studies.design import Design
from ndcg_asymptotics.theory import correlation, difference_std
from ndcg_asymptotics.theory.correlation import _sums
from ndcg_asymptotics.theory.fluctuations.influence import influence

GOOD, FLAT = "linear(0.1, 0.7)", "linear(0.25, 0.55)"
DISCOUNTS = {
    "log": lambda r: 1 / np.log(1 + r),
    "power(0.3)": lambda r: r**-0.3,
    "power(0.45)": lambda r: r**-0.45,
}


@cache
def items_above(others: int) -> np.ndarray:
    """Return the law of the number of items above each of 20,000 depths, (depths, others + 1)."""
    u = (np.arange(20_000) + 0.5) / 20_000
    return np.asarray(binom.pmf(np.arange(others + 1), others, u[:, None]))


class Direct:
    """The influence of an item on a list of n items, from the ranks that it and the others have.

    The probabilities of the gains are polynomials of depth. The mean of DCG given that one item has gain y
    and depth t is a sum over the ranks of this item and, for each of the others, over its rank and on which
    side of it the item is. Those of IDCG are sums over the number of relevant items.
    """

    def __init__(self, gains: list[float], curves: list[Polynomial], n: int, discount) -> None:
        d = discount(np.arange(1.0, n + 1))
        sums = np.concatenate([[0.0], np.cumsum(d)])
        self.gains = np.append(gains, 0.0)
        self.curves = [*curves, 1 - sum(curves)]
        self.law = np.array([c.integ()(1.0) for c in self.curves])
        self.u = (np.arange(20_000) + 0.5) / 20_000
        mean = sum(y * c(self.u) for y, c in zip(gains, curves, strict=True)) / self.u.size
        self.alone = items_above(n - 1) @ d
        above, below = items_above(n - 2) @ d[:-1], items_above(n - 2) @ d[1:]  # of another one that is so
        over, under = mean * above, mean * below
        total = (n - 1) * (np.cumsum(over) - over / 2 + under.sum() - np.cumsum(under) + under / 2)
        reached, steps = np.cumsum(self.law[:-1]), np.array(gains) - np.append(gains[1:], 0.0)
        counts = np.arange(n)
        without = [binom.pmf(counts, n - 1, r) @ sums[:-1] for r in reached]
        with_one = [binom.pmf(counts, n - 1, r) @ sums[1:] for r in reached]
        dcg = n * (mean @ self.alone)
        ideal = n * sum(
            s * (r * w + (1 - r) * o) / n
            for s, r, w, o in zip(steps, reached, with_one, without, strict=True)
        )
        self.psi = []
        for i, y in enumerate(self.gains):
            of_ideal = sum(
                s * (w if i <= j else o)
                for j, (s, w, o) in enumerate(zip(steps, with_one, without, strict=True))
            )
            self.psi.append(
                n * ((y * self.alone + total - dcg) / ideal - dcg / ideal**2 * (of_ideal - ideal))
            )

    def at(self, grade: int, z: np.ndarray) -> np.ndarray:
        """Return psi of an item of a grade whose depth has these normal scores."""
        cdf = self.curves[grade].integ()
        target = ndtr(z) * cdf(1.0)
        low, high = np.zeros_like(z), np.ones_like(z)
        for _ in range(60):
            middle = (low + high) / 2
            low, high = (
                np.where(cdf(middle) < target, middle, low),
                np.where(cdf(middle) < target, high, middle),
            )
        return np.interp(low, self.u, self.psi[grade])


def by_integration(pair: Sequence[Direct], rho: float) -> float:
    """Return the correlation of the sums over items, a double integral over two normal scores."""
    a, b = pair
    x, w = hermegauss(60)
    w = w / w.sum()
    other = rho * x[:, None] + np.sqrt(1 - rho**2) * x
    of_a = of_b = both = 0.0
    for grade, p in enumerate(a.law):
        first, second = a.at(grade, x), b.at(grade, other)
        both += p * (w @ ((first[:, None] * second) @ w))
        of_a, of_b = of_a + p * (w @ first**2), of_b + p * (w @ b.at(grade, x) ** 2)
    return both / np.sqrt(of_a * of_b)


@pytest.mark.slow
@pytest.mark.parametrize("discount", DISCOUNTS)
def test_the_sums_over_items_have_the_correlation_of_a_double_integral(discount: str) -> None:
    n = 20
    a, b = Polynomial([0.7, -0.6]), Polynomial([0.55, -0.3])
    pair = [Direct([1.0], [c], n, DISCOUNTS[discount]) for c in (a, b)]
    for rho in (0.0, 0.5, 0.8):
        found = correlation(GOOD, FLAT, f"nDCG({discount})", [n], rho)
        right, wrong = by_integration(pair, rho), by_integration(pair, rho + 0.01)
        assert abs(found.leading[0] - right) < 5e-6  # of the midpoint rule with 20,000 depths
        assert abs(found.leading[0] - wrong) > 1e-3


@pytest.mark.slow
def test_of_several_grades_every_grade_has_its_copula() -> None:
    high, low = (
        [Polynomial([0.3, -0.2]), Polynomial([0.2, 0.0])],
        [Polynomial([0.1, 0.2]), Polynomial([0.3, -0.2])],
    )
    texts = "graded(3=linear(0.1, 0.3), 1=constant(0.2))", "graded(3=linear(0.3, 0.1), 1=linear(0.1, 0.3))"
    pair = [Direct([3.0, 1.0], curves, 50, DISCOUNTS["log"]) for curves in (high, low)]
    found = correlation(*texts, "nDCG", [50], 0.7).leading[0]
    assert abs(found - by_integration(pair, 0.7)) < 2e-6
    assert abs(found - by_integration(pair, 0.69)) > 1e-3


MEASURES = ("nDCG", "nDCG(power(0.3))", "nDCG(linear)", "nDCG@0.3n", "nDCG(constant)@0.2n", "DCG")


@cache
def drawn_by_measure(rho: float) -> np.ndarray:
    """Return NDCG of 1500 lists of 1000 items that the items engine draws, (lists, scorer, measure)."""
    design = Design(
        Population.of({"a": GOOD, "b": FLAT}, rho), tuple(map(Measure.of, MEASURES)), (1000,), 5, ()
    )
    return engine.simulate_block(design, list(range(1500)))["ndcg"][:, :, :, 0]


def simulated(measure: str, rho: float) -> tuple[float, float]:
    """Return the correlation on these lists, and its standard error."""
    drawn = drawn_by_measure(rho)[:, :, MEASURES.index(measure)]
    lists = len(drawn)
    x, y = ((column - column.mean()) / column.std() for column in drawn.T)
    found = float(np.mean(x * y))
    return found, float(np.std(x * y - found * (x**2 + y**2) / 2) / np.sqrt(lists))


@pytest.mark.slow
@pytest.mark.parametrize("measure", MEASURES)
def test_drawn_lists_have_the_correlation_to_within_the_remainder(measure: str) -> None:
    # 4.5 standard errors: a false alarm in 1.5e5 tests
    for rho in (0.5, 0.8):
        found = correlation(GOOD, FLAT, measure, [1000], rho)
        drawn, error = simulated(measure, rho)
        room = found.error[0] + found.remainder[0] + 4.5 * error
        assert abs(drawn - found.value[0]) < room
        wrong = correlation(GOOD, FLAT, measure, [1000], rho - 0.3)
        assert abs(drawn - wrong.value[0]) > room


def test_the_remainder_bounds_dcg_of_a_few_items() -> None:
    n, rho, lists = 4, 0.9, 400_000
    rng = np.random.default_rng(3)
    labels = rng.random((lists, n)) < 0.4
    normals = rng.normal(size=(2, lists, n))
    normals[1] = rho * normals[0] + np.sqrt(1 - rho**2) * normals[1]
    values = []
    for z, top, bottom in zip(normals, (0.7, 0.55), (0.1, 0.25), strict=True):
        u, depth = ndtr(z), np.empty_like(z)
        for relevant, first, slope in ((True, top, bottom - top), (False, 1 - top, top - bottom)):
            mass = (first + slope / 2) * u  # of the grade above the depth t: first t + slope t^2 / 2
            t = 2 * mass / (first + np.sqrt(first**2 + 2 * slope * mass))
            depth[labels == relevant] = t[labels == relevant]
        order = np.argsort(depth, axis=1)
        values.append(np.take_along_axis(labels, order, axis=1) @ (1 / np.log(np.arange(2.0, n + 2))))
    drawn = np.corrcoef(*values)[0, 1]
    found = correlation(GOOD, FLAT, "DCG", [n], rho)
    error = 5 / np.sqrt(lists)  # a false alarm in 1e6 tests
    assert abs(drawn - found.value[0]) < found.remainder[0] + error
    assert found.remainder[0] < 0.15
    assert abs(drawn - found.leading[0]) > 0.01 > error  # the sums over items alone are not all


def test_long_lists_reach_the_sums_over_items() -> None:
    # with rho = 0 the value is that of the exact standard deviations, which know no influence function
    found = correlation(GOOD, FLAT, "nDCG", [10**6, 10**18], 0.0)
    assert np.all(np.abs(found.value - found.leading) < [2e-3, 1e-5])
    assert found.value.round(3).tolist() == [0.31, 0.376]
    both = correlation(GOOD, FLAT, "nDCG", [10**12], 0.5)
    assert 0 < both.remainder[0] < 1e-4 > abs(both.value[0] - both.leading[0])


@pytest.mark.parametrize("measure", ["nDCG(linear)@0.3n", "nDCG(constant)@0.3n", "nDCG(linear)@0.7n"])
def test_a_cut_profile_is_differentiated_with_its_jump(measure: str) -> None:
    """The influence is the derivative of the limit of NDCG where one item replaces a share e of all."""
    c, p, e = 0.3 if "0.3" in measure else 0.7, 0.4, 1e-6
    phi = Polynomial([1.0]) if "constant" in measure else Polynomial([1.0, -1.0])
    mean = Polynomial([0.7, -0.6])

    def ndcg(e: float, depth: float, y: int) -> float:
        ends = np.clip([c / (1 - e), (c - e) / (1 - e)], [0, depth], [depth, 1])  # of items that count
        dcg = 0.0
        for low, high, rank in (
            (0.0, ends[0], Polynomial([0.0, 1 - e])),
            (depth, ends[1], Polynomial([e, 1 - e])),
        ):
            whole = (mean * phi(rank)).integ()
            dcg += (1 - e) * (whole(high) - whole(low))
        start, most = min((1 - e) * depth, c), min((1 - e) * depth + e, c)
        sums = phi.integ()
        return (dcg + y * (sums(most) - sums(start))) / sums(min(p * (1 - e) + e * y, c))

    found = influence(Scorer.of(GOOD).model, Measure.of(measure), 10**9)
    depths = np.cumsum(found.dt) - found.dt / 2
    for near in np.searchsorted(depths, [0.1, 0.25, 0.35, 0.5, 0.8]):
        for grade, y in enumerate((1, 0)):
            depth = float(depths[near])
            derivative = (ndcg(e, depth, y) - ndcg(0.0, depth, y)) / e
            assert abs(found.psi[grade, near] - derivative) < 0.03  # depths are known to the widths of panels


@pytest.mark.slow
def test_random_curves_agree_with_themselves(effort: int) -> None:
    """With rho = 1 a scorer has correlation 1 with its copy; the terms that are left out are bounded."""
    measures = ["nDCG", "nDCG(power(0.3))", "nDCG(power(0.49))", "nDCG(linear)", "nDCG@0.3n", "DCG"]
    for i in range(20 * effort):
        rng = np.random.default_rng((11, i))
        scorer, measure = Scorer.of(random_curve(rng)).model, Measure.of(str(rng.choice(measures)))
        sums = _sums((scorer, scorer), measure, int(10 ** rng.uniform(0.4, 12)), 1.0, 0.4)
        assert abs(sums.coupled - sums.of_a) <= sums.left_out + 1e-9 * sums.of_a
        half = _sums((scorer, scorer), measure, 1000, 0.5, 0.4)
        assert half.of_a == 0 or half.coupled < 0.99 * half.of_a or half.independent > 0.9 * half.of_a


@pytest.mark.slow
@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("step(0.05, 0.925, 0.6)", "constant(0.4)"),
        ("power(0, 1, 3)", "linear(prevalence=0.25, top=0.5)"),
        ("step(0, prevalence=0.00001, 0.99)", "constant(0.00001)"),
        ("linear(0.998, 1)", "constant(0.999)"),
        ("piecewise(0=1, 0.2=0.1, 0.5=0.6, 1=0)", "power(prevalence=0.365, bottom=0, exponent=0.3)"),
    ],
)
def test_curves_with_steps_and_certain_ends(a: str, b: str) -> None:
    for measure, n in (("nDCG", 1000), ("nDCG(power(0.3))", 10**9)):
        found = correlation(a, b, measure, [n], 0.8)
        assert np.all(np.abs(found.value) <= 1)
        assert np.all(found.error < 0.03)
        none = difference_std(a, b, measure, [n])
        assert np.all(found.difference_std().value < none.value + none.error)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((GOOD, FLAT, "nDCG@10", [100], 0.5), "whole lists and k = cn"),
        ((GOOD, FLAT, "nDCG@n^0.5", [100], 0.5), "whole lists and k = cn"),
        ((GOOD, FLAT, "nDCG(power(0.5))", [100], 0.5), "b < 1/2"),
        ((GOOD, FLAT, "nDCG(geometric(2))", [100], 0.5), "b < 1/2"),
        ((GOOD, FLAT, "nDCG@0.4n", [1000], 0.5), "as likely as"),
        (("step(0.1, 0.85, 0.6)", "constant(0.4)", "nDCG@0.4n", [10**6], 0.5), "as likely as|jumps"),
        (("relevant(1, roc_power(0.4))", "relevant(1, roc_power(0.6))", "nDCG", [100], 0.5), "i.i.d. labels"),
        (("constant(1)", "constant(1)", "nDCG", [100], 0.5), "does not vary"),
        (("mixture(0.5=constant(0.1), 0.5=constant(0.5))",) * 2 + ("nDCG", [100], 0.5), "one curve"),
    ],
)
def test_what_is_not_known_is_refused_in_one_line(arguments: tuple[Any, ...], said: str) -> None:
    with pytest.raises(NotAvailableError, match=said) as caught:
        correlation(*arguments)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("rho", [-1, 1.5, 2.0, float("nan"), float("inf"), "gauss(0.5)", None, True])
def test_what_is_no_coupling_is_refused(rho: object) -> None:
    with pytest.raises(InputError) as caught:
        correlation(GOOD, FLAT, "nDCG", [100], rho)
    assert "\n" not in str(caught.value)
