"""Exact variances against enumeration, simulation and their order for long lists."""

import math

import numpy as np
import pytest

from ndcg_asymptotics.core.errors import InputError, NotAvailableError
from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.orders.list_moments import list_moments
from ndcg_asymptotics.populations import Scorer
from ndcg_asymptotics.theory import effect_sizes
from ndcg_asymptotics.theory.deviation import difference_std, moments, ndcg_std
from ndcg_asymptotics.theory.mean import expected_ndcg

LINEAR = "linear(0.1, 0.7)"


@pytest.mark.parametrize(
    ("scorer", "discount", "power"),
    [
        ("linear(0, 1)", "power(0.7)", -0.5),  # not -(1 - b): the top label is certain
        # Lemma 7 is false where condition 2 of Theorem 4 needs it: n^-1/3 vanishes beside the spread
        ("linear(0.2, 0.7)", "power(0.8)", -0.2),
    ],
)
def test_the_spread_falls_like_a_power_of_n(scorer: str, discount: str, power: float) -> None:
    sizes = np.array([10**9, 10**10, 10**12])
    found = ndcg_std(scorer, f"nDCG({discount})", sizes).value
    np.testing.assert_allclose(np.diff(np.log(found)) / np.diff(np.log(sizes)), power, atol=0.005)


def test_the_log_discount_fluctuates_like_the_root_of_n_times_log_n() -> None:
    sizes = np.array([10**9, 10**12, 10**18])
    scaled = ndcg_std("linear(0.2, 0.7)", "nDCG", sizes).value * np.sqrt(sizes) * np.log(sizes)
    np.testing.assert_allclose(scaled, [1.466, 1.417, 1.377], rtol=1e-3)  # without log n they would halve


def test_certain_values_have_no_variance() -> None:
    assert ndcg_std("constant(1)", "nDCG", [5]).value[0] < 1e-5
    assert ndcg_std("constant(0)", "nDCG", [5]).value[0] == 0


def test_different_label_laws_are_refused() -> None:
    with pytest.raises(InputError, match="share their labels"):
        difference_std("constant(0.4)", "constant(0.5)", "nDCG", [10])


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


def test_a_list_of_few_relevant_items_has_its_mean() -> None:
    (mean,) = expected_ndcg("constant(0.004)", "nDCG@0.2n", [3000]).value
    assert mean == pytest.approx(0.0633462, abs=5e-8)
    drawn = list_moments((Scorer.of("constant(0.004)"),), Measure.of("nDCG@0.2n"), 2000)
    assert drawn.lists > 0
    assert abs(drawn.sd - 0.0485) < 3 * drawn.error


@pytest.mark.parametrize("n", [10**5, 10**12])
def test_a_handful_of_relevant_items_in_a_long_list_is_refused(n: int) -> None:
    with pytest.raises(NotAvailableError, match="2% is allowed"):
        ndcg_std(f"constant({5 / n!r})", "nDCG", [n])


@pytest.mark.parametrize(
    ("scorer", "measure", "n", "method"),
    [
        (LINEAR, "nDCG", 128, "first ranks, exact"),
        (LINEAR, "nDCG(geometric(2))", 10**9, "first ranks, exact"),
        ("relevant(3, roc_power(0.4))", "nDCG@128", 10**9, "fixed counts, exact"),
        ("relevant(1, roc_power(0.4))", "nDCG", 10**9, "rank law, exact"),
    ],
)
def test_values_name_their_evaluator(scorer: str, measure: str, n: int, method: str) -> None:
    assert ndcg_std(scorer, measure, [n]).methods == (method,)


def test_a_value_of_label_counts_names_its_error() -> None:
    found = ndcg_std(LINEAR, "nDCG", [1000])
    share = float(found.methods[0].removeprefix("label counts, error below ").removesuffix("%")) / 100
    assert share / 2 < found.error[0] / found.value[0] <= share


def test_several_relevant_items_and_many_ranks_are_refused() -> None:
    with pytest.raises(NotAvailableError, match="2 relevant items where more than 128 ranks count"):
        ndcg_std("relevant(2, roc_power(0.4))", "nDCG", [1000])


def test_effect_sizes_are_means_over_deviations() -> None:
    measures = ["nDCG(power(0.1))", "nDCG(power(0.9))", "nDCG(power(1.5))", "nDCG@1", "nDCG@10"]
    for measure, effect in zip(measures, effect_sizes(LINEAR, "constant(0.4)", 40, measures), strict=True):
        mean, sd = moments((Scorer.of(LINEAR), Scorer.of("constant(0.4)")), Measure.of(measure), 40)
        assert effect == pytest.approx(mean / sd)
    # k = n is the whole list
    assert effect_sizes(LINEAR, "constant(0.4)", 40, ["nDCG@40", "nDCG"]).std() < 1e-3


def test_what_is_not_known_is_not_a_number() -> None:
    known = effect_sizes(LINEAR, "constant(0.4)", 1000, ["nDCG", "nDCG(power(40))"])
    assert np.isfinite(known).tolist() == [True, False]
    with pytest.raises(InputError, match="share their labels"):
        effect_sizes(LINEAR, "constant(0.5)", 10, ["nDCG"])
    with pytest.raises(InputError, match="n: must be"):
        effect_sizes(LINEAR, "constant(0.4)", 0, ["nDCG"])
