"""Plan an experiment from the standard deviation of a difference alone (topic set size design)."""

from __future__ import annotations

from typing import Unpack

from ndcg_asymptotics.analysis.planning.findings import PlanRow
from ndcg_asymptotics.analysis.planning.outcome import Plan
from ndcg_asymptotics.analysis.planning.requirements import RequirementOptions, Requirements, require_size
from ndcg_asymptotics.analysis.power import sd_interval
from ndcg_asymptotics.core.errors import require
from ndcg_asymptotics.measures import Measure


def plan_for_sd(
    sd: float,
    measure: Measure | str | None,
    *,
    difference: float | None,
    pilot: int | None,
    **design: Unpack[RequirementOptions],
) -> Plan:
    """Plan an experiment of which only a standard deviation is known; the parameters are those of `plan`."""
    required = Requirements(**design)
    require_size(sd, "sd")
    require_size(None if difference is None else abs(difference), "difference")
    stated = (difference, required.queries, required.width)
    require(
        any(x is not None for x in stated),
        "a plan for a standard deviation needs queries, difference or width",
    )
    asked = required.systems is None or difference is not None
    require(asked, "an analysis of variance needs the difference of the best and the worst system", "systems")
    sds = None if pilot is None else sd_interval(sd, pilot, required.alpha)
    ends = None if sds is None else (required.lists(difference, sds[0]), required.lists(difference, sds[1]))
    row = PlanRow(
        "any measure" if measure is None else str(Measure.of(measure)),
        **required.sizes(difference, sd, ends, sds),
    )
    return Plan("", "", "sd", required, (row,))
