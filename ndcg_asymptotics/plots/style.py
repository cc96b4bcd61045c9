"""The style that all figures share, their panels, legends and axes, and how they are saved.

Figures have the sizes and fonts of a two-column journal and colours that survive colour blindness and grey
print, and are the same bytes whenever they are drawn. `save` can turn them into figures for dark pages.
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
from matplotlib.axis import Axis
from matplotlib.colors import to_hex, to_rgb
from matplotlib.figure import Figure
from matplotlib.image import imread, imsave
from matplotlib.lines import Line2D
from matplotlib.markers import TICKDOWN
from matplotlib.ticker import FuncFormatter, NullFormatter, NullLocator
from numpy.typing import ArrayLike, NDArray

from ndcg_asymptotics.core.arrays import Floats, brief
from ndcg_asymptotics.core.errors import InputError, require
from ndcg_asymptotics.core.files import write_file
from ndcg_asymptotics.core.progress import tracked
from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.measures.discounts import Discount

SINGLE, DOUBLE = 3.5, 7.2  # widths of one and of two columns of a journal, in inches

GREY = "0.35"


@dataclass(frozen=True)
class LineStyle:
    """The colour, dashes and marker that tell a curve from the others of its panel."""

    color: str
    dashes: Any
    marker: str


# the palette of Okabe and Ito for colour blindness, dark colours first, and an eighth colour of Tol's
COLORS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#000000", "#882255")
_DASHES: tuple[Any, ...] = ("-", (0, (5, 1.5)), (0, (4, 1.2, 1, 1.2)), (0, (2, 1)))
_MARKERS = ("o", "s", "^", "D", "v", "P", "X", "h")


def line_styles(count: int) -> list[LineStyle]:
    """Return the line styles of ``count`` curves."""
    cycles = zip(itertools.cycle(COLORS), itertools.cycle(_DASHES), itertools.cycle(_MARKERS), strict=False)
    return [LineStyle(*line) for line in itertools.islice(cycles, count)]


# The dashes of each kind of cutoff, and how much it darkens (or, below 0, lightens) the colour of a discount
_OF_REGIME: dict[str, tuple[Any, float]] = {
    "none": (_DASHES[0], 0.0),
    "fixed": (_DASHES[1], -0.3),
    "fraction": (_DASHES[2], 0.35),
    "sublinear": (_DASHES[3], -0.2),
}
_MOST_SHADE = 0.5


def measure_style(measure: Measure | str) -> LineStyle:
    """Return the line style of a measure, which is the same in every figure.

    The discount decides the colour and the marker (`Discount.color`), and the cutoff the dashes. A parameter
    darkens the colour as it grows: b of the discount r^-b, the base of a geometric one, k, and the c and a of
    the cutoffs cn and n^a.

    >>> measure_style("nDCG").color, measure_style("nDCG@10").color, measure_style("nDCG(zipf)").marker
    ('#0072b2', '#882255', '^')
    >>> measure_style("nDCG(power(0.3))").color == measure_style("nDCG(power(0.7))").color
    False
    """
    try:
        measure = Measure.of(measure)
    except InputError:  # the module of a custom discount may not be importable here
        return LineStyle(Discount.color, _DASHES[0], Discount.marker)
    discount, regime = measure.discount, measure.cutoff.regime
    dashes, of_regime = _OF_REGIME[regime]
    shade = discount.shade + measure.cutoff.shade
    if regime not in discount.cut_colors:
        shade += of_regime
    goal = (0.0, 0.0, 0.0) if shade > 0 else (1.0, 1.0, 1.0)
    part = min(abs(shade), _MOST_SHADE)
    color = to_rgb(discount.cut_colors.get(regime, discount.color))
    mixed = (1 - part) * np.array(color) + part * np.array(goal)
    return LineStyle(_hex(mixed), dashes, discount.marker)


def _hex(rgb: Floats) -> str:
    red, green, blue = map(float, rgb)
    return to_hex((red, green, blue))


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
        If it is neither, or matplotlib cannot draw with it.
    """
    token = _user_settings.set(_tried(file) if file is not None else _user_settings.get())
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


def _tried(file: Path | str) -> dict[Any, Any]:
    """Return the settings of a style, with which a small figure was drawn.

    Matplotlib notices some settings only when it draws, such as LaTeX that is not installed.
    """
    settings = _settings(file)
    with mpl.rc_context(STYLE | settings):
        try:
            figure = Figure(figsize=(1, 1))
            ax = figure.add_subplot(title="A title", xlabel="n")
            ax.plot([1, 2], [1, 2], "o--", label="a curve")
            ax.legend()
            figure.savefig(BytesIO(), format="png", dpi=20)
        except Exception as error:  # whatever comes of a value that matplotlib did not check
            said = (str(error).splitlines() or [""])[0]
            raise InputError(f"{file}: matplotlib cannot draw with it ({said})", "style") from None
    return settings


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
    formats: Sequence[str] = ("png",),
    dpi: float = 200,
    dark: bool = False,
) -> tuple[Path, ...]:
    """Write ``name.png``, or files in other formats, into a folder, which is created if necessary.

    The files have no dates or random identifiers: the same figure gives the same bytes.

    Parameters
    ----------
    figure : Figure
    folder : path
    name : str
    formats : sequence of {"svg", "png", "pdf"}
    dpi : float
        Dots per inch of PNG files.
    dark : bool
        Whether to draw for a dark page: light text on a dark ground, in colours of the same hues.

    Raises
    ------
    InputError
        For a format that is not one of svg, png, pdf, a resolution outside 10 to 2400, or a dark PDF.
    """
    require_savable(formats, dpi, dark=dark)
    paths = [Path(folder) / f"{name}.{form}" for form in formats]
    with style(), _laid_out(figure):
        for path, form in zip(paths, formats, strict=True):
            drawn = BytesIO()
            figure.savefig(drawn, format=form, dpi=dpi, metadata=_METADATA[form])
            data = drawn.getvalue()
            if form == "svg":
                data = data.replace(*_FONTS)
            write_file(path, _DARKENED[form](data) if dark else data)
    return tuple(paths)


