"""How far a number is from where it should go, on two logarithmic axes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from numpy.typing import ArrayLike

from ndcg_asymptotics.core.text import in_figure
from ndcg_asymptotics.plots.choice import Choice
from ndcg_asymptotics.plots.placing import margin_labels
from ndcg_asymptotics.plots.style import GREY, Look, length_axis, looks, scientific


def gap_curves(
    ax: Axes,
    sizes: Sequence[int],
    gaps: Mapping[str, ArrayLike],
    *,
    rates: Mapping[str, float] | None = None,
    ylabel: str = "gap",
) -> Axes:
    """Draw |gap| against n for several named gaps, zeros and NaN left out.

    Names are as `texts.in_figure` makes them: what stands between dollar signs is a formula.

    ``rates`` are guides c n^-rate by name, drawn dotted and through the largest of the gaps at
    the first size.
    """
    n = np.array(sizes, np.float64)
    labels: list[tuple[float, str, str]] = []
    for (name, values), look in zip(gaps.items(), looks(len(gaps)), strict=True):
        gap = np.abs(np.asarray(values, np.float64))
        seen = np.isfinite(gap) & (gap > 0)
        ax.plot(n[seen], gap[seen], color=look.color, ls=look.dashes)
        labels.append((float(gap[seen][-1]), name, look.color))
    start = max(abs(float(np.asarray(values)[0])) for values in gaps.values())
    for name, rate in (rates or {}).items():
        guide = start * (n / n[0]) ** -rate
        ax.plot(n, guide, color=GREY, ls=":", lw=0.9)
        labels.append((float(guide[-1]), name, GREY))
    ax.set_yscale("log")
    length_axis(ax, sizes)
    ax.set_ylabel(ylabel)
    margin_labels(ax, labels)
    return ax


def length_within(sizes: Sequence[int], gap: ArrayLike, distance: float) -> float:
    """The list length from which on |gap| <= distance, interpolated in log n; inf if beyond the sizes.

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
    """Draw the list length each scorer needs under each measure: a row per measure, a marker per scorer.

    A length beyond ``largest`` (infinite) is an arrow at the right end. `length_key` names the markers.
    """
    for row, by_scorer in enumerate(needed.values()):
        ax.axhline(row, color="0.88", lw=0.6, zorder=0)
        for i, (n, look) in enumerate(zip(by_scorer.values(), looks(len(by_scorer)), strict=True)):
            y = row + 0.22 * (i - (len(by_scorer) - 1) / 2)
            if np.isfinite(n):
                ax.plot(n, y, **_marker(look))
            else:
                ax.plot(largest, y, **_marker(look))
                arrow = {"arrowstyle": "->", "color": look.color, "lw": 0.9, "shrinkA": 3, "shrinkB": 0}
                ax.annotate("", (largest * 100, y), (largest, y), arrowprops=arrow)
    ax.set_yticks(range(len(needed)), [Choice().formula(measure) for measure in needed])
    ax.set_ylim(len(needed) - 0.5, -0.5)
    ax.tick_params(axis="y", length=0)
    length_axis(ax, [1, int(largest) * 100])
    return ax


def length_key(scorers: Sequence[str], largest: float) -> list[Any]:
    """Handles for a key that names the markers of `lengths_needed`."""
    named = zip(scorers, looks(len(scorers)), strict=True)
    handles = [Line2D([], [], label=in_figure(name), **_marker(look)) for name, look in named]
    beyond = f"with arrow: beyond {scientific(largest)}"
    return [*handles, Line2D([], [], ls="none", marker=r"$\rightarrow$", color=GREY, label=beyond)]


def _marker(look: Look) -> dict[str, Any]:
    return {"ls": "none", "marker": look.marker, "mfc": "white", "mec": look.color, "mew": 0.9, "ms": 4.2}
