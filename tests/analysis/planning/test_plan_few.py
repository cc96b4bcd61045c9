"""Plans for lists with a fixed number of relevant items."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import gammaln

from ndcg_asymptotics.analysis.orders.long_run import long_run
from ndcg_asymptotics.analysis.planning.plan import plan
from ndcg_asymptotics.analysis.planning.required_length import required_length
from ndcg_asymptotics.core.errors import InputError
from ndcg_asymptotics.engines.cells.ranks import count_orders_of_ranks
from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.populations import Scorer

PAIR = "roc_power(0.4)", "roc_power(0.6)"


@pytest.mark.slow
def test_queries_grow_with_the_corpus_with_a_cutoff_alone() -> None:
    """NDCG@10 takes n^0.4 times as many; with the whole list the number tends to a constant."""
    needed = {}
    for n in (10**6, 10**12):
        found = plan(*PAIR, ["nDCG", "nDCG@10"], n=n, relevant=1)
        needed[n] = {row.measure: row.queries.required for row in found.rows}
        (whole,) = (row for row in found.rows if row.measure == "nDCG")
        assert whole.order.required_n is None
        assert "not known" in whole.order.why
        assert whole.order.long_run is None
        assert "not known" in found.answers[0]
    assert needed[10**12]["nDCG@10"] / needed[10**6]["nDCG@10"] == pytest.approx(10**2.4, rel=0.25)
    assert needed[10**12]["nDCG"] < needed[10**6]["nDCG"] < 500


def test_the_required_length_where_one_list_shows_the_order_often_enough() -> None:
    a, b = (Scorer.parse(f"relevant(1, roc_power({k}))") for k in (0.4, 0.6))
    measure = Measure.of("nDCG")
    assert long_run(a, b, measure).rate is None
    found = required_length(a, b, measure, 0.55)
    assert found.n is not None
    low, high = (
        count_orders_of_ranks(a, b, measure, n, 100_000, 3)[0] / 1e5 for n in (found.n // 2, found.n * 2)
    )
    assert low < 0.55 < high
    assert required_length(a, b, measure, 0.7).n is None


def test_lists_are_long_enough_for_their_relevant_items() -> None:
    with pytest.raises(InputError, match="n: lists with 20 relevant items have n >= 20, got 10"):
        plan(*PAIR, ["nDCG"], n=10, relevant=20)


def right_orders(n: int, k: int) -> float:
    """P(the first of PAIR is ahead) with one relevant item, by the closed form of its rank's law."""
    r = np.arange(1.0, n + 1)
    p, q = (
        kappa * np.exp(gammaln(r - 1 + kappa) - gammaln(r) + gammaln(n) - gammaln(n + kappa))
        for kappa in (0.4, 0.6)
    )
    return float((p * (1 - np.cumsum(q)))[:k].sum())


def test_orders_with_one_relevant_item() -> None:
    """Shares of 20,000 lists and more are known to 0.0035: five standard errors are 0.018."""
    found = plan(*PAIR, ["nDCG", "nDCG@10"], n=1000, relevant=1, rate=0.55)
    rows = {row.measure: row for row in found.rows}
    for measure, k in (("nDCG", 1000), ("nDCG@10", 10)):
        row = rows[measure]
        assert row.wrong.method == "counted"
        assert 10**row.wrong.log10 == pytest.approx(1 - right_orders(1000, k), abs=0.018)
    assert 10 ** rows["nDCG@10"].wrong.log10 == pytest.approx(0.8481, abs=0.018)
    n = rows["nDCG"].order.required_n or 0
    assert abs(right_orders(n, n) - 0.55) < 0.018
