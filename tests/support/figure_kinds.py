"""One figure of each kind that the package draws, for tests of what can be seen."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import cases
import numpy as np
from matplotlib.figure import Figure

import ndcg_asymptotics as na
from ndcg_asymptotics import comparisons, growth, plans, plots
from ndcg_asymptotics.growth.outcome import Growth
from ndcg_asymptotics.plans.outcome import Plan
from ndcg_asymptotics.plots.grid import parameter_figure
from ndcg_asymptotics.plots.grid_points import curves_figure, gaps_figure
from ndcg_asymptotics.results import Results
from ndcg_asymptotics.results.grid import GridResults
from ndcg_asymptotics.studies.grid import grid_of

SCORERS = {"strong": "power(0.05, 0.8, 2)", "weak": "linear(0.1, 0.5)", "random": "random"}
PAIR = {"strong": "linear(0.1, 0.7)", "weak": "linear(0.2, 0.6)"}
MEASURES = ["nDCG", "nDCG(power(0.5))", "nDCG@0.2n", "nDCG@10", "nDCG@50"]
RUNS = {"good": 0.5, "bad": 0.9, "THUIRr0301": 0.6}


@cache
def results() -> Results:
    """Return values that come together as n grows, and an order that is wrong less and less often."""
    study = cases.study(SCORERS, (10, 100, 1000, 10**4), MEASURES, pairs=[["strong", "weak"]])
    rng, n = np.random.default_rng(3), np.array(study.n)
    levels = np.array([0.8, 0.6, 0.5])[:, None, None]
    noise = rng.normal(size=(40, 3, len(MEASURES), n.size)) / np.sqrt(n)
    order = np.where(rng.random((40, 1, len(MEASURES), n.size)) < 1 / np.sqrt(n), -1, 1).astype(np.int8)
    return cases.results(study, ndcg=np.clip(levels + noise, 0, 1), order=order)


@cache
def rare() -> Results:
    """Return weighted draws of wrong orders."""
    study = cases.study(
        PAIR, (50, 300, 1000), ["nDCG", "nDCG@5"], engine="rare", pairs=[("strong", "weak")], replicates=20
    )
    return na.run(study, jobs=1)


@cache
def grid(*parameters: str) -> GridResults:
    """Return a grid of one or two parameters."""
    values = {"k": [2, 4, 8], "top": [0.5, 0.7]}
    text = "linear(0.1, $top)" if "top" in parameters else "linear(0.1, 0.6)"
    fields: dict[str, Any] = {"scorers": {"good": text, "random": "random"}, "measures": ["nDCG@$k"]}
    fields |= {"n": [10, 30], "replicates": 40, "seed": 5, "pairs": [["good", "random"]]}
    return na.run(grid_of({name: values[name] for name in parameters}, fields), jobs=1)


@cache
def steepness() -> GridResults:
    """Return a grid of discounts with limits."""
    fields: dict[str, Any] = {"scorers": {"good": "linear(0.1, 0.6)", "random": "random"}, "n": [10, 30, 100]}
    fields |= {"measures": ["nDCG(power($b))"], "replicates": 40, "seed": 5}
    return na.run(grid_of({"b": [0.5, 1, 1.5]}, fields), jobs=1)


@cache
def lists(documents: int = 60) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return runs over 30 queries, and their judgements."""
    return cases.judged_runs(RUNS, documents=documents)


@cache
def compared(count: int, judge: bool = False) -> Any:
    """Return a comparison of some of the runs."""
    scores, labels = lists()
    runs = {name: scores[name] for name in list(scores)[:count]}
    humans = {q: labels[q] for q in list(labels)[:15]} if judge else labels
    measures = ["nDCG", "nDCG@10", "nDCG@1", "nDCG(power(0.5))"]
    return na.compare(runs, humans, measures, judge=labels if judge else None, resamples=199)


@cache
def planned() -> Plan:
    """Return a plan from two curves."""
    return na.plan(a="linear(0.1, 0.7)", b="constant(0.4)", measures=["nDCG"], n=40)


@cache
def growing() -> Growth:
    """Return growing lists, compared with theory."""
    scores, labels = lists(30)
    return na.grow(scores, labels, ["nDCG", "nDCG@0.2n"], orders=3, groups=2)


def only(figures: dict[tuple[str, str], Figure]) -> Figure:
    """Return the figure of the only pair."""
    (figure,) = figures.values()
    return figure


Draw = Callable[[float | None], Figure]
FIGURES: dict[str, Draw] = {
    "summary": lambda width: plots.summary_figure(results(), width=width),
    "overview": lambda width: plots.overview_figure(results(), width=width),
    "measure": lambda width: plots.measure_figure(results(), "nDCG@0.2n", width=width),
    "shared limit": lambda width: plots.measure_figure(results(), "nDCG", width=width),
    "order": lambda width: only(plots.pair_figures(results(), width=width)),
    "error exponent": lambda width: only(plots.pair_figures(rare(), width=width)),
    "grid": lambda width: parameter_figure(grid("k"), "k", "nDCG@$k", width=width),
    "curves of a grid": lambda width: curves_figure(grid("k"), "nDCG@$k", width=width),
    "gaps of a grid": lambda width: gaps_figure(steepness(), "nDCG(power($b))", width=width),
    "grid, two parameters": lambda width: parameter_figure(grid("k", "top"), "k", "nDCG@$k", width=width),
    "comparison": lambda width: comparisons.comparison_figure(compared(2), compared(2).pairs[0], width=width),
    "comparison with a judge": lambda width: comparisons.judged_figure(
        compared(2, True), compared(2, True).pairs[0], width=width
    ),
    "plan": lambda width: plans.plan_figure(planned(), width=width),
    "growing": lambda width: growth.growth_figure(growing(), width=width),
}
"""Functions that draw at a width in inches, by the kind of figure."""
