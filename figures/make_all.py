"""Draw every figure of the gallery from a folder that has results/NAME for the experiments that were run.

`make_all.py [RESULTS] [FOLDER]`; an experiment without results is left out, with a message.
"""

from __future__ import annotations

import json

import findings
import loss_figures
import orders
import sampled_negatives
import speed
import theorems
import theory_figures
from common import EXPERIMENTS, arguments, write
from study_figures import figures_of

from ndcg_asymptotics.results.folder import open_study
from ndcg_asymptotics.results.kinds import kind_of
from ndcg_asymptotics.studies import load


def main() -> None:
    """Draw the figures of theory, those of every experiment that has results, and that of the benchmarks."""
    results, out = arguments(__doc__)
    for name, of_theory in theory_figures.FIGURES.items():
        write(of_theory(load(EXPERIMENTS / f"{name}.toml")), out)
    for experiment in sorted(EXPERIMENTS.glob("*.toml")):
        folder = results / experiment.stem
        if kind_of(folder) == "study":
            write(figures_of(open_study(folder)), out)
        else:
            print(f"{folder}: no results, left out")
    write(theorems.theorems_of(results), out)
    write(orders.orders_of(results), out)
    write(findings.normalising_of(results), out)
    for name, of_losses in loss_figures.FIGURES.items():
        file = results / "learning" / f"{name}.json"
        if file.exists():
            write(of_losses(json.loads(file.read_text())), out)
        else:
            print(f"{file}: no results, left out")
    write(sampled_negatives.draw(results / "real" / "ranks"), out)
    measured = results / "benchmarks.json"
    if measured.exists():
        write(speed.draw(json.loads(measured.read_text())), out)
    else:
        print(f"{measured}: no results, left out")


if __name__ == "__main__":
    main()
