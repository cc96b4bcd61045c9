"""Figures of fitted relevance curves."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from ndcg_asymptotics.core.arrays import brief, instance_of
from ndcg_asymptotics.core.errors import InputError, require
from ndcg_asymptotics.core.files import path_of
from ndcg_asymptotics.core.text import in_figure, shortened
from ndcg_asymptotics.plots.layout import axes_of, panels
from ndcg_asymptotics.plots.marks import figure_legend, grey_line
from ndcg_asymptotics.plots.saving import Drawing
from ndcg_asymptotics.plots.scales import log_axis
from ndcg_asymptotics.plots.style import line_styles, style
from ndcg_asymptotics.populations.curve_file import Empirical
from ndcg_asymptotics.results.kinds import kind_of

if TYPE_CHECKING:
    from matplotlib.typing import LineStyleType

_DASHES: tuple[LineStyleType, ...] = ("-", "--", "-.", ":")
_LONGEST = 40  # characters of a name in a legend


def fitted_curves(curves: Mapping[str, Empirical], ax: Axes | None = None) -> Axes:
    """Draw P(Y = gain | depth) of fitted curves; the highest gain has a solid line.

    Parameters
    ----------
    curves : mapping of name to Empirical
        `FittedCurve.relevance`, or read from a file.
    ax : matplotlib Axes, optional
        The current ones by default.
    """
    ax, curves = axes_of(ax), _by_name(curves)
    for curve, line in zip(curves.values(), line_styles(len(curves)), strict=True):
        for j, of_gain in enumerate(curve.nodes):
            depth = np.array(of_gain.depths)
            shown = np.maximum(depth, depth[1] / 4)  # a place for depth 0 on a logarithmic axis
            ax.plot(shown, of_gain.values, color=line.color, lw=1.1, ls=_DASHES[j % len(_DASHES)])
    log_axis(ax.xaxis)
    ax.set_xlabel("depth $t$")
    ax.set_ylabel("P$(Y = y \\mid t)$")
    ax.set_ylim(0, None)
    return ax


def _by_name(given: Mapping[str, Empirical]) -> dict[str, Empirical]:
    if not isinstance(given, Mapping):
        raise InputError(f"must be curves by name, got {brief(given)}", "curves")
    return {name: instance_of(curve, Empirical, "curves") for name, curve in given.items()}


def fitted_figure(curves: Mapping[str, Empirical], *, width: float | None = None) -> Figure:
    """Return a figure of fitted curves by the names of their files."""
    curves = _by_name(curves)
    gains = sorted({gain for curve in curves.values() for gain in curve.gains}, reverse=True)
    handles: list[Artist] = [
        grey_line(f"$y$ = {gain:g}", ls=_DASHES[j % len(_DASHES)]) for j, gain in enumerate(gains)
    ]
    with style():
        figure, (ax,) = panels(1, height=2.9, width=width)
        fitted_curves(curves, ax)
        names = [
            Line2D([], [], color=line.color, label=in_figure(shortened(name, _LONGEST)))
            for name, line in zip(curves, line_styles(len(curves)), strict=True)
        ]
        figure_legend(figure, [*names, *handles])
    return figure


def holds_curves(place: Path) -> bool:
    """Return whether a path is a curve file, or a folder that has curve files but no results."""
    place = path_of(place, "place")
    return place.suffix == ".csv" or (kind_of(place) is None and any(place.glob("*.csv")))


def fitted_drawings(place: Path, *, width: float | None = None) -> list[Drawing]:
    """Return one figure of the curves of a file, or of all files of a folder.

    Raises
    ------
    InputError
        If a file is not a curve file.
    """
    paths = [place] if place.is_file() else sorted(place.glob("*.csv"))
    require(len(paths) > 0, f"{place}: no curve files here")
    curves = {path.stem: Empirical.read(path.name, path.parent) for path in paths}
    return [(("curves",), partial(fitted_figure, curves, width=width))]
