"""Figures of theory alone, for the design of a study file."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure
from numpy.typing import NDArray
from theory_axes import gap_curves, length_handles, length_within, lengths_needed

from ndcg_asymptotics.core.text import in_figure
from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.measures.asymptotics import LogDecay
from ndcg_asymptotics.plots import (
    Choice,
    figure_legend,
    outer_labels,
    panels,
    style,
    titles,
)
from ndcg_asymptotics.populations import Scorer
from ndcg_asymptotics.studies import Study
from ndcg_asymptotics.theory.limits import limit
from ndcg_asymptotics.theory.limits.pseudo_expectation import pseudo_expectation
from ndcg_asymptotics.theory.mean import expected_ndcg

LEMMA_2 = {"Lemma 2: $n^{-1/3}$": 1 / 3}


def pseudo_expectation_gap(study: Study) -> dict[str, Figure]:
    """Draw |E NDCG_n - N(n)|, the gap between the exact mean and the pseudo-expectation of Definition 5.

    There is a panel per measure. Lemma 2 of Wang et al. (2013) bounds the gap by O~(n^-1/3) for the log
    discount. The slopes in the legend are least-squares fits over the last two decades, and a dip is a change
    of sign.
    """
    measures = study.design.measures
    with style():
        figure, axes = panels(len(measures))
        for ax, measure in zip(axes, measures, strict=True):
            gaps = {}
            for name, scorer in study.scorers.items():
                gap = _difference(scorer, measure, study.n)
                gaps[f"{in_figure(name)}: $n^{{{_slope(study.n, gap):.2f}}}$"] = gap
            guides = LEMMA_2 if isinstance(measure.discount.asymptotics, LogDecay) else {}
            gap_curves(ax, study.n, gaps, rates=guides, ylabel=r"$|\mathrm{E}\,\mathrm{NDCG}_n - N(n)|$")
            titles(ax, Choice().title(measure))
        outer_labels(axes)
    return {"pseudo_expectation": figure}


def _difference(scorer: Scorer, measure: Measure, sizes: tuple[int, ...]) -> NDArray[np.float64]:
    """Return E NDCG_n - N(n); NaN where N(n) is not defined."""
    pseudo = [pseudo_expectation(scorer, measure, n) for n in sizes]
    defined = np.array([np.nan if p is None else p for p in pseudo], np.float64)
    gap: NDArray[np.float64] = expected_ndcg(scorer, measure, sizes).value - defined
    return gap


def _slope(sizes: tuple[int, ...], gap: NDArray[np.float64]) -> float:
    """Return the slope of log |gap| in log n over the last two decades."""
    n = np.array(sizes, np.float64)
    last = n >= n[-1] / 100
    return float(np.polyfit(np.log(n[last]), np.log(np.abs(gap[last])), 1)[0])


DISTANCE = 0.01


def how_large(study: Study) -> dict[str, Figure]:
    """Draw the list length from which the mean of NDCG_n stays within 0.01 of its limit.

    There is a row per measure that has a limit, and a marker per scorer. The length is interpolated between
    those of the study.
    """
    needed = {}
    for measure in study.design.measures:
        lengths = {name: _length_needed(s, measure, study.n) for name, s in study.scorers.items()}
        if all(n is not None for n in lengths.values()):
            needed[str(measure)] = {name: n for name, n in lengths.items() if n is not None}
    with style():
        figure, (ax,) = panels(1, height=2.9)
        lengths_needed(ax, needed, study.n[-1])
        titles(ax, f"$n$ from which E NDCG$_n$ is within {DISTANCE:g} of the limit")
        figure_legend(figure, length_handles(list(study.scorers), study.n[-1]))
    return {"how_large": figure}


def _length_needed(scorer: Scorer, measure: Measure, sizes: tuple[int, ...]) -> float | None:
    """Return the list length; infinite if it is beyond the sizes, None if there is no limit."""
    goal = limit(scorer, measure).value
    if goal is None:
        return None
    found = expected_ndcg(scorer, measure, sizes)
    # with its error added, a mean within 0.01 is so with certainty
    return length_within(sizes, np.abs(found.value - goal) + found.error, DISTANCE)


FIGURES = {"pseudo_expectation": pseudo_expectation_gap, "eighteen_decades": how_large}
"""Functions that draw figures, by the name of the study whose design they use."""
