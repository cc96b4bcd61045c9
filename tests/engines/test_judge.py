"""Labels that a judge reports, drawn by the items engine: bits of the true ones, joint laws of both."""

from __future__ import annotations

import itertools
import math
from collections import Counter, defaultdict
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest
from scipy.stats import chi2

from ndcg_asymptotics.core.errors import InputError
from ndcg_asymptotics.engines import engine, items
from ndcg_asymptotics.engines.items import judged, kernels, rank_order
from ndcg_asymptotics.engines.shared.grades import draw_label_counts
from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.populations import Curve, Judge, Population, Scorer
from ndcg_asymptotics.studies.design import Design
from ndcg_asymptotics.theory import expected_ndcg

PAIR = {"a": "linear(0.1, 0.7)", "b": "power(prevalence=0.4, top=0.8, exponent=2)"}
RATES = {"fpr": 0.05, "fnr": 0.2}
FAVOUR = {"favours": "a", "share": 0.13, "trust": 0.5}
MEASURES = ("nDCG", "nDCG@10", "DCG@10", "nDCG(power(0.5))@0.2n")


def design(judge: dict[str, Any] | None, sizes: tuple[int, ...] = (10, 30, 100), **scorers: str) -> Design:
    measures = tuple(map(Measure.parse, MEASURES))
    return Design(Population.of(scorers or PAIR, judge=judge), measures, sizes, 1, (("a", "b"),))


@pytest.mark.parametrize("judge", [RATES, RATES | FAVOUR])
def test_true_labels_have_the_bits_that_they_have_without_a_judge(judge: dict[str, Any]) -> None:
    replicates = range(20)
    found, without = (items.simulate_block(design(of), replicates) for of in (judge, None))
    assert found.keys() - without.keys() == {"reported"}
    for name, values in without.items():
        np.testing.assert_array_equal(found[name], values)
    single = [items.simulate(design(judge), replicate)["reported"] for replicate in replicates]
    np.testing.assert_array_equal(found["reported"], single)
    assert not np.array_equal(found["reported"], found["ndcg"])


def test_a_judge_who_never_errs_reports_the_true_labels() -> None:
    found = items.simulate_block(design({"fpr": 0.0, "fnr": 0.0}), range(5))
    np.testing.assert_array_equal(found["reported"], found["ndcg"])


def largest_z(found: engine.Draw, of: Population, sizes: tuple[int, ...]) -> float:
    """Return the largest distance of reported means from exact ones, in standard errors."""
    mean = found["reported"].mean(axis=0)
    error = found["reported"].std(axis=0) / np.sqrt(len(found["reported"]))
    exact = np.array(
        [[expected_ndcg(s, Measure.parse(m), sizes).value for m in MEASURES] for s in of.reported.values()]
    )
    return float(np.max(np.abs(mean - exact) / error))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("judge", "wrong"),
    [
        (RATES, [{"fpr": 0.07}]),
        (RATES | FAVOUR, [{"trust": 0.55}, {"share": 0.147}]),
    ],
)
def test_reported_means_are_those_of_the_reported_curves(
    judge: dict[str, Any], wrong: list[dict[str, float]]
) -> None:
    of = design(judge, (10, 2000))
    found = items.simulate_block(of, range(500))
    # 16 values: beyond 4.8 with probability 3e-5
    assert largest_z(found, of.population, of.sizes) < 4.8
    for rates in wrong:
        other = replace(of.population, judge=Judge.of(judge | rates))
        assert largest_z(found, other, of.sizes) > 4.8


@pytest.mark.slow
@pytest.mark.parametrize("share", [0.77, 1.0])
def test_reported_means_of_long_lists(share: float) -> None:
    # lists of several blocks and dozens of slices; 16 values, beyond 4.8 with probability 3e-5
    judge = RATES | FAVOUR | {"share": share}
    of = design(judge, (150_000, 300_000))
    found = items.simulate_block(of, range(24))
    assert largest_z(found, of.population, of.sizes) < 4.8
    if share < 1:
        other = replace(of.population, judge=Judge.of(judge | {"share": 1.05 * share}))
        assert largest_z(found, other, of.sizes) > 4.8


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "depth"),
    [
        ("constant(0.4)", 0.013),
        ("linear(0, 1)", 0.7),
        ("step(0.05, 0.9, 0.8)", 0.2),
    ],
)
def test_the_number_of_items_above_a_depth_is_binomial(text: str, depth: float) -> None:
    is_binomial(Curve.parse(text), depth)


