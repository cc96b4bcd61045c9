"""What exact means share with other sizes, measures and scorers changes no bit of them; what they cost."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import binom

from ndcg_asymptotics.theory.mean import expectation, expected_ndcg
from ndcg_asymptotics.theory.mean.memo import Memo

SIZES = (10, 60, 250, 1000, 10**6)
MEASURES = ("nDCG", "nDCG(zipf)", "nDCG@5", "nDCG@0.2n", "nDCG(power(0.5))@n^0.5")


@pytest.fixture(autouse=True)
def nothing_held():
    expectation.forget()
    yield
    expectation.forget()


@pytest.mark.parametrize("measure", MEASURES)
def test_other_sizes_measures_and_scorers_change_no_bit(measure):
    alone = []
    for n in SIZES:
        expectation.forget()
        alone.append(expected_ndcg("linear(0.1, 0.5)", measure, [n]).value[0])
    expectation.forget()
    for curve in ("constant(0.3)", "power(0.05, 0.8, 2)"):  # of the same label law, which differs in rounding
        for other in MEASURES:
            expected_ndcg(curve, other, SIZES)
    assert expected_ndcg("linear(0.1, 0.5)", measure, SIZES).value.tolist() == alone


def test_sharp_curves_in_short_lists():
    """Nothing beyond depth q is relevant, the M items above it with chance a: over M and the C relevant ones.

    Ranks are all that matters: ``E[DCG | M, C] = C/M F(min(k, M))``.
    """
    n, k, q, a = 50, 8, 0.6, 0.9
    sums = np.concatenate(([0.0], np.cumsum(np.arange(1.0, k + 1) ** -0.5)))
    truth = sum(
        binom.pmf(m, n, q) * binom.pmf(c, m, a) * c / m * sums[min(k, m)] / sums[min(k, c)]
        for m in range(1, n + 1)
        for c in range(1, m + 1)
    )
    found = expected_ndcg("step(0, 0.9, 0.4)", "nDCG(power(0.5))@n^0.5", [n])
    assert abs(found.value[0] - truth) <= found.error[0] < 1e-10


def test_what_is_held_is_bounded():
    memo = Memo[bytes](100, len)
    for size in (60, 30, 50, 300):  # the first is let go for the third, the last is too large to be held
        assert memo.get(size, lambda size=size: b"x" * size) == b"x" * size
    assert [memo.get(size, lambda: b"new") == b"new" for size in (50, 30, 60)] == [False, False, True]
