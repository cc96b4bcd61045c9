"""Means E[D(1 + A); A < k] from characteristic functions, against sums over binomial laws."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import binom

from ndcg_asymptotics.measures import Discount
from ndcg_asymptotics.theory.rules.ranks import RankWindow


@pytest.mark.parametrize(("size", "p"), [(1, 0.3), (20, 0.9), (1000, 0.02), (10**6, 0.3), (10**7, 0.5)])
@pytest.mark.parametrize("discount", ["log", "zipf", "linear"])
def test_a_binomial_law(size, p, discount):
    """Windows that are summed and windows that are integrated; the cutoff below, within and above the law."""
    discount, n = Discount.parse(discount), size + 1
    mean, variance = size * p, size * p * (1 - p)
    reach = 9 * math.sqrt(variance) + 25
    low, high = max(math.floor(mean - reach), 0), min(math.ceil(mean + reach), size)
    window = RankWindow.holding(low, high)
    w = window.frequencies(variance)
    law = (1 + p * np.expm1(1j * w)) ** size
    a = np.arange(low, high + 1)
    gains = binom.pmf(a, size, p) * discount(1.0 + a, float(n))
    for k in (low, math.floor(mean) + 1, math.floor(mean + math.sqrt(variance)), n):
        g = window.weights(discount, n, k, w.size) * window.turns(w.size)
        assert float((g @ law).real) == pytest.approx(gains[a < k].sum(), rel=1e-8, abs=1e-12 * gains.sum())


def test_frequencies_where_the_law_is_wide():
    """Their number does not grow with the list."""
    counts = []
    for variance in (10.0**4, 10.0**8, 10.0**12):
        reach = math.ceil(9 * math.sqrt(variance))
        counts.append(RankWindow.holding(0, 2 * reach).frequencies(variance).size)
    assert max(counts) - min(counts) <= 1 < counts[0] < 50


def test_turns_are_exact_in_long_lists():
    low, size = 10**18 + 7, 1001
    expected = [np.exp(-2j * math.pi * (f * low % size) / size) for f in range(4)]
    assert RankWindow(low, size).turns(4) == pytest.approx(expected, rel=1e-13)
