"""Plan an experiment for two rankers that are described by their relevance curves."""

from __future__ import annotations

from pathlib import Path

from ndcg_asymptotics.core.arrays import LARGEST_N, brief, whole_number
from ndcg_asymptotics.core.errors import NotAvailableError, require
from ndcg_asymptotics.core.progress import tracked
from ndcg_asymptotics.measures import Measure, Measures, measures_of
from ndcg_asymptotics.measures.gains import Gain
from ndcg_asymptotics.orders.list_moments import ListMoments, list_moments
from ndcg_asymptotics.orders.long_run import long_run
from ndcg_asymptotics.orders.probability import WrongOrder
from ndcg_asymptotics.orders.wrong_order import drawn_orders, wrong_order
from ndcg_asymptotics.plans.outcome import Plan
from ndcg_asymptotics.plans.required_length import required_length
from ndcg_asymptotics.plans.rows import (
    DetectableDifference,
    ListDifference,
    Order,
    PlanRow,
    RequiredQueries,
    Requirements,
    by_queries,
)
from ndcg_asymptotics.populations import Population, Scorer
from ndcg_asymptotics.studies.relevant import Relevant, scorer_of
from ndcg_asymptotics.theory.mean import expected_ndcg

_DEFAULT_N = 1000  # documents of a list
_INDEPENDENT = (
    "The rankers are taken to score documents independently given the label. Rankers that place the same "
    "documents at similar depths need fewer queries: a study simulates them (coupling), a pilot measures them"
)


def plan_curves(
    a: Scorer | str,
    b: Scorer | str,
    measures: Measures,
    required: Requirements,
    *,
    n: int | None = None,
    gain: Gain | None = None,
    relevant: Relevant | None = None,
) -> Plan:
    """Plan an experiment for two rankers that are described by their relevance curves.

    The parameters are those of `plan`. Means and standard deviations of the difference on one list of n items
    are computed to 1e-6 and to 2% or better, or the latter on drawn lists. The number of queries follows from
    them, the length of a list from the probability of the right order (`required_length`).
    """
    for name, curve in (("a", a), ("b", b)):
        require(
            isinstance(curve, Scorer | str) and not Path(curve if isinstance(curve, str) else "").is_file(),
            f"must be a relevance curve, such as 'linear(0.1, 0.5)', got {brief(curve)}; "
            "plan(runs=…, qrels=…) plans from runs",
            name,
        )
    curves = {
        name: scorer_of(curve, relevant, "linear" if gain is None else gain)
        for name, curve in (("a", a), ("b", b))
    }
    first, second = Population(curves).scorers.values()
    size = whole_number(_DEFAULT_N if n is None else n, "n", 1, LARGEST_N)
    first.check_lengths([size])
    require(first != second, f"both have the relevance curve {first}: no measure tells them apart")
    measure_list = list(dict.fromkeys(measures_of(measures)))
    drawn_orders(measure_list, first, second, size, 1.0)  # together, which takes less time
    rows = by_queries(
        _row(first, second, measure, size, required) for measure in tracked(measure_list, "measures")
    )
    return Plan(str(first), str(second), "curves", required, rows, (_INDEPENDENT,), scorers=(first, second))


def _row(a: Scorer, b: Scorer, measure: Measure, n: int, requirements: Requirements) -> PlanRow:
    """Return what a measure needs to tell the rankers apart; the reason where it is not known."""
    names = str(a), str(b)
    try:
        moments = list_moments((a, b), measure, n)
        difference = _difference(a, b, measure, n, moments)
        run, length = long_run(a, b, measure), required_length(a, b, measure, requirements.rate)
    except NotAvailableError as error:
        return PlanRow(str(measure), n, reason=str(error))
    mean, sd = difference.mean or 0.0, difference.sd or 0.0
    wrong: WrongOrder | None = None
    reasons = [length.reason] if length.reason else []
    if not mean:
        reasons = [f"the two means at n = {n:g} are equal to within their error bounds"]
    elif int(mean < 0) != run.ahead:
        reasons.insert(0, f"on lists of {n:,} documents {names[int(mean < 0)]} has the larger mean")
    try:
        wrong = wrong_order(a, b, measure, n, run.ahead)
    except NotAvailableError as error:  # everything else is known
        reasons = reasons or [f"the probability of the wrong order is {error}"]
    reasons += _drawn_deviation(moments)
    return PlanRow(
        str(measure),
        n,
        order=Order.of(run, length, names),
        queries=RequiredQueries.of(requirements, mean, sd),
        difference=difference,
        wrong=wrong,
        detection=DetectableDifference.of(requirements, sd),
        reason="; ".join(reasons),
    )


def _difference(a: Scorer, b: Scorer, measure: Measure, n: int, moments: ListMoments) -> ListDifference:
    """Return mean and standard deviation of NDCG_n(a) - NDCG_n(b); the mean is 0 within its error bounds."""
    error = sum(float(expected_ndcg(scorer, measure, [n]).error[0]) for scorer in (a, b))
    mean = moments.mean if abs(moments.mean) > error else 0.0
    return ListDifference(mean, error, moments.sd, moments.error)


def _drawn_deviation(moments: ListMoments) -> list[str]:
    """Return that the standard deviation is that of drawn lists, with its interval, where it is."""
    if not moments.lists:
        return []
    low, high = moments.sd - moments.error, moments.sd + moments.error
    source = f"the standard deviation is that of {moments.lists:,} drawn lists"
    return [f"{source}, {low:.3g} to {high:.3g} with 95%"]
