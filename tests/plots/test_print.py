"""Figures can be printed: no text is cut or covers another, and the key has what is drawn, not more."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from functools import cache

import cases
import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.collections import PolyCollection
from matplotlib.colors import to_rgba
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.text import Text

import ndcg_asymptotics as na
from ndcg_asymptotics import plots
from ndcg_asymptotics.analysis.runs.sampled import Sampled
from ndcg_asymptotics.plots.style import measure_styles
from ndcg_asymptotics.results import Results

SCORERS = {"strong": "power(0.05, 0.8, 2)", "weak": "linear(0.1, 0.5)", "random": "random"}
MEASURES = ["nDCG", "nDCG(power(0.5))", "nDCG@0.2n", "nDCG@10", "nDCG@50"]
USERS = "abcde"
RANKS = {"first": [100] * 5, "second": [40, 40, 8437, 9266, 4482], "third": [212, 2, 743, 5342, 1548]}


@cache
def results() -> Results:
    """Return values that come together as n grows, and an order that is wrong less and less often."""
    study = cases.study(SCORERS, (10, 100, 1000, 10**4), MEASURES, pairs=[["strong", "weak"]])
    rng, n = np.random.default_rng(3), np.array(study.n)
    levels = np.array([0.8, 0.6, 0.5])[:, None, None]
    noise = rng.normal(size=(40, 3, len(MEASURES), n.size)) / np.sqrt(n)
    order = np.where(rng.random((40, 1, len(MEASURES), n.size)) < 1 / np.sqrt(n), -1, 1).astype(np.int8)
    return cases.results(study, ndcg=np.clip(levels + noise, 0, 1), order=order)


def order(width: float | None) -> Figure:
    (figure,) = plots.pair_figures(results(), width=width).values()
    return figure


@cache
def sampled() -> Sampled:
    tables = {name: dict(zip(USERS, ranks, strict=True)) for name, ranks in RANKS.items()}
    return na.sampled(ranks=tables, items=10000, negatives=100, measures=["nDCG@10", "nDCG"])


FIGURES: dict[str, Callable[[float | None], Figure]] = {
    "overview": lambda width: plots.overview_figure(results(), width=width),
    "measure": lambda width: plots.measure_figure(results(), "nDCG@0.2n", width=width),
    "shared limit": lambda width: plots.measure_figure(results(), "nDCG", width=width),
    "order": order,
    "sampled": lambda width: plots.system_figure(sampled(), width=width),
    "sampled, one measure": lambda width: plots.system_figure(sampled(), ["nDCG@10"], width=width),
}
ALL = pytest.mark.parametrize("name", FIGURES)


def drawn(name: str, width: float | None = None) -> Figure:
    with plots.style():
        figure = FIGURES[name](width)
        figure.draw_without_rendering()
    return figure


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


@ALL
@pytest.mark.parametrize("width", [None, 3.35])
def test_no_text_is_cut_or_covers_another(name: str, width: float | None) -> None:
    figure = drawn(name, width)
    texts = {id(one): one for one in written(figure) if one.get_visible() and one.get_text().strip()}
    boxes = [(one.get_text(), Text.get_window_extent(one)) for one in texts.values()]
    assert len(boxes) > 10
    for text, box in boxes:
        assert min(box.x0, box.y0, figure.bbox.x1 - box.x1, figure.bbox.y1 - box.y1) >= -1, text
    for (text, box), (other, of_other) in itertools.combinations(boxes, 2):
        across = min(box.x1, of_other.x1) - max(box.x0, of_other.x0)
        along = min(box.y1, of_other.y1) - max(box.y0, of_other.y0)
        assert min(across, along) < 4, (text, other)  # pixels: boxes have room around letters


@ALL
def test_a_figure_of_one_column_has_one_panel_in_each_row(name: str) -> None:
    figure = drawn(name, 3.35)
    panels = [ax for ax in figure.axes if ax.axison]
    assert len({round(ax.bbox.x0) for ax in panels}) == 1


def share(figure: Figure) -> float:
    """Return the part of the canvas that is inside axes."""
    panels = [ax.bbox for ax in figure.axes if ax.axison]
    return sum(box.width * box.height for box in panels) / (figure.bbox.width * figure.bbox.height)


@ALL
def test_at_least_half_of_the_canvas_is_data(name: str) -> None:
    assert share(drawn(name)) > 0.5


def kinds(line: Line2D) -> set[str]:
    """Return what a line looks like: dotted, a line, and the kind of its markers."""
    found = set()
    if line.get_linestyle() not in ("None", "none", ""):
        found.add("dotted" if line.get_linestyle() == ":" else "line")
    marker = str(line.get_marker())
    if marker not in ("None", "none", ""):
        face = line.get_markerfacecolor()
        kind = "filled" if str(face) != "none" and to_rgba(face)[:3] != (1, 1, 1) else "open"
        found.add("ring" if str(face) == "none" else marker if marker.startswith("$") else kind)
    return found


def seen(figure: Figure) -> set[str]:
    """Return the kinds of artists that are drawn, without lines at zero."""
    found: set[str] = set()
    for ax in figure.axes:
        for line in ax.lines:
            x, y = np.asarray(line.get_xdata(), float), np.asarray(line.get_ydata(), float)
            if np.isfinite(y).any() and x.any() and y.any() and line.get_label() != "_minor ticks":
                found |= kinds(line)
        for one in ax.collections:
            if isinstance(one, PolyCollection):
                heights = [np.ptp(ax.transData.transform(path.vertices)[:, 1]) for path in one.get_paths()]
                found |= {"band"} if max(heights) > 1 else set()
    return found


@ALL
def test_the_key_has_what_is_drawn_and_nothing_else(name: str) -> None:
    figure = drawn(name)
    legends = [*figure.legends, *(ax.get_legend() for ax in figure.axes if ax.get_legend())]
    explained: set[str] = set()
    for one in (handle for legend in legends for handle in legend.legend_handles):
        explained |= kinds(one) if isinstance(one, Line2D) else {"band"} if isinstance(one, Patch) else set()
    found = seen(figure)
    assert explained <= found
    labelled = {"line"}  # a label stands at the end of each curve that the key does not name
    assert found - labelled <= explained


@pytest.mark.parametrize(
    "family",
    [
        ["nDCG(power(0.3))", "nDCG(power(0.5))", "nDCG(power(0.7))"],
        ["nDCG@1", "nDCG@5", "nDCG@10", "nDCG@100"],
        ["nDCG@0.1n", "nDCG@0.2n", "nDCG@0.5n"],
        ["RBP(0.5)", "RBP(0.8)", "RBP(0.95)"],
    ],
)
def test_shades_of_one_colour_have_markers_of_their_own(family: list[str]) -> None:
    lines = measure_styles(family).values()
    assert len({(line.marker, line.dashes) for line in lines}) == len(family)
