"""The marks of figures, which are lines, markers and bands, and the legend that explains them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import zip_longest
from typing import TYPE_CHECKING

import matplotlib as mpl
import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from ndcg_asymptotics.core.arrays import as_list, instance_of
from ndcg_asymptotics.core.errors import require
from ndcg_asymptotics.plots.layout import geometry, text_width, wrapped
from ndcg_asymptotics.plots.style import GREY, LineStyle

if TYPE_CHECKING:
    from matplotlib.typing import ColorType, LineStyleType
    from numpy.typing import ArrayLike, NDArray


def band(
    ax: Axes,
    x: Sequence[float] | NDArray[np.generic],
    low: ArrayLike,
    high: ArrayLike,
    color: ColorType,
    alpha: float,
) -> None:
    """Draw a band between two curves, or a bar if they have a single point."""
    if len(x) > 1:
        ax.fill_between(x, low, high, color=color, alpha=alpha, lw=0)
    else:
        ax.vlines(x, low, high, color=color, alpha=alpha, lw=8)


def scientific(value: float) -> str:
    r"""Return a positive number, rounded to one digit, in matplotlib's mathtext.

    >>> scientific(8.3e-5)
    '$8\\times10^{-5}$'
    """
    digit, _, power = f"{value:.0e}".partition("e")
    factor = "" if digit == "1" else rf"{digit}\times"
    return f"${factor}10^{{{int(power)}}}$"


def handle(line: LineStyle, label: str, *, marker: bool = True) -> Line2D:
    """Return the legend handle of a curve, with its marker unless the curve has none."""
    shape = line.marker if marker else "none"
    return Line2D(
        [], [], color=line.color, ls=line.dashes, marker=shape, mfc="white", mew=0.8, ms=2.8, label=label
    )


def grey_line(label: str, *, ls: LineStyleType = "-", lw: float | None = None) -> Line2D:
    """Return the legend handle of a line, whichever colour it is drawn in."""
    return Line2D([], [], color=GREY, ls=ls, linewidth=lw, label=label)


def grey_marker(label: str) -> Line2D:
    """Return the legend handle of filled markers."""
    return Line2D([], [], ls="none", marker="o", color=GREY, ms=4, label=label)


def white_marker(label: str) -> Line2D:
    """Return the legend handle of markers with a white face."""
    return Line2D([], [], ls="none", marker="o", mfc="white", mec=GREY, mew=0.8, label=label)


def grey_band(label: str, alpha: float = 0.25) -> Patch:
    """Return the legend handle of a band."""
    return Patch(color=GREY, alpha=alpha, lw=0, label=label)


_MOST_COLUMNS = 5
_LINE = 1.5  # height of a line of a legend, in font sizes
_HANDLE, _PAD, _SPACE = (
    2.0,
    0.5,
    1.2,
)  # widths of a handle, and of the gaps beside its text, in font sizes


def figure_legend(figure: Figure, handles: Sequence[Artist]) -> None:
    """Add a legend to the figure, in the place of a missing last panel, or below by making it higher."""
    figure = instance_of(figure, Figure, "figure")
    handles = [instance_of(artist, Artist, "handles") for artist in as_list(handles, "handles")]
    require(bool(figure.axes), "has no panels", "figure")
    rows, columns = geometry(figure.axes[0])
    if len(figure.axes) < rows * columns:
        blank = figure.add_subplot(rows, columns, rows * columns)
        blank.set_axis_off()
        blank.legend(handles=list(handles), loc="center left", handlelength=_HANDLE, labelspacing=0.7)
        return
    size = FontProperties(size=mpl.rcParams["legend.fontsize"]).get_size_in_points()
    room = 72 * figure.get_figwidth()
    beside = size * (_HANDLE + _PAD + _SPACE)
    for artist in handles:
        artist.set_label("\n".join(wrapped(str(artist.get_label()), size, room - beside)))
    widths = [text_width(str(artist.get_label()), size) + beside for artist in handles]
    ncols = _columns(widths, room)
    lines = [1 + str(artist.get_label()).count("\n") for artist in handles]
    height = sum(map(max, zip_longest(*np.array_split(lines, ncols), fillvalue=0)))
    figure.set_figheight(figure.get_figheight() + _LINE * size * height / 72)
    figure.legend(
        handles=list(handles),
        loc="outside lower center",
        ncols=ncols,
        handlelength=_HANDLE,
        columnspacing=_SPACE,
        handletextpad=_PAD,
        borderaxespad=0.0,
        borderpad=0.2,
    )


def _columns(widths: Sequence[float], room: float) -> int:
    """Return in how many columns a legend has the fewest rows; each is as wide as its widest entry."""
    for count in range(min(_MOST_COLUMNS, len(widths)), 1, -1):
        even = math.ceil(len(widths) / math.ceil(len(widths) / count))
        if sum(max(column) for column in np.array_split(widths, even)) <= room:
            return even
    return 1
