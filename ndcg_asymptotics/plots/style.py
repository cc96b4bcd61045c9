"""The style that all figures share: sizes, fonts and colours, and the line style of a measure.

Figures have the sizes and fonts of a two-column journal, and colours that survive colour blindness and grey
print.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict

import matplotlib as mpl
from matplotlib.cbook import is_math_text
from matplotlib.font_manager import fontManager
from matplotlib.mathtext import MathTextParser

from ndcg_asymptotics.core import looks
from ndcg_asymptotics.core.arrays import brief, instance_of, whole_number
from ndcg_asymptotics.core.errors import InputError, require_utf8
from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.measures.looks import measure_look, measure_looks

if TYPE_CHECKING:
    from matplotlib.typing import LineStyleType

GREY = "0.35"


def add_fonts() -> None:
    """Add matplotlib's own fonts to its stored list, which may be that of another installation."""
    listed = {font.fname for font in fontManager.ttflist}
    for font in sorted(Path(mpl.get_data_path(), "fonts", "ttf").glob("*.ttf")):
        if str(font) not in listed:
            fontManager.addfont(font)


add_fonts()
_MOST_CURVES = 100_000


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


COLORS = looks.COLORS
_DASHES: dict[str, LineStyleType] = {
    "solid": "-",
    "dashed": (0, (5, 1.5)),
    "dashdot": (0, (4, 1.2, 1, 1.2)),
    "dotted": (0, (2, 1)),
}


def _line_style(look: looks.Look) -> LineStyle:
    return LineStyle(look.color, _DASHES[look.dashes], look.marker)


def line_styles(count: int) -> list[LineStyle]:
    """Return the line styles of ``count`` curves."""
    return [
        _line_style(looks.look_of(place)) for place in range(whole_number(count, "count", 0, _MOST_CURVES))
    ]


def require_drawable(text: object, argument: str) -> None:
    r"""Refuse what is no text or not in UTF-8, and a text whose formulas matplotlib cannot read.

    >>> require_drawable("$\\frac{1$", "labels")
    Traceback (most recent call last):
    ndcg_asymptotics.core.errors.InputError: labels: holds no formula that matplotlib reads: '$\\frac{1$'
    """
    text = instance_of(text, str, argument)
    require_utf8([text], "a text of a figure", argument)
    if not is_math_text(text):
        return
    try:
        MathTextParser("path").parse(text)
    except ValueError:
        raise InputError(f"holds no formula that matplotlib reads: {brief(text)}", argument) from None


def measure_style(measure: Measure | str) -> LineStyle:
    """Return the line style of a measure, which is the same in every figure (`measures.looks`)."""
    return _line_style(measure_look(measure))


def measure_styles(measures: Iterable[Measure | str]) -> dict[str, LineStyle]:
    """Return the line styles of the measures of one figure, by their texts (`measures.looks`)."""
    return {text: _line_style(look) for text, look in measure_looks(measures).items()}


@contextmanager
def style() -> Iterator[None]:
    """Apply the package's settings in a ``with`` block in which a figure is made, drawn into and saved."""
    with mpl.rc_context(STYLE), warnings.catch_warnings():
        # a character that no installed font has is drawn as a box
        warnings.filterwarnings("ignore", message=".*[Gg]lyph.*missing from")
        yield


STYLE: dict[Any, Any] = dict(
    mpl.rc_params_from_file(
        Path(__file__).with_name("journal.mplstyle"), fail_on_error=True, use_default_template=False
    )
)
"""Settings of matplotlib that every figure is made for."""
