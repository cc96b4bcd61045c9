"""Figures can be printed: no text is cut or covers another, and the key has what is drawn, not more."""

from __future__ import annotations

from functools import cache

import pytest
from figure_kinds import FIGURES
from matplotlib.figure import Figure
from printed_figures import check_key, check_texts, check_ticks

from ndcg_asymptotics import plots

ALL = pytest.mark.parametrize("name", FIGURES)


@cache
def drawn(name: str, width: float | None) -> Figure:
    """Return a figure that tests look at and leave as it is."""
    with plots.style():
        figure = FIGURES[name](width)
        figure.draw_without_rendering()
    return figure


@pytest.mark.slow
@ALL
@pytest.mark.parametrize("width", [None, 3.35])
def test_no_text_is_cut_or_covers_another(name: str, width: float | None) -> None:
    check_texts(drawn(name, width))


@ALL
def test_a_figure_of_one_column_has_one_panel_in_each_row(name: str) -> None:
    figure = drawn(name, 3.35)
    panels = [ax for ax in figure.axes if ax.axison]
    assert len({round(ax.bbox.x0) for ax in panels}) == 1


@ALL
def test_logarithmic_axes_have_one_style_of_ticks(name: str) -> None:
    check_ticks(drawn(name, None))


def share(figure: Figure) -> float:
    """Return the part of the canvas that is inside axes."""
    panels = [ax.bbox for ax in figure.axes if ax.axison]
    return sum(box.width * box.height for box in panels) / (figure.bbox.width * figure.bbox.height)


@ALL
def test_a_figure_of_one_column_fits_a_page(name: str) -> None:
    assert drawn(name, 3.35).get_figheight() <= 10


@ALL
def test_at_least_half_of_the_canvas_is_data(name: str) -> None:
    assert share(drawn(name, None)) > 0.5


@ALL
def test_the_key_has_what_is_drawn_and_nothing_else(name: str) -> None:
    check_key(drawn(name, None))


def test_rows_of_a_comparison_are_specs() -> None:
    for name in ("comparison", "comparison with a judge"):
        rows = [label.get_text() for label in drawn(name, None).axes[0].get_yticklabels()]
        assert sorted(rows) == ["nDCG", "nDCG(power(0.5))", "nDCG@1", "nDCG@10"], name
