"""Figures as files, which have no dates or random identifiers: the same figure is the same bytes."""

from __future__ import annotations

import hashlib
import itertools
import math
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from io import BytesIO
from pathlib import Path
from typing import Any, TypedDict, TypeVar

import matplotlib as mpl
import numpy as np
from matplotlib.figure import Figure

from ndcg_asymptotics.core.arrays import as_list, brief, instance_of, is_number
from ndcg_asymptotics.core.defaults import FigureFormat
from ndcg_asymptotics.core.errors import require
from ndcg_asymptotics.core.files import path_of, write_file
from ndcg_asymptotics.core.progress import tracked
from ndcg_asymptotics.plots.layout import NARROW, ROWS
from ndcg_asymptotics.plots.style import style

Item = TypeVar("Item")

FORMATS = tuple(map(str, FigureFormat))

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

    Raises
    ------
    InputError
        For a format that is not one of svg, png, pdf, or a resolution outside 10 to 2400.
    """
    require_savable(formats, dpi)
    figure, folder = instance_of(figure, Figure, "figure"), path_of(folder, "folder")
    is_file_name = isinstance(name, str) and Path(name).name == name != "" and "\0" not in name
    require(is_file_name, f"must be the name of a file without its folder, got {brief(name)}", "name")
    paths = [folder / f"{name}.{form}" for form in formats]
    with style(), _laid_out(figure):
        for path, form in zip(paths, formats, strict=True):
            write_file(path, _drawn(figure, form, dpi))
    return tuple(paths)


def svg_of(figure: Figure) -> str:
    """Return a figure as the text of an SVG file, in which letters are paths and look alike everywhere."""
    with style(), mpl.rc_context({"svg.fonttype": "path"}), _laid_out(figure):
        return _drawn(figure, "svg").decode("utf-8")


def _drawn(figure: Figure, form: str, dpi: float = 200) -> bytes:
    """Return the bytes of a file in a format."""
    file = BytesIO()
    figure.savefig(file, format=form, dpi=dpi, metadata=_METADATA[form])
    return file.getvalue().replace(*_FONTS) if form == "svg" else file.getvalue()


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


def require_savable(formats: Sequence[str], dpi: float = 200) -> None:
    """Raise `InputError` for formats and resolutions that `save` does not write."""
    for form in as_list(formats, "format"):
        require(
            isinstance(form, str) and form in FORMATS,
            f"must be of {', '.join(FORMATS)}, got {brief(form)}",
            "format",
        )
    fine = is_number(dpi) and 10 <= dpi <= 2400
    require(fine, f"must be from 10 to 2400, got {brief(dpi)}", "dpi")


_LONGEST = 120  # bytes of a file name; file systems allow 255

Words = tuple[str, ...]
"""The words that a file name is made of, such as the text of a measure."""

Drawing = tuple[Words, Callable[[], Figure]]
"""The words of the name of a figure's file, and the function that draws the figure."""


def pages(
    name: str, draw: Callable[[Sequence[Item]], Figure], items: Sequence[Item], width: float | None
) -> list[Drawing]:
    """Return figures with a panel for each item, which are numbered if there are more than one page holds."""
    most = ROWS * (1 if width is not None and width < NARROW else 2)
    edges = np.linspace(0, len(items), math.ceil(len(items) / most) + 1).round().astype(int)
    parts = [items[i:j] for i, j in itertools.pairwise(edges)]
    return [
        ((name, *([str(page)] if len(parts) > 1 else [])), partial(draw, part))
        for page, part in enumerate(parts, 1)
    ]


class SaveOptions(TypedDict, total=False):
    """The options of `save_all`, which `draw_all` hands on to it."""

    formats: Sequence[str]
    dpi: float


def save_all(
    figures: Sequence[Drawing],
    folder: Path | str,
    *,
    formats: Sequence[str] = ("png",),
    dpi: float = 200,
) -> list[Path]:
    """Draw and save figures one after another, under the names that `file_names` makes of their words.

    Parameters
    ----------
    figures : sequence of Drawing
    folder : path
        Folder for the files.
    formats, dpi
        As in `save`.

    Returns
    -------
    list of Path
        The files written.

    Raises
    ------
    InputError
        For an unknown format or resolution, before anything is drawn.
    """
    require_savable(formats, dpi)
    folder = path_of(folder, "out")
    names = file_names([words for words, _ in figures])
    files: list[Path] = []
    with style():
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
