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
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, pairwise

import numpy as np

from ndcg_asymptotics.analysis.runs.corpus_rows import (
    CorpusCurves,
    CorpusPair,
    CorpusRow,
    FitRow,
    LargerCorpus,
    TrialRow,
)
from ndcg_asymptotics.analysis.runs.corpus_text import warnings
from ndcg_asymptotics.core.arrays import (
    LARGEST_N,
    Floats,
    named_generator,
    require_fraction,
    tails,
    whole_number,
)
from ndcg_asymptotics.core.errors import InputError, naming, require
from ndcg_asymptotics.core.progress import task
from ndcg_asymptotics.lists.depths import DepthModel, RelevantDepths, fit_depths
from ndcg_asymptotics.lists.ranked_users import relevant_depths
from ndcg_asymptotics.lists.reading import ColumnNames
from ndcg_asymptotics.measures import Measure, Measures, measures_of
from ndcg_asymptotics.measures.gains import Gain
from ndcg_asymptotics.theory.sampled import full_ndcg

_TRIALS = 2  # of the model on each run
_TENTH = 0.1  # of the irrelevant documents that a trial is fitted to
_DRAWS_OF_TRIALS = 80
_NOISE = 2**31  # the numbers of generators from here on draw the error of the model
_SIZES_PER_DECADE = 6  # of a curve
_DRAWS = 400
_CLEAR = 3.0  # standard errors of the draws by which an order is clear


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
    corpus, to = whole_number(corpus, "corpus", 1, LARGEST_N), whole_number(to, "to", 1, LARGEST_N)
    require(corpus < to, f"must be a whole number above the {corpus} documents searched, got {to}", "to")
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
    documents = (*(round(corpus * f) for f in (10.0 ** exponents[:-1]).tolist()), to)
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
        corpus,
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

    def fit_row(self, name: str, level: float) -> FitRow:
        """Return the row of the fit, with an interval of kappa."""
        ranked = self.model.depths.ranked
        count = ranked.ideal_user.size
        above = [int(np.count_nonzero(ranked.above < limit)) / count for limit in (1, 10, 100)]
        low, high = self.model.kappa_interval(level)
        found = ranked.rank.size / count
        return FitRow(name, self.model.kappa, low, high, self.model.tau, above[0], above[1], above[2], found)


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
        noise = named_generator(seed, name, _NOISE + m).standard_normal(draws)
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
