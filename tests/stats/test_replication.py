"""Numbers of queries from an observed difference: the noncentral t law, and how often they are kept."""

from __future__ import annotations

import math
import re
from functools import cache

import numpy as np
import pytest
from cases import noisy_runs, paired_difference
from oracles.paired import t_beyond
from pages import ROOT
from scipy import optimize, stats

from benchmarks.replication import EFFECTS, PILOTS
from ndcg_asymptotics.plans.planning import plan
from ndcg_asymptotics.stats.power import queries_for
from ndcg_asymptotics.stats.replication import (
    effect_bound,
    effect_interval,
    replication,
)


def test_the_interval_of_the_effect_is_that_of_the_noncentral_t():
    for effect, queries, alpha in ((0.31, 100, 0.05), (-0.31, 100, 0.05), (1.4, 8, 0.1), (0.02, 50, 0.05)):
        high, low = effect_interval(effect, queries, alpha)
        t, freedom, root = abs(effect) * math.sqrt(queries), queries - 1, math.sqrt(queries)
        assert stats.nct.cdf(t, freedom, high * root) == pytest.approx(alpha / 2, abs=1e-6)
        if low:
            assert stats.nct.sf(t, freedom, low * root) == pytest.approx(alpha / 2, abs=1e-6)
        p = 2 * stats.t.sf(t, freedom)
        assert (low > 0) == (p < alpha)
    assert effect_interval(1e9, 100, 0.05)[1] > 50


def test_numbers_of_queries_are_those_of_the_ends_of_the_interval():
    rng = np.random.default_rng(2)
    found = paired_difference(rng.gamma(2.0, 1.0, 40) * (rng.random(40) < 0.5) - 0.5)
    ends = [queries_for(end, 0.8, 0.05) for end in effect_interval(found.effect, 40, 0.05)]
    assert [found.queries_low, found.queries_high] == ends
    assert found.queries_low < found.queries < found.queries_high


NOT_SIGNIFICANT = (0.9, 3, 0.05), (0.3, 12, 0.05), (0.15, 50, 0.05), (0.1, 100, 0.2)
SIGNIFICANT = (1.5, 12, 0.05), (0.31, 100, 0.05), (0.95, 25, 1e-3), (0.3, 400, 0.05), (9.83, 18, 0.05)


@pytest.mark.slow
@pytest.mark.parametrize(("effect", "queries", "alpha"), [*NOT_SIGNIFICANT, *SIGNIFICANT])
def test_the_bound_is_exceeded_by_a_fifth(effect: float, queries: int, alpha: float) -> None:
    bound, t = effect_bound(effect, queries, alpha), effect * math.sqrt(queries)
    critical = stats.t.isf(alpha / 2, queries - 1)
    assert 0 < bound < effect
    selected = t_beyond(critical, queries, bound) if t > critical else 1.0
    assert t_beyond(t, queries, bound) / selected == pytest.approx(0.2, abs=1e-7)
    assert abs(t_beyond(t, queries, 1.01 * bound) / selected - 0.2) > 1e-4


def test_the_bound_is_positive_for_small_p_values() -> None:
    """Below 0.4; of significant differences only below 0.2 alpha, which chance exceeds in four of five."""
    for queries in (2, 6, 50, 1000):
        for alpha in (0.05, 0.01):
            for p in (0.9, 0.41, 0.39, 1.05 * alpha, 0.95 * alpha, 0.21 * alpha, 0.19 * alpha, 1e-6):
                effect = stats.t.isf(p / 2, queries - 1) / math.sqrt(queries)
                if effect < 100:
                    printed = effect_bound(effect, queries, alpha) > 0
                    assert printed is (p < (0.2 * alpha if p < alpha else 0.4)), (queries, alpha, p)
                    assert (replication(effect, queries, 0.8, alpha).assured is None) is not printed


def test_numbers_of_extreme_effects() -> None:
    for effect in (math.inf, -math.inf, 1e300):
        assert replication(effect, 2, 0.8, 0.05).observed == replication(effect, 2, 0.8, 0.05).assured == 2
    nothing = replication(0.0, 10, 0.8, 0.05)
    assert (nothing.observed, nothing.high, nothing.assured) == (None, None, None)
    assert replication(1e-300, 10, 0.8, 0.05).observed is None
    assert replication(-0.5, 30, 0.8, 0.05) == replication(0.5, 30, 0.8, 0.05)


