"""Figures of sampled metrics: the expected NDCG against the number of sampled negatives."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from ndcg_asymptotics.analysis.runs.sampled import Sampled
from ndcg_asymptotics.plots.choice import Choice, value_name
from ndcg_asymptotics.plots.marks import band, grey_band, grey_marker
from ndcg_asymptotics.plots.scales import length_axis
from ndcg_asymptotics.plots.series import Series
from ndcg_asymptotics.plots.style import LineStyle, MarkerSettings

_RING: MarkerSettings = {"ls": "none", "marker": "o", "mfc": "none", "mec": "black", "ms": 6}
_VISIBLE = 0.01  # a standard deviation that is a smaller part of the axis is not drawn, but stated


class SampledSeries(Series):
    """Systems against the number of sampled negatives; rings mark where two change places."""

    kind: ClassVar[str] = "sampled"

    def __init__(self, sampled: Sampled, choice: Choice | None) -> None:
        super().__init__(sampled.measures, sampled.systems, choice)
        self.sampled = sampled
        self.widest = float(sampled.curves.sd.max())
        self.banded = self.widest > _VISIBLE * float(sampled.curves.mean.max())

    def draw(self, ax: Axes, measure: int, lines: Mapping[str, LineStyle]) -> dict[str, float]:
        sampled, text = self.sampled, str(self.measures[measure])
        m, means, sds = (getattr(sampled.curves, name) for name in ("negatives", "mean", "sd"))
        full = {row.system: row.full for row in sampled.rows if row.measure == text}
        for system, line in lines.items():
            at = measure, self.systems.index(system)
            if self.banded:
                band(ax, m, means[at] - sds[at], means[at] + sds[at], line.color, 0.14)
            ax.plot(m, means[at], color=line.color, ls=line.dashes, lw=1.1)
            end = full[system]
            ax.plot(sampled.items, end, ls="none", marker=line.marker, color=line.color, ms=4, zorder=3)
        for pair in sampled.pairs:
            if pair.measure == text and pair.a in lines and pair.b in lines:
                values = means[measure, self.systems.index(pair.a)]
                heights = np.interp(np.log(pair.crossings), np.log(m), values)
                ax.plot(pair.crossings, heights, **_RING, zorder=4)
        length_axis(ax, [1, sampled.items])
        ax.set_xlabel("sampled negatives $m$")
        ax.set_ylim(0, None)
        ax.set_ylabel(f"expected {value_name(text)}")
        return {system: full[system] for system in lines}

    def handles(self) -> list[Artist]:
        handles: list[Artist] = [grey_marker(f"all {self.sampled.items} items")]
        if any(pair.crossings for pair in self.sampled.pairs):
            handles.append(Line2D([], [], **_RING, label="order changes"))
        if self.banded:
            handles.append(grey_band("± one sd"))
        else:
            label = f"sd: at most {self.widest:.1g}"
            handles.append(Line2D([], [], ls="none", label=label))
        return handles
