"""Means and standard deviations of random lists against sums over label counts or over label sequences.

``make soak`` searches twenty times as long.
"""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from oracles.deviations import Pieces, moments
from random_lists import FIXED, Case, long_case, random_case

from ndcg_asymptotics.core.errors import NotAvailableError
from ndcg_asymptotics.theory.deviation import difference_std, ndcg_std
from ndcg_asymptotics.theory.mean import expected_ndcg


def mean_is_right(case: Case):
    """Whether the mean, or the difference of two, is within the stated error, which is small."""
    try:
        means = [expected_ndcg(scorer, case.measure, [case.n]) for scorer in case.scorers]
    except NotAvailableError as refused:
        return "clipped_log" in case.measure and "not a mixture of exponentials" in str(refused)
    value = means[0].value[0] - sum(mean.value[0] for mean in means[1:])
    error = sum(mean.error[0] for mean in means)
    return abs(value - case.mean) <= error + 1e-14 * case.largest and error <= 1e-7 * case.largest + 1e-15


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
        if not mean_is_right(case):
            wrong.append((i, case, "mean"))
        found = evaluated(case)
        if found is None:
            continue
        off = abs(found[0] - case.deviation)
        if not off <= found[1] + 1e-12 * case.deviation + 3e-14 * case.largest:
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
