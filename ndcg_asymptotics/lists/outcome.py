"""What an evaluation found: NDCG of one run or of several, by topic and on average."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ndcg_asymptotics.core.arrays import Floats
from ndcg_asymptotics.core.tables import Column, Line, Report, ReportBlock, Table, fixed, general
from ndcg_asymptotics.measures import Measure

if TYPE_CHECKING:
    import pandas as pd

_NAMED = 3  # topics that a line names


@dataclass(frozen=True, repr=False)
class Evaluation(Report):
    """NDCG by query and measure.

    Attributes
    ----------
    queries : tuple of str
    measures : tuple of Measure
    values : (queries, measures)
    name : str
        Of the run.
    judged : int
        How many topics have judgements.
    missing : tuple of str
        Those of them that the run does not have.
    unjudged : tuple of str
        Topics of the run that the judgements do not have; they do not count.
    empty : tuple of str
        Topics without a relevant document.
    """

    queries: tuple[str, ...]
    measures: tuple[Measure, ...]
    values: Floats
    name: str = ""
    judged: int = 0
    missing: tuple[str, ...] = ()
    unjudged: tuple[str, ...] = ()
    empty: tuple[str, ...] = ()

    @property
    def mean(self) -> Floats:
        """The mean over the queries, one number per measure; those that are NaN do not count."""
        counts = np.isfinite(self.values).sum(axis=0)
        sums, none = np.nansum(self.values, axis=0), np.full(counts.shape, np.nan)
        return np.asarray(np.divide(sums, counts, out=none, where=counts > 0))

    @property
    def counted(self) -> int:
        """How many queries the mean is over."""
        return int(np.isfinite(self.values).all(axis=1).sum())

    def as_dict(self) -> dict[str, Any]:
        """The mean and the values of each query, by measure, as plain data for JSON."""
        names = [str(measure) for measure in self.measures]
        named = [dict(zip(names, row, strict=True)) for row in [*self.values.tolist(), self.mean.tolist()]]
        return {
            "run": self.name,
            "topics": self.counted,
            "judged": self.judged,
            "mean": named[-1],
            "queries": dict(zip(self.queries, named, strict=False)),
            "missing": list(self.missing),
            "unjudged": list(self.unjudged),
            "empty": list(self.empty),
        }

    def to_dataframe(self) -> pd.DataFrame:
        """A row per query."""
        return Evaluations((self,)).to_dataframe()

    def blocks(self) -> Iterator[ReportBlock]:
        """The means, four decimals as trec_eval prints, and what they are over."""
        yield from Evaluations((self,)).blocks()

    def remarks(self) -> Iterator[str]:
        """What a reader of the means should know of the topics, a line each."""
        if self.missing:
            count = f"{len(self.missing)} of {self.judged} judged topics {_are(self.missing)} not in the run"
            taken = {*self.missing} & {*self.queries}
            counted = "counted as 0" if taken else "not counted; -c counts them as 0"
            yield f"{count} ({_first(self.missing)}): {counted}"
        if self.unjudged:
            count = f"{_topics(self.unjudged)} of the run {_have(self.unjudged)} no judgements"
            yield f"{count} ({_first(self.unjudged)}): not counted"
        if self.empty:
            count = f"{_topics(self.empty)} {_have(self.empty)} no relevant document"
            yield f"{count} ({_first(self.empty)})"


@dataclass(frozen=True, repr=False)
class Evaluations(Report, Mapping[str, Evaluation]):
    """Evaluations of several runs, by name."""

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

    def as_dict(self) -> dict[str, Any]:
        """Each run as plain data for JSON, by name."""
        return {"runs": {run.name: run.as_dict() for run in self.runs}}

    def to_dataframe(self) -> pd.DataFrame:
        """A row per run and query."""
        return self.by_query().to_dataframe()

    def by_query(self) -> Table:
        """A row per run and query."""
        columns = (Column("run"), Column("query"), *self._measures())
        rows = tuple(
            (run.name, query, *values)
            for run in self.runs
            for query, values in zip(run.queries, run.values.tolist(), strict=True)
        )
        return Table("", columns, rows)

    def _measures(self) -> tuple[Column, ...]:
        return tuple(Column(str(measure), fixed(4)) for measure in self.runs[0].measures)

    def blocks(self) -> Iterator[ReportBlock]:
        """A row per run with its means, four decimals as trec_eval prints."""
        columns = (Column("mean"), Column("topics", general("d")), *self._measures())
        rows = tuple((run.name or "run", run.counted, *run.mean.tolist()) for run in self.runs)
        yield Table("", columns, rows)
        for run in self.runs:
            for remark in run.remarks():
                yield Line(f"{run.name}: {remark}." if run.name else f"{remark}.")


def _topics(topics: Sequence[str]) -> str:
    return "1 topic" if len(topics) == 1 else f"{len(topics)} topics"


def _have(topics: Sequence[str]) -> str:
    return "has" if len(topics) == 1 else "have"


def _are(topics: Sequence[str]) -> str:
    return "is" if len(topics) == 1 else "are"


def _first(topics: Sequence[str]) -> str:
    return ", ".join(topics[:_NAMED]) + (", …" if len(topics) > _NAMED else "")
