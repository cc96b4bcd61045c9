"""Comparison of runs by their ranked lists: their values, and what longer and shorter lists show.

Beside what `analysis.runs.values` compares: how often n random documents order the two runs as the whole list
does, and what i.i.d. theory predicts for longer lists.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Unpack

import numpy as np

from ndcg_asymptotics.analysis.runs.compared import LongListMeans, MeasureComparison, PairComparison
from ndcg_asymptotics.analysis.runs.comparison import Comparison
from ndcg_asymptotics.analysis.runs.correction import MultipleTests
from ndcg_asymptotics.analysis.runs.pairs import left_out
from ndcg_asymptotics.analysis.runs.truncation import cuts_of_pairs
from ndcg_asymptotics.analysis.runs.values import compare_values
from ndcg_asymptotics.core.arrays import Floats
from ndcg_asymptotics.core.errors import NotAvailableError, naming
from ndcg_asymptotics.lists.conventions import ConventionOptions, Conventions
from ndcg_asymptotics.lists.evaluating import evaluate_run, without_own
from ndcg_asymptotics.lists.evaluation import Evaluation, Evaluations
from ndcg_asymptotics.lists.fitting import fit_groups
from ndcg_asymptotics.lists.given import judgements_of, runs_of
from ndcg_asymptotics.lists.judgements import gains_of, without_negatives
from ndcg_asymptotics.lists.other_measures import AnyMeasure, AnyMeasures, any_measures_of
from ndcg_asymptotics.lists.pooling import Pooled, pool_runs
from ndcg_asymptotics.lists.reading import ColumnNames
from ndcg_asymptotics.lists.records import Records
from ndcg_asymptotics.lists.remarks import of_unjudged
from ndcg_asymptotics.lists.values import RunValues
from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.populations import Relevance
from ndcg_asymptotics.theory.limits import Limit, limit
from ndcg_asymptotics.theory.mean import expected_ndcg

_DEEPER = 1.1  # ratio of the numbers of documents per query from which measures of deep ranks are unfair
_GROUPS = 8
_GAINS = 2  # with more different gains the exact mean of long lists takes long
_LONG = 10**6
_SAME = 1e-9  # limits closer than this count as equal


def compare_ranked(
    scores: Mapping[str, Records],
    labels: Records,
    measures: AnyMeasures,
    tests: MultipleTests,
    *,
    theory: bool,
    **conventions: Unpack[ConventionOptions],
) -> Comparison:
    """Compare every pair of runs by their ranked lists; the parameters are those of `compare`."""
    values = values_of_runs(scores, labels, measures, **conventions)
    compared = compare_values(values, tests)
    chosen = Conventions.of(**conventions)
    own = _own_measures(chosen.measures(any_measures_of(measures)))
    if not own:
        return compared
    if chosen.ignore_identical_ids:
        scores = {name: without_own(run) for name, run in scores.items()}
    documents = pool_runs(scores, gains_of(without_negatives(labels, chosen.gain), chosen.gain))
    names = [pair.pair for pair in compared.pairs]
    cuts = cuts_of_pairs(documents, own, names, tests.level, tests.seed)
    predicted = _predicted(documents, own) if theory else None
    places = {str(measure): m for m, measure in enumerate(own)}

    def with_lists(pair: PairComparison, judged: MeasureComparison) -> MeasureComparison:
        m = places.get(judged.measure)
        if m is None:
            return judged
        of_pair = _longer_lists(predicted, pair.pair, m)
        return replace(judged, cuts=cuts[pair.pair][m], longer_lists=of_pair)

    pairs = tuple(
        replace(pair, by_measure=tuple(with_lists(pair, judged) for judged in pair.by_measure))
        for pair in compared.pairs
    )
    return replace(compared, pairs=pairs).in_words()


def _own_measures(measures: Iterable[object]) -> tuple[Measure, ...]:
    """Return the measures of this package, each once."""
    return tuple(dict.fromkeys(measure for measure in measures if isinstance(measure, Measure)))


def values_of_runs(
    runs: object,
    qrels: object,
    measures: AnyMeasures,
    *,
    columns: ColumnNames | None = None,
    **conventions: Unpack[ConventionOptions],
) -> RunValues:
    """Return the values of runs for the queries that all of them answer, with remarks on what differs.

    Parameters
    ----------
    runs, qrels, measures, columns, **conventions
        As in `compare`.

    Raises
    ------
    InputError
        As `evaluate`.

    >>> runs = {"a": {"1": {"d": 2.0, "e": 1.0}}, "b": {"1": {"d": 1.0, "e": 2.0}}}
    >>> values_of_runs(runs, {"1": {"e": 1}}, "nDCG(zipf)@2").values.tolist()
    [[[0.5]], [[1.0]]]
    """
    chosen = Conventions.of(**conventions)
    parsed = tuple(dict.fromkeys(chosen.measures(any_measures_of(measures))))
    scores = runs_of(runs, columns)
    labels = judgements_of(qrels, columns, chosen.gain)
    found = evaluations_of(scores, labels, parsed, conventions)
    answered = {name: of_run.queries for name, of_run in found.items()}
    remarks = (*left_out(answered), *_different_inputs(found, scores, _own_measures(parsed)))
    return replace(found.common(), remarks=remarks)


def evaluations_of(
    scores: Mapping[str, Records],
    labels: Records,
    measures: Sequence[AnyMeasure],
    conventions: ConventionOptions,
    further: str = "",
) -> Evaluations:
    """Return the evaluations of runs; an error names the run, and what is ``further`` stated."""
    found = []
    for name, run in scores.items():
        with naming(f"{name}{further}"):
            found.append(evaluate_run(run, labels, measures, name=name, **conventions))
    return Evaluations(tuple(found))


def _different_inputs(
    found: Mapping[str, Evaluation], scores: Mapping[str, Records], measures: Sequence[Measure]
) -> Iterator[str]:
    """Yield warnings of runs with few judged documents, queries without judgements, and unequal depths."""
    if said := next(iter(found.values())).of_others:
        yield said
    for name, of_run in found.items():
        if said := of_run.few_judged:
            yield f"Warning: {said} in {name}; the others count as not relevant"
        if said := of_run.of_ties:
            yield f"{name}: {said}"
    for name, of_run in found.items():
        if of_run.unjudged:
            yield f"Warning: {of_unjudged(of_run.unjudged, name)}"
    depths = {name: int(np.median(np.bincount(records.row))) for name, records in scores.items()}
    shortest, longest = min(depths, key=depths.__getitem__), max(depths, key=depths.__getitem__)
    deep = [str(m) for m in measures if m.cutoff(depths[longest]) > depths[shortest]]
    if deep and depths[longest] > _DEEPER * depths[shortest]:
        yield (
            f"Warning: {longest} has {depths[longest]} documents per query in the median, {shortest} "
            f"{depths[shortest]}: {', '.join(deep)} {'counts' if len(deep) == 1 else 'count'} ranks that "
            f"{shortest} leaves empty; nDCG@{depths[shortest]} does not"
        )


@dataclass(frozen=True)
class _Predicted:
    """Predictions of theory for ever longer lists of one run, by one measure."""

    weights: Floats
    curves: Sequence[Relevance]
    measure: Measure

    @cached_property
    def limit(self) -> Limit:
        """The limit of NDCG for the first group of queries, with its theorem."""
        return limit(self.curves[0], self.measure)

    @cached_property
    def end(self) -> float | None:
        """The limit of the mean of NDCG over all groups, if there is one."""
        if self.limit.converges is not False:
            values = [limit(curve, self.measure).value for curve in self.curves]
            known = [value for value in values if value is not None]
            return float(self.weights @ known) if len(known) == len(values) else None
        # where NDCG does not converge its mean does, to that of the top
        return float(self.weights @ [curve.mean_gain_at_top / curve.gains[0] for curve in self.curves])

    @cached_property
    def long_mean(self) -> float | None:
        """The exact mean at n = 1e6; None for a discount of the user's own that is no sum of exponentials."""
        try:
            means = [expected_ndcg(curve, self.measure, [_LONG]).value[0] for curve in self.curves]
        except NotAvailableError:
            return None
        return float(self.weights @ means)


def _predicted(documents: Pooled, measures: tuple[Measure, ...]) -> dict[str, list[_Predicted]]:
    """Return the predictions of each run and measure, whose values are computed once for all pairs."""
    fitted = fit_groups(documents.lists(), min(_GROUPS, len(documents.queries)))
    weights = np.array([group.weight for group in fitted])
    return {
        name: [
            _Predicted(weights, [group.curves[name].relevance for group in fitted], measure)
            for measure in measures
        ]
        for name in documents.runs
    }


def _longer_lists(
    predicted: Mapping[str, list[_Predicted]] | None, pair: tuple[str, str], measure: int
) -> LongListMeans | None:
    """Return what theory predicts for ever longer lists; None if it predicts nothing."""
    if predicted is None:
        return None
    a, b = (predicted[name][measure] for name in pair)
    if a.end is None or b.end is None:
        return None
    if abs(a.end - b.end) > _SAME or len(a.curves[-1].gains) > _GAINS:
        return LongListMeans(a.end, b.end, a.limit.theorem)
    if a.long_mean is None or b.long_mean is None:
        return None
    return LongListMeans(a.long_mean, b.long_mean, a.limit.theorem, _LONG)
