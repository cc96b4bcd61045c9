"""The law of what the cells engine draws in lists of 1e18 items, against exact means and laws."""

from __future__ import annotations

import math

import numpy as np
import pytest
from cases import design
from scipy import stats

from ndcg_asymptotics.engines import cells
from ndcg_asymptotics.theory.mean import expected_ndcg

BINARY = {"good": "linear(0.1, 0.7)"}


def test_mean_at_1e18():
    texts = ("nDCG", "nDCG(power(0.5))", "nDCG@0.2n")
    draws = [cells.simulate(design(BINARY, (10**18,), texts, seed=7), r) for r in range(5)]
    expected, wrong = (
        np.array([expected_ndcg(BINARY["good"], text, [n]).value[0] for text in texts])
        for n in (10**18, 10**16)
    )
    # sum_r (0.7 - 0.6 r/n) r^-1/2 by the sum of the first 0.4 n of r^-1/2
    assert expected[1] == pytest.approx(0.5 * (0.7 * 2 - 0.6 * 2 / 3) / 0.4**0.5, abs=1e-8)
    for draw in draws:  # the standard deviations, below 1e-8, do not show in the bracket
        low, high, estimate = (draw[name][0, :, 0] for name in ("low", "high", "ndcg"))
        assert np.all((low <= expected) & (expected <= high))
        assert np.all(np.abs(estimate - expected) < 1e-6)
        assert np.all(np.abs(estimate - wrong)[[0, 2]] > 1e-5)
    assert np.ptp([draw["ndcg"][0, 0, 0] for draw in draws]) > 0


def test_law_of_top_heavy_measures_at_1e18():
    # sum_r D(r) Y_r over F(k) or F(np), Y_r Bernoulli(0.7 - 0.6 r/n): means by z, |z| < 5 has false
    # alarms 6e-7 each; variances within 5 of their standard errors, at most 0.1 of them for N = 400.
    what = design(
        BINARY, (10**18,), ("nDCG(zipf)", "nDCG(geometric(2))", "nDCG(power(2))@3"), seed=7, bracket=1e-2
    )
    count, zipf_sum = 400, math.log(0.4e18) + np.euler_gamma
    x = np.stack([cells.simulate(what, r)["ndcg"][0, :, 0] for r in range(count)])
    mean = np.array([(0.7 * (18 * math.log(10) + np.euler_gamma) - 0.6) / zipf_sum, 0.7, 0.7])
    squares = np.array([math.pi**2 / 6 / zipf_sum**2, 1 / 3, (1 + 2**-4 + 3**-4) / (1 + 1 / 4 + 1 / 9) ** 2])
    variance = 0.7 * 0.3 * squares
    error = np.sqrt(variance / count)
    assert np.all(np.abs(x.mean(axis=0) - mean) < 5 * error)
    in_full = mean[0] * zipf_sum / (zipf_sum - math.log(0.4))  # the ideal list taken to have n relevant items
    assert np.abs(x[:, 0].mean() - in_full) > 5 * error[0]
    assert np.all(np.abs(x.var(axis=0) / variance - 1) < 0.5)
    assert np.abs(x.var(axis=0)[0] / (variance[0] / 0.7) - 1) > 0.15
    # 2^-r: the first three labels decide the octave, 8 cases with their exact probabilities
    seen = np.bincount(np.minimum(8 * x[:, 1], 7).astype(int), minlength=8)
    law = np.array([0.7 ** k.bit_count() * 0.3 ** (3 - k.bit_count()) for k in range(8)])
    assert stats.chisquare(seen, count * law).pvalue > 1e-6
    assert stats.chisquare(seen, count * law[::-1]).pvalue < 1e-6
