"""Gauss rules of binomial laws, against sums over the laws."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import binom

from ndcg_asymptotics.theory.rules.binomial import gauss_nodes, gauss_rules


@pytest.mark.parametrize(("size", "p"), [(7, 0.3), (50, 0.5), (1000, 0.001), (10**6, 0.3), (10**12, 1e-11)])
def test_gauss_rules(size, p):
    """A rule of K nodes has 2K - 1 moments; several sizes at once, real ones as well."""
    shifts, (w, weights) = gauss_rules(np.array([float(size), size + 0.5]), p, 6)
    x, other = shifts[0] + size * p, shifts[1] + (size + 0.5) * p
    assert w.sum() == pytest.approx(1, rel=1e-12)
    assert w @ x == pytest.approx(size * p, rel=1e-12)
    assert w @ (x - size * p) ** 2 == pytest.approx(size * p * (1 - p), rel=1e-9)
    assert weights @ other == pytest.approx((size + 0.5) * p, rel=1e-12)
    if size <= 1000:
        every = np.arange(size + 1)
        truth = binom.pmf(every, size, p) @ np.log(every + 30)
        assert w @ np.log(x + 30) == pytest.approx(truth, rel=1e-9)


@pytest.mark.parametrize(("size", "p"), [(10.0, 0.3), (10**6, 0.02), (10.0**15, 0.9)])
def test_gauss_nodes_are_those_of_the_rule(size: float, p: float) -> None:
    (shift,), _ = gauss_rules(np.array([size]), p, 9)
    deviation = (size * p * (1 - p)) ** 0.5
    np.testing.assert_allclose(gauss_nodes(size, p, 9), shift, rtol=0, atol=1e-12 * deviation)
    assert not np.allclose(gauss_nodes(size * 1.001, p, 9), shift, rtol=0, atol=1e-5 * deviation)


def test_gauss_rule_of_more_nodes_than_numbers():
    (shift,), (w,) = gauss_rules(np.array([3.0]), 0.4, 8)
    x = shift + 3 * 0.4
    there = w > 1e-15
    assert np.sort(x[there]) == pytest.approx([0, 1, 2, 3], abs=1e-12)
    assert w[there][np.argsort(x[there])] == pytest.approx(binom.pmf(range(4), 3, 0.4), rel=1e-12)
