"""Lists with a fixed number of relevant items, whose labels are those of a judge who errs at random.

Every list has R relevant items at depths with the ROC curve F. A judge calls a relevant one irrelevant with
probability fnr and an irrelevant one relevant with probability fpr, independently of all else. So the
number of items that count as relevant is random, ``Bin(R, 1 - fnr) + Bin(n - R, fpr)``, while the depths are
those of the true labels: the reported labels have no ROC curve that serves for every n.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

from ndcg_asymptotics.core.errors import require
from ndcg_asymptotics.populations.reported import OfErrors
from ndcg_asymptotics.populations.roc import GradedRoc, Roc, RocModel, RocPower
from ndcg_asymptotics.populations.scorer import OfFixedNumber
from ndcg_asymptotics.specs.scanner import Argument, Call, Scanner
from ndcg_asymptotics.specs.spec import Portable, Spec

if TYPE_CHECKING:
    from ndcg_asymptotics.populations.fixed_counts import FixedCounts


@dataclass(frozen=True)
class NoisyRoc(OfErrors, RocModel, keyword="noisy"):
    """noisy(curve, fpr, fnr): the depths of one ROC curve, and the labels of a judge with these error rates.

    Attributes
    ----------
    curve : Roc
        The ROC curve of the items that are relevant in truth.
    fpr, fnr : float
        The probabilities that an irrelevant item is called relevant, and a relevant one irrelevant;
        fpr + fnr < 1.
    """

    curve: Roc
    gains: ClassVar[tuple[float, ...]] = (1.0,)
    kind: ClassVar[type[Spec]] = Roc
    example: ClassVar[str] = "a ROC curve, as in noisy(roc_power(0.4), fpr=0.05, fnr=0.2)"

    @property
    def curves(self) -> tuple[Roc, ...]:
        return (self.curve,)

    @classmethod
    def accept(cls, name: str, argument: Argument, scanner: Scanner) -> Any:
        if isinstance(argument.value, Call) and argument.value.name == GradedRoc.keyword:
            scanner.fail(
                "noisy: with a fixed number of relevant items a judge reports 0 or 1: no grades",
                argument.position,
            )
        return super().accept(name, argument, scanner)


@dataclass(frozen=True)
class JudgedCounts(OfFixedNumber):
    """relevant(3, noisy(curve, fpr, fnr)): the labels of a judge in lists with R relevant items.

    Attributes
    ----------
    truth : FixedCounts
        The model of the true labels, 0 and 1.
    fpr, fnr : float
        The error rates of the judge; fpr + fnr < 1.

    >>> from ndcg_asymptotics.populations import FixedCounts
    >>> scorer = JudgedCounts(FixedCounts.parse("relevant(1, roc_power(0.25))"), fpr=0.01, fnr=0.2)
    >>> str(scorer), scorer.relevant
    ('relevant(1, noisy(roc_power(0.25), 0.01, 0.2))', 1)
    """

    keyword: ClassVar[str] = "relevant"
    gains: ClassVar[tuple[float, ...]] = (1.0,)
    judged: ClassVar[bool] = True
    KINDS: ClassVar[tuple[float, ...]] = (1.0, 1.0, 0.0, 0.0)
    """The reported labels of the kinds of items: true and false relevant ones, missed ones, all others."""

    truth: FixedCounts
    fpr: float
    fnr: float

    def __post_init__(self) -> None:
        rocs = isinstance(self.truth.source, Roc)
        require(
            rocs, f"noisy: a fixed number of relevant items and a judge need a ROC curve, got {self.truth}"
        )
        _ = self.noisy  # whose error rates are checked

    @property
    def noisy(self) -> NoisyRoc:
        """The ROC curve with its judge."""
        assert isinstance(self.truth.source, Roc)
        return NoisyRoc(self.truth.source, self.fpr, self.fnr)

    @property
    def relevant(self) -> int:
        """R, the number of items that are relevant in truth."""
        return self.truth.least_n

    @property
    def least_n(self) -> int:
        return self.truth.least_n

    @cached_property
    def by_kind(self) -> FixedCounts:
        """The laws of the depths of the kinds of items: R of the first, none of the second and third."""
        assert isinstance(self.truth.source, Roc)
        chance = RocPower(1.0)
        kinds = GradedRoc(((3.0, self.truth.source), (2.0, chance), (1.0, self.truth.source)))
        return replace(self.truth, counts=(self.relevant, 0, 0), source=kinds)

    def arguments(self) -> tuple[str, ...]:
        return str(self.relevant), str(self.noisy)

    def portable(self) -> Portable:
        return self.noisy.portable().inside(self.keyword, before=[str(self.relevant)])

    @property
    def uninformative(self) -> JudgedCounts:
        """The scorer with the same judge and F(t) = t."""
        return replace(self, truth=self.truth.uninformative)
