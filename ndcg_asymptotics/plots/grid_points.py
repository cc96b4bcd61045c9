"""Figures of a grid with a panel for each point: NDCG against n, and the gap between mean and limit."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ndcg_asymptotics.checks.convergence import Convergence, convergence_of
from ndcg_asymptotics.checks.mean_tests import Simulated
from ndcg_asymptotics.core.arrays import filled_in, standard_error
from ndcg_asymptotics.core.text import in_figure, shortened
from ndcg_asymptotics.plots.curves import curve_handles, ndcg_curves
from ndcg_asymptotics.plots.layout import one_scale, outer_labels, panels, titles
from ndcg_asymptotics.plots.marks import figure_legend, grey_line, handle, white_marker
from ndcg_asymptotics.plots.scales import length_axis, log_axis
from ndcg_asymptotics.plots.style import LineStyle, line_styles, style
from ndcg_asymptotics.results import Results
from ndcg_asymptotics.results.grid import GridResults
from ndcg_asymptotics.specs.scanner import number_text
from ndcg_asymptotics.theory.limits import limit
from ndcg_asymptotics.theory.limits.leading_terms import leading_gap
from ndcg_asymptotics.theory.mean import relative_means

_MOST_POINTS = 12  # of a figure
_CLEAR = 2.0  # standard errors: a gap below is noise, and on a logarithmic axis it has no lower end
_LONGEST = 16  # characters of a name in a panel
_TEXT = 7  # points: the size of the text in a panel
_LINE = 0.11  # height of a line of this text, as a part of the panel

Point = tuple[float, ...]
"""The values of the parameters at a point."""


def curves_figure(results: GridResults, measure: str, *, width: float | None = None) -> Figure:
    """Return a figure of NDCG_n against n, with a panel for each point of a grid, or for twelve of them.

    The panels are those of `ndcg_curves`: means with bands, exact means, and limits with their theorems.

    Raises
    ------
    InputError
        If no point has a complete replicate.
    """
    column, points = results.axes.measures.index(measure), results.with_replicates(1)

    def draw(ax: Axes, values: Point, title: str) -> None:
        ndcg_curves(points[values], points[values].study.measures[column], ax, title=title, names=False)

    first = next(iter(points.values()))
    marks = curve_handles(first, [first.study.measures[column]], names=True)
    return _small_multiples(results, template_tex(measure), list(points), draw, marks, width)


def has_gaps(results: GridResults, measure: str) -> bool:
    """Return whether a measure has a limit at any point of a grid, so that `gaps_figure` has a panel."""
    column = results.axes.measures.index(measure)
    return any(_convergence(point, column) for point in results.with_replicates(2).values())


def gaps_figure(results: GridResults, measure: str, *, width: float | None = None) -> Figure:
    """Return a figure of the gap between mean and limit against n, with a panel for each point of a grid.

    Markers are simulated gaps that are clear of 0, with two standard errors. A line is the exact gap, and a
    dotted line its leading term. The text of a panel states the fitted exponents with their standard errors,
    and behind them those of the leading terms (`checks.convergence`). Points without a limit have no panel.
    """
    column, points = results.axes.measures.index(measure), results.with_replicates(2)
    rows = {values: _convergence(point, column) for values, point in points.items()}
    points_with_limit = [values for values in points if rows[values]]
    names = results.axes.scorers
    lines = dict(zip(names, line_styles(len(names)), strict=True))

    def draw(ax: Axes, values: Point, title: str) -> None:
        titles(ax, title)
        # the text stands at the bottom; from there upwards, so that the first scorer is on top
        for place, (name, row) in enumerate(reversed(rows[values].items())):
            _draw_gap(ax, points[values], name, column, lines[name])
            at = 0.02, _LINE * (place + 0.4)
            ax.text(*at, _exponents(name, row), transform=ax.transAxes, size=_TEXT, color=lines[name].color)
        length_axis(ax, points[values].study.n)
        log_axis(ax.yaxis)
        ax.set_ylabel("|mean − limit|")

    marks = [
        *(handle(line, in_figure(name)) for name, line in lines.items()),
        white_marker("simulated, 95% interval"),
        grey_line("exact"),
        grey_line("leading term", ls=":", lw=1.2),
    ]
    text = f"{template_tex(measure)}: gaps like $n^{{-e}}$, fitted (and of the leading term)"
    return _small_multiples(results, text, points_with_limit, draw, marks, width)


def _exponents(name: str, row: Convergence) -> str:
    """Return the fitted exponent of a scorer and, in brackets, that of the leading term."""
    text = "not fitted" if row.fitted is None else f"e = {row.fitted.text(3)}"
    text += "" if row.predicted_exponent is None else f" ({number_text(round(row.predicted_exponent, 6))})"
    text += "" if row.variable == "n" else ", of log n"
    return f"{in_figure(shortened(name, _LONGEST))}: {text}"


def _convergence(point: Results, column: int) -> dict[str, Convergence]:
    """Return how fast the means of one measure converge, by scorer; without those that have no limit."""
    measure = point.study.measures[column]
    by_scorer = {
        name: convergence_of(Simulated.of(point, name, measure), name) for name in point.study.scorers
    }
    return {name: row for name, row in by_scorer.items() if row is not None}


def _draw_gap(ax: Axes, point: Results, name: str, column: int, line: LineStyle) -> None:
    study, measure, scorer = point.study, point.study.measures[column], point.study.scorers[name]
    limit_value = limit(scorer, measure).value
    assert limit_value is not None  # for mypy: only means with a limit are drawn
    lengths = filled_in(study.n)
    ax.plot(
        lengths,
        np.abs(relative_means(scorer, measure, lengths) - limit_value),
        color=line.color,
        ls=line.dashes,
    )
    if (term := leading_gap(scorer, measure)) is not None and not term.vanishes:
        longer = [n for n in lengths if n > 1]  # a term like 1/log n is infinite at n = 1
        ax.plot(longer, [abs(term.at(n)) for n in longer], color=line.color, ls=":", lw=1.2)
    values = point.relative(name, measure)["ndcg"]
    gaps, errors = np.abs(values.mean(axis=0) - limit_value), standard_error(values)
    clear = gaps > _CLEAR * errors
    ax.errorbar(
        np.array(study.n, np.float64)[clear],
        gaps[clear],
        _CLEAR * errors[clear],
        ls="none",
        **line.hollow,
        ecolor=line.color,
        elinewidth=0.8,
        zorder=3,
    )


def _small_multiples(
    results: GridResults,
    text: str,
    points: Sequence[Point],
    draw: Callable[[Axes, Point, str], None],
    marks: Sequence[Artist],
    width: float | None,
) -> Figure:
    """Return a figure with a panel for each of at most twelve points, evenly chosen."""
    panel_points = points[:: math.ceil(len(points) / _MOST_POINTS)]
    with style():
        figure, panes = panels(len(panel_points), columns=3, height=2.0, width=width)
        for ax, values in zip(panes, panel_points, strict=True):
            title = ", ".join(
                f"{parameter_tex(name)} = {number_text(value)}"
                for name, value in zip(results.axes.parameters, values, strict=True)
            )
            draw(ax, values, title)
        one_scale(panes)
        outer_labels(panes)
        head_grid_figure(figure, results, text)
        figure_legend(figure, marks)
    return figure


def head_grid_figure(figure: Figure, results: GridResults, text: str) -> None:
    """Write what a figure of a grid shows above all panels, and whether the grid is incomplete."""
    heading = text if results.complete else f"{text}; INCOMPLETE: {results.state}"
    figure.suptitle(
        heading, fontsize=8.5, x=0.01, ha="left", color="black" if results.complete else "#B00000"
    )


def parameter_tex(name: str) -> str:
    """Return the name of a parameter in italics."""
    escaped = name.replace("_", r"\_")
    return rf"$\mathit{{{escaped}}}$"


def template_tex(measure: str) -> str:
    r"""Return the text of a measure with its parameters in italics.

    >>> print(template_tex("nDCG@$k"))
    nDCG@$\mathit{k}$
    """
    parts = re.split(r"\$([A-Za-z_]\w*)", measure)
    # `re.split` puts the names, which the group caught, at odd places
    return "".join(parameter_tex(part) if i % 2 else in_figure(part) for i, part in enumerate(parts))
