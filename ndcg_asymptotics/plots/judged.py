"""Figures with a judge: runs by humans, judge and both, and how often its order is the true one."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from ndcg_asymptotics.analysis.orders.judged import JudgedOrder, judged_orders
from ndcg_asymptotics.analysis.runs.judged import LABEL_LOOKS, JudgedComparison, JudgedPair
from ndcg_asymptotics.core.arrays import LEVEL
from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.plots.choice import Choice
from ndcg_asymptotics.plots.comparison import difference_axes, draw_differences, significance_key
from ndcg_asymptotics.plots.layout import panels, titles
from ndcg_asymptotics.plots.marks import band, figure_legend, grey_band, grey_line, handle
from ndcg_asymptotics.plots.saving import Drawing
from ndcg_asymptotics.plots.scales import length_axis
from ndcg_asymptotics.plots.style import GREY, measure_style, style
from ndcg_asymptotics.results import Results

_ROW = 0.5  # height of a measure with its three intervals, in inches
_APART = 0.22  # distance of two of them, of a measure's row


def judged_figure(comparison: JudgedComparison, pair: JudgedPair, *, width: float | None = None) -> Figure:
    """Return a figure of one pair: three intervals for each measure; filled markers are significant."""
    with style():
        figure, (ax,) = panels(1, height=max(2.3, 0.9 + _ROW * len(pair.by_measure)), width=width)
        places = [row + _APART * place for row in range(len(pair.by_measure)) for place in (-1, 0, 1)]
        draw_differences(ax, pair.drawn, places, comparison.alpha)
        difference_axes(ax, pair.a, pair.b, [judged.measure for judged in pair.by_measure])
        figure_legend(figure, _key(comparison))
    return figure


def judged_order_shares(ax: Axes, rows: Sequence[JudgedOrder], *, choice: Choice | None = None) -> Axes:
    """Draw the share of lists that a judge orders as the true labels do, against n, by measure.

    Parameters
    ----------
    rows : sequence of JudgedOrder
        Those of one pair (`analysis.orders.judged.judged_orders`).
    """
    for measure in dict.fromkeys(row.measure for row in rows):
        found, line = [row for row in rows if row.measure == measure], measure_style(measure)
        n, same, low, high = np.array([(row.n, row.same, row.low, row.high) for row in found]).T
        band(ax, n, low, high, line.color, 0.14)
        ax.plot(n, same, color=line.color, ls=line.dashes, ms=2.8, **line.hollow)
    ax.axhline(0.5, color=GREY, lw=0.6, ls=":")
    ax.set_ylim(min(0.45, 0.9 * min(row.low for row in rows)), 1)
    length_axis(ax, list(dict.fromkeys(row.n for row in rows)))
    ax.set_ylabel("share of lists")
    named = (choice or Choice()).label
    pair = " against ".join(map(named, rows[0].pair.split(" > ")))
    titles(ax, "lists that the judge orders as the true labels do", pair)
    return ax


def judged_orders_figure(
    results: Results,
    pair: tuple[str, str],
    measures: Sequence[Measure],
    *,
    width: float | None = None,
    choice: Choice | None = None,
) -> Figure:
    """Return a figure of how often the judge of a study orders a pair as the true labels do."""
    rows = [row for measure in measures for row in judged_orders(results, pair, measure)]
    formula = (choice or Choice()).formula
    with style():
        figure, (ax,) = panels(1, height=2.9, width=width)
        judged_order_shares(ax, rows, choice=choice)
        named = [handle(measure_style(m), formula(str(m))) for m in measures]
        marks = [grey_band(f"{LEVEL:.0%} band"), grey_line("a coin toss", ls=":", lw=0.6)]
        figure_legend(figure, [*named, *marks])
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
