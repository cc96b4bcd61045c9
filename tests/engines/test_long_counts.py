"""Counts of lists of up to 1e18 items: those of cells with a chance near the rounding of 1 are Poisson."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import poisson

from ndcg_asymptotics.engines.shared.long_counts import binomial_counts, multinomial_counts

DRAWS, MEAN = 4000, 12.0
BINS = np.arange(4, 22)


def misfit(counts: np.ndarray, mean: float) -> float:
    """Return chi square of counts against a Poisson law, with 18 degrees of freedom."""
    chances = np.diff(np.concatenate(([0.0], poisson.cdf(BINS, mean), [1.0])))
    observed = np.bincount(np.searchsorted(BINS, counts), minlength=BINS.size + 1)
    return float(((observed - DRAWS * chances) ** 2 / (DRAWS * chances)).sum())


@pytest.mark.parametrize("n", [10**14, 3 * 10**17, 10**18])
def test_rare_items_of_long_lists_are_poisson(n: int) -> None:
    """The double 1 - 12 / n has lost digits at n = 1e14 and is 1 from 3e17 on."""
    rng = np.random.default_rng(7)
    cells = np.array(
        [multinomial_counts(rng, n, np.array([MEAN / n, 0.0, 0.25, 0.75])) for _ in range(DRAWS)]
    )
    assert np.all(cells.sum(axis=1) == n)
    assert not cells[:, 1].any()
    drawn = binomial_counts(rng, np.full(DRAWS, n), np.array(MEAN / n))
    for counts in (cells[:, 0], drawn):
        assert misfit(counts, MEAN) < 55  # is exceeded with probability 1e-5
        assert misfit(counts, 1.1 * MEAN) > 55  # another mean is noticed


def test_likely_items_are_binomial() -> None:
    rng = np.random.default_rng(8)
    counts = binomial_counts(rng, np.full(DRAWS, 10**18), np.array(0.25))
    # a mean of 4000 counts is within 4.5 standard errors but with probability 7e-6
    assert abs(counts.mean() - 2.5e17) < 4.5 * (10**18 * 0.1875 / DRAWS) ** 0.5
    assert binomial_counts(rng, np.array([5, 0, 7]), np.array([0.0, 0.5, 1.0])).tolist() == [0, 0, 7]
