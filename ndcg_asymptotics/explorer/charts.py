"""The charts of the explorer: Bokeh figures whose data are replaced when the state changes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from bokeh.models import (
    ColumnDataSource,
    CustomJSTickFormatter,
    DataRange1d,
    HoverTool,
    LogAxis,
    Range1d,
    Span,
)
from bokeh.plotting import figure

from ndcg_asymptotics.core.arrays import Floats
from ndcg_asymptotics.core.looks import COLORS
from ndcg_asymptotics.core.text import count_text
from ndcg_asymptotics.explorer.drawing import DrawnList
from ndcg_asymptotics.explorer.state import NAMES
from ndcg_asymptotics.explorer.values import EffectSize, Means, WrongOrders, strongest

RANKERS = COLORS[:2]
"""The colours of the two rankers, Okabe and Ito's."""
INK, SOFT, GRID = "#1b1f23", "#57606a", "#e3e6ea"
"""The colours of text, of what is less important, and of grids."""
STRIP_HEIGHT = 150
"""Pixels that the chart of a list is high."""

_LOWEST = 1e-6  # probability of a wrong order that is drawn
_ROOM = 0.05  # above and below what is drawn, as a part of its range
_BAND = 0.16  # opacity of a standard deviation
_DASHES = ("solid", "dashed")  # of the lines of the rankers
_LEAST_LOG10 = -20.0  # a logarithmic axis cannot show 0, which smaller probabilities may round to
_NOTHING: dict[str, list[float]] = {"x": [], "y": []}
_RANKS = 50  # of a list that are shown
_GAP = 0.03  # between the bars of both rankers, where the largest discount is 1
_OTHER = 0.25  # opacity of items that are not relevant

# powers of ten alone, as in figures
_POWER_TICKS = """
const e = Math.round(Math.log10(tick)), up = "⁰¹²³⁴⁵⁶⁷⁸⁹";
if (Math.abs(Math.log10(tick) - e) > 1e-6) return "";
const raised = (e < 0 ? "⁻" : "") + String(Math.abs(e)).replace(/./g, d => up[+d]);
return "10" + raised;
"""


def _figure(title: str, x: str, y: str, **options: object) -> figure:
    """Return a chart without data; ``options`` are those of Bokeh's figure."""
    plot = figure(
        title=title,
        sizing_mode="stretch_both",
        tools="",
        toolbar_location=None,
        outline_line_color=None,
        **options,
    )
    plot.title.text_color = INK
    plot.title.text_font_size = "13px"
    plot.min_border_right = 12
    plot.min_border_top = plot.min_border_bottom = 0
    for axis, label in ((plot.xaxis[0], x), (plot.yaxis[0], y)):
        axis.axis_label = label
        axis.axis_label_standoff = 1
        axis.axis_label_text_color = axis.major_label_text_color = INK
        axis.axis_label_text_font_style = "normal"
        axis.axis_line_color = axis.major_tick_line_color = SOFT
        axis.minor_tick_line_color = None
        if isinstance(axis, LogAxis):
            axis.formatter = CustomJSTickFormatter(code=_POWER_TICKS)
        axis.axis_label_text_font_size = axis.major_label_text_font_size = "11px"
    plot.grid.grid_line_color = GRID
    return plot


def _against_n(title: str, y: str, **options: object) -> figure:
    x_range = Range1d(8, 2e18)  # the lengths of a state, 10 to 1e18, with some room
    return _figure(title, "list length n", y, x_axis_type="log", x_range=x_range, **options)


def _legend(plot: figure, location: str) -> None:
    legend = plot.legend[0]
    legend.location, legend.orientation = location, "horizontal"
    legend.background_fill_alpha = 0.7
    legend.border_line_color = None
    legend.label_text_color, legend.label_text_font_size = INK, "12px"
    legend.padding, legend.margin = 2, 2


def _two_lines(plot: figure, kind: str) -> list[ColumnDataSource]:
    """Draw a line for each ranker, and return their data."""
    sources = [ColumnDataSource(_NOTHING, name=f"{kind} {name}") for name in NAMES]
    for name, source, color, dash in zip(NAMES, sources, RANKERS, _DASHES, strict=True):
        plot.line("x", "y", source=source, color=color, line_width=2.5, line_dash=dash, legend_label=name)
    return sources


