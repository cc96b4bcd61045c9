"""Standard deviations against the discount, and how far two scorers' difference stands out of its noise."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.axes import Axes

from ndcg_asymptotics.core.arrays import Floats
from ndcg_asymptotics.core.text import in_figure
from ndcg_asymptotics.plots.style import GREY, looks


def sd_exponents(
    ax: Axes, exponents: Sequence[float], predicted: Floats, exact: Floats, simulated: Floats, errors: Floats
) -> Axes:
    """The slope of log sd in log n against b of r^-b: predicted, exact, simulated (3 standard errors)."""
    order = np.argsort(exponents)
    b = np.asarray(exponents)[order]
    blue, orange, _ = looks(3)
    ax.plot(b, predicted[order], color=GREY, lw=0.9, label="as $n\\to\\infty$")
    ax.plot(b, exact[order], color=blue.color, ls="--", marker=blue.marker, label="exact")
    ax.errorbar(
        b, simulated[order], 3 * errors[order], color=orange.color, ls="none", marker=orange.marker,
        markerfacecolor="none", capsize=2, lw=0.8, label="simulated, ±3 standard errors",
    )  # fmt: skip
    ax.set_xlabel("$b$ of the discount $r^{-b}$")
    ax.set_ylabel("slope of log sd in log $n$")
    ax.legend(loc="upper left")
    return ax


def signal_to_noise(ax: Axes, x: Sequence[float], ratios: Mapping[str, Floats], xlabel: str) -> Axes:
    """Difference over its standard deviation, one list, against a parameter of the measure; optima marked.

    Parameters
    ----------
    x : (K,)
    ratios : name -> (K,)
    """
    for (name, ratio), look in zip(ratios.items(), looks(len(ratios)), strict=True):
        ax.plot(x, ratio, color=look.color, ls=look.dashes, label=in_figure(name))
        best = int(np.nanargmax(ratio))
        ax.plot(x[best], ratio[best], color=look.color, marker=look.marker, ms=5, mfc="none")
        ax.annotate(
            f"{x[best]:g}", (x[best], ratio[best]), xytext=(0, 4), textcoords="offset points",
            ha="center", fontsize=7, color=look.color,
        )  # fmt: skip
    ax.set_xlabel(xlabel)
    ax.set_ylabel(r"$\Delta/\sigma$ of one list")
    ax.margins(y=0.12)
    ax.legend()
    return ax
