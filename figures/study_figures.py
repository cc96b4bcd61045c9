"""Figures of the experiments that are study files, from their results."""

from __future__ import annotations

import few_relevant
import findings
import orders
import theorems
from matplotlib.figure import Figure

from ndcg_asymptotics.plots import measure_figure, overview_figure, pair_figures, summary_figure
from ndcg_asymptotics.results import Results

# Figures 1 to 4 of Wang et al. (2013). Under the log discount every scorer tends to 1, and the curves stay
# apart. Under r^-1/2 every scorer has its own limit. Under 2^-r there is no limit: the standard deviation
# stays. With the cutoff n/5 the limits under the log discount differ.
PAPER = {
    "figure1": "nDCG",
    "figure2": "nDCG(power(0.5))",
    "figure3": "nDCG(geometric(2))",
    "figure4": "nDCG@0.2n",
}

SUMMARY = ("nDCG", "nDCG(power(0.5))", "nDCG(zipf)", "nDCG@0.2n", "nDCG(geometric(2))")


def figures_of(results: Results) -> dict[str, Figure]:
    """Return the figures of a study by file name: orders for a study of pairs, curves for the others."""
    name = results.name
    if name in few_relevant.FIGURES:
        return {name: few_relevant.FIGURES[name](results)}
    if name in findings.FIGURES:
        return findings.figures_of(results)
    if results.study.engine == "rare":
        (figure,) = pair_figures(results).values()
        return {name: figure}
    if name in ("pseudo_expectation", "phase_diagram", *findings.NORMALISING, *orders.NAMES, *theorems.NAMES):
        return {}  # theory draws the first, and the others are drawn together
    if name != "wang2013":
        return {name: overview_figure(results)}
    figures_of_paper = {file: measure_figure(results, measure) for file, measure in PAPER.items()}
    return {"summary": summary_figure(results, SUMMARY), **figures_of_paper, name: overview_figure(results)}
