"""The order of two scorers with one relevant item, against sums over all ranks in closed form."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from scipy.special import betainc, betaincc, gammaln

from ndcg_asymptotics.core.errors import NotAvailableError
from ndcg_asymptotics.measures import Measure, discount
from ndcg_asymptotics.populations import Scorer
from ndcg_asymptotics.theory.fluctuations.one_item_orders import order_of_one_item

Floats = np.ndarray
POWERS = [f"roc_power({kappa})" for kappa in (0.4, 0.6)]
# relevant items in the upper 60% and in the lower 60%: uniform on [0, 3/7] and [4/7, 1] of irrelevant ones
STEPS = ["step(0, 0.5, 0.4)", "step(0.5, 0, 0.6)"]
PAIRS = [POWERS, STEPS, [STEPS[1], POWERS[1]]]


@cache
def ranks_of(curve: str, n: int) -> Floats:
    """P(rank = r) for r = 1, …, n."""
    r = np.arange(1.0, n + 1)
    if curve in STEPS:
        upper = betainc(r, n - r + 1, 3 / 7) if curve == STEPS[0] else betaincc(r, n - r + 1, 4 / 7)
        return np.asarray(7 / 3 / n * upper)
    kappa = 1.0 if curve == "random" else float(curve[10:-1])
    logs = gammaln(r - 1 + kappa) - gammaln(r) + gammaln(n) - gammaln(n - 1 + kappa)
    return np.asarray(kappa * np.exp(logs) / (n - 1 + kappa))


def orders(pair: list[str], discounts: Floats) -> Floats:
    """P(a ahead), P(b ahead), P(tie); ``discounts`` are 0 beyond the cutoff."""
    p, q = (ranks_of(curve, discounts.size) for curve in pair)
    ends = np.append(discounts[1:] < discounts[:-1], True)
    starts = np.append(0, np.flatnonzero(ends)[:-1] + 1)
    p, q = np.add.reduceat(p, starts), np.add.reduceat(q, starts)
    return np.array([p[:-1] @ (1 - np.cumsum(q))[:-1], q[:-1] @ (1 - np.cumsum(p))[:-1], p @ q])


MEASURES = ["nDCG", "nDCG@1", "nDCG@10", "nDCG@1000", "nDCG(zipf)@0.3n", "nDCG(clipped_log(40.5))"]
MEASURES += ["nDCG(constant)@7", "nDCG(constant)@0.4n", "nDCG(power(0.01))"]
SWAPPED = "nDCG@10", "nDCG(zipf)@0.3n", "nDCG(constant)@7"  # scorers as well


@pytest.mark.slow
@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: pair[0])
@pytest.mark.parametrize("n", [1, 2, 60, 20_000])
def test_every_order_of_lists_of_every_length(pair: list[str], n: int) -> None:
    a, b = (Scorer.parse(f"relevant(1, {curve})") for curve in pair)
    for text in MEASURES:
        measure = Measure.parse(text)
        ranks = np.arange(1.0, n + 1)
        values = np.where(ranks <= measure.cutoff(n), measure.discount(ranks, float(n)), 0.0)
        found, error = order_of_one_item(a, b, measure, n)
        exact = orders(pair, values)
        # sums of differences of log n! have an error of 1e-11
        assert np.abs(np.array(found) - exact).max() <= error + 1e-10
        assert error < 1e-5
        assert sum(found) == pytest.approx(1.0, abs=2 * error + 1e-12)
        if text not in SWAPPED:
            continue
        swapped, _ = order_of_one_item(b, a, measure, n)
        assert swapped == pytest.approx((found.less, found.more, found.tie), abs=1e-12)


def test_the_rare_ties_of_long_lists() -> None:
    """Most ties of long lists are at the first ranks: c_1 c_1' n^-1 + … under powers 0.4 and 0.6."""
    a, b = (Scorer.parse(f"relevant(1, {curve})") for curve in POWERS)
    for n in (10**6, 10**9, 10**12, 10**18, 9 * 10**18):
        found, error = order_of_one_item(a, b, Measure.parse("nDCG"), n)
        # P(T_A < T_B) is 0.6, and 0.4 and 0.6 add up to 1 so that the rest is of the order log n/n
        assert found.more == pytest.approx(0.6, abs=30 / n + error)
        assert error < 1e-9
        assert found.tie < 50 / n + 1e-15


@pytest.mark.slow
def test_what_is_almost_certain_in_long_lists() -> None:
    a, b = (Scorer.parse(f"relevant(1, {curve})") for curve in STEPS)
    for n in (10**5, 10**12):
        found, error = order_of_one_item(a, b, Measure.parse("nDCG"), n)
        assert found.more == pytest.approx(1.0, abs=error)
        # the upper 3/7 of A's depths are all that count, 0.2/(3/7) of them above the cutoff
        cut, error = order_of_one_item(a, b, Measure.parse("nDCG@0.2n"), n)
        assert cut.more == pytest.approx(0.2 * 7 / 3, abs=1 / n + error)
        assert cut.less == pytest.approx(0.0, abs=error)


def test_own_discounts_that_do_not_fall_at_every_rank() -> None:
    steps = Measure(discount(lambda r: np.where(r > 80, 0.0, 1 / np.ceil(r / 10)), name="tens", largest=1e4))
    a, b = (Scorer.parse(f"relevant(1, {curve})") for curve in POWERS)
    ranks = np.arange(1.0, 201)
    found, error = order_of_one_item(a, b, steps, 200)
    exact = orders(POWERS, np.where(ranks > 80, 0.0, 1 / np.ceil(ranks / 10)))
    assert np.abs(np.array(found) - exact).max() <= error + 1e-10
    with pytest.raises(NotAvailableError, match="tells apart is not known"):
        order_of_one_item(a, b, steps, 10_000)
