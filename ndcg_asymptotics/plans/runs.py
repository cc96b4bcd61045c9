"""Plan an experiment from two runs of a pilot: how many more queries, and by which measure."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ndcg_asymptotics.core.arrays import Floats
from ndcg_asymptotics.core.errors import require
from ndcg_asymptotics.lists.conventions import ConventionOptions, Conventions
from ndcg_asymptotics.lists.inputs import judgements_of, runs_of
from ndcg_asymptotics.lists.other_measures import AnyMeasures, any_measures_of
from ndcg_asymptotics.lists.reading import ColumnNames
from ndcg_asymptotics.lists.reading.values import ValueOptions, read_values
from ndcg_asymptotics.lists.run_values import values_of_runs
from ndcg_asymptotics.lists.values import RunValues
from ndcg_asymptotics.orders.probability import WrongOrder
from ndcg_asymptotics.plans.outcome import Plan
from ndcg_asymptotics.plans.rows import (
    DetectableDifference,
    ListDifference,
    Order,
    PlanRow,
    RequiredQueries,
    Requirements,
    by_queries,
)
from ndcg_asymptotics.stats.paired import (
    FEWEST_DIFFERING,
    effect_size,
    level_text,
    moments_of,
    mostly_ties,
    without_rounding,
)
from ndcg_asymptotics.stats.power import sd_interval
from ndcg_asymptotics.stats.replication import replication

_FEWEST = 2  # queries


def plan_runs(
    runs: object,
    qrels: object,
    measures: AnyMeasures,
    *,
    columns: ColumnNames | None,
    options: ConventionOptions,
    required: Requirements,
) -> Plan:
    """Plan an experiment that tells two rankers apart, from their runs on some queries.

    The parameters are those of `plan`.
    """
    conventions = Conventions.of(**options)
    scores = runs_of(runs, columns)
    labels = judgements_of(qrels, columns, conventions.gain)
    _require_two(len(scores))
    measure_list = conventions.measures(any_measures_of(measures))
    return _planned(values_of_runs(scores, labels, measure_list, conventions), required, "runs")


def plan_values(runs: object, options: ValueOptions, required: Requirements) -> Plan:
    """Plan an experiment from the values of two runs by any measures, for the queries that both answer.

    The parameters are what `read_values` takes, its options, and what is required.
    """
    values = read_values(runs, **options)
    _require_two(len(values.runs), ": runs names them")
    return _planned(values, required, "values")


def _require_two(count: int, further: str = "") -> None:
    require(count == 2, f"a plan takes two runs, got {count}{further}", "runs")


def _planned(values: RunValues, required: Requirements, argument: str) -> Plan:
    """Return the plan; the number of queries is that of the runs unless it is stated."""
    (a, b), count = values.runs, len(values.queries)
    require(count >= _FEWEST, f"a plan needs at least {_FEWEST} common queries, there are {count}", argument)
    required = replace(required, queries=count) if required.queries is None else required
    differences = without_rounding(values.differences, values.units).T
    scales = dict(zip(values.measures, values.scales, strict=True))
    rows = [
        _row(measure, scale.direction * d, required, values.runs)
        for (measure, scale), d in zip(scales.items(), differences, strict=True)
    ]
    remarks = [
        f"The differences are those of {count} queries. In brackets: {level_text(required.alpha)} intervals. "
        "The smallest of several estimated numbers tends to be too small"
    ]
    remarks += values.remarks if argument == "values" else ()
    if lower := [measure for measure, scale in scales.items() if scale.lower_is_better]:
        remarks.append(f"Differences by {', '.join(lower)} are positive where {a} has the lower values")
    return Plan(
        a=a,
        b=b,
        source="runs",
        requirements=required,
        rows=by_queries(rows),
        remarks=tuple(remarks),
        pilot=count,
    )


def _row(measure: str, d: Floats, requirements: Requirements, names: Sequence[str]) -> PlanRow:
    """Return the needs of a measure by the differences of two runs on some queries."""
    if not d.any():
        return PlanRow(measure, reason="the runs have the same value on every query")
    differing = int(np.count_nonzero(d))
    if mostly_ties(differing, d.size, FEWEST_DIFFERING):
        reason = f"the runs differ in {differing} of {d.size:,} queries, too few to say how many are needed"
        return PlanRow(measure, reason=reason)
    ((mean, sd),) = moments_of(d[:, None])
    numbers = replication(effect_size(mean, sd), d.size, requirements.power, requirements.alpha)
    # the queries that gave the estimate cannot say whether they are enough, and a bound is no promise
    return PlanRow(
        measure,
        order=Order(names[0] if mean >= 0 else names[1]),
        queries=RequiredQueries(numbers.observed, numbers.low, numbers.high, numbers.assured),
        difference=ListDifference(mean, sd=sd),
        wrong=WrongOrder.counted(int(np.sum(math.copysign(1.0, mean) * d < 0)), d.size),
        ties=float(np.mean(d == 0)),
        detection=DetectableDifference.of(requirements, sd, sd_interval(sd, d.size, requirements.alpha)),
    )
