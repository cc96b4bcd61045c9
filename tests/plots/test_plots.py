"""Figures of studies show the values of the results, without warnings, and as reproducible files."""

from __future__ import annotations

import dataclasses
import itertools
import math
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import cases
import matplotlib as mpl
import numpy as np
import pytest
from drawn import SCORERS, made_up, panel, texts
from matplotlib import rcParams
from matplotlib.axes import Axes

import ndcg_asymptotics as na
from ndcg_asymptotics import plots
from ndcg_asymptotics.orders.distinguishing import distinguish
from ndcg_asymptotics.orders.prediction import predicted_nats
from ndcg_asymptotics.plots.everything import drawings
from ndcg_asymptotics.plots.orders import misfits
from ndcg_asymptotics.plots.style import measure_styles
from ndcg_asymptotics.stats.rates import Rate

MEASURES = ["nDCG", "nDCG(power(0.5))", "nDCG(geometric(2))", "nDCG@0.2n"]


synthetic = partial(made_up, measures=MEASURES, pairs=[["strong", "random"]])


@pytest.fixture
def ax() -> Iterator[Axes]:
    with plots.style():
        yield plots.panels(1)[1][0]


def test_markers_are_the_means_of_the_scorers() -> None:
    results = synthetic()
    ax = panel(results, "nDCG(power(0.5))")
    drawn = [line for line in ax.lines if line.get_marker() in ("o", "s", "^")]
    assert len(drawn) == 3
    means = results.data["ndcg"].sel(measure="nDCG(power(0.5))").mean("replicate")
    for line, name in zip(drawn, SCORERS, strict=True):
        np.testing.assert_allclose(line.get_ydata(), means.sel(scorer=name))
    assert len({line.get_color() for line in drawn}) == 3


def test_limits_are_drawn_and_labelled_with_their_theorem() -> None:
    ax = panel(synthetic(), "nDCG@0.2n")
    assert "Theorem 8" in texts(ax)
    # means of 0.05 + 0.75 (1-t)^2, of 0.5 - 0.4 t and of 0.3 over t < 0.2
    assert {"strong\n→ 0.660", "weak\n→ 0.460", "random\n→ 0.300"} <= set(texts(ax))
    heights = {round(float(line.get_ydata()[0]), 9) for line in ax.lines if line.get_linestyle() == ":"}
    assert heights == {0.66, 0.46, 0.3}


def test_a_shared_limit_is_one_line_and_gets_an_inset() -> None:
    results = synthetic()
    ax = panel(results, "nDCG")
    assert {"Theorem 1", "limit 1", "strong", "weak", "random"} <= set(texts(ax))
    assert sum(line.get_linestyle() == ":" for line in ax.lines) == 1
    ax.set_ylim(0, 3)  # which leaves the upper right corner free
    inset = plots.enlarge(results, "nDCG", ax)
    assert inset.get_xlim()[1] < 2 * results.study.n[-1]
    assert inset.get_ylim()[1] - inset.get_ylim()[0] < ax.get_ylim()[1] - ax.get_ylim()[0]


def test_few_relevant_items_have_no_bracket_and_markers_where_means_are_reliable() -> None:
    study = cases.study("roc_power(0.6)", (10, 1000, 10**9), ["nDCG@5"], relevant=1)
    results = cases.simulated(study, 200)
    ax = panel(results, "nDCG@5")
    (drawn,) = (line for line in ax.lines if line.get_marker() == "o")
    means = results.data["ndcg"].mean("replicate").to_numpy().ravel()
    assert len(drawn.get_ydata()) == np.count_nonzero(means * 200 >= 10)
    assert 0 < len(drawn.get_ydata()) < 3
    solid = [line for line in ax.lines if line.get_linestyle() == "-" and line.get_alpha() is None]
    (exact,) = solid
    assert len(exact.get_ydata()) > 3  # the exact mean, at lengths between those of the study, too
    assert ax.get_yscale() == "log"  # NDCG tends to 0
    assert len(ax.collections) == 1  # the band of replicates, and no bracket


@pytest.mark.slow
def test_the_title_tells_that_there_is_no_limit() -> None:
    ax = panel(synthetic(), "nDCG(geometric(2))")
    assert "no limit (Theorem 6)" in texts(ax)
    assert not [line for line in ax.lines if line.get_linestyle() == ":"]


def test_the_title_names_scorers_with_unmet_assumptions() -> None:
    scorers = {"jump": "step(0.1, 0.7, 0.5)", "flat": "constant(0.4)"}
    ax = panel(synthetic(scorers=scorers, pairs=[]), "nDCG(power(0.5))")
    assert "Theorem 3; assumptions not met: jump" in texts(ax)


