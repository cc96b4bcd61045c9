"""Plans for lists with a fixed number of relevant items."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import gammaln

from ndcg_asymptotics.core.errors import InputError
from ndcg_asymptotics.plans.planning import plan

PAIR = "roc_power(0.4)", "roc_power(0.6)"


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
