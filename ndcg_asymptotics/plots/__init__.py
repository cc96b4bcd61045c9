"""Results and theory -> matplotlib axes and files. Nothing else in the package imports matplotlib.

Functions such as `ndcg_curves` and `right_order` draw into axes they are given and return them;
`style` holds the settings they are made for, `save` writes SVG and PNG, and `draw_all` makes every
figure of a study.
"""

from ndcg_asymptotics.plots.curves import curve_key, enlarge, ndcg_curves
from ndcg_asymptotics.plots.gallery import (
    draw_all,
    measure_figure,
    order_figure,
    order_figures,
    overview_figure,
    speed_figures,
)
from ndcg_asymptotics.plots.gaps import gap_curves, length_key, length_within, lengths_needed
from ndcg_asymptotics.plots.pairs import order_key, right_order, wrong_order
from ndcg_asymptotics.plots.speeds import order_speeds
from ndcg_asymptotics.plots.style import key, margin_labels, note, outer_labels, panels, save, style

__all__ = [
    "curve_key",
    "draw_all",
    "enlarge",
    "gap_curves",
    "key",
    "length_key",
    "length_within",
    "lengths_needed",
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
    "right_order",
    "save",
    "speed_figures",
    "style",
    "wrong_order",
]
