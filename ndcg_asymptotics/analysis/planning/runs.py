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
from ndcg_asymptotics.analysis.runs.paired import effect_size, moments_of, without_rounding
from ndcg_asymptotics.analysis.runs.ranked import values_of_runs
from ndcg_asymptotics.core.arrays import Floats
from ndcg_asymptotics.core.errors import require
from ndcg_asymptotics.lists.conventions import ConventionOptions, Conventions
from ndcg_asymptotics.lists.fitting import fit_curves
from ndcg_asymptotics.lists.given import judgements_of, runs_of
from ndcg_asymptotics.lists.judgements import gains_of
from ndcg_asymptotics.lists.other_measures import AnyMeasure, AnyMeasures, any_measures_of
from ndcg_asymptotics.lists.pooling import pool_runs
from ndcg_asymptotics.lists.reading import ColumnNames
from ndcg_asymptotics.lists.reading.values import ValueOptions, read_values
from ndcg_asymptotics.lists.records import Records
from ndcg_asymptotics.lists.values import RunValues
from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.populations import Population

_FEWEST = 2  # queries
_MOST_GAINS, _MOST_GAINS_CUT = 4, 3
"""Positive gains of whole lists and fixed cutoffs, and of cutoffs that grow with n: more take long."""


def plan_runs(
    runs: object,
    qrels: object,
    measures: AnyMeasures,
    *,
    columns: ColumnNames | None,
    theory: bool,
    conventions: ConventionOptions,
    **design: Unpack[RequirementOptions],
) -> Plan:
    """Plan an experiment that tells two rankers apart, from their runs on some queries.

    The parameters are those of `plan`. The long run and the required documents are those of curves that are
    fitted to the runs, for independent documents, and there are none of measures of ir_measures.
    """
    chosen = Conventions.of(**conventions)
    asked = list(dict.fromkeys(chosen.measures(any_measures_of(measures))))
    own = [measure for measure in asked if isinstance(measure, Measure)]
    scores = runs_of(runs, columns)
    labels = judgements_of(qrels, columns, chosen.gain)
    exponents = by_exponent(EXPONENTS) if own else {}
    cutoffs = by_cutoff(CUTOFFS, chosen.discount) if own else {}
    every = list(dict.fromkeys([*asked, *exponents, *cutoffs]))
    _require_two(len(scores))
    found = values_of_runs(scores, labels, every, **conventions)
    d = dict(zip(every, _differences(found, "runs"), strict=True))
    required = _required(found, design)
    gains = gains_of(labels, chosen.gain)
    relevant = _relevant(gains, scores) if theory and own else None
    lengths = _theory(scores, gains, own, required) if theory and own and relevant is None else {}
    rows = [_row(measure, d[measure], required, found.runs) for measure in asked]
    for i, measure in enumerate(asked):
        if isinstance(measure, Measure) and measure in lengths:
            rows[i] = replace(rows[i], **long_run_fields(*lengths[measure], found.runs))
    missing = theory and len(lengths) < len(own)
    families = _choices(exponents, d, required), _choices(cutoffs, d, required, judged=True)
    said = sentences.remarks_on_runs(len(found.queries), required.alpha, bool(lengths), relevant, missing)
    if lengths and (others := [str(measure) for measure in asked if measure not in own]):
        said += (f"Theory knows NDCG and DCG: no long run and no required documents by {', '.join(others)}",)
    return _planned(found, required, rows, families, said)


def plan_values(given: object, values: ValueOptions, **design: Unpack[RequirementOptions]) -> Plan:
    """Plan an experiment from the values of two runs by any measures, for the queries that both answer.

    The parameters are what `read_values` takes, its options, and the fields of `Requirements`.
    """
    found = read_values(given, **values)
    _require_two(len(found.runs), ": runs names them")
    differences, required = _differences(found, "values"), _required(found, design)
    rows = [
        _row(measure, scale.direction * d, required, found.runs)
        for measure, scale, d in zip(found.measures, found.scales, differences, strict=True)
    ]
    remarks = [
        *sentences.remarks_on_runs(len(found.queries), required.alpha, False, None, False),
        *found.remarks,
    ]
    if lower := [name for name, s in zip(found.measures, found.scales, strict=True) if s.lower_is_better]:
        remarks.append(
            f"Differences by {', '.join(lower)} are positive where {found.runs[0]} has the lower values"
        )
    return _planned(found, required, rows, ((), ()), remarks)


def _require_two(count: int, further: str = "") -> None:
    require(count == 2, f"a plan takes two runs, got {count}{further}", "runs")


def _differences(found: RunValues, argument: str) -> Floats:
    """Return the differences of two runs, (measures, queries), without rounding errors."""
    count, d = len(found.queries), found.differences
    require(count >= _FEWEST, f"a plan needs at least {_FEWEST} common queries, there are {count}", argument)
    return without_rounding(d, found.units).T


def _required(found: RunValues, design: RequirementOptions) -> Requirements:
    """Return the requirements; the number of queries is that of the runs unless it is stated."""
    required = Requirements(**design)
    return replace(required, queries=len(found.queries)) if required.queries is None else required


def _planned(
    found: RunValues,
    required: Requirements,
    rows: Sequence[PlanRow],
    families: tuple[tuple[FamilyMember, ...], tuple[FamilyMember, ...]],
    remarks: Sequence[str],
) -> Plan:
    ordered = tuple(sorted(rows, key=lambda row: -abs(row.effect or 0.0)))
    first, second = found.runs
    return Plan(first, second, "runs", required, ordered, *families, tuple(remarks), len(found.queries))


def _row(measure: AnyMeasure | str, d: Floats, design: Requirements, names: Sequence[str]) -> PlanRow:
    ((mean, sd),) = moments_of(d[:, None])
    if not d.any():
        return PlanRow(str(measure), reason="the runs have the same value on every query")
    needed = replication(effect_size(mean, sd), d.size, design.power, design.alpha)
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
    found: Mapping[AnyMeasure, Floats],
    design: Requirements,
    *,
    judged: bool = False,
) -> tuple[FamilyMember, ...]:
    """Return the members of a family of measures, whose parameters ``measures`` holds."""
    choices = []
    for measure, at in measures.items():
        ((mean, sd),) = moments_of(found[measure][:, None])
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
    fitted = fit_curves(pool_runs(scores, gains).lists())
    pair = Population.of({name: curve.relevance for name, curve in fitted.items()}).scorers
    first, second = pair.values()
    if first == second:
        return {}
    measures = [m for m in measures if len(first.gains) <= _most_gains(m)]
    return lengths_for(first, second, measures, design.rate)
