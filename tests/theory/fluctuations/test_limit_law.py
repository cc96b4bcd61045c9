"""The stated distance of the law at n from that of long lists, against simulation."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from cases import simulated, study
from scipy import stats

from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.populations import Scorer
from ndcg_asymptotics.theory.fluctuations import ndcg_std
from ndcg_asymptotics.theory.fluctuations.asymptotic import excess_kurtosis
from ndcg_asymptotics.theory.fluctuations.limit_law import LimitLaw, limit_law
from ndcg_asymptotics.theory.mean import expected_ndcg

CURVE, DRAWS, N = "linear(0.1, 0.7)", 2000, 400
MEASURES = (
    "nDCG",
    "nDCG(linear)",
    "nDCG(power(0.5))",
    "nDCG(zipf)",
    "nDCG(geometric(2))",
    "nDCG@5",
    "nDCG@10",
)


@cache
def drawn(curve: str) -> dict[str, np.ndarray]:
    """NDCG of lists of `N` items by each measure."""
    values = simulated(study(curve, (N,), MEASURES, seed=3), DRAWS).data["ndcg"]
    return {text: values.isel(measure=i).to_numpy().ravel() for i, text in enumerate(MEASURES)}


def law_at(measure: str, n: int, curve: str = CURVE) -> LimitLaw | None:
    mean, sd = expected_ndcg(curve, measure, [n]).value[0], ndcg_std(curve, measure, [n]).value[0]
    return limit_law(Scorer.of(curve), Measure.of(measure), n, float(mean), float(sd))


@pytest.mark.slow
@pytest.mark.parametrize("measure", MEASURES[:6])
def test_the_distance_is_below_what_is_stated(measure: str) -> None:
    """2000 draws are off by 0.06 with probability below 1e-6 (Dvoretzky, Kiefer, Wolfowitz, Massart)."""
    sampling = np.sqrt(np.log(2 / 1e-6) / (2 * DRAWS))
    law = law_at(measure, N)
    assert law is not None
    x = (np.sort(drawn(CURVE)[measure]) - law.centre) / law.scale
    steps = np.arange(DRAWS + 1) / DRAWS
    above, below = steps[1:] - law.cdf(x + law.shift), law.cdf(x - law.shift) - steps[:-1]
    assert max(above.max(), below.max()) < law.chance + sampling


@pytest.mark.slow
@pytest.mark.parametrize("measure", ["nDCG", "nDCG(linear)", "nDCG(power(0.8))", "nDCG(zipf)", "nDCG@5"])
def test_the_distance_falls_with_n(measure: str) -> None:
    found = [law_at(measure, n) for n in (10**3, 10**6, 10**9)]
    distances = [law.distance for law in found if law is not None]
    assert len(distances) == 3
    assert distances[0] > distances[1] > distances[2]
    assert distances[2] < 0.15


def test_certain_tops_have_no_limit_law() -> None:
    assert limit_law(Scorer.of("linear(0, 1)"), Measure.of("nDCG@5"), 1000, 1.0, 0.0) is None


@pytest.mark.slow
@pytest.mark.parametrize("curve", [CURVE, "constant(0.2)"])
@pytest.mark.parametrize("measure", ["nDCG", "nDCG(zipf)", "nDCG(geometric(2))", "nDCG@10"])
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
