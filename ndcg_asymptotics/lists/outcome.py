"""The evaluation of runs: NDCG by query and measure, its means, and their tables."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace

import numpy as np

from ndcg_asymptotics.core.arrays import Floats
from ndcg_asymptotics.core.rows import Column, fixed, general, plain
from ndcg_asymptotics.core.tables import Line, Report, ReportBlock, Table
from ndcg_asymptotics.lists import remarks
from ndcg_asymptotics.lists.chance import adjusted
from ndcg_asymptotics.lists.conventions import Conventions
from ndcg_asymptotics.lists.other_measures import AnyMeasure
from ndcg_asymptotics.lists.values import MeasureScale, RunValues, by_query_table
from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.measures.gains import gain_text

DEPTH = 10
"""The number of documents of which the share that is judged is always found."""


@dataclass(frozen=True, repr=False)
class Evaluation(Report):
    """NDCG and other measures of a run, by query and measure.

    Attributes
    ----------
    queries : tuple of str
    measures : tuple of Measure or OtherMeasure
    values : (queries, measures)
    name : str
        The name of the run.
    judged : int
        The number of queries with judgements.
    missing : tuple of str
        The judged queries that are not in the run.
    unjudged : tuple of str
        The queries of the run without judgements; they are not evaluated.
    empty : tuple of str
        Queries without a relevant document.
    conventions : Conventions
        What the values were computed with beside the measures.
    judged_share : mapping of k to (queries,)
        The share of the first k documents that is judged. Only a run with judgements has it.
    chance : pair of (queries, measures), optional
        Mean and standard deviation of the values of a random order of the retrieved documents.
    averaged : (measures,), optional
        The means with ties averaged, where ties were broken by name.
    own : tuple of str
        The queries whose first document has the name of the query.
    """

    queries: tuple[str, ...]
    measures: tuple[AnyMeasure, ...]
    values: Floats
    name: str = ""
    judged: int = 0
    missing: tuple[str, ...] = ()
    unjudged: tuple[str, ...] = ()
    empty: tuple[str, ...] = ()
    conventions: Conventions = Conventions()
    judged_share: Mapping[int, Floats] = field(default_factory=dict)
    chance: tuple[Floats, Floats] | None = None
    averaged: Floats | None = None
    own: tuple[str, ...] = ()

    @property
    def mean(self) -> Floats:
        """The mean over the queries for each measure, without those that are NaN."""
        return query_mean(self.values)

    @property
    def adjusted(self) -> Floats | None:
        """(value - chance) / (1 - chance), (queries, measures): 0 at random in the mean, 1 at best."""
        return None if self.chance is None else adjusted(self.values, self.chance[0])

    @property
    def columns(self) -> dict[str, Floats]:
        """The values of the queries, and everything that was computed with them, by heading."""
        columns: dict[str, Floats] = {}
        chance, _ = self.chance or (None, None)
        further = {"chance": chance, "adjusted": self.adjusted}
        for i, measure in enumerate(self.measures):
            columns[str(measure)] = self.values[:, i]
            columns |= {f"{measure} {name}": of[:, i] for name, of in further.items() if of is not None}
        return columns | {f"judged@{k}": share for k, share in self.judged_share.items()}

    @property
    def counted(self) -> int:
        """The number of queries in the mean."""
        return int(np.isfinite(self.values).all(axis=1).sum())

    def as_dict(self) -> dict[str, object]:
        """Return the mean and the values of each query, by measure, as plain data for JSON."""
        names = [str(measure) for measure in self.measures]
        rows = [dict(zip(names, row, strict=True)) for row in [*self.values.tolist(), self.mean.tolist()]]
        return {
            "run": self.name,
            "queries": self.counted,
            "judged": self.judged,
            "mean": rows[-1],
            "by_query": dict(zip(self.queries, rows, strict=False)),
            "missing": list(self.missing),
            "unjudged": list(self.unjudged),
            "empty": list(self.empty),
            **self._further(names),
            "conventions": asdict(self.conventions) | {"gain": gain_text(self.conventions.gain)},
        }

    def _further(self, names: Sequence[str]) -> dict[str, object]:
        """Return the shares that are judged, and chance, as plain data."""
        data: dict[str, object] = {
            "judged_share": {str(k): plain(query_mean(share)) for k, share in self.judged_share.items()}
        }
        if self.chance and self.adjusted is not None:
            chance, std = self.chance
            counts = np.maximum(np.isfinite(std).sum(axis=0), 1)
            of_mean = np.sqrt(np.nansum(std**2, axis=0)) / counts  # random orders of queries are independent
            columns = {"mean": query_mean(chance), "std": of_mean, "adjusted": query_mean(self.adjusted)}
            data["chance"] = {
                name: dict(zip(names, of.tolist(), strict=True)) for name, of in columns.items()
            }
        return data

    @property
    def by_query(self) -> Table:
        """A table with a row per query."""
        return Evaluations((self,)).by_query

    def blocks(self) -> Iterator[ReportBlock]:
        """Yield the table of means and the remarks."""
        yield from Evaluations((self,)).blocks()

    def remarks(self) -> Iterator[str]:
        """Yield a line for each kind of query that affects the means, and for ties and unjudged documents."""
        if self.missing:
            yield remarks.of_missing(
                self.missing, self.judged, as_zero=bool({*self.missing} & {*self.queries})
            )
        if self.unjudged:
            yield remarks.of_unjudged(self.unjudged, "the run")
        if self.empty:
            yield remarks.of_empty(self.empty, self.conventions.empty)
        if remark := self.of_ties:
            yield remark
        if self.own:
            yield remarks.of_own(self.own)
        if remark := self.few_judged:
            yield f"{remark}; the others count as not relevant"

    @property
    def of_ties(self) -> str:
        """A line if averaging ties changes a mean by more than 0.001, else the empty text."""
        return "" if self.averaged is None else remarks.of_ties(self.measures, self.mean, self.averaged)

    @property
    def few_judged(self) -> str:
        """A line if fewer than 90% of the first ten documents are judged, else the empty text."""
        share = float(query_mean(self.judged_share.get(DEPTH, np.zeros(0))))
        return remarks.of_few_judged(share, DEPTH)


@dataclass(frozen=True, repr=False)
class Evaluations(Report, Mapping[str, Evaluation]):
    """The evaluations of several runs, by name."""

    runs: tuple[Evaluation, ...]

    def __getitem__(self, name: str) -> Evaluation:
        for run in self.runs:
            if run.name == name:
                return run
        raise KeyError(name)

    def __iter__(self) -> Iterator[str]:
        return (run.name for run in self.runs)

    def __len__(self) -> int:
        return len(self.runs)

    def as_dict(self) -> dict[str, object]:
        """Return the runs, by name, as plain data for JSON."""
        return {"runs": {run.name: run.as_dict() for run in self.runs}}

    @property
    def by_query(self) -> Table:
        """A table with a row per run and query."""
        return by_query_table((run.name, run.queries, run.columns) for run in self.runs)

    def common(self) -> RunValues:
        """Return the values of the queries for which every run has every value."""
        queries = sorted(set.intersection(*({*run.queries} for run in self.runs)))
        values = np.empty((len(self.runs), len(queries), len(self.runs[0].measures)))
        for of_run, run in zip(values, self.runs, strict=True):
            place = {query: i for i, query in enumerate(run.queries)}
            of_run[:] = run.values[[place[query] for query in queries]]
        complete = np.flatnonzero(np.isfinite(values).all(axis=(0, 2)))
        measures = self.runs[0].measures
        bounds = [(0.0, 1.0) if isinstance(m, Measure) and m.normalised else None for m in measures]
        return RunValues(
            tuple(self),
            tuple(queries[i] for i in complete),
            tuple(map(str, measures)),
            np.ascontiguousarray(values[:, complete]),
            tuple(MeasureScale(bounds=of) for of in bounds),
        )

    def blocks(self) -> Iterator[ReportBlock]:
        """Yield a table with the means of each run, to four decimals as in trec_eval, and the remarks."""
        numbers = tuple(
            Column(name, fixed(4), later=int(name.startswith("judged@"))) for name in self.runs[0].columns
        )
        if len(measures := self.runs[0].measures) == 1:  # "chance" in place of "nDCG chance"
            numbers = tuple(replace(c, name=c.name.removeprefix(f"{measures[0]} ")) for c in numbers)
        columns = (Column("mean"), Column("queries", general("d")), *numbers)
        rows = tuple(
            (
                run.name or "run",
                run.counted,
                *(float(query_mean(column)) for column in run.columns.values()),
            )
            for run in self.runs
        )
        yield Table("", columns, rows)
        if self.runs[0].chance:
            yield Line(remarks.OF_CHANCE, detail=True)
        for run in self.runs:
            for remark in run.remarks():
                yield Line(f"{run.name}: {remark}." if run.name else f"{remark}.")


def query_mean(values: Floats) -> Floats:
    """Return the mean over the queries without NaN; NaN if there is none."""
    counts = np.isfinite(values).sum(axis=0)
    empty = np.full(np.shape(counts), np.nan)
    return np.asarray(np.divide(np.nansum(values, axis=0), counts, out=empty, where=counts > 0))
