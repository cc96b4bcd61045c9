"""Fitted relevance curves against depth, with their bands."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from ndcg_asymptotics.errors import InputError, require
from ndcg_asymptotics.plots.style import GREY, key, looks, panels, save, style
from ndcg_asymptotics.scorers.curve_file import Fitted, decode_fitted

_NAMED = 9  # curves, at most, that the key names
_DASHES = ("-", "--", "-.", ":")


def fitted_curves(curves: Mapping[str, Fitted], ax: Axes | None = None) -> Axes:
    """Draw P(Y = gain | depth) of fitted curves, with their bands; the highest gain is a full line.

    Parameters
    ----------
    curves : mapping of name to Fitted
    ax : matplotlib Axes, optional
        By default the current one.
    """
    ax = plt.gca() if ax is None else ax
    for (_, curve), look in zip(curves.items(), looks(len(curves)), strict=True):
        shown = np.maximum(curve.depth, curve.depth[1] / 4)  # depth 0 on a logarithmic axis
        for j in range(len(curve.gains)):
            if curve.low is not None and curve.high is not None:
                ax.fill_between(shown, curve.low[j], curve.high[j], color=look.color, alpha=0.18, lw=0)
            dashes = _DASHES[j % len(_DASHES)]
            ax.plot(shown, curve.probability[j], color=look.color, lw=1.1, ls=dashes)
    ax.set_xscale("log")
    ax.set_xlabel("depth $t$")
    ax.set_ylabel("P$(Y = y \\mid t)$")
    ax.set_ylim(0, None)
    return ax


def fitted_figure(curves: Mapping[str, Fitted]) -> Figure:
    """`fitted_curves` in a figure with its key."""
    gains = sorted({gain for curve in curves.values() for gain in curve.gains}, reverse=True)
    with style():
        figure, (ax,) = panels(1, height=2.9)
        fitted_curves(curves, ax)
        handles = [
            Line2D([], [], color=GREY, ls=_DASHES[j % len(_DASHES)], label=f"$y$ = {gain:g}")
            for j, gain in enumerate(gains)
        ]
        colors = [
            Line2D([], [], color=look.color, label=name)
            for name, look in zip(curves, looks(len(curves)), strict=True)
        ]
        key(
            figure,
            [
                *colors[:_NAMED],
                *handles,
                Patch(color=GREY, alpha=0.25, lw=0, label="95% band, bootstrap over queries"),
            ],
        )
    return figure


def holds_curves(place: Path) -> bool:
    """Whether a path is a curve file, or a folder of them without results."""
    return place.suffix == ".json" or (place.is_dir() and any(place.glob("*.json")))


def draw_curves(place: Path, folder: Path | str) -> list[Path]:
    """Draw and save the curves of a file, or of all files of a folder, in one figure.

    Raises
    ------
    InputError
        If a file is no curve file.
    """
    paths = [place] if place.is_file() else sorted(place.glob("*.json"))
    require(len(paths) > 0, f"{place}: no curve files here")
    curves: dict[str, Fitted] = {}
    for path in paths:
        try:
            found = decode_fitted(path.read_bytes())
        except OSError as error:
            raise InputError(f"{path}: cannot be read ({error.strerror})") from None
        except InputError as error:
            raise InputError(f"{path}: {error}") from None
        for number, curve in enumerate(found, 1):
            curves[path.stem if len(found) == 1 else f"{path.stem}, group {number}"] = curve
    return list(save(fitted_figure(curves), folder, "curves"))
