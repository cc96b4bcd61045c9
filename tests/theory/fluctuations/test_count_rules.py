"""Rules for means over label counts, against sums over the multinomial law."""

from __future__ import annotations

import numpy as np
import pytest
from oracles.counts import LAW, curved, every_count
from scipy.stats import binom

from ndcg_asymptotics.measures import Discount
from ndcg_asymptotics.theory.fluctuations.effort import USUAL
from ndcg_asymptotics.theory.fluctuations.whole import CountRule
from ndcg_asymptotics.theory.rules.counts import distributed
from ndcg_asymptotics.theory.rules.ideal import discount_sums


def test_counts_of_grades_against_every_count():
    found, probabilities = every_count(50, LAW)
    truth = probabilities @ curved(found)
    numbers, chances = np.arange(51.0), binom.pmf(np.arange(51), 50, LAW[:3].sum())
    off = {}
    for most in (2, 3, 12):
        graded, ways = distributed(numbers, LAW[:3], most)
        weights = (chances[:, None] * ways).ravel()
        counts = np.column_stack([graded.reshape(len(weights), 3), 50 - np.repeat(numbers, ways.shape[1])])
        assert weights.sum() == pytest.approx(1, rel=1e-12)
        assert weights @ counts == pytest.approx(50 * LAW, rel=1e-10)
        off[most] = abs(weights @ curved(counts) / truth - 1)
    assert off[12] < 1e-8 < off[2]
    assert 2 * off[3] < off[2]
    assert len(weights) < len(probabilities)


def test_every_count_of_short_lists():
    """Rules of as many nodes as there are numbers are the law itself."""
    counts, weights = distributed(np.array([5.0]), LAW, 6)
    found, probabilities = every_count(5, LAW)
    counts, weights = counts[0], weights[0]
    assert np.count_nonzero(weights > 1e-14) == len(probabilities)
    assert weights @ np.exp(counts[:, 0]) == pytest.approx(probabilities @ np.exp(found[:, 0]))


def test_few_nodes_have_moderate_weights():
    """Large weights of both signs multiply what is not a polynomial; here they once added up to 5000."""
    law, gains, n = np.array([0.0307, 0.038, 0.095, 0.292, 0.5443]), np.array([15.0, 7.0, 3.0, 1.0]), 30
    rule = CountRule.of(law, gains, discount_sums(Discount.parse("zipf"), n), n, 1e-8)
    counts, weights = rule.few(law, n, USUAL)
    assert np.abs(weights).sum() < 1.5 * weights.sum()
    whole = rule.weights / rule.ideal**2
    assert len(weights) < 60 < len(whole)
    assert weights @ counts**3 == pytest.approx(whole @ rule.counts**3, rel=1e-9)
    assert weights @ counts**4 != pytest.approx(whole @ rule.counts**4, rel=1e-9)
