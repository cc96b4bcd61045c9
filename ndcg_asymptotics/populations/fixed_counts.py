"""Lists with a fixed number of relevant items.

A recommender's test user has one held-out item, a query a handful of relevant documents, whatever the size of
the corpus. In `FixedCounts` a list of n items has c_j items of gain y_j and ``n - R`` irrelevant ones,
``R = c_1 + … + c_J``. All depths are independent. They are given by one of two:

- ROC curves: the depth of an irrelevant item is uniform on [0, 1], that of an item of gain y_j has the
  distribution function F_j (`roc`).
- relevance curves m_j with P(Y = y_j) = p_j: the i.i.d. law of a list given its label counts, with densities
  ``m_j/p_j`` and, for irrelevant items, ``(1 - sum_j m_j) / (1 - sum_j p_j)``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Self

import numpy as np

from ndcg_asymptotics.core.arrays import Floats, brief, is_number
from ndcg_asymptotics.core.errors import InputError, require
from ndcg_asymptotics.core.files import path_of
from ndcg_asymptotics.populations.roc import DepthLaw, GradedRoc, RocModel, RocPower
from ndcg_asymptotics.populations.scorer import Curve, OfFixedNumber, Random, Relevance, Scorer
from ndcg_asymptotics.specs.scanner import Argument, Call, number_text, parse_text
from ndcg_asymptotics.specs.spec import Write

MOST_RELEVANT = 1000  #: the greatest number of relevant items in a list
_USAGE = "relevant takes a number of relevant items and a curve, as in relevant(3, roc_power(0.4))"


@dataclass(frozen=True)
class FixedCounts(OfFixedNumber, keyword="relevant"):
    """relevant(3, curve) or relevant(2=1, 1=3, graded(…)): every list has as many relevant items.

    Attributes
    ----------
    counts : tuple of int
        The number of items of each gain, in the order of ``source.gains``; their sum is 1 to 1000.
    source : Relevance or RocModel
        Relevance curves or ROC curves.

    >>> scorer = Scorer.parse("relevant(2=1, 1=3, graded(2=roc_power(0.3), 1=roc_binormal(1)))")
    >>> scorer.gains, scorer.counts, scorer.least_n
    ((2.0, 1.0), (1, 3), 4)
    """

    counts: tuple[int, ...]
    source: Relevance | RocModel

    def __post_init__(self) -> None:
        super().__post_init__()
        require(
            isinstance(self.source, Relevance | RocModel),
            f"relevant: expected relevance curves or ROC curves, got {brief(self.source)}",
        )
        counts_text = brief(self.counts[0] if len(self.counts) == 1 else self.counts)
        whole = all(type(count) is int and count >= 0 for count in self.counts)
        require(
            whole and 1 <= sum(self.counts) <= MOST_RELEVANT,
            f"relevant: a list has 1 to {MOST_RELEVANT} relevant items, a whole number, got {counts_text}",
        )
        require(
            len(self.counts) == len(self.gains),
            f"relevant: {self.source} has {len(self.gains)} grades, got {len(self.counts)} numbers of items",
        )
        if isinstance(self.source, Relevance):
            for gain, count, mass in zip(self.gains, self.counts, self.source.masses, strict=True):
                possible = count == 0 or mass > 0
                require(possible, f"relevant: {self.source} has no items of gain {number_text(gain)}")
            require(sum(self.source.masses) < 1, f"relevant: {self.source} has no irrelevant items")

    @classmethod
    def signature(cls) -> str:
        return "relevant(count, curve)"

    @classmethod
    def from_call(cls, call: Call) -> Self:
        *numbers, last = call.arguments or (Argument(None, 0.0, call.position),)
        if last.key is not None or not isinstance(last.value, Call) or not numbers:
            call.scanner.fail(_USAGE, last.position)
        source = _source(last.value)
        if source.gains == (1.0,) and len(numbers) == 1 and numbers[0].key is None:
            return cls((_count(numbers[0]),), source)
        counts: dict[float, int] = {}
        for argument in numbers:
            if argument.key is None:
                usage = "relevant takes a number for each grade, as in relevant(2=1, 1=3, graded(…))"
                call.scanner.fail(_USAGE if source.gains == (1.0,) else usage, argument.position)
            gain = _gain(argument)
            if gain not in source.gains:
                gains_text = ", ".join(map(number_text, source.gains))
                call.scanner.fail(
                    f"relevant: the gains are {gains_text}, got {argument.key}", argument.position
                )
            if gain in counts:
                call.scanner.fail(f"{argument.key!r} is given twice", argument.position)
            counts[gain] = _count(argument)
        missing = [number_text(gain) for gain in source.gains if gain not in counts]
        if missing:
            call.scanner.fail(f"relevant: no number of items of gain {', '.join(missing)}", call.position)
        return cls(tuple(counts[gain] for gain in source.gains), source)

    def arguments(self, write: Write = str) -> tuple[str, ...]:
        if self.gains == (1.0,):
            return str(self.counts[0]), write(self.source)
        counts = zip(self.gains, self.counts, strict=True)
        return (*(f"{number_text(y)}={count}" for y, count in counts), write(self.source))

    @property
    def gains(self) -> tuple[float, ...]:
        return self.source.gains

    @property
    def least_n(self) -> int:
        """R, the number of relevant items."""
        return sum(self.counts)

    @cached_property
    def laws(self) -> tuple[DepthLaw, ...]:
        """The law of the depth of an item of each gain, and last that of an irrelevant item."""
        if isinstance(self.source, RocModel):
            return (*self.source.curves, RocPower(1.0))
        return (*(_OfGrade(curve) for curve in self.source.curves), _Irrelevant(self.source.curves))

    @cached_property
    def breaks(self) -> tuple[float, ...]:
        """Depths inside (0, 1) where the density of a depth jumps or has a kink."""
        return tuple(sorted({b for law in self.laws for b in law.breaks}))

    @property
    def uninformative(self) -> FixedCounts:
        """The scorer with the same numbers of items and F(t) = t."""
        return FixedCounts(self.counts, _chance(self.source))


@dataclass(frozen=True)
class _OfGrade(DepthLaw):
    """The depth of an item of one grade, with density m/p."""

    curve: Curve

    def cdf(self, t: Floats) -> Floats:
        return np.clip(self.curve.integral(0.0, t) / self.curve.mass, 0.0, 1.0)

    def density(self, t: Floats) -> Floats:
        return np.asarray(self.curve.value(t) / self.curve.mass)

    @property
    def breaks(self) -> tuple[float, ...]:
        return self.curve.breaks


@dataclass(frozen=True)
class _Irrelevant(DepthLaw):
    """The depth of an item without gain, with density (1 - sum m_j) / (1 - sum p_j)."""

    curves: tuple[Curve, ...]

    @cached_property
    def _mass(self) -> float:
        return 1.0 - sum(curve.mass for curve in self.curves)

    @cached_property
    def _complement(self) -> Curve | None:
        return self.curves[0].complement if len(self.curves) == 1 else None

    def cdf(self, t: Floats) -> Floats:
        if self._complement is not None:
            return np.clip(self._complement.integral(0.0, t) / self._mass, 0.0, 1.0)
        relevant = sum(curve.integral(0.0, t) for curve in self.curves)
        return np.clip((t - relevant) / self._mass, 0.0, 1.0)

    def density(self, t: Floats) -> Floats:
        if self._complement is not None:
            return np.asarray(self._complement.value(t) / self._mass)
        relevant = sum(curve.value(t) for curve in self.curves)
        return np.maximum(1.0 - relevant, 0.0) / self._mass

    @property
    def breaks(self) -> tuple[float, ...]:
        return tuple(sorted({b for curve in self.curves for b in curve.breaks}))


def _count(argument: Argument) -> int:
    if not isinstance(argument.value, float):
        raise InputError("relevant: a number of relevant items is a whole number, got no number")
    return _whole(argument.value)


def _gain(argument: Argument) -> float:
    try:
        return float(argument.key or "")
    except ValueError:
        raise InputError(f"relevant: expected a gain, found {argument.key!r}") from None


def _chance(source: Relevance | RocModel) -> RocModel:
    if source.gains == (1.0,):
        return RocPower(1.0)
    return GradedRoc(tuple((gain, RocPower(1.0)) for gain in source.gains))


def _source(call: Call) -> Relevance | RocModel:
    """Return the relevance curves or ROC curves that a call names; ``random`` is F(t) = t."""
    if call.name == Random.keyword and not call.arguments:
        return RocPower(1.0)
    return RocModel.build(call) if _names_roc(call) else Relevance.build(call)


def _names_roc(call: Call) -> bool:
    """Return whether a call names a ROC curve, or has one among its curves, which it may refuse."""
    if call.name != GradedRoc.keyword:
        return call.name.startswith(RocModel.prefix)
    return any(_names_roc(part.value) for part in call.arguments if isinstance(part.value, Call))


def with_relevant(
    scorer: Scorer | RocModel | str,
    relevant: int | Mapping[float, float],
    *,
    folder: Path | None = None,
    allow_custom: bool = True,
) -> Scorer:
    """Return a scorer whose lists have a given number of relevant items.

    Parameters
    ----------
    scorer : Scorer, RocModel or text
        A relevance curve, a ROC curve, or graded ones; ``random`` stays what it is.
    relevant : int or mapping
        For one curve R; for graded curves the number of items of each gain.
    folder, allow_custom
        As for `Spec.parse`.

    Raises
    ------
    InputError
        For a number outside 1 to 1000, gains that are not those of the scorer, and a scorer that has a number
        of relevant items already.

    >>> str(with_relevant("roc_power(0.4)", 2))
    'relevant(2, roc_power(0.4))'
    >>> str(with_relevant("graded(2=roc_power(0.3), 1=roc_power(0.5))", {2: 1, 1: 4}))
    'relevant(2=1, 1=4, graded(2=roc_power(0.3), 1=roc_power(0.5)))'
    """
    folder = None if folder is None else path_of(folder, "folder")
    source: Scorer | RocModel = (
        parse_text(scorer, lambda scanner: _scorer(scanner.call()), folder, allow_custom)
        if isinstance(scorer, str)
        else scorer
    )
    if isinstance(source, Random):
        return source
    if not isinstance(source, Relevance | RocModel):
        raise InputError(f"a number of relevant items is given for a curve, got {brief(source)}")
    if source.gains != (1.0,):
        return FixedCounts(_counts_by_gain(source.gains, relevant), source)
    if isinstance(relevant, Mapping):
        raise InputError(f"relevant: {source} takes one number of relevant items, got {brief(relevant)}")
    return FixedCounts((relevant,), source)


def _counts_by_gain(gains: tuple[float, ...], relevant: int | Mapping[float, float]) -> tuple[int, ...]:
    """Return the number of items of each gain."""
    usage = ", ".join(f"{number_text(gain)} = …" for gain in gains)
    keys = set(relevant) if isinstance(relevant, Mapping) else {relevant}
    if not isinstance(relevant, Mapping) or keys != set(gains):
        keys_text = ", ".join(map(number_text, sorted(keys, reverse=True)))
        raise InputError(
            f"relevant: graded curves need a number of items for each gain, {usage}, got {keys_text}"
        )
    return tuple(_whole(relevant[gain]) for gain in gains)


def _whole(number: float) -> int:
    require(
        is_number(number) and float(number).is_integer(),
        f"relevant: a number of relevant items is a whole number, got {brief(number)}",
    )
    return int(number)


def _scorer(call: Call) -> Scorer | RocModel:
    is_source = call.name == GradedRoc.keyword or call.name.startswith(RocModel.prefix)
    return _source(call) if is_source else Scorer.build(call)
