"""Runs in larger corpora: rows of fits, trials of the model, sizes and pairs of runs, and their tables."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated

from ndcg_asymptotics.analysis.runs.corpus_text import ASSUMED
from ndcg_asymptotics.core.arrays import Floats
from ndcg_asymptotics.core.tables import Column, Line, Report, ReportBlock, Table, details, fixed, general


@dataclass(frozen=True)
class FitRow:
    """One run: where its relevant documents are, and the exponent kappa at the top of its lists.

    Attributes
    ----------
    above_0, above_10, above_100, retrieved : float
        The shares of relevant documents with no, fewer than 10 and fewer than 100 irrelevant documents above
        them, and of those retrieved.
    kappa, kappa_low, kappa_high : float
        Of a median query, with its confidence interval.
    spread : float
        The standard deviation of log kappa over queries.
    """

    run: Annotated[str, Column("run")]
    kappa: Annotated[float, Column("kappa", fixed(2))]
    kappa_low: Annotated[float, Column("low", fixed(2))]
    kappa_high: Annotated[float, Column("high", fixed(2))]
    spread: Annotated[float, Column("spread", fixed(2))]
    above_0: Annotated[float, Column("0 above", fixed(3))]
    above_10: Annotated[float, Column("< 10 above", fixed(3))]
    above_100: Annotated[float, Column("< 100 above", fixed(3))]
    retrieved: Annotated[float, Column("retrieved", fixed(3))]


@dataclass(frozen=True)
class TrialRow:
    """One run: the metric predicted from a tenth of its irrelevant documents, and the one it has.

    Attributes
    ----------
    error : float
        The root mean square of log(predicted/actual) over the trials.
    """

    run: Annotated[str, Column("run")]
    measure: Annotated[str, Column("measure", whole=True)]
    actual: Annotated[float, Column("actual", fixed(4))]
    predicted: Annotated[float, Column("predicted from a tenth", fixed(4))]
    error: Annotated[float, Column("relative error", fixed(3))]


@dataclass(frozen=True)
class CorpusRow:
    """One run in a corpus of one size: the mean over queries, with its band.

    Attributes
    ----------
    low, high : float, or None
        None for a run whose lists are too short to test the model on.
    """

    run: str
    measure: str
    documents: int
    mean: float
    low: float | None
    high: float | None

    @property
    def text(self) -> str:
        """The mean with its band."""
        band = "[no band]" if self.low is None else f"[{self.low:.3f}, {self.high:.3f}]"
        return f"{self.mean:.3f} {band}"


@dataclass(frozen=True)
class CorpusPair:
    """Two runs now and in the largest corpus.

    Attributes
    ----------
    now : float
        The difference a - b in the present corpus.
    documents : int
    difference, low, high : float
        Of the largest corpus, with its band. The band is None if that of a run is.
    ahead : float, or None
        The probability that a is ahead of b there.
    changes : tuple of int
        The sizes at which the order of the predicted means changes, by more than the error of the draws.
    """

    a: Annotated[str, Column("a")]
    b: Annotated[str, Column("b")]
    measure: str
    now: Annotated[float, Column("now", general("+.4f"))]
    documents: int
    difference: Annotated[float, Column("difference", general("+.4f"))]
    low: Annotated[float | None, Column("low", general("+.4f"))]
    high: Annotated[float | None, Column("high", general("+.4f"))]
    ahead: Annotated[float | None, Column("a ahead", fixed(2))]
    changes: Annotated[
        tuple[int, ...], Column("order changes at", lambda n: ", ".join(f"{x:.2g}" for x in n) or "never")
    ]


@dataclass(frozen=True)
class CorpusCurves:
    """Means and bands (measures, runs, F) at corpora of ``documents``; NaN where there is no band."""

    documents: tuple[int, ...]
    measures: tuple[str, ...]
    runs: tuple[str, ...]
    mean: Floats
    low: Floats
    high: Floats


@dataclass(frozen=True, repr=False)
class LargerCorpus(Report):
    """Metrics of runs in larger corpora.

    Attributes
    ----------
    corpus : int
    queries : int
    relevant : tuple of int
        The least, median and greatest number of relevant documents of a query.
    level : float
        Of the bands and intervals.
    warnings : tuple of str
    fits : tuple of FitRow
    trials : tuple of TrialRow
    rows : tuple of CorpusRow
    pairs : tuple of CorpusPair
    curves : CorpusCurves
    """

    corpus: int
    queries: int
    relevant: tuple[int, int, int]
    level: float
    warnings: tuple[str, ...]
    fits: tuple[FitRow, ...]
    trials: tuple[TrialRow, ...]
    rows: tuple[CorpusRow, ...]
    pairs: tuple[CorpusPair, ...]
    curves: CorpusCurves

    @property
    def runs(self) -> tuple[str, ...]:
        """The names of the runs."""
        return self.curves.runs

    @property
    def measures(self) -> tuple[str, ...]:
        """The texts of the measures."""
        return self.curves.measures

    def _table(self, measure: str) -> Table:
        """Return the table of a measure: a row for each run, a column for each size."""
        rows = [row for row in self.rows if row.measure == measure]
        sizes = list(dict.fromkeys(row.documents for row in rows))[1:]
        drops = [1, *range(2, len(sizes)), 0][-len(sizes) :]  # the largest stays, and the next decade
        columns = (Column(f"{size:.3g}", str, drop) for size, drop in zip(sizes, drops, strict=True))
        cells = {(row.run, row.documents): row.text for row in rows}
        now = {row.run: row.mean for row in rows if row.documents == self.corpus}
        return Table(
            f"{measure} in larger corpora, {self.level:.0%} band",
            (Column("run"), Column("now", fixed(3)), *columns),
            tuple((run, now[run], *(cells[run, size] for size in sizes)) for run in self.runs),
        )

    def blocks(self) -> Iterator[ReportBlock]:
        """Yield the warnings, the tables and what they assume."""
        for text in self.warnings:
            yield Line(f"Warning: {text}")
        least, median, most = self.relevant
        title = (
            f"{least} to {most} relevant documents of {self.queries} queries (median {median}), "
            f"{self.level:.0%} interval of kappa"
        )
        fits = Table.of(title, FitRow, self.fits)
        trials = Table.of("Test: fitted to a tenth of the irrelevant documents", TrialRow, self.trials)
        for measure in self.measures:
            yield self._table(measure)
            pairs = [pair for pair in self.pairs if pair.measure == measure]
            if pairs:
                title = f"{measure} of a minus that of b in {pairs[0].documents:.3g} documents"
                yield Table.of(title, CorpusPair, pairs)
        yield from details((fits, *[trials] * bool(self.trials), Line(ASSUMED)))