def _length_mark(plot: figure) -> Span:
    """Return the line that marks the chosen list length."""
    mark = Span(location=1000, dimension="height", line_color=SOFT, line_dash="dashed")
    plot.add_layout(mark)
    return mark


class CurveChart:
    """The relevance curves, or ROC curves."""

    def __init__(self) -> None:
        ranges = {"x_range": Range1d(-0.02, 1.02), "y_range": Range1d(-0.02, 1.02)}  # 0 to 1, with some room
        self.plot = _figure("Relevance curves", "s", "P(relevant | s)", **ranges)
        self.lines = _two_lines(self.plot, "curve")
        _legend(self.plot, "top_left")

    def show(self, curves: Sequence[tuple[Floats, Floats]], *, roc: bool) -> None:
        """Show both curves."""
        self.plot.title.text = "ROC curves" if roc else "Relevance curves"
        self.plot.xaxis[0].axis_label = (
            "depth t among irrelevant items" if roc else "canonical score s (1 is the top of the list)"
        )
        self.plot.yaxis[0].axis_label = "share of relevant items above" if roc else "P(relevant | s)"
        for line, (x, y) in zip(self.lines, curves, strict=True):
            line.data = {"x": x, "y": y}


class LengthChart:
    """Mean and standard deviation of NDCG against n, with the limits."""

    def __init__(self) -> None:
        self.plot = _against_n("Mean ± standard deviation of NDCG", "NDCG", y_range=Range1d(0.0, 1.0))
        self.lines = _two_lines(self.plot, "mean")
        self.bands, self.nodes, self.limits = [], [], []
        for name, color in zip(NAMES, RANKERS, strict=True):
            band = ColumnDataSource({"x": [], "low": [], "high": []})
            node = ColumnDataSource({"x": [], "y": [], "sd": []})
            self.plot.varea("x", "low", "high", source=band, color=color, alpha=_BAND)
            dots = self.plot.scatter("x", "y", source=node, color=color, size=6)
            tooltips = [("n", "@x{0.[00]a}"), (name, "@y{0.00000} ± @sd{0.00000}")]
            self.plot.add_tools(HoverTool(renderers=[dots], tooltips=tooltips))
            limit = Span(location=0.5, dimension="width", line_color=color, line_dash="dotted", visible=False)
            limit.line_width = 1.5
            self.plot.add_layout(limit)
            self.bands.append(band)
            self.nodes.append(node)
            self.limits.append(limit)
        _legend(self.plot, "bottom_right")
        self.length_mark = _length_mark(self.plot)

    def show(self, means: Means, limits: Sequence[float | None], n: int) -> None:
        """Show means and standard deviations, limits (None where there is none) and the chosen n."""
        sd = np.nan_to_num(means.sd_between)  # the axis has room for the means where no deviation is known
        low, high = means.mean_between - sd, means.mean_between + sd
        existing = [value for value in limits if value is not None]
        ends = [min([low.min(), *existing]), max([high.max(), *existing])]
        bottom, top = np.clip(ends, 0.0, 1.0).tolist()
        room = _ROOM * (top - bottom)
        self.plot.y_range.update(start=bottom - room, end=top + room)
        # in the corner at the right that the lines leave free
        falls = means.mean_between[:, -1].max() < (bottom + top) / 2
        self.plot.legend[0].location = "top_right" if falls else "bottom_right"
        for i, value in enumerate(limits):
            self.lines[i].data = {"x": means.between, "y": means.mean_between[i]}
            band_low, band_high = np.clip([low[i], high[i]], 0, 1)
            self.bands[i].data = {"x": means.between, "low": band_low, "high": band_high}
            self.nodes[i].data = {"x": means.n, "y": means.mean[i], "sd": means.sd[i]}
            self.limits[i].visible = value is not None
            if value is not None:
                self.limits[i].location = value
        self.length_mark.location = float(n)


