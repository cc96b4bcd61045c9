"""The constant discount: hits in the first k over min(k, R), against sums over the item at rank k + 1."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.polynomial.legendre import leggauss
from scipy.stats import beta, binom

from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.theory.deviation import ndcg_std
from ndcg_asymptotics.theory.mean import expected_ndcg

CURVE = "linear(0.1, 0.7)"  # m(t) = 0.7 - 0.6 t


def moments(n: int, k: int) -> tuple[float, float]:
    """E[X] and E[X^2] of X = hits / min(k, R).

    Given the depth t of the item at rank k + 1, k items lie above it and n - k - 1 below, all independent.
    """
    x, w = leggauss(400)
    t, dt = (x + 1) / 2, w / 2
    found = np.zeros(2)
    hits, rest = np.arange(k + 1.0)[:, None], np.arange(n - k)[None, :]
    for depth, weight in zip(t, dt * beta.pdf(t, k + 1, n - k), strict=True):
        above, below = 0.7 - 0.3 * depth, (0.4 - 0.7 * depth + 0.3 * depth**2) / (1 - depth)
        law = binom.pmf(hits, k, above) * binom.pmf(rest, n - k - 1, below)
        for label, chance in ((1, 0.7 - 0.6 * depth), (0, 0.3 + 0.6 * depth)):
            best = np.minimum(k, hits + rest + label)
            value = np.divide(hits, best, out=np.zeros(best.shape), where=best > 0)
            found += weight * chance * np.array([(law * value).sum(), (law * value**2).sum()])
    return float(found[0]), float(found[1])


@pytest.mark.parametrize(("cutoff", "n"), [("10", 40), ("0.2n", 100), ("n^0.5", 100), ("0.45n", 60)])
def test_mean_and_standard_deviation_of_hits(cutoff: str, n: int) -> None:
    measure = Measure("constant", cutoff)
    mean, square = moments(n, measure.cutoff(n))
    sd = math.sqrt(square - mean**2)
    found, spread = expected_ndcg(CURVE, measure, [n]), ndcg_std(CURVE, measure, [n])
    assert found.value[0] == pytest.approx(mean, rel=1e-10)
    assert spread.value[0] == pytest.approx(sd, rel=1e-8)
    other, _ = moments(n, measure.cutoff(n) + 1)
    assert abs(other / mean - 1) > 1e-4
