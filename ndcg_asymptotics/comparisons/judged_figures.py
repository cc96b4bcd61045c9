"""The figure of a comparison with a judge: a pair of runs by humans, by the judge and by both."""

from __future__ import annotations

from functools import partial

from matplotlib.artist import Artist
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from ndcg_asymptotics.comparisons.figures import difference_axes, draw_differences, significance_key
from ndcg_asymptotics.comparisons.judged import LABEL_LOOKS, JudgedComparison, JudgedPair
from ndcg_asymptotics.core.arrays import instance_of
from ndcg_asymptotics.plots.layout import panels
from ndcg_asymptotics.plots.marks import figure_legend
from ndcg_asymptotics.plots.saving import Drawing
from ndcg_asymptotics.plots.style import style

_ROW = 0.5  # height of a measure with its three intervals, in inches
_APART = 0.22  # distance of two of them, of a measure's row


def judged_figure(comparison: JudgedComparison, pair: JudgedPair, *, width: float | None = None) -> Figure:
    """Return a figure of one pair: three intervals for each measure; filled markers are significant."""
    comparison = instance_of(comparison, JudgedComparison, "comparison")
    pair = instance_of(pair, JudgedPair, "pair")
    with style():
        figure, (ax,) = panels(1, height=max(2.3, 0.9 + _ROW * len(pair.by_measure)), width=width)
        places = [row + _APART * place for row in range(len(pair.by_measure)) for place in (-1, 0, 1)]
        draw_differences(ax, pair.drawn, places, comparison.alpha)
        difference_axes(ax, pair.a, pair.b, [judged.measure for judged in pair.by_measure])
        figure_legend(figure, _key(comparison))
    return figure


def judged_drawings(comparison: JudgedComparison, *, width: float | None = None) -> list[Drawing]:
    """Return a figure per pair of runs that are compared with a judge."""
    return [
        (("compare with a judge", pair.a, pair.b), partial(judged_figure, comparison, pair, width=width))
        for pair in comparison.pairs
    ]


def _key(comparison: JudgedComparison) -> list[Artist]:
    counts = (comparison.human_queries, comparison.machine_queries, comparison.machine_queries)
    of_labels: list[Artist] = [
        Line2D(
            [], [], color=look.color, marker=look.marker, lw=1.2, ms=4.5, label=f"{labels}, {count:,} queries"
        )
        for (labels, look), count in zip(LABEL_LOOKS.items(), counts, strict=True)
    ]
    return [*of_labels, *significance_key(comparison, [1.0], intervals=True)]
