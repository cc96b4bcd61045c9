"""The base class of binary relevance curves, m(t) = P(Y = 1 | depth t)."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike

from ndcg_asymptotics.core.arrays import Floats
from ndcg_asymptotics.core.errors import require
from ndcg_asymptotics.populations.scorer import Relevance
from ndcg_asymptotics.specs.scanner import Call, number_text

ROUNDING = 1e-12  #: the greatest distance of a probability from [0, 1] that rounding explains


class Curve(Relevance):
    """A binary relevance curve, m(t) = P(Y = 1 | depth t).

    Every family takes ``prevalence=`` (the mean of the curve, p) in place of any one of its
    parameters, which is then solved for.
    """

    gains: ClassVar[tuple[float, ...]] = (1.0,)

    @abstractmethod
    def formula(self, t: Floats) -> Floats:
        """Return m(t) for an array of depths in [0, 1]."""

    @abstractmethod
    def average(self, a: Floats, b: Floats) -> Floats:
        """Return the mean of m over [a, b], a < b, to 1e-13 however narrow the interval."""

    def value(self, t: ArrayLike) -> Floats:
        """Return m(t), the probability of relevance at depth t in [0, 1].

        >>> Curve.parse("linear(0.1, 0.7)").value([0.0, 0.5, 1.0]).round(12)
        array([0.7, 0.4, 0.1])
        """
        return np.clip(self.formula(np.asarray(t, dtype=np.float64)), 0.0, 1.0)

    def mean(self, a: ArrayLike, b: ArrayLike) -> Floats:
        """Return the mean of m over the depths [a, b]; m(a) where a = b."""
        a, b = np.broadcast_arrays(np.asarray(a, np.float64), np.asarray(b, np.float64))
        empty = a == b
        # an empty interval is widened to any other, and its value replaced
        wide = np.where(empty, np.where(a < 0.5, a + 0.25, a - 0.25), b)
        low, high = np.minimum(a, wide), np.maximum(a, wide)
        found = self.average(low, high)
        return np.clip(np.where(empty, self.formula(a), found) if empty.any() else found, 0.0, 1.0)

    def integral(self, a: ArrayLike, b: ArrayLike) -> Floats:
        """Return the integral of m over the depths [a, b].

        >>> float(Curve.parse("linear(0.1, 0.7)").integral(0.0, 0.2).round(12))
        0.128
        """
        return (np.asarray(b, np.float64) - np.asarray(a, np.float64)) * self.mean(a, b)

    def bounds(self, a: Floats, b: Floats) -> tuple[Floats, Floats]:
        """Return a lower and an upper bound of m on [a, b], tight as b -> a: of monotone curves the ends."""
        left, right = self.value(a), self.value(b)
        return np.minimum(left, right), np.maximum(left, right)

    @property
    def complement(self) -> Curve | None:
        """The curve 1 - m, where it is of the same family, so that no digits are lost where m is near 1."""
        return None

    @property
    def curves(self) -> tuple[Curve, ...]:
        return (self,)

    @property
    def mass(self) -> float:
        """p = P(Y = 1), the mean of the curve."""
        return float(self.integral(0.0, 1.0))

    @property
    def holder(self) -> float | None:
        """The Hölder exponent on [0, 1] where known (1 for a Lipschitz curve), else None."""
        return 1.0

    @property
    def is_continuous(self) -> bool:
        return True

    @property
    def breaks(self) -> tuple[float, ...]:
        """Depths inside (0, 1) where the curve jumps or has a kink."""
        return ()

    def check_range(self, *values: float) -> None:
        """Refuse a curve whose values leave [0, 1], or are not numbers."""
        low, high = float(np.min(values)), float(np.max(values))
        inside = low >= -ROUNDING and high <= 1 + ROUNDING
        require(inside, f"a relevance curve must stay within [0, 1], this one spans [{low:g}, {high:g}]")

    @classmethod
    def from_call(cls, call: Call) -> Self:
        names = tuple(field.name for field in cls._fields())
        if "prevalence" in names or all(a.key != "prevalence" for a in call.arguments):
            return super().from_call(call)
        given = cls.bind(call, (*names, "prevalence"))
        prevalence = given.pop("prevalence")
        missing = [name for name in names if name not in given]
        if len(missing) != 1:
            call.scanner.fail(
                f"{cls.keyword}: prevalence stands in place of exactly one of {', '.join(names)}; "
                f"missing here: {', '.join(missing) or 'none'}",
                call.position,
            )
        return cls._solve(missing[0], given, prevalence)

    # parameters in which a curve is affine are solved exactly, others searched for in an interval
    _affine: ClassVar[tuple[str, ...]] = ("bottom", "top", "p")
    _search: ClassVar[dict[str, tuple[float, float]]] = {
        "exponent": (1e-6, 1e6),
        "alpha": (1e-6, 1e6),
        "at": (1e-12, 1 - 1e-12),
    }

    @classmethod
    def _solve(cls, name: str, given: dict[str, Any], prevalence: float) -> Self:
        """Return the curve of this family with the given mean."""

        def mean(x: float) -> float:
            return _unchecked(cls, {**given, name: x}).unclipped_mean() - prevalence

        if name in cls._affine or name not in cls._search:
            at_zero, at_one = mean(0.0), mean(1.0)
            require(at_zero != at_one, f"{cls.keyword}: {name} does not change the prevalence")
            solution = at_zero / (at_zero - at_one)
        else:
            low, high = cls._search[name]
            require(
                mean(low) * mean(high) <= 0,
                f"{cls.keyword}: no {name} gives prevalence {number_text(prevalence)}",
            )
            from scipy.optimize import brentq  # here: to load it takes longer than to solve

            solution = brentq(mean, low, high, xtol=1e-15, rtol=1e-15)
        return cls(**given, **{name: float(f"{solution:.14g}")})  # 0.7, not 0.7000000000000001

    def unclipped_mean(self) -> float:
        """Return the mean over [0, 1] of the formula, whether or not it is a probability."""
        return float(self.average(np.array(0.0), np.array(1.0)))


def _unchecked(cls: type[Curve], values: dict[str, Any]) -> Curve:
    """Return a curve without its range check, for solving a parameter."""
    curve = object.__new__(cls)
    for field in cls._fields():
        object.__setattr__(curve, field.name, values.get(field.name, field.default))
    return curve
