"""Panels of figures, with their titles and the labels of their axes."""

from __future__ import annotations

import math
import string
import textwrap
from collections.abc import Sequence

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.cbook import is_math_text
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties
from matplotlib.text import Text
from matplotlib.textpath import text_to_path

from ndcg_asymptotics.core.arrays import as_list, brief, instance_of, is_number, whole_number
from ndcg_asymptotics.core.errors import require
from ndcg_asymptotics.plots.style import GREY, require_drawable

SINGLE, DOUBLE = 3.5, 7.2  # widths of one and of two columns of a journal, in inches
_MOST_PANELS, _MOST_INCHES = 1000, 1000
NARROW = 5.0  # a figure that is narrower has one panel in each row
ROWS = 4  # of the panels of a page
_PAGE, _LOWEST = 8.4, 1.6  # height of the rows of a narrow figure, and at least that of a row, in inches


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
        Height of each row, in inches. Many rows of a figure of one column of a journal are lower.
    width : float, optional
        Width of the figure, in inches. By default that of one column of a journal for one panel in each row,
        and that of two columns for more.
    """
    count, columns = whole_number(count, "count", 1, _MOST_PANELS), whole_number(columns, "columns", 1, None)
    for argument, inches in (("width", width), ("height", height)):
        proper = inches is None or (is_number(inches) and 0 < inches <= _MOST_INCHES)
        require(proper, f"must be above 0 and at most {_MOST_INCHES} inches, got {brief(inches)}", argument)
    narrow = width is not None and width < NARROW
    columns = 1 if narrow else min(columns, count)
    rows = math.ceil(count / columns)
    if narrow:
        height = min(height, max(_LOWEST, _PAGE / rows))
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


def axes_of(ax: Axes | None) -> Axes:
    """Return axes of matplotlib, for None the current ones."""
    return plt.gca() if ax is None else instance_of(ax, Axes, "ax")


def note(figure: Figure, text: str, *, color: str = "#B00000") -> None:
    """Write above all panels, by default in red: a warning such as that the results are incomplete."""
    figure = instance_of(figure, Figure, "figure")
    size, room = mpl.rcParams["axes.titlesize"], 0.98 * 72 * figure.get_figwidth()
    text = "\n".join(wrapped(str(text), size, room))
    figure.suptitle(text, fontsize=size, color=color, x=0.01, ha="left")


def one_scale(axes: Sequence[Axes]) -> None:
    """Give panels of the same quantity the same y axis."""
    low, high = np.array([ax.get_ylim() for ax in axes]).T
    for ax in axes:
        ax.set_ylim(low.min(), high.max())


def geometry(ax: Axes) -> tuple[int, int]:
    """Return the numbers of rows and columns of panels of the figure that the axes are a panel of."""
    grid = ax.get_gridspec()
    return (1, 1) if grid is None else grid.get_geometry()


def outer_labels(axes: Sequence[Axes]) -> None:
    """Label an x axis unless the panel below has the same, and y axes at the left of a row of equal ones."""
    axes = [instance_of(ax, Axes, "axes") for ax in as_list(axes, "axes", Axes)]
    if not axes:
        return
    rows, columns = geometry(axes[0])
    quantities = [(ax.get_ylabel(), ax.get_yscale()) for ax in axes]
    ranges = [ax.get_ylim() for ax in axes]
    for i, ax in enumerate(axes):
        if i % columns and quantities[i] == quantities[i - 1]:
            ax.set_ylabel("")
            if ranges[i] == ranges[i - 1]:
                ax.tick_params(axis="y", which="both", labelleft=False)
        if i + columns < len(axes):
            if ax.get_xlabel() == axes[i + columns].get_xlabel():
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


def text_width(text: str, size: float) -> float:
    """Return the width of text in points, at a font size in points."""
    font = FontProperties(size=size)

    def width(line: str) -> float:
        return float(text_to_path.get_text_width_height_descent(line, font, is_math_text(line))[0])

    return max(map(width, text.split("\n")))


def wrapped(text: str, size: float, room: float) -> list[str]:
    """Return text in lines of some width in points; text with a formula stays one line."""
    if "$" in text or text_width(text, size) <= room:
        return [text]
    return textwrap.wrap(text, max(12, int(len(text) * room / text_width(text, size))))


_REMARK_POINTS = 10.0  # height of a line of the remark, in points
_BESIDE = 6.0  # distance of a remark from the title, in points
_BESIDE_AXES = 40.0  # width of the labels beside a panel, in points


def heading(ax: Axes, title: str, *, lines: int = 0) -> Text:
    """Set the panel's letter and title at the left, above some lines of a remark, and return the text."""
    text = " ".join(filter(None, (str(ax.get_label()), title)))
    pad = mpl.rcParams["axes.titlepad"] + _REMARK_POINTS * lines
    return ax.set_title(text, loc="left", pad=pad)


def titles(ax: Axes, title: str, remark: str = "") -> None:
    """Set the panel's letter and title, and a grey remark beside them or, where it is too long, below."""
    require_drawable(title, "title")
    require_drawable(remark, "remark")
    title_text = heading(instance_of(ax, Axes, "ax"), title)
    if not remark:
        return
    size, of_title = mpl.rcParams["font.size"], mpl.rcParams["axes.titlesize"]
    figure = ax.get_figure(root=True)
    assert figure is not None  # for mypy: axes belong to a figure
    room = 72 * figure.get_figwidth() / geometry(ax)[1] - _BESIDE_AXES
    if text_width(title_text.get_text(), of_title) + _BESIDE + text_width(remark, size) <= room:
        ax.annotate(
            remark,
            (1, 1),
            xycoords=(title_text, "axes fraction"),
            xytext=(_BESIDE, mpl.rcParams["axes.titlepad"]),
            textcoords="offset points",
            color=GREY,
        )
        return
    lines = wrapped(remark, size, room)
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
