"""The figure of a plan from curves: effect sizes by discount and by cutoff."""

from __future__ import annotations

from functools import partial

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from ndcg_asymptotics.core.arrays import Floats, instance_of
from ndcg_asymptotics.core.errors import InputError
from ndcg_asymptotics.core.text import count_text
from ndcg_asymptotics.plans.outcome import Plan
from ndcg_asymptotics.plots.layout import note, one_scale, outer_labels, panels, titles
from ndcg_asymptotics.plots.marks import figure_legend, grey_marker
from ndcg_asymptotics.plots.saving import Drawing
from ndcg_asymptotics.plots.scales import log_axis
from ndcg_asymptotics.plots.style import GREY, MarkerSettings, measure_style, style
from ndcg_asymptotics.theory import effect_sizes

EXPONENTS = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0, 1.5, 2.0)
"""The b of the discounts r^-b that are drawn."""
CUTOFFS = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)
"""The cutoffs k that are drawn, and n."""

_RING: MarkerSettings = {"ls": "none", "marker": "o", "mfc": "none", "mec": "black", "ms": 8}


def plan_figure(plan: Plan, *, width: float | None = None) -> Figure:
    """Return a figure of the effect sizes of two rankers on one list, against b and against k.

    A ring marks the measure of the largest effect, with the queries that it needs.

    Raises
    ------
    InputError
        For a plan that is not from curves.
    """
    plan = instance_of(plan, Plan, "plan")
    if plan.scorers is None:
        raise InputError("only a plan from relevance curves has a figure", "out")
    n = plan.rows[0].n or 1
    cutoffs = [*(k for k in CUTOFFS if k < n), n]
    by_exponent = effect_sizes(*plan.scorers, n, [f"nDCG(power({b}))" for b in EXPONENTS])
    by_cutoff = effect_sizes(*plan.scorers, n, [f"nDCG@{k}" for k in cutoffs])
    with style():
        figure, axes = panels(2, height=2.6, width=width)
        _draw(axes[0], plan, np.array(EXPONENTS), by_exponent, "nDCG(power(0.5))")
        _draw(axes[1], plan, np.array(cutoffs, float), by_cutoff, "nDCG@10")
        log_axis(axes[1].xaxis)
        axes[0].set_xticks(np.arange(0, 2.1, 0.5))
        axes[0].set_xlabel("$b$ of the discount $r^{-b}$")
        axes[1].set_xlabel("cutoff $k$ of nDCG@$k$")
        titles(axes[0], "discount $r^{-b}$")
        titles(axes[1], "log discount, cut at $k$")
        one_scale(axes)
        outer_labels(axes)
        test = f"paired t test at level {plan.requirements.alpha:g} with {plan.requirements.power:.0%} power"
        note(figure, f"{plan.a} minus {plan.b}, lists of {count_text(n)} items; {test}", color="black")
        ring = Line2D([], [], **_RING, label=r"largest $|\Delta/\sigma|$, and the queries it needs")
        figure_legend(figure, [ring, grey_marker("a measure")])
    return figure


def _draw(ax: Axes, plan: Plan, at: Floats, effects: Floats, like: str) -> None:
    """Draw effect sizes in the colour of the measure ``like``."""
    line, finite = measure_style(like), np.isfinite(effects)
    at, effects = at[finite], effects[finite]
    ax.plot(at, effects, color=line.color, ls=line.dashes, marker=line.marker, ms=3.5)
    ax.axhline(0, color=GREY, ls=":", lw=0.8)
    ax.set_ylabel(r"$\Delta/\sigma$ of one list")
    low, high = min(0.0, float(effects.min(initial=0.0))), max(0.0, float(effects.max(initial=0.0)))
    room = 0.2 * (high - low) or 1.0
    ax.set_ylim(low - room * (low < 0), high + room * (high > 0))
    if not effects.any():
        return
    best = int(np.abs(effects).argmax())
    up = effects[best] >= 0
    ax.plot(at[best], effects[best], **_RING)
    ax.annotate(
        f"{at[best]:g}: {plan.requirements.queries_needed(float(effects[best]), 1.0):,} queries",
        (at[best], effects[best]),
        xytext=(0, 8 if up else -8),
        textcoords="offset points",
        ha="left" if best < 2 else "right" if best == len(at) - 1 else "center",
        va="bottom" if up else "top",
        fontsize=7,
    )


def plan_drawings(plan: Plan, *, width: float | None = None) -> list[Drawing]:
    """Return the figure of a plan."""
    return [(("plan",), partial(plan_figure, plan, width=width))]
