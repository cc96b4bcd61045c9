"""Exact variances against enumeration, simulation and their order for long lists."""

import math
from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest
from oracles import naive
from oracles.deviations import Pieces, moments
from oracles.discounts import DISCOUNTS

from ndcg_asymptotics.core.errors import InputError
from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.populations import Relevance
from ndcg_asymptotics.theory.fluctuations import difference_std, ndcg_std, variance
from ndcg_asymptotics.theory.fluctuations.effort import FINE, FINER, Effort

LINEAR = "linear(0.1, 0.7)"
TENTHS = {1.0: [Fraction(7, 10), Fraction(-6, 10)]}  # P(gain | depth), by powers of the depth
GRADED = "graded(3=linear(0, 0.2), 1=linear(0.3, 0.1))"
GRADES = {3.0: [Fraction(2, 10), Fraction(-2, 10)], 1.0: [Fraction(1, 10), Fraction(2, 10)]}


def enumerated(curves: dict[float, list[Fraction]], discount: Callable[[int], float], n: int) -> float:
    law = [(naive.ndcg(y, discount), float(w)) for y, w in naive.label_law(curves, n)]
    mean = math.fsum(w * x for x, w in law)
    return math.sqrt(math.fsum(w * (x - mean) ** 2 for x, w in law))


@pytest.mark.slow
@pytest.mark.parametrize("discount", ["log", "power(0.5)", "zipf", "power(2)", "geometric(2)", "linear"])
@pytest.mark.parametrize(
    ("scorer", "curves", "n"), [(LINEAR, TENTHS, 2), (LINEAR, TENTHS, 7), (GRADED, GRADES, 3)]
)
def test_every_sequence_of_labels(
    scorer: str, curves: dict[float, list[Fraction]], n: int, discount: str
) -> None:
    expected = enumerated(curves, lambda r: float(DISCOUNTS[discount](float(r), n)), n)
    found = ndcg_std(scorer, f"nDCG({discount})", [n])
    assert abs(found.value[0] - expected) <= found.error[0]
    assert found.error[0] < 1e-8 * expected


def test_a_wrong_formula_exceeds_the_stated_error() -> None:
    found = ndcg_std(LINEAR, "nDCG", [7])
    other = enumerated({1.0: [Fraction(7, 10), Fraction(-6001, 10_000)]}, lambda r: 1 / math.log(1 + r), 7)
    assert abs(found.value[0] - other) > found.error[0]


def simulated(
    curve: Callable[[np.ndarray], np.ndarray], weights: np.ndarray, count: int, seed: int
) -> np.ndarray:
    """NDCG of ``count`` lists."""
    rng, n = np.random.default_rng(seed), len(weights)
    ideal, parts = np.concatenate(([1.0], np.cumsum(weights))), []
    for _ in range(0, count, 4000):
        depth = np.sort(rng.random((4000, n)), axis=1)
        label = rng.random(depth.shape) < curve(depth)
        parts.append(label @ weights / ideal[label.sum(axis=1)])
    return np.concatenate(parts)


@pytest.mark.parametrize(("n", "count"), [(60, 80_000), (400, 12_000)])
@pytest.mark.slow
@pytest.mark.parametrize("discount", ["log", "zipf"])
def test_simulation(discount: str, n: int, count: int) -> None:
    ndcg = simulated(lambda t: 0.7 - 0.6 * t, DISCOUNTS[discount](np.arange(1.0, n + 1), n), count, seed=n)
    centred = (ndcg - ndcg.mean()) ** 2
    error = centred.std() / math.sqrt(count)
    expected = ndcg_std(LINEAR, f"nDCG({discount})", [n]).value[0] ** 2
    assert abs(centred.mean() - expected) < 5 * error  # false alarm: 6e-7
    assert abs(centred.mean() - 1.15 * expected) > 5 * error


def test_two_scorers_share_their_labels() -> None:
    """Two independent draws of one scorer: 2 Var less twice what the label count does."""
    n, rng, weights = 12, np.random.default_rng(3), 1 / np.log(np.arange(2.0, 14.0))
    differences = []
    for _ in range(20_000):
        label = rng.random(n) < 0.4
        if not label.any():
            differences.append(0.0)
            continue
        ranks = rng.random((2, n)).argsort(axis=1)
        a, b = (weights[order.argsort()][label].sum() for order in ranks)
        differences.append(float(a - b) / weights[: label.sum()].sum())
    squares = np.square(differences)
    expected = difference_std("constant(0.4)", "constant(0.4)", "nDCG", [n]).value[0] ** 2
    error = squares.std() / math.sqrt(squares.size)
    assert abs(squares.mean() - expected) < 5 * error  # false alarm: 6e-7
    assert abs(squares.mean() - 2 * ndcg_std("constant(0.4)", "nDCG", [n]).value[0] ** 2) > 5 * error


