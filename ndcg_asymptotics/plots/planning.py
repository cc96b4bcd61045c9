"""Figures of a plan: the effect size and the probability of the wrong order by discount and by cutoff."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from ndcg_asymptotics.analysis.planning.findings import FamilyMember
from ndcg_asymptotics.analysis.planning.outcome import Plan
from ndcg_asymptotics.core.errors import require
from ndcg_asymptotics.plots.layout import outer_labels, panels, titles
from ndcg_asymptotics.plots.marks import figure_legend, grey_line, grey_marker
from ndcg_asymptotics.plots.saving import Drawing
from ndcg_asymptotics.plots.scales import log_axis
from ndcg_asymptotics.plots.style import GREY, LineStyle, MarkerSettings, measure_style, style

_RARE = 0.05  # P(wrong order), from which on its axis is logarithmic
_RING: MarkerSettings = {"ls": "none", "marker": "o", "mfc": "none", "mec": "black", "ms": 8}
_EXPONENT, _CUTOFF = "$b$ of the discount $r^{-b}$", "cutoff $k$ of nDCG@$k$"


def _effects(ax: Axes, choices: Sequence[FamilyMember], line: LineStyle, best: FamilyMember | None) -> None:
    """Draw Δ/σ of one list for a family of measures; a ring marks ``best``."""
    at, effects = np.array([[choice.at, choice.effect] for choice in choices]).T
    ax.plot(at, effects, color=line.color, ls=line.dashes, marker=line.marker, ms=3.5)
    ax.axhline(0, color=GREY, ls=":", lw=0.8)
    if best:
        ax.plot(best.at, best.effect, **_RING)
        side = "left" if best.at <= at[:2][-1] else "right" if best.at == at[-1] else "center"
        up = best.effect >= 0
        ax.annotate(
            f"{best.at:g}: {best.lists:,} queries",
            (best.at, best.effect),
            xytext=(0, 8 if up else -8),
            textcoords="offset points",
            ha=side,
            va="bottom" if up else "top",
            fontsize=7,
        )
    low, high = min(0.0, float(effects.min())), max(0.0, float(effects.max()))
    room = 0.2 * (high - low) or 1.0
    ax.set_ylim(low - room * (low < 0), high + room * (high > 0))
    ax.set_ylabel(r"$\Delta/\sigma$ of one list")


def _errors(ax: Axes, choices: Sequence[FamilyMember], line: LineStyle) -> None:
    """Draw the probability of the wrong order of one list, of runs without ties, of a family of measures."""
    shown = [choice for choice in choices if choice.wrong.log10 is not None]
    wrong = [10 ** float(choice.wrong.log10 or 0.0) for choice in shown]
    ax.plot(
        [choice.at for choice in shown], wrong, color=line.color, ls=line.dashes, marker=line.marker, ms=3.5
    )
    if wrong and min(wrong) < _RARE:
        log_axis(ax.yaxis)
        ax.set_ylim(10 ** math.floor(math.log10(min(wrong))), 1)
    else:
        ax.axhline(0.5, color=GREY, ls=":", lw=0.8)
        ax.set_ylim(0, 1.1 * max(*wrong, 0.5) if wrong else 1)
    ax.set_ylabel("P(wrong order) of one list")


def plan_figure(plan: Plan, *, width: float | None = None) -> Figure:
    """Return a figure of a plan's effect sizes and wrong orders, against b and against k.

    Raises
    ------
    InputError
        For a plan for a standard deviation, which knows no family of measures.
    """
    every = ((plan.exponents, _EXPONENT, "nDCG(power(0.5))"), (plan.cutoffs, _CUTOFF, "nDCG@10"))
    families = [(choices, label, measure_style(like)) for choices, label, like in every if choices]
    require(bool(families), "a plan for a standard deviation has no figure", "out")
    with style():
        figure, axes = panels(2 * len(families), columns=len(families), height=2.1, width=width)
        above, below = axes[: len(families)], axes[len(families) :]
        for effects, errors, (choices, label, line) in zip(above, below, families, strict=True):
            _effects(effects, choices, line, plan.best(choices))
            _errors(errors, choices, line)
            for ax in (effects, errors):
                ax.set_xlabel(label)
                if label == _CUTOFF:
                    log_axis(ax.xaxis)
                titles(ax, "")
        outer_labels(axes)
        marks = [Line2D([], [], **_RING, label=r"largest $|\Delta/\sigma|$, and the queries it needs")]
        marks.append(grey_marker("a measure"))
        if any(ax.get_yscale() == "linear" for ax in below):
            marks.append(grey_line("a coin toss", ls=":", lw=0.8))
        figure_legend(figure, marks)
    return figure


def plan_drawings(plan: Plan, *, width: float | None = None) -> list[Drawing]:
    """Return the figure of a plan."""
    return [(("plan",), partial(plan_figure, plan, width=width))]
