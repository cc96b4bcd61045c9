"""What all charts of the explorer share: the colours of a page, axes, ranges and legends."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import quote

from bokeh.models import Axis, CustomJSTickFormatter, Range1d
from bokeh.plotting import figure

from ndcg_asymptotics.core.looks import COLORS

LOWEST = 190
"""Pixels that a chart is high at least."""

NOTHING: dict[str, list[float]] = {"x": [], "y": []}
"""The data of a line or points that are not there."""


@dataclass(frozen=True)
class Palette:
    """The colours of a light or a dark page; those of the rankers are Okabe and Ito's."""

    page: str
    ink: str
    soft: str
    grid: str
    rankers: tuple[str, str]

    @property
    def stylesheet(self) -> str:
        """The style of widgets, whose track and arrow are seen on a dark page, too."""
        path = f"<path d='M1 1h10L6 7z' fill='{self.ink}'/>"
        arrow = f"<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 12 8'>{path}</svg>"
        return (
            f".noUi-target {{ background: {self.grid}; border-color: {self.grid}; }}"
            f".noUi-connect {{ background: {self.soft}; }}"
            f".bk-btn.bk-active {{ background: {self.rankers[0]}; color: {self.page}; }}"
            ".noUi-handle:focus-visible, button:focus-visible, select:focus-visible, input:focus-visible "
            f"{{ outline: 3px solid {self.rankers[0]}; outline-offset: 1px; }}"
            f'select.bk-input {{ background-image: url("data:image/svg+xml,{quote(arrow)}") !important; }}'
        )

    @classmethod
    def of(cls, dark: bool) -> Palette:
        """Return the colours of a dark or a light page."""
        if dark:
            return cls("#121212", "#e6e8ea", "#a2abb3", "#33383e", ("#4aa8e8", "#ff8a3d"))
        return cls("#ffffff", "#1b1f23", "#57606a", "#e3e6ea", (COLORS[0], COLORS[1]))


# powers of ten alone: 0.01, 1, 1000 as such, others with an exponent
_POWER_TICKS = """
const e = Math.round(Math.log10(tick)), up = "⁰¹²³⁴⁵⁶⁷⁸⁹";
if (Math.abs(Math.log10(tick) - e) > 1e-6) return "";
const raised = (e < 0 ? "⁻" : "") + String(Math.abs(e)).replace(/./g, d => up[+d]);
return -3 < e && e < 4 ? String(Number(tick.toPrecision(1))) : "10" + raised;
"""


def new_figure(title: str, x: str, y: str, colors: Palette, **options: object) -> figure:
    """Return a chart without data; ``options`` are those of Bokeh's figure."""
    plot = figure(
        title=title,
        sizing_mode="stretch_both",
        tools="pan,box_zoom,reset,save",
        active_drag=None,
        toolbar_location="above",
        background_fill_color=colors.page,
        border_fill_color=colors.page,
        outline_line_color=None,
        **options,
    )
    plot.toolbar.logo = None
    plot.toolbar.autohide = True
    plot.title.text_color = colors.ink
    plot.title.text_font_size = "13px"
    plot.min_border_right = 12
    plot.min_border_top = plot.min_border_bottom = 0
    plot.xaxis[0].axis_label_standoff = plot.yaxis[0].axis_label_standoff = 1
    for axis, label in ((plot.xaxis[0], x), (plot.yaxis[0], y)):
        axis.axis_label = label
        axis.axis_label_text_color = axis.major_label_text_color = colors.ink
        axis.axis_label_text_font_style = "normal"
        axis.axis_line_color = axis.major_tick_line_color = colors.soft
        axis.minor_tick_line_color = None
        axis.axis_label_text_font_size = axis.major_label_text_font_size = "11px"
    for grid in plot.grid:
        grid.grid_line_color = colors.grid
    return plot


def power_ticks(axis: Axis) -> None:
    """Mark powers of ten alone."""
    axis.formatter = CustomJSTickFormatter(code=_POWER_TICKS)


def set_range(shown: Range1d, low: float, high: float) -> None:
    """Show a range, also after a reset."""
    shown.update(start=low, end=high, reset_start=low, reset_end=high)


def legend(plot: figure, colors: Palette, location: str) -> None:
    """Show the legend of a chart in a corner."""
    shown = plot.legend[0]
    shown.location, shown.orientation = location, "horizontal"
    shown.background_fill_color, shown.background_fill_alpha = colors.page, 0.7
    shown.border_line_color = None
    shown.label_text_color, shown.label_text_font_size = colors.ink, "12px"
    shown.padding, shown.margin = 2, 2
