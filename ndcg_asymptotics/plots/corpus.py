"""Figures of runs in larger corpora: the predicted metric against the number of documents, with its band."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from matplotlib.artist import Artist
from matplotlib.axes import Axes

from ndcg_asymptotics.analysis.runs.corpus_rows import LargerCorpus
from ndcg_asymptotics.analysis.runs.corpus_text import TESTED_FACTOR
from ndcg_asymptotics.plots.choice import Choice
from ndcg_asymptotics.plots.marks import band, grey_band, grey_line, grey_marker
from ndcg_asymptotics.plots.scales import length_axis
from ndcg_asymptotics.plots.series import Series
from ndcg_asymptotics.plots.style import GREY, LineStyle


class CorpusSeries(Series):
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
