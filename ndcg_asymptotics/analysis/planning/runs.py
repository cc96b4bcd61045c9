"""Plan an experiment from two runs of a pilot: how many more queries, and by which measure."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Unpack

import numpy as np

from ndcg_asymptotics.analysis.orders.one_list import WrongOrder
from ndcg_asymptotics.analysis.orders.right_order import LongRun
from ndcg_asymptotics.analysis.planning import sentences
from ndcg_asymptotics.analysis.planning.curves import (
    CUTOFFS,
    EXPONENTS,
    by_cutoff,
    by_exponent,
    long_run_fields,
)
from ndcg_asymptotics.analysis.planning.findings import FamilyMember, PlanRow
from ndcg_asymptotics.analysis.planning.outcome import Plan
from ndcg_asymptotics.analysis.planning.required_length import Length, lengths_for
from ndcg_asymptotics.analysis.planning.requirements import RequirementOptions, Requirements
from ndcg_asymptotics.analysis.power import sd_interval
from ndcg_asymptotics.analysis.replication import replication
from ndcg_asymptotics.analysis.runs.paired import ROUNDING
from ndcg_asymptotics.core.arrays import Floats
from ndcg_asymptotics.core.errors import require
from ndcg_asymptotics.lists.conventions import ConventionOptions, Conventions
from ndcg_asymptotics.lists.evaluating import evaluate_run
from ndcg_asymptotics.lists.fitting import fit_curves
from ndcg_asymptotics.lists.given import records_of, runs_of
from ndcg_asymptotics.lists.judgements import gains_of, without_negatives
from ndcg_asymptotics.lists.pooling import pool_runs
from ndcg_asymptotics.lists.reading import ColumnNames
from ndcg_asymptotics.lists.reading.values import ValueOptions, read_values
from ndcg_asymptotics.lists.records import Records
from ndcg_asymptotics.measures import Measure, Measures, measures_of
from ndcg_asymptotics.populations import Population

_FEWEST = 2  # queries
_MOST_GAINS, _MOST_GAINS_CUT = 4, 3
"""Positive gains of whole lists and fixed cutoffs, and of cutoffs that grow with n: more take long."""


def plan_runs(
    runs: object,
    qrels: object,
    measures: Measures,
    *,
    columns: ColumnNames | None,
    theory: bool,
    conventions: ConventionOptions,
    **design: Unpack[RequirementOptions],
) -> Plan:
    """Plan an experiment that tells two rankers apart, from their runs on some queries.

    The parameters are those of `plan`. The required numbers of queries follow from the mean and standard
    deviation of the paired differences over the queries that both runs answer (`analysis.replication`). The
    long run and the required documents are those of curves that are fitted to the runs, for independent
    documents.
    """
    chosen = Conventions.of(**conventions)
    asked = list(dict.fromkeys(chosen.measures(measures_of(measures))))
    scores = runs_of(runs, columns)
    require(len(scores) == 2, f"a plan takes two runs, got {len(scores)}", "runs")
    first, second = scores
    names = first, second
    labels = without_negatives(records_of(qrels, "label", columns), chosen.gain)
    exponents, cutoffs = by_exponent(EXPONENTS), by_cutoff(CUTOFFS, chosen.discount)
    every = list(dict.fromkeys([*asked, *exponents, *cutoffs]))
    found = _differences(scores, labels, every, conventions)
    count = len(found[every[0]])
    required = Requirements(**design)
    if required.queries is None:
        required = replace(required, queries=count)
    gains = gains_of(labels, chosen.gain)
    relevant = _relevant(gains, scores) if theory else None
    lengths = _theory(scores, gains, asked, required) if theory and relevant is None else {}
    rows = []
    for measure in asked:
        row = _row(measure, found[measure], required, names)
        if measure in lengths:
            run, length = lengths[measure]
            row = replace(row, **long_run_fields(run, length, names))
        rows.append(row)
    rows.sort(key=lambda row: -abs(row.effect or 0.0))
    missing = theory and len(lengths) < len(asked)
    return Plan(
        *names,
        "runs",
        required,
        tuple(rows),
        _choices(exponents, found, required),
        _choices(cutoffs, found, required, judged=True),
        sentences.remarks_on_runs(count, required.alpha, bool(lengths), relevant, missing),
        count,
    )


def plan_values(given: object, values: ValueOptions, **design: Unpack[RequirementOptions]) -> Plan:
    """Plan an experiment from the values of two runs by any measures, for the queries that both answer.

    The parameters are what `read_values` takes, its options, and the fields of `Requirements`.
    """
    found = read_values(given, **values)
    require(len(found.runs) == 2, f"a plan takes two runs, got {len(found.runs)}: runs names them", "runs")
    count, (first, second) = len(found.queries), found.runs
    require(count >= _FEWEST, f"a plan needs at least {_FEWEST} common queries, there are {count}", "values")
    required = Requirements(**design)
    if required.queries is None:
        required = replace(required, queries=count)
    rows = []
    for measure, scale, d, unit in zip(
        found.measures, found.scales, found.differences.T, found.units.tolist(), strict=True
    ):
        better = np.where(np.abs(d) <= ROUNDING * unit, 0.0, scale.direction * d)
        rows.append(_row(measure, better, required, (first, second)))
    rows.sort(key=lambda row: -abs(row.effect or 0.0))
    remarks = [*sentences.remarks_on_runs(count, required.alpha, False, None, False), *found.remarks]
    if lower := [name for name, s in zip(found.measures, found.scales, strict=True) if s.lower_is_better]:
        remarks.append(f"Differences by {', '.join(lower)} are positive where {first} has the lower values")
    return Plan(first, second, "runs", required, tuple(rows), (), (), tuple(remarks), count)


def _differences(
    scores: Mapping[str, Records],
    labels: Records,
    measures: Sequence[Measure],
    conventions: ConventionOptions,
) -> dict[Measure, Floats]:
    """Return the differences of each measure over the queries that both runs answer."""
    first, second = (
        evaluate_run(run, labels, measures, name=name, **conventions) for name, run in scores.items()
    )
    common, at, of = np.intersect1d(first.queries, second.queries, return_indices=True)
    values = first.values[at] - second.values[of]
    values = values[np.isfinite(values).all(axis=1)]
    require(
        len(values) >= _FEWEST,
        f"a plan needs at least {_FEWEST} common queries, there are {len(common)}",
        "runs",
    )
    values = np.where(np.abs(values) <= ROUNDING, 0.0, values)
    return dict(zip(measures, values.T, strict=True))


def _moments(d: Floats) -> tuple[float, float]:
    return float(d.mean()), float(d.std(ddof=1)) if np.ptp(d) > ROUNDING else 0.0


def _row(measure: Measure | str, d: Floats, design: Requirements, names: tuple[str, str]) -> PlanRow:
    mean, sd = _moments(d)
    if not d.any():
        return PlanRow(str(measure), reason="the runs are identical for every query")
    effect = mean / sd if sd > 0 else math.inf
    needed = replication(effect, d.size, design.power, design.alpha)
    fields = design.sizes(mean, sd, (needed.low, needed.high), sd_interval(sd, d.size, design.alpha))
    # the queries that gave the estimate cannot say whether they are enough, and a bound is no promise
    fields |= {"required_lists": needed.observed, "queries_assured": needed.assured, "enough": None}
    return PlanRow(
        str(measure),
        ahead=names[0] if mean >= 0 else names[1],
        ties=float(np.mean(d == 0)),
        wrong=_opposite(mean, d),
        **fields,
    )


def _opposite(mean: float, d: Floats) -> WrongOrder:
    """Return how often the ranker with the smaller mean is ahead on a query."""
    return WrongOrder.counted(int(np.sum(math.copysign(1.0, mean) * d < 0)), d.size)


def _relevant(gains: Records, scores: Mapping[str, Records]) -> int | None:
    """Return the number of relevant items if every query that the runs answer has the same, else None."""
    answered = set.intersection(*({*run.queries} for run in scores.values()))
    counts = np.bincount(gains.row[gains.values > 0], minlength=len(gains.queries))
    distinct = {count for q, count in zip(gains.queries, counts.tolist(), strict=True) if q in answered}
    distinct -= {0}  # queries without a relevant item have no NDCG to speak of
    return distinct.pop() if len(distinct) == 1 else None


def _choices(
    measures: Mapping[Measure, float],
    found: Mapping[Measure, Floats],
    design: Requirements,
    *,
    judged: bool = False,
) -> tuple[FamilyMember, ...]:
    """Return the members of a family of measures, whose parameters ``measures`` holds."""
    choices = []
    for measure, at in measures.items():
        mean, sd = _moments(found[measure])
        effect = mean / sd if sd > 0 else 0.0
        wrong = _opposite(mean, found[measure])
        choices.append(FamilyMember.of(measure, at, effect, design.lists(mean, sd), wrong, judged=judged))
    return tuple(choices)


def _most_gains(measure: Measure) -> int:
    return _MOST_GAINS if measure.cutoff.regime in ("none", "fixed") else _MOST_GAINS_CUT


def _theory(
    scores: Mapping[str, Records], gains: Records, measures: Sequence[Measure], design: Requirements
) -> dict[Measure, tuple[LongRun, Length]]:
    """Return long runs and required lengths by curves fitted to the pooled runs."""
    fitted = fit_curves(pool_runs(scores, gains).lists(), resamples=1)
    pair = Population.of({name: curve.relevance for name, curve in fitted.items()}).scorers
    first, second = pair.values()
    if first == second:
        return {}
    measures = [m for m in measures if len(first.gains) <= _most_gains(m)]
    return lengths_for(first, second, measures, design.rate)
