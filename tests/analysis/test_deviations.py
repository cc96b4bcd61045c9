"""Deviations from i.i.d. theory: parts add up, and lists that follow the theory have none."""

from __future__ import annotations

import numpy as np
import pytest

import ndcg_asymptotics as na
from ndcg_asymptotics.analysis.runs.deviations import deviations
from ndcg_asymptotics.core.errors import InputError
from ndcg_asymptotics.lists.growing import grow
from ndcg_asymptotics.lists.growth import Growth

MEASURES = ("nDCG", "nDCG(zipf)")


def lists(queries: int, easy: float, hard: float, documents: int = 400, seed: int = 1):
    """Lists of i.i.d. documents of two kinds of queries, far more of them than arrive."""
    rng = np.random.default_rng(seed)
    run, labels = {}, {}
    for q in range(queries):
        curve = na.populations.Curve.parse(f"linear(0, {easy if q % 2 else hard})")
        depth = rng.random(documents)
        run[f"q{q}"] = {f"d{i}": -t for i, t in enumerate(depth.tolist())}
        labels[f"q{q}"] = {
            f"d{i}": float(y) for i, y in enumerate(rng.random(documents) < curve.value(depth))
        }
    return {"mine": run}, labels


@pytest.fixture(scope="module")
def different() -> Growth:
    """Queries of two kinds."""
    return grow(*lists(40, 0.9, 0.03), MEASURES, orders=8, n=50, by=2)


def test_the_gap_is_the_sum_of_its_parts(different):
    found = deviations(different)
    assert (found.queries, found.groups, len(found.rows)) == (40, 2, 2 * 3)
    for row in found.rows:
        assert row.heterogeneity + row.left == pytest.approx(row.real - row.pooled, abs=1e-12)
        assert row.left_low <= row.left <= row.left_high
        assert row.dependence_low <= row.dependence <= row.dependence_high
        assert row.mixture_z == pytest.approx((row.real - row.mixture) / row.error)
        assert row.error == pytest.approx(
            different.error[0, [str(m) for m in different.measures].index(row.measure), row.n - 1]
        )


def test_only_the_mixture_detects_queries_that_differ(different):
    """I.i.d. lists of two kinds: nothing is left for the mixture, the pooled curve is far off."""
    found = deviations(different)
    # 6 rows; |z| of a true mean beyond 3.5 with 5e-4 each
    assert max(abs(row.mixture_z) for row in found.rows) < 3.5
    log = [row for row in found.rows if row.measure == "nDCG"]
    assert max(abs(row.heterogeneity) for row in log) > 0.05
    # documents are independent: 40 queries x 8 orders
    assert all(row.dependence_low < 0.02 and row.dependence_high > -0.02 for row in found.rows)
    said = str(found)
    assert "the pooled curve deviates most for mine" in said
    assert "Real lists and i.i.d. theory: 40 queries, a mixture of 2 groups" in said
    assert found.to_dataframe()["mixture_z"].shape == (6,)


def test_queries_that_are_alike_need_no_mixture():
    found = deviations(grow(*lists(30, 0.5, 0.5), MEASURES, orders=8, n=50, by=2))
    assert max(abs(row.pooled_z) for row in found.rows) < 3.5
    assert max(abs(row.heterogeneity) for row in found.rows) < 0.03


def test_lists_that_are_not_exchangeable_are_detected():
    """The relevant documents come first: theory says nothing of that order, and the gap is not small."""
    run, labels = lists(20, 0.4, 0.4)
    times = {q: {d: -y + 1e-6 * i for i, (d, y) in enumerate(docs.items())} for q, docs in labels.items()}
    found = deviations(grow(run, labels, MEASURES, order="time", times=times, n=50, by=2))
    assert min(row.mixture_z for row in found.rows if row.n == 10) > 10


def test_refusals():
    run, labels = lists(3, 0.5, 0.5)
    with pytest.raises(
        InputError, match="not compared with theory; grow them with a number of groups: --by 8"
    ):
        deviations(grow(run, labels, "nDCG", orders=1, n=20))
    one = ({"mine": {"q0": run["mine"]["q0"]}}, labels)
    with pytest.raises(InputError, match="needs at least 2 of them, got 1"):
        deviations(grow(*one, "nDCG", orders=1, n=20, by=1))
