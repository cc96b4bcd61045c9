"""Conventions of NDCG, and those of well-known programs.

Programs disagree on gains, discounts, ties, ideal lists and queries without relevant documents.
docs/dialects.md describes each of them, with the versions that its values were compared with.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any, Literal, Self, TypedDict, TypeVar, Unpack, get_args

from ndcg_asymptotics.core.arrays import brief, require_choice
from ndcg_asymptotics.core.errors import InputError
from ndcg_asymptotics.core.text import did_you_mean
from ndcg_asymptotics.lists.ranking import Ideal, Ties
from ndcg_asymptotics.measures import Discount, Measure
from ndcg_asymptotics.measures.gains import Gain, gain_text

_M = TypeVar("_M")

Empty = Literal["zero", "one", "nan", "skip"]
Missing = Literal["drop", "zero", "error"]
"""What becomes of a query that a run lacks: it does not count, counts as 0, or is an error."""


class ConventionOptions(TypedDict, total=False):
    """Conventions as arguments of functions: those of a program, and changes to them; see `evaluate`."""

    like: str | None
    gain: Gain | None
    ties: Ties | None
    ideal: Ideal | None
    empty: Empty | None
    missing: Missing | None


_CHOICES = {"ties": Ties, "ideal": Ideal, "empty": Empty, "missing": Missing}


@dataclass(frozen=True)
class Conventions:
    """Conventions of NDCG of a run beside the measure; the defaults are those of trec_eval.

    Attributes
    ----------
    gain, ties, ideal, empty, missing
        As in `evaluate`.
    discount : str
        The discount that takes the place of ``log`` in measures.
    short_lists_are_zero : bool
        Whether a list with fewer than k documents has NDCG@k = 0.
    ignore_identical_ids : bool
        Whether a document with the name of its query is removed from the run.
    """

    gain: Gain = "linear"
    ties: Ties = "trec"
    ideal: Ideal = "judged"
    empty: Empty = "zero"
    missing: Missing = "drop"
    discount: str = "log"
    short_lists_are_zero: bool = False
    ignore_identical_ids: bool = False

    @classmethod
    def of(cls, **options: Unpack[ConventionOptions]) -> Self:
        """Return the conventions of a program with some of them changed; None changes nothing.

        >>> conventions = Conventions.of(like="lightgbm", empty="zero", ties=None)
        >>> conventions.gain, conventions.ties, conventions.empty
        ('exp2', 'file', 'zero')

        Raises
        ------
        InputError
            If the program or a value is not known.
        """
        changes: dict[str, Any] = {name: value for name, value in options.items() if value is not None}
        like = changes.pop("like", None)
        if like is not None and not (isinstance(like, str) and like in LIKE):
            near = (isinstance(like, str) and did_you_mean(like, LIKE)) or ","
            raise InputError(f"{brief(like)} is not known{near} expected one of: {', '.join(LIKE)}", "like")
        for name, value in changes.items():
            if name in _CHOICES:
                require_choice(value, get_args(_CHOICES[name]), name)
        if "gain" in changes:
            gain_text(changes["gain"])
        return replace(LIKE[like] if like else cls(), **changes)  # type: ignore[return-value]

    def measures(self, measures: Iterable[_M]) -> tuple[_M, ...]:
        """Return the measures, each once, with this discount for ``log``; those of ir_measures unchanged."""
        log, discount = Discount.of("log"), Discount.of(self.discount)
        mine = (
            replace(m, discount=discount) if isinstance(m, Measure) and m.discount == log else m
            for m in measures
        )
        return tuple(dict.fromkeys(mine))


_LEARNING = Conventions(gain="exp2", ties="file", ideal="retrieved")  # a list has no other documents

_LIKE = {
    "trec_eval": Conventions(),
    "ir_measures": Conventions(missing="zero"),
    "gdeval": Conventions(gain="exp2", empty="skip"),
    "sklearn": Conventions(ties="average", ideal="retrieved"),
    "lightgbm": replace(_LEARNING, empty="one"),
    "xgboost": replace(_LEARNING, empty="one"),
    "catboost": replace(_LEARNING, gain="linear", ties="worst", empty="one"),
    "letor": replace(_LEARNING, discount="clipped_log(2)", short_lists_are_zero=True),
    "lenskit": Conventions(ties="file", empty="skip", discount="clipped_log(2)"),
    "jarvelin": Conventions(ties="file", discount="clipped_log(2)"),
    "beir": Conventions(ignore_identical_ids=True),
    "mteb": Conventions(),
    "ranx": Conventions(ties="quicksort", missing="error"),
    "recbole": Conventions(gain="binary", ties="file", empty="skip"),
    "torchmetrics": Conventions(ties="average", ideal="retrieved"),
}

LIKE: Mapping[str, Conventions] = MappingProxyType(_LIKE)
"""The conventions of programs, by name."""
