"""What a pointer does on the charts: points of a curve and the list length are dragged.

The browser moves what is held at once and tells the page where it is, at most every 40 ms, and again when it
is let go. What the page answers in the meantime moves everything but the point that is held.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from bokeh.models import ColumnDataSource, CustomJS, Span
from bokeh.plotting import figure

# `gesture.held` is the point under the pointer: its source, its index, and where it is
_POINT = """
const name = cb_obj.event_name, now = performance.now();
const tell = () => {
  const { i, x, y, xs, ys, ranker } = gesture.held;
  gesture.told = now;
  gesture.data = { ranker: [ranker], point: [i], x: [xs.with(i, x)], y: [ys.with(i, y)] };
};
if (name === "panstart") {
  const { x_range, y_range } = plot, wide = plot.inner_width / (x_range.end - x_range.start);
  const high = plot.inner_height / (y_range.end - y_range.start);
  let near = 18;  // pixels
  gesture.held = null;
  sources.forEach((source, ranker) => source.data.x.forEach((x, i) => {
    const away = Math.hypot((x - cb_obj.x) * wide, (source.data.y[i] - cb_obj.y) * high);
    if (away >= near) return;
    near = away;
    const ys = [...source.data.y];  // from where the other ones make room
    gesture.held = { source, i, ranker, x, y: ys[i], xs: [...source.data.x], ys };
  }));
}
if (!gesture.held) return;
if (name === "panend") { tell(); gesture.held = null; return; }
const { source, i } = gesture.held, xs = source.data.x, last = xs.length - 1;
// depths fall along the list of points, and a point does not pass its neighbours
const inside = (v, low, high) => Math.min(Math.max(v, low), high);
gesture.held.x = i === 0 || i === last ? xs[i] : inside(cb_obj.x, xs[i + 1] + 0.02, xs[i - 1] - 0.02);
gesture.held.y = inside(cb_obj.y, 0, 1);
xs[i] = gesture.held.x; source.data.y[i] = gesture.held.y;
source.change.emit();
if (now - (gesture.told ?? 0) > 40) tell();
"""
_STAYS = """
const held = gesture.held;
if (!held || held.source !== cb_obj || cb_obj.data.y[held.i] === held.y) return;
cb_obj.data.x[held.i] = held.x; cb_obj.data.y[held.i] = held.y;
cb_obj.change.emit();
"""
_LENGTH = """
const tool = plot.toolbar.gestures?.pan?.active, name = cb_obj.event_name, now = performance.now();
if (tool && name !== "tap") return;
if (name !== "panend") {
  const n = Math.min(Math.max(cb_obj.x, 10), 1e18);
  gesture.n = Number(n.toPrecision(2));
  for (const span of spans) span.setv({ location: gesture.n }, { sync: false });
}
if (name === "tap" || name === "panend" || now - (gesture.told ?? 0) > 40) {
  gesture.told = now;
  gesture.data = { n: [gesture.n] };
}
"""


def drag_points(
    plot: figure,
    sources: Sequence[ColumnDataSource],
    dragged: Callable[[int, list[tuple[float, float]], int], None],
) -> ColumnDataSource:
    """Let points of two curves be dragged; return what the browser tells.

    Parameters
    ----------
    plot : figure
    sources : sequence of ColumnDataSource
        The points of each ranker at (1 - depth, value), from the top of the list on.
    dragged : callable
        Called with the index of a ranker, its points (depth, value) and the index of the held one.
    """
    gesture = ColumnDataSource({"ranker": [], "point": [], "x": [], "y": []}, name="held point")

    def told(attribute: str, old: object, new: Mapping[str, Any]) -> None:
        (ranker,), (point,), (x,), (y,) = (new[key] for key in ("ranker", "point", "x", "y"))
        pairs = zip(x, y, strict=True)
        dragged(int(ranker), [(1 - float(s), float(v)) for s, v in pairs], int(point))

    gesture.on_change("data", told)
    code = CustomJS(args={"plot": plot, "sources": list(sources), "gesture": gesture}, code=_POINT)
    plot.js_on_event("panstart", code)
    plot.js_on_event("pan", code)
    plot.js_on_event("panend", code)
    for source in sources:
        source.js_on_change("data", CustomJS(args={"gesture": gesture}, code=_STAYS))
    return gesture


def drag_length(plots: Mapping[figure, Span], chosen: Callable[[int], None]) -> ColumnDataSource:
    """Let the list length be dragged on charts against it; return what the browser tells.

    Parameters
    ----------
    plots : mapping of figure to Span
        The line that marks the length on each chart; all move together.
    chosen : callable
        Called with the length, rounded to two digits.
    """
    gesture = ColumnDataSource({"n": []}, name="held length")
    gesture.on_change("data", lambda attribute, old, new: chosen(int(new["n"][0])))
    for plot in plots:
        args = {"plot": plot, "spans": list(plots.values()), "gesture": gesture}
        code = CustomJS(args=args, code=_LENGTH)
        for event in ("panstart", "pan", "panend", "tap"):
            plot.js_on_event(event, code)
    return gesture
