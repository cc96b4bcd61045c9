"""NDCG against the list length: simulation, exact mean and limit in one panel."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from ndcg_asymptotics.core.arrays import Floats, Integers
from ndcg_asymptotics.core.errors import InputError, NotAvailableError
from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.plots.choice import Choice
from ndcg_asymptotics.plots.placing import margin_labels, titles
from ndcg_asymptotics.plots.style import GREY, Look, band, length_axis, scientific
from ndcg_asymptotics.populations import Scorer
from ndcg_asymptotics.results import Results
from ndcg_asymptotics.studies import Study
from ndcg_asymptotics.theory.cache import TheoryCache, user_cache
from ndcg_asymptotics.theory.limits import Limit, limit

_MARKERS = 18  # about how many simulated means, and exact ones, a curve shows
_WORTH_DRAWING = 1e-3  # an exact mean whose error is above this is not drawn as one
_NAMED = 2  # scorers that are named one by one in a title
_SAME = 1e-9  # limits closer than this are one line


def ndcg_curves(
    results: Results,
    measure: Measure | str,
    ax: Axes | None = None,
    *,
    title: str | None = None,
    choice: Choice | None = None,
    **chosen: Any,
) -> Axes:
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
    title : str, optional
        In place of the measure's formula.
    choice : Choice, optional
        Which scorers are drawn, and how.
    **chosen
        The same, one by one: ``scorers``, ``labels``, ``colors``, ``band``, ``spec``, as in `Choice`.

    Raises
    ------
    InputError
        If the study does not hold the measure or a scorer.
    """
    ax = plt.gca() if ax is None else ax
    choice = replace(choice or Choice(), **chosen)
    measure = of_study(results.study, measure)
    limits = limits_of(results.study, measure, choice)
    for name, (_, look) in choice.of(results.study).items():
        draw_scorer(ax, results, measure, name, look, choice)
    length_axis(ax, results.study.n)
    ax.set_ylim(0, 1.02)
    ax.set_ylabel("NDCG$_n$")
    titles(ax, choice.title(measure) if title is None else title, theorems(limits, choice), GREY)
    _draw_limits(ax, results, measure, limits, choice)
    return ax


def of_study(study: Study, measure: Measure | str) -> Measure:
    measure = Measure.of(measure)
    if measure not in study.measures:
        raise InputError(f"no results for {measure}, the study has: {', '.join(map(str, study.measures))}")
    return measure


def limits_of(study: Study, measure: Measure, choice: Choice) -> dict[str, Limit]:
    """What theory knows of the limit of each scorer."""
    return {name: limit(scorer, measure) for name, (scorer, _) in choice.of(study).items()}


def _exact_mean(cache: TheoryCache, scorer: Scorer, measure: Measure, sizes: tuple[int, ...]) -> Floats:
    """E[NDCG_n] at the sizes; NaN where theory does not give it to 1e-3."""
    try:
        found = cache.mean(scorer, measure, sizes)
    except NotAvailableError:
        return np.full(len(sizes), np.nan)
    return np.where(found.error <= _WORTH_DRAWING, found.value, np.nan)


def _shown(sizes: Sequence[int]) -> Integers:
    """The positions of the sizes that get a marker, the last one among them."""
    step = max(1, round(len(sizes) / _MARKERS))
    return np.arange(len(sizes) - 1, -1, -step)[::-1]


def draw_scorer(
    ax: Axes, results: Results, measure: Measure, name: str, look: Look, choice: Choice, first: int = 0
) -> None:
    """One scorer's band, bracket, exact mean and simulated mean, from the ``first`` size on."""
    study, cell = results.study, results.data.sel(scorer=name, measure=str(measure))
    sizes, values = np.array(study.n, np.float64), cell["ndcg"].transpose("replicate", "n").to_numpy()
    if choice.band is not None and len(values) > 1:
        low, high = np.quantile(values, choice.band, axis=0)
        band(ax, sizes[first:], low[first:], high[first:], look.color, 0.14)
        for edge in (low, high):  # where bands overlap, their edges tell them apart
            ax.plot(sizes[first:], edge[first:], color=look.color, alpha=0.6, lw=0.5, ls=look.dashes)
    shown = _shown(study.n)
    lengths = tuple(study.n[i] for i in shown)
    exact = _exact_mean(user_cache(), study.scorers[name], measure, lengths)[shown >= first]
    shown = shown[shown >= first]
    n, mean = sizes[shown], values.mean(axis=0)[shown]
    if "low" in cell:
        below, above = (cell[side].mean("replicate").to_numpy()[shown] for side in ("low", "high"))
        band(ax, n, below, above, look.color, 0.45)
    alone: dict[str, Any] = (
        {"marker": "_", "ms": 16} if len(sizes) == 1 else {}
    )  # a line of one point is not to be seen
    ax.plot(n, exact, color=look.color, ls=look.dashes, **alone)
    if np.isnan(exact).any():  # a thin line leads the eye along the markers instead
        ax.plot(n, np.where(np.isnan(exact), mean, np.nan), color=look.color, lw=0.5)
    ax.plot(n, mean, ls="none", marker=look.marker, mfc="white", mec=look.color, mew=0.8, zorder=3)


