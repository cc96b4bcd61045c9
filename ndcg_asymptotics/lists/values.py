"""Values of runs, query by query, by any measures: what comparisons are computed from."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from operator import itemgetter

import numpy as np

from ndcg_asymptotics.core.arrays import Floats, brief
from ndcg_asymptotics.core.errors import require
from ndcg_asymptotics.core.tables import Column, Table, fixed
from ndcg_asymptotics.core.text import shortened


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
    remarks : tuple of str
        What there is to say about where the values come from, such as queries that do not count.

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
    remarks: tuple[str, ...] = ()

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

    def only(self, runs: Sequence[str] = (), measures: Sequence[str] = ()) -> RunValues:
        """Return the values of some runs and measures, in their order; by default of all.

        Raises
        ------
        InputError
            For a run or a measure that there is not.
        """
        places = []
        for what, chosen, there in (("run", runs, self.runs), ("measure", measures, self.measures)):
            require_names(what, chosen, there)
            places.append([there.index(name) for name in chosen or there])
        of_runs, of_measures = places
        return replace(
            self,
            runs=tuple(self.runs[i] for i in of_runs),
            measures=tuple(self.measures[i] for i in of_measures),
            values=np.ascontiguousarray(self.values[of_runs][:, :, of_measures]),
            scales=tuple(self.scales[i] for i in of_measures),
        )

    @property
    def by_query(self) -> Table:
        """A table with a row per run and query."""
        return by_query_table(
            (run, self.queries, dict(zip(self.measures, of_run.T, strict=True)))
            for run, of_run in zip(self.runs, self.values, strict=True)
        )


def require_names(what: str, wanted: Iterable[str], there: Collection[str], argument: str = "") -> None:
    """Refuse names of runs, measures or columns that there are not.

    >>> require_names("measure", ["F1"], ["nDCG@10", "AP"])
    Traceback (most recent call last):
    ndcg_asymptotics.core.errors.InputError: measure: there is no F1; there are nDCG@10, AP
    """
    unknown = [name for name in wanted if name not in there]
    require(not unknown, f"there is no {few(unknown)}; there are {few(list(there), 20)}", argument or what)


def refuse_missing(lacking: Mapping[str, Collection[str]], queries: int) -> None:
    """Refuse queries for which some runs have no value; ``lacking`` has them by run, of so many in all."""
    missing = sorted(set().union(*lacking.values()))
    of_runs = ", ".join(f"{run} lacks {len(names)}" for run, names in lacking.items() if names)
    require(
        not missing,
        f"not all runs have values for {len(missing)} of {queries} queries ({few(missing)}): {of_runs}; "
        "drop leaves these queries out, zero counts them as 0",
        "missing",
    )


def few(names: Sequence[str], most: int = 3) -> str:
    """Return the first of some names, and how many more there are.

    >>> few(["a", "b", "c", "d", "e"])
    'a, b, c and 2 more'
    """
    shown = ", ".join(shortened(name, 40) for name in names[:most])
    return shown + (f" and {len(names) - most} more" if len(names) > most else "")


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
