"""Figures of fitted relevance curves, with their confidence bands."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from ndcg_asymptotics.core.errors import require
from ndcg_asymptotics.core.text import in_figure, shortened
from ndcg_asymptotics.plots.layout import outer_labels, panels, titles
from ndcg_asymptotics.plots.marks import figure_legend, grey_band, grey_line
from ndcg_asymptotics.plots.saving import Drawing
from ndcg_asymptotics.plots.scales import log_axis
from ndcg_asymptotics.plots.style import line_styles, style
from ndcg_asymptotics.populations.curve_file import Fitted, decode_fitted, read_curves
from ndcg_asymptotics.results.kinds import kind_of

if TYPE_CHECKING:
    from matplotlib.typing import LineStyleType

_SHADES = mpl.colormaps["viridis"]
_LIGHTEST = 0.85  # lighter shades cannot be seen on white
_DASHES: tuple[LineStyleType, ...] = ("-", "--", "-.", ":")
_LONGEST = 40  # characters of a name in a legend


def fitted_curves(
    curves: Mapping[str, Fitted], ax: Axes | None = None, colors: Sequence[object] | None = None
) -> Axes:
    """Draw P(Y = gain | depth) of fitted curves with their bands; the highest gain has a solid line.

    Parameters
    ----------
    curves : mapping of name to Fitted
    ax : matplotlib Axes, optional
        The current ones by default.
    colors : sequence of colors, optional
        One for each curve.
    """
    ax = plt.gca() if ax is None else ax
    colors = [line.color for line in line_styles(len(curves))] if colors is None else colors
    for curve, color in zip(curves.values(), colors, strict=True):
        shown = np.maximum(curve.depth, curve.depth[1] / 4)  # a place for depth 0 on a logarithmic axis
        for j in range(len(curve.gains)):
            if curve.low is not None and curve.high is not None:
                ax.fill_between(shown, curve.low[j], curve.high[j], color=color, alpha=0.18, lw=0)
            dashes = _DASHES[j % len(_DASHES)]
            ax.plot(shown, curve.probability[j], color=color, lw=1.1, ls=dashes)
    log_axis(ax.xaxis)
    ax.set_xlabel("depth $t$")
    ax.set_ylabel("P$(Y = y \\mid t)$")
    ax.set_ylim(0, None)
    return ax


def fitted_figure(files: Mapping[str, Sequence[Fitted]], *, width: float | None = None) -> Figure:
    """Return a figure of the curves of files, in one panel; files with several groups have a panel each."""
    every = [curve for curves in files.values() for curve in curves]
    gains = sorted({gain for curve in every for gain in curve.gains}, reverse=True)
    handles: list[Artist] = [
        grey_line(f"$y$ = {gain:g}", ls=_DASHES[j % len(_DASHES)]) for j, gain in enumerate(gains)
    ]
    handles.append(grey_band("95% band, bootstrap over queries"))
    with style():
        if len(every) == len(files):
            figure, (ax,) = panels(1, height=2.9, width=width)
            fitted_curves({name: curve for name, (curve,) in files.items()}, ax)
            shown = zip(files, (line.color for line in line_styles(len(files))), strict=True)
        else:
            figure, axes = panels(len(files), height=2.9 if len(files) == 1 else 2.3, width=width)
            for ax, (name, curves) in zip(axes, files.items(), strict=True):
                shades = _SHADES(np.linspace(0.0, _LIGHTEST, len(curves)))
                fitted_curves({str(g): curve for g, curve in enumerate(curves)}, ax, list(shades))
                titles(ax, in_figure(shortened(name, _LONGEST)))
            outer_labels(axes)
            ends = ("queries with the fewest relevant items", "with the most")
            shown = zip(ends, _SHADES([0.0, _LIGHTEST]), strict=True)
        names = [
            Line2D([], [], color=color, label=in_figure(shortened(name, _LONGEST))) for name, color in shown
        ]
        figure_legend(figure, [*names, *handles])
    return figure


def holds_curves(place: Path) -> bool:
    """Return whether a path is a curve file, or a folder that has curve files but no results."""
    return place.suffix == ".json" or (kind_of(place) is None and any(place.glob("*.json")))


def fitted_drawings(place: Path, *, width: float | None = None) -> list[Drawing]:
    """Return one figure of the curves of a file, or of all files of a folder.

    Raises
    ------
    InputError
        If a file is not a curve file.
    """
    paths = [place] if place.is_file() else sorted(place.glob("*.json"))
    require(len(paths) > 0, f"{place}: no curve files here")
    files = {path.stem: read_curves(path, decode_fitted) for path in paths}
    return [(("curves",), partial(fitted_figure, files, width=width))]
