"""Exponentials that do not overflow."""

from __future__ import annotations

import numpy as np

from ndcg_asymptotics.core.arrays import Floats

_LARGEST = 300.0  # beyond, exp is continued by its tangent: its square is still a double


def exp(x: Floats) -> tuple[Floats, Floats]:
    """exp(x) and its derivative; beyond x = 300 by the tangent there, which keeps both finite and convex.

    >>> [float(part[0]) for part in exp(np.zeros(1))]
    [1.0, 1.0]
    """
    slope = np.exp(np.minimum(x, _LARGEST))
    return slope * (1 + np.maximum(x - _LARGEST, 0.0)), slope


def softmax(x: Floats) -> Floats:
    """exp(x_i) / sum_j exp(x_j) along the last axis."""
    powers = np.exp(x - x.max(axis=-1, keepdims=True))
    return np.asarray(powers / powers.sum(axis=-1, keepdims=True))


def log_softmax(x: Floats) -> Floats:
    """The logarithm of `softmax`, finite for finite x."""
    shifted = x - x.max(axis=-1, keepdims=True)
    return np.asarray(shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True)))


def unit(x: Floats, q: float = 2.0) -> tuple[Floats, Floats]:
    """x / ||x||_q and ||x||_q along the last axis; 0 and 0 for x = 0.

    >>> unit(np.array([3e200, 4e200]))
    (array([0.6, 0.8]), array([5.e+200]))
    """
    largest = np.abs(x).max(axis=-1, keepdims=True)
    scaled = np.divide(x, largest, out=np.zeros_like(x), where=largest > 0)
    norm = (np.abs(scaled) ** q).sum(axis=-1, keepdims=True) ** (1 / q)
    return np.divide(scaled, norm, out=scaled, where=norm > 0), norm * largest
