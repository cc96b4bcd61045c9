"""How far the pseudo-expectation N(n) of Definition 5 is from the exact mean E NDCG_n.

Lemma 2 of Wang et al. (2013) bounds the difference by O~(n^-1/3) for the log discount. Theory
alone; the slopes in the margin are least-squares fits over the last two decades, and a dip is a
change of sign.
"""

from __future__ import annotations

import numpy as np
from common import from_study
from matplotlib.figure import Figure
from numpy.typing import NDArray

from ndcg_asymptotics.core.text import in_figure
from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.measures.asymptotics import LogDecay
from ndcg_asymptotics.plots import Choice, gap_curves, outer_labels, panels, style
from ndcg_asymptotics.populations import Scorer
from ndcg_asymptotics.studies import Study
from ndcg_asymptotics.theory.mean import expected_ndcg
from ndcg_asymptotics.theory.pseudo_expectation import pseudo_expectation

LEMMA_2 = {"Lemma 2: $n^{-1/3}$": 1 / 3}


def draw(study: Study) -> dict[str, Figure]:
    """The figure: a panel per measure, |E NDCG_n - N(n)| of every scorer against n."""
    measures = study.design.measures
    with style():
        figure, axes = panels(len(measures))
        for ax, measure in zip(axes, measures, strict=True):
            gaps = {}
            for name, scorer in study.scorers.items():
                gap = difference(scorer, measure, study.n)
                gaps[f"{in_figure(name)}: $n^{{{slope(study.n, gap):.2f}}}$"] = gap
            guides = LEMMA_2 if isinstance(measure.discount.asymptotics, LogDecay) else {}
            gap_curves(ax, study.n, gaps, rates=guides, ylabel=r"$|\mathrm{E}\,\mathrm{NDCG}_n - N(n)|$")
            ax.set_title(Choice().title(measure), loc="left")
        outer_labels(axes)
    return {"pseudo_expectation": figure}


def difference(scorer: Scorer, measure: Measure, sizes: tuple[int, ...]) -> NDArray[np.float64]:
    """E NDCG_n - N(n); NaN where N(n) is not defined."""
    pseudo = [pseudo_expectation(scorer, measure, n) for n in sizes]
    defined = np.array([np.nan if p is None else p for p in pseudo], np.float64)
    gap: NDArray[np.float64] = expected_ndcg(scorer, measure, sizes).value - defined
    return gap


def slope(sizes: tuple[int, ...], gap: NDArray[np.float64]) -> float:
    """The slope of log |gap| in log n over the last two decades."""
    n = np.array(sizes, np.float64)
    last = n >= n[-1] / 100
    return float(np.polyfit(np.log(n[last]), np.log(np.abs(gap[last])), 1)[0])


if __name__ == "__main__":
    from_study(draw, "pseudo_expectation", __doc__)
