"""What can be seen in a figure: its texts, its artists, and what the key explains of them."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection, PolyCollection
from matplotlib.colors import to_rgba
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch, Rectangle
from matplotlib.text import Annotation, Text


def written(figure: Figure) -> Iterator[Text]:
    """Yield the texts that can be read."""
    insets = [inset for ax in figure.axes for inset in ax.child_axes]
    for ax in [*figure.axes, *insets]:
        if ax.axison:
            assert isinstance(ax, Axes)
            yield from (*ax.texts, ax.title, ax.xaxis.label, ax.yaxis.label)
            yield from (one for one in ax.get_children() if isinstance(one, Text) and one not in ax.texts)
            for axis in (ax.xaxis, ax.yaxis):
                low, high = sorted(axis.get_view_interval())
                ticks = [*axis.get_major_ticks(), *axis.get_minor_ticks()]
                yield from (tick.label1 for tick in ticks if low <= tick.get_loc() <= high)
        if legend := ax.get_legend():
            yield from legend.get_texts()
    for legend in figure.legends:
        yield from legend.get_texts()


def check_texts(figure: Figure) -> None:
    """Check that no text is cut or covers another."""
    texts = {id(one): one for one in written(figure) if one.get_visible() and one.get_text().strip()}
    boxes = [(one.get_text(), Text.get_window_extent(one)) for one in texts.values()]
    assert len(boxes) > 10
    for text, box in boxes:
        assert min(box.x0, box.y0, figure.bbox.x1 - box.x1, figure.bbox.y1 - box.y1) >= -1, text
    for (text, box), (other, of_other) in itertools.combinations(boxes, 2):
        across = min(box.x1, of_other.x1) - max(box.x0, of_other.x0)
        along = min(box.y1, of_other.y1) - max(box.y0, of_other.y0)
        assert min(across, along) < 4, (text, other)  # pixels: boxes have room around letters


def check_ticks(figure: Figure) -> None:
    """Check that labels of logarithmic axes are powers of ten or, if fewer than two are in view, numbers."""
    axes = [axis for ax in figure.axes if ax.axison for axis in (ax.xaxis, ax.yaxis)]
    for axis in (one for one in axes if one.get_scale() == "log"):
        low, high = np.log10(sorted(axis.get_view_interval()))
        several = np.floor(high + 1e-9) > np.ceil(low - 1e-9)
        ticks = [tick for tick in axis.get_major_ticks() if tick.label1.get_visible()]
        for place, text in ((tick.get_loc(), tick.label1.get_text()) for tick in ticks):
            power = round(np.log10(place))
            if several and np.isclose(place, 10.0**power, rtol=1e-9):
                assert text == "10" + "".join("⁰¹²³⁴⁵⁶⁷⁸⁹⁻"["0123456789-".index(c)] for c in str(power))
            elif 1e-5 < place < 1e5:
                assert text == f"{place:g}"


def kinds(line: Line2D) -> set[str]:
    """Return what a line looks like: dotted, a line, and the kind of its markers."""
    found = set()
    if line.get_linestyle() not in ("None", "none", ""):
        found.add("dotted" if line.get_linestyle() == ":" else "line")
    marker = str(line.get_marker())
    if marker not in ("None", "none", ""):
        face = line.get_markerfacecolor()
        kind = "filled" if str(face) != "none" and to_rgba(face)[:3] != (1, 1, 1) else "open"
        special = marker.startswith("$") or marker == "|"
        found.add("ring" if str(face) == "none" else marker if special else kind)
    return found


def seen(figure: Figure) -> set[str]:
    """Return the kinds of artists that are drawn, without lines at zero."""
    found: set[str] = set()
    for ax in figure.axes:
        for line in ax.lines:
            x, y = np.asarray(line.get_xdata(), float), np.asarray(line.get_ydata(), float)
            if np.isfinite(y).any() and x.any() and y.any():
                found |= kinds(line)
        for one in ax.collections:
            if isinstance(one, PolyCollection):
                heights = [np.ptp(ax.transData.transform(path.vertices)[:, 1]) for path in one.get_paths()]
                found |= {"band"} if max(heights) > 1 else set()
            elif isinstance(one, LineCollection):
                found.add("bars")
        found |= {"band" for one in ax.patches if isinstance(one, Rectangle)}
        arrows = [one.arrowprops or {} for one in ax.texts if isinstance(one, Annotation)]
        found |= {r"$\rightarrow$" for arrow in arrows if arrow.get("arrowstyle") == "->"}
    return found


def check_key(figure: Figure) -> None:
    """Check that the key has what is drawn and nothing else."""
    legends = [*figure.legends, *(own for ax in figure.axes if (own := ax.get_legend()))]
    explained: set[str] = set()
    for one in (handle for legend in legends for handle in legend.legend_handles):
        explained |= kinds(one) if isinstance(one, Line2D) else {"band"} if isinstance(one, Patch) else set()
    found = seen(figure)
    words = [text.get_text() for legend in legends for text in legend.get_texts()]
    if any("interval" in text or "standard errors" in text for text in words):
        explained.add("bars" if "bars" in found else "line")
    explained = {"bars" if one == "|" and "|" not in found else one for one in explained}
    assert not explained - found, explained - found
    # a label stands at the end of each curve that the key does not name, and says what a dotted one is
    texts = [one for ax in figure.axes for one in ax.texts]
    leaders = [one.arrowprops for one in texts if isinstance(one, Annotation) and one.arrowprops]
    labelled = {"dotted" for leader in leaders if leader.get("ls") == ":"}
    if leaders:
        labelled.add("open")  # markers of curves that are named at their ends
    left = found - {"line", *labelled} - explained
    assert not left, left
