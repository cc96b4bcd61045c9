"""Figures of sampled metrics: the expected NDCG against the number of sampled negatives."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from ndcg_asymptotics.analysis.runs.sampled import Sampled
from ndcg_asymptotics.core.errors import require
from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.plots.choice import Choice, value_name
from ndcg_asymptotics.plots.style import (
    GREY,
    band,
    length_axis,
    margin_labels,
    measure_panels,
    save_by_measure,
)


def sampled_curves(
    sampled: Sampled, measure: Measure | str, ax: Axes | None = None, *, choice: Choice | None = None
) -> Axes:
    """Draw the expected NDCG of every system against m, with a band and the full metric at the right end.

    The band is one standard deviation of the mean over users to either side. A ring marks each m at which
    the expected order of two systems changes.

    Parameters
    ----------
    sampled : Sampled
    measure : Measure or its text
    ax : matplotlib Axes, optional
        The current ones by default.
    choice : Choice, optional
        The systems to draw, with their labels and colours.

    Raises
    ------
    InputError
        If ``sampled`` does not have the measure or a system.
    """
    ax = plt.gca() if ax is None else ax
    text = str(Measure.of(measure))
    known = ", ".join(sampled.measures)
    require(text in sampled.measures, f"no values of {text}, there are: {known}", "measure")
    at, m = sampled.measures.index(text), sampled.curves.negatives
    full = {row.system: row.full for row in sampled.rows if row.measure == text}
    labels, choice = [], choice or Choice()
    lines = choice.among(sampled.systems)
    for system, line in lines.items():
        s = sampled.systems.index(system)
        mean, sd = sampled.curves.mean[at, s], sampled.curves.sd[at, s]
        band(ax, m, mean - sd, mean + sd, line.color, 0.14)
        ax.plot(m, mean, color=line.color, ls=line.dashes, lw=1.1)
        ax.plot(sampled.items, full[system], ls="none", marker=line.marker, color=line.color, ms=4, zorder=3)
        labels.append((full[system], choice.label(system), line))
    for pair in sampled.pairs:
        if pair.measure == text and pair.a in lines and pair.b in lines:
            values = sampled.curves.mean[at, sampled.systems.index(pair.a)]
            heights = np.interp(np.log(pair.crossings), np.log(m), values)
            ax.plot(pair.crossings, heights, ls="none", marker="o", mfc="none", mec="black", ms=6, zorder=4)
    length_axis(ax, [1, sampled.items])
    ax.set_xlabel("sampled negatives $m$")
    ax.set_ylim(0, None)
    ax.set_ylabel(f"expected {value_name(text)}")
    ax.set_title(choice.title(text), loc="left")
    margin_labels(ax, labels)
    return ax


def sampled_figure(
    sampled: Sampled,
    measures: Sequence[Measure | str] | None = None,
    *,
    width: float | None = None,
    choice: Choice | None = None,
) -> Figure:
    """Return a figure with a panel for each measure, by default all of them."""
    chosen = sampled.measures if measures is None else measures
    draw = partial(sampled_curves, sampled, choice=choice)
    return measure_panels(chosen, draw, _handles(sampled), width)


def _handles(sampled: Sampled) -> list[Any]:
    return [
        Patch(color=GREY, alpha=0.25, lw=0, label="one standard deviation"),
        Line2D([], [], ls="none", marker="o", color=GREY, ms=4, label=f"all {sampled.items} items"),
        Line2D([], [], ls="none", marker="o", mfc="none", mec="black", ms=6, label="order changes"),
    ]


def draw_sampled(
    sampled: Sampled,
    folder: Path | str,
    *,
    choice: Choice | None = None,
    width: float | None = None,
    **saved: Any,
) -> list[Path]:
    """Draw and save a figure for each measure.

    Parameters
    ----------
    sampled : Sampled
    folder : path
        Folder for the files.
    choice, width, **saved
        As in `draw_all`.

    Returns
    -------
    list of Path
        The files written.
    """
    figure = partial(sampled_figure, sampled, width=width, choice=choice)
    return save_by_measure("sampled", sampled.measures, figure, folder, **saved)
