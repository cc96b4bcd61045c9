"""Rules for means over label counts, against sums over the multinomial law."""

from __future__ import annotations

import numpy as np
import pytest
from oracles.counts import LAW, curved, every_count
from scipy.stats import binom

from ndcg_asymptotics.measures import Discount
from ndcg_asymptotics.theory.fluctuations.count_rules import CountRule, smooth_rule
from ndcg_asymptotics.theory.fluctuations.effort import QUICK
from ndcg_asymptotics.theory.rules.ideal import ideal_sums


def first_split(total, position):
    """All numbers of items on the left of the first split, with their probabilities."""
    x = np.arange(total + 1.0)
    return x, binom.pmf(x, total, LAW[:position].sum())


@pytest.mark.parametrize("order", [(3, 2, 1), (1, 2, 3), (2, 1, 3)])
def test_a_smooth_function(order):
    found, probabilities = every_count(50, LAW)
    truth = probabilities @ curved(found)
    counts, weights = smooth_rule(50, LAW, order, first_split(50, order[0]), curved, 1e-9)
    assert weights.sum() == pytest.approx(1, rel=1e-12)
    assert counts.sum(axis=1) == pytest.approx(50)
    assert weights @ counts == pytest.approx(50 * LAW, rel=1e-10)
    assert weights @ curved(counts) == pytest.approx(truth, rel=3e-9)
    assert len(weights) < len(probabilities)
    # one node for each further split is not enough
    counts, weights = smooth_rule(50, LAW, order, first_split(50, order[0]), curved, 1.1)
    assert abs(weights @ curved(counts) / truth - 1) > 1e-4


def test_every_count_of_short_lists():
    counts, weights = smooth_rule(5, LAW, (3, 2, 1), first_split(5, 3), curved, 1e-9)
    found, probabilities = every_count(5, LAW)
    assert np.count_nonzero(weights > 1e-14) == len(probabilities)
    assert weights @ np.exp(counts[:, 0]) == pytest.approx(probabilities @ np.exp(found[:, 0]))


def test_few_nodes_have_moderate_weights():
    """Large weights of both signs multiply what is not a polynomial; here they once added up to 5000."""
    law, gains, n = np.array([0.0307, 0.038, 0.095, 0.292, 0.5443]), np.array([15.0, 7.0, 3.0, 1.0]), 30
    rule = CountRule.of(law, gains, ideal_sums(Discount.parse("zipf"), n), n, QUICK.counts)
    counts, weights = rule.few(law, n, QUICK)
    assert np.abs(weights).sum() < 1.5 * weights.sum()
    whole = rule.weights / rule.ideal**2
    assert len(weights) < 60 < len(whole)
    assert weights @ counts**3 == pytest.approx(whole @ rule.counts**3, rel=1e-9)
    assert weights @ counts**4 != pytest.approx(whole @ rule.counts**4, rel=1e-9)
