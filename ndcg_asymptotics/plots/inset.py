"""An inset that enlarges the end of the curves."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes

from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.plots.choice import Choice
from ndcg_asymptotics.plots.curves import draw_scorer, limits_of, of_study, shared_limit
from ndcg_asymptotics.plots.style import GREY, length_axis
from ndcg_asymptotics.results import Results

Bounds = tuple[float, float, float, float]

_LOWER_RIGHT: Bounds = (0.51, 0.16, 0.46, 0.42)
_UPPER_RIGHT: Bounds = (0.51, 0.55, 0.46, 0.42)
_NEAR_AN_EDGE = 0.35  # curves that end in this part of the axes leave the opposite corner free


def corner(ax: Axes, end: float) -> Bounds | None:
    """Return the right corner away from curves that end at height ``end``; None if neither is free."""
    height = float((ax.transData - ax.transAxes).transform((ax.get_xlim()[1], end))[1])
    if height > 1 - _NEAR_AN_EDGE:
        return _LOWER_RIGHT
    return _UPPER_RIGHT if height < _NEAR_AN_EDGE else None


def enlarge(
    results: Results,
    measure: Measure | str,
    ax: Axes,
    *,
    bounds: Bounds | None = None,
    share: float = 0.4,
    choice: Choice | None = None,
) -> Axes | None:
    """Draw an inset that enlarges the last ``share`` of log n until the scorers' means come apart.

    Parameters
    ----------
    bounds : (float, float, float, float), optional
        Left, bottom, width and height, as fractions of the axes. By default the right corner that the
        curves leave free; there is no inset if they end in the middle of the axes.

    Returns
    -------
    Axes or None
    """
    choice = choice or Choice()
    study, measure = results.study, of_study(results.study, measure)
    limits = limits_of(study, measure, choice)
    if bounds is None:
        ends = results.data["ndcg"].sel(measure=str(measure)).isel(n=-1).mean("replicate")
        bounds = corner(ax, float(ends.mean()))
        if bounds is None:
            return None
    start = study.n[-1] * (study.n[0] / study.n[-1]) ** share
    first = min(int(np.searchsorted(study.n, start * (1 - 1e-9))), max(len(study.n) - 2, 0))
    inset = ax.inset_axes(bounds)
    lows, highs = [], []
    for name, (_, look) in choice.of(study).items():
        draw_scorer(inset, results, measure, name, look, choice, first)
        values = results.data["ndcg"].sel(scorer=name, measure=str(measure)).isel(n=slice(first, None))
        mean = values.mean("replicate").to_numpy()
        # the bands of the shortest lists may stick out, the means not
        low, high = np.quantile(values.to_numpy(), choice.band or (0.5, 0.5), axis=0)[:, len(mean) // 3 :]
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
