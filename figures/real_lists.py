"""Draw the growing lists of real runs from experiments/real, and the effect of the order of arrival."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from common import RESULTS, arguments, write
from matplotlib.figure import Figure

from ndcg_asymptotics.lists.growth import Growth
from ndcg_asymptotics.plots import (
    Choice,
    figure_legend,
    outer_labels,
    panels,
    style,
    system_curves,
    system_figure,
    system_handles,
    titles,
)
from ndcg_asymptotics.plots.layout import one_scale
from ndcg_asymptotics.results.growing import open_growth
from ndcg_asymptotics.results.kinds import kind_of

ARRIVALS = {"robust03": ("random", "file"), "movielens": ("random", "time")}
ARRIVAL_MEASURES = ("nDCG", "nDCG@0.2n")
ARRIVAL_TEXTS = {"random": "at random", "file": "by newspaper and date", "time": "by time"}


def arrival_figure(growths: Mapping[str, Growth]) -> Figure:
    """Return a figure with a row for each of two measures, and the orders of arrival side by side."""
    with style():
        figure, axes = panels(len(growths) * len(ARRIVAL_MEASURES), columns=len(growths))
        places = [(measure, order) for measure in ARRIVAL_MEASURES for order in growths]
        for ax, (measure, order) in zip(axes, places, strict=True):
            system_curves(growths[order], measure, ax)
            titles(ax, f"documents arrive {ARRIVAL_TEXTS[order]}" if measure == ARRIVAL_MEASURES[0] else "")
            ax.set_ylabel(f"NDCG$_n$, {Choice().formula(measure)}")
        one_scale(axes)
        outer_labels(axes)
        figure_legend(figure, system_handles(next(iter(growths.values()))))
    return figure


def draw(results: Path) -> dict[str, Figure]:
    """Return the figures by file name, from a folder that has robust03-random, robust03-file and so on."""
    figures = {}
    for study, orders in ARRIVALS.items():
        folders = {order: results / f"{study}-{order}" for order in orders}
        found = {
            order: open_growth(folder) for order, folder in folders.items() if kind_of(folder) == "growth"
        }
        if len(found) < len(orders):
            print(f"{results}: not all of {', '.join(path.name for path in folders.values())}, left out")
            continue
        figures[f"real-{study}"] = system_figure(found["random"])
        figures[f"real-{study}-arrival"] = arrival_figure(found)
    return figures


def main() -> None:
    """Draw the figures of every data set that has results."""
    results, out = arguments(__doc__, RESULTS / "real")
    write(draw(results), out)


if __name__ == "__main__":
    main()
