"""The style that all figures share, their panels, legends and axes, and how they are saved.

Figures have the sizes and fonts of a two-column journal and colours that survive colour blindness and grey
print, and are the same bytes whenever they are drawn.
"""

from __future__ import annotations

import functools
import hashlib
import itertools
import logging
import math
import re
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
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
from matplotlib.lines import Line2D
from matplotlib.ticker import LogLocator, NullFormatter, NullLocator
from numpy.typing import NDArray

from ndcg_asymptotics.core.arrays import brief
from ndcg_asymptotics.core.errors import InputError, require
from ndcg_asymptotics.core.files import write_file
from ndcg_asymptotics.core.progress import tracked

SINGLE, DOUBLE = 3.5, 7.2  # widths of one and of two columns of a journal, in inches

GREY = "0.35"


@dataclass(frozen=True)
class LineStyle:
    """The colour, dashes and marker that tell a curve from the others of its panel."""

    color: str
    dashes: Any
    marker: str


# the palette of Okabe and Ito for colour blindness, dark colours first
COLORS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#000000")
_DASHES: tuple[Any, ...] = ("-", (0, (5, 1.5)), (0, (4, 1.2, 1, 1.2)), (0, (2, 1)))
_MARKERS = ("o", "s", "^", "D", "v", "P", "X")


def line_styles(count: int) -> list[LineStyle]:
    """Return the line styles of ``count`` curves."""
    cycles = zip(itertools.cycle(COLORS), itertools.cycle(_DASHES), itertools.cycle(_MARKERS), strict=False)
    return [LineStyle(*line) for line in itertools.islice(cycles, count)]


_user_settings: ContextVar[Mapping[Any, Any] | None] = ContextVar("user_settings", default=None)


@contextmanager
def style(file: Path | str | None = None) -> Iterator[None]:
    """Apply the package's settings inside a ``with`` block in which a figure is made, drawn into and saved.

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
    token = _user_settings.set(_settings(file) if file is not None else _user_settings.get())
    try:
        with mpl.rc_context(STYLE | dict(_user_settings.get() or {})), warnings.catch_warnings():
            # a character that no installed font has is drawn as a box
            warnings.filterwarnings("ignore", message=".*[Gg]lyph.*missing from")
            yield
    finally:
        _user_settings.reset(token)


class _Refusal(logging.Handler):
    """A handler that raises what matplotlib logs about a style file as an error."""

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


STYLE: dict[Any, Any] = _settings(Path(__file__).with_name("journal.mplstyle"))
"""Settings of matplotlib that every figure is made for."""


def measure_panels(
    measures: Sequence[Any], draw: Callable[[Any, Axes], object], handles: Sequence[Any], width: float | None
) -> Figure:
    """Return a figure with a panel for each measure, drawn by ``draw(measure, ax)``, and a legend."""
    with style():
        figure, axes = panels(len(measures), height=2.9 if len(measures) == 1 else 2.3, width=width)
        for measure, ax in zip(measures, axes, strict=True):
            draw(measure, ax)
        outer_labels(axes)
        figure_legend(figure, handles)
    return figure


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


FORMATS = ("svg", "png", "pdf")

_METADATA: dict[str, dict[str, Any]] = {  # no dates or versions, so that files are reproducible
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
    """Write ``name.svg`` and ``name.png`` (or other formats) into a folder, which is created if necessary.

    The files have no dates or random identifiers: the same figure gives the same bytes.

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
    """Raise `InputError` for formats and resolutions that `save` does not write."""
    for form in formats:
        require(form in FORMATS, f"must be of {', '.join(FORMATS)}, got {brief(form)}", "format")
    require(10 <= dpi <= 2400, f"must be from 10 to 2400, got {dpi:g}", "dpi")


def length_axis(ax: Axes, sizes: Sequence[int] | NDArray[Any], *, most: int = 8) -> None:
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
        ax.set_xticks(ticks)
    minor = LogLocator(subs=tuple(range(2, 10))) if step == 1 else LogLocator(numticks=99)
    ax.xaxis.set_minor_locator(minor)
    ax.xaxis.set_minor_formatter(NullFormatter())


def band(ax: Axes, x: Any, low: Any, high: Any, color: Any, alpha: float) -> None:
    """Draw a band between two curves, or a bar if they have a single point."""
    if len(x) > 1:
        ax.fill_between(x, low, high, color=color, alpha=alpha, lw=0)
    else:
        ax.vlines(x, low, high, color=color, alpha=alpha, lw=8)


def note(figure: Figure, text: str) -> None:
    """Write a warning above all panels, such as that the results are incomplete."""
    figure.suptitle(text, fontsize=8, color="#B00000", x=0.01, ha="left")


