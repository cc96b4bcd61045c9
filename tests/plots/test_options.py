"""Options of figures: scorers, labels, colours, sizes, formats and styles."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import cases
import numpy as np
import pytest
from drawn import made_up, panel, texts
from matplotlib.axes import Axes
from matplotlib.colors import to_hex
from matplotlib.figure import Figure

from ndcg_asymptotics import plots
from ndcg_asymptotics.core.errors import InputError
from ndcg_asymptotics.plots.saving import save_all
from ndcg_asymptotics.plots.style import COLORS

ODD = {
    "$\\frac{x$ & <b> 100%": "linear(0.1, 0.7)",
    "\x1b[31m\x00\u202e": "linear(0.2, 0.6)",
    "שלום ￿ 漢字": "constant(0.4)",
    "_a very long name of a scorer that no margin and no title has room for, whatever the figure": "random",
}


def colours(ax: Axes) -> list[str]:
    return [to_hex(line.get_markeredgecolor()) for line in ax.lines if line.get_marker() in tuple("os^")]


def test_a_scorer_keeps_its_colour_whichever_others_are_drawn() -> None:
    results = made_up()
    assert colours(panel(results)) == [color.lower() for color in COLORS[:3]]
    assert colours(panel(results, scorers=["random"])) == [COLORS[2].lower()]
    assert colours(panel(results, scorers=["weak"], colors={"weak": "red"})) == ["#ff0000"]


def test_labels_title_and_band() -> None:
    ax = panel(made_up(), labels={"weak": r"$\alpha$"}, title="Mine", band=(0.25, 0.75))
    assert ax.get_title(loc="left") == "Mine"
    assert {r"$\alpha$", "strong"} <= set(texts(ax))
    values = made_up().data["ndcg"].sel(scorer="strong", measure="nDCG").to_numpy()
    corners = ax.collections[0].get_paths()[0].vertices
    assert corners[:, 1].max() == pytest.approx(np.quantile(values, 0.75, axis=0).max())
    assert not panel(made_up(), band=None).collections


def test_titles_are_formulas() -> None:
    measure = "nDCG(power(0.5))@0.2n"
    figure = plots.measure_figure(made_up(), measure)
    assert figure.axes[0].get_title(loc="left") == r"NDCG, $r^{-1/2}$, $k = n/5$"


@pytest.mark.parametrize(
    "chosen",
    [{"scorers": ["stong"]}, {"labels": {"stong": "x"}}, {"colors": {"stong": "red"}}],
)
def test_a_misspelt_scorer_gets_a_suggestion(chosen: dict[str, Any]) -> None:
    cases.refused(r"scorer: no scorer .stong., did you mean .strong.\?", panel, made_up(), **chosen)


def test_figures_are_saved_one_by_one_after_options_are_checked(tmp_path: Path) -> None:
    there: list[int] = []

    def draw() -> Figure:
        there.append(len(list(tmp_path.iterdir())))
        return Figure()

    figures = [((name,), draw) for name in "abc"]
    save_all(figures, tmp_path, formats=["png"], dpi=20)
    assert there == [0, 1, 2]
    for wrong in ({"formats": ["gif"]}, {"dpi": 1}):
        cases.refused("^(format|dpi)", save_all, figures, tmp_path, **wrong)
    assert len(there) == 3


def test_a_single_length_and_a_single_replicate_are_visible() -> None:
    one = made_up(n=[50], pairs=[["strong", "weak"]])
    ax = plots.measure_figure(one, "nDCG").axes[0]
    assert [text.get_text() for text in ax.get_xticklabels()] == ["50"]
    assert len(ax.collections) == 3  # a bar in place of each band
    assert "_" in {line.get_marker() for line in ax.lines}  # and a dash instead of the exact mean
    alone = cases.simulated(cases.study("linear(0.1, 0.7)"), 1)
    figure = plots.measure_figure(alone, alone.study.measures[0])
    assert not figure.axes[0].collections
    said = [text.get_text() for text in figure.legends[0].get_texts()]
    assert "one replicate" in said
    assert not any("%" in text for text in said)


def test_an_inset_hides_no_data() -> None:
    def inset(level: float) -> Axes | None:
        with plots.style():
            _, (ax,) = plots.panels(1, height=2.9)
            results = made_up(level)
            plots.ndcg_curves(results, "nDCG", ax)
            return plots.enlarge(results, "nDCG", ax)

    assert inset(0.9) is not None
    assert inset(0.9).get_position().y1 < 0.7  # below the curves
    assert inset(0.5) is None  # they end in the middle
    assert inset(0.15).get_position().y0 > 0.4  # above them


@pytest.mark.slow
def test_odd_names_are_drawn(tmp_path: Path) -> None:
    results = made_up(scorers=ODD, pairs=[list(ODD)[:2]], n=(10, 100), measures="nDCG")
    files = plots.draw_all(results, tmp_path, formats=["svg", "png", "pdf"], dpi=50)
    assert len(set(files)) == len(files) == 3 * 3
    assert "\\x1b[31m\\x00\\u202e" in texts(plots.measure_figure(results, "nDCG").axes[0])


def test_formats_resolution_width_and_measures(tmp_path: Path) -> None:
    files = plots.draw_all(made_up(), tmp_path, measures=["ndcg"], formats=["png"], dpi=50, width=4)
    (file,) = files
    assert file.name == "nDCG.png"
    assert int.from_bytes(file.read_bytes()[16:20]) == 200  # the width in a PNG's header
    with pytest.raises(InputError, match="format: must be of svg, png, pdf, got 'gif'"):
        plots.draw_all(made_up(), tmp_path, formats=["gif"])
    cases.refused("width: must be above 0", plots.draw_all, made_up(), tmp_path, width=0)
    cases.refused("no results for", plots.draw_all, made_up(), tmp_path, measures=["nDCG@3"])


def test_six_measures_share_two_panels() -> None:
    measures = ["nDCG", "nDCG@10", "nDCG@0.2n", "nDCG(zipf)", "nDCG(power(0.5))", "nDCG(linear)"]
    results = made_up(measures=measures, pairs=[["strong", "weak"]])
    (figure,) = plots.pair_figures(results).values()
    assert len(figure.axes) == 2
    said = [text.get_text() for text in figure.legends[0].get_texts()]
    assert len([text for text in said if text.startswith("$")]) == 6
    figure.draw_without_rendering()
    assert figure.legends[0].get_window_extent().x0 >= 0