class WrongChart:
    """The probability of the wrong order of one list against n, with a line at 1 - ``rate``."""

    def __init__(self, rate: float) -> None:
        self.plot = _against_n(
            "P(wrong order) on one list",
            "P(wrong order)",
            y_axis_type="log",
            y_range=Range1d(_LOWEST, 1.2),
        )
        self.line = ColumnDataSource(_NOTHING, name="wrong")
        self.nodes = ColumnDataSource(_NOTHING, name="wrong at n")
        self.plot.line("x", "y", source=self.line, color=INK, line_width=2.5)
        self.plot.scatter("x", "y", source=self.nodes, color=INK, size=6)
        enough = Span(location=1 - rate, dimension="width", line_color=SOFT, line_dash="dashed")
        self.plot.add_layout(enough)
        self.length_mark = _length_mark(self.plot)

    def show(self, orders: WrongOrders, n: int) -> None:
        """Show the probabilities and the chosen n."""
        self.line.data = {"x": orders.between, "y": 10.0 ** np.maximum(orders.log10_between, _LEAST_LOG10)}
        self.nodes.data = {"x": orders.n, "y": 10.0 ** np.maximum(orders.log10, _LEAST_LOG10)}
        self.length_mark.location = float(n)


class SizeChart:
    """The effect size of a family of measures against a parameter; a ring marks the largest one."""

    def __init__(self, title: str, x: str, **axis: str) -> None:
        self.sizes: list[EffectSize] = []
        self.plot = _figure(title, x, "|Δ|/σ of one list", y_range=DataRange1d(start=0), **axis)
        self.line = ColumnDataSource(_NOTHING, name=x)
        self.best = ColumnDataSource(_NOTHING, name=f"best {x}")
        self.plot.line("x", "y", source=self.line, color=INK, line_width=2)
        dots = self.plot.scatter("x", "y", source=self.line, color=INK, size=6)
        ring = {"fill_alpha": 0, "line_color": RANKERS[1], "line_width": 3, "size": 16}
        self.plot.scatter("x", "y", source=self.best, **ring)
        tooltips = [(x, "@x{0.[00]a}"), ("|Δ|/σ", "@y{0.000}")]
        self.plot.add_tools(HoverTool(renderers=[dots], tooltips=tooltips))

    def show(self, sizes: list[EffectSize]) -> None:
        """Show effect sizes, and mark the largest one."""
        self.sizes, best = sizes, strongest(sizes)
        self.line.data = {"x": [size.at for size in sizes], "y": [abs(size.effect) for size in sizes]}
        self.best.data = {"x": [best.at], "y": [abs(best.effect)]} if best else _NOTHING


class ListChart:
    """The first ranks of a list as A orders it, upwards, and as B does, downwards.

    The discount of each rank is a bar, which is filled if the item there is relevant; filled bars add up to
    DCG.
    """

    def __init__(self) -> None:
        ranges = {"x_range": Range1d(0.4, _RANKS + 0.6), "y_range": Range1d(-1.05, 1.05)}
        self.plot = _figure("One list, filled: relevant items", "rank", "B · discount · A", **ranges)
        self.plot.sizing_mode, self.plot.height = "stretch_width", STRIP_HEIGHT
        # 0 pixels, not invisible: the axis keeps its label
        self.plot.yaxis.major_label_text_font_size = "0px"
        self.plot.yaxis.major_tick_line_color = None
        self.plot.grid.visible = False
        self.items = []
        for name, color in zip(NAMES, RANKERS, strict=True):
            source = ColumnDataSource({"x": [], "from": [], "to": [], "fill": []}, name=f"items {name}")
            ends = {"bottom": "from", "top": "to", "width": 0.8}
            colors = {"fill_color": color, "line_color": color, "fill_alpha": "fill", "line_alpha": "fill"}
            self.plot.vbar("x", source=source, **ends, **colors)
            self.items.append(source)

    def show(self, drawn_list: DrawnList) -> None:
        """Show a list."""
        length = min(drawn_list.gains.shape[1], _RANKS)
        ranks = np.arange(1.0, length + 1)
        largest = drawn_list.discounts.max(initial=0.0) or 1.0  # all may be 0: nothing counts in the list
        heights = drawn_list.discounts[:length] / largest
        for source, gains, sign in zip(self.items, drawn_list.gains, (1, -1), strict=True):
            fill = np.where(gains[:length] > 0, 1.0, _OTHER)
            source.data = {
                "x": ranks,
                "from": np.full(length, sign * _GAP),
                "to": sign * (_GAP + heights),
                "fill": fill,
            }
        self.plot.x_range.end = length + 0.6
        of = "" if length == drawn_list.n else f" 1 to {length} of {count_text(drawn_list.n)}"
        self.plot.xaxis[0].axis_label = f"rank{of}"
