"""The verdict on discounts, and how deep to judge."""

import pytest

from ndcg_asymptotics.analysis.power import lists_for
from ndcg_asymptotics.analysis.verdict import cheapest_pool, verdict
from ndcg_asymptotics.core.errors import InputError
from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.populations import Relevance
from ndcg_asymptotics.theory.fluctuations.variance import moments

GOOD, BLANK = "linear(0.1, 0.7)", "constant(0.4)"


def test_the_cheapest_measure_is_first() -> None:
    found = verdict(GOOD, BLANK, ["nDCG(geometric(2))", "nDCG(linear)", "nDCG(power(40))"], n=100)
    assert [row.measure for row in found.rows] == ["nDCG(linear)", "nDCG(geometric(2))", "nDCG(power(40))"]
    signals = [row.signal for row in found.rows]
    assert signals[0] > signals[1] > 0
    assert signals[2] is None
    assert "nDCG(linear)" in str(found)
    assert [row.error_exponent for row in found.rows] == [
        1.0,
        0.0,
        0.0,
    ]  # of discounts whose sum is finite none settles


def test_no_depth_is_cheaper() -> None:
    pool = cheapest_pool(GOOD, BLANK, "linear", n=60)
    assert pool.documents == pool.lists * pool.k
    pair = (Relevance.of(GOOD), Relevance.of(BLANK))
    for k in (1, 60):
        mean, variance, *_ = moments(pair, Measure("linear", k), 60)
        lists = lists_for(mean / variance**0.5, 0.8, 0.05)
        assert lists is not None
        assert lists * k >= pool.documents


def test_equal_curves_are_refused() -> None:
    with pytest.raises(InputError, match="both have the relevance curve"):
        verdict(GOOD, GOOD)
