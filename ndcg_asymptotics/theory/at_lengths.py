"""Theoretical values at several list lengths, each with a bound of its error."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np

from ndcg_asymptotics.core.arrays import Floats
from ndcg_asymptotics.core.rows import Column, general
from ndcg_asymptotics.core.tables import ReportBlock, Shown, Table


@dataclass(frozen=True)
class AtLengths(Shown):
    """Values at several list lengths.

    Attributes
    ----------
    value : (sizes,)
    error : (sizes,)
        A bound of the absolute error.
    """

    value: Floats
    error: Floats

    @classmethod
    def of(cls, pairs: Sequence[tuple[float, float]], *fields: object) -> Self:
        """Return it from a value and an error for each length, and further fields."""
        value, error = np.array(pairs, np.float64).reshape(-1, 2).T.copy()
        value.flags.writeable = error.flags.writeable = False
        return cls(value, error, *fields)

    def blocks(self) -> Iterator[ReportBlock]:
        """Yield one table, in the order of the lengths."""
        columns = Column("value", general(".12g")), Column("error at most", general(".1e"))
        yield Table("", columns, tuple(zip(self.value.tolist(), self.error.tolist(), strict=True)))
