"""Standard deviations of random lists against sums over label counts, and these against label sequences."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from oracles.deviations import Pieces, moments, of_sequences


def sequences(pieces, gains, n):
    """The probability of every label sequence: a sum over the numbers of items on two pieces."""
    found = dict.fromkeys(itertools.product((*gains, 0.0), repeat=n), 0.0)
    laws = [(*law, 1 - sum(law)) for law in pieces.laws]
    for upper in range(n + 1):
        chance = math.comb(n, upper) * pieces.ends[0] ** upper * (1 - pieces.ends[0]) ** (n - upper)
        for labels in found:
            grades = [(*gains, 0.0).index(y) for y in labels]
            found[labels] += chance * math.prod(laws[int(r >= upper)][j] for r, j in enumerate(grades))
    return found


@pytest.mark.parametrize("k", [3, 6])
@pytest.mark.parametrize("normalised", [True, False])
@pytest.mark.parametrize("gains", [(1.0,), (3.0, 1.0)])
def test_the_sums_over_counts_against_every_label_sequence(gains, normalised, k):
    n, grades = 6, len(gains)
    step = Pieces((0.3, 1.0), ((0.5, 0.3)[:grades], (0.1, 0.2)[:grades]))
    flat = Pieces((1.0, 1.0), ((0.22, 0.23)[:grades], (0.0, 0.0)[:grades]))
    assert flat.laws[0][0] == pytest.approx(0.3 * 0.5 + 0.7 * 0.1)
    discounts = np.where(np.arange(n) < k, 1 / np.log(np.arange(2.0, n + 2)), 0.0)
    laws = [sequences(curve, gains, n) for curve in (step, flat)]
    for several in (1, 2):
        found = moments(
            [step, Pieces((1.0,), flat.laws[:1])][:several], gains, discounts, normalised=normalised
        )
        expected = of_sequences(laws[:several], discounts, normalised=normalised)
        assert found == pytest.approx(expected, rel=1e-12)
        other = of_sequences([laws[-1], laws[0]][:several], discounts, normalised=normalised)
        assert found != pytest.approx(other, rel=1e-3)
