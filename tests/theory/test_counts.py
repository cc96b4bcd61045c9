"""Rules for means over label counts, against sums over the laws."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import binom

from ndcg_asymptotics.theory.mean import kinks
from ndcg_asymptotics.theory.mean.counts import binomial_lattice, binomial_rule, multinomial_rule


@pytest.mark.parametrize(("size", "p"), [(7, 0.3), (50, 0.5), (1000, 0.001), (10**6, 0.3), (10**12, 1e-11)])
def test_binomial_rules(size, p):
    x, w = binomial_rule(float(size), p)
    assert w.sum() == pytest.approx(1, rel=1e-12)
    assert w @ x == pytest.approx(size * p, rel=1e-12)
    assert w @ (x - size * p) ** 2 == pytest.approx(size * p * (1 - p), rel=1e-9)
    if size <= 1000:
        every = np.arange(size + 1)
        assert w @ np.log(x + 3) == pytest.approx(binom.pmf(every, size, p) @ np.log(every + 3), rel=1e-9)


def test_lattice():
    x, w = binomial_lattice(200, 0.3, 1)
    assert w == pytest.approx(binom.pmf(x, 200, 0.3), abs=1e-15)
    x, w = binomial_lattice(10**8, 0.3, 50, 7)
    assert np.all(x % 50 == 7)
    assert w == pytest.approx(50 * binom.pmf(x, 10**8, 0.3), rel=1e-4, abs=1e-12)
    assert w @ x == pytest.approx(3e7, rel=1e-11)


def test_multinomial_rule():
    drawn, weights = multinomial_rule(500.0, np.array([0.01, 0.3, 0.69]))
    assert drawn.sum(axis=1) == pytest.approx(500)
    assert weights.sum() == pytest.approx(1, rel=1e-11)
    assert weights @ drawn == pytest.approx([5, 150, 345], rel=1e-11)
    assert weights @ (drawn[:, 0] * drawn[:, 1]) == pytest.approx(500 * 499 * 0.01 * 0.3, rel=1e-11)


@pytest.mark.parametrize("threshold", [-1, 11, 55, 90, 200])
def test_means_beyond_a_threshold(threshold):
    first, second = (kinks.Interpolated.binomial(size, 0.4, 200.0, 1) for size in (40, 100))
    assert len(first.nodes) < first.x.size
    x, y = np.arange(41)[:, None], np.arange(101)
    f = lambda x, y: np.log(200 + x) / (150 + y)  # noqa: E731
    law = binom.pmf(x, 40, 0.4) * binom.pmf(y, 100, 0.4)
    truth = np.sum(law * f(x, y), where=x + y > threshold)
    found = np.sum(kinks.beyond(first, second, threshold) * f(first.nodes[:, None], second.nodes))
    assert found == pytest.approx(truth, rel=1e-9, abs=1e-16)
