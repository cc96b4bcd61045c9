"""Figures of growing lists of real runs: the mean with a band over queries, and i.i.d. theory."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from ndcg_asymptotics.core.arrays import LEVEL
from ndcg_asymptotics.lists.growth import Growth
from ndcg_asymptotics.plots.choice import Choice, value_name
from ndcg_asymptotics.plots.marks import grey_band, grey_line, white_marker
from ndcg_asymptotics.plots.scales import length_axis
from ndcg_asymptotics.plots.series import Series
from ndcg_asymptotics.plots.style import GREY, LineStyle, MarkerSettings

_POINTS = 250  # points of a line
_POOLED: MarkerSettings = {"ls": "none", "marker": "_", "ms": 6, "mew": 1.1}


class GrowthSeries(Series):
    """Runs against the number of documents that have arrived."""

    def __init__(self, growth: Growth, choice: Choice | None) -> None:
        super().__init__(growth.measures, growth.runs, choice)
        self.growth = growth

    def draw(self, ax: Axes, measure: int, lines: Mapping[str, LineStyle]) -> dict[str, float]:
        growth, theory = self.growth, self.growth.theory
        shown = growth.drawn(_POINTS)
        sizes, (low, high) = growth.sizes[shown], growth.band()
        ends = {}
        for run, line in lines.items():
            r = self.systems.index(run), measure
            mean = growth.mean[r][shown]
            ax.fill_between(sizes, low[r][shown], high[r][shown], color=line.color, alpha=0.14, lw=0)
            ax.plot(sizes, mean, color=line.color, ls=line.dashes, lw=1.1)
            if theory is not None:
                ax.plot(theory.sizes, theory.pooled[r], color=line.color, **_POOLED)
                ax.plot(theory.sizes, theory.grouped[r], ls="none", **line.hollow, zorder=3)
            ends[run] = float(mean[-1])
        length_axis(ax, sizes)
        top = 1.1 * float(np.fmax(high, growth.mean)[:, measure][:, shown].max())
        drawn = self.measures[measure]
        ax.set_ylim(0, min(1.02, top) if drawn.normalised else top)
        ax.set_ylabel(f"{value_name(drawn)}$_n$")
        return ends

    def handles(self) -> list[Artist]:
        found = [
            grey_line(f"mean over {len(self.growth.queries)} queries"),
            grey_band(f"{LEVEL:.0%} band over queries"),
        ]
        if self.growth.theory is None:
            return found
        return [
            *found,
            white_marker(f"i.i.d., {self.growth.theory.groups} groups of queries"),
            Line2D([], [], color=GREY, label="i.i.d., one pooled curve", **_POOLED),
        ]