# Text of an SVG is text, which a browser shows in the font of figures or, without it, in a similar one.
_FONTS = (b"'STIXGeneral'", b"'STIXGeneral', 'STIX Two Text', 'Times New Roman', 'Times', serif")


@contextmanager
def _laid_out(figure: Figure) -> Iterator[None]:
    """Lay the figure out once for all formats; matplotlib would do so, and draw twice, for each of them."""
    engine = figure.get_layout_engine()
    if engine is None or not figure.axes:
        yield
        return
    engine.execute(figure)
    # no engine at all: matplotlib draws once more for one that does nothing
    with mpl.rc_context({"figure.constrained_layout.use": False}):
        figure.set_layout_engine(None)
    try:
        yield
    finally:
        figure.set_layout_engine(engine)


_GROUND = np.array(to_rgb("#1e2129"))  # of a dark figure: that of the documentation's dark pages
# The rotation of hues by 180 degrees of the Filter Effects Module (W3C), which keeps luminance: after it,
# inverted colours have the hue that they had before.
_TURNED = np.array([[-0.574, 1.43, 0.144], [0.426, 0.43, 0.144], [0.426, 1.43, -0.856]])


def _darkened(colors: ArrayLike) -> Floats:
    """Return colours (..., 3) for a dark ground: white becomes the ground, and black white.

    The map is linear, so that the colours of smoothed edges stay between those of both sides.
    """
    turned = np.clip((1 - np.asarray(colors, np.float64)) @ _TURNED.T, 0, 1)
    found: Floats = _GROUND + (1 - _GROUND) * turned
    return found


def _dark_png(data: bytes) -> bytes:
    found = BytesIO()
    imsave(found, _darkened(imread(BytesIO(data), "png")[..., :3]), format="png", metadata=_METADATA["png"])
    return found.getvalue()


def _dark_svg(data: bytes) -> bytes:
    def turned(color: re.Match[str]) -> str:
        return color[1] + _hex(_darkened(to_rgb(color[2])))

    text = re.sub(r"((?:fill|stroke): )(#[0-9a-f]{6})", turned, data.decode())
    # what has no colour of its own is black in an SVG
    return text.replace("<svg ", f'<svg fill="{_hex(_darkened((0, 0, 0)))}" ', 1).encode()


_DARKENED: dict[str, Callable[[bytes], bytes]] = {"svg": _dark_svg, "png": _dark_png}


def require_savable(formats: Sequence[str], dpi: float = 200, *, dark: bool = False) -> None:
    """Raise `InputError` for formats and resolutions that `save` does not write."""
    for form in formats:
        require(form in FORMATS, f"must be of {', '.join(FORMATS)}, got {brief(form)}", "format")
        require(not dark or form in _DARKENED, f"must be svg or png for a dark figure, got {form}", "format")
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
        ax.set_xticks(ticks, [power_of_ten(tick) for tick in ticks])
    ax.xaxis.set_minor_locator(NullLocator())
    minor = np.outer(10.0 ** np.arange(math.floor(math.log10(low)), math.log10(high) + 1),
                     np.arange(2, 10) if step == 1 else [1]).ravel()  # fmt: skip
    minor = minor[(minor >= low / margin) & (minor <= high * margin)]
    _minor_ticks(ax, minor)


def log_ticks(axis: Axis) -> None:
    """Label the powers of ten of a logarithmic axis in plain text."""
    axis.set_major_formatter(FuncFormatter(lambda value, _: power_of_ten(value)))
    axis.set_minor_formatter(NullFormatter())


def _minor_ticks(ax: Axes, places: Floats) -> None:
    """Draw minor ticks of the x axis as one line, because matplotlib makes four artists of each tick."""
    settings = mpl.rcParams
    size, width = settings["xtick.minor.size"], settings["xtick.minor.width"]
    (line,) = ax.plot(
        places, np.zeros_like(places), transform=ax.get_xaxis_transform(), clip_on=False, scalex=False,
        scaley=False, ls="none", marker=TICKDOWN, ms=size, mew=width, color=settings["xtick.color"],
        label="_minor ticks",
    )  # fmt: skip
    line.set_in_layout(False)


_SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def power_of_ten(value: float) -> str:
    """Return a power of ten as plain text, which is drawn and laid out quicker than a formula.

    >>> power_of_ten(1e12), power_of_ten(0.001)
    ('10¹²', '10⁻³')
    """
    return "10" + str(round(math.log10(value))).translate(_SUPERSCRIPTS)


def band(ax: Axes, x: Any, low: Any, high: Any, color: Any, alpha: float) -> None:
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


def figure_legend(figure: Figure, handles: Sequence[Any]) -> None:
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
    formats: Sequence[str] = ("png",),
    dpi: float = 200,
    style_file: Path | str | None = None,
    dark: bool = False,
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
    dark : bool
        Whether to draw for a dark page, as in `save`.

    Returns
    -------
    list of Path
        The files written.

    Raises
    ------
    InputError
        For an unknown format, resolution or style, before anything is drawn.
    """
    require_savable(formats, dpi, dark=dark)
    names = file_names([words for words, _ in figures])
    files: list[Path] = []
    with style(style_file):
        for name, (_, draw) in tracked(zip(names, figures, strict=True), "figures"):
            files += save(draw(), folder, name, formats=formats, dpi=dpi, dark=dark)
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
