"""Panels, axes and legends of figures."""

from __future__ import annotations

import itertools
import math
import re
import string
import textwrap
from collections.abc import Sequence
from typing import TYPE_CHECKING

import matplotlib as mpl
import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.backend_bases import RendererBase
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.markers import TICKDOWN
from matplotlib.patches import Patch
from matplotlib.text import Annotation, Text
from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator

from ndcg_asymptotics.core.arrays import Floats, Integers
from ndcg_asymptotics.core.errors import require
from ndcg_asymptotics.plots.style import GREY, LineStyle

if TYPE_CHECKING:
    from matplotlib.typing import ColorType, LineStyleType
    from numpy.typing import ArrayLike, NDArray

SINGLE, DOUBLE = 3.5, 7.2  # widths of one and of two columns of a journal, in inches
_NARROW = 5.0  # a figure that is narrower has one panel in each row


def panels(
    count: int, *, columns: int = 2, height: float = 2.3, width: float | None = None
) -> tuple[Figure, list[Axes]]:
    """Return a figure with ``count`` panels, which `titles` gives the letters (a), (b) and so on.

    Parameters
    ----------
    count : int
    columns : int
        The largest number of panels in a row. A figure of one column of a journal has one.
    height : float
        Height of each row, in inches.
    width : float, optional
        Width of the figure, in inches. By default that of one column of a journal for one panel in each row,
        and that of two columns for more.
    """
    columns = 1 if width is not None and width < _NARROW else min(columns, count)
    rows = math.ceil(count / columns)
    if width is None:
        width = SINGLE if columns == 1 else DOUBLE
    require(1 <= width <= 40, f"must be from 1 to 40 inches, got {width:g}", "width")
    figure = Figure(figsize=(width, rows * height), layout="constrained")
    axes = [figure.add_subplot(rows, columns, i + 1, label=_letter(i, count)) for i in range(count)]
    return figure, axes


def _letter(i: int, count: int) -> str:
    """Return the letter of a panel, which is doubled after z; a single panel has none."""
    alphabet = string.ascii_lowercase
    return f"({alphabet[i % len(alphabet)] * (1 + i // len(alphabet))})" if count > 1 else ""


def length_axis(ax: Axes, sizes: Sequence[int] | Integers, *, most: int = 8) -> None:
    """Make the x axis a logarithmic one of list lengths, with at most ``most`` labelled powers of ten.

    Fewer than two decades are labelled at 1, 2 and 5 times powers of ten.
    """
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
    if len(ticks) > 2 or high >= _LAST_IN_DIGITS:
        ax.set_xticks(ticks, [decade(tick) for tick in ticks])
    else:
        within = np.outer(10.0 ** np.arange(math.floor(math.log10(low)), math.log10(high) + 1), [1, 2, 5])
        few = within[(within >= low / margin) & (within <= high * margin)]
        ax.set_xticks(few, [f"{tick:g}" for tick in few])
    ax.xaxis.set_minor_locator(NullLocator())
    decades = 10.0 ** np.arange(math.floor(math.log10(low)), math.log10(high) + 1)
    minor = np.outer(decades, np.arange(2, 10) if step == 1 else [1]).ravel()
    minor = minor[(minor >= low / margin) & (minor <= high * margin)]
    _minor_ticks(ax, minor)


def log_ticks(axis: Axis) -> None:
    """Label the powers of ten of a logarithmic axis in plain text and, of one decade, 2 and 5 times these."""

    def minor(value: float, _: int) -> str:
        low, high = sorted(axis.get_view_interval())
        return f"{value:g}" if math.log10(high / low) <= _FEW_DECADES else ""

    axis.set_major_formatter(FuncFormatter(lambda value, _: decade(value)))
    axis.set_minor_locator(LogLocator(subs=(2, 5)))
    axis.set_minor_formatter(FuncFormatter(minor))
    axis.set_tick_params(which="minor", labelsize=mpl.rcParams["ytick.labelsize"])


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


