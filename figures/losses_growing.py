"""Figures 1 to 4 of Wang et al. (2013) with learned rankers on real lists."""

from __future__ import annotations

from typing import Any

import numpy as np
from common import from_json
from matplotlib.figure import Figure

from ndcg_asymptotics.plots import (
    Choice,
    figure_legend,
    length_axis,
    line_styles,
    outer_labels,
    panels,
    style,
)
from ndcg_asymptotics.plots.losses import error_curves, line_style_handles


def draw(results: dict[str, Any]) -> dict[str, Figure]:
    """A figure per data set, from experiments/learning/growing.py."""
    figures = {}
    for name, found in results["data"].items():
        with style():
            figure, axes = panels(len(results["measures"]))
            rankers = list(found["curves"][results["measures"][0]])
            styles = dict(zip(rankers, line_styles(len(rankers)), strict=True))
            for ax, measure in zip(axes, results["measures"], strict=True):
                curves = {r: tuple(np.array(v).T) for r, v in found["curves"][measure].items()}
                error_curves(ax, found["sizes"], curves, styles=styles, log=False, labels=False)
                length_axis(ax, found["sizes"])
                ax.set_ylim(0, 1)
                ax.set_ylabel("NDCG$_n$")
                ax.set_title(Choice().title(measure), loc="left")
            outer_labels(axes)
            figure_legend(figure, line_style_handles(styles))
        figures[f"losses_growing_{name}"] = figure
    return figures


if __name__ == "__main__":
    from_json(draw, "growing", __doc__)
