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
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, pairwise
from pathlib import Path
from typing import Annotated, Required, TypedDict, Unpack

import numpy as np

from ndcg_asymptotics.core.arrays import LARGEST_N, Bools, Floats, brief, require_fraction, tails
from ndcg_asymptotics.core.errors import InputError, naming, require
from ndcg_asymptotics.core.files import paths_of
from ndcg_asymptotics.core.progress import task
from ndcg_asymptotics.core.tables import Column, Line, Report, ReportBlock, Table, fixed, general
from ndcg_asymptotics.lists.depths import DepthModel, RelevantDepths, fit_depths, generator_of_run
from ndcg_asymptotics.lists.evaluation import read_runs
from ndcg_asymptotics.lists.ranked_users import relevant_depths
from ndcg_asymptotics.lists.reading import ColumnNames, read
from ndcg_asymptotics.measures import Measure, Measures, measures_of
from ndcg_asymptotics.measures.gains import Gain
from ndcg_asymptotics.theory.sampled import full_ndcg

TESTED_FACTOR = 10.0
"""The factor by which the corpus grew in the back-test of docs/real-lists.md."""

_TENTH = 0.1  # of the irrelevant documents that a trial is fitted to
_TRIALS = 2  # of each run
_SIZES_PER_DECADE = 6  # of a curve
_DRAWS = 400
_DRAWS_OF_TRIALS = 80
_NOISE = 2**31  # the numbers of generators from here on draw the error of the model
_CLEAR = 3.0  # standard errors of the draws by which an order is clear


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
        cells = {(row.run, row.documents): f"{row.mean:.3f} {_shown_band(row)}" for row in rows}
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
        yield Table.of(title, FitRow, self.fits)
        if self.trials:
            yield Table.of("Test: fitted to a tenth of the irrelevant documents", TrialRow, self.trials)
        for measure in self.measures:
            yield self._table(measure)
            pairs = [pair for pair in self.pairs if pair.measure == measure]
            if pairs:
                title = f"{measure} of a minus that of b in {pairs[0].documents:.3g} documents"
                yield Table.of(title, CorpusPair, pairs)
        yield Line(
            "The new documents are irrelevant; what a run did not retrieve stays below its list; documents "
            "without a judgement count as irrelevant."
        )


class CorpusOptions(TypedDict, total=False):
    """The options of `larger_corpus`, which functions of files hand on to it."""

    corpus: Required[int]
    to: Required[int]
    level: float
    gain: Gain
    draws: int
    seed: int


