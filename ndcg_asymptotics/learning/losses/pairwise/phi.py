"""Convex functions of the margin t = s_i - s_j of a pair: what pairwise losses are made of."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.special import expit

from ndcg_asymptotics.core.arrays import Floats, brief
from ndcg_asymptotics.core.errors import require
from ndcg_asymptotics.learning.losses import stable


@dataclass(frozen=True)
class Phi:
    """φ(t), convex and non-increasing, with φ(t) → 0 for t → ∞ and φ'(0) < 0.

    Attributes
    ----------
    value, slope, curvature
        φ, φ' and φ'' (one of the subgradients, and 0, where they do not exist).
    differentiable
    """

    value: Callable[[Floats], Floats]
    slope: Callable[[Floats], Floats]
    curvature: Callable[[Floats], Floats]
    differentiable: bool = True


def _exponential(t: Floats) -> Floats:
    return stable.exp(-t)[0]


def _exponential_slope(t: Floats) -> Floats:
    return -stable.exp(-t)[1]


PHIS = {
    "exponential": Phi(_exponential, _exponential_slope, lambda t: stable.exp(-t)[1]),
    "hinge": Phi(
        lambda t: np.maximum(1 - t, 0.0), lambda t: -(t < 1.0).astype(np.float64), np.zeros_like, False
    ),
    "logistic": Phi(
        lambda t: np.logaddexp(0.0, -t), lambda t: -expit(-t), lambda t: expit(t) * expit(-t)
    ),
    "squared_hinge": Phi(
        lambda t: np.maximum(1 - t, 0.0) ** 2,
        lambda t: -2 * np.maximum(1 - t, 0.0),
        lambda t: 2 * (t < 1.0).astype(np.float64),
    ),
}  # fmt: skip


def phi_named(name: str) -> Phi:
    """φ by its name.

    Raises
    ------
    InputError
        If it is not known.
    """
    require(name in PHIS, f"phi must be one of {', '.join(PHIS)}, got {brief(name)}")
    return PHIS[name]
