"""Random curves and measures: no true limit disagrees, and every tested limit that is 1% off does.

``NDCG_ASYMPTOTICS_SCAN`` is the number of pairs (`make soak`: 500), ``NDCG_ASYMPTOTICS_SEED`` their seed.
"""

from __future__ import annotations

import math
import os
from collections import Counter

import pytest
from random_pairs import pairs

from ndcg_asymptotics.checks import limit_tests
from ndcg_asymptotics.checks.limit_tests import LimitTest, check_limit
from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.populations import Relevance
from ndcg_asymptotics.theory.limits import Limit, limit
from ndcg_asymptotics.theory.limits.extrapolation import extrapolated_limit
from ndcg_asymptotics.theory.limits.leading_terms import leading_gap

COUNT = int(os.environ.get("NDCG_ASYMPTOTICS_SCAN", "8"))
SEED = int(os.environ.get("NDCG_ASYMPTOTICS_SEED", "2013"))
SMALLEST = 0.01  # limits nearer to 0 are off by a share of this


def formula_alone(*of: object) -> Limit:
    """The limit, tested even where the theorem does not apply, as to a step."""
    stated = limit(*of)
    return Limit(stated.value, stated.theorem, ()) if stated.unmet else stated


def judged(of: str, text: str, factor: float = 1.0) -> LimitTest:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(limit_tests, "limit", formula_alone)
        return check_limit(Relevance.parse(of), Measure.parse(text), "a", factor)


@pytest.mark.slow
def test_no_true_limit_disagrees_and_every_tested_wrong_one_does(capsys: pytest.CaptureFixture[str]) -> None:
    wrong_verdicts, worst, gaps, untested = [], 0.0, 0, Counter[str]()
    for of, text in pairs(COUNT, SEED):
        row = judged(of, text)
        if row.verdict == "disagrees":
            wrong_verdicts.append((of, text, row.explanation))
        if not row.tested:
            untested["lists up to 1e18 are too short" if math.isinf(row.tolerance) else "error above 1%"] += 1
            continue
        worst = max(worst, abs(row.extrapolated - row.limit) / (row.tolerance or 1.0))
        gaps += row.leading_gap is not None
        step = 0.01 * max(row.limit, SMALLEST) / row.limit if row.limit else 0.0
        wrong_verdicts.extend(
            (of, text, factor)
            for factor in ((1 - step, 1 + step) if row.limit else ())
            if judged(of, text, factor).verdict != "disagrees"
        )
    if COUNT > 8:
        with capsys.disabled():
            print(
                f"\n{COUNT} pairs, seed {SEED}: {len(wrong_verdicts)} wrong verdicts; not tested "
                f"{dict(untested)}; {gaps} leading gaps confirmed; "
                f"the largest error was {worst:.2f} of its bound."
            )
    assert not wrong_verdicts
    assert sum(untested.values()) <= 0.15 * COUNT


@pytest.mark.slow
def test_every_tested_leading_gap_that_is_a_tenth_off_is_detected() -> None:
    seen = 0
    for of, text in pairs(COUNT, SEED + 1):
        gap, truth, path = leading_gap(of, text), limit(of, text).value, extrapolated_limit(of, text)
        if gap is None or truth is None or path.error > 0.005 * max(truth, SMALLEST):
            continue  # none is known, or its limit is not tested
        found, error = path.coefficient(truth, gap.exponent)
        if error > 0.05 * abs(gap.coefficient):
            continue
        assert abs(found - gap.coefficient) <= error, (of, text)
        assert abs(found - 1.1 * gap.coefficient) > error, (of, text)
        seen += 1
    assert seen >= COUNT // 4
