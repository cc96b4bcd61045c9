"""Laws of random true studies agree with theory, and laws that are a little wrong do not."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from oracles.discounts import DISCOUNTS, formula
from random_curves import random_curve

from ndcg_asymptotics.analysis.law_tests import LawTest, judge_law
from ndcg_asymptotics.analysis.mean_tests import Simulated
from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.populations import Scorer
from ndcg_asymptotics.theory.values import TheoreticalValues

Curves = list[Callable[[Any], Any]]
LEVEL, LISTS = 1e-4, 300
CUTS = [1, 2, 3, 5, 10, 15, 20, 50]


def drawn(rng: np.random.Generator, curves: Curves, gains: list[float], measure: str, n: int) -> np.ndarray:
    """NDCG of lists by its definition."""
    depths = np.sort(rng.random((LISTS, n)), axis=1)
    steps = np.cumsum([curve(depths) + 0.0 * depths for curve in curves], axis=0)
    grade = (rng.random(depths.shape) >= steps).sum(axis=0)  # the last one has the gain 0
    labels = np.append(gains, 0.0)[grade]
    discount, k = formula(measure, n)
    weights = discount(np.arange(1.0, k + 1)) * np.ones(k)
    ideal = np.sort(labels, axis=1)[:, ::-1][:, :k] @ weights
    return np.divide(labels[:, :k] @ weights, ideal, out=np.zeros(LISTS), where=ideal > 0)


def judged(spec: str, measure: str, n: int, values: np.ndarray) -> LawTest:
    theory = TheoreticalValues(Scorer.of(spec), Measure.of(measure))
    column = values.reshape(-1, 1)
    return judge_law(Simulated((n,), column, column, column), theory, "a", 1.0, LEVEL)


def random_scorer(rng: np.random.Generator) -> tuple[str, Curves, list[float]]:
    """A curve, some of them with a step among the first ranks, or two grades."""
    if rng.random() < 0.4:
        a, b = rng.random(2).tolist()
        depth = min(math.exp(-rng.uniform(0, 7)), 0.95)
        return f"step({a!r}, {b!r}, {1 - depth!r})", [lambda t: np.where(t <= depth, b, a)], [1.0]
    if rng.random() < 0.2:
        a, b, c, d = (rng.random(4) / 2).tolist()
        curves = [lambda t: b + (a - b) * t, lambda t: d + (c - d) * t]
        return f"graded(3=linear({a!r}, {b!r}), 1=linear({c!r}, {d!r}))", curves, [3.0, 1.0]
    spec, curve, _ = random_curve(rng)
    return spec, [curve], [1.0]


@pytest.mark.slow
def test_laws_under_fixed_cutoffs(effort: int) -> None:
    """``--effort 80`` tests 2,000 studies. Of those tested 1 in 10,000 may disagree.

    False alarm at effort 1: 25 in 10,000.
    """
    rng = np.random.default_rng(11)
    found: Counter[str] = Counter()
    wrong, missed = [], 0
    discounts = [text for text in DISCOUNTS if "custom" not in text]
    for _ in range(25 * effort):
        spec, curves, gains = random_scorer(rng)
        measure = f"nDCG({rng.choice(discounts)})@{rng.choice(CUTS)}"
        n = int(math.exp(rng.uniform(math.log(3), math.log(3000))))
        values = drawn(rng, curves, gains, measure, n)
        row = judged(spec, measure, n, values)
        found[row.verdict] += 1
        if row.verdict == "disagrees":
            wrong.append((spec, measure, n, row))
        if row.verdict == "agrees":  # of half of the lists the labels are drawn again, each with 1/2
            values[::2] = drawn(rng, [lambda t: 0.5] * len(curves), gains, measure, n)[::2]
            missed += judged(spec, measure, n, values).verdict != "disagrees"
    print(found, missed, wrong)  # shown by -s
    assert len(wrong) <= effort // 20
    assert found["agrees"] > 15 * effort
    assert missed < 0.6 * found["agrees"]


def test_tiny_values_are_atoms_of_their_own() -> None:
    """False alarm: 1e-4. Lists without a relevant item at rank 1 have values up to 2^-40."""
    values = drawn(np.random.default_rng(4), [lambda t: 0.4], [1.0], "nDCG(power(40))@5", 76)
    assert judged("constant(0.4)", "nDCG(power(40))@5", 76, values).verdict == "agrees"


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_a_discount_that_depends_on_n(seed: int) -> None:
    """The atoms at n lie elsewhere than those of the limit. False alarm: 1e-4 each."""
    values = drawn(np.random.default_rng(seed), [lambda t: 0.4], [1.0], "nDCG(linear)@10", 1000)
    assert judged("constant(0.4)", "nDCG(linear)@10", 1000, values).verdict == "agrees"
    assert judged("constant(0.5)", "nDCG(linear)@10", 1000, values).verdict == "disagrees"
    longer = drawn(np.random.default_rng(seed), [lambda t: 0.4], [1.0], "nDCG(linear)@20", 1000)
    row = judged("constant(0.4)", "nDCG(linear)@20", 1000, longer)  # too many ranks to enumerate
    assert row.verdict == "agrees"
    assert row.stated is not None
    assert row.stated < 1e-3
    assert judged("constant(0.5)", "nDCG(linear)@20", 1000, longer).verdict == "disagrees"
