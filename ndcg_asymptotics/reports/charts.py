"""The charts of a page as plain data, with the same numbers as the figures and tables.

A chart has a ``title``, a ``remark``, its content in ``words`` for screen readers, and ``details`` below it.
It has ``x`` (with ``xname`` and ``label``), or ``rows``, which are names, with ``ends``, the words at the two
ends of the axis. Each of its ``series`` has a ``name``, a ``look`` (its colour, dashes and marker; of rows, a
list of them) and lists ``y``, ``low``, ``high``, ``line`` along x or the rows, as well as one number
``limit``; where y is drawn as a line, it is ``solid``, and ``dots`` and ``ticks`` are marks. A line is drawn
through the points of a ``curve``, if there is one, which are nearer to each other. ``fields`` are the values
that a pointer shows and a file has. ``range`` is that of the axis of values unless the reader has it fitted;
with ``log``, x has a logarithmic axis, and with ``ylog`` the values have one.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

import numpy as np

from ndcg_asymptotics.analysis.orders.pair import Pair
from ndcg_asymptotics.analysis.orders.prediction import predicted_nats
from ndcg_asymptotics.analysis.orders.rates import Rate
from ndcg_asymptotics.analysis.runs.compared import Cut, PairComparison
from ndcg_asymptotics.analysis.runs.judged import JudgedPair
from ndcg_asymptotics.analysis.runs.pairs import ShownDifference
from ndcg_asymptotics.core.arrays import BAND, filled_in, is_geometric, standard_error
from ndcg_asymptotics.core.looks import Look, look_of
from ndcg_asymptotics.core.progress import tracked
from ndcg_asymptotics.core.tables import plain
from ndcg_asymptotics.core.text import visible
from ndcg_asymptotics.lists.growth import Growth
from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.measures.looks import measure_looks
from ndcg_asymptotics.reports.content import Chart
from ndcg_asymptotics.results import Results
from ndcg_asymptotics.results.grid import GridResults
from ndcg_asymptotics.specs.scanner import number_text
from ndcg_asymptotics.studies import Study
from ndcg_asymptotics.theory.limits import limit
from ndcg_asymptotics.theory.mean import relative_means

_POINTS = 120  # points of a line of growing lists
_LEAST_DIGITS, _MOST_DIGITS = 0.25, 150.0  # range of an axis of -log10 P, as in figures


def _field(key: str, label: str, kind: str = "fixed") -> dict[str, str]:
    """Return a value that a pointer shows, under its label and in its format."""
    return {"key": key, "label": label, "kind": kind}


_MEANS = (
    _field("y", "mean"),
    _field("se", "MCSE", "exponent"),
    _field("line", "exact mean"),
    _field("limit", "limit"),
)


def _interval_of(name: str) -> tuple[dict[str, str], ...]:
    return _field("y", name), _field("low", "at least"), _field("high", "at most")


def _series(name: str, look: Look | Sequence[Look], **values: object) -> dict[str, Any]:
    drawn = asdict(look) if isinstance(look, Look) else [asdict(one) for one in look]
    return {"name": visible(name), "look": drawn, **values}


def _chart(
    title: str, words: str, fields: Iterable[Mapping[str, str]], series: Sequence[object], **more: object
) -> Chart:
    found = {"title": visible(title), "remark": "", "words": words, "details": ""}
    axes = {"xname": "n", "label": "list length n", "log": True, "ylog": False, "range": [0.0, 1.0]}
    return {**found, **axes, "fields": list(fields), "series": series, **more}


def curve_charts(results: Results) -> list[Chart]:
    """Return a chart per measure: the mean over replicates with its band, the exact mean and the limit."""
    study = results.study
    return [_curves(results, measure) for measure in tracked(study.measures, "curves")]


def _curves(results: Results, measure: Measure) -> Chart:
    study, series, theorems, highest = results.study, [], [], 1e-9
    for place, (name, scorer) in enumerate(study.scorers.items()):
        values = results.relative(name, measure)["ndcg"]
        found = limit(scorer, measure)
        theorems.append("no limit" if found.converges is False else found.theorem)
        low, high = np.quantile(values, BAND, axis=0)
        highest = max(highest, float(high.max()))
        between = filled_in(study.n)
        known = dict(zip(between, plain(relative_means(scorer, measure, between)), strict=True))
        line = [known[n] for n in study.n]
        curve = None if None in line else {"x": between, "y": list(known.values())}
        y, errors = plain(values.mean(axis=0)), plain(standard_error(values)) if len(values) > 1 else None
        ends = {"low": plain(low), "high": plain(high)}
        series.append(
            _series(name, look_of(place), y=y, se=errors, **ends, line=line, curve=curve, limit=found.value)
        )
    remark = " / ".join(dict.fromkeys(text for text in theorems if text != "none")) or "limit unknown"
    title = str(measure) if measure.normalised else f"{measure} / F(k(n))"
    words = f"{measure} of {len(series)} scorer{'s' * (len(series) > 1)} against the list length."
    top = 1.0 if measure.normalised else 1.05 * highest
    return _chart(title, words, _MEANS, series, x=list(study.n), remark=remark, range=[0.0, top])


def order_charts(pairs: Sequence[Pair]) -> list[Chart]:
    """Return two charts per pair: how often the order is wrong at n, and from n on, by every measure."""
    charts = []
    for names in dict.fromkeys(pair.pair for pair in pairs):
        of_pair = [pair for pair in pairs if pair.pair == names and pair.right is not None]
        if not of_pair:
            continue
        looks = measure_looks(pair.measure for pair in of_pair)
        bound = any(pair.from_n_is_upper_bound for pair in of_pair)
        since = "at some length from n on" + (", at grid points" if bound else "")
        details = "\n".join(visible(f"{pair.measure}: {pair.text}") for pair in of_pair)
        wrong = [1 - r.rate for pair in of_pair for r in (*pair.points, *pair.from_n)]
        lowest = min((rate for rate in wrong if rate > 0), default=1.0)
        for title, of_all in (("at n", False), (since, True)):
            series = [
                _series(pair.measure, looks[pair.measure], **_wrong(pair.from_n if of_all else pair.points))
                for pair in of_pair
            ]
            words = f"Rate of the wrong order {title}, by every measure, against the list length."
            further = {
                "x": [rate.n for rate in of_pair[0].points],
                "remark": _ahead(of_pair),
                "details": details if of_all else "",
                "ylog": True,
                "range": [min(0.05, 0.5 * lowest), 1.2],  # at least a decade
            }
            charts.append(_chart(f"P(wrong order) {title}", words, _interval_of("wrong"), series, **further))
    return charts


def _wrong(rates: Iterable[Rate]) -> dict[str, list[float | None]]:
    """Return the rates of the wrong order and the ends of their intervals."""
    right = _rates(rates)
    names = {"y": "y", "low": "high", "high": "low"}
    return {key: [None if v is None else 1 - v for v in right[of]] for key, of in names.items()}


def _ahead(pairs: Sequence[Pair]) -> str:
    """Return the right order of one pair of scorers, if all measures agree about it."""
    a, b = pairs[0].pair
    rights = {pair.right for pair in pairs}
    if len(rights) > 1:
        return visible(f"{a} and {b}")
    (right,) = rights
    return visible(f"right order: {right} ahead of {b if right == a else a}")


def _rates(rates: Iterable[Rate | Cut | None]) -> dict[str, list[float | None]]:
    """Return rates and the ends of their intervals, None where there is no rate."""
    every = list(rates)
    keys = {"y": "rate", "low": "low", "high": "high"}
    return {key: [getattr(rate, name) if rate else None for rate in every] for key, name in keys.items()}


def rare_charts(pairs: Sequence[Pair], study: Study) -> list[Chart]:
    """Return a chart per pair of -log10 P(wrong order) at n, with a series for each measure.

    Estimates that are not reliable are left out; lines are predicted without simulation.
    """
    charts = []
    for names in dict.fromkeys(pair.pair for pair in pairs):
        of_pair = [pair for pair in pairs if pair.pair == names]
        series = []
        for pair, look in zip(of_pair, measure_looks(p.measure for p in of_pair).values(), strict=True):
            minus = [-p.log10_wrong if p.reliable and p.log10_wrong else None for p in pair.points]
            half = [point.log10_error for point in pair.points]
            low, high = (
                [None if y is None else y + sign * d for y, d in zip(minus, half, strict=True)]
                for sign in (-1, 1)
            )
            draws = [getattr(p, "effective_sample_size", None) for p in pair.points]
            x = filled_in(study.n)
            predicted = [nats / math.log(10) for nats in predicted_nats(study, pair, x)]
            known = dict(zip(x, predicted, strict=False))
            line = [known.get(n) for n in study.n]
            values = {"y": minus, "low": low, "high": high, "line": line, "ess": draws}
            curve = {"x": list(known), "y": predicted}
            series.append(_series(pair.measure, look, **values, curve=curve))
        fields = (
            *_interval_of("-log10 P"),
            _field("line", "predicted"),
            _field("ess", "effective sample size", "whole"),
        )
        words = f"Logarithm of the probability of a wrong order of {names[0]} and {names[1]}."
        highest = max((v for s in series for v in (*s["y"], *s["line"]) if v is not None), default=1.0)
        ends = [_LEAST_DIGITS, min(_MOST_DIGITS, max(1.0, 1.6 * highest))]
        further = {"x": list(study.n), "remark": _ahead(of_pair), "ylog": True, "range": ends}
        charts.append(_chart("-log10 P(wrong order) at n", words, fields, series, **further))
    return charts


def grid_charts(results: GridResults) -> list[Chart]:
    """Return a chart per measure and parameter: the mean at the largest n against the parameter.

    There is a series for each scorer and combination of the other parameters.
    """
    axes = results.axes
    charts = []
    for (column, measure), parameter in itertools.product(enumerate(axes.measures), axes.parameters):
        at = list(axes.parameters).index(parameter)
        rest = list(dict.fromkeys((*v[:at], *v[at + 1 :]) for v in results.points))
        others = [name for name in axes.parameters if name != parameter]
        series: list[Any] = []
        highest = 1.0
        for scorer, fixed in itertools.product(axes.scorers, rest):
            row: dict[str, Any] = {key: [] for key in ("y", "se", "low", "high", "line")}
            for value in axes.parameters[parameter]:
                point = results.points.get((*fixed[:at], value, *fixed[at:]))
                found = _at_point(point, scorer, column)
                for key, number in zip(row, found, strict=True):
                    row[key].append(number)
            highest = max(highest, *(1.05 * v for v in row["high"] if v is not None), 0.0)
            name = ", ".join((scorer, *(f"{o}={number_text(v)}" for o, v in zip(others, fixed, strict=True))))
            series.append(_series(name, look_of(len(series)), **row, limit=None))
        n = max(point.study.n[-1] for point in results.points.values())
        values = list(axes.parameters[parameter])
        words = f"{measure} at n = {n:g} against {parameter}."
        fields = [field for field in _MEANS if field["key"] != "limit"]
        axis = {"x": values, "xname": parameter, "label": parameter, "log": is_geometric(values)}
        further = {**axis, "range": [0.0, highest], "remark": f"n = {n:g}"}
        charts.append(_chart(f"{measure} against {parameter}", words, fields, series, **further))
    return charts


def _at_point(
    point: Results | None, scorer: str, column: int
) -> tuple[float | None, float | None, float | None, float | None, float | None]:
    if point is None or not point.replicates_complete:
        return None, None, None, None, None
    measure, n = point.study.measures[column], point.study.n[-1]
    values = point.relative(scorer, measure)["ndcg"][:, -1]
    low, high = np.quantile(values, BAND)
    se = float(standard_error(values)) if len(values) > 1 else None
    (line,) = plain(relative_means(point.study.scorers[scorer], measure, [n]))
    return float(values.mean()), se, float(low), float(high), line


def growth_charts(growth: Growth) -> list[Chart]:
    """Return a chart per measure: the mean over queries with its band, and i.i.d. theory."""
    known: Sequence[int] = growth.theory.sizes.tolist() if growth.theory else []
    shown = np.unique([*growth.drawn(_POINTS), *np.searchsorted(growth.sizes, known)])
    shown = shown.astype(np.intp)
    sizes, (low, high), mean, error = growth.sizes[shown], growth.band(), growth.mean, growth.error
    fields = [_field("y", "mean"), _field("se", "error over queries", "exponent")]
    if growth.theory:
        fields += [_field("dots", "i.i.d., mixture"), _field("ticks", "i.i.d., one pooled curve")]
    charts = []
    for m, measure in enumerate(growth.measures):
        series = []
        for r, run in enumerate(growth.runs):
            one = _series(run, look_of(r), y=plain(mean[r, m][shown]), solid=True, limit=None)
            one |= {
                "se": plain(error[r, m][shown]),
                "low": plain(low[r, m][shown]),
                "high": plain(high[r, m][shown]),
            }
            if growth.theory:
                for key, values in (("dots", growth.theory.mixture), ("ticks", growth.theory.pooled)):
                    there = dict(zip(growth.theory.sizes.tolist(), plain(values[r, m]), strict=True))
                    one[key] = [there.get(int(n)) for n in sizes]
            series.append(one)
        top = min(1.0, 1.1 * float(high[:, m][:, shown].max())) if measure.normalised else None
        words = f"{measure} of {len(series)} runs against the number of documents."
        further = {"range": None if top is None else [0.0, top], "remark": f"{len(growth.queries)} queries"}
        axis = {"x": sizes.tolist(), "label": "documents n"}
        charts.append(_chart(str(measure), words, fields, series, **axis, **further))
    return charts


def comparison_charts(pair: PairComparison, alpha: float) -> list[Chart]:
    """Return the differences of two runs by every measure, and the rates at which samples agree."""
    label, rows = pair.drawn
    charts = [_differences(pair.a, pair.b, rows, "by every measure", alpha, label)]
    sizes = sorted({cut.n for judged in pair.by_measure for cut in judged.cuts})
    if sizes:
        series = []
        for judged, row in zip(pair.by_measure, rows, strict=True):
            cuts = {cut.n: cut for cut in judged.cuts}
            series.append(_series(row.name, row.look, **_rates(map(cuts.get, sizes))))
        words = "Share of random samples of documents that order the runs as whole lists do."
        axis = {"x": sizes, "label": "documents n of the sample"}
        title = "Samples in the order of the whole lists"
        charts.append(_chart(title, words, _interval_of("share of samples"), series, **axis))
    return charts


def judged_comparison_charts(pair: JudgedPair, alpha: float) -> list[Chart]:
    """Return the differences of two runs by humans, by a judge and by both, for every measure."""
    return [_differences(pair.a, pair.b, pair.drawn, "by every measure and kind of labels", alpha)]


def _differences(
    a: str,
    b: str,
    shown: Sequence[ShownDifference],
    by: str,
    alpha: float,
    title: str = "difference of the means",
) -> Chart:
    """Return a chart of differences with their intervals and corrected p-values."""
    whole = _series(
        "difference",
        [row.look for row in shown],
        y=[row.mean for row in shown],
        low=[row.low for row in shown],
        high=[row.high for row in shown],
        p=[row.p for row in shown],
        filled=[row.p < alpha for row in shown],
    )
    fields = (*_interval_of("difference"), _field("p", "corrected p", "exponent"))
    words = f"Difference of the means of {a} and {b} {by}, with its interval."
    sides = [visible(f"← {b} ahead"), visible(f"{a} ahead →")]
    rows = [visible(row.name) for row in shown]
    axis = {"rows": rows, "x": list(range(len(rows))), "xname": "measure", "ends": sides, "log": False}
    return _chart(title.capitalize(), words, fields, [whole], **axis, range=None)
