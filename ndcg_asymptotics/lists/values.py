"""Values of runs, query by query, by any measures: what comparisons are computed from."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, compress
from operator import itemgetter
from typing import Annotated

import numpy as np

from ndcg_asymptotics.core.arrays import Bools, Floats, brief
from ndcg_asymptotics.core.errors import InputError, require
from ndcg_asymptotics.core.rows import HIDDEN, Column, computed_value, fixed, general
from ndcg_asymptotics.core.tables import Line, Report, ReportBlock, Table
from ndcg_asymptotics.core.text import shortened
from ndcg_asymptotics.lists.conventions import Missing

_PERCENT = 20  # ratio of means from which values up to 1 and up to 100 look like fractions and percentages


@dataclass(frozen=True)
class MeasureScale:
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

        >>> MeasureScale(bounds=(0.0, 1.0)).unit(0.3), MeasureScale().unit(1500.0), MeasureScale().unit(0.0)
        (1.0, 2048.0, 1.0)
        """
        size = max(map(abs, self.bounds)) if self.bounds else largest
        return float(2.0 ** np.ceil(np.log2(size))) if size > 0 else 1.0


@dataclass(frozen=True, eq=False, repr=False)
class RunValues(Report):
    """The values of several runs by several measures, for the queries that all runs answer.

    It prints as a table of the means.

    Parameters
    ----------
    runs, queries, measures : tuple of str
        Their names. The measures need not be NDCG.
    values : (runs, queries, measures)
        Finite numbers.
    scales : tuple of MeasureScale, optional
        One for each measure; by default, higher values are better and have no known bounds.
    remarks : tuple of str
        What there is to say about where the values come from, such as queries that do not count.
    baseline : str, optional
        The run that all others are compared with; by default, every two runs are compared.

    Raises
    ------
    InputError
        For a name that occurs twice.

    >>> values = RunValues(("a", "b"), ("1", "2"), ("F1",), np.array([[[0.5], [0.25]], [[0.0], [0.5]]]))
    >>> values.pairs, values.differences.tolist(), values.units.tolist()
    ([('a', 'b')], [[0.5], [-0.25]], [0.5])
    """

    runs: tuple[str, ...]
    queries: tuple[str, ...]
    measures: tuple[str, ...]
    values: Floats
    scales: tuple[MeasureScale, ...] = ()
    remarks: tuple[str, ...] = ()
    baseline: Annotated[str, HIDDEN] = ""

    def __post_init__(self) -> None:
        for attribute in ("runs", "queries", "measures"):
            name, count = max(Counter(getattr(self, attribute)).items(), key=itemgetter(1), default=("", 0))
            require(count <= 1, f"{brief(name)} occurs twice", attribute)
        if not self.scales:
            object.__setattr__(self, "scales", (MeasureScale(),) * len(self.measures))

    @property
    def pairs(self) -> list[tuple[str, str]]:
        """Every two of the runs, or each other run and the baseline."""
        if self.baseline:
            return [(run, self.baseline) for run in self.runs if run != self.baseline]
        return list(combinations(self.runs, 2))

    @property
    def differences(self) -> Floats:
        """First minus second run of each pair, (queries, pairs * measures); the measures vary fastest."""
        values = dict(zip(self.runs, self.values, strict=True))
        return np.column_stack([values[a] - values[b] for a, b in self.pairs])

    @property
    def units(self) -> Floats:
        """The size of the values of each measure (`MeasureScale.unit`)."""
        largest = np.abs(self.values).max(axis=(0, 1), initial=0.0).tolist()
        return np.array([scale.unit(size) for scale, size in zip(self.scales, largest, strict=True)])

    @property
    def spans(self) -> Floats:
        """The largest possible difference of two values of each measure.

        It is the distance of the bounds where these are known, 1 where all values lie between 0 and 1, and
        else the length of the shortest range that holds 0 and all values.

        >>> values = np.array([[[0.5, 20.0], [0.25, 80.0]], [[0.0, 70.0], [0.5, 60.0]]])
        >>> RunValues(("a", "b"), ("1", "2"), ("F1", "percent"), values).spans
        array([ 1., 80.])
        """
        low = self.values.min(axis=(0, 1), initial=0.0)
        high = self.values.max(axis=(0, 1), initial=0.0)
        within = (low >= 0) & (high <= 1)
        bounded = [scale.bounds[1] - scale.bounds[0] if scale.bounds else np.nan for scale in self.scales]
        return np.where(np.isnan(bounded), np.where(within, 1.0, high - low), bounded)

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
        for kind, names, available in (("run", runs, self.runs), ("measure", measures, self.measures)):
            require_names(kind, names, available)
            places.append([available.index(name) for name in names or available])
        of_runs, of_measures = places
        return replace(
            self,
            runs=tuple(self.runs[i] for i in of_runs),
            measures=tuple(self.measures[i] for i in of_measures),
            values=np.ascontiguousarray(self.values[of_runs][:, :, of_measures]),
            scales=tuple(self.scales[i] for i in of_measures),
        )

    def of_queries(self, queries: Sequence[str]) -> RunValues:
        """Return the values of some of the queries, in their order."""
        places = {query: i for i, query in enumerate(self.queries)}
        values = np.ascontiguousarray(self.values[:, [places[query] for query in queries]])
        return replace(self, queries=tuple(queries), values=values)

    def blocks(self) -> Iterator[ReportBlock]:
        """Yield the means of each run, and the remarks."""
        columns = (
            Column("mean"),
            Column("queries", general(",")),
            *(Column(m, fixed(4)) for m in self.measures),
        )
        rows = [
            (run, len(self.queries), *of_run)
            for run, of_run in zip(self.runs, self.means.tolist(), strict=True)
        ]
        yield Table("", columns, tuple(rows))
        yield from (Line(f"{remark}.") for remark in self.remarks)

    @computed_value(HIDDEN)
    def by_query(self) -> Table:
        """A table with a row per run and query."""
        return by_query_table(
            (run, self.queries, dict(zip(self.measures, of_run.T, strict=True)))
            for run, of_run in zip(self.runs, self.values, strict=True)
        )


