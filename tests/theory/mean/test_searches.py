"""Exact means at random: curves, measures, list lengths and prevalences against oracles.

``make soak`` searches two hundred times as long.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from oracles.discounts import DISCOUNTS
from oracles.means import by_depth, without_information
from oracles.sums import SUMS
from random_curves import random_curve, random_measure

from ndcg_asymptotics.theory.mean import expected_ndcg


def differs(text, measure, n, truth):
    """The relative error where it is beyond what was stated, or that is above 1e-6; else 0."""
    mean = expected_ndcg(text, measure, [n])
    off = abs(mean.value[0] - truth)
    return 0.0 if off <= mean.error[0] <= 1e-6 * truth else max(off, mean.error[0]) / truth


@pytest.mark.slow
def test_curves_and_measures_in_short_lists(effort):
    rng = np.random.default_rng(11)
    discounts = ["log", "zipf", "power(0.5)", "power(2)", "geometric(2)", "linear"]
    wrong = []
    for _ in range(15 * effort):
        text, curve, breaks = random_curve(rng)
        n = int(np.exp(rng.uniform(np.log(2), np.log(30 if effort == 1 else 40))))
        cutoffs = ["", "@1", "@4", "@10", f"@{rng.uniform(0.05, 1):.3g}n", "@n^0.5"]
        measure = random_measure(rng, discounts, cutoffs)
        spec = str(measure.discount)
        truth = by_depth(curve, breaks, lambda r, s=spec, m=n: DISCOUNTS[s](r, m), measure.cutoff(n), n)
        if off := differs(text, measure, n, truth):
            wrong.append((text, str(measure), n, off))
    assert not wrong


@pytest.mark.slow
def test_constants_of_every_prevalence_and_length(effort):
    """p from 1e-18 to 1, n from 1 to 1e18, every cutoff: the sum over the number of positives in mpmath."""
    rng = np.random.default_rng(12)
    wrong, compared = [], 0
    while compared < 25 * effort:
        p = float(10.0 ** rng.uniform(-18, 0)) if rng.random() < 0.7 else float(rng.random())
        n = int(10.0 ** rng.uniform(0, 18))
        cutoffs = ["", "@1", "@3", "@10", "@100", "@1000", "@2log(n)"]
        cutoffs += [f"@{rng.uniform(0.001, 1):.3g}n", f"@n^{rng.uniform(0.1, 0.9):.2g}"]
        measure = random_measure(rng, list(SUMS), cutoffs)
        try:
            truth = without_information(p, SUMS[str(measure.discount)], measure.cutoff(n), n)
        except ValueError:  # the kink of a long list: too many numbers for the oracle
            continue
        compared += 1
        if off := differs(f"constant({p!r})", measure, n, truth):
            wrong.append((p, str(measure), n, off))
    assert not wrong


@pytest.mark.slow
def test_perfect_orders(effort):
    """NDCG is 1 where there is a relevant item: the rank is certain given the counts, at every cutoff."""
    rng = np.random.default_rng(13)
    wrong = []
    for _ in range(15 * effort):
        share, n = round(float(rng.uniform(0.05, 0.95)), 3), int(10.0 ** rng.uniform(0.5, 5))
        cutoffs = ["", "@10", "@3", f"@{rng.uniform(0.05, 0.95):.2g}n", "@n^0.5"]
        measure = random_measure(rng, ["log", "zipf", "power(0.5)", "geometric(2)"], cutoffs)
        mean = expected_ndcg(f"step(0, 1, {share})", measure, [n])
        off = abs(mean.value[0] + math.expm1(n * math.log(share)))
        if not off <= mean.error[0] < 2e-4:
            wrong.append((share, str(measure), n, off, mean.error[0]))
    assert not wrong
