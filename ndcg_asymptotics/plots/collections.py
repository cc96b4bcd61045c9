"""Figures of a comparison over many collections: the difference of two runs in each and in the mean."""

from __future__ import annotations

from functools import partial

from matplotlib.figure import Figure

from ndcg_asymptotics.analysis.runs.collections_rows import (
    InCollection,
    MeasureOverCollections,
    OverCollections,
    PairOverCollections,
)
from ndcg_asymptotics.analysis.runs.collections_text import CollectionsComparison
from ndcg_asymptotics.core.text import in_figure, shortened
from ndcg_asymptotics.plots.comparison import difference_axes, significance_key
from ndcg_asymptotics.plots.layout import panels
from ndcg_asymptotics.plots.marks import figure_legend
from ndcg_asymptotics.plots.saving import Drawing
from ndcg_asymptotics.plots.style import GREY, measure_style, style

_ROW = 0.2  # height of a collection's row, in inches
_LONGEST = 24  # characters of a collection's name


def collections_figure(
    comparison: CollectionsComparison,
    pair: PairOverCollections,
    judged: MeasureOverCollections,
    *,
    width: float | None = None,
) -> Figure:
    """Return a figure of two runs by one measure: a row for each collection, and below them the means.

    Filled markers are significant after correction.
    """
    rows: list[InCollection | OverCollections] = [*judged.by_collection, *judged.overall]
    names = [
        *(in_figure(shortened(row.collection, _LONGEST)) for row in judged.by_collection),
        *(f"mean, {row.over}" for row in judged.overall),
    ]
    color, count = measure_style(judged.measure).color, len(judged.by_collection)
    with style():
        figure, (ax,) = panels(1, height=0.9 + _ROW * len(rows), width=width)
        for place, row in enumerate(rows):
            of_row, marker = (color, "o") if place < count else ("black", "D")
            if row.interval:
                ax.plot([row.low, row.high], [place, place], color=of_row, lw=1.2)
            face = of_row if row.p_corrected < comparison.alpha else "white"
            ax.plot(row.difference, place, ls="none", marker=marker, mec=of_row, mfc=face, mew=0.9, ms=4.5)
        difference_axes(ax, pair.a, pair.b, names, lower_is_better=judged.answer.lower_is_better)
        ax.axhline(count - 0.5, color=GREY, lw=0.6)
        ax.set_xlabel(f"difference of the means of {in_figure(judged.measure)}")
        intervals = any(row.interval for row in rows)
        corrected = [row.p_corrected for row in rows]
        figure_legend(figure, significance_key(comparison, corrected, intervals=intervals))
    return figure


def collections_drawings(comparison: CollectionsComparison, *, width: float | None = None) -> list[Drawing]:
    """Return a figure for each measure of two runs; of more runs, of the first two by the measure."""
    figures: list[Drawing] = []
    for m, measure in enumerate(comparison.measures):
        first, second = (row.run for row in comparison.ranked(m, comparison.over[0])[:2])
        pair = next(pair for pair in comparison.pairs if {*pair.pair} == {first, second})
        words = ("collections", pair.a, pair.b, measure)
        figures.append(
            (words, partial(collections_figure, comparison, pair, pair.by_measure[m], width=width))
        )
    return figures
