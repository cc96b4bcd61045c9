"""What the scripts of this folder share: their command line, and where their files go."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from matplotlib.figure import Figure

from ndcg_asymptotics.core.errors import InputError
from ndcg_asymptotics.plots import save
from ndcg_asymptotics.results import Results, open_results
from ndcg_asymptotics.studies import Study, load

HERE = Path(__file__).resolve().parent
GALLERY = HERE / "gallery"
EXPERIMENTS = HERE.parent / "experiments"
RESULTS = HERE.parent / "results"
LEARNING = RESULTS / "learning"


def from_results(draw: Callable[[Results], dict[str, Figure]], description: str | None) -> None:
    """`script.py RESULTS [--out FOLDER]`: draw figures, by file name, from a folder of results."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("results", type=Path, help="a folder of results, as `run` wrote it")
    folder, given = _parse(parser)
    _write(lambda: draw(open_results(given)), folder, parser)


def from_study(draw: Callable[[Study], dict[str, Figure]], experiment: str, description: str | None) -> None:
    """`script.py [STUDY] [--out FOLDER]`: draw figures of theory alone, for the design of a study file."""
    parser = argparse.ArgumentParser(description=description)
    default = EXPERIMENTS / f"{experiment}.toml"
    parser.add_argument("study", type=Path, nargs="?", default=default, help=f"a study file ({default.name})")
    folder, given = _parse(parser)
    _write(lambda: draw(load(given)), folder, parser)


def from_json(
    draw: Callable[[Any], dict[str, Figure]], name: str, description: str | None, source: Path = LEARNING
) -> None:
    """`script.py [FILE] [--out FOLDER]`: draw figures from what an experiment or the benchmarks wrote."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("file", type=Path, nargs="?", default=source / f"{name}.json", help=f"({name}.json)")
    folder, given = _parse(parser)
    _write(lambda: draw(json.loads(given.read_text())), folder, parser)


def _parse(parser: argparse.ArgumentParser) -> tuple[Path, Path]:
    parser.add_argument("--out", type=Path, default=GALLERY, help="where SVG and PNG go (figures/gallery)")
    arguments = vars(parser.parse_args())
    out: Path = arguments.pop("out")
    (given,) = arguments.values()
    return out, given


def _write(draw: Callable[[], dict[str, Figure]], folder: Path, parser: argparse.ArgumentParser) -> None:
    try:
        for name, figure in draw().items():
            for path in save(figure, folder, name):
                print(path)
    except (InputError, OSError) as error:
        parser.error(str(error))
