"""Searches for counterexamples to Theorems T1, T2 and H of docs/theory.md, on random curves and pairs."""

from __future__ import annotations

import math

import numpy as np
import pytest
from random_curves import random_curve
from scipy.special import zeta

from ndcg_asymptotics.populations import Relevance
from ndcg_asymptotics.theory.deviation import ndcg_std
from ndcg_asymptotics.theory.mean import expected_ndcg

LONG = 10**15
# discounts and the ranks that count, with F(infinity) or F(k)
TOPS = {
    "nDCG(geometric(2))": (2.0 ** -np.arange(1.0, 60), 1.0),
    "nDCG(power(2.5))": (np.arange(1.0, 10**5) ** -2.5, float(zeta(2.5))),
    "nDCG@3": (1 / np.log(1 + np.arange(1.0, 4)), float(np.sum(1 / np.log(np.arange(2.0, 5))))),
    "nDCG@10": (1 / np.log(1 + np.arange(1.0, 11)), float(np.sum(1 / np.log(np.arange(2.0, 12))))),
}


@pytest.mark.parametrize("seed", range(40))
def test_the_top_label_alone_gives_the_limiting_spread(seed: int) -> None:
    """Theorem T1, equation (3); cusps below the exponent 0.2 have not arrived at n = 1e15."""
    rng = np.random.default_rng((1, seed))
    text, curve, _ = random_curve(rng)
    measure = str(rng.choice(list(TOPS)))
    slow = text.startswith("cusp") and float(text.rstrip(")").split(",")[-1]) < 0.2
    if slow or Relevance.parse(text).masses[0] < 1e-4:
        return
    discount, total = TOPS[measure]
    top = float(curve(np.zeros(1))[0])
    stated = math.sqrt(max(top * (1 - top), 0.0) * float(np.sum(discount**2))) / total
    found = ndcg_std(text, measure, [LONG]).value[0]
    assert abs(found - stated) <= 2e-3 * max(stated, 1e-2)


@pytest.mark.parametrize("seed", range(40))
def test_equal_limits_leave_the_zeta_constant(seed: int) -> None:
    """Theorem T2: E[DCG_0 - DCG_1] -> zeta(b) (q_0 - q_1), for random lines and parabolas."""
    rng = np.random.default_rng((2, seed))
    b = float(rng.uniform(0.55, 0.95))
    equations = np.array([[1 / 2, 1 / 3], [1 / (2 - b), 1 / (3 - b)]])
    slope, square = np.linalg.solve(equations, [-1, -1 / (1 - b)]).tolist()
    t = np.linspace(0, 1, 2001)
    level, fall = float(rng.uniform(0.2, 0.8)), float(rng.uniform(-0.15, 0.15))
    line, shape = level + fall * t, 1 + slope * t + square * t**2
    rising, falling = shape > 1e-9, shape < -1e-9
    room = min(((1 - line) / shape)[rising].min(), (line / -shape)[falling].min())
    step = float(room * rng.uniform(0.2, 0.9))
    curve = f"polynomial({level + step!r}, {fall + step * slope!r}, {step * square!r})"
    found = [
        expected_ndcg(each, f"DCG(power({b!r}))", [LONG])
        for each in (curve, f"polynomial({level!r}, {fall!r})")
    ]
    difference = found[0].value[0] - found[1].value[0]
    error = found[0].error[0] + found[1].error[0] + 1e-13 * found[0].value[0] + LONG**-b
    assert abs(difference - float(zeta(b)) * step) <= error + 1e-3 * step
    assert difference < 0  # the scorer with the higher top is behind


@pytest.mark.parametrize("seed", range(40))
def test_random_rerankers_with_a_shared_top_settle(seed: int) -> None:
    """Theorem H: B exchanges random intervals below the shared part; 80 lists of 1500 items."""
    rng = np.random.default_rng((3, seed))
    shared, b, n, lists, parts = (
        rng.uniform(0.1, 0.6),
        rng.uniform(0.2, 2.5),
        1500,
        80,
        int(rng.integers(2, 6)),
    )
    cuts = np.concatenate(([shared], np.sort(rng.uniform(shared, 1, parts - 1)), [1.0]))
    values, top = rng.random(parts), rng.random(2)
    if rng.random() < 0.3:
        values = np.round(values)  # certain labels
    order, sizes = rng.permutation(parts), np.diff(cuts)
    starts = np.empty(parts)
    starts[order] = shared + np.concatenate(([0.0], np.cumsum(sizes[order])[:-1]))

    def weight(a: float, c: float) -> float:
        """Return int_a^c t^-b dt."""
        return float((c ** (1 - b) - a ** (1 - b)) / (1 - b))

    delta = sum(
        values[j] * (weight(cuts[j], cuts[j + 1]) - weight(starts[j], starts[j] + sizes[j]))
        for j in range(parts)
    )
    u = rng.random((lists, n))
    part = np.clip(np.searchsorted(cuts, u, side="right") - 1, 0, parts - 1)
    chance = np.where(u < shared, np.where(u < shared / 2, top[0], top[1]), values[part])
    labels = (rng.random(u.shape) < chance) * 1.0
    second = np.where(u < shared, u, u - cuts[part] + starts[part])
    discount = np.arange(1, n + 1.0) ** -b
    difference = n ** (b - 1) * (
        np.take_along_axis(labels, np.argsort(u, axis=1), axis=1) @ discount
        - np.take_along_axis(labels, np.argsort(second, axis=1), axis=1) @ discount
    )
    spread = float(difference.std())
    bound = b * (shared / 2) ** (-b - 1) * (n**-0.5 / 2 + 1 / n)
    assert abs(difference.mean() - delta) <= 5 * spread / math.sqrt(lists) + bound  # 40 tests: 2e-5
    if abs(delta) > max(4 * spread, 1e-9):  # then one list in 20 in the wrong order is out of question
        assert np.mean(difference * np.sign(delta) <= 0) < 0.05
