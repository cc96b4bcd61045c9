"""Random curves and measures: no true limit is called false, every wrong one is.

``NDCG_ASYMPTOTICS_SCAN`` says how many pairs (`make soak`: 500), ``NDCG_ASYMPTOTICS_SEED`` which.
"""

from __future__ import annotations

import os

import pytest
from random_pairs import pairs

from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.populations import Relevance
from ndcg_asymptotics.theory.approach import destination
from ndcg_asymptotics.theory.gap import leading_gap
from ndcg_asymptotics.theory.limits import concentrates, limit
from ndcg_asymptotics.theory.mean import expected_ndcg

COUNT = int(os.environ.get("NDCG_ASYMPTOTICS_SCAN", "25"))
SEED = int(os.environ.get("NDCG_ASYMPTOTICS_SEED", "2013"))
SMALLEST = 0.01  # limits nearer to 0 are off by a share of this


def _truth(curve: Relevance | str, measure: Measure) -> float:
    value = limit(curve, measure).value
    assert value is not None
    return value


@pytest.mark.slow
def test_no_true_limit_is_called_false_and_every_wrong_one_is(capsys: pytest.CaptureFixture[str]) -> None:
    false_alarms, missed, unbounded, weakest = [], [], [], 0.0
    for curve, text in pairs(COUNT, SEED):
        measure = Measure.parse(text)
        truth, (found, error) = _truth(curve, measure), destination(curve, measure)
        # 0.1% where the mean converges like a power of n, 1% where it does like 1/log n
        slow = measure.discount.growth in ("log", "zipf")
        wrong = (0.01 if slow else 0.001) * max(truth, SMALLEST)
        if not abs(found - truth) <= error:
            false_alarms.append((curve, text, truth, found, error))
        power = 2 * error / max(truth, SMALLEST)
        if power > 0.01:  # `check` says then that nothing can be told
            unbounded.append((curve, text, power))
        elif not all(abs(found - truth - sign * wrong) > error for sign in (-1, 1)):
            missed.append((curve, text, truth, found, error))
        weakest = max(weakest, power if power <= 0.01 else 0.0)
    with capsys.disabled():
        if COUNT > 25:
            print(f"\n{COUNT} pairs, seed {SEED}: {len(false_alarms)} true limits called false,", end=" ")
            print(f"{len(missed)} wrong ones missed, {len(unbounded)} without a bound: {unbounded};", end=" ")
            print(f"the weakest verdict sees {weakest:.1e} of a limit.")
    assert not false_alarms
    assert not missed
    # curves that near their top value more slowly than depths of 1e-300 show
    assert all("binormal" in curve for curve, *_ in unbounded)
    assert len(unbounded) <= 0.02 * COUNT


@pytest.mark.slow
def test_the_gap_follows_its_leading_term() -> None:
    """(E - L) / leading -> 1: what is left falls when n is squared, and is of the order of the scale."""
    seen = 0
    for curve, text in pairs(COUNT, SEED + 1):
        measure, relevance = Measure.parse(text), Relevance.parse(curve)
        gap = leading_gap(relevance, measure)
        if gap is None or gap.exponent or concentrates(measure):
            continue
        truth, sizes = _truth(relevance, measure), (10**9, 10**18)
        means = expected_ndcg(relevance, measure, sizes).value
        left = [abs(mean - truth - gap.at(n)) for mean, n in zip(means, sizes, strict=True)]
        # the next term is (log n)^-2: a quarter; coefficients grow with log(1/p), hence the slack
        assert left[1] <= 0.45 * left[0] + 1e-9, (curve, text)
        seen += 1
    assert seen >= COUNT // 10