def figure_legend(figure: Figure, handles: Sequence[Any]) -> None:
    """Add a legend to the figure, in the place of a missing last panel or below all panels."""
    rows, columns = figure.axes[0].get_gridspec().get_geometry()  # type: ignore[union-attr]
    if len(figure.axes) < rows * columns:
        blank = figure.add_subplot(rows, columns, rows * columns)
        blank.set_axis_off()
        blank.legend(handles=list(handles), loc="center left", handlelength=2.2, labelspacing=0.9)
    else:
        ncols = 2 if columns == 1 else 5
        figure.legend(handles=list(handles), loc="outside lower center", ncols=ncols, handlelength=2.2)


def outer_labels(axes: Sequence[Axes], columns: int = 2) -> None:
    """Remove axis labels except in the first column and in the last panel of each column."""
    for i, ax in enumerate(axes):
        if i % columns:
            ax.set_ylabel("")
        if i + columns < len(axes):
            ax.set_xlabel("")


def scientific(value: float) -> str:
    """Return a positive number, rounded to one digit, in matplotlib's mathtext.

    >>> scientific(8.3e-5)
    '$8\\\\times10^{-5}$'
    """
    digit, _, power = f"{value:.0e}".partition("e")
    factor = "" if digit == "1" else rf"{digit}\times"
    return f"${factor}10^{{{int(power)}}}$"


_REMARK_POINTS = 10.0  # height of the line of the remark, in points


def margin_labels(ax: Axes, labels: Sequence[tuple[float, str, str]], *, size: float = 7.5) -> None:
    """Add a legend to the right of the axes, in the vertical order of the curves' ends.

    Parameters
    ----------
    labels : sequence of (y, text, colour)
    size : float
        The font size.
    """
    if labels:
        ordered = sorted(labels, key=lambda label: -label[0])
        ax.legend(
            handles=[Line2D([], [], color=color, label=text) for _, text, color in ordered],
            loc="center left",
            bbox_to_anchor=(1.0, 0.5),
            fontsize=size,
            labelcolor="linecolor",
            handlelength=0.8,
            handletextpad=0.4,
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


_LONGEST = 120  # bytes of a file name; file systems allow 255

Words = tuple[str, ...]
"""The words that a file name is made of, such as the text of a measure."""


def save_by_measure(
    kind: str,
    measures: Sequence[str],
    figure: Callable[[tuple[str]], Figure],
    folder: Path | str,
    **saved: Any,
) -> list[Path]:
    """Draw and save ``figure((measure,))`` for each measure, in files that begin with ``kind``."""
    return save_all([((kind, m), functools.partial(figure, (m,))) for m in measures], folder, **saved)


def save_all(
    figures: Sequence[tuple[Words, Callable[[], Figure]]],
    folder: Path | str,
    *,
    formats: Sequence[str] = ("svg", "png"),
    dpi: float = 200,
    style_file: Path | str | None = None,
) -> list[Path]:
    """Draw and save figures one after another, under the names that `file_names` makes of their words.

    Parameters
    ----------
    figures : sequence of (words, function that draws)
    folder : path
        Folder for the files.
    formats : sequence of {"svg", "png", "pdf"}
    dpi : float
        Dots per inch of PNG files.
    style_file : path, optional
        A matplotlib style file, or the name of one of matplotlib's styles, as for `style`.

    Returns
    -------
    list of Path
        The files written.

    Raises
    ------
    InputError
        For an unknown format, resolution or style, before anything is drawn.
    """
    require_savable(formats, dpi)
    names = file_names([words for words, _ in figures])
    files: list[Path] = []
    with style(style_file):
        for name, (_, draw) in tracked(zip(names, figures, strict=True), "figures"):
            files += save(draw(), folder, name, formats=formats, dpi=dpi)
    return files


def file_names(figures: Sequence[Words]) -> list[str]:
    """Return the words of figures as file names that need no quoting.

    Names that are too long, or that differ from another only in case, end in a digest of their words.

    >>> file_names([("nDCG(power(0.5))@0.2n",), ("order", "a b", "c"), ("order", "a-b", "c")])
    ['nDCG-power-0.5-0.2n', 'order-a-b-c-f01d5d37', 'order-a-b-c-d0add6dd']
    """
    plain = [re.sub(r"[^\w.]+", "-", " ".join(words)).strip("-.") for words in figures]
    short = [name.encode()[:_LONGEST].decode(errors="ignore") for name in plain]
    often = Counter(name.casefold() for name in short)
    return [
        name if name and name == whole and often[name.casefold()] == 1 else f"{name}-{_digest(words)}"
        for name, whole, words in zip(short, plain, figures, strict=True)
    ]


def _digest(words: Words) -> str:
    return hashlib.blake2b(repr(words).encode(), digest_size=4).hexdigest()
