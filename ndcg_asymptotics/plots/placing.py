"""Words beside and above the axes, put in their places whenever the figure is drawn.

So they stay right whatever is done to the axes after them: `set_ylim`, another size, another font.
"""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.text import Text
from matplotlib.transforms import Bbox
from scipy.optimize import isotonic_regression

from ndcg_asymptotics.core.text import visible

_LEADER = 0.25  # lines by which a label is off, from which on a leader joins it to its height
_WIDEST = 24  # characters of a line in the margin
_MOST_LINES = 2


def wrapped(name: str) -> str:
    """A name in at most two short lines.

    >>> wrapped("a name that is far too long for the margin of any figure of a journal")
    'a name that is far too\\nlong for the margin of…'
    """
    lines = textwrap.wrap(visible(name), _WIDEST, max_lines=_MOST_LINES, placeholder="…")
    return "\n".join(lines) or visible(name)


class _Placer(Artist):
    """Invisible, and drawn before all else: it places the others."""

    def __init__(self, ax: Axes) -> None:
        super().__init__()
        self.set_zorder(-1e3)
        ax.add_artist(self)
        self.set_clip_on(False)  # the layout does not ask what is clipped to the axes

    def place(self, renderer: Any) -> None:
        raise NotImplementedError

    def draw(self, renderer: Any, *args: Any, **kwargs: Any) -> None:
        self.place(renderer)

    def get_tightbbox(self, renderer: Any = None) -> Bbox | None:
        # the layout asks before it knows how much room there is: what it is told must be up to date
        self.place(renderer)
        return None


class _Margin(_Placer):
    """Labels in the right margin, each as near its height in data as the others allow."""

    def __init__(self, ax: Axes, labels: Sequence[tuple[float, str, str]], size: float) -> None:
        ordered = sorted(labels, key=lambda label: label[0])
        self._ys = [y for y, _, _ in ordered]
        self._size = size
        self._texts: list[Text] = []
        self._leaders: list[Line2D] = []
        for _, text, color in ordered:
            (leader,) = ax.plot([], [], transform=ax.transAxes, color=color, lw=0.5, clip_on=False)
            leader.set_in_layout(False)
            self._leaders.append(leader)
            self._texts.append(
                ax.text(
                    1.04,
                    0,
                    text,
                    transform=ax.transAxes,
                    va="center",
                    color=color,
                    fontsize=size,
                    linespacing=1.0,
                )
            )
        super().__init__(ax)
        self.place(None)

    def place(self, renderer: Any) -> None:
        ax = self.axes
        assert ax is not None
        assert ax.figure is not None
        to_axes = ax.transData + ax.transAxes.inverted()
        x = ax.get_xlim()[0]
        points = ax.get_window_extent().height * 72 / ax.figure.dpi
        line = 1.25 * self._size / points
        heights = np.array([line * (1 + text.get_text().count("\n")) for text in self._texts])
        wanted = np.array([to_axes.transform((x, y))[1] for y in self._ys])
        # what is beyond the axes is labelled at their end
        wanted = np.clip(np.nan_to_num(wanted, nan=0.5), 0.0, 1.0)
        # least-squares positions in order, without overlap and within the axes' height: isotonic
        # regression of y less the room that the labels below take
        room = np.cumsum(heights) - heights / 2
        stacked = np.asarray(isotonic_regression(wanted - room).x)
        placed = np.clip(stacked, 0.0, max(0.0, 1.03 - heights.sum())) + room
        for text, leader, y, asked in zip(self._texts, self._leaders, placed, wanted, strict=True):
            text.set_y(float(y))
            far = abs(y - asked) > line * _LEADER
            leader.set_data(([1.0, 1.03], [asked, y]) if far else ([], []))


def margin_labels(ax: Axes, labels: Sequence[tuple[float, str, str]], *, size: float = 7.5) -> None:
    """Labels in the right margin, each as near its height in data as the others allow.

    Parameters
    ----------
    labels : sequence of (y, text, colour)
    """
    if labels:
        _Margin(ax, labels, size)


class _Titles(_Placer):
    """A title at the left and a remark at the right, with a line each where one is too short for both."""

    def __init__(self, ax: Axes, left: str, right: str, color: str) -> None:
        self._said = left
        self._left = ax.set_title(left, loc="left")
        self._right = ax.set_title(right, loc="right", color=color)
        super().__init__(ax)

    def get_tightbbox(self, renderer: Any = None) -> Bbox | None:
        # by now the layout has asked the titles themselves: a second line comes too late, but for here
        self.place(renderer)
        found = Bbox.union([text.get_window_extent(renderer) for text in (self._left, self._right)])
        middle = (found.x0 + found.x1) / 2  # words may be wider than the axes, which stay as they are
        return Bbox.from_extents(middle - 0.5, found.y0, middle + 0.5, found.y1)

    def place(self, renderer: Any) -> None:
        ax = self.axes
        assert ax is not None
        if self._left.get_text().rstrip("\n") != self._said:
            return  # it has been given another title
        self._left.set_text(self._said)
        texts = [text for text in (self._left, self._right) if text.get_text()]
        width = sum(text.get_window_extent(renderer).width for text in texts)
        if len(texts) == 2 and width > 0.97 * ax.bbox.width:
            self._left.set_text(self._said + "\n")


def titles(ax: Axes, left: str, right: str, color: str) -> None:
    """A title at the left and a remark at the right, on two lines where one is too short for them."""
    _Titles(ax, left, right, color)
