"""The law of the items engine's rank orders, of one scorer and of one that is coupled, and its memory."""

from __future__ import annotations

import os

import numpy as np
import pytest
from cases import LINEAR, TWO_GRADES, design, refused
from engines_cases import sequences
from scipy import stats

from ndcg_asymptotics.engines import items
from ndcg_asymptotics.engines.items import engine
from ndcg_asymptotics.engines.shared import grades


@pytest.mark.parametrize("coupling", ["independent", "gaussian(0.3)"])
@pytest.mark.parametrize(
    "curve",
    ["cusp(0.05, 0.95, 0.2)", "step(0.1, 0.9, 0.35)", "power(0, 1, 8)", "binormal(0.2, 1.5)", TWO_GRADES],
)
def test_ranks_of_each_grade_follow_the_curve(curve: str, coupling: str) -> None:
    # counts of a grade among ten slices of the ranks against n times the mass of the slice; few cells
    # and many items, so that the mixture is put to work. False alarm 1e-6 per grade.
    n = 100_000
    a_design = design(curve, [n], coupling=coupling, seed=5)
    relevance = a_design.population.scorers["a"]
    gains = np.array(sequences(a_design, 0)[0][0])
    edges = np.array([0, 0.0005, 0.002, 0.01, 0.05, 0.15, 0.3, 0.5, 0.7, 0.9, 1.0])
    sizes = np.diff(np.round(edges * n))
    for grade, gain in enumerate(relevance.gains):
        seen = np.add.reduceat(gains == gain, np.round(edges[:-1] * n).astype(int))
        p = grades.mean(relevance, grade, edges[:-1], edges[1:])
        # rank r/n and depth differ by O(n^-1/2): allow the shift of the slice's ends
        slope = np.abs(np.diff(grades.grade_chance(relevance, grade, edges)))
        variance = sizes * p * (1 - p) + slope**2 * n * edges[1:] + 1
        assert stats.chi2.sf(np.sum((seen - sizes * p) ** 2 / variance), len(p)) > 1e-6
        assert stats.chi2.sf(np.sum((seen - sizes * p.mean()) ** 2 / variance), len(p)) < 1e-6


def test_what_memory_does_not_hold_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    items.check(design(LINEAR, [10**6]))
    monkeypatch.setattr(os, "sysconf", {"SC_PHYS_PAGES": 1000, "SC_PAGE_SIZE": 4096}.__getitem__)
    said = r"takes 8.* MB, 4\.1 MB are available; the cells engine can do it"
    refused(said, items.check, design(LINEAR, [10**6]))
    items.check(design(LINEAR, [10**6], ["nDCG@10"]))  # a table of ten ranks


def test_memory_of_the_largest_study() -> None:
    five = ["nDCG", "nDCG(power(0.25))", "nDCG(power(0.5))", "nDCG(zipf)", "nDCG(linear)"]
    for coupling in ("independent", "gaussian(0.5)"):
        a_design = design({"a": LINEAR, "b": "random"}, [10**3, 10**7], five, coupling)
        assert engine.memory(a_design) <= 7e8
