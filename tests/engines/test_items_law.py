"""The law of the items engine's rank orders, of one scorer and of two that are coupled.

Stochastic tests have fixed seeds. A mean within 4.5 standard errors of its expected value passes: 7e-6 false
alarms per comparison. Beside each stands a wrong hypothesis that the same data reject.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from cases import LINEAR, TWO_GRADES, design
from engines_cases import ndcgs, sequences
from scipy import stats

from ndcg_asymptotics.engines import items
from ndcg_asymptotics.engines.shared import grades
from ndcg_asymptotics.populations import Relevance

LIMIT = 4.5


# --- the law ----------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("coupling", ["independent", "gaussian(0.4)"])
@pytest.mark.parametrize("curve", ["cusp(0.05, 0.95, 0.2)", "step(0.1, 0.9, 0.8)", "binormal(0.2, 1.5)"])
def test_relevance_of_the_first_rank(curve: str, coupling: str) -> None:
    # P(rank 1 is relevant) = int n (1-t)^(n-1) m(t) dt, and nDCG@1 is its indicator
    n, replicates = 40, 500
    m = Relevance.parse(curve)
    edges = np.union1d(np.geomspace(1e-9, 1, 40), [0.0, *m.breakpoints])
    x, weights = np.polynomial.legendre.leggauss(8)
    t = (edges[:-1] + np.outer(x + 1, np.diff(edges)) / 2).T
    expected = float(np.sum(n * (1 - t) ** (n - 1) * m.mean_gain(t) * weights / 2 * np.diff(edges)[:, None]))
    draws = ndcgs(design(curve, [n], ["nDCG@1"], coupling), replicates)[:, 0, 0, 0]
    error = math.sqrt(expected * (1 - expected) / replicates)
    assert abs(draws.mean() - expected) <= LIMIT * error
    # what uniform positions within the label law would give
    assert abs(draws.mean() - m.masses[0]) > LIMIT * error


@pytest.mark.parametrize("coupling", ["independent", "gaussian(0.3)"])
@pytest.mark.parametrize(
    "curve", ["cusp(0.05, 0.95, 0.2)", "step(0.1, 0.9, 0.35)", "power(0, 1, 8)", TWO_GRADES]
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


# --- the Gaussian coupling --------------------------------------------------------------------


def test_full_correlation_of_equal_scorers_is_one_ranking() -> None:
    a_design = design({"a": LINEAR, "b": LINEAR}, [10, 3000], coupling="gaussian(1)", pairs=[("a", "b")])
    draw = items.simulate(a_design, 0)
    np.testing.assert_array_equal(draw["ndcg"][0], draw["ndcg"][1])
    assert np.all(draw["order"] == 0)
