"""NDCG against the list length: simulation, exact mean and limit in one panel."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from ndcg_asymptotics.arrays import Floats, Integers
from ndcg_asymptotics.errors import InputError
from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.plots.style import GREY, Look, length_axis, looks, margin_labels, scientific, words
from ndcg_asymptotics.scorers import Relevance
from ndcg_asymptotics.store import Results
from ndcg_asymptotics.studies import Study
from ndcg_asymptotics.theory.limits import Limit, limit
from ndcg_asymptotics.theory.mean import expected_ndcg

BAND = (0.05, 0.95)  # the quantiles over replicates between which a band is drawn

_MARKERS = 18  # about how many simulated means, and exact ones, a curve shows
_WORTH_DRAWING = 1e-3  # an exact mean whose error is above this is not drawn as one
_SAME = 1e-9  # limits closer than this are one line


def ndcg_curves(results: Results, measure: Measure | str, ax: Axes | None = None) -> Axes:
    """Draw NDCG_n of every scorer against n.

    The mean over replicates as markers; the 5% and 95% quantiles over replicates as a band; where
    the engine brackets each value, the mean bracket as a second, darker band; the exact mean
    as a line (where it is not known to 1e-3, a thin line joins the simulated means); the limit as
    a dotted line, with its value in the margin and its theorem in the title.

    Parameters
    ----------
    results : Results
    measure : Measure or its text
        One of the study's.
    ax : matplotlib Axes, optional
        By default the current one.

    Raises
    ------
    InputError
        If the study does not hold the measure.
    """
    ax = plt.gca() if ax is None else ax
    measure = _of_study(results.study, measure)
    limits = limits_of(results.study, measure)
    for name, look in zip(limits, looks(len(limits)), strict=True):
        _draw_scorer(ax, results, measure, name, look)
    length_axis(ax, results.study.n)
    ax.set_ylim(0, 1.02)
    ax.set_ylabel("NDCG$_n$")
    ax.set_title(words(str(measure)), loc="left")
    ax.set_title(words(theorems(limits), 90), loc="right", color=GREY)
    _draw_limits(ax, results, measure, limits)
    return ax


def _of_study(study: Study, measure: Measure | str) -> Measure:
    measure = Measure.of(measure)
    if measure not in study.measures:
        raise InputError(f"no results for {measure}, the study has: {', '.join(map(str, study.measures))}")
    return measure


def limits_of(study: Study, measure: Measure) -> dict[str, Limit]:
    """What theory knows of the limit of each scorer."""
    return {name: limit(scorer, measure) for name, scorer in study.scorers.items()}


@lru_cache(maxsize=1024)
def _exact_mean(scorer: Relevance, measure: Measure, sizes: tuple[int, ...]) -> Floats:
    """E[NDCG_n] at the sizes; NaN where theory does not give it to 1e-3."""
    try:
        found = expected_ndcg(scorer, measure, sizes)
    except InputError:
        return np.full(len(sizes), np.nan)
    return np.where(found.error <= _WORTH_DRAWING, found.value, np.nan)


def _shown(sizes: Sequence[int]) -> Integers:
    """The positions of the sizes that get a marker, the last one among them."""
    step = max(1, round(len(sizes) / _MARKERS))
    return np.arange(len(sizes) - 1, -1, -step)[::-1]


def _draw_scorer(ax: Axes, results: Results, measure: Measure, name: str, look: Look, first: int = 0) -> None:
    """One scorer's band, bracket, exact mean and simulated mean, from the ``first`` size on."""
    study, cell = results.study, results.data.sel(scorer=name, measure=str(measure))
    sizes, values = np.array(study.n, np.float64), cell["ndcg"].transpose("replicate", "n").to_numpy()
    low, high = np.quantile(values, BAND, axis=0)
    ax.fill_between(sizes[first:], low[first:], high[first:], color=look.color, alpha=0.14, lw=0)
    for edge in (low, high):
        ax.plot(sizes[first:], edge[first:], color=look.color, alpha=0.5, lw=0.4)
    shown = _shown(study.n)
    exact = _exact_mean(study.scorers[name], measure, tuple(study.n[i] for i in shown))[shown >= first]
    shown = shown[shown >= first]
    n, mean = sizes[shown], values.mean(axis=0)[shown]
    if "low" in cell:
        below, above = (cell[side].mean("replicate").to_numpy()[shown] for side in ("low", "high"))
        ax.fill_between(n, below, above, color=look.color, alpha=0.45, lw=0)
    ax.plot(n, exact, color=look.color, ls=look.dashes)
    if np.isnan(exact).any():  # a thin line leads the eye along the markers instead
        ax.plot(n, np.where(np.isnan(exact), mean, np.nan), color=look.color, lw=0.5)
    ax.plot(n, mean, ls="none", marker=look.marker, mfc="white", mec=look.color, mew=0.8, zorder=3)