def test_an_unknown_measure_is_refused() -> None:
    cases.refused(r"no results for nDCG\(zipf\), the study has: nDCG", panel, synthetic(), "nDCG(zipf)")


def test_labels_stand_at_the_ends_of_their_curves_and_do_not_overlap(ax: Axes) -> None:
    plots.margin_labels(ax, [(y, f"{y}", "k") for y in (0.97, 0.99, 0.5, 0.98)])
    ax.figure.draw_without_rendering()
    boxes = {text.get_text(): text.get_window_extent() for text in ax.texts}
    plain = {text.get_text(): mpl.text.Text.get_window_extent(text) for text in ax.texts}
    assert all(ax.bbox.x1 <= box.x0 + 1 and box.x1 <= ax.figure.bbox.x1 + 1 for box in boxes.values())
    in_order = [plain[text] for text in ("0.5", "0.97", "0.98", "0.99")]
    assert all(low.y1 <= high.y0 for low, high in itertools.pairwise(in_order))
    at = ax.get_yaxis_transform().transform((1, 0.5))[1]  # nothing is near this one
    assert (in_order[0].y0 + in_order[0].y1) / 2 == pytest.approx(at, abs=3)
    assert in_order[-1].y1 == pytest.approx(ax.bbox.y1, abs=6)  # as high as the axes allow


def test_rates_of_order() -> None:
    results = synthetic(every_n=True, measures=["nDCG", "nDCG@10"])
    pairs = distinguish(results).pairs
    with plots.style():
        _, (at, from_n) = plots.panels(2)
        plots.wrong_order_rates(at, pairs)
        plots.wrong_order_rates(from_n, pairs, from_n=True)
    for ax, kind in ((at, "points"), (from_n, "from_n")):
        assert ax.get_yscale() == "log"
        for pair in pairs:
            style = measure_styles(["nDCG", "nDCG@10"])[pair.measure]
            (line,) = (
                found
                for found in ax.lines
                if found.get_marker() == style.marker and found.get_color() == style.color
            )
            wrong = np.array([1 - rate.rate for rate in getattr(pair, kind)])
            np.testing.assert_allclose(line.get_ydata(), wrong[wrong > 0])
    assert texts(at)[0] == "(a) at $n$"
    right = pairs[0].right
    assert at.get_ylabel() == "P(wrong order)"
    assert right == pairs[1].right
    assert f"1 − P({right} ahead)" in texts(at)
    labels = [handle.get_label() for handle in plots.order_handles(pairs)]
    assert [str(label).partition(":")[0] for label in labels[:2]] == [
        r"$1/\log(1+r)$",
        r"$1/\log(1+r)$, $k = 10$",
    ]


def test_an_order_that_is_never_wrong_has_an_arrow_in_view(ax: Axes) -> None:
    (pair,) = distinguish(synthetic(measures=["nDCG"])).pairs
    never = [Rate(rate.n, 1.0, 0.98, 1.0) for rate in pair.points]
    plots.wrong_order_rates(ax, [dataclasses.replace(pair, right="strong", points=never, from_n=never)])
    (arrow,) = (line for line in ax.lines if "arrow" in str(line.get_marker()))
    assert arrow.get_ydata() == pytest.approx([0.02])
    assert ax.get_ylim()[0] < 0.02


def test_rates_of_the_lengths_of_a_study_are_called_so(ax: Axes) -> None:
    plots.wrong_order_rates(ax, distinguish(synthetic()).pairs, from_n=True)
    assert texts(ax)[0] == "at some length from $n$ on (seen at the study's lengths)"


@pytest.mark.slow
@pytest.mark.parametrize(
    "kind",
    [
        {"bracket": True, "every_n": True},
        {"measures": ["nDCG(zipf)"], "pairs": [], "n": [50]},
    ],
)
def test_every_study_is_drawn(tmp_path: Path, kind: dict[str, object]) -> None:
    results = synthetic(**{"measures": ["nDCG", "nDCG(geometric(2))"], **kind})
    before = dict(rcParams)
    files = plots.draw_all(results, tmp_path / "figures")
    measures, pairs = len(results.study.measures), len(results.study.pairs)
    assert len(set(files)) == measures + (measures > 1) + pairs + (pairs > 0)
    assert all(file.stat().st_size > 1000 for file in files)
    assert dict(rcParams) == before


def test_incomplete_results_have_a_warning() -> None:
    for done, remark in ((5, ""), (2, "Incomplete: 2 of 5 replicates")):
        results = synthetic(done=done, replicates=5, measures=["nDCG(zipf)"])
        (order,) = plots.pair_figures(results).values()
        figures = [plots.measure_figure(results, "nDCG(zipf)"), plots.overview_figure(results), order]
        assert [figure.get_suptitle() for figure in figures] == [remark] * 3


