"""Losses ψ*(s) - <s, t> of scores s and targets t, up to a term in t, and strictly convex functions ψ."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
from scipy.special import entr, expit, logit, xlogy

from ndcg_asymptotics.core.arrays import Floats
from ndcg_asymptotics.core.errors import require
from ndcg_asymptotics.learning.losses.listwise import Listwise, log_or_never
from ndcg_asymptotics.learning.losses.loss import exp_curvature, exp_with_tangent
from ndcg_asymptotics.learning.preferences import WEIGHTS, net_preference, pair_weights
from ndcg_asymptotics.learning.utilities import Utility
from ndcg_asymptotics.specs.ranges import one_of, positive


@dataclass(frozen=True)
class Psi:
    """ψ(x) = Σ f(x_i), f strictly convex, and its conjugate ψ*(s) = sup <s, x> - ψ(x) = Σ f*(s_i).

    All functions act on each coordinate.

    Attributes
    ----------
    value, gradient
        f and f'.
    conjugate
        f* and its derivative, which is the inverse of f'.
    curvature
        The second derivative of f*.
    largest : float
        The largest coordinate at which ψ is defined.
    """

    value: Callable[[Floats], Floats]
    gradient: Callable[[Floats], Floats]
    conjugate: Callable[[Floats], tuple[Floats, Floats]]
    curvature: Callable[[Floats], Floats]
    largest: float = np.inf


def _cosh(s: Floats) -> tuple[Floats, Floats]:
    """Return cosh(s) and its derivative; beyond |s| = 300 the larger exponential is its tangent."""
    larger, slope = exp_with_tangent(np.abs(s))
    smaller = np.exp(-np.abs(s))
    return (larger + smaller) / 2, np.sign(s) * (slope - smaller) / 2


# each as f, f', (f*, its derivative), the second derivative of f*
PSIS = {
    # f* = e^s
    "entropy": Psi(lambda x: xlogy(x, x) - x, log_or_never, exp_with_tangent, exp_curvature),
    # f* = cosh s
    "hyperbolic": Psi(
        lambda x: x * np.arcsinh(x) - np.hypot(1.0, x),
        np.arcsinh,
        _cosh,
        lambda s: (exp_curvature(np.abs(s)) + np.exp(-np.abs(s))) / 2,
    ),
    # f* = log(1 + e^s): cross-entropy with sigmoid scores
    "logistic": Psi(
        lambda x: -(entr(x) + entr(1 - x)),
        logit,
        lambda s: (np.logaddexp(0.0, s), expit(s)),
        lambda s: expit(s) * expit(-s),
        largest=1.0,
    ),
}


class OfPsi(Listwise):
    """φ = ψ(t) + ψ*(s) - <s, t>, the Bregman divergence of t and (∇ψ)^-1(s).

    Its expectation is least at s = ∇ψ(E[t]).
    """

    @property
    @abstractmethod
    def function(self) -> Psi:
        """ψ and what is computed of it."""

    def at(self, s: Floats, t: Floats) -> tuple[Floats, Floats]:
        value, point = self.function.conjugate(s)
        constant = self.function.value(t).sum(axis=-1)
        return constant + value.sum(axis=-1) - (s * t).sum(axis=-1), point - t

    def product(self, s: Floats, t: Floats, v: Floats) -> Floats:
        return self.function.curvature(s) * v

    def link(self, mean: Floats) -> Floats:
        return self.function.gradient(mean)


@dataclass(frozen=True)
class ListNetConsistent(OfPsi, keyword="listnet_consistent"):
    """φ = Σ t log(t/e^s) - t + e^s, t = G/||G||_D: sorts by E[G/||G||_D] (Ravikumar et al. 2011).

    Optimal for NDCG. It is the Kullback-Leibler divergence of measures that need not add up to 1, that is,
    `bregman("entropy")`. Beyond s = 300 the exponential is continued by its tangent.
    """

    claim: ClassVar[str] = "consistent (Ravikumar et al., Theorem 8)"

    @property
    def function(self) -> Psi:
        return PSIS["entropy"]


@dataclass(frozen=True)
class Duchi(Listwise, keyword="duchi"):
    """φ = Σ a_ij (s_j - s_i) + ν/2 Σ s_j² (Duchi, Mackey and Jordan 2010).

    It is linear in the preferences and therefore sorts by E[Σ_j (a_ij - a_ji)]. This is consistent for
    pairwise disagreement under low noise, and with a_ij = G_i - G_j ("gain") for DCG.

    Parameters
    ----------
    strength : float
        ν > 0.
    weights : str
        a_ij = 1 where y_i > y_j ("order"), or the difference of the gains ("gain").
    """

    strength: float = field(default=1.0, metadata=positive())
    weights: str = field(default="order", metadata=one_of(*WEIGHTS))
    claim: ClassVar[str] = "consistent for PD under low noise (Duchi et al.)"
    skips_empty: ClassVar[bool] = False
    whole_targets: ClassVar[bool] = True

    def target(self, labels: Floats, utility: Utility) -> Floats:
        return net_preference(pair_weights(labels, utility.gain, self.weights))  # type: ignore[arg-type]

    def at(self, s: Floats, t: Floats) -> tuple[Floats, Floats]:
        return self.strength * (s**2).sum(axis=-1) / 2 - (s * t).sum(axis=-1), self.strength * s - t

    def product(self, s: Floats, t: Floats, v: Floats) -> Floats:
        return self.strength * v

    def link(self, mean: Floats) -> Floats:
        return mean / self.strength

    @property
    def curvature(self) -> float:
        return self.strength


@dataclass(frozen=True)
class Bregman(OfPsi, keyword="bregman"):
    """φ = D_ψ(G/||G||_D, (∇ψ)^-1(s)), ψ strictly convex, ∇ψ order-preserving (Ravikumar et al. 2011).

    D_ψ is the Bregman divergence. In terms of the conjugate, φ = ψ(t) + ψ*(s) - <s, t>, t = G/||G||_D.

    >>> str(Bregman.parse('bregman("entropy")'))
    'bregman("entropy")'
    """

    psi: str = field(metadata=one_of(*PSIS))
    claim: ClassVar[str] = "consistent (Ravikumar et al., Theorem 8)"

    @property
    def function(self) -> Psi:
        return PSIS[self.psi]

    def target(self, labels: Floats, utility: Utility) -> Floats:
        targets = utility.standardised(labels)
        largest = float(targets.max(initial=0.0))
        message = f"{self} needs targets up to {self.function.largest:g}, {utility} makes {largest:g}"
        require(not largest > self.function.largest * (1 + 1e-12), message)
        return np.minimum(targets, self.function.largest)
