"""Values of runs by their ranked lists, for comparisons: evaluated together, with remarks on what differs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from ndcg_asymptotics.core.errors import naming
from ndcg_asymptotics.lists.conventions import Conventions
from ndcg_asymptotics.lists.evaluating import evaluate_run
from ndcg_asymptotics.lists.other_measures import AnyMeasure
from ndcg_asymptotics.lists.outcome import Evaluation, Evaluations
from ndcg_asymptotics.lists.records import Records
from ndcg_asymptotics.lists.remarks import left_out, of_unjudged
from ndcg_asymptotics.lists.values import RunValues
from ndcg_asymptotics.measures import Measure

_DEEPER = 1.1  # a warning names runs whose numbers of documents per query have a larger ratio


def values_of_runs(
    scores: Mapping[str, Records], labels: Records, measures: Sequence[AnyMeasure], conventions: Conventions
) -> RunValues:
    """Return the values of runs for the queries that all of them answer, with remarks on what differs.

    >>> def run(*pairs):
    ...     return Records.of({"1": dict(pairs)}, "score")
    >>> runs = {"a": run(("d", 2.0), ("e", 1.0)), "b": run(("d", 1.0), ("e", 2.0))}
    >>> measures = (Measure.parse("nDCG(zipf)@2"),)
    >>> values_of_runs(runs, Records.of({"1": {"e": 1}}, "label"), measures, Conventions()).values.tolist()
    [[[0.5]], [[1.0]]]
    """
    evaluations = evaluations_of(scores, labels, measures, conventions)
    answered = {name: of_run.queries for name, of_run in evaluations.items()}
    of_ndcg = [measure for measure in measures if isinstance(measure, Measure)]
    remarks = (*left_out(answered), *_different_inputs(evaluations, scores, of_ndcg))
    return replace(evaluations.common(), remarks=remarks)


def evaluations_of(
    scores: Mapping[str, Records],
    labels: Records,
    measures: Sequence[AnyMeasure],
    conventions: Conventions,
    suffix: str = "",
) -> Evaluations:
    """Return the evaluations of runs; an error begins with the name of the run and a suffix, ", qrels"."""
    evaluations = []
    for name, run in scores.items():
        with naming(f"{name}{suffix}"):
            evaluations.append(evaluate_run(run, labels, measures, conventions, name=name))
    return Evaluations(tuple(evaluations))


def _different_inputs(
    evaluations: Mapping[str, Evaluation], scores: Mapping[str, Records], measures: Sequence[Measure]
) -> Iterator[str]:
    """Yield remarks on few judged documents, ties, queries without judgements, and unequal depths."""
    for name, of_run in evaluations.items():
        if remark := of_run.few_judged:
            yield f"Warning: {remark} in {name}; the others count as not relevant"
        if remark := of_run.of_ties:
            yield f"{name}: {remark}"
    for name, of_run in evaluations.items():
        if of_run.unjudged:
            yield f"Warning: {of_unjudged(of_run.unjudged, name)}"
    depths = {name: int(np.median(np.bincount(records.row))) for name, records in scores.items()}
    shortest, longest = min(depths, key=depths.__getitem__), max(depths, key=depths.__getitem__)
    # measures that count ranks of the longest run which the shortest does not have
    deep = [str(m) for m in measures if m.cutoff(depths[longest]) > depths[shortest]]
    if deep and depths[longest] > _DEEPER * depths[shortest]:
        yield (
            f"Warning: {longest} has {depths[longest]} documents per query in the median, {shortest} "
            f"{depths[shortest]}: {', '.join(deep)} {'counts' if len(deep) == 1 else 'count'} ranks that "
            f"{shortest} leaves empty; nDCG@{depths[shortest]} does not"
        )
