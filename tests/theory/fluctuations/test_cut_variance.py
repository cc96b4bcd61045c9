"""The variance with a cutoff against draws of whole lists."""

import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from oracles import first_labels, naive
from oracles.deviations import Pieces, moments
from oracles.discounts import DISCOUNTS
from scipy import stats

from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.populations import Relevance
from ndcg_asymptotics.theory.fluctuations import difference_std, ndcg_std
from ndcg_asymptotics.theory.fluctuations.cut_moments import depths_at_cutoff
from ndcg_asymptotics.theory.fluctuations.cut_rules import CutIdeal
from ndcg_asymptotics.theory.fluctuations.effort import FINE, ROUGH, USUAL, Effort
from ndcg_asymptotics.theory.fluctuations.variance import ndcg_moments
from ndcg_asymptotics.theory.mean import expected_ndcg
from ndcg_asymptotics.theory.rules.mesh import Mesh

Curves = dict[float, list[Fraction]]

LINEAR, BLANK = Relevance.of("linear(0.1, 0.7)"), Relevance.of("constant(0.4)")


@pytest.mark.slow
@pytest.mark.parametrize(("discount", "cutoff", "k"), [("linear", "@0.1n", 30), ("geometric(2)", "@10", 10)])
def test_draws(discount: str, cutoff: str, k: int) -> None:
    n, count, rng = 300, 40_000, np.random.default_rng(11)
    weights = DISCOUNTS[discount](np.arange(1.0, k + 1), n)
    found = []
    for _ in range(count // 4000):
        depth = np.sort(rng.random((4000, n)), axis=1)
        label = rng.random(depth.shape) < 0.7 - 0.6 * depth
        found.append(np.column_stack([label[:, :k] @ weights, rng.permuted(label, axis=1)[:, :k] @ weights]))
    a, b = np.concatenate(found).T / weights.sum()
    for draws, scorers in ((a, (LINEAR,)), (a - b, (LINEAR, BLANK))):
        squares = (draws - draws.mean()) ** 2
        error = squares.std() / math.sqrt(count)
        mean, variance, *_ = ndcg_moments(scorers, Measure.of(f"nDCG({discount}){cutoff}"), n)
        assert abs(draws.mean() - mean) < 5 * draws.std() / math.sqrt(count)  # false alarm: 6e-7 each
        assert abs(squares.mean() - variance) < 5 * error
        assert abs(squares.mean() - 1.1 * variance) > 5 * error


def test_the_mean_of_a_straight_curve() -> None:
    """E[DCG@k] = sum_r D(r) (0.7 - 0.6 r / (n + 1))."""
    r = np.arange(1.0, 11.0)
    weights = 0.5**r
    expected = weights @ (0.7 - 0.6 * r / 301) / weights.sum()
    mean, *_ = ndcg_moments((LINEAR,), Measure.of("nDCG(geometric(2))@10"), 300)
    assert mean == pytest.approx(expected, abs=1e-11)


@pytest.mark.parametrize("effort", [ROUGH, USUAL, FINE])
def test_the_depth_of_the_cutoff_between_breakpoints(effort: Effort) -> None:
    """The depth of the item at rank k + 1 has the law Beta(k + 1, n - k), with or without a kink."""
    n, k, breaks = 4000, 800, (0.193, 0.2, 0.203)
    curve = Relevance.of("piecewise(0=0.5, 0.193=0.3, 0.2=0.25, 0.203=0.1, 1=0)")
    pieces = depths_at_cutoff(Mesh.of(curve, n, effort.refine), k, n, effort)
    t, weights = (np.concatenate(part) for part in zip(*pieces, strict=True))
    law = stats.beta(k + 1, n - k)
    off = 0.01 * effort.digits + 10 * effort.negligible  # pieces of negligible weight are left out
    assert (t - law.mean()) ** 2 @ weights == pytest.approx(law.var(), rel=off)
    for b in breaks:
        # E (T - b)^+ = E T P(Beta(k + 2, n - k) > b) - b P(T > b)
        expected = law.mean() * stats.beta.sf(b, k + 2, n - k) - b * law.sf(b)
        assert np.maximum(t - b, 0.0) @ weights == pytest.approx(expected, abs=off * law.std())


@pytest.mark.slow
@pytest.mark.parametrize(("scorer", "measure", "n"), [("binormal(0.01, 1.5)", "nDCG@0.2n", 1000)])
def test_few_relevant_items_above_a_cutoff(
    scorer: str, measure: str, n: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """1/IDCG changes over the relevant items, which are fewer than the ranks that count."""
    found = ndcg_std(scorer, measure, [n])
    exact = math.sqrt(ndcg_moments((Relevance.parse(scorer),), Measure.parse(measure), n, FINE).variance)
    assert abs(found.value[0] - exact) <= found.error[0]
    # the nodes for a smooth 1/IDCG are too few
    monkeypatch.setattr(CutIdeal, "scale", 200.0)
    other = replace(USUAL, further=0)  # an equal one would be found in memory
    rough = ndcg_moments((Relevance.parse(scorer),), Measure.parse(measure), n, other)
    assert abs(math.sqrt(rough.variance) - exact) > 10 * abs(found.value[0] - exact)


TENTHS = {1.0: [Fraction(7, 10), Fraction(-6, 10)]}  # P(gain | depth), by powers of the depth
BLANKS = {1.0: [Fraction(4, 10)]}
GRADES = {3.0: [Fraction(2, 10), Fraction(-2, 10)], 1.0: [Fraction(1, 10), Fraction(2, 10)]}
PALE = {3.0: [Fraction(1, 10)], 1.0: [Fraction(2, 10)]}
GRADED, GREY = "graded(3=linear(0, 0.2), 1=linear(0.3, 0.1))", "graded(3=constant(0.1), 1=constant(0.2))"


@pytest.mark.slow
@pytest.mark.parametrize("discount", ["log", "zipf", "geometric(2)", "linear", "constant"])
@pytest.mark.parametrize(
    ("pair", "curves", "n", "k"),
    [
        ((LINEAR, BLANK), (TENTHS, BLANKS), 7, 1),
        ((LINEAR, BLANK), (TENTHS, BLANKS), 7, 3),
        ((LINEAR, BLANK), (TENTHS, BLANKS), 7, 6),
        ((GRADED, GREY), (GRADES, PALE), 4, 2),
    ],
)
def test_every_sequence_of_labels(
    pair: tuple[str, str], curves: tuple[Curves, Curves], n: int, k: int, discount: str
) -> None:
    """Given the label counts the two lists are independent."""
    given: list[dict[tuple[float, ...], list[float]]] = []
    for curve in curves:
        sums: dict[tuple[float, ...], list[float]] = {}
        for labels, chance in naive.label_law(curve, n):
            x = naive.ndcg(labels, lambda r: float(DISCOUNTS[discount](float(r), n)), k)
            powers = sums.setdefault(tuple(sorted(labels)), [0.0, 0.0, 0.0])
            for power in range(3):
                powers[power] += float(chance) * x**power
        given.append(sums)
    (one, mean, square), (_, other, squared) = (np.sum(list(sums.values()), axis=0) for sums in given)
    product = math.fsum(given[0][c][1] * given[1][c][1] / given[0][c][0] for c in given[0])
    of_one = square - mean**2
    of_both = of_one + squared - other**2 - 2 * (product - mean * other)
    measure = f"nDCG({discount})@{k}"
    for found, variance in (
        (ndcg_std(pair[0], measure, [n]), of_one),
        (difference_std(*pair, measure, [n]), of_both),
    ):
        expected = math.sqrt(variance)
        # rounding of the moments of which the variance is the difference
        assert abs(found.value[0] - expected) <= found.error[0] + 1e-15 / expected
        assert found.error[0] < 1e-5 * expected
        assert abs(found.value[0] - 1.0001 * expected) > found.error[0]
    assert one == pytest.approx(1.0)


CURVES = {
    "better at the top": "power(prevalence=0.3, top=0.55, exponent=6)",
    "two grades": GRADED,
    "four grades": "graded(7=linear(0, 0.1), 3=linear(0.01, 0.05), 2=linear(0.05, 0.15), 1=constant(0.2))",
}


@pytest.mark.slow
@pytest.mark.parametrize("cutoff", ["@5", "@0.05n", "@0.3n", "@0.6n"])
@pytest.mark.parametrize(
    ("curve", "effort", "off"),
    [("better at the top", FINE, 1e-9), ("two grades", USUAL, 5e-6)],
)
def test_the_mean_that_comes_with_it(curve: str, effort: Effort, off: float, cutoff: str) -> None:
    """The mean of the same nodes and weights against the exact one, which is found another way."""
    measure, sizes = Measure.of(f"nDCG(power(0.5)){cutoff}"), [8, 30, 1000, 10**9]
    if cutoff == "@0.3n":
        sizes[-1] = 10**18
    expected = expected_ndcg(CURVES[curve], measure, sizes)
    for n, mean, error in zip(sizes, expected.value, expected.error, strict=True):
        if measure.cutoff(n) < n:
            found = ndcg_moments((Relevance.of(CURVES[curve]),), measure, n, effort)
            assert found.mean == pytest.approx(mean, abs=off + error)


@pytest.mark.slow
@pytest.mark.parametrize("n", [60, 10**4])
@pytest.mark.parametrize("cutoff", ["@10", "@0.35n"])
def test_evaluations_are_as_good_as_they_say(n: int, cutoff: str) -> None:
    found = ndcg_std(GRADED, f"nDCG{cutoff}", [n])
    variance = ndcg_moments((Relevance.of(GRADED),), Measure.of(f"nDCG{cutoff}"), n, FINE).variance
    assert abs(found.value[0] - math.sqrt(variance)) <= found.error[0] < 2e-3 * found.value[0]


@pytest.mark.slow
@pytest.mark.parametrize(("law", "n", "k"), [((0.2, 0.05), 300, 62), ((0.3, 0.1), 1000, 340)])
def test_a_cutoff_that_the_best_grade_may_fill(law: tuple[float, ...], n: int, k: int) -> None:
    """The number of items of either grade or better may lie on both sides of the cutoff."""
    curve, measure = f"graded(3=constant({law[0]}), 1=constant({law[1]}))", f"nDCG@{k}"
    pieces, discounts = Pieces((1.0,), (law,)), DISCOUNTS["log"](np.arange(1.0, n + 1), n)
    discounts[k:] = 0.0
    for found, scorers in (
        (ndcg_std(curve, measure, [n]), [pieces]),
        (difference_std(curve, curve, measure, [n]), [pieces, pieces]),
    ):
        _, expected = moments(scorers, [3.0, 1.0], discounts)
        assert abs(found.value[0] - expected) <= found.error[0] < 2e-3 * expected


@pytest.mark.slow
def test_four_grades_of_which_the_best_are_rare() -> None:
    n, k, count, rng = 30, 9, 40_000, np.random.default_rng(5)
    t = np.sort(rng.random((count, n)), axis=1)
    ends = np.cumsum([0.1 - 0.1 * t, 0.05 - 0.04 * t, 0.15 - 0.1 * t, 0.2 + 0 * t], axis=0)
    u = rng.random(t.shape)
    gain = np.select([u < end for end in ends], [7.0, 3.0, 2.0, 1.0])
    weights = 1 / np.log(np.arange(2.0, k + 2))
    best = np.sort(gain, axis=1)[:, ::-1][:, :k] @ weights
    x = gain[:, :k] @ weights / np.where(best > 0, best, 1.0)
    found = ndcg_std(CURVES["four grades"], "nDCG@0.3n", [n])
    squares = (x - x.mean()) ** 2
    near = 5 * squares.std() / math.sqrt(count)  # false alarm: 6e-7
    assert abs(squares.mean() - found.value[0] ** 2) < near + 2 * found.value[0] * found.error[0]
    assert found.error[0] < 0.01 * found.value[0]
    assert abs(squares.mean() - (1.03 * found.value[0]) ** 2) > near + 2 * found.value[0] * found.error[0]


@pytest.mark.slow
def test_more_lists_than_fit_into_a_lattice_of_numbers() -> None:
    """From every number of labels to their density: n times the variance changes smoothly with n."""
    sizes = [10**5, 10**6, 10**7, 10**8]
    for cutoff in ("@0.4n", "@0.1n"):
        std = ndcg_std(LINEAR, f"nDCG(zipf){cutoff}", sizes)
        slopes = np.diff(np.log(std.value)) / np.log(10)
        assert np.abs(np.diff(slopes)).max() < 0.02
        assert (std.error < 2e-3 * std.value).all()


@pytest.mark.parametrize(("effort", "off"), [(USUAL, 1e-4), (FINE, 1e-9)])
def test_the_longest_lists_have_independent_labels_at_the_top(effort: Effort, off: float) -> None:
    """Var -> sum_r D(r)^2 (q_a (1 - q_a) + q_b (1 - q_b)) / F(10)^2, q the probability at the top."""
    weights = 1 / np.log(np.arange(2.0, 12.0))
    pair = Relevance.of("power(prevalence=0.3, top=0.55, exponent=6)"), Relevance.of("constant(0.3)")
    _, variance, *_ = ndcg_moments(pair, Measure.of("nDCG@10"), 10**12, effort)
    expected = (0.55 * 0.45 + 0.3 * 0.7) * (weights @ weights) / weights.sum() ** 2
    assert variance == pytest.approx(expected, rel=off)


def test_a_steep_discount_and_rare_grades() -> None:
    """F bends sharply at a count of 1. The oracle shares no rule with the evaluation."""
    scorer, measure, n = "graded(2=power(0, 0.3, 3), 1=linear(0.1, 0.3))", Measure.of("nDCG(power(20))@2"), 60
    found = ndcg_std(scorer, measure, [n])
    relevance, weights = Relevance.of(scorer), measure.discount(np.array([1.0, 2.0]))
    expected, other = (
        deviation(*first_labels.values(lambda t: relevance.label_law(t)[1], relevance.gains, weights, m))
        for m in (n, n + 1)
    )
    assert abs(found.value[0] - expected) <= found.error[0] < 1e-6
    assert abs(found.value[0] - other) > found.error[0]


def deviation(values: np.ndarray, chances: np.ndarray) -> float:
    return math.sqrt(float(chances @ (values - chances @ values) ** 2))


@pytest.mark.slow
@pytest.mark.parametrize("measure", ["nDCG@1", "nDCG(linear)@0.3n", "nDCG(power(2))@n^0.5"])
@pytest.mark.parametrize(
    "curve",
    [
        "constant(0)",
        "constant(1)",
        "constant(1e-6)",
        "linear(0, 1)",
        "linear(1, 0)",
        "step(0.3, 0.9, 0.1)",
        "graded(2=constant(0.5), 1=constant(0.5))",
        "graded(3=linear(0, 0.02), 1=linear(0, 0.1))",
    ],
)
def test_extreme_curves(curve: str, measure: str) -> None:
    chosen, relevance = Measure.of(measure), Relevance.of(curve)
    for n in (n for n in (2, 3, 11, 50, 10**6, 9 * 10**18) if chosen.cutoff(n) < n):
        found, exact = ndcg_moments((relevance,), chosen, n, USUAL), expected_ndcg(relevance, chosen, [n])
        assert found.mean == pytest.approx(
            exact.value[0], rel=1e-4, abs=found.missed + exact.error[0] + 1e-15
        )
        assert found.variance > -1e-5 * found.size - 1e-30


@pytest.mark.parametrize("rare", [1.0, 1e-4])
def test_long_lists_of_two_grades_follow_the_delta_method(rare: float) -> None:
    """NDCG@cn under constant is S / (cn + C_2), S the gain of cn items and C_2 <= cn the items of grade 2.

    To first order S is a sum over all items of (Y - m(c)) 1(t < c), with m(c) = E[Y | t = c] at depth c.
    """
    c, n = 0.2, 10**12
    t, dt = np.polynomial.legendre.leggauss(40)
    t, dt = c * (1 + t) / 2, c * dt / 2
    two, one = (lambda t: rare * (0.15 - 0.1 * t)), (lambda t: 0.7 - 0.5 * t)
    at_c = 2 * two(c) + one(c)
    mean, share = float(dt @ (2 * two(t) + one(t))), 0.1 * rare
    ratio = mean / (c + share)
    # the influence of an item is (Y - m(c)) 1(t < c) - ratio 1(Y = 2), over c + share
    means = float(dt @ (2 * two(t) + one(t) - at_c)) - ratio * share
    chances = two(t), one(t), 1 - two(t) - one(t)
    squares = sum(
        float(dt @ (chance * (gain - at_c - ratio * (gain == 2)) ** 2))
        for chance, gain in zip(chances, (2, 1, 0), strict=True)
    )
    below = share - float(dt @ two(t))
    expected = math.sqrt(squares + ratio**2 * below - means**2) / (c + share)
    curve = f"graded(2=linear({0.05 * rare}, {0.15 * rare}), 1=linear(0.2, 0.7))"
    found = ndcg_std(curve, "nDCG(constant)@0.2n", [n])
    assert found.error[0] < 3e-4 * found.value[0]
    assert abs(found.value[0] * math.sqrt(n) - expected) < found.error[0] * math.sqrt(n)
    without = math.sqrt(squares - means**2) / (c + share)  # the items of grade 2 below the cutoff left out
    assert rare < 1 or abs(found.value[0] * math.sqrt(n) - without) > 10 * found.error[0] * math.sqrt(n)


@pytest.mark.parametrize("measure", ["nDCG@0.2n", "nDCG(power(0.5))@0.5n"])
def test_the_errors_of_long_lists_are_small(measure: str) -> None:
    """The variance is below the rounding of a probability."""
    found = ndcg_std(LINEAR, measure, [10**15, 10**17])
    assert (found.error < 1e-4 * found.value).all()
    assert found.value[0] / found.value[1] == pytest.approx(10, rel=0.15)
