"""The excess kurtosis of NDCG that the labels at the top produce, against drawn lists."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from cases import simulated, study
from scipy import stats

from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.populations import Scorer
from ndcg_asymptotics.theory.deviation import ndcg_std
from ndcg_asymptotics.theory.deviation.asymptotic import excess_kurtosis
from ndcg_asymptotics.theory.mean import expected_ndcg

DRAWS, N = 2000, 400
MEASURES = "nDCG", "nDCG(zipf)", "nDCG(geometric(2))", "nDCG@10"


@cache
def drawn(curve: str) -> dict[str, np.ndarray]:
    """NDCG of lists of `N` items by each measure."""
    values = simulated(study(curve, (N,), MEASURES, seed=3), DRAWS).data["ndcg"]
    return {text: values.isel(measure=i).to_numpy().ravel() for i, text in enumerate(MEASURES)}


@pytest.mark.slow
@pytest.mark.parametrize("curve", ["linear(0.1, 0.7)", "constant(0.2)"])
@pytest.mark.parametrize("measure", MEASURES)
def test_tails_are_as_heavy_as_expected_at_most_twice(curve: str, measure: str) -> None:
    """The bound that tests of standard deviations take, for 400 items: tens of every grade."""
    values = drawn(curve)[measure]
    sd = float(ndcg_std(curve, measure, [N]).value[0])
    expected = excess_kurtosis(Scorer.of(curve), Measure.of(measure), N, sd)
    seen = float(np.mean((values - expected_ndcg(curve, measure, [N]).value[0]) ** 4)) / sd**4
    assert seen < 4 + 2 * max(expected, 0.0)
    if measure != "nDCG":  # the top decides: it is about right, not only a bound
        assert seen - 3 == pytest.approx(expected, abs=0.5 + 0.5 * abs(expected))
    far = np.append(values, [values.mean() + 20 * sd] * 20)  # one in a hundred, far away, would show
    assert stats.kurtosis(far) > 1 + 2 * max(expected, 0.0)
