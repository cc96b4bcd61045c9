"""The base class of binary relevance curves, m(t) = P(Y = 1 | depth t)."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import Field
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike

from ndcg_asymptotics.core.arrays import Floats
from ndcg_asymptotics.core.errors import require
from ndcg_asymptotics.populations.scorer import Relevance
from ndcg_asymptotics.populations.solving import checked, interval, range_is_checked, solved
from ndcg_asymptotics.specs.scanner import Call, number_text
from ndcg_asymptotics.specs.sliders import Adjustable, Slider

_MEAN = "prevalence"  # of a curve, as a parameter
ROUNDING = 1e-12  #: the greatest distance of a probability from [0, 1] that rounding explains


class Curve(Relevance, Adjustable):
    """A binary relevance curve, m(t) = P(Y = 1 | depth t).

    In a text ``prevalence=``, the mean of the curve, may stand in place of any one of the parameters (the
    dataclass fields of a family that are floats), which is then solved for. A parameter lies in [0, 1]; the
    field of another one states its interval, as ``exponent: float = field(metadata=within(0.001, 1000))``.
    The mean of the curve must be a continuous and monotone function of the parameter in its interval.

    The explorer offers a family in which all parameters but one have a slider, as in
    ``top: float = field(metadata=slider(0.0, 1.0, 0.01, usual=0.5))``; the other one is solved for.
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
        inside = not range_is_checked() or (low >= -ROUNDING and high <= 1 + ROUNDING)
        require(inside, f"a relevance curve must stay within [0, 1], this one spans [{low:g}, {high:g}]")

    @classmethod
    def from_call(cls, call: Call) -> Self:
        names = tuple(field.name for field in cls._fields())
        if _MEAN in names:
            curve = super().from_call(call)
            return checked(curve, getattr(curve, _MEAN))
        if all(argument.key != _MEAN for argument in call.arguments):
            return super().from_call(call)
        given = cls.bind(call, (*names, _MEAN))
        prevalence = given.pop(_MEAN)
        missing = [field for field in cls._fields() if field.name not in given]
        if len(missing) != 1 or not _is_number(missing[0]):
            call.scanner.fail(
                f"{cls.keyword}: {_MEAN} stands in place of exactly one of {', '.join(names)}; "
                f"missing here: {', '.join(field.name for field in missing) or 'none'}",
                call.position,
            )
        name, ends = missing[0].name, interval(missing[0])
        others = ", ".join(f"{other} = {value:.12g}" for other, value in given.items())
        return solved(lambda x: cls(**given, **{name: x}), ends, prevalence, name, others)

    @classmethod
    def sliders(cls) -> tuple[Slider, ...] | None:
        found, without = cls._sliders()
        return found if len(without) == 1 and _is_number(without[0]) else None

    @classmethod
    def text_with(cls, prevalence: float, values: Sequence[float]) -> str:
        """Return the text of the curve with this mean and these values of its sliders.

        >>> Curve.members["power"].text_with(0.3, (0.8, 2.0))
        'power(prevalence=0.3, top=0.8, exponent=2)'
        """
        named = zip(cls.sliders() or (), values, strict=True)
        given = "".join(f", {slider.name}={number_text(value)}" for slider, value in named)
        return f"{cls.keyword}({_MEAN}={number_text(prevalence)}{given})"

    def unclipped_mean(self) -> float:
        """Return the mean over [0, 1] of the formula, whether or not it is a probability."""
        return float(self.average(np.array(0.0), np.array(1.0)))


def _is_number(parameter: Field[Any]) -> bool:
    return parameter.type in ("float", float)
