"""Figures drawn and written one by one, each in a file whose name is made of its words."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

from matplotlib.figure import Figure

from ndcg_asymptotics.core.progress import tracked
from ndcg_asymptotics.plots.style import require_savable, save, style

_LONGEST = 120  # bytes of a file's name, of the 255 that file systems allow

Words = tuple[str, ...]
"""What a figure is called, such as a measure's text."""


def save_all(
    figures: Sequence[tuple[Words, Callable[[], Figure]]],
    folder: Path | str,
    *,
    formats: Sequence[str] = ("svg", "png"),
    dpi: float = 200,
    style_file: Path | str | None = None,
) -> list[Path]:
    """Draw and save figures, each under its words as a name (`file_names`).

    Parameters
    ----------
    figures : sequence of (words, function that draws)
    folder : path
        Where the files go.
    formats : sequence of {"svg", "png", "pdf"}
    dpi : float
        Dots per inch of PNG files.
    style_file : path, optional
        A matplotlib style file, or the name of one of matplotlib's styles, that goes before our settings.

    Returns
    -------
    list of Path
        The files written.

    Raises
    ------
    InputError
        For a format, a resolution or a style that there is not; nothing is drawn then.
    """
    require_savable(formats, dpi)
    names = file_names([words for words, _ in figures])
    files: list[Path] = []
    with style(style_file):
        for name, (_, draw) in tracked(zip(names, figures, strict=True), "figures"):
            files += save(draw(), folder, name, formats=formats, dpi=dpi)
    return files


def file_names(figures: Sequence[Words]) -> list[str]:
    """Words as names of files that need no quoting.

    Names that are too long, or another's but for the case of letters, end in a digest of their words.

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
