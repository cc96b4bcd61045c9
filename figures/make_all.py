"""Every figure of the gallery from a folder that holds results/NAME for the experiments that were run.

`make_all.py [RESULTS] [FOLDER]`; an experiment without results is named and left out.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from pathlib import Path

import figure1
import figure2
import figure3
import figure4
import how_large
import losses_discounts
import losses_excess_risk
import losses_growing
import losses_long_lists
import losses_movielens
import losses_mq2008
import losses_training_queries
import order
import overview
import pseudo_expectation
import rates
from common import EXPERIMENTS, GALLERY, HERE
from matplotlib.figure import Figure

from ndcg_asymptotics.plots import save
from ndcg_asymptotics.results import Results, open_results
from ndcg_asymptotics.results.folder import holds_results
from ndcg_asymptotics.studies import load

THEORY = ((pseudo_expectation.draw, "pseudo_expectation"), (how_large.draw, "eighteen_decades"))
LOSSES = {
    "discounts": losses_discounts.draw,
    "excess_risk": losses_excess_risk.draw,
    "growing": losses_growing.draw,
    "long_lists": losses_long_lists.draw,
    "movielens": losses_movielens.draw,
    "mq2008": losses_mq2008.draw,
    "training_queries": losses_training_queries.draw,
}  # by what the experiments about losses write
PAPER = (figure1.draw, figure2.draw, figure3.draw, figure4.draw)


def scripts_for(results: Results) -> list[Callable[[Results], dict[str, Figure]]]:
    """What is drawn of an experiment: the order for those about pairs, the curves for the others."""
    if results.study.engine == "rare":
        return [rates.draw]
    if results.study.engine == "every-n" or results.name == "cutoff_equal_tops":
        return [order.draw]
    if results.name == "pseudo_expectation":
        return []  # its figure is one of theory
    return [*(PAPER if results.name == "wang2013" else ()), overview.draw]


def main() -> None:
    """Draw the figures of theory, then those of every experiment that has results."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("results", type=Path, nargs="?", default=HERE.parent / "results")
    parser.add_argument("out", type=Path, nargs="?", default=GALLERY)
    arguments = parser.parse_args()

    def write(figures: dict[str, Figure]) -> None:
        for name, figure in figures.items():
            for path in save(figure, arguments.out, name):
                print(path)

    for draw, name in THEORY:
        write(draw(load(EXPERIMENTS / f"{name}.toml")))
    for experiment in sorted(EXPERIMENTS.glob("*.toml")):
        folder = arguments.results / experiment.stem
        if not holds_results(folder):
            print(f"{folder}: no results, left out")
            continue
        results = open_results(folder)
        for script in scripts_for(results):
            write(script(results))
    for name, of_losses in LOSSES.items():
        file = arguments.results / "learning" / f"{name}.json"
        if not file.exists():
            print(f"{file}: no results, left out")
            continue
        write(of_losses(json.loads(file.read_text())))


if __name__ == "__main__":
    main()
