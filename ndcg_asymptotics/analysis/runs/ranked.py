"""Values of runs by their ranked lists, for comparisons: evaluated together, with remarks on what differs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Unpack

import numpy as np

from ndcg_asymptotics.analysis.runs.pairs import left_out
from ndcg_asymptotics.core.errors import naming
from ndcg_asymptotics.lists.conventions import ConventionOptions, Conventions
from ndcg_asymptotics.lists.evaluating import evaluate_run
from ndcg_asymptotics.lists.evaluation import Evaluation, Evaluations
from ndcg_asymptotics.lists.given import judgements_of, runs_of
from ndcg_asymptotics.lists.other_measures import AnyMeasure, AnyMeasures, any_measures_of
from ndcg_asymptotics.lists.reading import ColumnNames
from ndcg_asymptotics.lists.records import Records
from ndcg_asymptotics.lists.remarks import of_unjudged
from ndcg_asymptotics.lists.values import RunValues
from ndcg_asymptotics.measures import Measure

_DEEPER = 1.1  # ratio of the numbers of documents per query from which measures of deep ranks are unfair


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
