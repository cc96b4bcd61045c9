"""Figures of a comparison of runs: differences with intervals."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from typing import Any

import matplotlib as mpl
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from ndcg_asymptotics.comparisons.compared import PairComparison
from ndcg_asymptotics.comparisons.comparison import Comparison
from ndcg_asymptotics.comparisons.pairs import ComparedPairs, ShownDifference
from ndcg_asymptotics.core.arrays import instance_of
from ndcg_asymptotics.core.text import in_figure, shortened
from ndcg_asymptotics.plots.layout import panels, titles
from ndcg_asymptotics.plots.marks import figure_legend
from ndcg_asymptotics.plots.saving import Drawing
from ndcg_asymptotics.plots.style import GREY, style

_ROW = 0.28  # height of a measure's row, in inches
_LONGEST = 24  # characters of a run's name in a title
_ARROWS = 12.0  # height of the line of text above the rows, in points
_SHORT_SIDE = 0.6  # of the axis of differences, as a part of the other: it has room for a name


def draw_differences(
    ax: Axes, rows: Sequence[ShownDifference], places: Iterable[float], alpha: float
) -> None:
    """Draw differences with their intervals at these heights; filled markers are significant."""
    for row, y in zip(rows, places, strict=True):
        color = row.look.color
        if row.low is not None and row.high is not None:
            ax.plot([row.low, row.high], [y, y], color=color, lw=1.2)
        face = color if row.p < alpha else "white"
        ax.plot(row.mean, y, ls="none", marker=row.look.marker, mec=color, mfc=face, mew=0.9, ms=4.5)


def difference_axes(
    ax: Axes,
    a: str,
    b: str,
    measures: Sequence[str],
    label: str = "difference of the means",
    *,
    lower_is_better: bool = False,
) -> Axes:
    """Label axes of differences a - b, with a row for each measure, and say which side of 0 means what."""
    ax.set_yticks(range(len(measures)), [in_figure(measure) for measure in measures])
    ax.set_ylim(len(measures) - 0.5, -0.5)
    ax.tick_params(axis="y", length=0)
    ax.set_xlabel(label)
    titles(ax, f"{_name(a)} less {_name(b)}")
    left, right = (a, b) if lower_is_better else (b, a)
    zero_line(ax, f"{_name(left)} ahead", f"{_name(right)} ahead")
    return ax


def zero_line(ax: Axes, left: str, right: str) -> None:
    """Draw a line at 0 through rows, and say above them what the values on either side mean."""
    ax.axvline(0, color=GREY, ls=":", lw=0.8, zorder=1)
    for side, text in (("right", f"← {left} "), ("left", f" {right} →")):
        ax.annotate(
            text,
            (0, 1),
            xycoords=ax.get_xaxis_transform(),
            xytext=(0, -1),
            textcoords="offset points",
            ha=side,
            va="top",
            color=GREY,
            size=mpl.rcParams["legend.fontsize"],
        )
    bottom, top = ax.get_ylim()
    height = ax.bbox.height / ax.get_figure(root=True).dpi * 72  # type: ignore[union-attr]
    ax.set_ylim(top=top - (bottom - top) * _ARROWS / height)
    low, high = ax.get_xlim()
    ax.set_xlim(min(low, -_SHORT_SIDE * high), max(high, -_SHORT_SIDE * low))


def comparison_figure(comparison: Comparison, pair: PairComparison, *, width: float | None = None) -> Figure:
    """Return a figure of the differences of one pair."""
    comparison = instance_of(comparison, Comparison, "comparison")
    pair = instance_of(pair, PairComparison, "pair")
    with style():
        figure, (ax,) = panels(1, height=max(2.6, 0.9 + _ROW * len(pair.by_measure)), width=width)
        label, rows = pair.drawn
        draw_differences(ax, rows, range(len(rows)), comparison.alpha)
        difference_axes(ax, pair.a, pair.b, [row.name for row in rows], label)
        intervals = any(row.low is not None for row in rows)
        figure_legend(figure, significance_key(comparison, [row.p for row in rows], intervals=intervals))
    return figure


def comparison_drawings(comparison: Comparison, *, width: float | None = None) -> list[Drawing]:
    """Return a figure per pair."""
    return [
        (("compare", pair.a, pair.b), partial(comparison_figure, comparison, pair, width=width))
        for pair in comparison.pairs
    ]


def _name(run: str) -> str:
    return in_figure(shortened(run, _LONGEST))


def significance_key(
    comparison: ComparedPairs[Any], corrected: Sequence[float], *, intervals: bool
) -> list[Artist]:
    """Return the legend of markers, filled and open as the corrected p-values are, and of intervals."""
    significant = {p < comparison.alpha for p in corrected}
    marks: list[Artist] = [
        Line2D([], [], ls="none", marker="o", mec=GREY, mfc=face, mew=0.9, ms=4.5, label=text)
        for face, text, is_significant in (
            (GREY, f"p < {comparison.alpha:.2g} after correction", True),
            ("white", f"p ≥ {comparison.alpha:.2g} after correction", False),
        )
        if is_significant in significant
    ]
    if intervals:
        marks.append(Line2D([], [], color=GREY, lw=1.2, label=f"{100 * comparison.level:.6g}% interval"))
    return marks
