"""Folders and the command line that the scripts of this folder share."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from PIL import Image

from ndcg_asymptotics.plots import save
from ndcg_asymptotics.plots.style import GREY

HERE = Path(__file__).resolve().parent
GALLERY = HERE / "gallery"
EXPERIMENTS = HERE.parent / "experiments"
RESULTS = HERE.parent / "results"


def grey_bar(label: str) -> Line2D:
    """Return the legend handle of error bars without ends."""
    return Line2D([], [], ls="none", marker="|", ms=7, color=GREY, label=label)


def arguments(description: str | None, results: Path = RESULTS) -> tuple[Path, Path]:
    """Parse the command line ``script.py [RESULTS] [FOLDER]``: a folder of results, and one for figures."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("results", type=Path, nargs="?", default=results)
    parser.add_argument("out", type=Path, nargs="?", default=GALLERY)
    given = parser.parse_args()
    return given.results, given.out


def write(figures: dict[str, Figure], folder: Path) -> None:
    """Save figures by file name, as PNG files of 256 colours, and print the paths of the files."""
    for name, figure in figures.items():
        for path in save(figure, folder, name):
            with Image.open(path) as image:
                few = image.convert("RGB").quantize(256, dither=Image.Dither.NONE)
            few.save(path, optimize=True)
            print(path)


def from_json(
    draw: Callable[[Any], dict[str, Figure]], name: str, description: str | None, folder: Path
) -> None:
    """Run ``script.py [FILE] [--out FOLDER]``, which draws figures from ``name.json``."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("file", type=Path, nargs="?", default=folder / f"{name}.json", help=f"({name}.json)")
    parser.add_argument("--out", type=Path, default=GALLERY, help="where PNG goes (figures/gallery)")
    given = parser.parse_args()
    try:
        write(draw(json.loads(given.file.read_text())), given.out)
    except OSError as error:
        parser.error(str(error))
