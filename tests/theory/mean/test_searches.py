"""Exact means at random: curves, measures, list lengths and prevalences against oracles.

``make soak`` searches two hundred times as long.
"""

from __future__ import annotations

import numpy as np
import pytest
from oracles.sums import SUMS, without_information
from random_curves import random_curve, random_measure

from ndcg_asymptotics.populations import Relevance
from ndcg_asymptotics.theory.deviation.ranks import rank_moments
from ndcg_asymptotics.theory.mean import expected_ndcg


def differs(text, measure, n, truth):
    """The relative error where it is beyond what was stated, or that is above 1e-6; else 0."""
    mean = expected_ndcg(text, measure, [n])
    off = abs(mean.value[0] - truth)
    return 0.0 if off <= mean.error[0] <= 1e-6 * truth else max(off, mean.error[0]) / truth


@pytest.mark.slow
def test_curves_and_measures_in_short_lists(effort):
    """Against the recursion over ranks, which shares neither depths nor label counts with the means."""
    rng = np.random.default_rng(11)
    discounts = ["log", "zipf", "power(0.5)", "power(2)", "geometric(2)", "linear"]
    wrong = []
    for _ in range(40 * effort):
        text, _, _ = random_curve(rng)
        n = int(2 * 64 ** rng.random())
        cutoffs = ["", "@1", "@4", "@10", f"@{rng.uniform(0.05, 1):.3g}n", "@n^0.5"]
        measure = random_measure(rng, discounts, cutoffs)
        if off := differs(text, measure, n, rank_moments((Relevance.of(text),), measure, n).mean):
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
