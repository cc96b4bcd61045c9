"""Growing lists of real runs, as experiments/real made them, and what the order of arrival does."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from pathlib import Path

from common import GALLERY, HERE
from matplotlib.figure import Figure

from ndcg_asymptotics.lists.growth import Growth
from ndcg_asymptotics.plots import (
    Choice,
    figure_legend,
    growing_curves,
    growing_figure,
    outer_labels,
    panels,
    save,
    style,
    titles,
)
from ndcg_asymptotics.plots.growing import growing_handles
from ndcg_asymptotics.results.folder import holds_growth
from ndcg_asymptotics.results.growing import open_growth

ARRIVALS = {"robust03": ("random", "file"), "movielens": ("random", "time")}
ARRIVAL_MEASURES = ("nDCG", "nDCG@0.2n")
SAID = {"random": "at random", "file": "by newspaper and date", "time": "by time"}


def arrival_figure(growths: Mapping[str, Growth]) -> Figure:
    """Two measures, a row each; the orders of arrival side by side."""
    with style():
        figure, axes = panels(len(growths) * len(ARRIVAL_MEASURES), columns=len(growths))
        places = ((measure, order) for measure in ARRIVAL_MEASURES for order in growths)
        for ax, (measure, order) in zip(axes, places, strict=True):
            growing_curves(growths[order], measure, ax)
            titles(ax, Choice().title(measure), f"documents arrive {SAID[order]}")
        outer_labels(axes, len(growths))
        figure_legend(figure, growing_handles(next(iter(growths.values()))))
    return figure


def draw(results: Path) -> dict[str, Figure]:
    """The figures, from a folder that holds robust03-random, robust03-file and so on."""
    figures = {}
    for study, orders in ARRIVALS.items():
        folders = {order: results / f"{study}-{order}" for order in orders}
        found = {order: open_growth(folder) for order, folder in folders.items() if holds_growth(folder)}
        if len(found) < len(orders):
            print(f"{results}: not all of {', '.join(path.name for path in folders.values())}, left out")
            continue
        figures[f"real-{study}"] = growing_figure(found["random"])
        figures[f"real-{study}-arrival"] = arrival_figure(found)
    return figures


def main() -> None:
    """Draw what there is."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("results", type=Path, nargs="?", default=HERE.parent / "results" / "real")
    parser.add_argument("out", type=Path, nargs="?", default=GALLERY)
    arguments = parser.parse_args()
    for name, figure in draw(arguments.results).items():
        for path in save(figure, arguments.out, name):
            print(path)


if __name__ == "__main__":
    main()
