"""The one style of every figure: a two-column journal's sizes and fonts, colours that survive
colour blindness and grey print, and files that are the same bytes whenever they are drawn."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, NullFormatter
from numpy.typing import NDArray
from scipy.optimize import isotonic_regression

SINGLE, DOUBLE = 3.5, 7.2  # the widths of one and of two columns, in inches

GREY = "0.35"

STYLE: dict[Any, Any] = {
    "font.family": "STIXGeneral",  # comes with matplotlib, so figures agree between machines
    "mathtext.fontset": "stix",
    "font.size": 8.5,
    "axes.titlesize": 8.5,
    "axes.labelsize": 8.5,
    "xtick.labelsize": 7.5,
    "ytick.labelsize": 7.5,
    "legend.fontsize": 7.5,
    "legend.frameon": False,
    "axes.linewidth": 0.6,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "xtick.major.width": 0.6,
    "ytick.major.width": 0.6,
    "xtick.minor.width": 0.4,
    "xtick.major.size": 3.0,
    "ytick.major.size": 3.0,
    "xtick.minor.size": 1.6,
    "lines.linewidth": 1.1,
    "lines.markersize": 3.2,
    "figure.constrained_layout.use": True,
    "figure.dpi": 200,
    "savefig.dpi": 200,
    "svg.fonttype": "path",
    "svg.hashsalt": "ndcg-asymptotics",
}


@dataclass(frozen=True)
class Look:
    """How one curve is drawn: told apart by colour, by dashes and by marker."""

    color: str
    dashes: Any
    marker: str


# Okabe and Ito's palette, dark ones first.
COLORS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#000000")
_DASHES: tuple[Any, ...] = ("-", (0, (5, 1.5)), (0, (4, 1.2, 1, 1.2)), (0, (2, 1)))
_MARKERS = ("o", "s", "^", "D", "v", "P", "X")


def looks(count: int) -> list[Look]:
    """As many looks as there are curves."""
    cycles = zip(itertools.cycle(COLORS), itertools.cycle(_DASHES), itertools.cycle(_MARKERS), strict=False)
    return [Look(*look) for look in itertools.islice(cycles, count)]


@contextmanager
def style() -> Iterator[None]:
    """Matplotlib's settings while a figure is made, drawn into and saved."""
    with mpl.rc_context(STYLE):
        yield


def panels(count: int, *, columns: int = 2, height: float = 2.3) -> tuple[Figure, list[Axes]]:
    """A figure with ``count`` panels: one column wide if there is one panel, else two columns wide.

    ``height`` is that of a row, in inches.
    """
    columns = min(columns, count)
    rows = math.ceil(count / columns)
    width = SINGLE if columns == 1 else DOUBLE
    figure = Figure(figsize=(width, rows * height), layout="constrained")
    axes = [figure.add_subplot(rows, columns, i + 1) for i in range(count)]
    return figure, axes


def save(figure: Figure, folder: Path | str, name: str) -> tuple[Path, Path]:
    """Write ``name.svg`` and ``name.png`` (200 dpi) into the folder, made if it is not there.

    Neither holds a date or a random identifier: the same figure is the same bytes.
    """
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    svg, png = folder / f"{name}.svg", folder / f"{name}.png"
    with style():
        figure.savefig(svg, metadata={"Date": None, "Creator": None})
        figure.savefig(png, metadata={"Software": None})
    return svg, png


def length_axis(ax: Axes, sizes: Sequence[int] | NDArray[Any], *, most: int = 8) -> None:
    """A logarithmic axis of list lengths, with ``most`` labelled powers of ten or fewer."""
    low, high = float(min(sizes)), float(max(sizes))
    high = high if high > low else low * 10
    room = (high / low) ** 0.02  # so that markers at the ends are whole
    ax.set_xscale("log")
    ax.set_xlim(low / room, high * room)
    step = math.ceil((math.log10(high / low) + 1e-9) / most)
    ticks = 10.0 ** np.arange(math.ceil(math.log10(low) / step) * step, math.log10(high) + 1e-9, step)
    if len(ticks) > 1:
        ax.set_xticks(ticks)
    minor = LogLocator(subs=tuple(range(2, 10))) if step == 1 else LogLocator(numticks=99)
    ax.xaxis.set_minor_locator(minor)
    ax.xaxis.set_minor_formatter(NullFormatter())
    ax.set_xlabel("list length $n$")


def margin_labels(ax: Axes, labels: Sequence[tuple[float, str, str]], *, size: float = 7.5) -> None:
    """Labels in the right margin, each as near its height in data as the others allow.

    Parameters
    ----------
    labels : sequence of (y, text, colour)
    """
    if not labels:
        return
    to_axes = ax.transData + ax.transAxes.inverted()
    x = ax.get_xlim()[0]
    points = ax.get_window_extent().height * 72 / ax.figure.dpi
    line = 1.25 * size / points
    order = sorted(range(len(labels)), key=lambda i: labels[i][0])
    heights = [line * (1 + labels[i][1].count("\n")) for i in order]
    wanted = np.array([to_axes.transform((x, labels[i][0]))[1] for i in order])
    # least-squares positions in order, without overlap and within the axes' height: isotonic
    # regression of y less the room that the labels below take
    room = np.cumsum(heights) - np.array(heights) / 2
    stacked = np.asarray(isotonic_regression(wanted - room).x)
    placed = np.clip(stacked, 0.0, max(0.0, 1.03 - sum(heights))) + room
    for i, y, asked in zip(order, placed, wanted, strict=True):
        _, text, color = labels[i]
        if abs(y - asked) > line / 4:
            ax.plot([1.0, 1.03], [asked, y], transform=ax.transAxes, color=color, lw=0.5, clip_on=False)
        ax.text(1.04, y, text, transform=ax.transAxes, va="center", ha="left", color=color, fontsize=size)


def note(figure: Figure, text: str) -> None:
    """A remark above everything else, such as that the results are incomplete."""
    figure.suptitle(text, fontsize=8, color="#B00000", x=0.01, ha="left")


def key(figure: Figure, handles: Sequence[Any]) -> None:
    """The key of the figure: in the place of a missing last panel, or below all panels."""
    rows, columns = figure.axes[0].get_gridspec().get_geometry()  # type: ignore[union-attr]
    if len(figure.axes) < rows * columns:
        blank = figure.add_subplot(rows, columns, rows * columns)
        blank.set_axis_off()
        blank.legend(handles=list(handles), loc="center left", handlelength=2.2, labelspacing=0.9)
    else:
        ncols = 2 if columns == 1 else 5
        figure.legend(handles=list(handles), loc="outside lower center", ncols=ncols, handlelength=2.2)


def outer_labels(axes: Sequence[Axes], columns: int = 2) -> None:
    """Leave axis labels to the first column and to the last panel of each column."""
    for i, ax in enumerate(axes):
        if i % columns:
            ax.set_ylabel("")
        if i + columns < len(axes):
            ax.set_xlabel("")


def scientific(value: float) -> str:
    """A positive number to one digit, as mathtext.

    >>> scientific(8.3e-5)
    '$8\\\\times10^{-5}$'
    """
    digit, _, power = f"{value:.0e}".partition("e")
    factor = "" if digit == "1" else rf"{digit}\times"
    return f"${factor}10^{{{int(power)}}}$"
