"""Labels at the right ends of curves."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.backend_bases import RendererBase
from matplotlib.text import Annotation

from ndcg_asymptotics.core.arrays import as_list, brief, instance_of, is_number
from ndcg_asymptotics.core.errors import require
from ndcg_asymptotics.plots.style import LineStyle


class _MarginLabel(Annotation):
    """A text at the right of the axes, as near to the end of its curve as the others of the axes allow."""

    column: Sequence[_MarginLabel] = ()

    def update_positions(self, renderer: RendererBase) -> None:
        _spread(self.column)
        super().update_positions(renderer)


_LEADER_POINTS = 8.0  # length of the line between the axes and a label
_LINE_HEIGHT = 1.25  # of a line of text, in font sizes


def _spread(labels: Sequence[_MarginLabel]) -> None:
    """Move labels, which are in order from the lowest up, from their curves' ends as little as possible.

    Positions p with p[i+1] - p[i] >= d[i] that are nearest to the ends are an isotonic regression of the ends
    less the sums of d.
    """
    from scipy.optimize import isotonic_regression  # here: it takes a tenth of a second to load

    ax = labels[0].axes
    assert ax is not None  # for mypy: labels belong to axes
    point = ax.get_figure(root=True).dpi / 72  # type: ignore[union-attr]
    heights = [
        _LINE_HEIGHT * float(label.get_fontsize()) * (1 + label.get_text().count("\n")) * point
        for label in labels
    ]
    ends = ax.get_yaxis_transform().transform([label.xy for label in labels])[:, 1]
    ends = np.clip(np.nan_to_num(ends, nan=ax.bbox.y0), ax.bbox.y0, ax.bbox.y1)
    apart = np.cumsum([0.0, *((below + above) / 2 for below, above in itertools.pairwise(heights))])
    lowest, highest = ax.bbox.y0 + heights[0] / 2, ax.bbox.y1 - heights[-1] / 2 - apart[-1]
    middle = (lowest + highest) / 2  # more labels than the axes are high are centred
    free = np.clip(isotonic_regression(ends - apart).x, min(lowest, middle), max(highest, middle))
    for label, end, place in zip(labels, ends, free + apart, strict=True):
        label.xyann = (_LEADER_POINTS, (place - end) / point)


def margin_labels(ax: Axes, labels: Sequence[tuple[float, str, LineStyle | str]]) -> None:
    """Write a label at the right end of each curve; labels that would overlap are moved apart.

    Parameters
    ----------
    ax : Axes
    labels : sequence of (y, text, line style)
        The height at which a curve ends, its label, and its line style. A colour in place of a line style is
        that of a dotted line.
    """
    ax, column = instance_of(ax, Axes, "ax"), []
    labels = as_list(labels, "labels")
    for label in labels:
        proper = isinstance(label, tuple) and len(label) == 3 and is_number(label[0])
        require(proper, f"must be tuples of a height, a text and a line style, got {brief(label)}", "labels")
    for end, text, line in sorted(labels, key=lambda label: label[0]):
        color, dashes = (line, ":") if isinstance(line, str) else (line.color, line.dashes)
        leader = {"arrowstyle": "-", "color": color, "ls": dashes, "lw": 0.9, "relpos": (0, 0.5)}
        label = _MarginLabel(
            text,
            (1, end),
            xycoords=ax.get_yaxis_transform(),
            xytext=(_LEADER_POINTS, 0),
            textcoords="offset points",
            va="center",
            size=mpl.rcParams["legend.fontsize"],
            linespacing=1.0,
            # no patch: a steep line would end at the edge of the text's frame, beside another label
            arrowprops={**leader, "patchA": None, "shrinkA": 2.5, "shrinkB": 0.0},
            annotation_clip=False,
            clip_on=False,
            # until it is placed, matplotlib takes its offset for data, which no logarithmic axis may have
            transform=ax.transAxes,
        )
        ax.add_artist(label)
        column.append(label)
    for label in column:
        label.column = column
