"""Joint laws: correlations between scorers and between list lengths, against oracles that share no code.

Seeds are fixed. A statistic within 4.5 standard errors of its expected value passes: 7e-6 false alarms per
comparison. Beside each stands the value under a wrong joint law, which the same draws reject.
"""

from __future__ import annotations

import math
from fractions import Fraction
from types import ModuleType

import numpy as np
import pytest
from cases import LINEAR, design
from oracles import naive
from scipy import stats

from ndcg_asymptotics.engines import cells, every_n, items
from ndcg_asymptotics.engines.engine import draw_block

LIMIT = 4.5


def draws(engine: ModuleType, of, replicates: int) -> np.ndarray:
    """NDCG of the only measure: (replicate, scorer, n)."""
    return draw_block(engine, of, range(replicates))["ndcg"][:, :, 0]


def z_score(values: np.ndarray, expected: float) -> float:
    return float((values.mean() - expected) / (values.std(ddof=1) / math.sqrt(len(values))))


def disagree(rho: float) -> float:
    """P(NDCG_2(a) != NDCG_2(b)) for two uninformative scorers and P(Y = 1) = 1/2.

    The labels differ with probability 1/2; then the scorers agree on the order with probability
    1/2 + arcsin(rho)/pi, as the differences of their normals have correlation rho (Sheppard).
    """
    return 0.5 * (0.5 - math.asin(rho) / math.pi)


def binomial_z(found: np.ndarray, expected: float) -> float:
    error = math.sqrt(expected * (1 - expected) / len(found))
    return float((np.mean(found[:, 0] != found[:, 1]) - expected) / error)


def correlated_lists(rho: float, n: int, lists: int, rng: np.random.Generator) -> np.ndarray:
    """NDCG of two scorers with the curve LINEAR, (lists, 2), from the definition of a Gaussian copula.

    Given the label each depth has the distribution function (0.7 t - 0.3 t^2)/0.4, or (0.3 t + 0.3 t^2)/0.6.
    """
    labels = rng.random((lists, n)) < 0.4
    common, discounts = rng.standard_normal((lists, n)), 1 / np.log(np.arange(2.0, n + 2))
    ideal = np.concatenate([[0.0], np.cumsum(discounts)])[labels.sum(axis=1)]
    found = []
    for _ in range(2):
        z = math.sqrt(rho) * common + math.sqrt(1 - rho) * rng.standard_normal((lists, n))
        u = stats.norm.cdf(z)
        relevant = (0.7 - np.sqrt(0.49 - 4 * 0.3 * 0.4 * u)) / 0.6
        irrelevant = (-0.3 + np.sqrt(0.09 + 4 * 0.3 * 0.6 * u)) / 0.6
        order = np.argsort(np.where(labels, relevant, irrelevant), axis=1)
        dcg = np.take_along_axis(labels, order, axis=1) @ discounts
        found.append(np.divide(dcg, ideal, out=np.zeros(lists), where=ideal > 0))
    return np.transpose(found)


@pytest.mark.slow
def test_informative_scorers_are_correlated_as_the_copula_says() -> None:
    """Correlations of two linear curves at n = 20, by Fisher's z: rho and not rho squared."""
    rng, lists = np.random.default_rng(17), 40_000
    found = draws(items, design({"a": LINEAR, "b": LINEAR}, [20], coupling="gaussian(0.6)"), 6000)[..., 0]
    seen = np.arctanh(np.corrcoef(found.T)[0, 1])
    error = LIMIT * math.sqrt(1 / len(found) + 1 / lists)
    expected, wrong = (
        np.arctanh(np.corrcoef(correlated_lists(rho, 20, lists, rng).T)[0, 1]) for rho in (0.6, 0.36)
    )
    assert abs(seen - expected) <= error
    assert abs(seen - wrong) > error


@pytest.mark.slow
@pytest.mark.parametrize("engine", [items, cells, every_n], ids=["items", "cells", "every-n"])
def test_independent_scorers_share_their_labels_and_nothing_else(engine: ModuleType) -> None:
    both = design({"a": "constant(0.5)", "b": "constant(0.5)"}, [2], pairs=[("a", "b")], seed=5)
    found = draws(engine, both, 3000)[..., 0]
    assert abs(binomial_z(found, disagree(0.0))) <= LIMIT
    apart = 1 - (0.25**2 + 0.5**2 + 0.25**2)  # of the values 0, 1 and log 2/log 3, if labels were drawn apart
    for wrong in (apart, disagree(0.3)):
        assert abs(binomial_z(found, wrong)) > LIMIT


@pytest.mark.slow
@pytest.mark.parametrize("engine", [items, cells, every_n], ids=["items", "cells", "every-n"])
def test_list_lengths_are_prefixes_of_one_stream(engine: ModuleType) -> None:
    """E[NDCG_3 NDCG_6] by enumeration; lists that are drawn afresh would give the product of the means."""
    found = draws(engine, design(LINEAR, [3, 6], pairs=[]), 2400)[:, 0]
    product, curve = found[:, 0] * found[:, 1], {1.0: [Fraction("0.7"), Fraction("-0.6")]}

    def log(r: int) -> float:
        return 1 / math.log(1 + r)

    assert abs(z_score(product, naive.expected_product(curve, log, 3, 6))) <= LIMIT
    apart = math.prod(naive.expected_ndcg(curve, log, n) for n in (3, 6))
    assert abs(z_score(product, apart)) > LIMIT
