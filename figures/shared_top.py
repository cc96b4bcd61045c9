"""Draw how often two rerankers of one candidate list are in the wrong order, from results/shared_top.json.

`shared_top.py [FILE] [--out FOLDER]`
"""

from __future__ import annotations

from typing import Any

import numpy as np
from common import RESULTS, from_json, grey_bar
from matplotlib.figure import Figure

from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.plots import (
    Choice,
    figure_legend,
    length_axis,
    line_styles,
    outer_labels,
    panels,
    style,
    titles,
)
from ndcg_asymptotics.plots.marks import handle
from ndcg_asymptotics.plots.orders import NONE_WRONG, none_wrong
from ndcg_asymptotics.plots.scales import log_axis
from ndcg_asymptotics.plots.style import LineStyle
from ndcg_asymptotics.stats.rates import rate_of

NAMES: dict[str, str] = {"independent": "independent given the label"}


def draw(results: dict[str, Any]) -> dict[str, Figure]:
    """Draw P(wrong order) against n in one panel per discount, with Wilson intervals; ties count as wrong."""
    sizes, lists = results["n"], results["lists"]
    kinds, discounts = list(results["not_ahead"][0]), list(results["not_ahead"][0]["shared top"])
    lines: dict[str, LineStyle] = dict(zip(kinds, line_styles(len(kinds)), strict=True))
    with style():
        figure, axes = panels(len(discounts), columns=len(discounts), height=2.5)
        for ax, discount in zip(axes, discounts, strict=True):
            for kind, line in lines.items():
                wrong = [np.arange(lists) < of[kind][discount] for of in results["not_ahead"]]
                rates = [rate_of(n, hits) for n, hits in zip(sizes, wrong, strict=True)]
                seen = [rate for rate in rates if rate.rate > 0]
                n, middle, *ends = np.array([(rate.n, rate.rate, rate.low, rate.high) for rate in seen]).T
                ax.errorbar(
                    n,
                    middle,
                    np.abs(ends - middle),
                    ls=line.dashes,
                    color=line.color,
                    elinewidth=0.8,
                    **line.hollow,
                )
                if len(seen) < len(rates):
                    first = rates[len(seen)]
                    ax.plot(first.n, first.high, color=line.color, ls="none", **NONE_WRONG)
            log_axis(ax.yaxis)
            ax.set_ylim(1e-4, 1)
            length_axis(ax, sizes)
            ax.set_ylabel("P(wrong order)")
            titles(ax, Choice().title(Measure.of(f"nDCG({discount})")))
        outer_labels(axes)
        named = [handle(line, NAMES.get(kind, kind)) for kind, line in lines.items()]
        marks = [grey_bar("95% interval"), none_wrong()]
        figure_legend(figure, [*named, *marks])
    return {"shared_top": figure}


if __name__ == "__main__":
    from_json(draw, "shared_top", __doc__, RESULTS)
