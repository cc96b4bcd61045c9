"""Preferences between pairs of items: weights a_ij >= 0 of "i before j".

A label vector prefers i to j where y_i > y_j; an item that was not judged (NaN) is in no pair.
"""

from __future__ import annotations

from typing import Literal, get_args

import numpy as np

from ndcg_asymptotics.core.arrays import Floats
from ndcg_asymptotics.core.errors import InputError
from ndcg_asymptotics.measures.gains import Gain, label_gains

PairWeights = Literal["order", "gain"]
WEIGHTS: tuple[str, ...] = get_args(PairWeights)


def pair_weights(labels: Floats, gain: Gain, weights: PairWeights) -> Floats:
    """Return the weights a_ij of label vectors, which are 0 unless y_i > y_j.

    Where y_i > y_j the weight is 1 (``order``) or the difference of the gains (``gain``).

    Parameters
    ----------
    labels : (..., m)

    Returns
    -------
    (..., m, m)

    >>> pair_weights(np.array([2.0, 0.0, np.nan]), "exp2", "gain")
    array([[0., 3., 0.],
           [0., 0., 0.],
           [0., 0., 0.]])
    """
    preferred = labels[..., :, None] > labels[..., None, :]  # never with a NaN
    if weights == "order":
        return preferred.astype(np.float64)
    gains = label_gains(labels, gain)
    return np.where(preferred, gains[..., :, None] - gains[..., None, :], 0.0)


def net_preference(weights: Floats) -> Floats:
    """Return the net preference of each item over all others, ``sum_j (a_ij - a_ji)``."""
    return np.asarray(weights.sum(axis=-1) - weights.sum(axis=-2))


def require_low_noise(weights: Floats) -> None:
    """Raise an error for weights that are not low-noise in the sense of Duchi, Mackey and Jordan (2010).

    Where i is preferred to j and j to k on balance, the net preference of i to k must be at least the
    sum of the two: ``a_ik - a_ki >= (a_ij - a_ji) + (a_jk - a_kj)``. This rules out cycles.

    Raises
    ------
    InputError
        If this fails; the message names the first three items.

    >>> require_low_noise(np.array([[0, 1, 9], [0, 0, 2], [6, 0, 0]]))
    """
    a = np.asarray(weights, np.float64)
    net = a - a.T
    chain = net[:, :, None] + net[None, :, :]  # i before j before k
    is_chain = (net[:, :, None] > 0) & (net[None, :, :] > 0)
    slack = 1e-12 * float(np.abs(a).max())
    for i, j, k in np.argwhere(is_chain & (net[:, None, :] < chain - slack))[:1].tolist():
        raise InputError(
            f"the preferences are not low-noise at items {i}, {j}, {k}: {i} is preferred to {j} by "
            f"{net[i, j]:g} and {j} to {k} by {net[j, k]:g}, but {i} to {k} by {net[i, k]:g} only"
        )
