"""Figures of a comparison with a judge: the difference by humans, by the judge, and by both together."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Unpack

from matplotlib.artist import Artist
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from ndcg_asymptotics.analysis.runs.judged import JudgedComparison, JudgedPair
from ndcg_asymptotics.plots.comparison import difference_axes
from ndcg_asymptotics.plots.layout import figure_legend, panels
from ndcg_asymptotics.plots.saving import SaveOptions, save_all
from ndcg_asymptotics.plots.style import GREY, style

_ROW = 0.5  # height of a measure with its three intervals, in inches
_APART = 0.22  # distance of two of them, of a measure's row
# Okabe and Ito's colours of the three kinds of labels, with the markers that tell them apart without colour
_LINES = {"humans": ("#0072B2", "o"), "judge": ("#E69F00", "s"), "both": ("#000000", "D")}


def judged_figure(comparison: JudgedComparison, pair: JudgedPair) -> Figure:
    """Return a figure of one pair: three intervals for each measure; filled markers are significant."""
    with style():
        figure, (ax,) = panels(1, height=max(2.3, 0.9 + _ROW * len(pair.measures)))
        for row, judged in enumerate(pair.measures):
            for place, found in enumerate(judged.rows, -1):
                color, marker = _LINES[found.labels]
                y = row + _APART * place
                if found.interval:
                    ax.plot([found.interval.low, found.interval.high], [y, y], color=color, lw=1.2)
                face = color if found.p_corrected < comparison.alpha else "white"
                ax.plot(found.difference, y, ls="none", marker=marker, mec=color, mfc=face, mew=0.9, ms=4.5)
        difference_axes(ax, pair.a, pair.b, [judged.measure for judged in pair.measures])
        figure_legend(figure, _key(comparison))
    return figure


def draw_judged(comparison: JudgedComparison, folder: Path | str, **saved: Unpack[SaveOptions]) -> list[Path]:
    """Draw and save a figure per pair of runs that are compared with a judge.

    Parameters
    ----------
    comparison : JudgedComparison
    folder : path
        Folder for the files.
    **saved
        As in `draw_all`.

    Returns
    -------
    list of Path
        The files written.
    """
    figures = [
        (("compare with a judge", pair.a, pair.b), partial(judged_figure, comparison, pair))
        for pair in comparison.pairs
    ]
    return save_all(figures, folder, **saved)


def _key(comparison: JudgedComparison) -> list[Artist]:
    of_labels = [
        Line2D([], [], color=color, marker=marker, lw=1.2, ms=4.5, label=f"{labels}, {queries:,} queries")
        for (labels, (color, marker)), queries in zip(
            _LINES.items(),
            (comparison.human_queries, comparison.machine_queries, comparison.machine_queries),
            strict=True,
        )
    ]
    interval = f"{100 * comparison.level:.6g}% interval"
    not_apart = f"p ≥ {comparison.alpha:.2g} after correction"
    return [
        *of_labels,
        Line2D([], [], ls="none", marker="o", mec=GREY, mfc="white", mew=0.9, ms=4.5, label=not_apart),
        Line2D([], [], color=GREY, lw=1.2, label=interval),
    ]
