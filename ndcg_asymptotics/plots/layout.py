"""Panels, axes and legends of figures."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

import matplotlib as mpl
import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.markers import TICKDOWN
from matplotlib.patches import Patch
from matplotlib.ticker import FuncFormatter, NullFormatter, NullLocator

from ndcg_asymptotics.core.arrays import Floats, Integers
from ndcg_asymptotics.core.errors import require
from ndcg_asymptotics.plots.style import GREY, LineStyle

if TYPE_CHECKING:
    from matplotlib.typing import ColorType, LineStyleType
    from numpy.typing import ArrayLike, NDArray

SINGLE, DOUBLE = 3.5, 7.2  # widths of one and of two columns of a journal, in inches


def panels(
    count: int, *, columns: int = 2, height: float = 2.3, width: float | None = None
) -> tuple[Figure, list[Axes]]:
    """Return a figure with ``count`` panels.

    Parameters
    ----------
    count : int
    columns : int
        The largest number of panels in a row.
    height : float
        Height of each row, in inches.
    width : float, optional
        Width of the figure, in inches. By default that of one column of a journal for one panel in each row,
        and that of two columns for more.
    """
    columns = min(columns, count)
    rows = math.ceil(count / columns)
    if width is None:
        width = SINGLE if columns == 1 else DOUBLE
    require(1 <= width <= 40, f"must be from 1 to 40 inches, got {width:g}", "width")
    figure = Figure(figsize=(width, rows * height), layout="constrained")
    axes = [figure.add_subplot(rows, columns, i + 1) for i in range(count)]
    return figure, axes


def length_axis(ax: Axes, sizes: Sequence[int] | Integers, *, most: int = 8) -> None:
    """Make the x axis a logarithmic one of list lengths, with at most ``most`` labelled powers of ten."""
    low, high = float(min(sizes)), float(max(sizes))
    ax.set_xscale("log")
    ax.set_xlabel("list length $n$")
    if low == high:
        ax.set_xlim(low / 10, high * 10)
        ax.set_xticks([low], [f"{low:g}"])
        ax.xaxis.set_minor_locator(NullLocator())
        return
    margin = (high / low) ** 0.02  # so that markers at the ends are not cut
    ax.set_xlim(low / margin, high * margin)
    step = math.ceil((math.log10(high / low) + 1e-9) / most)
    ticks = 10.0 ** np.arange(math.ceil(math.log10(low) / step) * step, math.log10(high) + 1e-9, step)
    if len(ticks) > 1:
        ax.set_xticks(ticks, [decade(tick) for tick in ticks])
    ax.xaxis.set_minor_locator(NullLocator())
    decades = 10.0 ** np.arange(math.floor(math.log10(low)), math.log10(high) + 1)
    minor = np.outer(decades, np.arange(2, 10) if step == 1 else [1]).ravel()
    minor = minor[(minor >= low / margin) & (minor <= high * margin)]
    _minor_ticks(ax, minor)


def log_ticks(axis: Axis) -> None:
    """Label the powers of ten of a logarithmic axis in plain text."""
    axis.set_major_formatter(FuncFormatter(lambda value, _: decade(value)))
    axis.set_minor_formatter(NullFormatter())


def _minor_ticks(ax: Axes, places: Floats) -> None:
    """Draw minor ticks of the x axis as one line, because matplotlib makes four artists of each tick."""
    settings = mpl.rcParams
    (line,) = ax.plot(
        places,
        np.zeros_like(places),
        ls="none",
        marker=TICKDOWN,
        ms=settings["xtick.minor.size"],
        mew=settings["xtick.minor.width"],
        color=settings["xtick.color"],
        transform=ax.get_xaxis_transform(),
        clip_on=False,
        scalex=False,
        scaley=False,
        label="_minor ticks",
    )
    line.set_in_layout(False)


_SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def decade(value: float) -> str:
    """Return a power of ten as plain text, which is drawn and laid out quicker than a formula.

    >>> decade(1e12), decade(0.001)
    ('10¹²', '10⁻³')
    """
    return "10" + str(round(math.log10(value))).translate(_SUPERSCRIPTS)


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


def note(figure: Figure, text: str) -> None:
    """Write a warning above all panels, such as that the results are incomplete."""
    figure.suptitle(text, fontsize=8, color="#B00000", x=0.01, ha="left")


def one_scale(axes: Sequence[Axes]) -> None:
    """Give panels of the same quantity the same y axis."""
    low, high = np.array([ax.get_ylim() for ax in axes]).T
    for ax in axes:
        ax.set_ylim(low.min(), high.max())


_LEGEND_CHARACTERS = 68  # that fit beside each other into one column of a journal, handles included
_HANDLE_CHARACTERS = 9  # the width of a handle and the space around it


def figure_legend(figure: Figure, handles: Sequence[Artist]) -> None:
    """Add a legend to the figure, in the place of a missing last panel or below all panels."""
    rows, columns = figure.axes[0].get_gridspec().get_geometry()  # type: ignore[union-attr]
    if len(figure.axes) < rows * columns:
        blank = figure.add_subplot(rows, columns, rows * columns)
        blank.set_axis_off()
        blank.legend(handles=list(handles), loc="center left", handlelength=2.2, labelspacing=0.9)
    else:
        longest = max((_length(str(one.get_label())) for one in handles), default=0) + _HANDLE_CHARACTERS
        room = int(_LEGEND_CHARACTERS * figure.get_figwidth() / SINGLE)
        ncols = min(5, len(handles), max(1, room // longest))
        figure.legend(handles=list(handles), loc="outside lower center", ncols=ncols, handlelength=2.2)


def _length(label: str) -> int:
    """Return about how many characters of text a label is as wide as."""
    return len(re.sub(r"\\[a-z]+|[${}^_\\]", "", label))


def outer_labels(axes: Sequence[Axes], columns: int = 2) -> None:
    """Remove axis labels except in the first column and in the last panel of each column."""
    for i, ax in enumerate(axes):
        if i % columns:
            ax.set_ylabel("")
        if i + columns < len(axes):
            ax.set_xlabel("")


def scientific(value: float) -> str:
    r"""Return a positive number, rounded to one digit, in matplotlib's mathtext.

    >>> scientific(8.3e-5)
    '$8\\times10^{-5}$'
    """
    digit, _, power = f"{value:.0e}".partition("e")
    factor = "" if digit == "1" else rf"{digit}\times"
    return f"${factor}10^{{{int(power)}}}$"


_REMARK_POINTS = 10.0  # height of the line of the remark, in points


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


def margin_labels(
    ax: Axes,
    labels: Sequence[tuple[float, str, LineStyle | str]],
    *,
    size: float = 7.5,
    marker: bool = True,
    title: str | None = None,
) -> None:
    """Add a legend to the right of the axes, in the vertical order of the curves' ends.

    Parameters
    ----------
    labels : sequence of (y, text, line style)
        A colour in place of a line style is that of a dotted line.
    size : float
        The font size.
    marker : bool
        Whether the curves have markers.
    title : str, optional
        A line above the legend.
    """
    if labels:
        ordered = sorted(labels, key=lambda label: -label[0])
        ax.legend(
            handles=[
                Line2D([], [], color=line, ls=":", lw=0.9, label=text)
                if isinstance(line, str)
                else handle(line, text, marker=marker)
                for _, text, line in ordered
            ],
            loc="center left",
            bbox_to_anchor=(1.0, 0.5),
            fontsize=size,
            handlelength=2.0,
            handletextpad=0.5,
            title=title,
            title_fontsize=size,
            alignment="left",
        )


def titles(ax: Axes, title: str, remark: str) -> None:
    """Set a title at the left, and a grey remark on a line of its own below it."""
    if remark:
        ax.set_title(title, loc="left", pad=_REMARK_POINTS + 4)
        ax.annotate(
            remark, (0, 1), xycoords="axes fraction", xytext=(0, 3), textcoords="offset points", color=GREY
        )
    else:
        ax.set_title(title, loc="left")
