"""The exact standard deviation goes where the formula for long lists says."""

import numpy as np
import pytest

from ndcg_asymptotics.core.errors import InputError
from ndcg_asymptotics.theory.fluctuations import ndcg_std
from ndcg_asymptotics.theory.fluctuations.asymptotic import asymptotic_std

LINEAR = "linear(0.1, 0.7)"


@pytest.mark.parametrize(
    ("measure", "close", "falls"),
    [
        ("nDCG(linear)", 1e-5, 500),
        ("nDCG(power(0.2))", 1e-3, 10),
        ("nDCG(power(0.3))", 4e-3, 5),
        ("nDCG(power(1.5))", 1e-2, 2),
    ],
)
def test_they_meet(measure: str, close: float, falls: float) -> None:
    sizes = [10**3, 10**6]
    exact = ndcg_std(LINEAR, measure, sizes).value
    gap = np.abs(np.array([asymptotic_std(LINEAR, measure, n) for n in sizes]) / exact - 1)
    assert gap[1] < close
    assert gap[0] > falls * gap[1]


@pytest.mark.parametrize("measure", ["nDCG(power(0.5))", "nDCG@10"])
def test_where_there_is_no_formula(measure: str) -> None:
    with pytest.raises(InputError, match="no asymptotic variance"):
        asymptotic_std(LINEAR, measure, 100)
