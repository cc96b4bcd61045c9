"""From labels to gains."""

from __future__ import annotations

from typing import Literal, get_args

import numpy as np

from ndcg_asymptotics.core.arrays import Floats, brief
from ndcg_asymptotics.core.errors import require

Gain = Literal["exp2", "linear"]


def gains_of(labels: Floats, gain: Gain) -> Floats:
    """2^y - 1 (``exp2``), or the labels themselves (``linear``).

    >>> gains_of(np.array([0.0, 1.0, 4.0]), "exp2")
    array([ 0.,  1., 15.])

    Raises
    ------
    InputError
        For another gain.
    """
    require(gain in get_args(Gain), f"must be one of {', '.join(get_args(Gain))}, got {brief(gain)}", "gain")
    return np.exp2(labels) - 1 if gain == "exp2" else labels
