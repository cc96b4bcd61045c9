"""Relevance curves of labels with errors."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar, Self

import numpy as np

from ndcg_asymptotics.core.arrays import Floats
from ndcg_asymptotics.core.errors import require
from ndcg_asymptotics.populations.scorer import Curve
from ndcg_asymptotics.specs.ranges import within
from ndcg_asymptotics.specs.scanner import Argument, Call, Scanner


@dataclass(frozen=True)
class Noisy(Curve, keyword="noisy"):
    """noisy(curve, fpr, fnr): the labels of another curve with errors, fpr + (1 - fpr - fnr) ybar(s).

    The label Y of each item is replaced by a label Y' that depends on nothing else given Y::

        P(Y' = 1 | Y = 0) = fpr,    P(Y' = 0 | Y = 1) = fnr.

    The new labels are i.i.d. again, so that every theorem about relevance curves holds for them
    (Theorem J1 of docs/judges.md). Missing labels that count as 0 are the case fpr = 0.

    Attributes
    ----------
    curve : Curve
        The relevance curve of the labels Y.
    fpr : float
        The probability in [0, 1] that the label 0 becomes 1.
    fnr : float
        The probability in [0, 1] that the label 1 becomes 0; fpr + fnr < 1.

    >>> noisy = Curve.parse("noisy(linear(0.1, 0.7), fpr=0.05, fnr=0.2)")
    >>> str(noisy), noisy.value([0.0, 1.0]).round(12)
    ('noisy(linear(0.1, 0.7), 0.05, 0.2)', array([0.575, 0.125]))
    """

    curve: Curve
    fpr: float = field(metadata=within(0, 1))
    fnr: float = field(metadata=within(0, 1))
    example: ClassVar[str] = "a relevance curve, as in noisy(linear(0.1, 0.7), fpr=0.05, fnr=0.2)"

    def __post_init__(self) -> None:
        super().__post_init__()
        requirement = "noisy needs fpr + fnr < 1, else the labels do not rise with those of its curve"
        require(self.fpr + self.fnr < 1, f"{requirement}; got {self.fpr:g} + {self.fnr:g}")

    @classmethod
    def from_call(cls, call: Call) -> Self:
        return super(Curve, cls).from_call(call)  # ``prevalence=`` is a parameter of the other curve

    @classmethod
    def accept(cls, name: str, argument: Argument, scanner: Scanner) -> Any:
        if name != "curve":
            return super().accept(name, argument, scanner)
        if not isinstance(argument.value, Call) or argument.value.name.startswith("roc_"):
            scanner.fail(f"noisy takes {cls.example}", argument.position)
        return Curve.build(argument.value)

    @property
    def _slope(self) -> float:
        return 1.0 - self.fpr - self.fnr

    def formula(self, t: Floats) -> Floats:
        return np.asarray(self.fpr + self._slope * self.curve.value(t))

    def average(self, a: Floats, b: Floats) -> Floats:
        return np.asarray(self.fpr + self._slope * self.curve.mean(a, b))

    def bounds(self, a: Floats, b: Floats) -> tuple[Floats, Floats]:
        low, high = (self.fpr + self._slope * end for end in self.curve.bounds(a, b))
        return np.clip(low, 0.0, 1.0), np.clip(high, 0.0, 1.0)

    @property
    def complement(self) -> Curve | None:
        complement = self.curve.complement
        return None if complement is None else Noisy(complement, self.fnr, self.fpr)

    @property
    def holder(self) -> float | None:
        return self.curve.holder

    @property
    def is_continuous(self) -> bool:
        return self.curve.is_continuous

    @property
    def breaks(self) -> tuple[float, ...]:
        return self.curve.breaks
