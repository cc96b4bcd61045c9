"""Comparison of runs where humans have judged some queries and a judge, such as a language model, many.

The judge may err, and favour a run. The queries that humans have judged say by how much, so that both kinds
of labels together show more than those of humans alone, without trust in it (`stats.combined`).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import combinations

import numpy as np
from scipy import special

from ndcg_asymptotics.comparisons.agreement import JudgeAgreement, agreement
from ndcg_asymptotics.comparisons.judged import (
    JudgedComparison,
    JudgedMeasure,
    JudgedPair,
    Labelled,
    OfBoth,
    Quality,
)
from ndcg_asymptotics.comparisons.pairs import Tally
from ndcg_asymptotics.core.arrays import Floats
from ndcg_asymptotics.core.errors import InputError
from ndcg_asymptotics.core.rows import Column
from ndcg_asymptotics.core.tables import Table
from ndcg_asymptotics.lists.conventions import Conventions
from ndcg_asymptotics.lists.inputs import judgements_of, runs_of
from ndcg_asymptotics.lists.other_measures import AnyMeasure
from ndcg_asymptotics.lists.reading import ColumnNames
from ndcg_asymptotics.lists.records import Records
from ndcg_asymptotics.lists.remarks import left_out
from ndcg_asymptotics.lists.run_values import evaluations_of
from ndcg_asymptotics.lists.values import RunValues
from ndcg_asymptotics.measures.gains import Gain, label_gains
from ndcg_asymptotics.specs.scanner import number_text
from ndcg_asymptotics.stats.combined import Combined, combine, corrected_for_all
from ndcg_asymptotics.stats.correction import MultipleTests, require_runs
from ndcg_asymptotics.stats.paired import fewest_queries

_UNLIKELY = 0.001  # p-value below which queries were hardly drawn at random


def compare_judged(
    runs: object,
    qrels: object,
    judge: object,
    measures: Sequence[AnyMeasure],
    tests: MultipleTests,
    conventions: Conventions,
    columns: ColumnNames | None = None,
) -> JudgedComparison:
    """Compare runs by labels of humans for some queries and of a judge for these and more.

    The parameters are those of `compare`. Queries of humans that the judge has not judged do not count. The
    correction "maxt" draws from a multivariate t law for both kinds of labels together.

    Raises
    ------
    InputError
        For fewer than two runs, for too few queries that both have judged for the level (6 at 0.95), and for
        what `evaluate` refuses.

    >>> rng = np.random.default_rng(1)
    >>> truth = {str(q): {f"d{i}": float(i < 5) for i in range(30)} for q in range(200)}
    >>> def run(noise):
    ...     return {q: {d: y + noise * rng.normal() for d, y in docs.items()} for q, docs in truth.items()}
    >>> runs = {"good": run(0.6), "bad": run(0.7)}
    >>> def judged(docs):
    ...     return {d: float(abs(y - (rng.random() < 0.1))) for d, y in docs.items()}
    >>> machine = {q: judged(docs) for q, docs in truth.items()}
    >>> human = {q: truth[q] for q in list(truth)[:30]}
    >>> from ndcg_asymptotics.measures import Measure
    >>> measures = [Measure.parse("nDCG@10")]
    >>> comparison = compare_judged(runs, human, machine, measures, MultipleTests(), Conventions())
    >>> combined = comparison.pairs[0].by_measure[0].combined
    >>> combined.human_queries, combined.machine_queries, round(combined.effective_human_queries) > 30
    (30, 200, True)
    """
    scores = runs_of(runs, columns)
    require_runs(len(scores))
    human = judgements_of(qrels, columns, conventions.gain)
    machine = judgements_of(judge, columns, conventions.gain)
    evaluations = [
        evaluations_of(scores, labels, measures, conventions, source)
        for labels, source in ((human, ", qrels"), (machine, ", judge"))
    ]
    by_humans, by_judge = (evaluation.common() for evaluation in evaluations)
    shared = _shared_queries(by_humans, by_judge, tests.level)
    of_humans = {*by_humans.queries}
    queries = [*shared, *(query for query in by_judge.queries if query not in of_humans)]
    truth, judged_values = by_humans.of_queries(shared), by_judge.of_queries(queries)
    rates = agreement(human.of_queries(tuple(shared)), machine, tests.level)
    answered = {name: {*evaluations[0][name].queries, *evaluations[1][name].queries} for name in scores}
    return JudgedComparison(
        runs=truth.runs,
        human_queries=len(shared),
        machine_queries=len(queries),
        level=tests.level,
        power=tests.power,
        correction=tests.correction,
        pairs=_judged_pairs(truth, judged_values, rates, tests),
        agreement=rates,
        remarks=(
            *_remarks(len(by_humans.queries), len(shared), judged_values),
            *_on_labels(machine, rates),
            *_on_scales(human, machine, conventions.gain),
            *left_out(answered),
        ),
        by_query=_by_query(by_humans, by_judge),
    ).in_words()


def _shared_queries(by_humans: RunValues, by_judge: RunValues, level: float) -> list[str]:
    """Return the queries that both have judged; refuse too few for the level."""
    of_machine = {*by_judge.queries}
    shared = [query for query in by_humans.queries if query in of_machine]
    fewest = fewest_queries(level)
    if len(shared) < fewest:
        raise InputError(
            f"a comparison at level {level:g} needs at least {fewest} queries that humans and the judge have "
            f"judged and all runs answer; there are {len(shared)}, of {len(by_humans.queries)} judged by "
            f"humans and {len(by_judge.queries)} by the judge"
        )
    return shared


def _judged_pairs(
    truth: RunValues, judged_values: RunValues, rates: JudgeAgreement, tests: MultipleTests
) -> tuple[JudgedPair, ...]:
    """Compare every pair of runs, by values whose first queries are those of humans."""
    y, f, humans, measures = truth.differences, judged_values.differences, len(truth.queries), truth.measures
    (alone, p_alone), (of_judge, p_judge) = map(tests.of, (y, f))
    bias, together = tests.differences(f[:humans] - y), combine(y, f, level=tests.level)
    p_both = (
        corrected_for_all(y, f, together, resamples=tests.resamples, seed=tests.seed)
        if tests.correction == "maxt"
        else tests.corrected([estimate.p for estimate in together], y)
    )
    spans = truth.spans.tolist()
    means = [
        _means(truth.values[..., m], judged_values.values[..., m], tests.level) for m in range(len(measures))
    ]
    pairs = []
    for i, (a, b) in enumerate(combinations(range(len(truth.runs)), 2)):
        judged = []
        for m, measure in enumerate(measures):
            t = i * len(measures) + m  # tests go by pair, then by measure
            judged.append(
                JudgedMeasure(
                    measure,
                    human=Labelled.of(measure, "humans", alone[t], p_alone[t], humans, float(humans)),
                    machine=Labelled.of(
                        measure, "judge", of_judge[t], p_judge[t], len(judged_values.queries), None
                    ),
                    combined=of_both(
                        measure,
                        together[t],
                        p_both[t],
                        humans,
                        tests,
                        means=(means[m][a], means[m][b]),
                        span=spans[m],
                    ),
                    judge=Quality.of(bias[t].mean, bias[t].interval, rates),
                )
            )
        pairs.append(JudgedPair(truth.runs[a], truth.runs[b], tuple(judged)))
    return tuple(pairs)


def _means(truth: Floats, judge_values: Floats, level: float) -> list[float]:
    """Return the means of runs by both kinds of labels, from values (runs, queries)."""
    human, judge = (np.ascontiguousarray(values.T) for values in (truth, judge_values))
    return [estimate.mean for estimate in combine(human, judge, level=level)]


def of_both(
    measure: str,
    estimate: Combined,
    p: float,
    humans: int,
    tests: MultipleTests,
    means: tuple[float, float] = (math.nan, math.nan),
    span: float = 1.0,
) -> OfBoth:
    """Return the row of an estimate by both kinds of labels, of which humans have judged some queries."""
    return OfBoth(
        measure=measure,
        labels="both",
        difference=estimate.mean,
        interval=estimate.interval,
        p=estimate.p,
        p_corrected=p,
        queries=estimate.total,
        worth=estimate.equivalent,
        weight=estimate.weight,
        human_queries=humans,
        machine_queries=estimate.total,
        design="nested" if estimate.total > humans else "equal",
        human_queries_needed=estimate.needed(tests.power, tests.alpha),
        tally=Tally(humans, estimate.wins, estimate.losses, span),
        means=means,
    )


def _remarks(by_humans: int, queries: int, judged_values: RunValues) -> list[str]:
    """Return what speaks against the condition of random queries, and the queries that do not count."""
    f, measures = judged_values.differences, judged_values.measures
    remarks, tests = [], f.shape[1]
    both_judged, judge_only = f[:queries], f[queries:]
    if len(judge_only) > 1:
        # Welch's t test with Bonferroni's factor; n - 1 degrees of freedom, as the queries of humans are few
        error = np.sqrt(
            both_judged.var(axis=0, ddof=1) / queries + judge_only.var(axis=0, ddof=1) / len(judge_only)
        )
        gap = np.abs(both_judged.mean(axis=0) - judge_only.mean(axis=0))
        t = np.divide(gap, error, out=np.zeros_like(gap), where=error > 0)
        most = int(np.argmax(t))
        if 2 * float(special.stdtr(queries - 1, -t[most])) * tests < _UNLIKELY:
            remarks.append(
                "Warning: the queries that humans judged do not look like a random sample, which the "
                "combination needs: by the judge's labels, the difference in "
                f"{measures[most % len(measures)]} on them is not that on the other queries"
            )
    if len(judge_only) == 0:
        remarks.append("The judge has judged no query beyond those of humans, so its labels add nothing")
    if left := by_humans - queries:
        remark = f"{left} of the queries that humans judged have no judgements by the judge and do not count"
        warning = f"Warning: humans have judged {by_humans} queries, more than the judge's {len(f)}"
        remarks.append(f"{warning}: are these labels swapped? {remark}" if by_humans > len(f) else remark)
    return remarks


def _on_labels(machine: Records, rates: JudgeAgreement) -> Iterator[str]:
    """Yield what is odd about the judge's labels: all are equal, or they equal those of humans."""
    if machine.values.min() == machine.values.max():
        yield "Warning: all labels of the judge are the same, so that they tell nothing"
    elif rates.fpr.value == rates.fnr.value == 0:
        yield (
            f"The judge agrees with humans about each of {rates.documents:,} documents: check whether both "
            "files have the same judgements"
        )


