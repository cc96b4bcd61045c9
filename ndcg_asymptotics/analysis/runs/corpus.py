"""Metrics of real runs in a larger corpus, and the order of the runs, with a band.

The new documents are irrelevant: every query keeps its relevant documents, and the runs keep the order of
those they rank now (`lists.depths` has the model). The band is for these queries. It has the noise of the new
documents, the error of the fit, and the error of the model. The last one is measured on each run itself:
the model is fitted to a random tenth of the irrelevant documents and grown to all of them, and the relative
error found there is added for each further decade. A run whose lists are too short for this trial has no
band: of lists of ten documents, such 90% bands held the truth in 0.42 of 45 cases of real runs and in 0.73 of
60 of simulated ones (`experiments/real/corpus_depths.py`). Errors of different runs are taken as independent,
which makes bands of differences too wide rather than too narrow.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, pairwise

import numpy as np

from ndcg_asymptotics.analysis.runs.corpus_growth import TRIALS, grow_run
from ndcg_asymptotics.analysis.runs.corpus_rows import CorpusCurves, CorpusPair, CorpusRow, FitRow, TrialRow
from ndcg_asymptotics.analysis.runs.corpus_text import ASSUMED, warnings
from ndcg_asymptotics.core.arrays import LARGEST_N, Floats, brief, require_fraction, tails
from ndcg_asymptotics.core.errors import require
from ndcg_asymptotics.core.progress import task
from ndcg_asymptotics.core.tables import Column, Line, Report, ReportBlock, Table, details, fixed
from ndcg_asymptotics.lists.ranked_users import relevant_depths
from ndcg_asymptotics.lists.reading import ColumnNames
from ndcg_asymptotics.measures import Measures, measures_of
from ndcg_asymptotics.measures.gains import Gain

_SIZES_PER_DECADE = 6  # of a curve
_DRAWS = 400
_CLEAR = 3.0  # standard errors of the draws by which an order is clear


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


def larger_corpus(
    runs: object,
    qrels: object,
    measures: Measures = "nDCG@10",
    *,
    columns: ColumnNames | None = None,
    corpus: int,
    to: int,
    level: float = 0.9,
    gain: Gain = "linear",
    draws: int = _DRAWS,
    seed: int = 0,
) -> LargerCorpus:
    """Predict metrics of runs in a corpus with more irrelevant documents.

    Parameters
    ----------
    runs, qrels : as evaluate takes them
    measures : Measure, text, or several
        With a fixed cutoff that is not beyond the longest list.
    columns : mapping, optional
        The names of the columns of tables.
    corpus : int
        The number of documents that the runs searched.
    to : int
        The number of documents of the largest corpus.
    level : float
        Of the bands, and of the interval of kappa.
    gain : as evaluate takes it
    draws : int
        The number of simulated corpora of each size.
    seed : int

    Raises
    ------
    InputError
        For sizes that are not larger, measures without a fixed cutoff, too few relevant documents, and what
        `evaluate` refuses.

    >>> runs = {"a": {f"q{q}": {f"d{i}": -float(i) for i in range(30)} for q in range(20)}}
    >>> qrels = {f"q{q}": {f"d{q % 5}": 1, f"d{7 + q}": 1} for q in range(20)}
    >>> found = larger_corpus(runs, qrels, "nDCG@10", corpus=1000, to=10_000, draws=40)
    >>> [row.documents for row in found.rows], found.rows[0].mean > found.rows[1].high
    ([1000, 10000], True)
    """
    parsed = measures_of(measures)
    whole = isinstance(corpus, int | np.integer) and 1 <= corpus <= LARGEST_N
    require(whole, f"must be a whole number from 1 on, got {brief(corpus)}", "corpus")
    further = isinstance(to, int | np.integer) and corpus < to <= LARGEST_N
    require(further, f"must be a whole number above the {corpus} documents searched, got {brief(to)}", "to")
    require_fraction(level, "level")
    depths = relevant_depths(runs, qrels, gain=gain, columns=columns)
    longest = max(of_run.longest for of_run in depths.values())
    require(longest <= corpus, f"is {corpus}, but a list has {longest} documents", "corpus")
    for measure in parsed:
        fixed_cutoff = measure.cutoff.regime == "fixed" and not measure.depends_on_n
        require(fixed_cutoff, f"{measure}: a larger corpus needs a fixed cutoff, such as nDCG@10")
        k = measure.cutoff(LARGEST_N)
        for name, of_run in depths.items():
            beyond = f"{measure}: the cutoff is beyond the {of_run.longest} documents of the longest list"
            require(k <= of_run.longest, f"{beyond} of {name}")
    factor = to / corpus
    steps = math.ceil(_SIZES_PER_DECADE * math.log10(factor))
    exponents = np.append(np.arange(steps) / _SIZES_PER_DECADE, math.log10(factor))
    with task("runs", len(depths) * (1 + TRIALS)) as bar:
        grown = [
            grow_run(of_run, parsed, exponents, draws, seed, name, bar.update)
            for name, of_run in depths.items()
        ]
    mean = np.stack([of_run.mean for of_run in grown], axis=1)  # measures, runs, F
    values = np.stack([of_run.drawn for of_run in grown], axis=1)  # measures, runs, F, draws
    low, high = np.quantile(values, tails(level), axis=-1)
    known = np.stack([of_run.tested(parsed) for of_run in grown], axis=1)  # measures, runs
    low[~known] = high[~known] = np.nan
    names = list(depths)
    documents = (*(round(corpus * f) for f in (10.0 ** exponents[:-1]).tolist()), int(to))
    shown = [k for k in range(len(documents)) if k % _SIZES_PER_DECADE == 0 or k == len(documents) - 1]
    rows = [
        CorpusRow(name, str(measure), documents[k], float(mean[m, r, k]), *_band(low[m, r, k], high[m, r, k]))
        for m, measure in enumerate(parsed)
        for r, name in enumerate(names)
        for k in shown
    ]
    pairs = []
    for m, measure in enumerate(parsed):
        for a, b in combinations(range(len(names)), 2):
            expected, drawn_ones = mean[m, a] - mean[m, b], values[m, a] - values[m, b]
            pair = _pair(names[a], names[b], str(measure), documents, expected, drawn_ones, level)
            both = known[m, a] and known[m, b]
            pairs.append(pair if both else replace(pair, low=None, high=None, ahead=None))
    untested = {
        str(measure): [name for name, there in zip(names, known[m], strict=True) if not there]
        for m, measure in enumerate(parsed)
    }
    relevant = next(iter(depths.values())).ranked.relevant
    counted = (int(relevant.min()), int(np.median(relevant)), int(relevant.max()))
    return LargerCorpus(
        int(corpus),
        relevant.size,
        counted,
        level,
        warnings=tuple(warnings(factor, untested)),
        fits=tuple(of_run.fit_row(name, level) for name, of_run in zip(names, grown, strict=True)),
        trials=tuple(row for of_run in grown for row in of_run.trials),
        rows=tuple(rows),
        pairs=tuple(pairs),
        curves=CorpusCurves(documents, tuple(map(str, parsed)), tuple(names), mean, low, high),
    )


def _pair(
    a: str,
    b: str,
    measure: str,
    documents: Sequence[int],
    expected: Floats,
    differences: Floats,
    level: float,
) -> CorpusPair:
    """Return the row of two runs, from expected differences (F,) and drawn ones (F, draws)."""
    last = differences[-1]
    low, high = np.quantile(last, tails(level))
    errors = differences.std(axis=1) / math.sqrt(last.size)
    clear = np.flatnonzero(np.abs(expected) > _CLEAR * errors).tolist()
    changes = []
    for k, after in pairwise(clear):
        if expected[k] * expected[after] < 0:
            share = expected[k] / (expected[k] - expected[after])
            changes.append(round(documents[k] * (documents[after] / documents[k]) ** share))
    return CorpusPair(
        a,
        b,
        measure,
        now=float(expected[0]),
        documents=documents[-1],
        difference=float(expected[-1]),
        low=float(low),
        high=float(high),
        ahead=float(np.mean(last > 0) + np.mean(last == 0) / 2),
        changes=tuple(changes),
    )


def _band(low: float, high: float) -> tuple[float | None, float | None]:
    return (None, None) if math.isnan(low) else (float(low), float(high))