@pytest.mark.slow
def test_the_number_of_items_above_a_depth_of_one_wide_slice(monkeypatch: pytest.MonkeyPatch) -> None:
    """Most items are not uniform in it."""
    monkeypatch.setattr(rank_order, "_FEWEST_SLICES", 1)
    rank_order.slices.cache_clear()
    is_binomial(Curve.parse("linear(0, 1)"), 0.4)
    rank_order.slices.cache_clear()


def is_binomial(curve: Curve, depth: float) -> None:
    of = Design(Population({"a": curve}), (Measure.parse("nDCG"),), (5, 40), 3)
    slices, lists = rank_order.slices(curve, 40), 2000
    labels = draw_label_counts(of, range(lists))
    above = [
        rank_order.items_above(
            slices, counts, depth, of.generator(i, "scorer", "a"), of.generator(i, "judge")
        )
        for i, counts in enumerate(labels)
    ]
    mean, spread = 40 * depth, np.sqrt(40 * depth * (1 - depth))
    # the mean beyond 4.5 standard errors with probability 7e-6; variances of 2,000 numbers within 15%: 4.7 of
    # theirs
    assert abs(np.mean(above) - mean) < 4.5 * spread / np.sqrt(lists)
    assert abs(np.mean(above) - 1.05 * mean) > 4.5 * spread / np.sqrt(lists) or depth < 0.1
    assert np.var(above) == pytest.approx(spread**2, rel=0.15)


def test_wrong_labels_are_any_of_the_items_of_their_class_and_grade() -> None:
    """Two of four items of one code and one of three of another: 18 subsets, whatever the chunks."""
    rng, codes = np.random.default_rng(4), np.array([0, 3, 0, 1, 0, 3, 0, 3], np.int32)
    drawn: Counter[tuple[int, ...]] = Counter()
    for _ in range(1800):
        left, wrong = np.bincount(codes), np.array([2, 0, 0, 1])
        said = np.empty_like(codes)
        for part in (slice(0, 3), slice(3, 8)):
            kernels.misreport(codes[part], left, wrong, rng.random(8)[part], said[part])
        assert not left.any()
        assert not wrong.any()
        assert set(said ^ codes) <= {0, 1}
        drawn[tuple(np.flatnonzero(said != codes).tolist())] += 1
    assert {tuple(sorted(codes[list(subset)].tolist())) for subset in drawn} == {(0, 0, 3)}
    assert len(drawn) == 18
    counts = np.array(list(drawn.values()))
    assert chi2.sf(np.sum((counts - 100) ** 2 / 100), 17) > 1e-5  # the probability of a false alarm


def test_labels_are_wrong_as_often_as_the_judge_errs() -> None:
    of, lists = design(RATES, (20, 100)), 2000
    labels = draw_label_counts(of, range(lists))
    errors = judged.draw_errors(of, range(lists), labels)
    relevant = labels[..., 0].sum(axis=1)
    missed, false = np.array([below.wrong.sum(axis=0) for _, below in errors]).T
    assert [above.items.sum() for above, _ in errors] == [0] * lists
    for wrong, among, rate in ((missed, relevant, 0.2), (false, 100 - relevant, 0.05)):
        spread = np.sqrt(rate * (1 - rate) / among.sum())
        assert abs(wrong.sum() / among.sum() - rate) < 4.5 * spread  # with probability 7e-6
        assert abs(wrong.sum() / among.sum() - 1.1 * rate) > 4.5 * spread
    said = judged.reported_labels(labels, errors)
    np.testing.assert_array_equal(said[..., 0].sum(axis=1), relevant - missed + false)
    np.testing.assert_array_equal(said.sum(axis=2), labels.sum(axis=2))


@cache
def orders_of(halves: tuple[int, ...]) -> list[tuple[int, ...]]:
    """Return the orders of three items that respect the halves, all equally likely."""
    return [
        order
        for order in itertools.permutations(range(3))
        if all(halves[i] <= halves[j] for i, j in itertools.pairwise(order))
    ]