@pytest.mark.slow
def test_the_same_figure_is_the_same_bytes(tmp_path: Path) -> None:
    results = synthetic(bracket=True, measures=["nDCG"])
    first, second = (
        plots.save(plots.overview_figure(results), tmp_path / name, "figure") for name in ("one", "two")
    )
    for one, two in zip(first, second, strict=True):
        assert one.read_bytes() == two.read_bytes()
    assert b"<dc:date>" not in first[0].read_bytes()


def test_text_of_an_svg_is_text(tmp_path: Path) -> None:
    figure = plots.measure_figure(synthetic(measures=["nDCG"]), "nDCG")
    (svg,) = plots.save(figure, tmp_path, "figure", formats=("svg",))
    assert ">list length" in svg.read_text() or ">strong<" in svg.read_text()


@pytest.mark.parametrize(
    ("sizes", "most", "expected"),
    [
        ([10, 1000, 10**6], 8, ["10¹", "10²", "10³", "10⁴", "10⁵", "10⁶"]),
        ([10, 10**7], 4, ["10¹", "10³", "10⁵", "10⁷"]),
        ([10, 10**6], 4, ["10²", "10⁴", "10⁶"]),
        ([100, 10**11], 6, ["10³", "10⁵", "10⁷", "10⁹", "10¹¹"]),
        ([10, 30, 100, 30000], 8, ["10¹", "10²", "10³", "10⁴", "30000"]),
        ([10, 63096], 8, ["10¹", "10²", "10³", "10⁴", "63096"]),
        ([10, 80, 450], 8, ["10¹", "10²", "450"]),
        ([10, 120], 8, ["10¹", "120"]),
        ([20, 300], 8, ["20", "50", "100", "200", "300"]),
        ([60, 90], 8, ["60", "70", "80", "90"]),
        ([10, 251189], 8, ["10¹", "10²", "10³", "10⁴", "2.51×10⁵"]),
    ],
)
def test_the_last_list_length_has_a_label(ax: Axes, sizes: list[int], most: int, expected: list[str]) -> None:
    plots.length_axis(ax, sizes, most=most)
    ax.figure.draw_without_rendering()
    assert [label.get_text() for label in ax.get_xticklabels()] == expected


def test_many_measures_are_pages_of_narrow_figures() -> None:
    measures = [*MEASURES, "nDCG@5", "nDCG@10", "nDCG(zipf)"]
    results = synthetic(measures=measures)
    names = {width: [words for words, _ in drawings(results, width=width)] for width in (None, 3.35)}
    assert ("overview",) in names[None]
    assert [words for words in names[3.35] if words[0] == "overview"] == [
        ("overview", "1"),
        ("overview", "2"),
    ]
    drawn = dict(drawings(results, width=3.35))
    panels = [drawn["overview", page]().axes for page in ("1", "2")]
    assert [sum(ax.axison for ax in page) for page in panels] == [4, 3]


@pytest.mark.slow
def test_lines_that_leave_the_axes_and_misfits_of_predictions_are_marked(ax: Axes) -> None:
    study = cases.study(
        {"sharp": "linear(0.1, 0.5)", "flat": "linear(0.2, 0.4)"},
        (100, 10**4, 10**6),
        ["nDCG@10", "nDCG@0.2n", "nDCG"],
        engine="rare",
        pairs=[("sharp", "flat")],
        replicates=4,
    )
    pairs = distinguish(na.run(study, jobs=1), exponents=False).pairs
    plots.order_error_exponents(ax, pairs, study)
    keys = [text.get_text() for text in ax.get_legend().get_texts()]
    (in_margin,) = (text for text in texts(ax)[: -len(keys)] if "→" in text and "labels" not in text)
    assert "k = 10" in in_margin
    (whole,) = predicted_nats(study, pairs[2], [300_000])
    (cut,) = predicted_nats(study, pairs[1], [300_000])
    assert whole > cut  # so that it leaves the axes first
    assert ["/5" in key for key in keys] == [False, True]
    (predicted,) = predicted_nats(study, pairs[0], [100])
    error = 0.01
    points = [
        Rate(100, 0.5, 0.4, 0.6, -predicted / math.log(10) + off * error / math.log(10), error, True)
        for off in (2, -2, 4, -4)
    ]
    assert misfits(study, pairs[0], points) == (points[:2], points[2:])
    assert misfits(study, pairs[0], []) == ([], [])
