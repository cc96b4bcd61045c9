"""Theorems S1 and S2 of docs/theorems.md, against exact standard deviations."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from random_curves import random_curve
from scipy import stats
from scipy.special import zeta

from ndcg_asymptotics.populations import Relevance
from ndcg_asymptotics.theory.deviation import ndcg_std

DISCOUNTS: dict[str, Callable[[Any, int], Any]] = {
    "log": lambda r, n: 1 / np.log(1 + r),
    "linear": lambda r, n: n - r,
    "power(0.3)": lambda r, n: r**-0.3,
    "power(0.5)": lambda r, n: r**-0.5,
    "power(0.8)": lambda r, n: r**-0.8,
    "zipf": lambda r, n: 1 / r,
    "power(2)": lambda r, n: r**-2.0,
    "geometric(2)": lambda r, n: 2.0**-r,
}


def bounds(curve: str, discount: str, n: int) -> tuple[float, float]:
    """Return the bounds of Theorem S1 for DCG_n and NDCG_n, with y_1 = 1."""
    values = DISCOUNTS[discount](np.arange(1.0, n + 1), n)
    root = math.sqrt(float(np.sum(values**2)))
    p = Relevance.parse(curve).masses[0]
    ideal = float(stats.binom.pmf(np.arange(1, n + 1), n, p) @ np.cumsum(values))
    return root, 2 * root / ideal


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(60))
def test_no_law_fluctuates_more_than_the_sum_of_squared_discounts(seed: int) -> None:
    rng = np.random.default_rng((38, seed))
    curve, _, _ = random_curve(rng)
    discount, n = str(rng.choice(list(DISCOUNTS))), int(rng.integers(2, 60))
    of_dcg, of_ndcg = bounds(curve, discount, n)
    assert ndcg_std(curve, f"DCG({discount})", [n]).value[0] <= of_dcg
    assert ndcg_std(curve, f"nDCG({discount})", [n]).value[0] <= of_ndcg


def test_the_bound_is_of_the_right_size() -> None:
    """If labels are fair coins at every rank sd(DCG) is half of the bound: a third of it is no bound."""
    of_dcg, _ = bounds("constant(0.5)", "zipf", 50)
    assert ndcg_std("constant(0.5)", "DCG(zipf)", [50]).value[0] == pytest.approx(of_dcg / 2, rel=1e-9)


@pytest.mark.parametrize(
    ("b", "series"), [(0.6, zeta(1.2)), (0.7, zeta(1.4)), (0.9, zeta(1.8)), (1.0, zeta(2.0)), (0.5, None)]
)
def test_a_random_top_label_decides_the_spread_from_b_one_half_on(b: float, series: float | None) -> None:
    """Theorem S2 for a curve that jumps at depth 0.6: continuity at the top is all it needs."""
    curve, measure = "step(0.1, 0.6, 0.4)", f"nDCG({'zipf' if b == 1 else f'power({b})'})"
    off = []
    for n in (10**6, 10**9, 10**12):
        ideal = float(n * 0.4) ** (1 - b) / (1 - b) + zeta(b) if b < 1 else math.log(0.4 * n) + np.euler_gamma
        squares = series if series is not None else math.log(n) + np.euler_gamma
        stated = math.sqrt(0.6 * 0.4 * squares) / ideal
        off.append(abs(ndcg_std(curve, measure, [n]).value[0] / stated - 1))
    assert max(off[2], 1e-7) <= max(off[1], 1e-7) < off[0]  # 1e-7: rounding in long lists
    assert off[2] < (0.07 if series is None else 0.01)  # like 1/log n at b = 1/2


def test_a_certain_top_label_leaves_one_over_the_root_of_n() -> None:
    """For ybar = s and b = 0.7 the slope is -1/2, not -(1 - b) = -0.3."""
    values = [ndcg_std("linear(0, 1)", "nDCG(power(0.7))", [n]).value[0] for n in (10**9, 10**10)]
    assert math.log10(values[1] / values[0]) == pytest.approx(-0.5, abs=0.002)


def test_the_log_discount_fluctuates_like_the_root_of_n_times_log_n() -> None:
    sizes = (10**9, 10**12, 10**18)
    scaled = [ndcg_std("linear(0.2, 0.7)", "nDCG", [n]).value[0] * math.sqrt(n) * math.log(n) for n in sizes]
    np.testing.assert_allclose(scaled, [1.466, 1.417, 1.377], rtol=1e-3)  # without log n they would halve


def test_lemma_7_is_false_where_condition_2_of_theorem_4_needs_it() -> None:
    """With b = 0.8 and a Lipschitz curve the deviations n^-1/3 of Lemma 7 vanish beside the spread."""
    sizes = np.array([10**6, 10**9, 10**12])
    spread = [ndcg_std("linear(0.2, 0.7)", "nDCG(power(0.8))", [int(n)]).value[0] for n in sizes]
    slope = np.polyfit(np.log(sizes), np.log(spread * sizes ** (1 / 3)), 1)[0]
    assert slope == pytest.approx(1 / 3 - (1 - 0.8), abs=0.01)
    assert spread[-1] * sizes[-1] ** (1 / 3) > 3
