"""Metrics of one run in larger corpora, with the noise of the new documents and the error of the model.

The error of the model is measured on the run itself: the model is fitted to a random tenth of the irrelevant
documents and grown to all of them, and the relative error found there is added for each further decade.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from ndcg_asymptotics.analysis.runs.corpus_rows import FitRow, TrialRow
from ndcg_asymptotics.core.arrays import LARGEST_N, Floats, named_generator
from ndcg_asymptotics.core.errors import InputError, naming
from ndcg_asymptotics.lists.depths import DepthModel, RelevantDepths, fit_depths
from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.theory.sampled import full_ndcg

TRIALS = 2
"""How often the model is tried on each run."""
_TENTH = 0.1  # of the irrelevant documents that a trial is fitted to
_DRAWS_OF_TRIALS = 80
_NOISE = 2**31  # the numbers of generators from here on draw the error of the model


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
    for trial in range(TRIALS):
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
