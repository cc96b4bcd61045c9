"""The charts of the explorer: Bokeh figures whose data are replaced when the state changes."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np
from bokeh.models import ColumnDataSource, HoverTool, PointDrawTool, Range1d, Span
from scipy.special import ndtr

from ndcg_asymptotics.analysis.orders.rates import clopper_pearson
from ndcg_asymptotics.core.arrays import LEVEL, Floats
from ndcg_asymptotics.explorer.against_n import Point, Smooth
from ndcg_asymptotics.explorer.drawing import LISTS, DrawnLists
from ndcg_asymptotics.explorer.figures import NOTHING, Palette, legend, new_figure, power_ticks, set_range
from ndcg_asymptotics.explorer.gestures import drag_points
from ndcg_asymptotics.explorer.state import NAMES, Shape
from ndcg_asymptotics.explorer.values import EffectSize, strongest

_LOWEST = 1e-6  # probability of a wrong order that is drawn
_ROOM = 0.05  # beside what is drawn, as a part of its range
_BESIDE = 1.12  # factor by which the lists of a ranker are moved aside
_BAND = 0.16  # opacity of a standard deviation


class CurveChart:
    """The relevance curves, or ROC curves; the points of a curve that is dragged can be moved.

    Parameters
    ----------
    colors : Palette
    dragged : callable
        Called with the index of a ranker, its new points (depth, value) and the index of the held one.
    """

    def __init__(
        self, colors: Palette, dragged: Callable[[int, list[tuple[float, float]], int], None]
    ) -> None:
        self.plot = new_figure(
            "Relevance curves",
            "canonical score s (1 is the top of the list)",
            "P(relevant | s)",
            colors,
            x_range=Range1d(-0.02, 1.02),
            y_range=Range1d(-0.02, 1.02),
        )
        self.plot.name = "curves"
        self.lines, self.points = [], []
        for index, (name, color) in enumerate(zip(NAMES, colors.rankers, strict=True)):
            line = ColumnDataSource(NOTHING, name=f"curve {name}")
            points = ColumnDataSource(NOTHING, name=f"points {name}")
            dash = "solid" if index == 0 else "dashed"
            self.plot.line(
                "x", "y", source=line, color=color, line_width=2.5, line_dash=dash, legend_label=name
            )
            self.plot.scatter("x", "y", source=points, color=color, size=13)
            self.lines.append(line)
            self.points.append(points)
        # it has nothing to draw: with it a finger on the chart does not scroll the page
        self.plot.add_tools(tool := PointDrawTool(renderers=[], add=False))
        self.plot.toolbar.active_tap = tool
        legend(self.plot, colors, "top_left")
        self.held = drag_points(self.plot, self.points, dragged)

    def show(
        self,
        curves: Sequence[tuple[Floats, Floats]],
        shapes: Sequence[Shape],
        *,
        few: bool,
    ) -> None:
        """Show both curves, and the points that are dragged."""
        self.plot.title.text = "ROC curves" if few else "Relevance curves"
        self.plot.xaxis[0].axis_label = (
            "depth t among irrelevant items" if few else "canonical score s (1 is the top of the list)"
        )
        self.plot.yaxis[0].axis_label = "share of relevant items above" if few else "P(relevant | s)"
        for line, (x, y) in zip(self.lines, curves, strict=True):
            line.data = {"x": x, "y": y}
        self.show_points(shapes)

    def show_points(self, shapes: Sequence[Shape]) -> None:
        """Show the points of the curves that are dragged."""
        for points, shape in zip(self.points, shapes, strict=True):
            found = {"x": [1 - t for t, _ in shape.points], "y": [m for _, m in shape.points]}
            if len(points.data["x"]) == len(found["x"]):
                # also sent where nothing changes for the server, which does not see the browser's points
                points.patch({key: [(slice(None), values)] for key, values in found.items()})
            else:
                points.data = found


class LengthChart:
    """Mean and standard deviation of NDCG against n, with the limits."""

    def __init__(self, colors: Palette) -> None:
        self.plot = new_figure(
            "Mean ± standard deviation of NDCG",
            "list length n (drag the dashed line)",
            "NDCG",
            colors,
            x_axis_type="log",
            x_range=Range1d(8, 2e18),
            y_range=Range1d(0.0, 1.0),
        )
        power_ticks(self.plot.xaxis[0])
        self.lines, self.bands, self.nodes, self.limits, self.drawn = [], [], [], [], []
        for index, (name, color) in enumerate(zip(NAMES, colors.rankers, strict=True)):
            line = ColumnDataSource(NOTHING, name=f"mean {name}")
            drawn = ColumnDataSource(NOTHING, name=f"drawn {name}")
            band = ColumnDataSource({"x": [], "low": [], "high": []})
            node = ColumnDataSource({"x": [], "y": [], "sd": []})
            dash = "solid" if index == 0 else "dashed"
            self.plot.varea("x", "low", "high", source=band, color=color, alpha=_BAND)
            self.plot.scatter("x", "y", source=drawn, color=color, size=3, alpha=0.25)
            self.plot.line(
                "x", "y", source=line, color=color, line_width=2.5, line_dash=dash, legend_label=name
            )
            dots = self.plot.scatter("x", "y", source=node, color=color, size=6)
            self.plot.add_tools(
                HoverTool(
                    renderers=[dots],
                    tooltips=[("n", "@x{0.[00]a}"), (name, "@y{0.00000} ± @sd{0.00000}")],
                )
            )
            limit = Span(location=0.5, dimension="width", line_color=color, line_dash="dotted", visible=False)
            limit.line_width = 1.5
            self.plot.add_layout(limit)
            self.lines.append(line)
            self.bands.append(band)
            self.nodes.append(node)
            self.limits.append(limit)
            self.drawn.append(drawn)
        legend(self.plot, colors, "bottom_right")
        self.at = Span(location=1000, dimension="height", line_color=colors.soft, line_dash="dashed")
        self.plot.add_layout(self.at)

    def show(self, smooth: Smooth, points: Sequence[Point], limits: Sequence[float | None], n: int) -> None:
        """Show means and standard deviations, limits (None where there is none) and the chosen n."""
        ordered = sorted(points, key=lambda p: p.n)
        low = min(float((smooth.means - smooth.sds).min()), *(x for x in limits if x is not None), 1.0)
        high = max(float((smooth.means + smooth.sds).max()), *(x for x in limits if x is not None), 0.0)
        low, high = max(low, 0.0), min(high, 1.0)
        set_range(self.plot.y_range, low - _ROOM * (high - low), high + _ROOM * (high - low))
        falls = smooth.means[:, -1].max() < (low + high) / 2
        self.plot.legend[0].location = "top_right" if falls else "bottom_right"
        for i in (0, 1):
            mean, sd = smooth.means[i], smooth.sds[i]
            self.lines[i].data = {"x": smooth.n, "y": mean}
            low, high = np.clip(mean - sd, 0, 1), np.clip(mean + sd, 0, 1)
            self.bands[i].data = {"x": smooth.n, "low": low, "high": high}
            self.nodes[i].data = {
                "x": [float(p.n) for p in ordered],
                "y": [p.means[i] for p in ordered],
                "sd": [p.sds[i] for p in ordered],
            }
            value = limits[i]
            self.limits[i].visible = value is not None
            if value is not None:
                self.limits[i].location = value
        self.at.location = float(n)

    def show_drawn(self, found: DrawnLists | None) -> None:
        """Show simulated lists, or remove them."""
        for i, source in enumerate(self.drawn):
            if found is None:
                if len(source.data["x"]):
                    source.data = NOTHING
                continue
            # side by side, so that dots of the two rankers do not hide each other
            x = np.broadcast_to(found.n * (_BESIDE if i else 1 / _BESIDE), found.values[i].shape)
            source.data = {"x": x.ravel(), "y": found.values[i].ravel()}


class WrongChart:
    """The probability of the wrong order of one list against n."""

    def __init__(self, colors: Palette, rate: float) -> None:
        self.plot = new_figure(
            "Probability of the wrong order",
            "list length n (drag the dashed line)",
            "P(wrong order)",
            colors,
            x_axis_type="log",
            y_axis_type="log",
            x_range=Range1d(8, 2e18),
            y_range=Range1d(_LOWEST, 1.2),
        )
        power_ticks(self.plot.xaxis[0])
        power_ticks(self.plot.yaxis[0])
        self.line = ColumnDataSource(NOTHING, name="wrong")
        self.drawn = ColumnDataSource(NOTHING, name="drawn wrong")
        self.known = ColumnDataSource(NOTHING, name="wrong at n")
        self.plot.line("x", "y", source=self.line, color=colors.ink, line_width=2.5, legend_label=" ")
        self.plot.scatter(
            "x", "y", source=self.known, color=colors.ink, size=6, legend_label="exact, or from 400 lists"
        )
        legend(self.plot, colors, "top_right")
        self.plot.legend[0].orientation = "vertical"
        self.plot.scatter("x", "y", source=self.drawn, color=colors.ink, size=8, marker="diamond")
        self.bounds = ColumnDataSource(NOTHING, name="drawn none wrong")
        self.plot.scatter(
            "x",
            "y",
            source=self.bounds,
            line_color=colors.ink,
            fill_alpha=0,
            size=9,
            marker="inverted_triangle",
        )
        for location, dimension in ((1 - rate, "width"), (1000.0, "height")):
            span = Span(location=location, dimension=dimension, line_color=colors.soft, line_dash="dashed")
            self.plot.add_layout(span)
        self.at = span

    def show(self, smooth: Smooth, points: Sequence[Point], n: int) -> None:
        """Show the probabilities, dots where they are those of lists of n items, and the chosen n."""
        self.line.data = {"x": smooth.n, "y": 10.0 ** np.maximum(smooth.log10_wrong, -20.0)}
        known = sorted((float(p.n), float(ndtr(-p.right))) for p in points if p.right is not None)
        self.known.data = {"x": [at for at, _ in known], "y": [max(wrong, 1e-20) for _, wrong in known]}
        of_line, of_dots = self.plot.legend[0].items
        of_line.label = {"value": "joined" if smooth.law is None else f"{smooth.law.name} of long lists"}
        of_dots.visible = bool(known)
        self.at.location = float(n)

    def show_drawn(self, found: DrawnLists | None) -> None:
        """Show the share of simulated lists in the wrong order, or remove it.

        Where none is in the wrong order, a triangle shows the upper end of the interval of the probability.
        """
        if found is None:
            for source in (self.drawn, self.bounds):
                if len(source.data["x"]):
                    source.data = NOTHING
        else:
            none = found.wrong == 0
            self.drawn.data = {"x": found.n[~none], "y": found.wrong[~none]}
            _, bound = clopper_pearson(0, LISTS, LEVEL)
            self.bounds.data = {"x": found.n[none], "y": np.full(none.sum(), bound)}


class SweepChart:
    """The effect size of a family of measures against a parameter; a ring marks the best one."""

    def __init__(self, title: str, x: str, colors: Palette, *, log: bool) -> None:
        scale = {"x_axis_type": "log"} if log else {}
        self.log = log
        self.sizes: Sequence[EffectSize] = ()
        self.plot = new_figure(
            title, x, "|Δ|/σ of one list", colors, x_range=Range1d(1, 10), y_range=Range1d(0, 1), **scale
        )
        if log:
            power_ticks(self.plot.xaxis[0])
        self.line = ColumnDataSource(NOTHING, name=x)
        self.best = ColumnDataSource(NOTHING, name=f"best {x}")
        self.plot.line("x", "y", source=self.line, color=colors.ink, line_width=2)
        dots = self.plot.scatter("x", "y", source=self.line, color=colors.ink, size=6)
        self.plot.scatter(
            "x", "y", source=self.best, fill_alpha=0, line_color=colors.rankers[1], line_width=3, size=16
        )
        self.plot.add_tools(
            HoverTool(renderers=[dots], tooltips=[(x, "@x{0.[00]a}"), ("|Δ|/σ", "@y{0.000}")])
        )

    def show(self, sizes: Sequence[EffectSize]) -> None:
        """Show the effect sizes, and mark the largest one."""
        self.sizes, best = sizes, strongest(sizes)
        ordered = sorted(sizes, key=lambda c: c.at)
        if ordered:
            first, last = ordered[0].at, max(ordered[-1].at, ordered[0].at + 1)
            room = (last / first) ** _ROOM if self.log else _ROOM * (last - first)
            ends = (first / room, last * room) if self.log else (first - room, last + room)
            set_range(self.plot.x_range, *ends)
            set_range(self.plot.y_range, 0.0, (1 + 2 * _ROOM) * max(abs(c.effect) for c in ordered) or 1.0)
        self.line.data = {"x": [c.at for c in ordered], "y": [abs(c.effect) for c in ordered]}
        if best is None or not math.isfinite(best.effect):
            self.best.data = NOTHING
        else:
            self.best.data = {"x": [best.at], "y": [abs(best.effect)]}