def shared_limit(limits: dict[str, Limit]) -> float | None:
    """The limit that all scorers (more than one) have in common, if they do."""
    values = [found.value for found in limits.values() if found.value is not None]
    if len(values) < max(2, len(limits)) or max(values) - min(values) > _SAME:
        return None
    return values[0]


def theorems(limits: dict[str, Limit]) -> str:
    """What the theorems say of a panel's scorers, in a few words."""
    found = list(limits.values())
    sources = " / ".join(dict.fromkeys(f.theorem for f in found if f.theorem != "none"))
    if all(f.converges is False for f in found):
        return f"no limit ({sources})"
    if all(f.converges is None for f in found):
        return "limit unknown"
    unmet = [name for name, f in limits.items() if f.unmet]
    return sources + (f"; assumptions not met: {', '.join(unmet)}" if unmet else "")


def _draw_limits(ax: Axes, results: Results, measure: Measure, limits: dict[str, Limit]) -> None:
    ends = results.data["ndcg"].sel(measure=str(measure)).isel(n=-1).mean("replicate")
    common = shared_limit(limits)
    labels: list[tuple[float, str, str]] = []
    if common is not None:
        ax.axhline(common, color=GREY, ls=":", lw=0.9, zorder=1)
        labels.append((common, f"limit {_short(common)}", GREY))
    for (name, found), look in zip(limits.items(), looks(len(limits)), strict=True):
        value = found.value if common is None else None
        text = words(name, 30)
        if value is not None:
            ax.axhline(value, color=look.color, ls=":", lw=0.9, zorder=1)
            text += f" → {_short(value)}"
        labels.append((float(ends.sel(scorer=name)), text, look.color))
    margin_labels(ax, labels)


def _short(value: float) -> str:
    return f"{value:.0f}" if abs(value - round(value)) < _SAME else f"{value:.3f}"


def enlarge(
    results: Results,
    measure: Measure | str,
    ax: Axes,
    *,
    bounds: tuple[float, float, float, float] = (0.5, 0.13, 0.46, 0.44),
    share: float = 0.4,
) -> Axes:
    """An inset with the last ``share`` of log n enlarged, so far that the scorers' means come apart.

    ``bounds`` is where it stands, as a fraction of the axes: left, bottom, width, height.
    """
    study, measure = results.study, _of_study(results.study, measure)
    limits = limits_of(study, measure)
    start = study.n[-1] * (study.n[0] / study.n[-1]) ** share
    first = min(int(np.searchsorted(study.n, start * (1 - 1e-9))), max(len(study.n) - 2, 0))
    inset = ax.inset_axes(bounds)
    lows, highs = [], []
    for name, look in zip(limits, looks(len(limits)), strict=True):
        _draw_scorer(inset, results, measure, name, look, first)
        values = results.data["ndcg"].sel(scorer=name, measure=str(measure)).isel(n=slice(first, None))
        mean = values.mean("replicate").to_numpy()
        # the bands of the shortest lists may stick out, the means not
        low, high = np.quantile(values.to_numpy(), BAND, axis=0)[:, len(mean) // 3 :]
        lows.append(min(low.min(), mean.min()))
        highs.append(max(high.max(), mean.max()))
    length_axis(inset, study.n[first:], most=4)
    inset.set_xlabel("")
    room = 0.06 * (max(highs) - min(lows))
    inset.set_ylim(min(lows) - room, min(1.0, max(highs) + room))
    inset.tick_params(labelsize=6.5)
    if (common := shared_limit(limits)) is not None:
        inset.axhline(common, color=GREY, ls=":", lw=0.9, zorder=1)
    for spine in inset.spines.values():
        spine.set_visible(True)
        spine.set_color(GREY)
    ax.indicate_inset_zoom(inset, edgecolor=GREY, alpha=0.6, lw=0.5)
    return inset


def curve_key(results: Results, measures: Sequence[Measure | str]) -> list[Any]:
    """Handles for a key of what markers, lines and bands are in the panels of these measures."""
    study, data = results.study, results.data
    chosen = [_of_study(study, measure) for measure in measures]
    scorers = study.scorers.values()
    handles: list[Any] = [
        Line2D([], [], ls="none", marker="o", mfc="white", mec=GREY, mew=0.8,
               label=f"mean of {data.sizes['replicate']} replicates"),
        Patch(color=GREY, alpha=0.25, lw=0, label=f"{100 * BAND[0]:g}–{100 * BAND[1]:g} % of replicates"),
    ]  # fmt: skip
    shown = tuple(study.n[i] for i in _shown(study.n))
    if any(np.isfinite(_exact_mean(s, m, shown)).any() for s in scorers for m in chosen):
        handles.append(Line2D([], [], color=GREY, label="exact mean"))
    if "low" in data:
        width = float((data["high"] - data["low"]).sel(measure=[str(m) for m in chosen]).max())
        handles.append(Patch(color=GREY, alpha=0.6, lw=0, label=f"bracket (at most {scientific(width)})"))
    if any(limit(s, m).value is not None for s in scorers for m in chosen):
        handles.append(Line2D([], [], color=GREY, ls=":", lw=0.9, label="limit"))
    return handles
