"""Relevance curves of the labels that a judge reports, who errs at random.

A judge sees the true label Y of an item and reports Y', independently of all else given Y. If

    P(Y' = 1 | Y = 0) = fpr,    P(Y' = 0 | Y = 1) = fnr,    fpr + fnr < 1,

the reported labels are i.i.d. again, with the relevance curve fpr + (1 - fpr - fnr) m(t), so that every
limit, mean, law and exponent of the package holds for them (docs/judge-theory.md). Judgements that are
missing and count as 0 are the case fpr = 0. Of several grades the judge has a confusion matrix.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np

from ndcg_asymptotics.core.arrays import Floats
from ndcg_asymptotics.core.errors import InputError, require
from ndcg_asymptotics.populations.scorer import ROUNDING, Curve, Relevance
from ndcg_asymptotics.specs.ranges import within
from ndcg_asymptotics.specs.scanner import Call, number_text
from ndcg_asymptotics.specs.spec import OfSpec, Portable, Spec

Matrix = tuple[tuple[float, ...], ...]


class _Weighted(Curve):
    """A curve that is an affine combination of others, base + sum w_i m_i(t)."""

    @property
    @abstractmethod
    def base(self) -> float:
        """What is added to the curves."""

    @property
    @abstractmethod
    def parts(self) -> tuple[tuple[float, Curve], ...]:
        """The weights and the curves."""

    def formula(self, t: Floats) -> Floats:
        return np.asarray(self.base + sum(weight * curve.value(t) for weight, curve in self.parts))

    def average(self, a: Floats, b: Floats) -> Floats:
        return np.asarray(self.base + sum(weight * curve.mean(a, b) for weight, curve in self.parts))

    def bounds(self, a: Floats, b: Floats) -> tuple[Floats, Floats]:
        low = high = np.full(np.broadcast(a, b).shape, self.base)
        for weight, curve in self.parts:
            ends = [weight * end for end in curve.bounds(a, b)]
            low, high = low + np.minimum(*ends), high + np.maximum(*ends)
        return np.clip(low, 0.0, 1.0), np.clip(high, 0.0, 1.0)

    @property
    def holder(self) -> float | None:
        known = [curve.holder for weight, curve in self.parts if weight]
        return None if None in known else min((exponent for exponent in known if exponent), default=1.0)

    @property
    def is_continuous(self) -> bool:
        return all(curve.is_continuous for weight, curve in self.parts if weight)

    @property
    def breaks(self) -> tuple[float, ...]:
        return tuple(sorted({at for weight, curve in self.parts if weight for at in curve.breaks}))


@dataclass(frozen=True)
class OfErrors(OfSpec):
    """The labels of a judge with two error rates, whose labels rise with the true ones: fpr + fnr < 1."""

    curve: Spec
    fpr: float = field(metadata=within(0, 1))
    fnr: float = field(metadata=within(0, 1))

    def __post_init__(self) -> None:
        super().__post_init__()
        wanted = "noisy needs fpr + fnr < 1, else the judge's labels do not rise with the true ones"
        require(self.fpr + self.fnr < 1, f"{wanted}; got {self.fpr:g} + {self.fnr:g}")


class _OfCurve(OfSpec, Curve):
    """The curve of labels that a judge makes of those of another curve."""

    curve: Curve
    kind: ClassVar[type[Spec]] = Curve

    @classmethod
    def from_call(cls, call: Call) -> Self:
        return super(Curve, cls).from_call(call)  # ``prevalence=`` stands in the curve of the other labels


@dataclass(frozen=True)
class Noisy(OfErrors, _OfCurve, _Weighted, keyword="noisy"):
    """noisy(curve, fpr, fnr): the labels of a judge with these error rates, fpr + (1 - fpr - fnr) ybar(s).

    Attributes
    ----------
    curve : Curve
        The relevance curve of the true labels.
    fpr : float
        The probability that an irrelevant item is called relevant.
    fnr : float
        The probability that a relevant item is called irrelevant; fpr + fnr < 1.

    >>> reported = Curve.parse("noisy(linear(0.1, 0.7), fpr=0.05, fnr=0.2)")
    >>> str(reported), reported.value([0.0, 1.0]).round(12)
    ('noisy(linear(0.1, 0.7), 0.05, 0.2)', array([0.575, 0.125]))
    """

    curve: Curve
    example: ClassVar[str] = "a relevance curve, as in noisy(linear(0.1, 0.7), fpr=0.05, fnr=0.2)"

    @property
    def base(self) -> float:
        return self.fpr

    @property
    def parts(self) -> tuple[tuple[float, Curve], ...]:
        return ((1.0 - self.fpr - self.fnr, self.curve),)

    @property
    def complement(self) -> Curve | None:
        other = self.curve.complement
        return None if other is None else Noisy(other, self.fnr, self.fpr)


@dataclass(frozen=True)
class Favoured(_OfCurve, keyword="favoured"):
    """favoured(curve, share, trust): ybar(s) + trust (1 - ybar(s)) among the top ``share`` of the items.

    These are the labels of a judge who calls an item relevant with probability ``trust`` because this scorer
    ranks it within its top share, and judges as by ``curve`` else.

    Attributes
    ----------
    curve : Curve
        The relevance curve of the labels without that favour.
    share, trust : float

    >>> reported = Curve.parse("favoured(linear(0.1, 0.7), share=0.5, trust=0.5)")
    >>> reported.value([0.0, 0.5, 0.51, 1.0]).round(12)
    array([0.85 , 0.7  , 0.394, 0.1  ])
    """

    curve: Curve
    share: float = field(metadata=within(0, 1))
    trust: float = field(metadata=within(0, 1))
    example: ClassVar[str] = "a relevance curve, as in favoured(linear(0.1, 0.7), 0.1, 0.5)"

    def formula(self, t: Floats) -> Floats:
        value = self.curve.value(t)
        return np.where(t <= self.share, value + self.trust * (1 - value), value)

    def average(self, a: Floats, b: Floats) -> Floats:
        above = np.clip((self.share - a) / (b - a), 0.0, 1.0)
        missing = 1 - self.curve.mean(a, np.maximum(np.minimum(b, self.share), a))
        return np.asarray(self.curve.mean(a, b) + self.trust * above * missing)

    def bounds(self, a: Floats, b: Floats) -> tuple[Floats, Floats]:
        low, high = self.curve.bounds(a, b)
        return (
            np.where(b <= self.share, low + self.trust * (1 - low), low),
            np.where(a <= self.share, high + self.trust * (1 - high), high),
        )

    @property
    def _jumps(self) -> bool:
        return 0 < self.share < 1 and self.trust > 0 and float(self.curve.value(self.share)) < 1

    @property
    def holder(self) -> float | None:
        return None if self._jumps else self.curve.holder

    @property
    def is_continuous(self) -> bool:
        return self.curve.is_continuous and not self._jumps

    @property
    def breaks(self) -> tuple[float, ...]:
        own = (self.share,) if self._jumps else ()
        return tuple(sorted({*self.curve.breaks, *own}))


@dataclass(frozen=True)
class Confusion(Relevance, keyword="confusion"):
    """confusion(curve, [[…], …]): the labels of a judge, in row i P(reported grade | true grade i).

    Attributes
    ----------
    source : Relevance
        The curves of the true grades.
    rates : tuple of tuples
        A row for each true grade and a column for each reported one, both in increasing order, 0 first. Each
        row sums to 1.

    >>> rates = "[[0.9, 0.1, 0], [0.3, 0.6, 0.1], [0, 0.2, 0.8]]"
    >>> reported = Relevance.parse(f"confusion(graded(2=linear(0, 0.3), 1=constant(0.2)), {rates})")
    >>> reported.gains, [round(mass, 6) for mass in reported.masses]
    ((2.0, 1.0), [0.14, 0.215])
    """

    source: Relevance
    rates: Matrix

    def __post_init__(self) -> None:
        size = len(self.source.gains) + 1
        shape = all(len(row) == size for row in self.rates) and len(self.rates) == size
        grades = ", ".join(["0", *map(number_text, reversed(self.source.gains))])
        require(
            shape,
            f"confusion: {self.source} has the grades {grades}, so the matrix has {size} rows of {size}",
        )
        for row in self.rates:
            inside = all(0 <= rate <= 1 for rate in row)
            total = math.fsum(row)
            require(
                inside and abs(total - 1) <= ROUNDING,
                "confusion: each row has probabilities that add up to 1, got "
                f"[{', '.join(map(number_text, row))}]",
            )

    @property
    def gains(self) -> tuple[float, ...]:
        return self.source.gains

    @cached_property
    def curves(self) -> tuple[Curve, ...]:
        size = len(self.gains)
        return tuple(_Reported(self.source, self.rates, size - j) for j in range(size))

    @classmethod
    def signature(cls) -> str:
        return "confusion(curve, [[…], …])"

    @classmethod
    def from_call(cls, call: Call) -> Self:
        usage = "confusion takes a curve and a matrix, as in confusion(graded(…), [[0.9, 0.1], [0.2, 0.8]])"
        values = [argument.value for argument in call.arguments if argument.key is None]
        if len(values) != 2 or len(call.arguments) != 2 or not isinstance(values[0], Call):
            call.scanner.fail(usage, call.position)
        rows = values[1]
        if not isinstance(rows, tuple) or not all(isinstance(row, tuple) for row in rows):
            call.scanner.fail(usage, call.position)
        return cls(Relevance.build(values[0]), _matrix(rows))

    def arguments(self) -> tuple[str, ...]:
        rows = ", ".join(f"[{', '.join(map(number_text, row))}]" for row in self.rates)
        return str(self.source), f"[{rows}]"

    def portable(self) -> Portable:
        return self.source.portable().inside(self.keyword, after=self.arguments()[1:])


@dataclass(frozen=True)
class JudgedLabels(OfErrors, Relevance):
    """The labels of a judge, with the true ones kept: for scorers that are independent given the true label.

    An item is relevant in truth and by the judge, by the judge only, in truth only, or neither. These kinds
    are grades with the gains 1, 1, 0, 0: NDCG and the curve of its mean gain are those of `Noisy`, and
    scorers that are independent given the kind are independent given the true label. Given the reported label
    they are not: an item that is called relevant is high in both rankings if it is, and low in both if not.

    Attributes
    ----------
    curve : Curve
        The relevance curve of the true labels.
    fpr, fnr : float
        The error rates of the judge; fpr + fnr < 1.

    >>> reported = JudgedLabels(Curve.parse("linear(0.1, 0.7)"), fpr=0.05, fnr=0.2)
    >>> str(reported), [round(mass, 12) for mass in reported.masses]
    ('judged(linear(0.1, 0.7), 0.05, 0.2)', [0.32, 0.03, 0.08])
    """

    keyword: ClassVar[str] = "judged"
    gains: ClassVar[tuple[float, ...]] = (1.0, 1.0, 0.0)

    curve: Curve

    @property
    def alone(self) -> Noisy:
        return Noisy(self.curve, self.fpr, self.fnr)

    @cached_property
    def curves(self) -> tuple[Curve, ...]:
        # a row for each true label, 0 first, and a column for each kind
        rates = (0.0, self.fpr, 0.0), (1.0 - self.fnr, 0.0, self.fnr)
        return tuple(_Reported(self.curve, rates, kind) for kind in range(len(self.gains)))


@dataclass(frozen=True)
class _Reported(_Weighted):
    """P(Y' = y_j | t): C_0j + sum_i (C_ij - C_0j) m_i(t) over the true grades i; ``grade`` counts from 0."""

    source: Relevance
    rates: Matrix
    grade: int

    def __post_init__(self) -> None:
        """Check nothing: the matrix has been checked."""

    @property
    def base(self) -> float:
        return self.rates[0][self.grade]

    @property
    def parts(self) -> tuple[tuple[float, Curve], ...]:
        rows = reversed(self.rates[1:])  # gains and their curves decrease
        weights = [row[self.grade] - self.base for row in rows]
        return tuple(zip(weights, self.source.curves, strict=True))


def _matrix(rows: Sequence[Any]) -> Matrix:
    for row in rows:
        for rate in row:
            if not isinstance(rate, float):
                raise InputError("confusion: the matrix has numbers only")
    return tuple(tuple(row) for row in rows)
