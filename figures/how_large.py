"""How large must n be? The list length from which the mean of NDCG_n stays within 0.01 of its limit.

From the exact mean, at the sizes of a study and interpolated between them; theory alone.
"""

from __future__ import annotations

import numpy as np
from common import from_study
from matplotlib.figure import Figure

from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.plots import figure_legend, length_handles, length_within, lengths_needed, panels, style
from ndcg_asymptotics.populations import Scorer
from ndcg_asymptotics.studies import Study
from ndcg_asymptotics.theory.limits import limit
from ndcg_asymptotics.theory.mean import expected_ndcg

DISTANCE = 0.01


def draw(study: Study) -> dict[str, Figure]:
    """The figure: a row per measure that has a limit, a marker per scorer."""
    needed = {}
    for measure in study.design.measures:
        lengths = {name: needs(s, measure, study.n) for name, s in study.scorers.items()}
        if all(n is not None for n in lengths.values()):
            needed[str(measure)] = {name: n for name, n in lengths.items() if n is not None}
    with style():
        figure, (ax,) = panels(1, height=2.9)
        lengths_needed(ax, needed, study.n[-1])
        ax.set_title(f"$n$ from which E NDCG$_n$ is within {DISTANCE:g} of the limit", loc="left")
        figure_legend(figure, length_handles(list(study.scorers), study.n[-1]))
    return {"how_large": figure}


def needs(scorer: Scorer, measure: Measure, sizes: tuple[int, ...]) -> float | None:
    """The list length wanted; infinite if it is beyond the sizes, None if there is no limit."""
    goal = limit(scorer, measure).value
    if goal is None:
        return None
    found = expected_ndcg(scorer, measure, sizes)
    # the error counts against it: what is within 0.01 is so for sure
    return length_within(sizes, np.abs(found.value - goal) + found.error, DISTANCE)


if __name__ == "__main__":
    from_study(draw, "eighteen_decades", __doc__)
