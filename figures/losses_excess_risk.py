"""Theorems 10 and 11 of Ravikumar et al. (2011): regret under its bounds by excess risk, random problems."""

from __future__ import annotations

from typing import Any

import numpy as np
from common import from_json
from matplotlib.figure import Figure

from ndcg_asymptotics.plots import line_styles, panels, style
from ndcg_asymptotics.plots.losses import bound_scatter


def draw(results: dict[str, Any]) -> dict[str, Figure]:
    """The figure, from experiments/learning/excess_risk.py."""
    with style():
        figure, axes = panels(2, height=2.9)
        for text, line in zip(results["losses"], line_styles(len(results["losses"])), strict=True):
            _, regret, bound, linear = np.array(results["points"][text]).T
            bound_scatter(axes[0], bound, regret, line.color)
            bound_scatter(axes[1], linear, regret, line.color)
            axes[0].plot([], [], ls="none", marker="o", ms=3, color=line.color, label=text)
        axes[0].legend(loc="lower right")
        axes[0].set_title("Theorem 10", loc="left")
        axes[0].set_xlabel(r"$C_F\sqrt{(\Phi-\Phi^*)/C_\phi}$")
        axes[1].set_title("with a margin $\\gamma$ (as Theorem 11)", loc="left")
        axes[1].set_xlabel(r"$C_F^2(\Phi-\Phi^*)/(C_\phi\gamma)$")
        axes[1].set_ylabel("")
    return {"losses_excess_risk": figure}


if __name__ == "__main__":
    from_json(draw, "excess_risk", __doc__)
