"""Figures about losses for learning to rank: curves with error bars, shaded tables, points under a bound."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import LogNorm
from numpy.typing import ArrayLike

from ndcg_asymptotics.core.arrays import Floats
from ndcg_asymptotics.plots.margin import margin_labels
from ndcg_asymptotics.plots.marks import handle
from ndcg_asymptotics.plots.scales import log_axis
from ndcg_asymptotics.plots.style import GREY, LineStyle, line_styles

_LEVEL = 1.96  # half the width of a 95% interval, in standard errors (the normal quantile)
_DARK = 0.6  # the part of the colour map from which on numbers are written in white


def error_curves(
    ax: Axes,
    x: ArrayLike,
    curves: Mapping[str, tuple[ArrayLike, ArrayLike]],
    *,
    styles: Mapping[str, LineStyle] | None = None,
    limits: Mapping[str, float] | None = None,
    log: str = "xy",
    ylim: tuple[float, float] | None = None,
    labels: bool = True,
) -> Axes:
    """Draw named curves of means with 95% intervals against x.

    Parameters
    ----------
    x : (K,)
    curves : mapping of name to (means, standard errors)
        A logarithmic axis leaves out means whose interval reaches 0 or below.
    styles : mapping of name to LineStyle, optional
    limits : mapping of name to a value, optional
        Known limits of the curves, drawn as dotted lines.
    log : str
        The names of the axes that are logarithmic.
    ylim : (float, float), optional
        The range of the axis of the values.
    labels : bool
        Whether to add a legend at the right.
    """
    chosen = styles or dict(zip(curves, line_styles(len(curves)), strict=True))
    size = np.asarray(x, np.float64)
    for name in log:
        log_axis({"x": ax.xaxis, "y": ax.yaxis}[name])
    named = []
    for name, (means, errors) in curves.items():
        line = chosen[name]
        mean, error = np.asarray(means, np.float64), _LEVEL * np.asarray(errors, np.float64)
        seen = np.isfinite(mean) & ((mean > error) | ("y" not in log))
        ax.errorbar(
            size[seen],
            mean[seen],
            yerr=error[seen],
            color=line.color,
            ls=line.dashes,
            ms=2.8,
            elinewidth=0.7,
            **line.hollow,
        )
        if limits and name in limits:
            ax.axhline(limits[name], color=line.color, ls=":", lw=0.8, zorder=1)
        if seen.any():
            named.append((float(mean[seen][-1]), name, line))
    if ylim:
        ax.set_ylim(ylim)
    if labels:
        margin_labels(ax, named)
    return ax


def line_style_handles(styles: Mapping[str, LineStyle]) -> list[Any]:
    """Return legend handles that name the curves of `error_curves`."""
    return [handle(line, name) for name, line in styles.items()]


def value_table(ax: Axes, rows: Sequence[str], columns: Sequence[str], values: Floats, least: float) -> Axes:
    """Draw a table of values >= 0 whose cells are darker the larger the value is, beginning at ``least``."""
    shown = np.where(values > 0, np.maximum(values, least), np.nan)
    image = ax.pcolormesh(shown, norm=LogNorm(least, float(values.max())), cmap="Blues")
    ax.invert_yaxis()
    ax.set_xticks(
        np.arange(len(columns)) + 0.5, list(columns), rotation=35, ha="right", rotation_mode="anchor"
    )
    ax.set_yticks(np.arange(len(rows)) + 0.5, list(rows))
    ax.tick_params(length=0)
    for spine in ax.spines.values():
        spine.set_visible(False)
    darkness = np.where(values > 0, image.norm(np.maximum(values, least)), 0.0)
    for i, j in np.ndindex(*values.shape):
        value, dark = float(values[i, j]), bool(darkness[i, j] > _DARK)
        ax.text(
            j + 0.5,
            i + 0.5,
            _short(value),
            ha="center",
            va="center",
            fontsize=6.3,
            color="white" if dark else "black",
        )
    return ax


def _short(value: float) -> str:
    if value == 0:
        return "0"
    if value >= 0.0095:
        return f"{value:.2f}".removeprefix("0")
    digit, _, power = f"{value:.0e}".partition("e")
    return rf"{digit}e{int(power)}"


_BINS = 16  # of a bound, over the range of its logarithm
_FEWEST = 5  # points of a bin


def bound_quantiles(ax: Axes, bound: ArrayLike, regret: ArrayLike, line: LineStyle) -> Axes:
    """Draw the largest and the median regret in bins of its upper bound, and the bound itself as a diagonal.

    Parameters
    ----------
    bound, regret : (N,)
        Points with a regret of 0 are left out, as are bins with fewer than five points.
    """
    x, y = np.asarray(bound, np.float64), np.asarray(regret, np.float64)
    x, y = x[y > 0], y[y > 0]
    edges = np.geomspace(x.min(), x.max() * (1 + 1e-12), _BINS + 1)
    of = np.searchsorted(edges, x, side="right") - 1
    bins = [i for i in range(_BINS) if (of == i).sum() >= _FEWEST]
    at = np.sqrt(edges[:-1] * edges[1:])[bins]
    largest, middle = (np.array([statistic(y[of == i]) for i in bins]) for statistic in (np.max, np.median))
    ax.plot(at, largest, color=line.color, ls=line.dashes, marker=line.marker, mfc="white", mew=0.8)
    ax.plot(at, middle, color=line.color, ls=":", lw=0.9)
    ax.plot([edges[0], 1], [edges[0], 1], color=GREY, lw=0.9)
    log_axis(ax.xaxis)
    log_axis(ax.yaxis)
    ax.set_ylabel("regret")
    return ax


def dot_rows(ax: Axes, rows: Sequence[str], means: ArrayLike, errors: ArrayLike) -> None:
    """Draw a value with its 95% interval in each row."""
    line = line_styles(1)[0]
    bars = _LEVEL * np.asarray(errors, np.float64)
    ax.errorbar(
        np.asarray(means),
        np.arange(len(rows)),
        xerr=bars,
        ls="none",
        lw=0.8,
        ecolor=line.color,
        **line.hollow,
    )
    for row in range(len(rows)):
        ax.axhline(row, color="0.9", lw=0.5, zorder=0)
    ax.set_yticks(range(len(rows)), list(rows))
    ax.set_ylim(len(rows) - 0.5, -0.5)
    ax.tick_params(axis="y", length=0)
