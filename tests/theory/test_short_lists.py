"""Lists of one to ten items, cutoffs beyond them among others: exact numbers against all label sequences.

``make soak`` searches a hundred times as long.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from oracles.discounts import DISCOUNTS
from oracles.means import sequence_law
from oracles.naive import ndcg
from random_curves import random_curve, random_measure

from ndcg_asymptotics.analysis.orders.prediction import predict_pair
from ndcg_asymptotics.core.errors import InputError
from ndcg_asymptotics.theory.prediction import predict

KNOWN = [d for d in DISCOUNTS if not d.startswith("custom") and d != "power(40)"]  # which has no exact mean
CUTOFFS = ["", "@1", "@2", "@7", "@10", "@100", "@0.05n", "@0.5n", "@n^0.5", "@7.62log(n)"]


def moments(law, discount, k):
    """The mean and the standard deviation of NDCG, and what rounding may make of a deviation of 0."""
    values = np.array([ndcg(labels, discount, k) for labels in law])
    weights = np.array(list(law.values()))
    mean = float(weights @ values)
    return mean, math.sqrt(max(float(weights @ (values - mean) ** 2), 0.0))


@pytest.mark.slow
def test_predictions_of_lists_of_one_to_ten_items(effort):
    rng = np.random.default_rng(14)
    wrong = []
    for _ in range(5 * effort):
        text, curve, breaks = random_curve(rng)
        n = int(rng.integers(1, 11))
        law = sequence_law(curve, breaks, n)
        assert sum(law.values()) == pytest.approx(1, abs=1e-12)
        for _ in range(3):
            measure = random_measure(rng, KNOWN, CUTOFFS)
            k, name = min(measure.cutoff(n), n), str(measure.discount)
            mean, std = moments(law, lambda r, d=name, m=n: DISCOUNTS[d](r, m), k)
            (row,) = predict(text, measure, n)
            assert row.expectation is not None
            assert row.expectation_error is not None
            assert row.sd is not None
            assert row.sd_error is not None
            # the root of rounding in a variance near 0
            off = abs(row.expectation - mean) > max(row.expectation_error, 1e-11)
            if off or abs(row.sd**2 - std**2) > 2 * std * row.sd_error + row.sd_error**2 + 1e-12:
                wrong.append((text, str(measure), n, row.expectation, mean, row.sd, row.sd_error, std))
    assert not wrong


@pytest.mark.slow
def test_pairs_in_lists_of_one_to_ten_items(effort):
    """A prediction of which scorer is ahead is made of finite numbers, or refused in words."""
    rng = np.random.default_rng(15)
    for _ in range(5 * effort):
        first, curve, breaks = random_curve(rng)
        measure, n = random_measure(rng, KNOWN, CUTOFFS), int(rng.integers(1, 11))
        law = sequence_law(curve, breaks, 1)
        try:
            (row,) = predict_pair(first, f"constant({law[(1,)]!r})", measure, n).rows
        except InputError as error:
            assert str(error)  # noqa: PT017
            continue
        assert math.isfinite(row.cost)
        assert row.wrong.log10 is None or row.wrong.log10 <= 0
