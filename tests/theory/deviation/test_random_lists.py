"""Standard deviations of random lists against sums over label counts, and these against label sequences.

``make soak`` searches twenty times as long.
"""

from __future__ import annotations

import itertools
import math
from functools import partial

import numpy as np
import pytest
from oracles.deviations import Pieces, moments, of_sequences
from random_lists import FIXED, Case, long_case, random_case

from ndcg_asymptotics.core.errors import NotAvailableError
from ndcg_asymptotics.theory.deviation import difference_std, ndcg_std


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


def evaluated(case: Case):
    """The value and its error; None where it is refused."""
    try:
        if len(case.scorers) > 1:
            found = difference_std(case.scorers[0], case.scorers[1], case.measure, [case.n])
        else:
            found = ndcg_std(case.scorers[0], case.measure, [case.n])
    except NotAvailableError as refused:
        assert "2% is allowed" in str(refused)  # noqa: PT017
        return None
    return float(found.value[0]), float(found.error[0])


def searched(draw, seed, count):
    """The cases beyond their stated error, and all errors as parts of the value: stated, true."""
    wrong, stated, true = [], [], []
    for i in range(count):
        case = draw(np.random.default_rng((seed, i)))
        found = evaluated(case)
        if found is None:
            continue
        off = abs(found[0] - case.deviation)
        if not off <= found[1] + 1e-12 * case.deviation + 1e-14 * case.largest:
            wrong.append((i, case, *found))
        if case.deviation > 1e-9 * case.largest:
            stated.append(found[1] / case.deviation)
            true.append(off / case.deviation)
    return wrong, np.array(stated), np.array(true)


@pytest.mark.slow
def test_random_lists(effort):
    """1 to 200 items, curves with jumps among the first ranks, one to four grades, every discount and cutoff.

    The errors are useful too: they are small, or true up to a factor of 100 or rounding in half of the cases.
    """
    for draw, seed in ((random_case, 2), (partial(random_case, fixed=False), 3)):
        # a pair of several grades whose counts are all enumerated is among the first 90
        count = max(75 * effort, 90) if seed == 2 else 25 * effort
        wrong, stated, true = searched(draw, seed, count)
        assert not wrong
        assert np.median(stated) < 1e-3
        assert np.mean((true >= stated / 100) | (stated < 1e-9)) > 0.5


@pytest.mark.slow
def test_random_long_lists(effort):
    """Whole lists and cutoffs with more than 128 ranks, of 129 to 320 items: many are refused."""
    wrong, stated, true = searched(long_case, 1, 40 * effort)
    assert not wrong
    assert stated.size > 10 * effort
    assert np.median(true) < 1e-3
    assert stated.max() <= 0.021


def binary(*pieces):
    """A curve as pairs of the depth where a piece ends and its relevance."""
    return Pieces(tuple(end for end, _ in pieces), tuple((p,) for _, p in pieces))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "curve", "discount", "n"),
    [
        ("constant(0.0001685)", binary((1.0, 0.0001685)), "clipped_log(2.161)", 189),  # -25% once
        ("step(0.0, 0.9, 0.99)", binary((1 - 0.99, 0.9), (1.0, 0.0)), "log", 500),
        ("step(1.0, 0.04, 0.97)", binary((1 - 0.97, 0.04), (1.0, 1.0)), "log", 300),  # few irrelevant ones
    ],
)
def test_few_items_of_one_class(text, curve, discount, n):
    d = dict(FIXED)[discount](np.arange(1.0, n + 1), n)
    truth = moments([curve], [1.0], d)[1]
    try:
        found = ndcg_std(text, f"nDCG({discount})", [n])
    except NotAvailableError as reason:
        assert "2% is allowed" in str(reason)  # noqa: PT017
    else:
        assert abs(found.value[0] - truth) <= found.error[0]
