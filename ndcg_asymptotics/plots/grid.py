"""Figures of a grid: NDCG and the rate of the wrong order against a parameter, beside those of its points."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ndcg_asymptotics.core.arrays import Floats, brief, is_geometric, standard_error
from ndcg_asymptotics.core.errors import NotAvailableError, require
from ndcg_asymptotics.core.text import in_figure, shortened
from ndcg_asymptotics.orders.distinguishing import orders_of
from ndcg_asymptotics.orders.list_moments import list_moments
from ndcg_asymptotics.plots.choice import value_label
from ndcg_asymptotics.plots.grid_points import (
    curves_figure,
    gaps_figure,
    has_gaps,
    head_grid_figure,
    parameter_tex,
    template_tex,
)
from ndcg_asymptotics.plots.layout import one_scale, outer_labels, panels, titles
from ndcg_asymptotics.plots.marks import figure_legend, grey_line, handle, white_marker
from ndcg_asymptotics.plots.saving import Drawing
from ndcg_asymptotics.plots.scales import log_axis
from ndcg_asymptotics.plots.style import GREY, LineStyle, line_styles, style
from ndcg_asymptotics.results import Results
from ndcg_asymptotics.results.grid import GridResults
from ndcg_asymptotics.specs.scanner import number_text
from ndcg_asymptotics.stats.rates import rate_of
from ndcg_asymptotics.theory.deviation.regime import regime
from ndcg_asymptotics.theory.deviation.standard import deviation
from ndcg_asymptotics.theory.limits import limit
from ndcg_asymptotics.theory.mean import relative_means

_MOST = 7  # largest number of curves in a panel
_LONGEST = 30  # characters of a name
_MOST_IN_TWO = 6  # from this number of panels on they stand in three columns
_OF_ONE_PAIR = LineStyle(GREY, "-", "o")  # of the curve of the only pair, which is in no key

Names = tuple[str, str]


class _Value(NamedTuple):
    """A quantity at one point: simulated with its interval, theory and limit; NaN where there is none."""

    simulated: float = math.nan
    low: float = math.nan
    high: float = math.nan
    theory: float = math.nan
    limit: float = math.nan


class _Kind(NamedTuple):
    """A quantity: the label of its axis, the scorers or pairs that have it, and what finds it."""

    label: str
    things: Sequence[Any]
    of: Callable[[Results, Any, int, int], _Value]


def parameter_figure(
    results: GridResults,
    parameter: str,
    measure: str,
    n: Sequence[int] | None = None,
    *,
    width: float | None = None,
) -> Figure:
    """Return a figure of a measure against a parameter of a grid, at some list lengths.

    It has panels of NDCG_n and of the rate of the wrong order of two scorers. Markers are simulated, with two
    standard errors or a 95% interval. Lines are theory: the exact mean, and the normal law of the order.
    Dotted lines are limits of the mean.

    The curves of a panel are the scorers or pairs. A grid with other parameters has a panel for each scorer
    and pair instead, and a curve for each combination of the other parameters.

    Parameters
    ----------
    results : GridResults
    parameter : str
    measure : str
        The text in the grid file, with its parameters.
    n : list lengths of the grid, optional
        By default the middle and the largest one.
    width : float, optional
        Width of the figure in inches.

    Raises
    ------
    InputError
        If the grid has no such parameter, measure or list length, or no replicates.
    """
    axes, points = results.axes, results.with_replicates(2)
    study = next(iter(points.values())).study
    lengths = dict.fromkeys((study.n[len(study.n) // 2], study.n[-1]) if n is None else n)
    _require_known(results, [parameter], [measure], lengths)
    column, x = axes.measures.index(measure), np.array(axes.parameters[parameter])
    combinations = _combinations(results, parameter)
    has_combinations, pairs = len(combinations) > 1, study.pairs
    kinds = [_Kind(_value_label(points, column), list(axes.scorers), _mean)]
    if pairs:
        kinds.append(_Kind("P(wrong order)", pairs, _wrong))
    split = [(kind, [thing]) for kind in kinds for thing in kind.things]
    contents = list(
        itertools.product(lengths, split if has_combinations else [(kind, kind.things) for kind in kinds])
    )
    # a single pair has a panel of its own, without a name in the legend
    in_legend = (*axes.scorers, *(pairs if len(pairs) > 1 else ()))
    names = list(combinations) if has_combinations else list(map(_said, in_legend))
    styles = dict(zip(names, line_styles(len(names)), strict=True))
    with style():
        even = len(contents) % 2 == 0 and len(contents) < _MOST_IN_TWO
        figure, panes = panels(len(contents), columns=2 if even else 3, height=2.4, width=width)
        limited = False
        for ax, (size, (kind, things)) in zip(panes, contents, strict=True):
            for thing, (name, values) in itertools.product(things, combinations.items()):
                line = styles.get(name if has_combinations else _said(thing), _OF_ONE_PAIR)
                rows = [
                    _Value() if v not in points else kind.of(points[v], thing, column, size) for v in values
                ]
                limited |= any(math.isfinite(row.limit) for row in rows)
                _draw(ax, x, line, _Value(*np.array(rows, np.float64).T))
            ax.set_ylabel(kind.label)
            ax.set_xlabel(parameter_tex(parameter))
            titles(ax, ", ".join([*(map(_said, things) if has_combinations else ()), f"$n$ = {size:,}"]))
            if is_geometric(x):
                log_axis(ax.xaxis)
        for key in itertools.product(lengths, kinds):
            alike = [ax for ax, (size, (kind, _)) in zip(panes, contents, strict=True) if (size, kind) == key]
            one_scale(alike)
        outer_labels(panes)
        head_grid_figure(figure, results, template_tex(measure))
        marks = [white_marker("simulated, 95% interval"), grey_line("theory")]
        if limited:
            marks.append(grey_line("limit of the mean", ls=":", lw=0.9))
        figure_legend(figure, [*(handle(line, name) for name, line in styles.items()), *marks])
    return figure


def _combinations(results: GridResults, parameter: str) -> dict[str, list[tuple[float, ...]]]:
    """Return the points along the parameter, by the values of the others, of which some are left out."""
    axes = results.axes
    at = list(axes.parameters).index(parameter)
    other_names = [name for name in axes.parameters if name != parameter]
    other_values = list(dict.fromkeys((*values[:at], *values[at + 1 :]) for values in axes.points))
    step = max(1, -(-len(other_values) // _MOST))
    return {
        ", ".join(
            f"{parameter_tex(o)} = {number_text(v)}" for o, v in zip(other_names, fixed, strict=True)
        ): [(*fixed[:at], value, *fixed[at:]) for value in axes.parameters[parameter]]
        for fixed in other_values[::step]
    }


def _mean(point: Results, scorer: str, column: int, n: int) -> _Value:
    """Return the simulated mean, an interval of two standard errors, the exact mean and the limit."""
    measure, curve = point.study.measures[column], point.study.scorers[scorer]
    values = point.relative(scorer, measure)["ndcg"][:, point.study.n.index(n)]
    mean, error = float(values.mean()), 2 * float(standard_error(values))
    goal = limit(curve, measure).value
    exact = float(relative_means(curve, measure, [n])[0])
    return _Value(mean, mean - error, mean + error, exact, math.nan if goal is None else goal)


def _wrong(point: Results, pair: Names, column: int, n: int) -> _Value:
    """Return the rate of the order that is not that of the means, its Wilson interval, and theory."""
    study, measure, place = point.study, point.study.measures[column], point.study.n.index(n)
    gap = float(np.subtract(*(relative_means(study.scorers[name], measure, [n])[0] for name in pair)))
    if math.isnan(gap):
        gap = float(np.subtract(*(point.relative(name, measure)["ndcg"][:, place].mean() for name in pair)))
    rate = rate_of(n, orders_of(point, pair, measure)["order"][:, place] == np.sign(gap))
    a, b = (study.scorers[name] for name in (pair if gap > 0 else pair[::-1]))
    theory = math.nan
    if regime((a, b), measure) in ("normal", "top ranks"):
        with suppress(NotAvailableError):
            deviation((a, b), measure, n)  # without one `list_moments` would draw lists
            theory = 1 - list_moments((a, b), measure, n).right_rate
    return _Value(1 - rate.rate, 1 - rate.high, 1 - rate.low, theory)


def _draw(ax: Axes, x: Floats, line: LineStyle, values: Any) -> None:
    ax.plot(x, values.theory, color=line.color, ls=line.dashes)
    ax.plot(x, values.limit, color=line.color, ls=":", lw=0.9)
    bars = np.abs([values.simulated - values.low, values.high - values.simulated])
    ax.errorbar(
        x, values.simulated, bars, ls="none", **line.hollow, ecolor=line.color, elinewidth=0.8, zorder=3
    )


def _value_label(points: Mapping[tuple[float, ...], Results], column: int) -> str:
    measures = [point.study.measures[column] for point in points.values()]
    labels = set(map(value_label, measures))
    return labels.pop() if len(labels) == 1 else f"{measures[0].name}$_n$ / $F(k(n))$"


def _said(thing: str | Sequence[str]) -> str:
    names = [thing] if isinstance(thing, str) else thing
    return " against ".join(in_figure(shortened(name, _LONGEST)) for name in names)


def grid_drawings(
    results: GridResults,
    *,
    measures: Sequence[str] | None = None,
    against: Sequence[str] | None = None,
    n: Sequence[int] | None = None,
    width: float | None = None,
) -> list[Drawing]:
    """Return for each measure its curves and gaps at the points, and a `parameter_figure` of each parameter.

    Parameters that are chosen are drawn alone.

    Raises
    ------
    InputError
        If no point has two replicates, or for a measure, parameter or n that the grid does not have.
    """
    measure_list = results.axes.measures if measures is None else measures
    parameters = list(results.axes.parameters) if against is None else against
    for point in results.points.values():
        draws_ndcg = not point.replicates_complete or "ndcg" in point.values
        require(
            draws_ndcg, f"the {point.study.engine} engine draws orders of pairs, not NDCG: use distinguish"
        )
    _require_known(results, parameters, measure_list, n or ())
    figures: list[Drawing] = []
    for measure in measure_list:
        if against is None:
            figures.append(((measure, "curves"), partial(curves_figure, results, measure, width=width)))
            if has_gaps(results, measure):
                figures.append(((measure, "gaps"), partial(gaps_figure, results, measure, width=width)))
        for name in parameters:
            draw = partial(parameter_figure, results, name, measure, n, width=width)
            figures.append(((measure, "against", name), draw))
    return figures


def _require_known(
    results: GridResults, parameters: Sequence[str], measures: Sequence[str], lengths: Iterable[int]
) -> None:
    sizes = next(iter(results.with_replicates(2).values())).study.n
    for argument, kind, names, available in (
        ("against", "parameter", parameters, [*results.axes.parameters]),
        ("measure", "measure", measures, [*results.axes.measures]),
        ("n", "list length", lengths, [*sizes]),
    ):
        for name in names:
            choices = ", ".join(map(str, available))
            require(name in available, f"no {kind} {brief(name)}, expected one of: {choices}", argument)
