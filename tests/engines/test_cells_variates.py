"""Random variates, counts of lists of up to 1e18 items, and tables of sums."""

from __future__ import annotations

import math

import mpmath
import numpy as np
import pytest
from engines_cases import fits
from scipy import stats

from ndcg_asymptotics.engines.cells import philox
from ndcg_asymptotics.engines.shared import tables
from ndcg_asymptotics.engines.shared.long_counts import binomial_counts, multinomial_counts
from ndcg_asymptotics.measures.discounts import Discount

# Random variates


@pytest.mark.parametrize(
    ("counter", "key", "expected"),
    [
        ((0, 0, 0, 0), (0, 0), (0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8)),
        ((0xFFFFFFFF,) * 4, (0xFFFFFFFF,) * 2, (0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD)),
        (
            (0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344),
            (0xA4093822, 0x299F31D0),
            (0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1),
        ),
    ],
)
def test_philox_known_answers(counter, key, expected):
    # the published vectors of Random123
    assert philox.philox(*map(np.uint64, counter + key)) == expected


def draws(n, p, count, key=1):
    words = [np.uint64(w) for w in (0, 5, 3, key, 99)]
    return np.array([philox.binomial(n, p, np.uint64(i), *words) for i in range(count)], np.int64)


@pytest.mark.parametrize(
    ("n", "p"),
    [(1, 0.3), (2, 0.6), (7, 0.5), (38, 0.5), (60, 0.97), (100, 0.5), (300, 0.2), (5000, 0.01), (10**6, 0.7)],
)
def test_binomial_law(n, p):
    # False alarms 1e-5 for each of 9 cases.
    count, law = 10_000, stats.binom(n, p)
    x = draws(n, p, count)
    assert x.min() >= 0
    assert x.max() <= n
    edges = np.unique(law.ppf(np.linspace(0, 1, 31)[1:-1]))
    seen = np.bincount(np.searchsorted(edges, x), minlength=len(edges) + 1)

    def p_value(law):
        expected = count * np.diff(np.concatenate(([0.0], law.cdf(edges), [1.0])))
        kept = expected > 0
        return stats.chisquare(seen[kept], expected[kept] * (count / expected[kept].sum())).pvalue

    assert p_value(law) > 1e-5
    shift = 0.15 * math.sqrt(p * (1 - p) / n)  # a seventh of a standard deviation is seen
    assert p_value(stats.binom(n, p - shift if p > 0.5 else p + shift)) < 1e-5


@pytest.mark.slow
@pytest.mark.parametrize("n", [10**12, 10**18, 9 * 10**18])
@pytest.mark.parametrize("p", [0.5, 0.7, 1e-6])
def test_binomial_of_many_is_gaussian(n, p):
    # False alarms 1e-5 for each of 9 cases. Numbers are whole, not multiples of what a double holds.
    x = draws(n, p, 10_000)
    z = np.array([int(v) - round(n * mpmath.mpf(p)) for v in x], float) / math.sqrt(n * p * (1 - p))
    assert stats.kstest(z, "norm").pvalue > 1e-5
    assert stats.kstest(z + 0.08, "norm").pvalue < 1e-5
    assert x.min() >= 0
    assert (x % 2).std() > 0.49


@pytest.mark.parametrize("n", [50, 10**6, 10**18])
def test_log_probability(n):
    p, mean = 0.37, round(0.37 * n)
    for offset in (-2, 0, 3, math.isqrt(n) // 2, -math.isqrt(n)):
        x = mean + offset
        with mpmath.workdps(50):
            exactly = mpmath.loggamma(n + 1) - mpmath.loggamma(x + 1) - mpmath.loggamma(n - x + 1)
            exactly += x * mpmath.log(mpmath.mpf(p)) + (n - x) * mpmath.log(1 - mpmath.mpf(p))
        # the mean n p as a double is off by up to 64 of 5e8 standard deviations
        assert philox.log_probability(x, n, p) == pytest.approx(
            float(exactly), abs=2e-6 if n > 1e9 else 1e-11
        )


# Counts of long lists: those of cells with a chance near the rounding of 1 are Poisson

DRAWS, MEAN = 4000, 12.0


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
    law, wrong = ({k: stats.poisson.pmf(k, mean) for k in range(60)} for mean in (MEAN, 1.1 * MEAN))
    for counts in (cells[:, 0], drawn):
        assert fits(counts.tolist(), law, 1e-5)
        assert not fits(counts.tolist(), wrong, 1e-5)


def test_likely_items_are_binomial() -> None:
    rng = np.random.default_rng(8)
    counts = binomial_counts(rng, np.full(DRAWS, 10**18), np.array(0.25))
    # a mean of 4000 counts is within 4.5 standard errors but with probability 7e-6
    assert abs(counts.mean() - 2.5e17) < 4.5 * (10**18 * 0.1875 / DRAWS) ** 0.5
    assert binomial_counts(rng, np.array([5, 0, 7]), np.array([0.0, 0.5, 1.0])).tolist() == [0, 0, 7]


# Tables


@pytest.mark.parametrize(
    "text",
    ["log", "power(0.5)", "power(0.9999)", "zipf", "power(2)", "geometric(2)", "geometric(1.0001)", "linear"],
)
def test_tables_hold_the_sums(text):
    discount, n = Discount.parse(text), 9 * 10**18
    near, far, start, length = tables.build((discount,), (n,), (n,))[0]
    rng = np.random.default_rng(3)
    ranks = np.concatenate([np.arange(5000), (10 ** rng.uniform(3, 18.95, 20000)).astype(np.int64), [n]])
    found = [tables.cumulative(near, far, start, length, 0, k) for k in ranks]
    cell_weight = [tables.cell_weight(near, far, start, length, 0, k) for k in np.sort(ranks)]
    expected = discount.cumulative(ranks, n)
    allowed = np.where(ranks <= 4096, tables.NEAR_ERROR, tables.FAR_ERROR - 1e-13)
    assert np.all(np.abs(found - expected) <= allowed * expected)
    # where it is flat, pieces may part by rounding
    assert np.all(np.diff(cell_weight) >= -1e-15 * cell_weight[-1])
