"""Charts of lists of one length: the ranks of a list, and the histogram of NDCG of many."""

from __future__ import annotations

import numpy as np
from bokeh.models import ColumnDataSource, Range1d
from bokeh.plotting import figure

from ndcg_asymptotics.core.arrays import Floats
from ndcg_asymptotics.core.text import count_text
from ndcg_asymptotics.explorer.drawing import LISTS, DrawnList
from ndcg_asymptotics.explorer.figures import Palette, legend, new_figure, set_range
from ndcg_asymptotics.explorer.histogram import Bins
from ndcg_asymptotics.explorer.state import NAMES

HEIGHT = 150
"""Pixels that a list is high."""

_RANKS = 50  # that are shown
_TERMS = 3  # of a sum that are written
_STRIP = 0.16  # height of the strip of items, where the largest discount is 1
_GAP = 0.03  # above and below it
_OTHER, _BARS = 0.25, 0.35  # opacities of items that are not relevant, and of the histograms
_HEADROOM = 1.15


class ListChart:
    """The first ranks of a list as A orders it, upwards, and as B does, downwards.

    Next to the axis is a strip of the items, filled if they are relevant; away from it are their discounts as
    bars. The filled bars add up to DCG.
    """

    def __init__(self, colors: Palette) -> None:
        self.plot = new_figure(
            "One list",
            "rank",
            "B · discount · A",
            colors,
            x_range=Range1d(0.4, _RANKS + 0.6),
            y_range=Range1d(-1.25, 1.25),
        )
        self.plot.sizing_mode, self.plot.height = "stretch_width", HEIGHT
        self.plot.yaxis.major_label_text_font_size = "0px"
        self.plot.yaxis.major_tick_line_color = None
        self.plot.grid.visible = False
        self.items = [
            _bars(self.plot, color, f"items {name}")
            for name, color in zip(NAMES, colors.rankers, strict=True)
        ]

    def show(self, found: DrawnList, number: int) -> None:
        """Show a list, and its number among those that are drawn."""
        shown = min(found.gains.shape[1], _RANKS)
        ranks = np.arange(1.0, shown + 1)
        heights = found.discounts[:shown] / (found.discounts.max(initial=0.0) or 1.0)
        for source, gains, sign in zip(self.items, found.gains, (1, -1), strict=True):
            fill = np.where(gains[:shown] > 0, 1.0, _OTHER)
            strip, bars = _GAP + _STRIP, 2 * _GAP + _STRIP
            source.data = {
                "x": np.tile(ranks, 2),
                "from": sign * np.repeat([_GAP, bars], shown),
                "to": sign * np.concatenate([np.full(shown, strip), bars + heights]),
                "fill": np.tile(fill, 2),
            }
        set_range(self.plot.x_range, 0.4, shown + 0.6)
        of = "" if shown == found.n else f" 1 to {shown} of {count_text(found.n)}"
        self.plot.xaxis[0].axis_label = f"rank{of}"
        self.plot.title.text = f"List {number}, filled: relevant items"


def _bars(plot: figure, color: str, name: str) -> ColumnDataSource:
    source = ColumnDataSource({"x": [], "from": [], "to": [], "fill": []}, name=name)
    plot.vbar(
        "x",
        0.8,
        "to",
        "from",
        source=source,
        fill_color=color,
        line_color=color,
        fill_alpha="fill",
        line_alpha=0.6,
    )
    return source


def sum_text(found: DrawnList, ranker: int) -> str:
    """Return how NDCG of a list is summed, for A if the index is 0.

    >>> found = DrawnList(3, np.array([[1.0, 0, 1], [0, 1, 1]]), np.array([1, 1 / 2, 1 / 3]), 1.5)
    >>> sum_text(found, 1)
    'B: 0.5 + 0.333 = 0.833 of at most 1.5, NDCG = 0.5556'
    """
    discounts = found.discounts[found.gains[ranker] > 0]
    terms = [f"{discount:.3g}" for discount in discounts[:_TERMS]]
    if discounts.size > _TERMS:
        terms.append("…")
    total = f"{found.sums[ranker]:.3g}"
    said = total if len(terms) < 2 else f"{' + '.join(terms)} = {total}"
    return f"{NAMES[ranker]}: {said} of at most {found.best:.3g}, NDCG = {found.ndcg[ranker]:.4f}"


class HistogramChart:
    """The NDCG of drawn lists as a histogram for each ranker."""

    def __init__(self, colors: Palette) -> None:
        self.plot = new_figure(
            "", "NDCG", "lists", colors, x_range=Range1d(0.0, 1.0), y_range=Range1d(0.0, 30.0)
        )
        self.drawn = []
        for name, color in zip(NAMES, colors.rankers, strict=True):
            drawn = ColumnDataSource({"left": [], "right": [], "top": []}, name=f"histogram {name}")
            self.plot.quad(
                "left",
                "right",
                "top",
                0,
                source=drawn,
                color=color,
                fill_alpha=_BARS,
                line_alpha=_BARS,
                legend_label=name,
            )
            self.drawn.append(drawn)
        legend(self.plot, colors, "top_left")
        self._bins: Bins | None = None
        self.show_drawn(np.empty((0, 2)))

    def show(self, bins: Bins) -> None:
        """Show new bins; `show_drawn` then counts the lists in them."""
        self._bins = bins
        set_range(self.plot.x_range, float(bins.edges[0]), float(bins.edges[-1]))
        set_range(self.plot.y_range, 0.0, _HEADROOM * LISTS / 10)
        self.plot.yaxis[0].axis_label = f"of {LISTS} lists"
        self.plot.xaxis[0].axis_label = f"NDCG at n = {count_text(bins.n)}"

    def show_drawn(self, values: Floats) -> None:
        """Show the NDCG of drawn lists, (lists, 2)."""
        self.plot.title.text = f"NDCG of {len(values)} drawn lists"
        if self._bins is None:
            return
        edges, most = self._bins.edges, 0.0
        for source, of_ranker in zip(self.drawn, values.T, strict=True):
            counts = self._bins.counts(of_ranker)
            most = max(most, float(counts.max()))
            source.data = {"left": edges[:-1], "right": edges[1:], "top": counts}
        if _HEADROOM * most > self.plot.y_range.end:
            set_range(self.plot.y_range, 0.0, _HEADROOM * most)