_LAST_IN_DIGITS = 1e5  # lengths from here on are labelled as powers of ten
_FEW_DECADES = 2.0  # up to which minor ticks are labelled
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


_LEGEND_CHARACTERS = 76  # that fit beside each other into one column of a journal, handles included
_HANDLE_CHARACTERS = 7  # the width of a handle and the space around it


def figure_legend(figure: Figure, handles: Sequence[Artist]) -> None:
    """Add a legend to the figure, in the place of a missing last panel or below all panels."""
    rows, columns = _geometry(figure.axes[0])
    if len(figure.axes) < rows * columns:
        blank = figure.add_subplot(rows, columns, rows * columns)
        blank.set_axis_off()
        blank.legend(handles=list(handles), loc="center left", handlelength=2.0, labelspacing=0.7)
    else:
        room = int(_LEGEND_CHARACTERS * figure.get_figwidth() / SINGLE)
        for one in handles:
            label = str(one.get_label())
            if "$" not in label and len(label) + _HANDLE_CHARACTERS > room:
                one.set_label(textwrap.fill(label, room - _HANDLE_CHARACTERS))
        longest = max((_length(str(one.get_label())) for one in handles), default=0) + _HANDLE_CHARACTERS
        ncols = min(5, len(handles), max(1, room // longest))
        figure.legend(
            handles=list(handles),
            loc="outside lower center",
            ncols=ncols,
            handlelength=2.0,
            columnspacing=1.2,
            handletextpad=0.5,
            borderaxespad=0.0,
            borderpad=0.2,
        )


def _geometry(ax: Axes) -> tuple[int, int]:
    """Return the numbers of rows and columns of panels of the figure that the axes are a panel of."""
    grid = ax.get_gridspec()
    return (1, 1) if grid is None else grid.get_geometry()


def _length(label: str) -> int:
    """Return about how many characters of text a label is as wide as."""
    plain = re.sub(r"\\[a-z]+|[${}^_\\]", "", label)
    return max(map(len, plain.split("\n")))


def outer_labels(axes: Sequence[Axes]) -> None:
    """Label x axes below the last panel of each column, and y axes at the left of a row of equal ones."""
    rows, columns = _geometry(axes[0])
    quantities = [(ax.get_ylabel(), ax.get_yscale()) for ax in axes]
    ranges = [ax.get_ylim() for ax in axes]
    for i, ax in enumerate(axes):
        if i % columns and quantities[i] == quantities[i - 1]:
            ax.set_ylabel("")
            if ranges[i] == ranges[i - 1]:
                ax.tick_params(axis="y", which="both", labelleft=False)
        if i + columns < len(axes):
            ax.set_xlabel("")
        elif i < (rows - 1) * columns:
            _hang_xlabel(ax)


_BELOW_TICKS = -17.0  # place of a hung x label, in points from the axes


def _hang_xlabel(ax: Axes) -> None:
    """Write the x label into the free place below a panel, so that its row keeps its distance to the next."""
    label = ax.annotate(
        ax.get_xlabel(),
        (0.5, 0),
        xycoords="axes fraction",
        xytext=(0, _BELOW_TICKS),
        textcoords="offset points",
        ha="center",
        va="top",
        size=mpl.rcParams["axes.labelsize"],
    )
    label.set_in_layout(False)
    ax.set_xlabel("")


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


class _MarginLabel(Annotation):
    """A text at the right of the axes, as near to the end of its curve as the others of the axes allow."""

    column: Sequence[_MarginLabel] = ()

    def update_positions(self, renderer: RendererBase) -> None:
        _spread(self.column)
        super().update_positions(renderer)


_LEADER_POINTS = 8.0  # length of the line between the axes and a label
_LINE_HEIGHT = 1.25  # of a line of text, in font sizes


def _spread(labels: Sequence[_MarginLabel]) -> None:
    """Move labels, which are in order from the lowest up, from their curves' ends as little as possible.

    Positions p with p[i+1] - p[i] >= d[i] that are nearest to the ends are an isotonic regression of the ends
    less the sums of d.
    """
    from scipy.optimize import isotonic_regression  # here: it takes a tenth of a second to load

    ax = labels[0].axes
    assert ax is not None  # for mypy: labels belong to axes
    point = ax.get_figure(root=True).dpi / 72  # type: ignore[union-attr]
    heights = [
        _LINE_HEIGHT * float(one.get_fontsize()) * (1 + one.get_text().count("\n")) * point for one in labels
    ]
    ends = ax.get_yaxis_transform().transform([one.xy for one in labels])[:, 1]
    ends = np.clip(np.nan_to_num(ends, nan=ax.bbox.y0), ax.bbox.y0, ax.bbox.y1)
    apart = np.cumsum([0.0, *((below + above) / 2 for below, above in itertools.pairwise(heights))])
    lowest, highest = ax.bbox.y0 + heights[0] / 2, ax.bbox.y1 - heights[-1] / 2 - apart[-1]
    middle = (lowest + highest) / 2  # more labels than the axes are high are centred
    free = np.clip(isotonic_regression(ends - apart).x, min(lowest, middle), max(highest, middle))
    for one, end, place in zip(labels, ends, free + apart, strict=True):
        one.xyann = (_LEADER_POINTS, (place - end) / point)


def margin_labels(ax: Axes, labels: Sequence[tuple[float, str, LineStyle | str]]) -> None:
    """Write a label at the right end of each curve; labels that would overlap are moved apart.

    Parameters
    ----------
    ax : Axes
    labels : sequence of (y, text, line style)
        The height at which a curve ends, its label, and its line style. A colour in place of a line style is
        that of a dotted line.
    """
    column = []
    for end, text, line in sorted(labels, key=lambda label: label[0]):
        color, dashes = (line, ":") if isinstance(line, str) else (line.color, line.dashes)
        leader = {"arrowstyle": "-", "color": color, "ls": dashes, "lw": 0.9, "relpos": (0, 0.5)}
        label = _MarginLabel(
            text,
            (1, end),
            xycoords=ax.get_yaxis_transform(),
            xytext=(_LEADER_POINTS, 0),
            textcoords="offset points",
            va="center",
            size=mpl.rcParams["legend.fontsize"],
            linespacing=1.0,
            arrowprops={**leader, "shrinkA": 1.0, "shrinkB": 0.0},
            annotation_clip=False,
            clip_on=False,
        )
        ax.add_artist(label)
        column.append(label)
    for label in column:
        label.column = column


_REMARK_POINTS = 10.0  # height of a line of the remark, in points
_CHARACTER = 0.47  # width of a character, in font sizes


def heading(ax: Axes, title: str, *, lines: int = 0) -> Text:
    """Set the panel's letter and title at the left, above some lines of a remark, and return the text."""
    text = " ".join(filter(None, (str(ax.get_label()), title)))
    pad = mpl.rcParams["axes.titlepad"] + _REMARK_POINTS * lines
    return ax.set_title(text, loc="left", pad=pad)


def titles(ax: Axes, title: str, remark: str = "") -> None:
    """Set the panel's letter and title, and a grey remark beside them or, where it is too long, below."""
    shown = heading(ax, title)
    if not remark:
        return
    points = ax.bbox.width / ax.get_figure(root=True).dpi * 72  # type: ignore[union-attr]
    room = max(12, int(points / (_CHARACTER * mpl.rcParams["font.size"])))
    if _length(shown.get_text()) + 2 + _length(remark) <= room:
        ax.annotate(
            remark,
            (1, 1),
            xycoords=(shown, "axes fraction"),
            xytext=(6, mpl.rcParams["axes.titlepad"]),
            textcoords="offset points",
            color=GREY,
        )
        return
    lines = [remark] if "$" in remark else textwrap.wrap(remark, room)
    heading(ax, title, lines=len(lines))
    ax.annotate(
        "\n".join(lines),
        (0, 1),
        xycoords="axes fraction",
        xytext=(0, 3),
        textcoords="offset points",
        color=GREY,
        linespacing=1.0,
    )