def joint_law(
    judge: Judge, tops: tuple[float, float], bottoms: tuple[float, float], alike: bool
) -> dict[Any, float]:
    """Return the exact law of the labels in rank order, true and reported, for both scorers and three items.

    Relevance is constant in the upper and the lower half of both rankings. With ``alike`` one reported label
    serves both scorers, else each has its own.
    """
    mass = (tops[0] + bottoms[0]) / 2

    def chance(label: int, scorer: int, low: int) -> float:
        """P(half | label)."""
        relevant = (bottoms if low else tops)[scorer] / 2
        return relevant / mass if label else (0.5 - relevant) / (1 - mass)

    def said(reported: int, label: int, low: int) -> float:
        fpr, fnr = judge.rates if low else judge.rates_at_top
        true = 1 - fnr if label else fpr
        return true if reported else 1 - true

    bits = (0, 1)
    states: dict[tuple[int, ...], float] = {}
    for y, a, b, r, s in itertools.product(bits, repeat=5):  # label, halves, reported labels
        if alike and r != s:
            continue
        p = (mass if y else 1 - mass) * chance(y, 0, a) * chance(y, 1, b) * said(r, y, a)
        states[y, a, b, r, s] = p if alike else p * sum(said(s, y, h) * chance(y, 0, h) for h in bits)
    law: dict[Any, float] = defaultdict(float)
    for three in itertools.combinations_with_replacement(states.items(), 3):  # the items are exchangeable
        p = len(set(itertools.permutations(three))) * math.prod(weight for _, weight in three)
        if p == 0:
            continue
        ways = []
        for scorer in bits:
            orders = orders_of(tuple(item[1 + scorer] for item, _ in three))
            ways.append(
                [
                    (tuple(three[i][0][0] for i in o), tuple(three[i][0][3 + scorer] for i in o))
                    for o in orders
                ]
            )
        for first, second in itertools.product(*ways):
            law[(*first, *second)] += p / (len(ways[0]) * len(ways[1]))
    return law


@pytest.mark.slow
def test_true_and_reported_labels_have_their_joint_law() -> None:
    judge = Judge(0.1, 0.3, favours="a", share=0.5, trust=0.4)
    scorers = {"a": Curve.parse("step(0.2, 0.8, 0.5)"), "b": Curve.parse("step(0.4, 0.6, 0.5)")}
    of = Design(Population(scorers, judge=judge), (Measure.parse("DCG(zipf)"),), (2, 3), 5)
    lists = 4_000
    found = items.simulate_block(of, range(lists))
    sums = {
        round(sum(y / r for r, y in enumerate(labels, 1)), 6): labels
        for labels in itertools.product((0, 1), repeat=3)
    }
    seen: Counter[Any] = Counter()
    for true, reported in zip(found["ndcg"][:, :, 0, 1], found["reported"][:, :, 0, 1], strict=True):
        seen[tuple(sums[round(float(x), 6)] for pair in zip(true, reported, strict=True) for x in pair)] += 1

    def p_value(law: dict[Any, float]) -> float:
        assert sum(law.values()) == pytest.approx(1, abs=1e-12)
        often = [key for key, p in law.items() if lists * p >= 5]
        expected = np.array([lists * law[key] for key in often])
        counts = np.array([seen[key] for key in often])
        rest, others = lists - expected.sum(), lists - counts.sum()
        statistic = np.sum((counts - expected) ** 2 / expected) + (others - rest) ** 2 / rest
        return float(chi2.sf(statistic, len(often)))

    halves = (0.8, 0.6), (0.2, 0.4)
    assert p_value(joint_law(judge, *halves, alike=True)) > 1e-5  # the probability of a false alarm
    assert p_value(joint_law(judge, *halves, alike=False)) < 1e-5
    assert p_value(joint_law(Judge(0.1, 0.3, favours="a", share=0.5, trust=0.2), *halves, alike=True)) < 1e-5


def test_other_engines_refuse_a_judge() -> None:
    for name in ("every-n", "cells", "rare"):
        with pytest.raises(InputError, match="only the items engine draws labels that a judge reports"):
            engine.check(engine.load_engine(name), design(RATES))
    engine.check(items, design(RATES))


@pytest.mark.slow
def test_the_reported_labels_of_a_mixture() -> None:
    mixed = {
        "a": "mixture(0.3=linear(0.2, 0.8), 0.7=constant(0.1))",
        "b": "mixture(0.3=constant(0.5), 0.7=linear(0, 0.2))",
    }
    of = design(RATES | FAVOUR, (20,), **mixed)
    found = engine.draw_block(items, of, range(1000))
    assert largest_z(found, of.population, of.sizes) < 4.5  # 8 values: probability 5e-5
    assert isinstance(of.population.reported["a"], Scorer)
