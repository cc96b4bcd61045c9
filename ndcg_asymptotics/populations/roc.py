"""ROC curves: the depth of a relevant item among the irrelevant ones.

The ROC curve of a scorer is ``F(t)``, the share of relevant items above the depth that has a share t of the
irrelevant items above it: the true positive rate as a function of the false positive rate. Measured on this
scale the depth of an irrelevant item is uniform on [0, 1], and that of a relevant one has the distribution
function F. Chance is F(t) = t, and the area under the curve is AUC = 1 - E T.

What decides long lists is F near 0: `Roc.top` has the exponent kappa and the constant a of
``F(t) ~ a t^kappa``.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import betainc, betaincinv, betaln, ndtr, ndtri, xlog1py, xlogy

from ndcg_asymptotics.core.arrays import Floats, bisected
from ndcg_asymptotics.populations.graded import ByGain
from ndcg_asymptotics.specs.ranges import Range, within
from ndcg_asymptotics.specs.sliders import Adjustable, slider
from ndcg_asymptotics.specs.spec import Spec

SHALLOWEST = 1e-300  #: the least depth at which a law is evaluated
KAPPAS = Range(0.05, 1000)  #: F(1e-300) is at most 1e-15 then, so that doubles hold all depths that occur
_BISECTIONS = 64  # of the logarithm of a depth, which leave 4e-17 of it


class Top(NamedTuple):
    """The law of a depth near the top, ``F(t) ~ scale t^exponent`` as t -> 0.

    Attributes
    ----------
    exponent : float
        The exponent kappa, the index of regular variation of F at 0.
    scale : float or None
        The constant a; None where F(t)/t^kappa has no positive limit.
    """

    exponent: float
    scale: float | None


class DepthLaw(ABC):
    """The law of the depth of an item, a number in [0, 1]."""

    @abstractmethod
    def cdf(self, t: Floats) -> Floats:
        """Return the distribution function, relatively exact as t -> 0."""

    @abstractmethod
    def density(self, t: Floats) -> Floats:
        """Return the density at depths in (0, 1)."""

    def quantile(self, u: ArrayLike) -> Floats:
        """Return the depth at which the distribution function is u, at least 1e-300.

        >>> Roc.parse("roc_power(0.5)").quantile([0.0, 0.1, 1.0]).round(12)
        array([0.  , 0.01, 1.  ])
        """
        u = np.asarray(u, np.float64)
        low, high = np.full(u.shape, math.log(SHALLOWEST)), np.zeros(u.shape)
        _, high = bisected(lambda x: self.cdf(np.exp(x)) < u, low, high, _BISECTIONS)
        return np.asarray(np.exp(high), np.float64)

    @property
    def breaks(self) -> tuple[float, ...]:
        """Depths inside (0, 1) where the density jumps or has a kink."""
        return ()


class RocModel(Spec, family="ROC curve"):
    """One ROC curve for each grade of relevant items."""

    prefix: ClassVar[str] = "roc_"  #: with which the keyword of a single curve begins

    @property
    @abstractmethod
    def gains(self) -> tuple[float, ...]:
        """The positive gains, in decreasing order."""

    @property
    @abstractmethod
    def curves(self) -> tuple[Roc, ...]:
        """The ROC curve of the items of each gain."""


class Roc(RocModel, Adjustable, DepthLaw):
    """A ROC curve F, the distribution function of the depth of a relevant item among irrelevant ones."""

    gains: ClassVar[tuple[float, ...]] = (1.0,)

    @property
    def curves(self) -> tuple[Roc, ...]:
        return (self,)

    @property
    @abstractmethod
    def top(self) -> Top | None:
        """The exponent and the constant of F near 0; None if F is not known to follow a power of t there."""


@dataclass(frozen=True)
class RocPower(Roc, keyword="roc_power"):
    """F(t) = t^kappa, AUC = 1/(1 + kappa); kappa = 1 is chance."""

    kappa: float = field(metadata=within(*KAPPAS) | slider(0.1, 1.5, 0.05, usual=0.4))

    def cdf(self, t: Floats) -> Floats:
        return np.asarray(t**self.kappa)

    def density(self, t: Floats) -> Floats:
        with np.errstate(divide="ignore"):
            return np.asarray(self.kappa * t ** (self.kappa - 1))

    def quantile(self, u: ArrayLike) -> Floats:
        return np.maximum(np.asarray(u, np.float64) ** (1 / self.kappa), SHALLOWEST)

    @property
    def top(self) -> Top:
        return Top(self.kappa, 1.0)


@dataclass(frozen=True)
class RocBinormal(Roc, keyword="roc_binormal"):
    """F(t) = Phi(separation + Phi^-1(t)): scores N(0,1) of irrelevant, N(separation,1) of relevant items."""

    separation: float = field(metadata=within(-20, 20) | slider(-1.0, 4.0, 0.05, usual=1.0))

    def cdf(self, t: Floats) -> Floats:
        return np.asarray(ndtr(self.separation + ndtri(t)))

    def density(self, t: Floats) -> Floats:
        # the ratio of the two normal densities
        d = self.separation
        return np.asarray(np.exp(-d * ndtri(t) - d * d / 2) if d else np.ones_like(t))

    def quantile(self, u: ArrayLike) -> Floats:
        return np.maximum(ndtr(ndtri(np.asarray(u, np.float64)) - self.separation), SHALLOWEST)

    @property
    def top(self) -> Top:
        # F(t)/t grows or falls like exp(separation sqrt(2 log(1/t))), more slowly than any power
        return Top(1.0, None if self.separation else 1.0)


@dataclass(frozen=True)
class RocBeta(Roc, keyword="roc_beta"):
    """F(t) = I_t(a, b), the law Beta(a, b), with density proportional to t^(a-1) (1-t)^(b-1)."""

    a: float = field(metadata=within(*KAPPAS) | slider(0.1, 3.0, 0.05, usual=0.4))
    b: float = field(metadata=within(*KAPPAS) | slider(0.2, 5.0, 0.1, usual=1.0))

    def cdf(self, t: Floats) -> Floats:
        return np.asarray(betainc(self.a, self.b, t))

    def density(self, t: Floats) -> Floats:
        logs = xlogy(self.a - 1, t) + xlog1py(self.b - 1, -t) - betaln(self.a, self.b)
        return np.asarray(np.exp(logs))

    def quantile(self, u: ArrayLike) -> Floats:
        return np.maximum(betaincinv(self.a, self.b, np.asarray(u, np.float64)), SHALLOWEST)

    @property
    def top(self) -> Top:
        return Top(self.a, math.exp(-betaln(self.a, self.b)) / self.a)


@dataclass(frozen=True)
class GradedRoc(ByGain[Roc], RocModel, keyword="graded"):
    """graded(2=curve, 1=curve, …): one ROC curve for the items of each gain."""

    by_gain: tuple[tuple[float, Roc], ...]
    kind: ClassVar[type[Spec]] = Roc
    example: ClassVar[str] = "2=roc_power(0.4)"
