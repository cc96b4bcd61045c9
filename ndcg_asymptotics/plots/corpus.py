"""Figures of runs in larger corpora: the predicted metric against the number of documents, with its band."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from ndcg_asymptotics.analysis.runs.corpus import TESTED_FACTOR, LargerCorpus
from ndcg_asymptotics.core.errors import require
from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.plots.choice import Choice
from ndcg_asymptotics.plots.style import (
    GREY,
    band,
    length_axis,
    margin_labels,
    measure_panels,
    save_by_measure,
)


def corpus_curves(
    corpus: LargerCorpus, measure: Measure | str, ax: Axes | None = None, *, choice: Choice | None = None
) -> Axes:
    """Draw the predicted metric of every run against the number of documents, with its band.

    A dotted line marks the largest corpus for which predictions were tested.

    Parameters
    ----------
    corpus : LargerCorpus
    measure : Measure or its text
    ax : matplotlib Axes, optional
        The current ones by default.
    choice : Choice, optional
        The runs to draw, with their labels and colours.

    Raises
    ------
    InputError
        If ``corpus`` does not have the measure or a run.
    """
    ax = plt.gca() if ax is None else ax
    text = str(Measure.of(measure))
    known = ", ".join(corpus.measures)
    require(text in corpus.measures, f"no values of {text}, there are: {known}", "measure")
    curves, m = corpus.curves, corpus.measures.index(text)
    labels, choice = [], choice or Choice()
    for run, line in choice.among(corpus.runs).items():
        r = corpus.runs.index(run)
        band(ax, curves.documents, curves.low[m, r], curves.high[m, r], line.color, 0.14)
        ax.plot(curves.documents, curves.mean[m, r], color=line.color, ls=line.dashes, lw=1.1)
        ax.plot(corpus.corpus, curves.mean[m, r, 0], ls="none", marker=line.marker, color=line.color, ms=4)
        labels.append((float(curves.mean[m, r, -1]), choice.label(run), line))
    length_axis(ax, curves.documents)
    if curves.documents[-1] > TESTED_FACTOR * corpus.corpus:
        ax.axvline(TESTED_FACTOR * corpus.corpus, color=GREY, ls=":", lw=0.8)
    ax.set_xlabel("documents in the corpus")
    ax.set_ylim(0, None)
    ax.set_ylabel("NDCG")
    ax.set_title(choice.title(text), loc="left")
    margin_labels(ax, labels)
    return ax


def corpus_figure(
    corpus: LargerCorpus,
    measures: Sequence[Measure | str] | None = None,
    *,
    width: float | None = None,
    choice: Choice | None = None,
) -> Figure:
    """Return a figure with a panel for each measure, by default all of them."""
    chosen = corpus.measures if measures is None else measures
    draw = partial(corpus_curves, corpus, choice=choice)
    return measure_panels(chosen, draw, _handles(corpus), width)


def _handles(corpus: LargerCorpus) -> list[Any]:
    handles: list[Any] = [
        Line2D([], [], ls="none", marker="o", color=GREY, ms=4, label="the corpus searched"),
        Line2D([], [], color=GREY, label="predicted mean"),
        Patch(color=GREY, alpha=0.25, lw=0, label=f"{corpus.level:.0%} band"),
    ]
    if corpus.curves.documents[-1] > TESTED_FACTOR * corpus.corpus:
        handles.append(Line2D([], [], color=GREY, ls=":", lw=0.8, label="tested up to here"))
    return handles


def draw_corpus(
    corpus: LargerCorpus,
    folder: Path | str,
    *,
    choice: Choice | None = None,
    width: float | None = None,
    **saved: Any,
) -> list[Path]:
    """Draw and save a figure for each measure.

    Parameters
    ----------
    corpus : LargerCorpus
    folder : path
        Folder for the files.
    choice, width, **saved
        As in `draw_all`.

    Returns
    -------
    list of Path
        The files written.
    """
    figure = partial(corpus_figure, corpus, width=width, choice=choice)
    return save_by_measure("corpus", corpus.measures, figure, folder, **saved)