def shared_limit(limits: dict[str, Limit]) -> float | None:
    """The limit that all scorers (more than one) have in common, if they do."""
    values = [found.value for found in limits.values() if found.value is not None]
    if len(values) < max(2, len(limits)) or max(values) - min(values) > _SAME:
        return None
    return values[0]


def theorems(limits: dict[str, Limit], choice: Choice) -> str:
    """What the theorems say of a panel's scorers, in a few words."""
    found = list(limits.values())
    sources = " / ".join(dict.fromkeys(f.theorem for f in found if f.theorem != "none"))
    if all(f.converges is False for f in found):
        return f"no limit ({sources})"
    if all(f.converges is None for f in found):
        return "limit unknown"
    unmet = [choice.label(name).replace("\n", " ") for name, f in limits.items() if f.unmet]
    if not unmet:
        return sources
    who = ", ".join(unmet) if len(unmet) <= _NAMED else f"{len(unmet)} scorers"
    return f"{sources}; assumptions not met: {who}"


def _draw_limits(
    ax: Axes, results: Results, measure: Measure, limits: dict[str, Limit], choice: Choice
) -> None:
    ends = results.data["ndcg"].sel(measure=str(measure)).isel(n=-1).mean("replicate")
    common = shared_limit(limits)
    labels: list[tuple[float, str, str]] = []
    if common is not None:
        ax.axhline(common, color=GREY, ls=":", lw=0.9, zorder=1)
        labels.append((common, f"limit {_short(common)}", GREY))
    drawn = choice.of(results.study)
    for name, found in limits.items():
        _, look = drawn[name]
        value = found.value if common is None else None
        text = choice.label(name)
        if value is not None:
            ax.axhline(value, color=look.color, ls=":", lw=0.9, zorder=1)
            text += f" → {_short(value)}"
        labels.append((float(ends.sel(scorer=name)), text, look.color))
    margin_labels(ax, labels)


def _short(value: float) -> str:
    return f"{value:.0f}" if abs(value - round(value)) < _SAME else f"{value:.3f}"


def curve_key(results: Results, measures: Sequence[Measure | str], choice: Choice | None = None) -> list[Any]:
    """Handles for a key of what markers, lines and bands are in the panels of these measures."""
    choice = choice or Choice()
    study, data = results.study, results.data.sel(scorer=list(choice.of(results.study)))
    chosen = [of_study(study, measure) for measure in measures]
    scorers = [scorer for scorer, _ in choice.of(study).values()]
    count = data.sizes["replicate"]
    said = f"mean of {count} replicates" if count > 1 else "one replicate"
    handles: list[Any] = [Line2D([], [], ls="none", marker="o", mfc="white", mec=GREY, mew=0.8, label=said)]
    if choice.band is not None and count > 1:
        low, high = (f"{100 * quantile:g}" for quantile in choice.band)
        handles.append(Patch(color=GREY, alpha=0.25, lw=0, label=f"{low}–{high} % of replicates"))
    shown = tuple(study.n[i] for i in _shown(study.n))
    if any(np.isfinite(_exact_mean(user_cache(), s, m, shown)).any() for s in scorers for m in chosen):
        handles.append(Line2D([], [], color=GREY, label="exact mean"))
    if "low" in data:
        width = float((data["high"] - data["low"]).sel(measure=[str(m) for m in chosen]).max())
        handles.append(Patch(color=GREY, alpha=0.6, lw=0, label=f"bracket (at most {scientific(width)})"))
    if any(limit(s, m).value is not None for s in scorers for m in chosen):
        handles.append(Line2D([], [], color=GREY, ls=":", lw=0.9, label="limit"))
    return handles


plot = ndcg_curves
