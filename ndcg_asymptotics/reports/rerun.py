"""How the results of a study or a grid are made again: the file, and the commands that run it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from ndcg_asymptotics.core.errors import InputError
from ndcg_asymptotics.results import Results
from ndcg_asymptotics.results.grid import GridResults
from ndcg_asymptotics.studies import Study
from ndcg_asymptotics.studies.canonical import canonical, files
from ndcg_asymptotics.studies.grid import grid_text
from ndcg_asymptotics.studies.toml import study_text

Texts = Sequence[tuple[str, str]]
"""Sentences, each with the text that it introduces."""


def rerun_study(results: Results) -> Texts:
    """Return the study as a file, the files that it needs, and the commands that give the same results."""
    try:
        options, study = _as_run(results)
        text, beside, custom = study_text(study), files(study), "digests" in canonical(study)
    except InputError:
        return [("The study has a function that no other process finds by a name, so it has no file.", "")]
    runs = (f"run study.toml --out results{option}" for option in options)
    verdict = "check results" if "ndcg" in results.named else "distinguish results"
    return [
        ("The study, as a file study.toml:", text),
        *([("Files beside it, from the folder of the results:", "\n".join(beside))] if beside else ()),
        _commands(results, (*runs, verdict, "report results --out report.html"), custom),
    ]


def rerun_grid(results: GridResults) -> Texts:
    """Return the grid as a file, and the commands that give the same results."""
    text = grid_text(results.axes)
    commands = ("run grid.toml --out results", "check results", "report results --out report.html")
    first = next(iter(results.points.values()))
    return [("The grid, as a file grid.toml:", text), _commands(first, commands, "custom(" in text)]


def _commands(results: Results, commands: Iterable[str], custom: bool) -> tuple[str, str]:
    allow = " --allow-custom" if custom else ""
    lines = ["pip install .", *(f"ndcg-asymptotics {command}{allow}" for command in commands)]
    version = results.versions[-1]["ndcg_asymptotics"]
    return (
        "These commands give the same results, bit for bit, with any number of jobs. The first installs the "
        f"package from a copy of the repository at version {version}:",
        "\n".join(lines),
    )


def _as_run(results: Results) -> tuple[list[str], Study]:
    """Return the options of the runs that gave the results, and the study whose file they were given."""
    study, replicates = results.study, np.sort(results.replicates)
    if study.precision is None and np.array_equal(replicates, np.arange(study.replicates)):
        return [""], study
    parts = np.split(replicates, np.flatnonzero(np.diff(replicates) != 1) + 1)
    options = [f" --replicates {len(part)}{f' --first {part[0]}' if part[0] else ''}" for part in parts]
    return options, study.with_(precision=None)
