"""Figures can be printed: no text is cut or covers another, and the key has what is drawn, not more."""

from __future__ import annotations

from functools import cache

import pytest
from figure_kinds import FIGURES
from matplotlib.figure import Figure
from printed_figures import check_key, check_texts, check_ticks

from ndcg_asymptotics import plots

ALL = pytest.mark.parametrize("name", [pytest.param(name, marks=pytest.mark.slow) for name in FIGURES])


@cache
def drawn(name: str, width: float | None) -> Figure:
    """Return a figure that tests look at and leave as it is."""
    with plots.style():
        figure = FIGURES[name](width)
        figure.draw_without_rendering()
    return figure


@ALL
@pytest.mark.parametrize("width", [None, 3.35])
def test_no_text_is_cut_or_covers_another(name: str, width: float | None) -> None:
    check_texts(drawn(name, width))


def share(figure: Figure) -> float:
    """Return the part of the canvas that is inside axes."""
    panels = [ax.bbox for ax in figure.axes if ax.axison]
    return sum(box.width * box.height for box in panels) / (figure.bbox.width * figure.bbox.height)


@ALL
def test_a_figure_of_one_column_has_one_panel_in_each_row_and_fits_a_page(name: str) -> None:
    figure = drawn(name, 3.35)
    assert len({round(ax.bbox.x0) for ax in figure.axes if ax.axison}) == 1
    assert figure.get_figheight() <= 10


@ALL
def test_half_of_a_figure_is_data_with_ticks_of_one_style_and_a_key_of_what_is_drawn(name: str) -> None:
    figure = drawn(name, None)
    check_ticks(figure)
    assert share(figure) > 0.5
    check_key(figure)


def test_rows_of_a_comparison_are_specs() -> None:
    for name in ("comparison", "comparison with a judge"):
        rows = [label.get_text() for label in drawn(name, None).axes[0].get_yticklabels()]
        assert sorted(rows) == ["nDCG", "nDCG(power(0.5))", "nDCG@1", "nDCG@10"], name
