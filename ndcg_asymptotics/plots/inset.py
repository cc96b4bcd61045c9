"""The end of the curves enlarged, where it hides none of them."""

from __future__ import annotations

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.collections import Collection
from matplotlib.lines import Line2D
from matplotlib.path import Path
from matplotlib.transforms import Bbox

from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.plots.choice import Choice
from ndcg_asymptotics.plots.curves import draw_scorer, limits_of, of_study, shared_limit
from ndcg_asymptotics.plots.style import GREY, length_axis
from ndcg_asymptotics.results import Results

Bounds = tuple[float, float, float, float]

# from the largest to the smallest; of one size first where curves that rise to a limit leave room
_SIZES = ((0.46, 0.44), (0.42, 0.36), (0.38, 0.28))
_TICKS = (0.1, 0.15)  # what the labels of the inset's own axes take at its left and below it
_EDGE = 0.03


def free_place(ax: Axes) -> Bounds | None:
    """Left, bottom, width and height, as a fraction of the axes, of a place where nothing is drawn."""
    taken = [path for artist in (*ax.lines, *ax.collections) for path in _paths(ax, artist)]
    for width, height in _SIZES:
        right, top = 1 - _EDGE - width, 1 - _EDGE - height
        for x, y in ((right, _TICKS[1]), (_TICKS[0], _TICKS[1]), (right, top), (_TICKS[0], top)):
            box = Bbox.from_extents(x - _TICKS[0], y - _TICKS[1], x + width, y + height)
            if not any(path.intersects_bbox(box, filled) for path, filled in taken):
                return x, y, width, height
    return None


def _paths(ax: Axes, artist: Artist) -> list[tuple[Path, bool]]:
    """What an artist draws, in fractions of the axes, and whether it is filled."""
    if isinstance(artist, Line2D):
        paths, filled = [artist.get_path()], False
    elif isinstance(artist, Collection):
        paths, filled = list(artist.get_paths()), True
    else:
        return []
    to_axes = artist.get_transform() - ax.transAxes
    whole = (path.cleaned(remove_nans=True) for path in paths)
    moved = (to_axes.transform_path(path) for path in whole if len(path) > 1)
    return [(path, filled) for path in moved if np.isfinite(path.vertices).all()]


def enlarge(
    results: Results,
    measure: Measure | str,
    ax: Axes,
    *,
    bounds: tuple[float, float, float, float] | None = None,
    share: float = 0.4,
    choice: Choice | None = None,
) -> Axes | None:
    """An inset with the last ``share`` of log n enlarged, so far that the scorers' means come apart.

    ``bounds`` is where it stands, as a fraction of the axes: left, bottom, width, height. By default
    it is the largest of a few places where it hides no data, and there is none if there is no such place.
    """
    choice = choice or Choice()
    study, measure = results.study, of_study(results.study, measure)
    limits = limits_of(study, measure, choice)
    bounds = bounds or free_place(ax)
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