def power_of(effect: float, lists: int) -> float:
    threshold, root = stats.t.isf(0.025, lists - 1), math.sqrt(lists)
    law = stats.nct(lists - 1, effect * root)
    return float(law.sf(threshold) + law.cdf(-threshold))


@cache
def largest_effect(effect: float) -> float:
    """The largest effect for which as many queries are asked for."""
    needed = int(7.8 / effect**2)
    while power_of(effect, needed) < 0.8:
        needed += 1
    return float(optimize.brentq(lambda one: power_of(one, needed - 1) - 0.8, effect, 2 * effect))


def exact(effect: float, queries: int) -> dict[str, float]:
    """The rates of docs/howto/plan.md from the noncentral t law, by the p-values that print a number."""
    freedom, root = queries - 1, math.sqrt(queries)
    law = stats.nct(freedom, effect * root)

    def between(low: float, high: float = math.inf) -> float:
        return float(law.cdf(high) - law.cdf(low)) if high > low else 0.0

    def printed(p: float) -> float:
        return float(stats.t.isf(p / 2, freedom))

    def both(low: float, high: float = math.inf) -> float:
        return between(low, high) + between(-high, -low)

    largest = largest_effect(effect)
    c, at_largest = printed(0.05), stats.nct(freedom, largest * root)
    plain, selected = float(at_largest.ppf(0.8)), float(at_largest.isf(0.2 * at_largest.sf(c)))
    significant, kept_other = both(c), between(printed(0.4), min(plain, c))
    shown, kept = both(printed(0.01)), between(printed(0.01), selected)
    other = both(printed(0.4), c)
    return {
        "p < 0.05": significant,
        "observed": between(0, largest * root),
        "observed, p < 0.05": between(c, largest * root) / significant,
        "bound": between(printed(0.4), plain) / both(printed(0.4)),
        "bound, p < 0.05": between(c, plain) / significant,
        "printed": shown + other,
        "assured": (kept + kept_other) / (shown + other),
        "printed, p < 0.05": shown / significant,
        "assured, p < 0.05": kept / shown,
    }


def test_the_table_of_the_documentation_is_that_of_the_law() -> None:
    text = (ROOT / "docs" / "howto" / "plan.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (0\.\d) \| (\d+) \| ((?:\d\.\d\d \| ){8}\d\.\d\d) \|$", text, re.MULTILINE)
    assert len(rows) == 9
    assert {effect for effect, _, _ in rows} == {str(effect) for effect in EFFECTS}
    assert {int(queries) for _, queries, _ in rows} <= {*PILOTS}
    for effect, queries, cells in rows:
        values = [float(cell) for cell in cells.split(" | ")]
        for truth in (float(effect), 1.1 * float(effect)):
            expected = exact(truth, int(queries))
            a, b, c = (expected[name] for name in ("p < 0.05", "printed", "printed, p < 0.05"))
            cases = 1e5 * np.array([1, 1, a, 0.4, a, 1, b, a, a * c])
            # two digits, and five standard errors: all of them 2e-4
            off = np.abs(np.array(values) - list(expected.values())) > 0.0051 + 5 * np.sqrt(0.25 / cases)
            if truth == float(effect):
                assert not off.any(), (effect, queries)
            elif effect < "0.5" and queries != "100":  # wrong: a tenth larger effects
                assert off.any(), (effect, queries)


def test_new_queries_are_held_against_both_numbers() -> None:
    labels = {str(q): {f"d{i}": float(i < 5) for i in range(30)} for q in range(40)}
    runs = noisy_runs(labels, {"good": 0.8, "bad": 1.0}, np.random.default_rng(2))
    needed = plan(runs=runs, qrels=labels, measures="nDCG").rows[0].queries
    assert needed.assured > needed.required
    words = {
        needed.required - 1: "are too few",
        needed.assured - 1: "reach only the number as observed",
        needed.assured: "reach the assured number",
    }
    for queries, word in words.items():
        found = plan(runs=runs, qrels=labels, measures="nDCG", queries=queries)
        assert f"{queries} new queries {word} by nDCG." in found.answers
