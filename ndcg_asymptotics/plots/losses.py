"""Losses for learning to rank: curves with error bars, tables as pictures, points under a bound."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import LogNorm
from matplotlib.lines import Line2D
from numpy.typing import ArrayLike

from ndcg_asymptotics.core.arrays import Floats
from ndcg_asymptotics.plots.placing import margin_labels
from ndcg_asymptotics.plots.style import GREY, Look, looks

_LEVEL = 1.96  # standard errors of a 95% bar
_DARK = 0.6  # of the colour map, beyond which numbers are written in white


def error_curves(
    ax: Axes,
    x: ArrayLike,
    curves: Mapping[str, tuple[ArrayLike, ArrayLike]],
    *,
    styles: Mapping[str, Look] | None = None,
    limits: Mapping[str, float] | None = None,
    log: bool = True,
    ylim: tuple[float, float] | None = None,
    labels: bool = True,
) -> Axes:
    """Draw means with 95% bars against x, which is on a logarithmic axis, a curve for each name.

    Parameters
    ----------
    x : (K,)
    curves : mapping of name to (means, standard errors)
        Means that are not positive are left out of a logarithmic axis.
    styles : mapping of name to Look, optional
    limits : mapping of name to a value, optional
        Where a curve is known to go, as a dotted line.
    log : bool
        Whether the values are on a logarithmic axis.
    ylim : (float, float), optional
        The range of the values that is shown.
    labels : bool
        Whether the names stand in the right margin.
    """
    chosen = styles or dict(zip(curves, looks(len(curves)), strict=True))
    size = np.asarray(x, np.float64)
    ax.set_xscale("log")
    if log:
        ax.set_yscale("log")
    named = []
    for name, (means, errors) in curves.items():
        look = chosen[name]
        mean, error = np.asarray(means, np.float64), _LEVEL * np.asarray(errors, np.float64)
        seen = np.isfinite(mean) & ((mean > 0) | (not log))
        low = np.minimum(error, 0.999 * np.abs(mean)) if log else error
        ax.errorbar(
            size[seen], mean[seen], yerr=(low[seen], error[seen]), color=look.color, ls=look.dashes,
            marker=look.marker, ms=2.8, mfc="white", mew=0.8, elinewidth=0.7, capsize=0, clip_on=True,
        )  # fmt: skip
        if limits and name in limits:
            ax.axhline(limits[name], color=look.color, ls=":", lw=0.8, zorder=1)
        if seen.any():
            named.append((float(mean[seen][-1]), name, look.color))
    if ylim:
        ax.set_ylim(ylim)
    if labels:
        margin_labels(ax, named)
    return ax


def curve_handles(styles: Mapping[str, Look]) -> list[Any]:
    """Handles for a key that names the curves of `error_curves`."""
    return [
        Line2D([], [], color=s.color, ls=s.dashes, marker=s.marker, ms=2.8, mfc="white", mew=0.8, label=name)
        for name, s in styles.items()
    ]


def value_table(ax: Axes, rows: Sequence[str], columns: Sequence[str], values: Floats, least: float) -> Axes:
    """Draw a table of values >= 0 as a picture with the numbers in it, darker from ``least`` on upwards."""
    shown = np.where(values > 0, np.maximum(values, least), np.nan)
    image = ax.imshow(shown, norm=LogNorm(least, float(values.max())), cmap="Blues", aspect="auto")
    ax.set_xticks(range(len(columns)), list(columns), rotation=35, ha="right", rotation_mode="anchor")
    ax.set_yticks(range(len(rows)), list(rows))
    ax.tick_params(length=0)
    for spine in ax.spines.values():
        spine.set_visible(False)
    darkness = np.where(values > 0, image.norm(np.maximum(values, least)), 0.0)
    for i, j in np.ndindex(*values.shape):
        value, dark = float(values[i, j]), bool(darkness[i, j] > _DARK)
        ax.text(
            j, i, _short(value), ha="center", va="center", fontsize=6.3, color="white" if dark else "black"
        )
    return ax


def _short(value: float) -> str:
    if value == 0:
        return "0"
    if value >= 0.0095:
        return f"{value:.2f}".removeprefix("0")
    digit, _, power = f"{value:.0e}".partition("e")
    return rf"{digit}e{int(power)}"


def bound_scatter(ax: Axes, bound: ArrayLike, regret: ArrayLike, color: str) -> Axes:
    """Draw regret against the bound on it, both logarithmic, with the line that no point may be above.

    Parameters
    ----------
    bound, regret : (N,)
        A regret of 0 is left out.
    """
    x, y = np.asarray(bound, np.float64), np.asarray(regret, np.float64)
    seen = y > 0
    ax.plot(x[seen], y[seen], ls="none", marker=".", ms=1.6, color=color, alpha=0.5, rasterized=True)
    ax.set_xscale("log")
    ax.set_yscale("log")
    span = np.array([x[seen].min(), x[seen].max()])
    ax.plot(span, span, color=GREY, lw=0.9)
    ax.set_ylim(y[seen].min() / 2, 3)
    ax.set_ylabel("regret")
    return ax


def dot_rows(ax: Axes, rows: Sequence[str], groups: Mapping[str, tuple[ArrayLike, ArrayLike]]) -> list[Any]:
    """Draw a value with its 95% bar in every row for each group, and return handles that name the groups."""
    handles = []
    for k, ((name, (means, errors)), look) in enumerate(zip(groups.items(), looks(len(groups)), strict=True)):
        at = np.arange(len(rows)) + 0.24 * (k - (len(groups) - 1) / 2)
        mean, error = np.asarray(means, np.float64), _LEVEL * np.asarray(errors, np.float64)
        ax.errorbar(
            mean, at, xerr=error, ls="none", marker=look.marker, ms=3.4, mfc="white", mec=look.color, mew=0.9,
            ecolor=look.color, elinewidth=0.8,
        )  # fmt: skip
        handles.append(
            Line2D([], [], ls="none", marker=look.marker, ms=3.4, mfc="white", mec=look.color, label=name)
        )
    for row in range(len(rows)):
        ax.axhline(row, color="0.9", lw=0.5, zorder=0)
    ax.set_yticks(range(len(rows)), list(rows))
    ax.set_ylim(len(rows) - 0.5, -0.5)
    ax.tick_params(axis="y", length=0)
    return handles
