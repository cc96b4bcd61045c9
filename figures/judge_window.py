"""Draw how a judge's false alarms turn the order of two rankers by nDCG@10, from results/judge_window.

`judge_window.py [RESULTS] [FOLDER]`
"""

from __future__ import annotations

import numpy as np
from common import arguments, write
from matplotlib.figure import Figure

from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.plots import (
    Choice,
    figure_legend,
    measure_style,
    outer_labels,
    panels,
    style,
    titles,
)
from ndcg_asymptotics.plots.marks import grey_line, white_marker
from ndcg_asymptotics.plots.scales import number
from ndcg_asymptotics.plots.style import GREY
from ndcg_asymptotics.results import GridResults, open_grid
from ndcg_asymptotics.theory.mean import expected_ndcg

_RATES = (0.0, *np.geomspace(1e-4, 0.05, 25).tolist())
_LABELLED = (1e-4, 3e-4, 1e-3, 3e-3, 0.01, 0.03)
_LINEAR = 3e-4  # false positive rate up to which the axis is linear, so that it begins at 0


def draw(results: GridResults) -> dict[str, Figure]:
    """Draw exact and simulated mean differences of the rankers against the false positive rate."""
    (rate, *_), study = next((values, of.study) for values, of in results.points.items() if values[0])
    (n,) = study.n

    def gap(at: float, measure: Measure) -> float:
        texts = (str(study.scorers[name]).replace(f", {rate:g}, ", f", {at!r}, ") for name in "ab")
        first, second = (expected_ndcg(text, measure, [n]).value[0] for text in texts)
        return float(first - second)

    with style():
        figure, axes = panels(2, height=2.6)
        for ax, measure in zip(axes, study.design.measures, strict=True):
            line = measure_style(measure)
            ax.plot(_RATES, [gap(at, measure) for at in _RATES], color=line.color)
            for (at, *_), of_point in results.points.items():
                cell = of_point.data["ndcg"].sel(measure=str(measure), n=n)
                seen = (cell.sel(scorer="a") - cell.sel(scorer="b")).to_numpy()
                error = 1.96 * seen.std(ddof=1) / seen.size**0.5
                ax.errorbar(at, seen.mean(), error, ls="none", lw=0.8, ecolor=line.color, **line.hollow)
            ax.axhline(0, color=GREY, lw=0.8)
            ax.set_xscale("symlog", linthresh=_LINEAR)
            ax.set_xticks([0, *_LABELLED], ["0", *map(number, _LABELLED)])
            ax.set_xlim(-_LINEAR / 10, _RATES[-1])
            ax.set_xlabel("false positive rate of the judge")
            ax.set_ylabel("mean difference, a less b")
            titles(ax, Choice().title(measure))
        outer_labels(axes)
        figure_legend(figure, [grey_line("exact mean"), white_marker("simulated, 95% interval")])
    return {"judge_window": figure}


if __name__ == "__main__":
    folder, out = arguments(__doc__)
    write(draw(open_grid(folder / "judge_window")), out)
