"""The style that all figures share: sizes, fonts and colours, and the line style of a measure.

Figures have the sizes and fonts of a two-column journal, and colours that survive colour blindness and grey
print.
"""

from __future__ import annotations

import itertools
import logging
import warnings
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict

import matplotlib as mpl
import numpy as np
from matplotlib import style as mpl_style
from matplotlib.colors import to_hex, to_rgb
from matplotlib.figure import Figure

from ndcg_asymptotics.core.arrays import Floats, brief
from ndcg_asymptotics.core.errors import InputError
from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.measures.discounts import Discount

if TYPE_CHECKING:
    from matplotlib.typing import LineStyleType

GREY = "0.35"


class MarkerSettings(TypedDict, total=False):
    """Matplotlib's settings of markers."""

    ls: str
    marker: str
    mfc: str
    mec: str
    mew: float
    ms: float


@dataclass(frozen=True)
class LineStyle:
    """The colour, dashes and marker that tell a curve from the others of its panel."""

    color: str
    dashes: LineStyleType
    marker: str

    @property
    def hollow(self) -> MarkerSettings:
        """Matplotlib's settings of the marker, with a white face."""
        return {"marker": self.marker, "mfc": "white", "mec": self.color, "mew": 0.8}


# the palette of Okabe and Ito for colour blindness, dark colours first, and an eighth colour of Tol's
COLORS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#000000", "#882255")
_DASHES: tuple[LineStyleType, ...] = ("-", (0, (5, 1.5)), (0, (4, 1.2, 1, 1.2)), (0, (2, 1)))
_MARKERS = ("o", "s", "^", "D", "v", "P", "X", "h")


def line_styles(count: int) -> list[LineStyle]:
    """Return the line styles of ``count`` curves."""
    cycles = zip(itertools.cycle(COLORS), itertools.cycle(_DASHES), itertools.cycle(_MARKERS), strict=False)
    return [LineStyle(*line) for line in itertools.islice(cycles, count)]


# The dashes of each kind of cutoff, and how much it darkens (or, below 0, lightens) the colour of a discount
_OF_REGIME: dict[str, tuple[LineStyleType, float]] = {
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
    return LineStyle(hex_color(mixed), dashes, discount.marker)


def measure_styles(measures: Iterable[Measure | str]) -> dict[str, LineStyle]:
    """Return the line styles of the measures of one figure, by their texts.

    They are those of `measure_style`, except that of measures which share marker and dashes all but the first
    have other markers, because shades of one colour look alike in grey.

    >>> [line.marker for line in measure_styles(["nDCG@1", "nDCG@10", "nDCG"]).values()]
    ['o', 's', 'o']
    """
    found: dict[str, LineStyle] = {}
    for measure in measures:
        line = measure_style(measure)
        taken = {one.marker for one in found.values() if one.dashes == line.dashes}
        free = [marker for marker in (line.marker, *_MARKERS) if marker not in taken]
        found.setdefault(str(measure), replace(line, marker=free[0] if free else line.marker))
    return found


def hex_color(rgb: Floats) -> str:
    """Return red, green and blue in [0, 1] as #rrggbb."""
    red, green, blue = map(float, rgb)
    return to_hex((red, green, blue))


_user_settings: ContextVar[Mapping[object, object] | None] = ContextVar("user_settings", default=None)


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


def _tried(file: Path | str) -> dict[object, object]:
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


def _settings(file: Path | str) -> dict[object, object]:
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
