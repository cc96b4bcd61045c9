"""Figures of runs in larger corpora: the predicted metric against the number of documents, with its band."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import ClassVar, Unpack

from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ndcg_asymptotics.analysis.runs.corpus import LargerCorpus
from ndcg_asymptotics.analysis.runs.corpus_text import TESTED_FACTOR
from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.plots.choice import Choice
from ndcg_asymptotics.plots.layout import band, grey_band, grey_line, grey_marker, length_axis
from ndcg_asymptotics.plots.saving import SaveOptions
from ndcg_asymptotics.plots.series import Series
from ndcg_asymptotics.plots.style import GREY, LineStyle


class _InLargerCorpora(Series):
    """Runs against the number of documents; a dotted line ends where predictions were tested."""

    kind: ClassVar[str] = "corpus"

    def __init__(self, corpus: LargerCorpus, choice: Choice | None) -> None:
        super().__init__(corpus.measures, corpus.runs, choice)
        self.corpus, self.tested = corpus, TESTED_FACTOR * corpus.corpus
        self.beyond = bool(corpus.curves.documents[-1] > self.tested)

    def draw(self, ax: Axes, measure: int, lines: Mapping[str, LineStyle]) -> dict[str, float]:
        curves, ends = self.corpus.curves, {}
        for run, line in lines.items():
            at = measure, self.systems.index(run)
            mean = curves.mean[at]
            band(ax, curves.documents, curves.low[at], curves.high[at], line.color, 0.14)
            ax.plot(curves.documents, mean, color=line.color, ls=line.dashes, lw=1.1)
            ax.plot(self.corpus.corpus, mean[0], ls="none", marker=line.marker, color=line.color, ms=4)
            ends[run] = float(mean[-1])
        length_axis(ax, curves.documents)
        if self.beyond:
            ax.axvline(self.tested, color=GREY, ls=":", lw=0.8)
        ax.set_xlabel("documents in the corpus")
        ax.set_ylim(0, None)
        ax.set_ylabel("NDCG")
        return ends

    def handles(self) -> list[Artist]:
        tested = [grey_line("tested up to here", ls=":", lw=0.8)] if self.beyond else []
        return [
            grey_marker("the corpus searched"),
            grey_line("predicted mean"),
            grey_band(f"{self.corpus.level:.0%} band"),
            *tested,
        ]


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
    return _InLargerCorpora(corpus, choice).panel(measure, ax)


def corpus_figure(
    corpus: LargerCorpus,
    measures: Sequence[Measure | str] | None = None,
    *,
    width: float | None = None,
    choice: Choice | None = None,
) -> Figure:
    """Return a figure with a panel for each measure, by default all of them."""
    return _InLargerCorpora(corpus, choice).figure(measures, width=width)


def draw_corpus(
    corpus: LargerCorpus,
    folder: Path | str,
    *,
    choice: Choice | None = None,
    width: float | None = None,
    **saved: Unpack[SaveOptions],
) -> list[Path]:
    """Draw and save a figure for each measure, and return the files; the options are those of `draw_all`."""
    return _InLargerCorpora(corpus, choice).save(folder, width=width, **saved)
