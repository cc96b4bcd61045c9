"""Losses that are a strictly convex function ψ* of the scores less <s, t>, and the functions ψ."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field, fields
from typing import Any, ClassVar, Self

import numpy as np
from scipy.special import entr, expit, logit, xlogy

from ndcg_asymptotics.core.arrays import Floats, brief
from ndcg_asymptotics.core.errors import InputError, require
from ndcg_asymptotics.learning.losses.listwise import Listwise, log_or_never
from ndcg_asymptotics.learning.losses.loss import exp_curvature, exp_with_tangent
from ndcg_asymptotics.learning.preferences import WEIGHTS, net_preference, pair_weights
from ndcg_asymptotics.learning.utilities import Utility
from ndcg_asymptotics.specs import custom
from ndcg_asymptotics.specs.ranges import one_of, positive
from ndcg_asymptotics.specs.scanner import Call

_CHECKED_POINTS = 64
"""The number of random points at which the functions of a user-defined ψ are checked."""


class Psi(ABC):
    """A strictly convex function ψ with its conjugate ψ*(s) = sup <s, x> - ψ(x), and their gradients.

    All functions take arrays (..., m) and act on the last axis.
    """

    largest: float = np.inf
    """The largest coordinate at which ψ is defined."""

    @abstractmethod
    def value(self, x: Floats) -> Floats:
        """Return ψ(x), (...,)."""

    @abstractmethod
    def gradient(self, x: Floats) -> Floats:
        """Return ∇ψ(x), (..., m)."""

    @abstractmethod
    def conjugate(self, s: Floats) -> tuple[Floats, Floats]:
        """Return ψ*(s) and its gradient, which is the inverse of ∇ψ."""

    def curvature(self, s: Floats) -> Floats | None:
        """Return the second derivatives (..., m) of ψ* in the coordinates, if it is a sum over them."""
        return None


class Square(Psi):
    """ψ = Σ x²/2."""

    def value(self, x: Floats) -> Floats:
        return np.asarray((x**2).sum(axis=-1) / 2)

    def gradient(self, x: Floats) -> Floats:
        return x

    def conjugate(self, s: Floats) -> tuple[Floats, Floats]:
        return self.value(s), s

    def curvature(self, s: Floats) -> Floats:
        return np.ones_like(s)


class Entropy(Psi):
    """ψ = Σ x log x - x, x >= 0."""

    def value(self, x: Floats) -> Floats:
        return np.asarray((xlogy(x, x) - x).sum(axis=-1))

    def gradient(self, x: Floats) -> Floats:
        return log_or_never(x)

    def conjugate(self, s: Floats) -> tuple[Floats, Floats]:
        powers, slopes = exp_with_tangent(s)
        return powers.sum(axis=-1), slopes

    def curvature(self, s: Floats) -> Floats:
        return exp_curvature(s)


class Logistic(Psi):
    """ψ = Σ x log x + (1-x) log(1-x), 0 <= x <= 1: cross-entropy with sigmoid scores."""

    largest = 1.0

    def value(self, x: Floats) -> Floats:
        return np.asarray(-(entr(x) + entr(1 - x)).sum(axis=-1))

    def gradient(self, x: Floats) -> Floats:
        return np.asarray(logit(x))

    def conjugate(self, s: Floats) -> tuple[Floats, Floats]:
        return np.logaddexp(0.0, s).sum(axis=-1), np.asarray(expit(s))

    def curvature(self, s: Floats) -> Floats:
        return np.asarray(expit(s) * expit(-s))


class Hyperbolic(Psi):
    """ψ = Σ x arsinh x - √(1+x²), whose conjugate is Σ cosh s."""

    def value(self, x: Floats) -> Floats:
        return np.asarray((x * np.arcsinh(x) - np.hypot(1.0, x)).sum(axis=-1))

    def gradient(self, x: Floats) -> Floats:
        return np.asarray(np.arcsinh(x))

    def conjugate(self, s: Floats) -> tuple[Floats, Floats]:
        powers, slopes = exp_with_tangent(np.abs(s))
        inverse = np.exp(-np.abs(s))
        return ((powers + inverse) / 2).sum(axis=-1), np.sign(s) * (slopes - inverse) / 2

    def curvature(self, s: Floats) -> Floats:
        return (exp_curvature(np.abs(s)) + np.exp(-np.abs(s))) / 2


@dataclass(frozen=True)
class UserPsi(Psi):
    """A user-defined ψ, given by its value, its gradient and the inverse of the gradient."""

    name: str
    user_value: Callable[[Floats], Any]
    user_gradient: Callable[[Floats], Any]
    user_inverse: Callable[[Floats], Any]

    def __post_init__(self) -> None:
        x = np.random.default_rng(0).random((_CHECKED_POINTS, 4))
        s = self.gradient(x)
        good = self.value(x).shape == (_CHECKED_POINTS,) and np.isfinite(s).all()
        require(bool(good), f"{self.name}: value and gradient must be finite on (0, 1), (k,) and (k, m)")
        back = self._call(self.user_inverse, s, x.shape)
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

    def _call(self, function: Callable[[Floats], object], x: Floats, shape: tuple[int, ...]) -> Floats:
        try:
            made = np.asarray(function(x), np.float64)
        except Exception as error:  # the user's code may raise anything
            raise InputError(f"{self.name} failed ({custom.brief_error(error)})") from error
        require(made.shape == shape, f"{self.name} made shape {made.shape} of {x.shape}, expected {shape}")
        return made

    def value(self, x: Floats) -> Floats:
        return self._call(self.user_value, x, x.shape[:-1])

    def gradient(self, x: Floats) -> Floats:
        return self._call(self.user_gradient, x, x.shape)

    def conjugate(self, s: Floats) -> tuple[Floats, Floats]:
        x = self._call(self.user_inverse, s, s.shape)
        return (s * x).sum(axis=-1) - self.value(x), x


KNOWN: dict[str, Psi] = {
    "entropy": Entropy(),
    "hyperbolic": Hyperbolic(),
    "logistic": Logistic(),
    "square": Square(),
}


class OfPsi(Listwise):
    """φ = ν ψ*(s) - <s, t> + c(t), whose expectation is least at s = ∇ψ(E[t]/ν).

    Attributes
    ----------
    function : Psi
    strength : float
        ν > 0.
    """

    function: Psi
    strength: float = 1.0

    def constant(self, t: Floats) -> Floats | float:
        """Return c(t), (k,): ψ(t), with which φ is the Bregman divergence of t and the point of s."""
        return self.function.value(t)

    def at(self, s: Floats, t: Floats) -> tuple[Floats, Floats]:
        value, point = self.function.conjugate(s)
        return self.constant(t) + self.strength * value - (s * t).sum(axis=-1), self.strength * point - t

    def product(self, s: Floats, t: Floats, v: Floats) -> Floats:
        return self.strength * np.asarray(self.function.curvature(s)) * v

    @property
    def curved(self) -> bool:
        return self.function.curvature(np.zeros(1)) is not None

    def link(self, mean: Floats) -> Floats:
        return self.function.gradient(mean / self.strength)


@dataclass(frozen=True)
class ListNetConsistent(OfPsi, keyword="listnet_consistent"):
    """φ = Σ t log(t/e^s) - t + e^s, t = G/||G||_D: sorts by E[G/||G||_D] (Ravikumar et al. 2011).

    Optimal for NDCG. It is the Kullback-Leibler divergence of measures that need not add up to 1, that is,
    `bregman("entropy")`. Beyond s = 300 the exponential is continued by its tangent.
    """

    claim: ClassVar[str] = "consistent (Ravikumar et al., Theorem 8)"

    @property
    def function(self) -> Psi:  # type: ignore[override]
        return KNOWN["entropy"]


_PENALTIES = {"square": KNOWN["square"], "cosh": KNOWN["hyperbolic"]}


@dataclass(frozen=True)
class Duchi(OfPsi, keyword="duchi"):
    """φ = Σ a_ij (s_j - s_i) + ν Σ ρ(s_j), ρ strongly convex (Duchi, Mackey and Jordan 2010).

    It is linear in the preferences and therefore sorts by E[Σ_j (a_ij - a_ji)]. This is consistent for
    pairwise disagreement under low noise, and with a_ij = G_i - G_j ("gain") for DCG.

    Parameters
    ----------
    strength : float
        ν > 0.
    penalty : str
        ρ(s) = s²/2 ("square") or cosh s - 1 ("cosh").
    weights : str
        a_ij = 1 where y_i > y_j ("order"), or the difference of the gains ("gain").
    """

    strength: float = field(default=1.0, metadata=positive())
    penalty: str = field(default="square", metadata=one_of(*_PENALTIES))
    weights: str = field(default="order", metadata=one_of(*WEIGHTS))
    claim: ClassVar[str] = "consistent for PD under low noise (Duchi et al.)"
    skips_empty: ClassVar[bool] = False
    whole_targets: ClassVar[bool] = True

    @property
    def function(self) -> Psi:  # type: ignore[override]
        return _PENALTIES[self.penalty]

    def constant(self, t: Floats) -> Floats | float:
        return -self.strength * self.function.conjugate(np.zeros(t.shape[-1]))[0]  # ρ(0) = 0

    def target(self, labels: Floats, utility: Utility) -> Floats:
        return net_preference(pair_weights(labels, utility.gain, self.weights))  # type: ignore[arg-type]

    @property
    def curvature(self) -> float | None:
        return self.strength if self.penalty == "square" else None


@dataclass(frozen=True)
class Bregman(OfPsi, keyword="bregman"):
    """φ = D_ψ(G/||G||_D, (∇ψ)^-1(s)), ψ strictly convex, ∇ψ order-preserving (Ravikumar et al. 2011).

    D_ψ is the Bregman divergence. In terms of the conjugate, φ = ψ(t) + ψ*(s) - <s, t>, t = G/||G||_D.
    ψ is "square", "entropy", "logistic", "hyperbolic", or a user-defined "module:object" whose object has
    the functions ``value``, ``gradient`` and ``inverse`` (of the gradient) of arrays (..., m); from Python
    `of_psi` takes such an object.

    >>> str(Bregman.parse('bregman("entropy")'))
    'bregman("entropy")'
    """

    psi: str
    function: Psi = field(default=None, compare=False, repr=False)  # type: ignore[assignment]
    claim: ClassVar[str] = "consistent (Ravikumar et al., Theorem 8)"

    def __post_init__(self) -> None:
        if self.function is None:
            known = ", ".join(sorted(KNOWN))  # type: ignore[unreachable]
            require(self.psi in KNOWN, f'psi must be one of {known}, or "module:object", got {self.psi!r}')
            object.__setattr__(self, "function", KNOWN[self.psi])

    @classmethod
    def of_psi(cls, psi: object, *, name: str) -> Self:
        """Return the surrogate of a user-defined ψ.

        Parameters
        ----------
        psi : object
            With ``value`` (..., m) -> (...,), and ``gradient`` and its ``inverse``, (..., m) -> (..., m).
        name : str

        Raises
        ------
        InputError
            If a function is missing, ``inverse`` does not invert ``gradient``, or ``gradient`` does not
            preserve the order.
        """
        parts = [getattr(psi, part, None) for part in ("value", "gradient", "inverse")]
        whole = all(map(callable, parts))
        require(whole, f"{name}: psi must have the functions value, gradient and inverse, got {brief(psi)}")
        return cls(name, UserPsi(name, *parts))  # type: ignore[arg-type]

    @classmethod
    def from_call(cls, call: Call) -> Self:
        given = cls.bind(call, ("psi",))
        if "psi" not in given:
            call.scanner.fail(f"{cls.keyword} needs 'psi'", call.position)
        name = str(given["psi"])
        if ":" in name:
            return cls.of_psi(custom.find_object(name, call.scanner)[0], name=name)
        return cls(name)

    @classmethod
    def _fields(cls) -> tuple[Any, ...]:
        return tuple(f for f in fields(cls) if f.name == "psi")

    def target(self, labels: Floats, utility: Utility) -> Floats:
        targets = self.standardised(labels, utility)
        largest = float(targets.max(initial=0.0))
        allowed = f"{self} needs targets up to {self.function.largest:g}, {utility} makes {largest:g}"
        require(not largest > self.function.largest * (1 + 1e-12), allowed)
        return np.minimum(targets, self.function.largest)
