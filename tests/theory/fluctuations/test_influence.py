"""The influence function of a single item, against exact standard deviations of long lists."""

import numpy as np
import pytest

from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.populations import Relevance
from ndcg_asymptotics.theory.fluctuations import ndcg_std
from ndcg_asymptotics.theory.fluctuations.influence import influence

LINEAR = "linear(0.1, 0.7)"


@pytest.mark.parametrize(
    ("measure", "close", "falls"),
    [("nDCG(linear)", 1e-5, 500), ("nDCG(power(0.2))", 1e-3, 10), ("nDCG(power(0.3))", 4e-3, 5)],
)
def test_the_variance_is_that_of_the_influence_of_items(measure: str, close: float, falls: float) -> None:
    sizes = [10**3, 10**6]
    exact = ndcg_std(LINEAR, measure, sizes).value
    second = [influence(Relevance.of(LINEAR), Measure.of(measure), n).moment(2) for n in sizes]
    gap = np.abs(np.sqrt(np.array(second) / sizes) / exact - 1)
    assert gap[1] < close
    assert gap[0] > falls * gap[1]
