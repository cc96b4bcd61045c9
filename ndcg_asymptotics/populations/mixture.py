"""Mixtures: lists belong to groups, each with its own relevance model.

Queries differ: one has four relevant documents, another two hundred. Lists of i.i.d. items from one
pooled curve do not show that. In a mixture each list first draws its *group*, with the group's weight,
and then its items from the group's relevance model. Given the group a list is one of i.i.d. items, so
means, limits and pseudo-expectations are averages over the groups.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from ndcg_asymptotics.core.arrays import Floats, brief
from ndcg_asymptotics.core.errors import InputError, require
from ndcg_asymptotics.populations.curve_file import GROUPS, curves_of, decoded, portable_file, read_curves
from ndcg_asymptotics.populations.graded import Graded
from ndcg_asymptotics.populations.scorer import Model, Scorer
from ndcg_asymptotics.specs.scanner import Call, number_text, numbers_text
from ndcg_asymptotics.specs.spec import Portable

_WEIGHT_TOLERANCE = 1e-9  # of the sum of weights, which files round


def require_shares(weights: Sequence[float], what: str) -> None:
    """Refuse weights that are not positive or do not add up to 1; ``what`` they are begins the message."""
    require(
        len(weights) > 0 and min(weights) > 0 and abs(math.fsum(weights) - 1) <= _WEIGHT_TOLERANCE,
        f"{what} must be positive and add up to 1, got {numbers_text(weights)}",
    )


@dataclass(frozen=True)
class Mixture(Scorer, keyword="mixture"):
    """mixture(weight=model, …) or mixture("file"): each list belongs to one group, drawn with its weight."""

    groups: tuple[tuple[float, Model], ...] = ()
    file: str = field(default="", compare=False)
    content: bytes = field(default=b"", repr=False, compare=False)

    def __post_init__(self) -> None:
        require_shares([weight for weight, _ in self.groups], "mixture: the weights of the groups")

    @classmethod
    def signature(cls) -> str:
        return "mixture(weight=model, …)"

    @classmethod
    def from_call(cls, call: Call) -> Self:
        if len(call.arguments) == 1 and isinstance(call.arguments[0].value, str):
            call.scanner.check_inside(call.arguments[0].value, call.position)
            return cls.read(call.arguments[0].value, call.scanner.folder)
        keyed = call.keyed("weight", 'weight=model, as in 0.5=linear(0, 0.3), or "file"')
        return cls(_checked((weight, Scorer.build(model)) for weight, model in keyed))

    @classmethod
    def read(cls, file: str, folder: Path) -> Self:
        """Read the groups of a file that the command `fit` wrote; its name is relative to the folder."""
        return read_curves(folder / file, lambda content: cls.decode(content, file), cls.keyword)

    @classmethod
    def decode(cls, content: bytes, file: str) -> Self:
        """Return the mixture in the content of such a file."""

        def group(table: Any) -> tuple[float, Model]:
            weight, (gains, curves) = float(table["weight"]), curves_of(table)
            binary = gains == (1.0,)
            return weight, curves[0] if binary else Graded(tuple(zip(gains, curves, strict=True)))

        groups = decoded(content, GROUPS, lambda table: [group(each) for each in table["groups"]])
        return cls(tuple(groups), file, content)

    def arguments(self) -> tuple[str, ...]:
        if self.file:
            return (json.dumps(self.file),)
        return tuple(f"{number_text(weight)}={model}" for weight, model in self.groups)

    def portable(self) -> Portable:
        if self.file:
            return portable_file(self.keyword, self.file, self.content)
        return Portable.keyed(self.keyword, self.groups)

    @property
    def gains(self) -> tuple[float, ...]:
        return tuple(sorted({y for _, model in self.groups for y in model.gains}, reverse=True))

    @property
    def masses(self) -> tuple[float, ...]:
        def law(model: Model) -> list[float]:
            known = dict(zip(model.gains, model.masses, strict=True))
            return [known.get(gain, 0.0) for gain in self.gains]

        return tuple(self._average([law(model) for _, model in self.groups]).tolist())

    def mean_gain(self, t: ArrayLike) -> Floats:
        """Return E[Y | t] over all groups."""
        return self._average([model.mean_gain(t) for _, model in self.groups])

    def _average(self, values: Sequence[ArrayLike]) -> Floats:
        return np.asarray(np.tensordot(self.weights, np.array(values), 1), np.float64)


def mixture(groups: Iterable[tuple[float, Model | str]]) -> Mixture:
    """Return a scorer of lists that belong to several groups.

    Every list (every replicate of a study) belongs to one group, drawn with the group's weight; all
    scorers of the study have the same groups and see the same one.

    Parameters
    ----------
    groups : pairs of weight and model or text
        The weights add up to 1. The models are relevance curves, or all have fixed numbers of relevant items:
        ``(0.7, "relevant(1, roc_power(0.4))"), (0.3, "relevant(2, roc_power(0.4))")``.

    Raises
    ------
    InputError
        If the weights do not add up to 1, or a group is no model of lists of one kind.

    >>> easy_and_hard = mixture([(0.25, "linear(0.2, 0.8)"), (0.75, "linear(0, 0.1)")])
    >>> str(easy_and_hard), easy_and_hard.masses
    ('mixture(0.25=linear(0.2, 0.8), 0.75=linear(0, 0.1))', (0.1625,))
    """
    try:
        pairs = [(float(weight), Scorer.of(model)) for weight, model in groups]
    except (TypeError, ValueError) as error:
        if isinstance(error, InputError):
            raise
        expected = "pairs of a weight and a relevance curve"
        raise InputError(f"expected {expected}, got {brief(groups)}", "groups") from None
    return Mixture(_checked(pairs))


def _checked(groups: Iterable[tuple[float, Scorer]]) -> tuple[tuple[float, Model], ...]:
    """Refuse groups that are mixtures themselves, without a label law, or of two kinds."""
    found: list[tuple[float, Model]] = []
    for weight, model in groups:
        if not isinstance(model, Model):
            raise InputError(f"mixture: a group is a relevance curve or graded curves, got {model}")
        found.append((weight, model))
    iid = {model.iid for _, model in found}
    require(len(iid) < 2, "mixture: either all groups have a fixed number of relevant items or none")
    return tuple(found)
