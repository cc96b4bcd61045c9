"""Legends beside the axes and remarks above them."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from ndcg_asymptotics.core.text import visible

_WIDEST = 24  # characters of a line in the legend
_MOST_LINES = 2
_REMARK_POINTS = 10.0  # the height of the line below a title


def wrapped(name: str) -> str:
    """Return a name in at most two short lines.

    >>> wrapped("a name that is far too long for the margin of any figure of a journal")
    'a name that is far too\\nlong for the margin of…'
    """
    lines = textwrap.wrap(visible(name), _WIDEST, max_lines=_MOST_LINES, placeholder="…")
    return "\n".join(lines) or visible(name)


def margin_labels(ax: Axes, labels: Sequence[tuple[float, str, str]], *, size: float = 7.5) -> None:
    """Add a legend to the right of the axes, in the vertical order of the curves' ends.

    Parameters
    ----------
    labels : sequence of (y, text, colour)
    size : float
        The font size.
    """
    if labels:
        ordered = sorted(labels, key=lambda label: -label[0])
        ax.legend(
            handles=[Line2D([], [], color=color, label=text) for _, text, color in ordered],
            loc="center left",
            bbox_to_anchor=(1.0, 0.5),
            fontsize=size,
            labelcolor="linecolor",
            handlelength=0.8,
            handletextpad=0.4,
        )


def titles(ax: Axes, title: str, remark: str, color: str) -> None:
    """Set a title at the left, and a remark on a line of its own below it."""
    if remark:
        ax.set_title(title, loc="left", pad=_REMARK_POINTS + 4)
        ax.annotate(
            remark, (0, 1), xycoords="axes fraction", xytext=(0, 3), textcoords="offset points", color=color
        )
    else:
        ax.set_title(title, loc="left")
