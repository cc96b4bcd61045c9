"""Relevance curves: what a scorer is, as far as NDCG of i.i.d. data goes.

With s the canonical score (the scorer's probability integral transform, uniform on [0, 1]) and
``t = 1 - s`` the depth from the top of the ranking, a scorer is its relevance curve
``ybar(s) = E[Y | s]``, held here as a function of depth, ``m(t) = ybar(1 - t)``. Depth is what
the top of a long list needs: t = 1e-18 is a number, 1 - 1e-18 is not.

`Curve` is the binary case, P(Y = 1 | t); `Graded` has one curve per gain.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import brentq

from ndcg_asymptotics.errors import InputError
from ndcg_asymptotics.specs import Call, Spec, number_text, require

Floats = NDArray[np.float64]

_ROUNDING = 1e-12  # how far beyond [0, 1] rounding may put a probability


class Relevance(Spec, family="relevance model"):
    """The law of a label given the depth of its item: gains y_1 > … > y_J > 0 and P(Y = y_j | t)."""

    @property
    @abstractmethod
    def gains(self) -> tuple[float, ...]:
        """The positive gains, in decreasing order; 0 takes the remaining probability."""

    @property
    @abstractmethod
    def curves(self) -> tuple[Curve, ...]:
        """P(Y = y_j | t), one curve per gain."""

    @property
    def masses(self) -> tuple[float, ...]:
        """The label law P(Y = y_j), one number per gain."""
        return tuple(curve.mass for curve in self.curves)

    @property
    def continuous(self) -> bool:
        """Whether every curve is continuous on [0, 1]."""
        return all(curve.is_continuous for curve in self.curves)

    @property
    def breakpoints(self) -> tuple[float, ...]:
        """Depths inside (0, 1) where a curve jumps or has a kink."""
        return tuple(sorted({b for curve in self.curves for b in curve.breaks}))

    @property
    def mean_gain_at_top(self) -> float:
        """E[Y | s = 1]; for a binary curve this is ybar(1)."""
        return float(self.mean_gain(0.0))

    def mean_gain(self, t: ArrayLike) -> Floats:
        """E[Y | t] for an array of depths."""
        values = [y * c.value(t) for y, c in zip(self.gains, self.curves, strict=True)]
        return np.asarray(sum(values), dtype=np.float64)


class Random(Relevance, keyword="random"):
    """random: an uninformative scorer, with the label law of the others in its population."""

    @property
    def gains(self) -> tuple[float, ...]:
        raise InputError("'random' takes the label law of the other scorers; alone it has none")

    @property
    def curves(self) -> tuple[Curve, ...]:
        raise InputError("'random' takes the label law of the other scorers; alone it has none")

    @classmethod
    def _fields(cls) -> tuple[Any, ...]:
        return ()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Random)

    def __hash__(self) -> int:
        return hash(Random)


class Curve(Relevance):
    """A binary relevance curve, m(t) = P(Y = 1 | depth t).

    Every family takes ``prevalence=`` (the mean of the curve, p) in place of any one of its
    parameters, which is then solved for.
    """

    gains: ClassVar[tuple[float, ...]] = (1.0,)

    @abstractmethod
    def formula(self, t: Floats) -> Floats:
        """m(t) for an array of depths in [0, 1]."""

    @abstractmethod
    def average(self, a: Floats, b: Floats) -> Floats:
        """The mean of m over [a, b], a < b, to 1e-13 however narrow the interval."""

    def value(self, t: ArrayLike) -> Floats:
        """m(t), the probability of relevance at depth t in [0, 1].

        >>> Curve.parse("linear(0.1, 0.7)").value([0.0, 0.5, 1.0]).round(12)
        array([0.7, 0.4, 0.1])
        """
        return np.clip(self.formula(np.asarray(t, dtype=np.float64)), 0.0, 1.0)

    def mean(self, a: ArrayLike, b: ArrayLike) -> Floats:
        """The mean of m over the depths [a, b]; m(a) where a = b."""
        a, b = np.broadcast_arrays(np.asarray(a, np.float64), np.asarray(b, np.float64))
        empty = a == b
        # an empty interval is widened to any other, and its value replaced
        wide = np.where(empty, np.where(a < 0.5, a + 0.25, a - 0.25), b)
        low, high = np.minimum(a, wide), np.maximum(a, wide)
        return np.clip(np.where(empty, self.formula(a), self.average(low, high)), 0.0, 1.0)

    def integral(self, a: ArrayLike, b: ArrayLike) -> Floats:
        """The integral of m over the depths [a, b].

        >>> float(Curve.parse("linear(0.1, 0.7)").integral(0.0, 0.2).round(12))
        0.128
        """
        return (np.asarray(b, np.float64) - np.asarray(a, np.float64)) * self.mean(a, b)

    def bounds(self, a: Floats, b: Floats) -> tuple[Floats, Floats]:
        """A lower and an upper bound of m on [a, b], tight as b -> a. Monotone curves: the ends."""
        left, right = self.value(a), self.value(b)
        return np.minimum(left, right), np.maximum(left, right)

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
        inside = low >= -_ROUNDING and high <= 1 + _ROUNDING
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

    # What a missing parameter may be; a curve that is affine in it is solved exactly.
    _affine: ClassVar[tuple[str, ...]] = ("bottom", "top", "p")
    _search: ClassVar[dict[str, tuple[float, float]]] = {
        "exponent": (1e-6, 1e6),
        "alpha": (1e-6, 1e6),
        "at": (1e-12, 1 - 1e-12),
    }

    @classmethod
    def _solve(cls, name: str, given: dict[str, Any], prevalence: float) -> Self:
        """The curve of this family with the given mean."""

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
            solution = brentq(mean, low, high, xtol=1e-15, rtol=1e-15)
        return cls(**given, **{name: float(f"{solution:.14g}")})  # 0.7, not 0.7000000000000001

    def unclipped_mean(self) -> float:
        """The mean over [0, 1] of the formula, whether or not it is a probability."""
        return float(self.average(np.array(0.0), np.array(1.0)))


def _unchecked(cls: type[Curve], values: dict[str, Any]) -> Curve:
    """A curve without its range check, for solving a parameter."""
    curve = object.__new__(cls)
    for field in cls._fields():
        object.__setattr__(curve, field.name, values.get(field.name, field.default))
    return curve


@dataclass(frozen=True)
class Graded(Relevance, keyword="graded"):
    """graded(2=curve, 1=curve, …): one curve P(Y = gain | t) per gain; 0 takes the rest."""

    by_gain: tuple[tuple[float, Curve], ...]

    def __post_init__(self) -> None:
        ordered = tuple(sorted(self.by_gain, key=lambda item: -item[0]))
        object.__setattr__(self, "by_gain", ordered)
        check_grades(self.gains, self.curves)

    @property
    def gains(self) -> tuple[float, ...]:
        return tuple(gain for gain, _ in self.by_gain)

    @property
    def curves(self) -> tuple[Curve, ...]:
        return tuple(curve for _, curve in self.by_gain)

    @classmethod
    def signature(cls) -> str:
        return "graded(gain=curve, …)"

    @classmethod
    def from_call(cls, call: Call) -> Self:
        pairs = []
        for argument in call.arguments:
            if argument.key is None or not isinstance(argument.value, Call):
                call.scanner.fail("graded takes gain=curve, as in 2=linear(0, 0.3)", argument.position)
            try:
                gain = float(argument.key)
            except ValueError:
                call.scanner.fail(f"expected a gain, found {argument.key!r}", argument.position)
            pairs.append((gain, Curve.build(argument.value)))
        return cls(tuple(pairs))

    def arguments(self) -> tuple[str, ...]:
        return tuple(f"{number_text(gain)}={curve}" for gain, curve in self.by_gain)


def check_grades(gains: tuple[float, ...], curves: tuple[Curve, ...]) -> None:
    """Refuse gains that are not distinct and positive, or probabilities that exceed 1 in total."""
    require(
        len(gains) > 0 and all(0 < y < math.inf for y in gains) and len(set(gains)) == len(gains),
        "graded: gains must be distinct and positive (0 takes the rest), "
        f"got {', '.join(map(number_text, gains)) or 'none'}",
    )
    high = highest_total(curves)
    require(
        high <= 1 + _ROUNDING,
        f"graded: the probabilities of the grades add up to as much as {high:.6g}, at most 1 is allowed",
    )


def highest_total(curves: tuple[Curve, ...]) -> float:
    """The largest sum of the curves over depth (to about 1e-9 for smooth curves)."""
    mesh = np.union1d(np.linspace(0, 1, 4097), np.geomspace(1e-12, 1, 513))
    mesh = np.union1d(mesh, [b for curve in curves for b in curve.breaks])

    def total(t: Floats) -> Floats:
        return np.asarray(np.sum([curve.formula(t) for curve in curves], axis=0))

    best = int(np.argmax(total(mesh)))
    around = np.linspace(mesh[max(best - 1, 0)], mesh[min(best + 1, len(mesh) - 1)], 1025)
    return float(np.max(total(around)))
