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
    measure: Measure | str | None = None,
    *,
    difference: float | None = None,
    pilot: int | None = None,
    **design: Unpack[RequirementOptions],
) -> Plan:
    """Plan an experiment of which only a standard deviation is known.

    Parameters
    ----------
    sd : float
        The standard deviation over queries of the difference of two systems. For systems that share nothing
        it is sqrt(2) times the standard deviation of one system.
    measure : Measure or text, optional
        The measure that it belongs to.
    difference : float, optional
        The difference of means that is to be detected, for the number of queries.
    pilot : int, optional
        The number of queries from which ``sd`` was estimated. Intervals then follow from its chi-square law.
    **design
        The fields of `Requirements`.

    Raises
    ------
    InputError
        If a number is out of range, or none of ``difference``, ``queries`` and ``width`` is stated.

    >>> row = plan_for_sd(0.2, "nDCG@10", difference=0.1, queries=50, pilot=40).rows[0]
    >>> row.required_lists, row.required_lists_low, row.required_lists_high, round(row.detectable, 4)
    (34, 24, 54, 0.0808)
    """
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
