"""The labels of documents in lists of unequal length, side by side.

Losses and measures are formulas for rectangular arrays with a row per list. A `Batch` keeps its lists end to
end and returns them in blocks of equal length, so that every formula is vectorised over lists.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike

from ndcg_asymptotics.core.arrays import Floats, Integers, brief, floats
from ndcg_asymptotics.core.errors import InputError, require

LARGEST_LABEL = 1000.0
"""Gains 2^y - 1 stay finite."""


def require_labels(labels: Floats) -> Floats:
    """Return labels themselves, after checking that they are from 0 to 1000 or missing (NaN).

    Raises
    ------
    InputError
        If one is not.
    """
    wrong = labels[~(np.isnan(labels) | ((labels >= 0) & (labels <= LARGEST_LABEL)))]
    require(wrong.size == 0, f"must be from 0 to {LARGEST_LABEL:g}, got {wrong[:1].tolist()}", "labels")
    return labels


class SameLength(NamedTuple):
    """The lists of one length: their indices (k,), and the indices of their items (k, m)."""

    lists: Integers
    items: Integers


@dataclass(frozen=True, eq=False)
class Batch:
    """The labels of several lists, end to end.

    Attributes
    ----------
    labels : (n,)
        From 0 to 1000; NaN where an item was not judged.
    sizes : (Q,)
        The lengths of the lists, at least 1, which add up to n.

    >>> batch = Batch.of([[2, 0, 1], [1, 1]])
    >>> batch.sizes, [block.items.tolist() for block in batch.blocks]
    (array([3, 2]), [[[3, 4]], [[0, 1, 2]]])

    Raises
    ------
    InputError
        For a label out of range, or sizes that do not add up.
    """

    labels: Floats
    sizes: Integers

    def __post_init__(self) -> None:
        labels = floats(self.labels, "labels").reshape(-1)
        sizes = floats(self.sizes, "sizes", "list lengths")
        whole = sizes.ndim == 1 and sizes.size > 0 and bool(np.all(sizes == np.floor(sizes)))
        if not (whole and bool(np.all(sizes >= 1)) and int(sizes.sum()) == labels.size):
            requirement = f"list lengths >= 1 that add up to the {labels.size} labels"
            raise InputError(f"must be {requirement}, got {brief(sizes.tolist())}", "sizes")
        object.__setattr__(self, "labels", require_labels(labels))
        object.__setattr__(self, "sizes", sizes.astype(np.int64))

    @classmethod
    def of(cls, lists: Sequence[ArrayLike]) -> Self:
        """Return the batch of a sequence of label vectors."""
        try:
            vectors = [np.atleast_1d(np.asarray(labels, np.float64)) for labels in lists]
        except (TypeError, ValueError, OverflowError):
            vectors = []
        if not vectors or any(vector.ndim != 1 for vector in vectors):
            raise InputError(f"must be lists of numbers, got {brief(lists)}", "labels")
        return cls(np.concatenate(vectors), np.array([vector.size for vector in vectors]))

    @cached_property
    def starts(self) -> Integers:
        """The index of the first item of each list, (Q,)."""
        return np.cumsum(self.sizes) - self.sizes

    @cached_property
    def blocks(self) -> tuple[SameLength, ...]:
        """The lists, grouped by length."""
        blocks = []
        for size in np.unique(self.sizes):
            lists = np.flatnonzero(self.sizes == size)
            blocks.append(SameLength(lists, self.starts[lists, None] + np.arange(size)))
        return tuple(blocks)

    def check_scores(self, scores: ArrayLike) -> Floats:
        """Return scores as an array of the shape of the labels.

        Raises
        ------
        InputError
            If their number is not that of the labels, or one is not finite.
        """
        s = floats(scores, "scores").reshape(-1)
        require(s.size == self.labels.size, f"must be {self.labels.size} numbers, got {s.size}", "scores")
        require(bool(np.isfinite(s).all()), "must be finite, got NaN or infinity", "scores")
        return s

    def select(self, lists: Integers) -> tuple[Self, Integers]:
        """Return some of the lists, in the order given, and the indices of their items in this batch."""
        sizes = self.sizes[lists]
        within = np.arange(int(sizes.sum())) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        items = np.repeat(self.starts[lists], sizes) + within
        return type(self)(self.labels[items], sizes), items
