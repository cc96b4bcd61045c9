"""Order of keys, against numpy's stable sort."""

import numpy as np
import pytest
from numpy.typing import NDArray

from ndcg_asymptotics.core.arrays import stable_order

rng = np.random.default_rng(1)
NORMAL = rng.normal(size=50_000)
KEYS: dict[str, NDArray[np.float64]] = {
    "normal": NORMAL,
    "ties": np.round(NORMAL, 2),
    "differ in the last bits only": 1.0 + rng.integers(0, 3, 3000) * np.finfo(float).eps,
    "some differ in the last bits": np.where(rng.random(50_000) < 1e-3, 1.0 + NORMAL * 1e-15, NORMAL),
    "zeros of both signs": np.where(rng.random(1000) < 0.5, -0.0, 0.0),
    "infinite": np.where(NORMAL > 1, np.inf, np.where(NORMAL < -1, -np.inf, NORMAL)),
    "tiny and huge": NORMAL * 10.0 ** rng.integers(-320, 300, NORMAL.size),
    "uniform, falling": np.sort(rng.random(200_000))[::-1].copy(),
    "crowded in a corner": np.where(rng.random(20_000) < 1e-3, 1e12, rng.random(20_000)),
    "many alike to two digits": np.round(rng.random(20_000) * 2**20) + rng.random(20_000) * 1e-6,
    "hardly apart": 5e-324 * rng.integers(0, 9, 5000).astype(np.float64),
    "too far apart": np.where(rng.random(5000) < 0.5, -1e308, 1e308),
    "one": np.array([3.0]),
    "none": np.empty(0),
}


@pytest.mark.parametrize("name", list(KEYS))
def test_order_is_that_of_a_stable_sort(name: str) -> None:
    np.testing.assert_array_equal(stable_order(KEYS[name]), np.argsort(KEYS[name], kind="stable"))
