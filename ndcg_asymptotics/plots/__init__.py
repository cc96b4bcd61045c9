"""Results and theory -> matplotlib axes and files. Nothing else in the package imports matplotlib.

Functions such as `ndcg_curves` and `right_order` draw into axes they are given and return them;
`style` holds the settings they are made for, `save` writes SVG and PNG, and `draw_all` makes every
figure of a study.
"""

from ndcg_asymptotics.plots.choice import Choice
from ndcg_asymptotics.plots.curves import curve_key, ndcg_curves
from ndcg_asymptotics.plots.fluctuations import sd_exponents, signal_to_noise
from ndcg_asymptotics.plots.gallery import (
    draw_all,
    measure_figure,
    order_figure,
    order_figures,
    overview_figure,
    speed_figures,
)
from ndcg_asymptotics.plots.gaps import gap_curves, length_key, length_within, lengths_needed
from ndcg_asymptotics.plots.inset import enlarge, free_place
from ndcg_asymptotics.plots.orders.pairs import order_key, right_order, wrong_order
from ndcg_asymptotics.plots.orders.speeds import order_speeds
from ndcg_asymptotics.plots.placing import margin_labels, titles
from ndcg_asymptotics.plots.runs.comparison import comparison_figure, draw_comparison, power_figure
from ndcg_asymptotics.plots.runs.fitted import draw_curves, fitted_curves, fitted_figure, holds_curves
from ndcg_asymptotics.plots.runs.growing import draw_growth, growing_curves, growing_figure
from ndcg_asymptotics.plots.style import key, length_axis, looks, note, outer_labels, panels, save, style

__all__ = [
    "Choice",
    "comparison_figure",
    "curve_key",
    "draw_all",
    "draw_comparison",
    "draw_curves",
    "draw_growth",
    "enlarge",
    "fitted_curves",
    "fitted_figure",
    "free_place",
    "gap_curves",
    "growing_curves",
    "growing_figure",
    "holds_curves",
    "key",
    "length_axis",
    "length_key",
    "length_within",
    "lengths_needed",
    "looks",
    "margin_labels",
    "measure_figure",
    "ndcg_curves",
    "note",
    "order_figure",
    "order_figures",
    "order_key",
    "order_speeds",
    "outer_labels",
    "overview_figure",
    "panels",
    "power_figure",
    "right_order",
    "save",
    "sd_exponents",
    "signal_to_noise",
    "speed_figures",
    "style",
    "titles",
    "wrong_order",
]
