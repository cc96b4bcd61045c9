"""Figures of growing lists of real runs: the mean with a band over queries, and i.i.d. theory."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from ndcg_asymptotics.core.arrays import as_list, instance_of, require_flag
from ndcg_asymptotics.core.defaults import LEVEL
from ndcg_asymptotics.core.errors import require
from ndcg_asymptotics.growth.outcome import Growth
from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.plots.choice import Choice, value_name
from ndcg_asymptotics.plots.layout import axes_of, one_scale, outer_labels, panels, titles
from ndcg_asymptotics.plots.margin import margin_labels
from ndcg_asymptotics.plots.marks import figure_legend, grey_band, grey_line, handle, white_marker
from ndcg_asymptotics.plots.saving import Drawing, pages
from ndcg_asymptotics.plots.scales import length_axis
from ndcg_asymptotics.plots.style import GREY, MarkerSettings, style

_POINTS = 250  # points of a line
_POOLED: MarkerSettings = {"ls": "none", "marker": "_", "ms": 6, "mew": 1.1}


def growth_curves(
    growth: Growth,
    measure: Measure | str,
    ax: Axes | None = None,
    *,
    choice: Choice | None = None,
    names: bool = True,
) -> Axes:
    """Draw NDCG of every run against the number of documents that have arrived.

    It is the mean over queries with its band. If lists are compared with theory, markers are the exact mean
    for groups of queries, and dashes that for one curve of all queries.

    Parameters
    ----------
    growth : Growth
    measure : Measure or its text
        One of the measures of ``growth``.
    ax : matplotlib Axes, optional
        The current ones by default.
    choice : Choice, optional
        The runs to draw, with their labels and colours.
    names : bool
        Whether the names of the runs stand at the ends of their curves.

    Raises
    ------
    InputError
        If ``growth`` does not have the measure or a run.
    """
    choice, ax, growth = Choice.given(choice), axes_of(ax), instance_of(growth, Growth, "growth")
    require_flag(names, "names")
    panel_measure = _known(growth, measure)
    column, positions, theory = growth.measures.index(panel_measure), growth.drawn(_POINTS), growth.theory
    sizes, (low, high) = growth.sizes[positions], growth.band()
    labels = []
    for run, line in choice.among(growth.runs).items():
        r = growth.runs.index(run), column
        mean = growth.mean[r][positions]
        ax.fill_between(sizes, low[r][positions], high[r][positions], color=line.color, alpha=0.14, lw=0)
        ax.plot(sizes, mean, color=line.color, ls=line.dashes, lw=1.1)
        if theory is not None:
            ax.plot(theory.sizes, theory.pooled[r], color=line.color, **_POOLED)
            ax.plot(theory.sizes, theory.grouped[r], ls="none", **line.hollow, zorder=3)
        labels.append((float(mean[-1]), choice.label(run), line))
    length_axis(ax, sizes)
    top = 1.1 * float(np.fmax(high, growth.mean)[:, column][:, positions].max())
    ax.set_ylim(0, min(1.02, top) if panel_measure.normalised else top)
    ax.set_ylabel(f"{value_name(panel_measure)}$_n$")
    titles(ax, choice.title(panel_measure))
    if names:
        margin_labels(ax, labels)
    return ax


def _known(growth: Growth, measure: Measure | str) -> Measure:
    measure, names = Measure.of(measure), ", ".join(map(str, growth.measures))
    require(measure in growth.measures, f"no values of {measure}, there are: {names}", "measure")
    return measure


def growth_handles(growth: Growth) -> list[Artist]:
    """Return legend handles for the lines, bands and markers of `growth_curves`."""
    growth = instance_of(growth, Growth, "growth")
    handles: list[Artist] = [
        grey_line(f"mean over {len(growth.queries)} queries"),
        grey_band(f"{LEVEL:.0%} band over queries"),
    ]
    if growth.theory is not None:
        handles.append(white_marker(f"i.i.d., {growth.theory.groups} groups of queries"))
        handles.append(Line2D([], [], color=GREY, label="i.i.d., one pooled curve", **_POOLED))
    return handles


def growth_figure(
    growth: Growth,
    measures: Sequence[Measure | str] | None = None,
    *,
    width: float | None = None,
    choice: Choice | None = None,
) -> Figure:
    """Return a figure of `growth_curves` with a panel for each measure, by default all of them."""
    choice, growth = Choice.given(choice), instance_of(growth, Growth, "growth")
    measure_list = growth.measures if measures is None else as_list(measures, "measures", (str, Measure))
    require(len(measure_list) > 0, "must name at least one measure", "measures")
    single = len(measure_list) == 1
    with style():
        figure, axes = panels(len(measure_list), height=3.0 if single else 2.3, width=width)
        for measure, ax in zip(measure_list, axes, strict=True):
            growth_curves(growth, measure, ax, choice=choice, names=single)
        if all(Measure.of(measure).normalised for measure in measure_list):
            one_scale(axes)
        outer_labels(axes)
        lines = {} if single else choice.among(growth.runs)
        run_handles = [handle(line, choice.label(name), marker=False) for name, line in lines.items()]
        figure_legend(figure, [*run_handles, *growth_handles(growth)])
    return figure


def growth_drawings(
    growth: Growth,
    measures: Sequence[Measure | str] | None = None,
    *,
    width: float | None = None,
    choice: Choice | None = None,
) -> list[Drawing]:
    """Return a `growth_figure` of each measure; of several measures there is an overview, too."""
    measure_list = growth.measures if measures is None else [_known(growth, measure) for measure in measures]
    draw = partial(growth_figure, growth, width=width, choice=choice)
    figures: list[Drawing] = [((str(measure),), partial(draw, (measure,))) for measure in measure_list]
    return [*pages("overview", draw, measure_list, width), *figures] if len(measure_list) > 1 else figures
