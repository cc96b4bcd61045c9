"""Strictly convex functions whose gradient keeps the order: what Bregman surrogates are made of."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import entr, expit, logit, xlogy

from ndcg_asymptotics.core.arrays import Floats, brief
from ndcg_asymptotics.core.errors import InputError, require
from ndcg_asymptotics.learning.losses import stable
from ndcg_asymptotics.specs import custom

_POINTS = 64  # at which a user's own functions are checked


class Psi(ABC):
    """ψ, through its gradient, its conjugate ψ*(s) = sup <s, x> - ψ(x), and the conjugate's gradient.

    All take arrays (..., m) and act on the last axis.
    """

    largest: float = np.inf
    """The largest coordinate at which ψ is defined."""

    @abstractmethod
    def value(self, x: Floats) -> Floats:
        """ψ(x), (...,)."""

    @abstractmethod
    def gradient(self, x: Floats) -> Floats:
        """∇ψ(x), (..., m)."""

    @abstractmethod
    def conjugate(self, s: Floats) -> tuple[Floats, Floats]:
        """ψ*(s) and its gradient, the inverse of ∇ψ."""


class Square(Psi):
    """ψ = Σ x²/2."""

    def value(self, x: Floats) -> Floats:
        return np.asarray((x**2).sum(axis=-1) / 2)

    def gradient(self, x: Floats) -> Floats:
        return x

    def conjugate(self, s: Floats) -> tuple[Floats, Floats]:
        return self.value(s), s


class Entropy(Psi):
    """ψ = Σ x log x - x, x >= 0."""

    def value(self, x: Floats) -> Floats:
        return np.asarray((xlogy(x, x) - x).sum(axis=-1))

    def gradient(self, x: Floats) -> Floats:
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(x))

    def conjugate(self, s: Floats) -> tuple[Floats, Floats]:
        powers, slopes = stable.exp(s)
        return powers.sum(axis=-1), slopes


class Logistic(Psi):
    """ψ = Σ x log x + (1-x) log(1-x), 0 <= x <= 1: cross-entropy with sigmoid scores."""

    largest = 1.0

    def value(self, x: Floats) -> Floats:
        return np.asarray(-(entr(x) + entr(1 - x)).sum(axis=-1))

    def gradient(self, x: Floats) -> Floats:
        return np.asarray(logit(x))

    def conjugate(self, s: Floats) -> tuple[Floats, Floats]:
        return np.logaddexp(0.0, s).sum(axis=-1), np.asarray(expit(s))


class Hyperbolic(Psi):
    """ψ = Σ x arsinh x - √(1+x²), whose conjugate is Σ cosh s."""

    def value(self, x: Floats) -> Floats:
        return np.asarray((x * np.arcsinh(x) - np.hypot(1.0, x)).sum(axis=-1))

    def gradient(self, x: Floats) -> Floats:
        return np.asarray(np.arcsinh(x))

    def conjugate(self, s: Floats) -> tuple[Floats, Floats]:
        powers, slopes = stable.exp(np.abs(s))
        inverse = np.exp(-np.abs(s))
        return ((powers + inverse) / 2).sum(axis=-1), np.sign(s) * (slopes - inverse) / 2


@dataclass(frozen=True)
class OwnPsi(Psi):
    """A user's own ψ, by its value, its gradient and the gradient's inverse."""

    name: str
    own_value: Callable[[Floats], Any]
    own_gradient: Callable[[Floats], Any]
    own_inverse: Callable[[Floats], Any]

    def __post_init__(self) -> None:
        x = np.random.default_rng(0).random((_POINTS, 4))
        s = self.gradient(x)
        good = self.value(x).shape == (_POINTS,) and np.isfinite(s).all()
        require(bool(good), f"{self.name}: value and gradient must be finite on (0, 1), (k,) and (k, m)")
        back = self._call(self.own_inverse, s, x.shape)
        off = np.abs(back - x).max(axis=-1)
        for i in np.flatnonzero(~(off <= 1e-6))[:1]:
            raise InputError(
                f"{self.name}: the inverse of the gradient at {x[i].round(4)} is {back[i].round(4)}"
            )
        kept = np.sign(x[:, :, None] - x[:, None, :]) == np.sign(s[:, :, None] - s[:, None, :])
        for i in np.flatnonzero(~kept.all(axis=(1, 2)))[:1]:
            raise InputError(
                f"{self.name}: the gradient must keep the order, at {x[i].round(4)} it is {s[i].round(4)}"
            )

    def _call(self, function: Callable[[Floats], Any], x: Floats, shape: tuple[int, ...]) -> Floats:
        try:
            made = np.asarray(function(x), np.float64)
        except Exception as error:  # whatever the user's own code may raise
            raise InputError(f"{self.name} failed ({custom.brief_error(error)})") from error
        require(made.shape == shape, f"{self.name} made shape {made.shape} of {x.shape}, expected {shape}")
        return made

    def value(self, x: Floats) -> Floats:
        return self._call(self.own_value, x, x.shape[:-1])

    def gradient(self, x: Floats) -> Floats:
        return self._call(self.own_gradient, x, x.shape)

    def conjugate(self, s: Floats) -> tuple[Floats, Floats]:
        x = self._call(self.own_inverse, s, s.shape)
        return (s * x).sum(axis=-1) - self.value(x), x


KNOWN: dict[str, Psi] = {
    "entropy": Entropy(),
    "hyperbolic": Hyperbolic(),
    "logistic": Logistic(),
    "square": Square(),
}


def described(name: str, given: Any) -> OwnPsi:
    """ψ from an object with the functions ``value``, ``gradient`` and ``inverse``.

    Raises
    ------
    InputError
        If one is missing, or the three do not belong together.
    """
    parts = [getattr(given, part, None) for part in ("value", "gradient", "inverse")]
    whole = all(map(callable, parts))
    require(whole, f"{name}: psi must have the functions value, gradient and inverse, got {brief(given)}")
    return OwnPsi(name, *parts)  # type: ignore[arg-type]
