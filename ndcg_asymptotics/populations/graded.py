"""Graded labels: one relevance curve per gain."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Generic, Self, TypeVar

import numpy as np

from ndcg_asymptotics.core.arrays import Floats, brief, is_number
from ndcg_asymptotics.core.errors import require
from ndcg_asymptotics.populations.scorer import CURVE_ROUNDING, Curve, Relevance
from ndcg_asymptotics.specs.scanner import Call, number_text, numbers_text
from ndcg_asymptotics.specs.spec import Spec, Write

Curves = TypeVar("Curves", bound=Spec)

MOST_GRADES = 255  #: engines hold grades in a byte
_LEAST_GAIN, _GREATEST_GAIN = 1e-30, 1e30  # their fourth powers, in kurtoses, stay finite


class ByGain(Spec, Generic[Curves]):
    """A spec ``graded(2=curve, 1=curve, …)``, one curve for each gain.

    Attributes
    ----------
    by_gain : tuple of (gain, curve)
        In decreasing order of the gains.
    example : str
        An argument, for messages.
    """

    by_gain: tuple[tuple[float, Curves], ...]
    kind: ClassVar[type[Spec]]
    example: ClassVar[str]

    def __post_init__(self) -> None:
        proper = isinstance(self.by_gain, Sequence) and all(
            isinstance(pair, tuple)
            and len(pair) == 2
            and is_number(pair[0])
            and isinstance(pair[1], self.kind)
            for pair in self.by_gain
        )
        require(proper, f"must be pairs of a gain and a curve, got {brief(self.by_gain)}", "by_gain")
        ordered = tuple(sorted(self.by_gain, key=lambda item: -item[0]))
        object.__setattr__(self, "by_gain", ordered)
        self._check()

    def _check(self) -> None:
        check_gains(self.gains)

    @property
    def gains(self) -> tuple[float, ...]:
        return tuple(gain for gain, _ in self.by_gain)

    @property
    def curves(self) -> tuple[Curves, ...]:
        return tuple(curve for _, curve in self.by_gain)

    @classmethod
    def signature(cls) -> str:
        return "graded(gain=curve, …)"

    @classmethod
    def from_call(cls, call: Call) -> Self:
        keyed = call.keyed("gain", f"gain=curve, as in {cls.example}")
        return cls(tuple((gain, cls.kind.build(curve)) for gain, curve in keyed))  # type: ignore[call-arg]

    def arguments(self, write: Write = str) -> tuple[str, ...]:
        return tuple(f"{number_text(gain)}={write(curve)}" for gain, curve in self.by_gain)


@dataclass(frozen=True)
class Graded(ByGain[Curve], Relevance, keyword="graded"):
    """graded(2=curve, 1=curve, …): one curve P(Y = gain | t) per gain; 0 takes the rest."""

    by_gain: tuple[tuple[float, Curve], ...]
    kind: ClassVar[type[Spec]] = Curve
    example: ClassVar[str] = "2=linear(0, 0.3)"

    def _check(self) -> None:
        check_grades(self.gains, self.curves)


def check_grades(gains: tuple[float, ...], curves: tuple[Curve, ...]) -> None:
    """Refuse gains that are not distinct and positive, or probabilities that exceed 1 in total."""
    check_gains(gains)
    high = highest_total(curves)
    require(
        high <= 1 + CURVE_ROUNDING,
        f"graded: the probabilities of the grades add up to as much as {high:.6g}, at most 1 is allowed",
    )


def check_gains(gains: tuple[float, ...]) -> None:
    """Refuse gains that are not distinct and positive."""
    require(
        len(gains) > 0 and all(0 < y < math.inf for y in gains) and len(set(gains)) == len(gains),
        f"graded: gains must be distinct and positive (0 takes the rest), got {numbers_text(gains)}",
    )
    require(len(gains) <= MOST_GRADES, f"graded: at most {MOST_GRADES} grades, got {len(gains)}")
    outside = [y for y in gains if not _LEAST_GAIN <= y <= _GREATEST_GAIN]
    bounds = f"{_LEAST_GAIN:g} to {_GREATEST_GAIN:g}"
    require(not outside, f"graded: gains must be {bounds}, got {next(iter(outside), 0):g}")


def highest_total(curves: tuple[Curve, ...]) -> float:
    """Return the largest sum of the curves over depth (to about 1e-9 for smooth curves)."""
    mesh = np.union1d(np.linspace(0, 1, 4097), np.geomspace(1e-12, 1, 513))
    mesh = np.union1d(mesh, [b for curve in curves for b in curve.breaks])

    def total(t: Floats) -> Floats:
        return np.asarray(np.sum([curve.formula(t) for curve in curves], axis=0))

    best = int(np.argmax(total(mesh)))
    around = np.linspace(mesh[max(best - 1, 0)], mesh[min(best + 1, len(mesh) - 1)], 1025)
    return float(np.max(total(around)))
