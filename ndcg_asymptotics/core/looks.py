"""The colour, dashes and marker of a curve, which figures and pages share."""

from __future__ import annotations

from dataclasses import dataclass

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


def mixed(color: str, goal: str, part: float) -> str:
    """Return a colour as #rrggbb that is mixed with a part of another.

    >>> mixed("#000000", "#ffffff", 0.2)
    '#333333'
    """
    pairs = ((int(color[i : i + 2], 16), int(goal[i : i + 2], 16)) for i in (1, 3, 5))
    return "#" + "".join(f"{round((1 - part) * first + part * second):02x}" for first, second in pairs)
