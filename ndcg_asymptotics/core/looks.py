"""The colour, dashes and marker of a curve, which figures and pages share."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from ndcg_asymptotics.core.arrays import Floats

# the palette of Okabe and Ito for colour blindness, dark colours first, and an eighth colour of Tol's
COLORS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#000000", "#882255")
DASHES = ("solid", "dashed", "dashdot", "dotted")
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "h")


@dataclass(frozen=True)
class Look:
    """What tells a curve from the others: a colour as #rrggbb, one of `DASHES` and one of `MARKERS`."""

    color: str
    dashes: str
    marker: str


def look_of(place: int) -> Look:
    """Return the look of the curve at a place, from 0 on, among curves that are no measures.

    The first eight have colours of their own, and no two of the first 32 share dashes and marker.

    >>> look_of(0)
    Look(color='#0072b2', dashes='solid', marker='o')
    >>> look_of(8)
    Look(color='#0072b2', dashes='dashed', marker='o')
    """
    lap, at = divmod(place, len(COLORS))
    return Look(COLORS[at], DASHES[(at + lap) % len(DASHES)], MARKERS[at])


def rgb(color: str) -> Floats:
    """Return red, green and blue of #rrggbb, in [0, 1]."""
    return np.array([int(color[i : i + 2], 16) for i in (1, 3, 5)]) / 255


def hex_color(parts: ArrayLike) -> str:
    """Return red, green and blue in [0, 1] as #rrggbb.

    >>> hex_color([1, 0.5, 0])
    '#ff8000'
    """
    return "#" + "".join(f"{round(255 * float(part)):02x}" for part in np.asarray(parts))


def mixed(color: str, goal: str, part: float) -> str:
    """Return a colour that is mixed with a part of another.

    >>> mixed("#000000", "#ffffff", 0.2)
    '#333333'
    """
    return hex_color((1 - part) * rgb(color) + part * rgb(goal))


def contrast(color: str, other: str) -> float:
    """Return the contrast ratio of two colours (Web Content Accessibility Guidelines 2.2), from 1 to 21.

    >>> round(contrast("#000000", "#ffffff"), 1)
    21.0
    """
    low, high = sorted((_luminance(color), _luminance(other)))
    return (high + 0.05) / (low + 0.05)


def _luminance(color: str) -> float:
    parts = rgb(color)
    linear = np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)
    return float(linear @ (0.2126, 0.7152, 0.0722))


_DARK = "#14171a"  # the ground of dark pages
_SEEN = 4.5  # least contrast of thin lines


def on_dark(color: str) -> str:
    """Return a colour with as much white as it needs to be as clear on a dark page as on a white one.

    >>> on_dark("#0072b2"), on_dark("#e69f00"), on_dark("#000000")
    ('#4c9cc9', '#e69f00', '#ffffff')
    """
    wanted = max(_SEEN, contrast(color, "#ffffff"))
    shades = [mixed(color, "#ffffff", tenth / 10) for tenth in range(11)]
    return next((shade for shade in shades if contrast(shade, _DARK) >= wanted), shades[-1])
