"""Scorers, described by all that NDCG of i.i.d. data depends on: their relevance curves.

With s the canonical score (the scorer's probability integral transform, uniform on [0, 1]) and
``t = 1 - s`` the depth from the top of the ranking, a scorer is its relevance curve
``ybar(s) = E[Y | s]``, held here as a function of depth, ``m(t) = ybar(1 - t)``. Depth is what
the top of a long list needs: t = 1e-18 is a number, 1 - 1e-18 is not.

A `Relevance` is such a model: `Curve` is the binary case, P(Y = 1 | t); graded models have one curve per
gain. `FixedCounts` is a `Scorer` of another kind: every list has the same number of relevant items, whose
depths are independent.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import Field
from typing import Any, ClassVar, NoReturn, Self

import numpy as np
from numpy.typing import ArrayLike

from ndcg_asymptotics.core.arrays import Floats
from ndcg_asymptotics.core.errors import InputError, NotAvailableError, require
from ndcg_asymptotics.populations.solving import checked, interval, range_is_checked, solved
from ndcg_asymptotics.specs.scanner import Call, number_text
from ndcg_asymptotics.specs.sliders import Adjustable, Slider
from ndcg_asymptotics.specs.spec import Spec

_MEAN = "prevalence"  # of a curve, as a parameter
CURVE_ROUNDING = 1e-12  #: the greatest distance of a probability from [0, 1] that rounding explains


class Scorer(Spec, family="relevance model"):
    """The law of the labels of a list in the order in which a scorer ranks its items."""

    FROM_FUNCTION = "ndcg_asymptotics.populations.curve"

    @classmethod
    def build(cls, call: Call) -> Self:
        if call.name.startswith("roc_"):
            reason = "a ROC curve needs a number of relevant items"
            call.scanner.fail(f"{reason}: relevant(1, {call.name}(…))", call.position)
        return super().build(call)

    @property
    @abstractmethod
    def gains(self) -> tuple[float, ...]:
        """The positive gains, in decreasing order; 0 takes the remaining probability."""

    @property
    @abstractmethod
    def masses(self) -> tuple[float, ...]:
        """The label law P(Y = y_j), one number per gain."""

    @abstractmethod
    def mean_gain(self, t: ArrayLike) -> Floats:
        """Return E[Y | t] for an array of depths."""

    @property
    @abstractmethod
    def least_n(self) -> int:
        """The length of the shortest list that has all relevant items; 1 for i.i.d. labels."""

    @property
    def iid(self) -> bool:
        """Whether labels are i.i.d.; else every list has the same number of relevant items."""
        return isinstance(self, Relevance)

    def check_lengths(self, lengths: Iterable[int]) -> None:
        """Refuse lists that are too short for the relevant items."""
        relevant, shortest = self.least_n, min(lengths)
        message = f"lists with {relevant} relevant items have n >= {relevant}, got {shortest}"
        require(shortest >= relevant, message, "n")

    @property
    def model(self) -> Relevance:
        """The scorer itself, of i.i.d. labels.

        Raises
        ------
        NotAvailableError
            If the number of relevant items is fixed.
        """
        if not isinstance(self, Relevance):
            raise NotAvailableError("not available for lists with a fixed number of relevant items")
        return self


class OfFixedNumber(Scorer):
    """A scorer of lists that all have the same number of relevant items."""

    @property
    def masses(self) -> NoReturn:
        raise NotAvailableError("with a fixed number of relevant items their share depends on n")

    def mean_gain(self, t: ArrayLike) -> NoReturn:
        raise NotAvailableError("with a fixed number of relevant items E[Y | t] depends on n")


class Relevance(Scorer):
    """The law of a label given the depth of its item: gains y_1 > … > y_J > 0 and P(Y = y_j | t)."""

    @property
    def least_n(self) -> int:
        return 1

    @property
    @abstractmethod
    def curves(self) -> tuple[Curve, ...]:
        """P(Y = y_j | t), one curve per gain."""

    @property
    def graded(self) -> bool:
        """Whether there are labels other than 0 and 1."""
        return self.gains != (1.0,)

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
        """Return E[Y | t] for an array of depths."""
        values = [y * c.value(t) for y, c in zip(self.gains, self.curves, strict=True)]
        return np.asarray(sum(values), dtype=np.float64)

    def gain_variance(self, t: ArrayLike) -> Floats:
        """Return Var(Y | t) for an array of depths."""
        squares = [y**2 * c.value(t) for y, c in zip(self.gains, self.curves, strict=True)]
        return np.maximum(np.asarray(sum(squares), dtype=np.float64) - self.mean_gain(t) ** 2, 0.0)

    def label_law(self, t: ArrayLike) -> tuple[Floats, Floats]:
        """Return the gains (J + 1,), the last one 0, and their probabilities (J + 1, …) at depths t."""
        chances = np.array([curve.value(t) for curve in self.curves], dtype=np.float64)
        without = np.maximum(1.0 - chances.sum(axis=0), 0.0)
        return np.append(self.gains, 0.0), np.concatenate([chances, without[None]])


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
        if not empty.any():
            return np.clip(self.average(np.minimum(a, b), np.maximum(a, b)), 0.0, 1.0)
        # an empty interval is widened to any other, and its value replaced
        wide = np.where(empty, np.where(a < 0.5, a + 0.25, a - 0.25), b)
        average = self.average(np.minimum(a, wide), np.maximum(a, wide))
        return np.clip(np.where(empty, self.formula(a), average), 0.0, 1.0)

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
        inside = not range_is_checked() or (low >= -CURVE_ROUNDING and high <= 1 + CURVE_ROUNDING)
        require(inside, f"a relevance curve must stay within [0, 1], this one spans [{low:g}, {high:g}]")

    @classmethod
    def from_call(cls, call: Call) -> Self:
        names = tuple(field.name for field in cls._fields())
        if _MEAN in names:
            curve = super().from_call(call)
            return checked(curve, getattr(curve, _MEAN))
        if all(argument.key != _MEAN for argument in call.arguments):
            return super().from_call(call)
        parameters = cls.bind(call, (*names, _MEAN))
        prevalence = parameters.pop(_MEAN)
        missing = [field for field in cls._fields() if field.name not in parameters]
        if len(missing) != 1 or not _is_number(missing[0]):
            call.scanner.fail(
                f"{cls.keyword}: {_MEAN} stands in place of exactly one of {', '.join(names)}; "
                f"missing here: {', '.join(field.name for field in missing) or 'none'}",
                call.position,
            )
        name, ends = missing[0].name, interval(missing[0])
        settings = ", ".join(f"{key} = {value:.12g}" for key, value in parameters.items())
        return solved(lambda x: cls(**parameters, **{name: x}), ends, prevalence, name, settings)

    @classmethod
    def sliders(cls) -> tuple[Slider, ...] | None:
        sliders, without = cls._sliders()
        return sliders if len(without) == 1 and _is_number(without[0]) else None

    @classmethod
    def text_with(cls, prevalence: float, values: Sequence[float]) -> str:
        """Return the text of the curve with this mean and these values of its sliders.

        >>> Curve.members["power"].text_with(0.3, (0.8, 2.0))
        'power(prevalence=0.3, top=0.8, exponent=2)'
        """
        pairs = zip(cls.sliders() or (), values, strict=True)
        settings = "".join(f", {slider.name}={number_text(value)}" for slider, value in pairs)
        return f"{cls.keyword}({_MEAN}={number_text(prevalence)}{settings})"

    def unclipped_mean(self) -> float:
        """Return the mean over [0, 1] of the formula, whether or not it is a probability."""
        return float(self.average(np.array(0.0), np.array(1.0)))


def _is_number(parameter: Field[Any]) -> bool:
    return parameter.type in ("float", float)


class Random(Scorer, keyword="random"):
    """random: an uninformative scorer, with the label law of the others in its population."""

    def _alone(self) -> NoReturn:
        raise InputError("'random' takes the label law of the other scorers; alone it has none")

    gains = property(_alone)
    masses = property(_alone)
    least_n = property(_alone)
    iid = property(_alone)
    model = property(_alone)

    def mean_gain(self, t: ArrayLike) -> NoReturn:
        self._alone()

    @classmethod
    def _fields(cls) -> tuple[Any, ...]:
        return ()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Random)

    def __hash__(self) -> int:
        return hash(Random)