def larger_corpus(
    runs: Mapping[str, object],
    qrels: object,
    measures: Measures = "nDCG@10",
    *,
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
    runs, qrels : as `evaluate` takes them
    measures : Measure, text, or several
        With a fixed cutoff that is not beyond the longest list.
    corpus : int
        The number of documents that the runs searched.
    to : int
        The number of documents of the largest corpus.
    level : float
        Of the bands, and of the interval of kappa.
    gain : as `evaluate` takes it
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
    depths = relevant_depths(runs, qrels, gain=gain)
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
    with task("runs", len(depths) * (1 + _TRIALS)) as bar:
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
    relevant = next(iter(depths.values())).ranked.relevant
    counted = (int(relevant.min()), int(np.median(relevant)), int(relevant.max()))
    return LargerCorpus(
        int(corpus),
        relevant.size,
        counted,
        level,
        warnings=tuple(_warnings(factor, parsed, names, known)),
        fits=tuple(_fit_row(name, of_run.model, level) for name, of_run in zip(names, grown, strict=True)),
        trials=tuple(row for of_run in grown for row in of_run.trials),
        rows=tuple(rows),
        pairs=tuple(pairs),
        curves=CorpusCurves(documents, tuple(map(str, parsed)), tuple(names), mean, low, high),
    )


def larger_corpus_files(
    runs: Sequence[Path | str],
    qrels: Path | str,
    measures: Measures = "nDCG@10",
    *,
    columns: ColumnNames | None = None,
    **options: Unpack[CorpusOptions],
) -> LargerCorpus:
    """Predict metrics of runs in files; see `larger_corpus`.

    Parameters
    ----------
    runs, qrels : paths
        As `evaluate_files` takes them.
    measures : Measure, text, or several
    columns : mapping, optional
        The names of the columns of tables.
    **options
        As in `larger_corpus`.

    Raises
    ------
    InputError
        As `larger_corpus`, and for an invalid line, with the file and its number.

    >>> import json
    >>> from tempfile import TemporaryDirectory
    >>> run = {f"q{q}": {f"d{i}": -float(i) for i in range(30)} for q in range(20)}
    >>> labels = {f"q{q}": {f"d{q % 5}": 1, f"d{7 + q}": 1} for q in range(20)}
    >>> with TemporaryDirectory() as folder:
    ...     run_file, qrels_file = Path(folder, "a.json"), Path(folder, "qrels.json")
    ...     _ = run_file.write_text(json.dumps(run)), qrels_file.write_text(json.dumps(labels))
    ...     found = larger_corpus_files([run_file], qrels_file, corpus=1000, to=10_000, draws=40)
    >>> [row.documents for row in found.rows]
    [1000, 10000]
    """
    paths, measures = paths_of(runs, "runs"), measures_of(measures)
    return larger_corpus(read_runs(paths, columns), read(qrels, "label", columns), measures, **options)


def grown_means(
    model: DepthModel, measures: Sequence[Measure], factors: Sequence[float], draws: int, seed: int, name: str
) -> Floats:
    """Return means over queries in corpora that are ``factors`` times as large, (measures, F, draws).

    The measures have fixed cutoffs, and the factors increase from 1 or more.
    """
    ranked = model.depths.ranked
    cutoffs = [measure.cutoff(LARGEST_N) for measure in measures]
    place = np.arange(ranked.ideal_user.size) - np.searchsorted(ranked.ideal_user, ranked.ideal_user) + 1.0
    weights = []
    for measure, k in zip(measures, cutoffs, strict=True):
        terms = np.where(place <= k, measure.discount(place, float(LARGEST_N)) * ranked.ideal_gain, 0.0)
        ideal = np.bincount(ranked.ideal_user, terms, len(ranked.users))
        weights.append(ranked.gain / (ideal * len(ranked.users))[ranked.user])
    parts = []
    for which, ranks in model.grown(factors, max(cutoffs), draws, seed, name):
        found = np.empty((len(measures), len(factors), ranks.shape[-1]))
        for m, (measure, k) in enumerate(zip(measures, cutoffs, strict=True)):
            discount = np.where(ranks <= k, measure.discount(np.minimum(ranks, k), float(LARGEST_N)), 0.0)
            found[m] = np.einsum("k,fkp->fp", weights[m][which], discount)
        parts.append(found)
    return np.concatenate(parts, axis=-1)


@dataclass(frozen=True, eq=False)
class GrownRun:
    """One run in larger corpora.

    Attributes
    ----------
    model : DepthModel
    trials : list of TrialRow
        One for each measure that the model could be tested on.
    mean : (measures, F)
    drawn : (measures, F, draws)
        Means over queries that have all errors of the band.
    """

    model: DepthModel
    trials: list[TrialRow]
    mean: Floats
    drawn: Floats

    def tested(self, measures: Sequence[Measure]) -> list[bool]:
        """Return the measures that the model was tested on."""
        there = {row.measure for row in self.trials}
        return [str(measure) in there for measure in measures]


def grow_run(
    depths: RelevantDepths,
    measures: Sequence[Measure],
    exponents: Floats,
    draws: int,
    seed: int,
    name: str,
    step: Callable[[int], None],
) -> GrownRun:
    """Return a run in corpora that are ``10**exponents`` times as large; nothing but the run decides it.

    Raises
    ------
    InputError
        As `fit_depths`.
    """
    trials = _trials(depths, measures, seed, name, step)
    with naming(name):
        model = fit_depths(depths)
    values = grown_means(model, measures, (10.0**exponents).tolist(), draws, seed, name)
    step(1)
    mean, errors = values.mean(axis=-1), {row.measure: row.error for row in trials}
    for m, measure in enumerate(measures):
        noise = generator_of_run(seed, name, _NOISE + m).standard_normal(draws)
        factor = np.exp(errors.get(str(measure), 0.0) * exponents[:, None] * noise)
        values[m] = np.minimum(values[m] * factor, 1.0)
    return GrownRun(model, trials, mean, values)


def _trials(
    depths: RelevantDepths, measures: Sequence[Measure], seed: int, name: str, step: Callable[[int], None]
) -> list[TrialRow]:
    """Return what a fit to a tenth of the irrelevant documents predicts; nothing if they are too few."""
    actual = np.array([full_ndcg(depths.ranked, measure).mean() for measure in measures])
    found = []
    for trial in range(_TRIALS):
        few = depths.thinned(_TENTH, np.random.default_rng([seed, trial]))
        try:
            model = fit_depths(few)
        except InputError:
            return []
        means = grown_means(model, measures, [1 / _TENTH], _DRAWS_OF_TRIALS, seed, f"{name} {trial}")
        found.append(means[:, 0].mean(axis=-1))
        step(1)
    with np.errstate(divide="ignore", invalid="ignore"):
        errors = np.sqrt(np.mean(np.log(np.array(found) / actual) ** 2, axis=0))
    return [
        TrialRow(name, str(measure), float(actual[m]), float(np.mean(found, axis=0)[m]), float(errors[m]))
        for m, measure in enumerate(measures)
        if np.isfinite(errors[m])
    ]


def _fit_row(name: str, model: DepthModel, level: float) -> FitRow:
    ranked = model.depths.ranked
    count = ranked.ideal_user.size
    above = [int(np.count_nonzero(ranked.above < limit)) / count for limit in (1, 10, 100)]
    low, high = model.kappa_interval(level)
    found = ranked.rank.size / count
    return FitRow(name, model.kappa, low, high, model.tau, above[0], above[1], above[2], found)


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


def _shown_band(row: CorpusRow) -> str:
    return "[no band]" if row.low is None else f"[{row.low:.3f}, {row.high:.3f}]"


def _warnings(
    factor: float, measures: Sequence[Measure], names: Sequence[str], known: Bools
) -> Iterator[str]:
    if factor > TESTED_FACTOR:
        yield (
            f"the largest corpus is {factor:.3g} times the one searched. Predictions were tested to "
            f"{TESTED_FACTOR:g} times; beyond, they rest on a law that lists of this length cannot show."
        )
    for m, measure in enumerate(measures):
        short = [name for name, there in zip(names, known[m], strict=True) if not there]
        if short:
            yield (
                f"{', '.join(short)}: how far off the prediction of {measure} may be cannot be told, so it "
                "has no band. The lists have too few documents to test the model on a tenth of them."
            )
