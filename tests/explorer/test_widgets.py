"""The widgets of the explorer, without a browser: each makes the state that it shows."""

from __future__ import annotations

import csv
import html
import io

import pytest

pytest.importorskip("panel")

from ndcg_asymptotics.explorer import values
from ndcg_asymptotics.explorer.page import Page
from ndcg_asymptotics.explorer.state import CURVES, ROCS, Shape, State
from ndcg_asymptotics.explorer.tour import STOPS


@pytest.fixture
def page(monkeypatch: pytest.MonkeyPatch) -> Page:
    """A page whose values are not computed."""
    monkeypatch.setattr(Page, "_answer", lambda self: None)
    return Page(State())


def test_sliders_and_menus_of_the_measure(page: Page) -> None:
    page.discount.value = "power"
    assert page.state.measure == "nDCG(power(0.5))"
    page.exponent.value = 0.55
    assert page.state.measure == "nDCG(power(0.55))"
    page.cutoff.value = "fixed"
    page.rank.value = 20
    assert page.state.measure == "nDCG(power(0.55))@20"
    page.cutoff.value = "fraction"
    assert page.state.measure == "nDCG(power(0.55))@0.2n"
    page.cutoff.value = "sublinear"
    page.growth.value = 0.25
    assert page.state.measure == "nDCG(power(0.55))@n^0.25"
    page.discount.value = "geometric"
    assert page.state.measure == "nDCG(geometric(2))@n^0.25"
    assert (page.exponent.label, page.exponent.visible) == ("base", True)
    page.discount.value = "zipf"
    assert (page.state.measure, page.exponent.visible) == ("nDCG(zipf)@n^0.25", False)
    page.length.value = 5 * 10**6
    page.queries.value = 77
    page.share.value = 0.31
    assert (page.state.n, page.state.queries, page.state.share) == (5 * 10**6, 77, 0.31)
    assert not page.measure_error.object


@pytest.mark.parametrize("family", [*CURVES, *ROCS])
def test_families(page: Page, family: str) -> None:
    if family in ROCS:
        page.population.value = "number"
        assert page.state.relevant == 1
        page.relevant.value = 3
        assert page.state.relevant == 3
    control = page.rankers[0]
    control.family.value = family
    assert page.state.a.family == family
    for i, slider in enumerate(control.sliders):
        slider.value = slider.value + slider.step
        assert page.state.a.values[i] == pytest.approx(slider.value)
    assert [place.object for place in (control.error, page.rankers[1].error)] == ["", ""]


def test_back_to_a_share(page: Page) -> None:
    page.population.value = "number"
    page.population.value = "share"
    assert page.state == State()


def test_an_impossible_curve_is_said_beside_its_ranker(page: Page) -> None:
    page.rankers[1].sliders[0].value = 0.95
    assert "prevalence must be 0.475 to 0.975 where top = 0.95, got 0.3" in page.rankers[1].error.object
    assert page.state == State()
    page.rankers[1].sliders[0].value = 0.45
    assert page.rankers[1].error.object == ""
    assert page.state.b == Shape("linear", (0.45,))


def test_a_point_that_is_dragged_moves_the_curve(page: Page) -> None:
    page.rankers[0].family.value = "piecewise"
    points = {"x": [1.0, 0.75, 0.5, 0.25, 0.0], "y": [0.5, 0.4, 0.8, 0.2, 0.1]}
    page.curve_chart.points[0].data = points
    depth, value = page.state.a.points[2]
    assert (depth, value) == pytest.approx((0.5, 0.8 * 0.3 / 0.425), abs=1e-4)
    assert page.state.a.curve(0.3).mass == pytest.approx(0.3)


def test_the_tour_shows_its_states(page: Page) -> None:
    for stop in STOPS:
        page._step(1)
        assert page.state == stop.state
        assert stop.text in html.unescape(page.stop_text.object)
        shown = tuple(control.shape() for control in page.rankers)
        assert shown == (stop.state.a, stop.state.b)
        assert str(page._measure()) == stop.state.measure
    page._step(-1)
    assert page.state == STOPS[-2].state


def test_files_have_what_is_seen() -> None:
    page = Page(State(n=100))
    page.answer_now()
    rows = list(csv.reader(io.StringIO(page._csv())))
    assert rows[0] == ["chart", "of", "at", "value", "sd"]
    charts = {row[0] for row in rows[1:]}
    assert charts == {"curve", "NDCG", "difference", "log10 P(wrong order)", "effect size"}
    (mean,) = (float(row[3]) for row in rows if row[:3] == ["NDCG", "A", "1000"])
    assert mean == pytest.approx(0.83897, abs=1e-5)
    assert values.verdict(page.state, page._rows) in page.verdict.object
    study, script = (widget.callback().read().decode() for widget in page.downloads[:2])
    assert 'b = "linear(0.2, 0.4)"' in study
    assert 'measure = "nDCG(log)"' in script
