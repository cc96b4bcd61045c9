"""Draw how often two rerankers of one candidate list are in the wrong order, from results/shared_top.json.

`shared_top.py [FILE] [--out FOLDER]`
"""

from __future__ import annotations

from typing import Any

import numpy as np
from common import RESULTS, from_json
from matplotlib.figure import Figure

from ndcg_asymptotics.analysis.orders.rates import rate_of
from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.plots import Choice, length_axis, line_styles, panels, style, titles


def draw(results: dict[str, Any]) -> dict[str, Figure]:
    """Draw P(wrong or tie) against n in one panel per discount, with 95% intervals of Wilson."""
    sizes, lists = results["n"], results["lists"]
    kinds, discounts = list(results["not_ahead"][0]), list(results["not_ahead"][0]["shared top"])
    with style():
        figure, axes = panels(len(discounts), columns=len(discounts), height=2.5)
        for ax, discount in zip(axes, discounts, strict=True):
            for kind, line in zip(kinds, line_styles(len(kinds)), strict=True):
                wrong = [np.arange(lists) < of[kind][discount] for of in results["not_ahead"]]
                rates = [rate_of(n, hits) for n, hits in zip(sizes, wrong, strict=True)]
                seen = [rate for rate in rates if rate.rate > 0]
                middle = np.array([rate.rate for rate in seen])
                ends = np.array([[rate.low, rate.high] for rate in seen]).T
                ax.errorbar(
                    [rate.n for rate in seen],
                    middle,
                    np.abs(ends - middle),
                    color=line.color,
                    marker=line.marker,
                    ls=line.dashes,
                    mfc="white",
                    capsize=2,
                    label=kind if kind == "shared top" else "independent given the label",
                )
            ax.set_yscale("log")
            ax.set_ylim(5e-4, 1)
            length_axis(ax, sizes)
            titles(ax, Choice().title(Measure.of(f"nDCG({discount})")))
        axes[0].set_ylabel("P(wrong or tie)")
        axes[-1].legend(loc="lower left")
    return {"shared_top": figure}


if __name__ == "__main__":
    from_json(draw, "shared_top", __doc__, RESULTS)
