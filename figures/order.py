"""How often two scorers come in the right order, and how fast that settles; a figure per pair."""

from __future__ import annotations

from common import from_results
from matplotlib.figure import Figure

from ndcg_asymptotics.plots import order_figures
from ndcg_asymptotics.results import Results


def draw(results: Results) -> dict[str, Figure]:
    """The figures, from the results of any study with pairs; named after the folder of results."""
    name = results.name
    figures = order_figures(results)
    if len(figures) == 1:
        return {f"{name}-order": figure for figure in figures.values()}
    return {f"{name}-order-{a}-{b}": figure for (a, b), figure in figures.items()}


if __name__ == "__main__":
    from_results(draw, __doc__)