def require_names(kind: str, names: Iterable[str], available: Collection[str], argument: str = "") -> None:
    """Refuse names of runs, measures or columns that there are not.

    >>> require_names("measure", ["F1"], ["nDCG@10", "AP"])
    Traceback (most recent call last):
    ndcg_asymptotics.core.errors.InputError: measure: there is no F1; there are nDCG@10, AP
    """
    unknown = [name for name in names if name not in available]
    require(
        not unknown, f"there is no {few(unknown)}; there are {few(list(available), 20)}", argument or kind
    )


def without_missing(
    values: Floats, queries: Sequence[str], runs: Sequence[str], missing: Missing
) -> tuple[Floats, list[str], list[str]]:
    """Return values and queries by the rule for missing values, which are NaN, and what is to be said of it.

    Parameters
    ----------
    values : (runs, queries, measures)
    queries, runs : names
    missing : {"drop", "zero", "error"}

    Raises
    ------
    InputError
        For missing values, if these are an error, and if no query is left.
    """
    lacking: Bools = np.asarray(np.isnan(values).any(axis=2))  # (runs, queries)
    lost: Bools = np.asarray(lacking.any(axis=0))
    names, total = [*compress(queries, lost)], len(queries)
    if not names:
        return values, list(queries), []
    of_runs = zip(runs, lacking, strict=True)
    lacking_text = few([f"{run} lacks {of_run.sum()}" for run, of_run in of_runs if of_run.any()])
    if missing == "error":
        raise InputError(
            f"not all runs have values for {len(names)} of {total} queries ({few(names)}): {lacking_text}; "
            "drop leaves these queries out, zero counts them as 0",
            "missing",
        )
    if missing == "zero":
        zero = f"Missing values of {len(names)} of {total} queries count as 0: {lacking_text}"
        return np.nan_to_num(values, nan=0.0), list(queries), [zero]
    if lost.all():
        answered = zip(runs[:2], ~lacking[:2], strict=True)
        each = "; ".join(f"{run} has {few([*compress(queries, of_run)])}" for run, of_run in answered)
        raise InputError(f"the runs have no query in common: {each}", "values")
    does, its = ("does", "its") if len(names) == 1 else ("do", "their")
    counts = f"{len(names)} of {total} queries {does} not count, as not all runs have {its} values"
    drop = f"Warning: {counts}: {lacking_text}"
    return np.ascontiguousarray(values[:, ~lost]), [*compress(queries, ~lost)], [drop]


def unlike_units(values: Floats, runs: Sequence[str], measures: Sequence[str]) -> Iterator[str]:
    """Yield a warning of each measure of which some runs seem to have fractions, and others percentages.

    >>> values = np.array([[[0.25], [0.75]], [[20.0], [80.0]]])
    >>> print(*unlike_units(values, ["a", "b"], ["F1"]))
    Warning: F1 is at most 0.75 of a and up to 80 of b, like fractions and percentages
    """
    means, most, least = values.mean(axis=1), values.max(axis=1), values.min(axis=(0, 1))
    for m, measure in enumerate(measures):
        fractions = most[:, m] <= 1
        percent = ~fractions & (most[:, m] <= 100)
        if not (least[m] >= 0 and fractions.any() and percent.any()):
            continue
        if means[percent, m].min() > _PERCENT * means[fractions, m].max() > 0:
            small, large = (
                f"{most[of, m].max():.4g} of {few([*compress(runs, of.tolist())])}"
                for of in (fractions, percent)
            )
            yield f"Warning: {measure} is at most {small} and up to {large}, like fractions and percentages"


def few(names: Sequence[str], most: int = 3) -> str:
    """Return the first of some names, and how many more there are.

    >>> few(["a", "b", "c", "d", "e"])
    'a, b, c and 2 more'
    """
    text = ", ".join(shortened(name, 40) for name in names[:most])
    return text + (f" and {len(names) - most} more" if len(names) > most else "")


def by_query_table(runs: Iterable[tuple[str, Sequence[str], Mapping[str, Floats]]]) -> Table:
    """Return a table with a row per run and query; each run has its queries and columns of their values."""
    run_list = list(runs)
    headings = run_list[0][2]
    columns = (Column("run"), Column("query"), *(Column(name, fixed(4)) for name in headings))
    rows = tuple(
        (run, query, *values)
        for run, queries, of_run in run_list
        for query, *values in zip(queries, *(column.tolist() for column in of_run.values()), strict=True)
    )
    return Table("", columns, rows)
