"""Figures about theory: distances to a limit, fluctuations, and signal against noise."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from numpy.typing import ArrayLike

from ndcg_asymptotics.core.arrays import Floats
from ndcg_asymptotics.core.text import in_figure
from ndcg_asymptotics.plots.choice import Choice
from ndcg_asymptotics.plots.margin import margin_labels
from ndcg_asymptotics.plots.marks import scientific
from ndcg_asymptotics.plots.scales import length_axis, log_axis
from ndcg_asymptotics.plots.style import GREY, LineStyle, line_styles


def gap_curves(
    ax: Axes,
    sizes: Sequence[int],
    gaps: Mapping[str, ArrayLike],
    *,
    rates: Mapping[str, float] | None = None,
    ylabel: str = "gap",
) -> Axes:
    """Draw the size of several gaps against n, without zeros and NaN, on two logarithmic axes.

    Parameters
    ----------
    sizes : (K,)
    gaps : mapping of name to (K,)
        Text between dollar signs in a name is a formula.
    rates : mapping of name to float, optional
        Dotted guides c n^-rate, which begin at the largest gap of the first size.
    ylabel : str
    """
    n = np.array(sizes, np.float64)
    labels: list[tuple[float, str, LineStyle | str]] = []
    for (name, values), line in zip(gaps.items(), line_styles(len(gaps)), strict=True):
        gap = np.abs(np.asarray(values, np.float64))
        seen = np.isfinite(gap) & (gap > 0)
        ax.plot(n[seen], gap[seen], color=line.color, ls=line.dashes)
        labels.append((float(gap[seen][-1]), name, line))
    start = max(abs(float(np.asarray(values)[0])) for values in gaps.values())
    for name, rate in (rates or {}).items():
        guide = start * (n / n[0]) ** -rate
        ax.plot(n, guide, color=GREY, ls=":", lw=0.9)
        labels.append((float(guide[-1]), name, GREY))
    log_axis(ax.yaxis)
    length_axis(ax, sizes)
    ax.set_ylabel(ylabel)
    margin_labels(ax, labels)
    return ax


def length_within(sizes: Sequence[int], gap: ArrayLike, distance: float) -> float:
    """Return the list length from which on |gap| <= distance, interpolated in log n; inf beyond the sizes.

    >>> length_within([10, 100, 1000], [0.1, 0.01, 0.001], 0.01)
    100.0
    """
    n, size = np.array(sizes, np.float64), np.abs(np.asarray(gap, np.float64))
    outside = np.flatnonzero(~(size <= distance))
    if outside.size == 0:
        return float(n[0])
    last = int(outside[-1])
    if last == len(n) - 1 or np.isnan(size[last]):
        return float("inf")
    share = np.log(size[last] / distance) / np.log(size[last] / size[last + 1])
    return float(n[last] * (n[last + 1] / n[last]) ** share)


def lengths_needed(ax: Axes, needed: Mapping[str, Mapping[str, float]], largest: float) -> Axes:
    """Draw the list length that each scorer needs, with a row for each measure and a marker for each scorer.

    An infinite length, which is one beyond ``largest``, has an arrow at the right end. `length_handles` names
    the markers.
    """
    for row, by_scorer in enumerate(needed.values()):
        ax.axhline(row, color="0.88", lw=0.6, zorder=0)
        for i, (n, line) in enumerate(zip(by_scorer.values(), line_styles(len(by_scorer)), strict=True)):
            y = row + 0.22 * (i - (len(by_scorer) - 1) / 2)
            if np.isfinite(n):
                ax.plot(n, y, **_marker(line))
            else:
                ax.plot(largest, y, **_marker(line))
                arrow = {"arrowstyle": "->", "color": line.color, "lw": 0.9, "shrinkA": 3, "shrinkB": 0}
                ax.annotate("", (float(largest) * 100, y), (largest, y), arrowprops=arrow)
    ax.set_yticks(range(len(needed)), [Choice().formula(measure) for measure in needed])
    ax.set_ylim(len(needed) - 0.5, -0.5)
    ax.tick_params(axis="y", length=0)
    ax.set_xlabel("list length $n$")
    log_axis(ax.xaxis)
    ax.set_xlim(0.7, float(largest) * 100)
    return ax


def length_handles(scorers: Sequence[str], largest: float) -> list[Any]:
    """Return legend handles that name the markers of `lengths_needed`."""
    named = zip(scorers, line_styles(len(scorers)), strict=True)
    handles = [Line2D([], [], label=in_figure(name), **_marker(line)) for name, line in named]
    beyond = f"with arrow: beyond {scientific(largest)}"
    return [*handles, Line2D([], [], ls="none", marker=r"$\rightarrow$", color=GREY, label=beyond)]


def _marker(line: LineStyle) -> dict[str, Any]:
    return {"ls": "none", "marker": line.marker, "mfc": "white", "mec": line.color, "mew": 0.9, "ms": 4.2}


_LEVEL = 0.999  # of the largest ratio, from which on another is as good
OPTIMUM: dict[str, Any] = {"ms": 6.5, "mfc": "white", "mew": 1.1}
SMALL: dict[str, Any] = {"ms": 2.8}
"""Settings of the markers of optima, and of simulated ratios."""


def signal_to_noise(
    ax: Axes, x: Sequence[float], ratios: Sequence[Floats], xlabel: str, symbol: str
) -> list[str]:
    """Draw the mean difference of one list over its standard deviation against a parameter of the measure.

    A large marker is at each optimum. One at the lower end of x is said to be reached as x tends to 0.

    Parameters
    ----------
    ax : Axes
    x : (K,)
    ratios : sequence of (K,)
    xlabel : str
    symbol : str
        What x is called.

    Returns
    -------
    list of str
        Where the optima are.
    """
    optima = []
    for ratio, line in zip(ratios, line_styles(len(ratios)), strict=True):
        best = int(np.nanargmax(ratio >= _LEVEL * np.nanmax(ratio)))  # the first of those that are as good
        optima.append(f"${symbol}$ → 0" if best == 0 else f"${symbol}$ = {x[best]:g}")
        ax.plot(x, ratio, color=line.color, ls=line.dashes)
        ax.plot(x[best], ratio[best], color=line.color, marker=line.marker, ls="none", zorder=4, **OPTIMUM)
    ax.set_xlabel(xlabel)
    ax.set_ylabel(r"$\Delta/\sigma$ of one list")
    log_axis(ax.xaxis)
    ax.set_ylim(0, 1.1 * max(float(np.nanmax(ratio)) for ratio in ratios))
    return optima
