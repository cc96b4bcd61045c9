"""Draw the growing lists of real runs of experiments/real, and the effect of the order of arrival.

`real_lists.py [DATA] [FOLDER]`: DATA has robust03 and movielens_small. Growing the lists takes minutes.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path

from common import EXPERIMENTS, arguments, write
from matplotlib.figure import Figure

from ndcg_asymptotics.growth import growth_curves, growth_figure, growth_handles
from ndcg_asymptotics.growth.outcome import Growth
from ndcg_asymptotics.plots import (
    Choice,
    figure_legend,
    outer_labels,
    panels,
    style,
    titles,
)
from ndcg_asymptotics.plots.layout import one_scale

ARRIVALS = {"robust03": ("random", "file"), "movielens": ("random", "time")}
ARRIVAL_MEASURES = ("nDCG", "nDCG@0.2n")
ARRIVAL_TEXTS = {"random": "at random", "file": "by newspaper and date", "time": "by time"}


def arrival_figure(growths: Mapping[str, Growth]) -> Figure:
    """Return a figure with a row for each of two measures, and the orders of arrival side by side."""
    with style():
        figure, axes = panels(len(growths) * len(ARRIVAL_MEASURES), columns=len(growths))
        places = [(measure, order) for measure in ARRIVAL_MEASURES for order in growths]
        for ax, (measure, order) in zip(axes, places, strict=True):
            growth_curves(growths[order], measure, ax)
            titles(ax, f"documents arrive {ARRIVAL_TEXTS[order]}" if measure == ARRIVAL_MEASURES[0] else "")
            ax.set_ylabel(f"NDCG$_n$, {Choice().formula(measure)}")
        one_scale(axes)
        outer_labels(axes)
        figure_legend(figure, growth_handles(next(iter(growths.values()))))
    return figure


def draw(growths: Mapping[str, Growth]) -> dict[str, Figure]:
    """Return the figures of one data set by file name, from its growing lists by ``DATASET-ORDER``."""
    names = list(growths)
    study = names[0].partition("-")[0]
    by_order = {name.partition("-")[2]: growth for name, growth in growths.items()}
    return {
        f"real-{study}": growth_figure(by_order["random"]),
        f"real-{study}-arrival": arrival_figure({order: by_order[order] for order in ARRIVALS[study]}),
    }


def main() -> None:
    """Grow the lists of both data sets and draw their figures."""
    sys.path.append(str(EXPERIMENTS / "real"))
    data, out = arguments(__doc__, Path(os.environ.get("NDCG_ASYMPTOTICS_DATA", "data")))
    for name in ARRIVALS:
        write(draw(import_module(name).growing(data)), out)


if __name__ == "__main__":
    main()