@pytest.mark.slow
def test_the_longest_lists_lose_no_digits() -> None:
    sizes = [10**6, 10**12, 10**18]
    for discount in ("linear", "power(0.2)", "log"):
        found = ndcg_std(LINEAR, f"nDCG({discount})", sizes)
        assert np.all(found.error < 1e-3 * found.value)
    slope = np.diff(np.log(ndcg_std(LINEAR, "nDCG(linear)", sizes).value)) / np.diff(np.log(sizes))
    np.testing.assert_allclose(slope, -0.5, atol=1e-5)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("scorer", "measure"),
    [
        *((LINEAR, f"nDCG({d})") for d in ("log", "power(0.5)", "zipf", "geometric(2)", "linear")),
        *(("constant(0.02)", measure) for measure in ("nDCG(zipf)", "nDCG(geometric(2))", "nDCG@10")),
        *(("step(0.1, 0.6, 0.7)", measure) for measure in ("nDCG", "nDCG(linear)", "nDCG@10")),
        *(("linear(0, 1)", measure) for measure in ("nDCG(power(0.5))", "nDCG(zipf)", "nDCG(linear)")),
    ],
)
def test_an_evaluation_is_as_good_as_it_says(scorer: str, measure: str) -> None:
    for n in (5, 1000, 10**12):
        try:
            found = ndcg_std(scorer, measure, [n])
        except InputError:  # a list that may be shorter than its cutoff
            continue
        (value,), (error,) = found.value, found.error
        finer = variance.ndcg_moments((Relevance.of(scorer),), Measure.of(measure), n, FINER)
        off = FINER.rounding * finer.size + finer.missed
        assert abs(value**2 - finer.variance) <= 2 * value * error + error**2 + off
        if scorer != "linear(0, 1)":  # the first ranks are certain
            assert error < 2e-3 * value


@pytest.mark.parametrize(("n", "p"), [(10**5, 1e-5), (10**6, 1e-5), (10**12, 1e-12)])
def test_a_handful_of_relevant_items_in_a_long_list(n: int, p: float) -> None:
    """Against draws of their number and ranks. Some 1 to 10 items are relevant."""
    rng, count = np.random.default_rng(17), 100_000
    number, values = rng.binomial(n, p, count), np.zeros(count)
    for m in range(1, number.max() + 1):
        lists = number == m
        ranks = rng.integers(1, n + 1, (np.count_nonzero(lists), m))  # equal ones are too rare to tell
        ideal = (1 / np.log(np.arange(1, m + 1) + 1)).sum()
        values[lists] = (1 / np.log(ranks + 1)).sum(axis=1) / ideal
    squares = (values - values.mean()) ** 2
    error = squares.std() / math.sqrt(count)
    found = ndcg_std(f"constant({p})", "nDCG", [n]).value[0] ** 2
    assert abs(squares.mean() - found) < 5 * error  # false alarm: 6e-7
    assert abs(squares.mean() - 1.1 * found) > 5 * error


def test_lists_of_one_item_under_the_linear_discount_have_no_dcg() -> None:
    assert ndcg_std(LINEAR, "nDCG(linear)", [1]).value[0] == 0


def test_certain_values_have_no_variance() -> None:
    assert ndcg_std("constant(1)", "nDCG", [5]).value[0] < 1e-5
    assert ndcg_std("constant(0)", "nDCG", [5]).value[0] == 0


def test_different_label_laws_are_refused() -> None:
    with pytest.raises(InputError, match="share their labels"):
        difference_std("constant(0.4)", "constant(0.5)", "nDCG", [10])


@pytest.mark.parametrize(("n", "p"), [(211, 0.317), (307, 0.0517)])
def test_an_error_of_the_finer_evaluation_is_covered(
    n: int, p: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The stated error holds the truth where the finer evaluation has few nodes, as the other one differs.

    The mean of that evaluation, which would show the same, is not looked at.
    """
    monkeypatch.setattr(variance, "_contradicted", lambda *_: 0.0)
    for name in ("USUAL", "FINER"):
        monkeypatch.setattr(variance, name, Effort(0.6, 1e-3, 1e-9, (3, 2, 1)))
    monkeypatch.setattr(variance, "ROUGH", FINE)
    found = ndcg_std(f"constant({p})", "nDCG", [n])
    (value,), (error,) = found.value, found.error
    discounts = 1 / np.log(np.arange(2.0, n + 2))
    _, truth = moments([Pieces((1.0,), ((p,),))], (1.0,), discounts, normalised=True)
    assert abs(value - truth) <= error
    assert abs(value - truth) > 0.01 * error


@pytest.mark.parametrize("n", [10**13, 10**14, 10**18])
def test_grades_of_long_lists(n: int) -> None:
    """Labels without order and r^-b: n Var(NDCG_n) tends to the variance of what one item changes.

    Of DCG an item at rank xn changes ``x^-b (y - E y)``, and of IDCG = F(c_2) + F(c_2 + c_1) the derivatives
    of F times the deviations of its counts.
    """
    b, masses = 0.3, {2: 0.2, 1: 0.3, 0: 0.5}
    mean = 0.7
    ideal = sum(p ** (1 - b) for p in (0.2, 0.5)) / (1 - b)
    limit = mean / (1 - b) / ideal
    of_ideal = {y: (y == 2) * 0.2**-b + (y >= 1) * 0.5**-b for y in masses}
    centre = sum(p * of_ideal[y] for y, p in masses.items())
    # E over uniform x of (x^-b u - v)^2 = u^2 / (1 - 2b) - 2 u v / (1 - b) + v^2
    deviations = [(p, y - mean, limit * (of_ideal[y] - centre)) for y, p in masses.items()]
    expected = math.sqrt(
        sum(p * (u**2 / (1 - 2 * b) - 2 * u * v / (1 - b) + v**2) for p, u, v in deviations) / n
    )
    scale = expected / ideal
    found = ndcg_std("graded(2=constant(0.2), 1=constant(0.3))", "nDCG(power(0.3))", [n])
    # the remainder is of the order n^-(1 - 2b) of the variance: 6e-6 at 1e13
    assert abs(found.value[0] / scale - 1) <= found.error[0] / scale + 1e-5
    assert found.error[0] < 1e-4 * scale
