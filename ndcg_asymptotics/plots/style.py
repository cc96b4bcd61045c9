"""The one style of every figure: a two-column journal's sizes and fonts, colours that survive
colour blindness and grey print, and files that are the same bytes whenever they are drawn."""

from __future__ import annotations

import itertools
import logging
import math
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib import style as mpl_style
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, NullFormatter, NullLocator
from numpy.typing import NDArray

from ndcg_asymptotics.core.arrays import brief
from ndcg_asymptotics.core.errors import InputError, require
from ndcg_asymptotics.core.files import write_file

SINGLE, DOUBLE = 3.5, 7.2  # the widths of one and of two columns, in inches

GREY = "0.35"

_JOURNAL = Path(__file__).with_name("journal.mplstyle")


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
    """Return the colours, dashes and markers of so many curves."""
    cycles = zip(itertools.cycle(COLORS), itertools.cycle(_DASHES), itertools.cycle(_MARKERS), strict=False)
    return [Look(*look) for look in itertools.islice(cycles, count)]


_own: ContextVar[Mapping[Any, Any] | None] = ContextVar("own", default=None)


@contextmanager
def style(file: Path | str | None = None) -> Iterator[None]:
    """Apply the package's settings while a figure is made, drawn into and saved.

    Parameters
    ----------
    file : path, optional
        A matplotlib style file, or the name of one of matplotlib's styles, whose settings take precedence
        over the package's own.

    Raises
    ------
    InputError
        If it is neither.
    """
    token = _own.set(_settings(file) if file is not None else _own.get())
    try:
        with mpl.rc_context(STYLE | dict(_own.get() or {})), warnings.catch_warnings():
            # a name in a script of which no font is at hand is drawn as boxes
            warnings.filterwarnings("ignore", message=".*[Gg]lyph.*missing from")
            yield
    finally:
        _own.reset(token)


class _Refusal(logging.Handler):
    """Turns what matplotlib logs about a style file into an error."""

    def emit(self, record: logging.LogRecord) -> None:
        raise ValueError(record.getMessage().strip().partition("\n")[0])


def _settings(file: Path | str) -> dict[Any, Any]:
    """Return the settings of a style file, or of one of matplotlib's styles."""
    known = mpl_style.library.get(str(file))
    if known is not None:
        return dict(known.items())
    if not Path(file).is_file():
        raise InputError(f"no such file, nor a style of matplotlib's, got {brief(str(file))}", "style")
    refusal, logger = _Refusal(), logging.getLogger("matplotlib")
    logger.addHandler(refusal)
    try:
        return dict(mpl.rc_params_from_file(file, fail_on_error=True, use_default_template=False).items())
    except ValueError as error:
        raise InputError(f"{file}: {error}", "style") from None
    finally:
        logger.removeHandler(refusal)


STYLE: dict[Any, Any] = _settings(_JOURNAL)
"""The settings that every figure is made for."""


def panels(
    count: int, *, columns: int = 2, height: float = 2.3, width: float | None = None
) -> tuple[Figure, list[Axes]]:
    """A figure with ``count`` panels: one column wide if there is one panel, else two columns wide.

    ``width`` is that of the figure, ``height`` that of a row, in inches.
    """
    columns = min(columns, count)
    rows = math.ceil(count / columns)
    if width is None:
        width = SINGLE if columns == 1 else DOUBLE
    require(1 <= width <= 40, f"must be from 1 to 40 inches, got {width:g}", "width")
    figure = Figure(figsize=(width, rows * height), layout="constrained")
    axes = [figure.add_subplot(rows, columns, i + 1) for i in range(count)]
    return figure, axes


FORMATS = ("svg", "png", "pdf")

_METADATA: dict[str, dict[str, Any]] = {  # nothing that changes from one day to the next
    "svg": {"Date": None, "Creator": None},
    "png": {"Software": None},
    "pdf": {"CreationDate": None, "Creator": None, "Producer": None},
}


def save(
    figure: Figure,
    folder: Path | str,
    name: str,
    *,
    formats: Sequence[str] = ("svg", "png"),
    dpi: float = 200,
) -> tuple[Path, ...]:
    """Write ``name.svg`` and ``name.png`` (or other formats) into the folder, made if it is not there.

    None of them holds a date or a random identifier: the same figure is the same bytes.

    Raises
    ------
    InputError
        For a format that is not one of svg, png, pdf, or a resolution outside 10 to 2400.
    """
    require_savable(formats, dpi)
    paths = [Path(folder) / f"{name}.{form}" for form in formats]
    with style():
        for path, form in zip(paths, formats, strict=True):
            drawn = BytesIO()
            figure.savefig(drawn, format=form, dpi=dpi, metadata=_METADATA[form])
            write_file(path, drawn.getvalue())
    return tuple(paths)


def require_savable(formats: Sequence[str], dpi: float) -> None:
    """Refuse formats and resolutions that `save` does not write."""
    for form in formats:
        require(form in FORMATS, f"must be of {', '.join(FORMATS)}, got {brief(form)}", "format")
    require(10 <= dpi <= 2400, f"must be from 10 to 2400, got {dpi:g}", "dpi")


def length_axis(ax: Axes, sizes: Sequence[int] | NDArray[Any], *, most: int = 8) -> None:
    """A logarithmic axis of list lengths, with ``most`` labelled powers of ten or fewer."""
    low, high = float(min(sizes)), float(max(sizes))
    ax.set_xscale("log")
    ax.set_xlabel("list length $n$")
    if low == high:
        ax.set_xlim(low / 10, high * 10)
        ax.set_xticks([low], [f"{low:g}"])
        ax.xaxis.set_minor_locator(NullLocator())
        return
    room = (high / low) ** 0.02  # so that markers at the ends are whole
    ax.set_xlim(low / room, high * room)
    step = math.ceil((math.log10(high / low) + 1e-9) / most)
    ticks = 10.0 ** np.arange(math.ceil(math.log10(low) / step) * step, math.log10(high) + 1e-9, step)
    if len(ticks) > 1:
        ax.set_xticks(ticks)
    minor = LogLocator(subs=tuple(range(2, 10))) if step == 1 else LogLocator(numticks=99)
    ax.xaxis.set_minor_locator(minor)
    ax.xaxis.set_minor_formatter(NullFormatter())


def band(ax: Axes, x: Any, low: Any, high: Any, color: Any, alpha: float) -> None:
    """A band between two curves, or a bar if they have a single point."""
    if len(x) > 1:
        ax.fill_between(x, low, high, color=color, alpha=alpha, lw=0)
    else:
        ax.vlines(x, low, high, color=color, alpha=alpha, lw=8)


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