def _on_scales(human: Records, machine: Records, gain: Gain) -> Iterator[str]:
    """Yield that one of humans and the judge has given relevance alone, and the other grades."""
    labels = [np.unique(of.values[of.values > 0]) for of in (human, machine)]
    sizes = sorted(np.unique(label_gains(of, gain)).size for of in labels)
    if sizes[0] != 1 or sizes[1] == 1:
        return
    humans, judge = (", ".join(map(number_text, [0.0, *of.tolist()])) for of in labels)
    table = ", ".join(f"{number_text(grade)}=1" for grade in np.union1d(*labels).tolist())
    yield (
        f"Humans have given the labels {humans}, the judge {judge}: its other scale is part of its bias, "
        "which the combination corrects. With gain "
        f"'0=0, {table}' both say only whether a document is relevant"
    )


def _by_query(by_humans: RunValues, by_judge: RunValues) -> Table:
    """Return a table with a row per run, query and kind of labels."""
    tables = {"humans": by_humans.by_query, "judge": by_judge.by_query}
    run, query, *values = tables["humans"].columns
    rows = tuple(
        (name, query, labels, *of_query)
        for run in by_humans.runs
        for labels, table in tables.items()
        for name, query, *of_query in table.rows
        if name == run
    )
    return Table("", (run, query, Column("labels"), *values), rows)
