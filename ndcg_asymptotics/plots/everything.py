"""Figures of whatever a command finds: results of any kind, comparisons and plans."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Unpack

from ndcg_asymptotics.core.arrays import as_list, brief
from ndcg_asymptotics.core.errors import InputError, refuse_others
from ndcg_asymptotics.core.files import path_of
from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.plots.choice import Choice
from ndcg_asymptotics.plots.hooks import CHOICES_OF_CURVES, OutcomeFigures
from ndcg_asymptotics.plots.saving import Drawing, SaveOptions, save_all
from ndcg_asymptotics.results import Results
from ndcg_asymptotics.results.grid import GridResults
from ndcg_asymptotics.results.opening import open_results

_NOT = {
    "against": "only grids have parameters",
    "n": "only grids are drawn at some list lengths",
    "scorers": "they are chosen of a study, or of growing lists",
    "choice": "it is made of a study, or of growing lists",
}
_FIGURES: dict[type, OutcomeFigures] = {
    Results: OutcomeFigures("ndcg_asymptotics.plots.gallery.study_drawings", "a study", CHOICES_OF_CURVES),
    GridResults: OutcomeFigures(
        "ndcg_asymptotics.plots.grid.grid_drawings",
        "a grid, whose scorers are drawn together",
        ("measures", "against", "n"),
    ),
}
"""The figures of results; other outcomes have a class attribute ``figures``."""


def draw_all(
    found: Any,
    out: Path | str,
    *,
    measures: Measure | str | Sequence[Measure | str] | None = None,
    scorers: str | Sequence[str] | None = None,
    against: str | Sequence[str] | None = None,
    n: int | Sequence[int] | None = None,
    choice: Choice | None = None,
    width: float | None = None,
    **saved: Unpack[SaveOptions],
) -> list[Path]:
    """Draw and save every figure of results, of a comparison of runs or of a plan.

    A study has a summary, an overview, a figure per measure and one per pair; one of the rare engine has a
    figure per pair, of how the probability of the wrong order falls.

    Parameters
    ----------
    found : Results, GridResults, Growth, a comparison, Plan, or path
        A path is that of a folder of results. Figures of incomplete results say so.
    out : path
        Folder for the files.
    measures : Measure or text, or several, optional
        The measures of results to draw, all by default; of a grid as they stand in its file.
    scorers : name, or several, optional
        The scorers of a study, or the runs of growing lists, to draw; all by default.
    against : name, or several, optional
        The parameters of a grid to draw measures against, all by default, beside curves at its points.
    n : list length, or several, optional
        Where a grid is drawn against parameters, by default at its middle and its largest list length.
    choice : Choice, optional
        Labels and colours of scorers.
    width : float, optional
        Width of every figure in inches, by default one or two columns of a journal.
    **saved
        ``formats`` and ``dpi``, as in `save`.

    Returns
    -------
    list of Path
        The files written.

    Raises
    ------
    InputError
        If no replicate is complete, for a measure or scorer that the study does not have, for an argument
        that does not belong to ``found``, and for anything else than the above.
    """
    if isinstance(found, str | os.PathLike):
        found = open_results(path_of(found, "found"))
    arguments: dict[str, Any] = {
        "measures": None if measures is None else as_list(measures, "measures", (str, Measure)),
        "scorers": None if scorers is None else as_list(scorers, "scorers", str),
        "against": None if against is None else as_list(against, "against", str),
        "n": None if n is None else as_list(n, "n", int),
        "choice": choice,
    }
    figures = figures_of(found)
    refuse_others(figures.kind, arguments, figures.choices, _NOT)
    options = {name: arguments[name] for name in figures.choices}
    if "choice" in options:
        scorer_names = options.pop("scorers")
        look = Choice.given(choice)
        options["choice"] = look if scorer_names is None else replace(look, scorers=scorer_names)
    return save_all(figures.drawings(found, width=width, **options), out, **saved)


def drawings(outcome: object, *, width: float | None = None) -> list[Drawing]:
    """Return every figure that `draw_all` draws of an outcome, with the words of its name, not yet drawn."""
    return figures_of(outcome).drawings(outcome, width=width)


def figures_of(outcome: object) -> OutcomeFigures:
    """Return what lists the figures of an outcome.

    Raises
    ------
    InputError
        For an object without figures.
    """
    figures = _FIGURES.get(type(outcome), getattr(outcome, "figures", None))
    if isinstance(figures, OutcomeFigures):
        return figures
    raise InputError(f"expected results, a comparison, a plan or a path, got {brief(outcome)}", "found")
