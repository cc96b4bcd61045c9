"""Figures of a grid: NDCG, the rate of the wrong order and the signal-to-noise ratio against a parameter."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import NullLocator

from ndcg_asymptotics.analysis.orders.distinguish import orders_of
from ndcg_asymptotics.analysis.orders.rates import rate_of
from ndcg_asymptotics.core.arrays import Floats, is_geometric, standard_error
from ndcg_asymptotics.core.errors import NotAvailableError, require
from ndcg_asymptotics.core.text import in_figure, shortened
from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.plots.choice import value_label
from ndcg_asymptotics.plots.layout import one_scale, outer_labels, panels, titles
from ndcg_asymptotics.plots.marks import figure_legend, grey_line, handle, white_marker
from ndcg_asymptotics.plots.saving import Drawing
from ndcg_asymptotics.plots.style import GREY, LineStyle, line_styles, style
from ndcg_asymptotics.populations import Scorer
from ndcg_asymptotics.results import Results
from ndcg_asymptotics.results.grid import GridResults
from ndcg_asymptotics.specs.scanner import number_text
from ndcg_asymptotics.theory.deviation import moments
from ndcg_asymptotics.theory.deviation.regime import regime, right_rate
from ndcg_asymptotics.theory.limits import limit
from ndcg_asymptotics.theory.mean import relative_means

_MOST = 7  # largest number of curves in a panel
_MOST_SCORERS = 3  # up to which all pairs of scorers are drawn if the grid names none
_MOST_TICKS = 8
_LONGEST = 30  # characters of a name
_MOST_IN_TWO = 6  # from this number of panels on they stand in three columns
_OF_ONE_PAIR = LineStyle(GREY, "-", "o")  # of the curve of the only pair, which is in no key

Names = tuple[str, str]


@dataclass(frozen=True)
class _Kind:
    """A quantity: the label of its axis, the scorers or pairs that have it, and what finds it."""

    label: str
    things: Sequence[Any]
    of: Callable[[Results, Any, int, int], Sequence[float]]


@dataclass(frozen=True)
class _Values:
    """Values of one quantity against the parameter: simulated with their intervals, theory and limit."""

    simulated: Floats
    low: Floats
    high: Floats
    theory: Floats
    limit: Floats | None = None


def parameter_figure(
    results: GridResults, parameter: str, measure: str, *, width: float | None = None
) -> Figure:
    """Return a figure of a measure against a parameter of a grid, at the largest n.

    It has panels of NDCG_n, of the rate of the wrong order of two scorers, and of the signal-to-noise ratio
    Delta/sigma of one list, which is the mean of the difference of the two scorers over its standard
    deviation. Markers are simulated, with two standard errors or a 95% interval. Lines are theory: the exact
    mean, the normal law of the order, and the exact moments of the difference. Dotted lines are limits of the
    mean.

    The curves of a panel are the scorers or pairs. A grid with other parameters has a panel for each scorer
    and pair instead, and a curve for each combination of the other parameters. A grid that names no pairs has
    those of all scorers, if they are three at most.

    Parameters
    ----------
    results : GridResults
    parameter : str
    measure : str
        The text in the grid file, with its parameters.
    width : float, optional
        Width of the figure in inches.

    Raises
    ------
    InputError
        If the grid has no such parameter or measure.
    """
    axes = results.axes
    _require_known(results, [parameter], [measure])
    results.require_all()
    n = next(iter(results.points.values())).study.n[-1]
    column, x = axes.measures.index(measure), np.array(axes.parameters[parameter])
    combinations = _combinations(results, parameter)
    pairs = _pairs(results)
    kinds = [_Kind(_value_label(results, column), list(axes.scorers), _mean)]
    if pairs:
        kinds.append(_Kind("P(wrong order)", pairs, _wrong))
        kinds.append(_Kind(r"$\Delta/\sigma$ of one list", pairs, _signal))
    drawn: list[tuple[_Kind, str, Sequence[Any]]]
    if len(combinations) > 1:
        names = list(combinations)
        drawn = [(kind, _said(thing), [thing]) for kind in kinds for thing in kind.things]
    else:
        names = [_said(thing) for thing in (*axes.scorers, *(pairs if len(pairs) > 1 else ()))]
        drawn = [(k, _said(k.things[0]) if len(k.things) == 1 else "", k.things) for k in kinds]
    styles = dict(zip(names, line_styles(len(names)), strict=True))
    with style():
        even = len(drawn) % 2 == 0 and len(drawn) < _MOST_IN_TWO
        figure, panes = panels(len(drawn), columns=2 if even else 3, height=2.4, width=width)
        limited = False
        for ax, (kind, title, things) in zip(panes, drawn, strict=True):
            for thing, (name, points) in itertools.product(things, combinations.items()):
                line = styles.get(name if len(combinations) > 1 else _said(thing), _OF_ONE_PAIR)
                values = _along(points, thing, column, n, kind.of)
                limited |= values.limit is not None and bool(np.isfinite(values.limit).any())
                _draw(ax, x, line, values)
            ax.set_ylabel(kind.label)
            ax.set_xlabel(_parameter(parameter))
            titles(ax, title)
            _ticks(ax, x)
        for kind in kinds:
            one_scale([ax for ax, (of, *_) in zip(panes, drawn, strict=True) if of is kind])
        outer_labels(panes)
        figure.suptitle(f"{_template(measure)}, $n$ = {n:g}", fontsize=8.5, x=0.01, ha="left")
        marks = [white_marker("simulated, 95% interval"), grey_line("theory")]
        if limited:
            marks.append(grey_line("limit of the mean", ls=":", lw=0.9))
        figure_legend(figure, [*(handle(line, name) for name, line in styles.items()), *marks])
    return figure


def _combinations(results: GridResults, parameter: str) -> dict[str, list[Results]]:
    """Return the points along the parameter, by the values of the others, of which some are left out."""
    axes = results.axes
    at = list(axes.parameters).index(parameter)
    others = [name for name in axes.parameters if name != parameter]
    rest = list(dict.fromkeys((*values[:at], *values[at + 1 :]) for values in axes.points))
    step = max(1, -(-len(rest) // _MOST))
    return {
        ", ".join(f"{_parameter(o)} = {number_text(v)}" for o, v in zip(others, fixed, strict=True)): [
            results.points[(*fixed[:at], value, *fixed[at:])] for value in axes.parameters[parameter]
        ]
        for fixed in rest[::step]
    }


def _pairs(results: GridResults) -> list[Names]:
    named = next(iter(results.points.values())).study.pairs
    few = len(results.axes.scorers) <= _MOST_SCORERS
    return list(named) or (list(itertools.combinations(results.axes.scorers, 2)) if few else [])


def _along(
    points: Sequence[Results], thing: object, column: int, n: int, of: Callable[..., Sequence[float]]
) -> _Values:
    return _Values(*np.array([of(point, thing, column, n) for point in points], np.float64).T)


def _mean(point: Results, scorer: str, column: int, n: int) -> Sequence[float]:
    """Return the simulated mean, an interval of two standard errors, the exact mean and the limit."""
    measure, curve = point.study.measures[column], point.study.scorers[scorer]
    values = point.relative(scorer, measure)["ndcg"][:, point.study.n.index(n)]
    error = 2 * float(standard_error(values))
    mean = float(values.mean())
    exact = float(relative_means(curve, measure, [n])[0])
    goal = limit(curve, measure).value
    return mean, mean - error, mean + error, exact, math.nan if goal is None else goal


def _wrong(point: Results, pair: Names, column: int, n: int) -> Sequence[float]:
    """Return the rate of the order that is not that of the means, its Wilson interval, and theory."""
    measure = point.study.measures[column]
    mean = _moments(point, pair, measure, n)[0]
    order = orders_of(point, pair, measure)["order"][:, point.study.n.index(n)]
    if math.isnan(mean):
        mean = float(_gaps(point, pair, measure, n).mean())
    found = rate_of(n, order == np.sign(mean))
    a, b = _scorers(point, pair if mean > 0 else pair[::-1])
    theory = math.nan
    if regime((a, b), measure) in ("normal", "top ranks"):
        with suppress(NotAvailableError):
            theory = 1 - right_rate(a, b, measure, n)
    return 1 - found.rate, 1 - found.high, 1 - found.low, theory


def _signal(point: Results, pair: Names, column: int, n: int) -> Sequence[float]:
    """Return the mean of the difference over its standard deviation, with two standard errors, and theory."""
    measure = point.study.measures[column]
    gaps = _gaps(point, pair, measure, n)
    spread = gaps.std(ddof=1) if len(gaps) > 1 else 0.0
    ratio = float(gaps.mean() / spread) if spread > 0 else math.nan
    error = 2 * math.sqrt((1 + ratio**2 / 2) / len(gaps))  # of a ratio of normal numbers, for many of them
    mean, sd = _moments(point, pair, measure, n)
    return ratio, ratio - error, ratio + error, mean / sd if sd > 0 else math.nan


def _gaps(point: Results, pair: Names, measure: Measure, n: int) -> Floats:
    first, second = (point.relative(name, measure)["ndcg"][:, point.study.n.index(n)] for name in pair)
    return np.asarray(first - second)


def _moments(point: Results, pair: Names, measure: Measure, n: int) -> tuple[float, float]:
    """Return the mean and the standard deviation of the difference; NaN where theory does not give them."""
    try:
        return moments(_scorers(point, pair), measure, n)
    except NotAvailableError:
        return math.nan, math.nan


def _scorers(point: Results, pair: Names) -> tuple[Scorer, Scorer]:
    return point.study.scorers[pair[0]], point.study.scorers[pair[1]]


def _draw(ax: Axes, x: Floats, line: LineStyle, values: _Values) -> None:
    ax.plot(x, values.theory, color=line.color, ls=line.dashes)
    if values.limit is not None:
        ax.plot(x, values.limit, color=line.color, ls=":", lw=0.9)
    bars = np.abs([values.simulated - values.low, values.high - values.simulated])
    ax.errorbar(
        x, values.simulated, bars, ls="none", **line.hollow, ecolor=line.color, elinewidth=0.8, zorder=3
    )


def _ticks(ax: Axes, x: Floats) -> None:
    """Make the axis logarithmic if the values are nearer to a geometric sequence, and label some of them."""
    if is_geometric(x):
        ax.set_xscale("log")
        ax.xaxis.set_minor_locator(NullLocator())
        chosen = np.sort(x)[:: -(-len(x) // _MOST_TICKS)]
        ax.set_xticks(chosen, [number_text(float(value)) for value in chosen])


def _value_label(results: GridResults, column: int) -> str:
    labels = {value_label(point.study.measures[column]) for point in results.points.values()}
    name = next(iter(results.points.values())).study.measures[column].name
    return labels.pop() if len(labels) == 1 else f"{name}$_n$ / $F(k(n))$"


def _said(thing: str | Names) -> str:
    names = [thing] if isinstance(thing, str) else thing
    return " against ".join(in_figure(shortened(name, _LONGEST)) for name in names)


def _parameter(name: str) -> str:
    return rf"$\mathit{{{name.replace('_', chr(92) + '_')}}}$"


def _template(measure: str) -> str:
    r"""Return the text of a measure with its parameters in italics.

    >>> print(_template("nDCG@$k"))
    nDCG@$\mathit{k}$
    """
    parts = re.split(r"\$([A-Za-z_]\w*)", measure)
    return "".join(_parameter(part) if i % 2 else in_figure(part) for i, part in enumerate(parts))


def grid_drawings(
    results: GridResults,
    *,
    measures: Sequence[str] | None = None,
    against: Sequence[str] | None = None,
    width: float | None = None,
) -> list[Drawing]:
    """Return a `parameter_figure` of each measure against each parameter, by default of all of them.

    Raises
    ------
    InputError
        If a point has no replicates, or for a measure or parameter that the grid does not have.
    """
    chosen = results.axes.measures if measures is None else measures
    parameters = list(results.axes.parameters) if against is None else against
    _require_known(results, parameters, chosen)
    for point in results.points.values():
        drawn = "ndcg" in point.values
        require(drawn, f"the {point.study.engine} engine draws orders of pairs, not NDCG: use distinguish")
    return [
        ((measure, "against", name), partial(parameter_figure, results, name, measure, width=width))
        for name in parameters
        for measure in chosen
    ]


def _require_known(results: GridResults, parameters: Sequence[str], measures: Sequence[str]) -> None:
    axes = results.axes
    for name in parameters:
        known = ", ".join(axes.parameters)
        require(name in axes.parameters, f"no parameter {name!r}, expected one of: {known}", "against")
    for measure in measures:
        known = ", ".join(axes.measures)
        require(measure in axes.measures, f"no measure {measure!r}, expected one of: {known}", "measure")
