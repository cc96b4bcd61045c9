"""DCG without the ideal: exact moments, laws and limits, in theory and engines.

For a straight curve ``m(t) = 0.7 - 0.6 t`` the labels of a list have closed moments: the depth of the item at
rank r has mean ``r / (n + 1)`` and, for r <= s, covariance ``r (n + 1 - s) / ((n + 1)^2 (n + 2))``.
"""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from cases import LINEAR, TWO_GRADES, design, simulated, study
from oracles.discounts import formula

from ndcg_asymptotics.engines import cells, every_n, items
from ndcg_asymptotics.lists import evaluate
from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.plots import ndcg_curves, panels, style
from ndcg_asymptotics.sweep.precision import precision_of
from ndcg_asymptotics.theory.deviation import difference_std, ndcg_std
from ndcg_asymptotics.theory.deviation.asymptotic import limiting_std
from ndcg_asymptotics.theory.mean import expected_ndcg
from ndcg_asymptotics.theory.prediction import predict

MEASURES = [
    *("DCG", "DCG(zipf)", "DCG(geometric(2))", "DCG(linear)"),
    *("DCG(power(0.5))@0.2n", "DCG@10", "DCG(constant)@0.2n"),
]
BLANK = "constant(0.4)"


def weights(text: str, n: int) -> np.ndarray:
    """D(r) for r = 1 … n, 0 beyond the cutoff."""
    discount, k = formula(text, n)
    r = np.arange(1.0, n + 1)
    return discount(r) * (r <= k)


def label_moments(n: int) -> tuple[np.ndarray, np.ndarray]:
    """The means and the covariances of the labels in rank order under m(t) = 0.7 - 0.6 t."""
    r = np.arange(1.0, n + 1)
    mean = 0.7 - 0.6 * r / (n + 1)
    low, high = np.minimum.outer(r, r), np.maximum.outer(r, r)
    covariance = 0.36 * low * (n + 1 - high) / ((n + 1) ** 2 * (n + 2))
    covariance[np.diag_indices(n)] = mean * (1 - mean)
    return mean, covariance


@pytest.mark.slow
@pytest.mark.parametrize("text", MEASURES)
@pytest.mark.parametrize("n", [40, 1000])
def test_moments_under_a_straight_curve(text: str, n: int) -> None:
    mean, covariance = label_moments(n)
    w = weights(text, n)
    found, spread = expected_ndcg(LINEAR, text, [n]), ndcg_std(LINEAR, text, [n])
    sd = math.sqrt(w @ covariance @ w)
    assert found.value[0] == pytest.approx(w @ mean, rel=1e-11)
    assert abs(spread.value[0] - sd) <= spread.error[0] < 5e-3 * sd
    assert abs(spread.value[0] - 1.01 * sd) > spread.error[0]
    # a scorer without information ranks the same labels at random: Cov(DCG_a, DCG_b) = Cov(DCG_a, c) F / n
    shared = (w @ covariance).sum() * w.sum() / n
    blank = 0.24 * (w @ w)
    both = math.sqrt(sd**2 + blank - 2 * shared)
    together = difference_std(LINEAR, BLANK, text, [n])
    assert abs(together.value[0] - both) <= together.error[0] < 5e-3 * both
    assert abs(math.sqrt(sd**2 + blank) - both) > together.error[0]


@pytest.mark.parametrize(("text", "n"), [("DCG", 30), ("DCG@10", 30), ("DCG@10", 10**9)])
def test_many_grades_cost_no_more(text: str, n: int) -> None:
    """The variance depends on E[Y | t] and E[Y^2 | t] only: here those of gains of 0 and 2."""
    several = "graded(4=constant(0.05), 2=constant(0.1), 1.5=constant(0.2), 1=constant(0.3))"
    first, second = 0.2 + 0.2 + 0.3 + 0.3, 0.8 + 0.4 + 0.45 + 0.3
    w = 1 / np.log(1 + np.arange(1.0, Measure.parse(text).cutoff(n) + 1))
    expected = math.sqrt((second - first**2) * (w @ w))
    assert ndcg_std(several, text, [n]).value[0] == pytest.approx(expected, rel=1e-8)


