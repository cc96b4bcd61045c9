"""Figures of growing lists of real runs: the mean with a band over queries, and i.i.d. theory."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from ndcg_asymptotics.core.errors import require
from ndcg_asymptotics.lists.fitting import LEVEL
from ndcg_asymptotics.lists.growth import Growth
from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.plots.choice import Choice, value_name
from ndcg_asymptotics.plots.style import (
    GREY,
    Words,
    length_axis,
    margin_labels,
    measure_panels,
    one_scale,
    save_all,
)

_FIRST = 10  # the shortest list drawn; the NDCG of shorter ones is mostly noise
_POINTS = 250  # points of a line


def growing_curves(
    growth: Growth, measure: Measure | str, ax: Axes | None = None, *, choice: Choice | None = None
) -> Axes:
    """Draw NDCG_n of every run against n: the mean over queries and its band.

    If the lists are compared with theory, markers are the exact mean of the mixture of groups, and a dotted
    line is that of the pooled curve.

    Parameters
    ----------
    growth : Growth
    measure : Measure or its text
        One of the measures of ``growth``.
    ax : matplotlib Axes, optional
        The current ones by default.
    choice : Choice, optional
        The runs to draw, with their labels and colours.

    Raises
    ------
    InputError
        If ``growth`` does not have the measure or a run.
    """
    ax = plt.gca() if ax is None else ax
    measure = _of_growth(growth, measure)
    m = growth.measures.index(measure)
    last = int(growth.sizes[-1])
    at = np.searchsorted(growth.sizes, np.geomspace(min(_FIRST, last), last, _POINTS))
    shown = np.unique(np.minimum(at, growth.sizes.size - 1))
    sizes, (low, high) = growth.sizes[shown], growth.band()
    labels, theory, choice = [], growth.theory, choice or Choice()
    for run, line in choice.among(growth.runs).items():
        r = growth.runs.index(run)
        mean = growth.mean[r, m][shown]
        ax.fill_between(sizes, low[r, m][shown], high[r, m][shown], color=line.color, alpha=0.14, lw=0)
        ax.plot(sizes, mean, color=line.color, ls=line.dashes, lw=1.1)
        if theory is not None:
            ax.plot(theory.sizes, theory.pooled[r, m], color=line.color, ls=":", lw=1.0)
            ax.plot(theory.sizes, theory.mixture[r, m], ls="none", marker=line.marker, mfc="white",
                    mec=line.color, mew=0.8, zorder=3)  # fmt: skip
        labels.append((float(mean[-1]), choice.label(run), line))
    length_axis(ax, sizes)
    top = 1.1 * float(high[:, m][:, shown].max())
    ax.set_ylim(0, min(1.02, top) if measure.normalised else top)
    ax.set_ylabel(f"{value_name(measure)}$_n$")
    ax.set_title(choice.title(measure), loc="left")
    margin_labels(ax, labels, marker=theory is not None)
    return ax


def _of_growth(growth: Growth, measure: Measure | str) -> Measure:
    measure = Measure.of(measure)
    known = ", ".join(map(str, growth.measures))
    require(measure in growth.measures, f"no values of {measure}, there are: {known}", "measure")
    return measure


def growing_figure(
    growth: Growth,
    measures: Sequence[Measure | str] | None = None,
    *,
    width: float | None = None,
    choice: Choice | None = None,
) -> Figure:
    """Return a figure with a panel for each measure, by default all of them."""
    chosen = growth.measures if measures is None else measures
    draw = partial(growing_curves, growth, choice=choice)
    figure = measure_panels(chosen, draw, growing_handles(growth), width)
    if all(Measure.of(measure).normalised for measure in chosen):
        one_scale(figure.axes[: len(chosen)])
    return figure


def growing_handles(growth: Growth) -> list[Any]:
    """Return legend handles for the lines, bands and markers of `growing_curves`."""
    handles: list[Any] = [
        Line2D([], [], color=GREY, label=f"mean over {len(growth.queries)} queries"),
        Patch(color=GREY, alpha=0.25, lw=0, label=f"{LEVEL:.0%} band, bootstrap over queries"),
    ]
    if growth.theory is not None:
        groups = len(growth.theory.groups)
        handles += [
            Line2D([], [], ls="none", marker="o", mfc="white", mec=GREY, mew=0.8,
                   label=f"i.i.d., mixture of {groups} groups"),
            Line2D([], [], color=GREY, ls=":", lw=1.0, label="i.i.d., one pooled curve"),
        ]  # fmt: skip
    return handles


def draw_growth(
    growth: Growth,
    folder: Path | str,
    *,
    measures: Sequence[Measure | str] | None = None,
    choice: Choice | None = None,
    width: float | None = None,
    **saved: Any,
) -> list[Path]:
    """Draw and save figures of growing lists: an overview and one per measure.

    Parameters
    ----------
    growth : Growth
    folder : path
        Folder for the files.
    measures, choice, width, **saved
        As in `draw_all`.

    Returns
    -------
    list of Path
        The files written.
    """
    chosen = growth.measures if measures is None else [_of_growth(growth, measure) for measure in measures]
    options: dict[str, Any] = {"width": width, "choice": choice}
    figures: list[tuple[Words, Callable[[], Figure]]] = [
        ((str(measure),), partial(growing_figure, growth, (measure,), **options)) for measure in chosen
    ]
    if len(chosen) > 1:
        figures.insert(0, (("overview",), partial(growing_figure, growth, chosen, **options)))
    return save_all(figures, folder, **saved)
