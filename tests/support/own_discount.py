"""A discount of one's own, for tests that name it as custom("own_discount:steps")."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def steps(rank: Floats) -> Floats:
    """A discount that is no mixture of exponentials."""
    return 1.0 / np.ceil(np.asarray(rank) / 100)


def five_logs(rank: Floats) -> Floats:
    """5 / log(3 + r): the log discount in the limit, with a constant of its own."""
    return np.asarray(5.0 / np.log(3.0 + np.asarray(rank)))


def two_powers(rank: Floats) -> Floats:
    """2 / (r + 0.7)^0.4."""
    return np.asarray(2.0 * (np.asarray(rank) + 0.7) ** -0.4)
