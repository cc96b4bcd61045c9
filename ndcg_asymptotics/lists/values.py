"""Values of runs, query by query, by any measures: what comparisons are computed from."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from operator import itemgetter

import numpy as np

from ndcg_asymptotics.core.arrays import Floats, brief
from ndcg_asymptotics.core.errors import require
from ndcg_asymptotics.core.tables import Column, Table, fixed


@dataclass(frozen=True)
class Scale:
    """The numbers of a measure: which of them are better, and which are possible.

    Attributes
    ----------
    lower_is_better : bool
    bounds : pair of numbers, optional
        The least and the greatest possible value; None if these are not known.
    """

    lower_is_better: bool = False
    bounds: tuple[float, float] | None = None

    @property
    def direction(self) -> int:
        """1 where higher values are better, else -1."""
        return -1 if self.lower_is_better else 1

    def unit(self, largest: float) -> float:
        """Return the size of the values, of which the ``largest`` is one: a power of two.

        >>> Scale(bounds=(0.0, 1.0)).unit(0.3), Scale().unit(1500.0), Scale().unit(0.0)
        (1.0, 2048.0, 1.0)
        """
        size = max(map(abs, self.bounds)) if self.bounds else largest
        return float(2.0 ** np.ceil(np.log2(size))) if size > 0 else 1.0


@dataclass(frozen=True, eq=False)
class RunValues:
    """The values of several runs by several measures, for the queries that all runs answer.

    Parameters
    ----------
    runs, queries, measures : tuple of str
        Their names. The measures need not be NDCG.
    values : (runs, queries, measures)
        Finite numbers.
    scales : tuple of Scale, optional
        One for each measure; by default, higher values are better and have no known bounds.

    Raises
    ------
    InputError
        For a name that occurs twice.

    >>> found = RunValues(("a", "b"), ("1", "2"), ("F1",), np.array([[[0.5], [0.25]], [[0.0], [0.5]]]))
    >>> found.pairs, found.differences.tolist(), found.units.tolist()
    ([('a', 'b')], [[0.5], [-0.25]], [0.5])
    """

    runs: tuple[str, ...]
    queries: tuple[str, ...]
    measures: tuple[str, ...]
    values: Floats
    scales: tuple[Scale, ...] = ()

    def __post_init__(self) -> None:
        for what in ("runs", "queries", "measures"):
            name, count = max(Counter(getattr(self, what)).items(), key=itemgetter(1), default=("", 0))
            require(count <= 1, f"{brief(name)} occurs twice", what)
        if not self.scales:
            object.__setattr__(self, "scales", (Scale(),) * len(self.measures))

    @property
    def pairs(self) -> list[tuple[str, str]]:
        """Every two of the runs."""
        return list(combinations(self.runs, 2))

    @property
    def differences(self) -> Floats:
        """First minus second run of each pair, (queries, pairs * measures); the measures vary fastest."""
        return np.column_stack([a - b for a, b in combinations(self.values, 2)])

    @property
    def units(self) -> Floats:
        """The size of the values of each measure (`Scale.unit`)."""
        largest = np.abs(self.values).max(axis=(0, 1), initial=0.0).tolist()
        return np.array([scale.unit(size) for scale, size in zip(self.scales, largest, strict=True)])

    @property
    def means(self) -> Floats:
        """The means over the queries, (runs, measures)."""
        return np.asarray(self.values.mean(axis=1))

    def by_query(self) -> Table:
        """Return a table with a row per run and query."""
        return by_query_table(
            (run, self.queries, dict(zip(self.measures, of_run.T, strict=True)))
            for run, of_run in zip(self.runs, self.values, strict=True)
        )


def by_query_table(runs: Iterable[tuple[str, Sequence[str], Mapping[str, Floats]]]) -> Table:
    """Return a table with a row per run and query; each run has its queries and columns of their values."""
    listed = list(runs)
    headings = listed[0][2]
    columns = (Column("run"), Column("query"), *(Column(name, fixed(4)) for name in headings))
    rows = tuple(
        (run, query, *values)
        for run, queries, of_run in listed
        for query, *values in zip(queries, *(column.tolist() for column in of_run.values()), strict=True)
    )
    return Table("", columns, rows)