def test_the_limit_of_the_standard_deviation() -> None:
    # 2^-r with labels of probability 1/2 is uniform on [0, 1], and F tends to 1
    assert limiting_std("constant(0.5)", "DCG(geometric(2))") ** 2 * 12 == pytest.approx(1, abs=1e-12)
    (row,) = predict("constant(0.5)", "DCG(zipf)@2", 1000)
    assert row.unit == 1.5


@pytest.mark.parametrize("engine", [items, every_n, cells])
def test_engines_draw_ndcg_times_the_ideal_dcg(engine) -> None:
    names = [f"({text}){cut}" for text, cut in itertools.product(["log", "zipf", "power(0.5)"], ["", "@5"])]
    measures = [f"{kind}{name}" for kind in ("nDCG", "DCG") for name in names]
    a_design = design({"a": TWO_GRADES, "b": TWO_GRADES}, (1, 7, 100, 3000), measures, pairs=[("a", "b")])
    half = len(names)
    for replicate in range(3):
        draw = engine.simulate(a_design, replicate)
        relative, plain = draw["ndcg"][:, :half], draw["ndcg"][:, half:]
        ideal = np.divide(plain, relative, out=np.zeros_like(plain), where=relative > 0)
        some = (ideal > 0).all(axis=0)
        assert some.sum() > 10  # of 24
        # the two scorers share their labels; brackets are 1e-4 wide
        np.testing.assert_allclose(ideal[0][some], ideal[1][some], rtol=1e-10)
        assert np.abs(ideal[0][some] - 1).max() > 1
        np.testing.assert_array_equal(draw["order"][:, :half], draw["order"][:, half:])
        if engine is cells:
            assert (draw["low"] <= draw["ndcg"]).all()
            assert (draw["ndcg"] <= draw["high"]).all()
            width = (draw["high"] - draw["low"])[:, half:]
            assert (width <= a_design.bracket * np.maximum(ideal, 1.0)).all()


def test_every_n_of_a_given_list() -> None:
    scores, labels = [0.1, 0.9, 0.5, 0.7], [1.0, 0.0, 3.0, 1.0]
    found = every_n.evaluate_every_n(scores, labels, ["DCG(zipf)", "DCG(zipf)@2"])
    np.testing.assert_allclose(found, [[1, 0.5, 1.5 + 1 / 3, 0.5 + 1 + 1 / 4], [1, 0.5, 1.5, 0.5]])


def test_evaluation_by_hand() -> None:
    run = {"q": {"a": 3.0, "b": 2.0, "c": 1.0}, "none": {"a": 1.0}}
    qrels = {"q": {"b": 2.0, "c": 1.0, "x": 5.0}, "none": {"a": 0.0}}
    found = evaluate(run, qrels, ["DCG(zipf)", "DCG(constant)@2", "nDCG(zipf)"])
    np.testing.assert_allclose(found.values[1], [1 + 1 / 3, 2, (4 / 3) / (5 + 1 + 1 / 3)])
    assert found.values[0].tolist() == [0, 0, 0]


def test_a_fixed_number_of_relevant_items_has_a_fixed_ideal_list() -> None:
    a, b = "relevant(3, roc_power(0.3))", "relevant(3, roc_power(0.6))"
    ideal = 1 / math.log(2) + 1 / math.log(3) + 1 / math.log(4)
    for of, known in (
        (lambda text: expected_ndcg(a, text, [12]), ideal),
        (lambda text: expected_ndcg(a, f"{text}@2", [12]), 1 / math.log(2) + 1 / math.log(3)),
        (lambda text: ndcg_std(a, text, [12]), ideal),
        (lambda text: difference_std(a, b, text, [12]), ideal),
    ):
        assert of("DCG").value[0] == pytest.approx(known * of("nDCG").value[0], rel=1e-9)


def test_precisions_and_curves_are_in_units_of_the_sum_of_discounts() -> None:
    drawn = simulated(study(LINEAR, (500,), ("DCG",), seed=5), 30)
    plain = drawn.data["ndcg"].to_numpy().std(axis=0, ddof=1).item() / math.sqrt(30)
    found = precision_of(drawn, 0.01, 30)
    assert found.reached == pytest.approx(plain / weights("DCG", 500).sum(), rel=1e-12)
    assert found.enough
    with style():
        _, (ax,) = panels(1)
        ndcg_curves(drawn, "DCG", ax)
    assert max(np.max(line.get_ydata()) for line in ax.lines) < 1
