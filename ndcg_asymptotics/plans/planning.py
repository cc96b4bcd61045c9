"""Plan an experiment, from whatever is known of two rankers."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Literal, Unpack, cast

from ndcg_asymptotics.core.arrays import as_texts, is_number
from ndcg_asymptotics.core.errors import InputError, refuse_others, require
from ndcg_asymptotics.lists.conventions import Missing
from ndcg_asymptotics.lists.other_measures import AnyMeasures, any_measures_of
from ndcg_asymptotics.lists.reading import ColumnNames
from ndcg_asymptotics.measures import Measures
from ndcg_asymptotics.measures.gains import Gain
from ndcg_asymptotics.measures.measure import MEASURES
from ndcg_asymptotics.plans.curves import plan_curves
from ndcg_asymptotics.plans.outcome import Plan
from ndcg_asymptotics.plans.rows import (
    DetectableDifference,
    ListDifference,
    PlanRow,
    RequiredQueries,
    RequirementOptions,
    Requirements,
    require_size,
)
from ndcg_asymptotics.populations import Scorer
from ndcg_asymptotics.stats.power import sd_interval
from ndcg_asymptotics.studies.relevant import Relevant

_Source = Literal["two curves, a and b", "two runs and qrels", "values", "sd"]
"""What is known of two rankers."""
_INPUTS: Mapping[_Source, tuple[str, ...]] = {
    "two curves, a and b": ("a", "b"),
    "two runs and qrels": ("runs", "qrels"),
    "values": ("values",),
    "sd": ("sd",),
}
"""The arguments of each source, all of which are needed."""
_OPTIONS: Mapping[_Source, tuple[str, ...]] = {
    "two curves, a and b": ("n", "gain", "relevant"),
    "two runs and qrels": ("columns", "like", "gain", "missing"),
    "values": ("runs", "columns", "lower_is_better", "missing"),
    "sd": ("difference", "pilot"),
}
"""The further arguments of each source, beside those of all."""
_REASONS = {
    "relevant": "runs come with their relevant items",
    "gain": "values have no labels",
}


def plan(
    a: Scorer | str | None = None,
    b: Scorer | str | None = None,
    measures: AnyMeasures | None = None,
    *,
    runs: object = None,
    qrels: object = None,
    values: object = None,
    sd: float | None = None,
    difference: float | None = None,
    pilot: int | None = None,
    n: int | None = None,
    relevant: Relevant | None = None,
    columns: ColumnNames | None = None,
    lower_is_better: Collection[str] = (),
    like: str | None = None,
    gain: Gain | None = None,
    missing: Missing | None = None,
    **requirements: Unpack[RequirementOptions],
) -> Plan:
    """Plan an experiment that tells two rankers apart: by which measure, with how many documents and queries.

    What is known of the rankers are their relevance curves ``a`` and ``b``, runs of a pilot, their values by
    any measures, or only the standard deviation of a difference.

    Parameters
    ----------
    a, b : Scorer or text
        Scorers with the same label law, independent given the label; those of fitted runs are
        ``empirical("FILE.csv")``.
    measures : Measure or text, or several
        By default six of NDCG, and all that there are of values. With ``sd`` the one that it belongs to. Of
        runs and ``sd`` also those of ir_measures, such as "AP".
    runs, qrels : as evaluate takes them
        Two runs. With ``values``, ``runs`` are the names of the two that count.
    values : in place of runs and qrels
        Values of any measures, query by query, as `lists.read_values` takes them.
    sd : float
        The standard deviation over queries of the difference of two systems. For systems that share nothing
        it is sqrt(2) times the standard deviation of one system.
    difference : float
        With ``sd``: the difference of means that is to be detected, for the number of queries.
    pilot : int
        The number of queries from which ``sd`` was estimated. Intervals then follow from its chi-square law.
    n : int
        The length of the lists of the curves, 1000 by default.
    relevant : int or mapping
        Of curves: the number of relevant items of every list, or the probability of each number.
    columns : mapping
        The names of the columns of tables.
    lower_is_better : names of measures
        Of values.
    like, gain, missing
        As in `evaluate`; curves take ``gain`` and values ``missing``.
    **requirements
        The fields of `Requirements`: ``rate``, ``power``, ``level`` and ``queries``, by default the number
        that both runs answer.

    Raises
    ------
    InputError
        If the curves are equal or their label laws differ, for other than two runs or fewer than two common
        queries, if a number is out of range, and if there is nothing to plan for a standard deviation.

    >>> outcome = plan("linear(0.1, 0.7)", "constant(0.4)", ["nDCG", "nDCG@3"], n=100, queries=15)
    >>> [(row.measure, row.queries.required, row.queries.enough) for row in outcome.rows]
    [('nDCG', 6, True), ('nDCG@3', 18, False)]
    >>> row = plan(sd=0.2, measures="nDCG@10", difference=0.1, queries=50, pilot=40).rows[0]
    >>> row.queries.shown, row.detection.interval
    ('34 [24, 54]', '0.0808 [0.0662, 0.1038]')

    Of runs, and of values of which less is better:

    >>> import numpy as np
    >>> rng = np.random.default_rng(1)
    >>> labels = {str(q): {f"d{i}": float(i < 5) for i in range(30)} for q in range(20)}
    >>> def run(noise):
    ...     return {q: {d: y + noise * rng.normal() for d, y in docs.items()} for q, docs in labels.items()}
    >>> runs = {"good": run(0.6), "bad": run(1.0)}
    >>> row = plan(runs=runs, qrels=labels, measures="nDCG").rows[0]
    >>> row.order.ahead, row.queries.low < row.queries.required < row.queries.assured
    ('good', True)
    >>> def seconds(mean):
    ...     return {str(query): value for query, value in enumerate(rng.normal(mean, 1.0, 50))}
    >>> runs = {"new": seconds(4.0), "old": seconds(5.0)}
    >>> outcome = plan(values=runs, measures="seconds", lower_is_better=["seconds"])
    >>> outcome.rows[0].measure, outcome.rows[0].order.ahead, 10 < outcome.rows[0].queries.required < 40
    ('seconds', 'new', True)
    """
    inputs = {"a": a, "b": b, "runs": runs, "qrels": qrels, "values": values, "sd": sd}
    options = {
        "n": n,
        "relevant": relevant,
        "columns": columns,
        "lower_is_better": as_texts(lower_is_better, "lower_is_better") or None,
        "like": like,
        "gain": gain,
        "missing": missing,
        "difference": difference,
        "pilot": pilot,
    }
    source, required = _source(inputs, options), Requirements(**requirements)
    arguments = {"runs": runs, **options}
    refuse_others(f"a plan of {source}", arguments, (*_INPUTS[source], *_OPTIONS[source]), _REASONS)
    measures_or_default = MEASURES if measures is None else measures
    match source:
        case "two curves, a and b":
            curves = cast("Scorer | str", a), cast("Scorer | str", b)
            return plan_curves(
                *curves, cast("Measures", measures_or_default), required, n=n, gain=gain, relevant=relevant
            )
        case "sd":
            return _plan_for_sd(cast("float", sd), measures, difference, pilot, required)
    # curves and standard deviations need no readers of runs
    from ndcg_asymptotics.plans.runs import plan_runs, plan_values

    if source == "values":
        return plan_values(
            values,
            {
                "runs": runs,
                "measures": measures,
                "lower_is_better": lower_is_better,
                "missing": missing,
                "columns": columns,
            },
            required,
        )
    return plan_runs(
        runs,
        qrels,
        measures_or_default,
        columns=columns,
        options={"like": like, "gain": gain, "missing": missing},
        required=required,
    )


def _source(inputs: Mapping[str, object], options: Mapping[str, object]) -> _Source:
    """Return what is known of the rankers; refuse too little, and several sources.

    Names of runs, beside values, are no source.
    """
    input_names = {name for name, value in inputs.items() if value is not None}
    if "values" in input_names:
        input_names.discard("runs")
    sources = [source for source, names in _INPUTS.items() if input_names & {*names}]
    if len(sources) == 1 and input_names >= {*_INPUTS[sources[0]]}:
        return sources[0]
    option_names = {name for name, value in options.items() if value is not None}
    candidates = sources or [source for source, names in _OPTIONS.items() if option_names & {*names}]
    if len(candidates) == 1:
        lacking = [name for name in _INPUTS[candidates[0]] if name not in input_names]
        curves = "; relevance curves are stated as a and b" if lacking == ["qrels"] else ""
        raise InputError(f"plan needs {candidates[0]}: add {' and '.join(lacking)}{curves}", lacking[0])
    received = f"; got some of {' and of '.join(sources)}" if sources else ""
    raise InputError(f"plan needs either {', or '.join(_INPUTS)}{received}")


def _plan_for_sd(
    sd: float,
    measures: AnyMeasures | None,
    difference: float | None,
    pilot: int | None,
    required: Requirements,
) -> Plan:
    """Plan an experiment of which only a standard deviation is known (topic set size design)."""
    measure_list = () if measures is None else any_measures_of(measures)
    require(len(measure_list) <= 1, "sd belongs to one measure", "measures")
    require_size(sd, "sd")
    require_size(abs(difference) if is_number(difference) else difference, "difference")
    require(
        difference is not None or required.queries is not None,
        "a plan for a standard deviation needs queries or a difference",
    )
    ends = (sd, sd) if pilot is None else sd_interval(sd, pilot, required.alpha)
    row = PlanRow(
        str(*measure_list) if measure_list else "any measure",
        queries=RequiredQueries.of(required, difference, sd, ends),
        difference=ListDifference(difference, sd=sd),
        detection=DetectableDifference.of(required, sd, ends),
    )
    return Plan("", "", "sd", required, (row,))
