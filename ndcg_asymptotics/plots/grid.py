"""Figures of a grid: NDCG at one list length against a parameter."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from ndcg_asymptotics.core.errors import NotAvailableError, require
from ndcg_asymptotics.core.text import in_figure, shortened
from ndcg_asymptotics.plots.choice import value_label
from ndcg_asymptotics.plots.style import GREY, line_styles, margin_labels, panels, save_all, style
from ndcg_asymptotics.results.grid import GridResults
from ndcg_asymptotics.specs.scanner import number_text
from ndcg_asymptotics.theory.cache import user_cache
from ndcg_asymptotics.theory.limits import limit

_MOST = 7  # largest number of curves in a panel


def parameter_figure(
    results: GridResults, parameter: str, measure: str, n: int | None = None, *, width: float | None = None
) -> Any:
    """Return a figure of NDCG_n against a parameter of a grid, with a panel for each scorer.

    There is a curve for each combination of the other parameters: markers are simulated means with two
    standard errors, a line is the exact mean and a dotted line the limit. ``measure`` is the text in the grid
    file, and ``n`` the largest list length by default.

    Raises
    ------
    InputError
        If the grid has no such parameter, measure or n.
    """
    axes = results.axes
    require(
        parameter in axes.parameters,
        f"no parameter {parameter!r}, expected one of: {', '.join(axes.parameters)}",
    )
    _require_measure(results, measure)
    results.require_all()
    sizes = next(iter(results.points.values())).study.n
    n = sizes[-1] if n is None else n
    require(n in sizes, f"no results for n = {n:g}")
    others = [name for name in axes.parameters if name != parameter]
    at, column = list(axes.parameters).index(parameter), axes.measures.index(measure)
    rest = list(dict.fromkeys((*values[:at], *values[at + 1 :]) for values in axes.points))
    step = max(1, -(-len(rest) // _MOST))
    chosen, x = rest[::step], np.array(axes.parameters[parameter])
    with style():
        figure, drawn = panels(len(axes.scorers), height=2.6, width=width)
        for ax, scorer in zip(drawn, axes.scorers, strict=True):
            labels = []
            for fixed, line in zip(chosen, line_styles(len(chosen)), strict=True):
                points = [
                    results.points[(*fixed[:at], value, *fixed[at:])] for value in axes.parameters[parameter]
                ]
                values = [
                    p.relative(p.study.measures[column])["ndcg"].sel(scorer=scorer, n=n).to_numpy()
                    for p in points
                ]
                mean = np.array([v.mean() for v in values])
                error = np.array(
                    [2 * v.std(ddof=1) / np.sqrt(len(v)) if len(v) > 1 else np.nan for v in values]
                )
                exact, limits = zip(*(_theory(p, scorer, column, n) for p in points), strict=True)
                ax.plot(x, exact, color=line.color, ls=line.dashes)
                ax.plot(x, limits, color=line.color, ls=":", lw=0.9)
                ax.errorbar(x, mean, error, ls="none", marker=line.marker, mfc="white", mec=line.color,
                            ecolor=line.color, mew=0.8, zorder=3)  # fmt: skip
                name = ", ".join(f"{o} = {number_text(v)}" for o, v in zip(others, fixed, strict=True))
                labels.append((float(mean[-1]), in_figure(shortened(name, 30)), line.color))
            ax.set_xlabel(in_figure(parameter))
            ax.set_ylabel(value_label(points[0].study.measures[column]))
            ax.set_title(in_figure(shortened(scorer, 30)), loc="left")
            ax.set_title(in_figure(f"{measure}, n = {n:g}"), loc="right", color=GREY)
            if others:
                margin_labels(ax, labels)
    return figure


def _theory(point: Any, scorer: str, column: int, n: int) -> tuple[float, float]:
    """Return the exact mean and the limit at a point; NaN where theory does not give them."""
    curve, measure = point.study.scorers[scorer], point.study.measures[column]
    try:
        exact = float(user_cache().mean(curve, measure, [n]).value[0]) / (measure.unit(n) or 1.0)
    except NotAvailableError:
        exact = np.nan
    found = limit(curve, measure).value
    return exact, np.nan if found is None else found


def draw_grid(
    results: GridResults,
    folder: Path | str,
    *,
    measures: Sequence[str] | None = None,
    width: float | None = None,
    **saved: Any,
) -> list[Path]:
    """Draw and save every measure against every parameter.

    Parameters
    ----------
    results : GridResults
    folder : path
        Folder for the files.
    measures : sequence of str, optional
        The measures to draw, as written in the grid file; all by default.
    width, **saved
        As in `draw_all`.

    Raises
    ------
    InputError
        If a point has no replicates, or for a measure that the grid does not have.
    """
    chosen = results.axes.measures if measures is None else measures
    for measure in chosen:
        _require_measure(results, measure)
    for point in results.points.values():
        drawn = "ndcg" in point.values
        require(drawn, f"the {point.study.engine} engine draws orders of pairs, not NDCG: use distinguish")
    figures = [
        ((measure, "against", name), partial(parameter_figure, results, name, measure, width=width))
        for name in results.axes.parameters
        for measure in chosen
    ]
    return save_all(figures, folder, **saved)


def _require_measure(results: GridResults, measure: str) -> None:
    known = ", ".join(results.axes.measures)
    require(measure in results.axes.measures, f"no measure {measure!r}, expected one of: {known}", "measure")
