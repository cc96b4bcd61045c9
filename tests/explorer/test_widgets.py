"""The widgets of the explorer, without a browser: each makes the state that it shows."""

from __future__ import annotations

import asyncio
import csv
import functools
import html
import io
import re
from typing import Any

import numpy as np
import pytest

pytest.importorskip("panel")

from ndcg_asymptotics.explorer import against_n, values
from ndcg_asymptotics.explorer.drawing import LISTS, DrawnLists, ranked_list
from ndcg_asymptotics.explorer.page import Page
from ndcg_asymptotics.explorer.places import Piece
from ndcg_asymptotics.explorer.state import Shape, State, families
from ndcg_asymptotics.explorer.tour import STEPS

CURVES, ROCS = families(None), families(1)


@pytest.fixture
def page(monkeypatch: pytest.MonkeyPatch) -> Page:
    """A page whose values are not computed."""
    monkeypatch.setattr(Page, "answer", lambda self: None)
    return Page(State())


@pytest.fixture(scope="module")
def used() -> Page:
    """A page whose values are not computed, which tests share that begin with a state of their own."""
    page = Page(State())
    page.answer = lambda: None  # type: ignore[method-assign]
    return page


def test_sliders_and_menus_of_the_measure(page: Page) -> None:
    page.measure.discount.value = "power"
    assert page.state.measure == "nDCG(power(0.5))"
    page.measure.parameters.sliders[0].value = 0.55
    assert page.state.measure == "nDCG(power(0.55))"
    page.measure.cutoff.value = "fixed"
    page.measure.rank.value = 20
    assert page.state.measure == "nDCG(power(0.55))@20"
    page.measure.cutoff.value = "fraction"
    assert page.state.measure == "nDCG(power(0.55))@0.2n"
    page.measure.cutoff.value = "sublinear"
    page.measure.growth.value = 0.25
    assert page.state.measure == "nDCG(power(0.55))@n^0.25"
    page.measure.discount.value = "geometric"
    assert page.state.measure == "nDCG(geometric(2))@n^0.25"
    assert [slider.label for slider in page.measure.parameters.sliders] == ["base"]
    page.measure.discount.value = "zipf"
    assert (page.state.measure, page.measure.parameters.sliders) == ("nDCG(zipf)@n^0.25", [])
    page.length.value = 5 * 10**6
    page.queries.value = 77
    page.share.value = 0.31
    assert (page.state.n, page.state.queries, page.state.share) == (5 * 10**6, 77, 0.31)
    assert not page.measure.error.object
    for download in page.downloads[:2]:  # files are those of the state that is shown
        assert page.state.measure in download.callback().read().decode()


@pytest.mark.slow
@pytest.mark.parametrize("family", [*CURVES, *ROCS])
def test_families(used: Page, family: str) -> None:
    used.go(State() if family in CURVES else State().with_number(3))
    control = used.rankers[0]
    control.family.value = family
    assert used.state.a.family == family
    for i, slider in enumerate(control.parameters.sliders):
        slider.value = slider.value + slider.step
        assert used.state.a.values[i] == pytest.approx(slider.value)
    assert [place.object for place in (control.error, used.rankers[1].error)] == ["", ""]


def test_a_number_of_relevant_items(page: Page) -> None:
    page.population.value = "number"
    assert page.state.relevant == 1
    page.relevant.value = 3
    assert page.state.relevant == 3


@pytest.mark.slow
def test_an_answer_is_completed_at_rest(page: Page, monkeypatch: pytest.MonkeyPatch) -> None:
    """What takes long is not begun while a slider moves, as the next answer would wait for it."""
    monkeypatch.setattr("ndcg_asymptotics.explorer.page._REST", 0.2)
    computed: list[State] = []
    piece = Piece((), lambda: computed.append(page.state), lambda _: None)
    monkeypatch.setattr(page.answers, "pieces", lambda _: iter(()))
    monkeypatch.setattr(page.answers, "finer_pieces", lambda _: iter([piece]))

    async def move() -> None:
        answer = asyncio.create_task(page._compute(page._generation, page.state))
        await asyncio.sleep(0.1)
        page._generation += 1
        await answer

    asyncio.run(move())
    assert computed == []
    asyncio.run(page._compute(page._generation, page.state))
    assert computed == [page.state]


def test_back_to_a_share(page: Page) -> None:
    page.population.value = "number"
    page.population.value = "share"
    assert page.state == State()


def test_an_impossible_curve_is_said_beside_its_ranker(page: Page) -> None:
    page.rankers[1].parameters.sliders[0].value = 0.95
    assert "prevalence must be 0.475 to 0.975 where top = 0.95, got 0.3" in page.rankers[1].error.object
    assert page.state == State()
    page.rankers[1].parameters.sliders[0].value = 0.45
    assert page.rankers[1].error.object == ""
    assert page.state.b == Shape("linear", (0.45,))


def drag(page: Page, ranker: int, x: list[float], y: list[float], held: int) -> None:
    """Tell the page what a browser tells when a point is dragged."""
    page.answers.curves.held.data = {"ranker": [ranker], "point": [held], "x": [x], "y": [y]}


def test_a_point_that_is_dragged_moves_the_curve(page: Page) -> None:
    page.rankers[0].family.value = "piecewise"
    before = page.state.a.points
    drag(page, 0, [1.0, 0.75, 0.5, 0.25, 0.0], [0.6, 0.4, 0.8, 0.15, 0.1], held=2)
    assert page.state.a.points[2] == (0.5, 0.8)  # it stays under the pointer, and the others make room
    moved = zip(page.state.a.points, before, strict=True)
    assert [now < then for (_, now), (_, then) in moved] == [True, True, False, True, True]
    assert page.state.a.curve(0.3).mass == pytest.approx(0.3)
    drag(page, 0, [1.0, 0.75, 0.5, 0.25, 0.0], [0.6, 0.4, 0.25, 0.15, 1.0], held=4)
    assert page.state.a.curve(0.3).mass == pytest.approx(0.3)
    assert page.state.a.points[4] == (1.0, 1.0)


def test_boxes_reset_and_points_by_key(page: Page) -> None:
    (_, box) = page.rankers[0].parameters.place[0]
    box.value = 0.437
    assert page.state.a == Shape("linear", (0.437,))
    box.value = None
    assert box.value == 0.437
    box.value = 5.0  # more than is possible
    assert page.state.a == Shape("linear", (0.6,))
    assert box.value == 0.6
    page.rankers[0].family.value = "piecewise"
    page.rankers[0].heights[2].value = 0.4
    assert page.state.a.points[2] == (0.5, 0.4)
    assert page.state.a.curve(0.3).mass == pytest.approx(0.3)
    page.reset.clicks += 1
    assert page.state == State()


def test_no_wrong_list_of_many_is_drawn_as_a_bound(used: Page) -> None:
    wrong = used.answers.wrong
    n = np.array([10.0, 1e5])
    wrong.show_drawn(DrawnLists(n, np.zeros((2, LISTS, 2)), np.array([0.25, 0.0])))
    assert (wrong.drawn.data["x"].tolist(), wrong.drawn.data["y"].tolist()) == ([10.0], [0.25])
    # none of 300 at level 0.95 on both sides
    assert wrong.bounds.data["y"].tolist() == pytest.approx([1 - 0.025 ** (1 / 300)])
    wrong.show_drawn(None)
    assert len(wrong.bounds.data["x"]) == 0


def test_the_length_is_dragged(page: Page) -> None:
    page.answers.length.data = {"n": [3.4e6]}
    assert (page.state.n, page.length.value) == (3_400_000, 3_400_000)


def test_the_tour_shows_its_states(page: Page) -> None:
    guide = page.guide
    for number, step in enumerate(STEPS, 1):
        guide.forward.clicks += 1
        assert page.state == step.state
        assert re.sub(r"[][]", "", step.question) in text_of(guide.question)
        shown = tuple(control.shape() for control in page.rankers)
        assert shown == (step.state.a, step.state.b)
        assert str(page.measure.measure()) == step.state.measure
        assert page._query == f"{step.state.query}&step={number}"
    guide.back.clicks += 1
    assert page.state == STEPS[-2].state
    page.reset.clicks += 1
    assert (page.state, page._query, guide.shown.visible) == (State(), State().query, False)


def text_of(pane: Any) -> str:
    """The text of a pane without what explains its terms."""
    return html.unescape(re.sub(r"<span popover.*?</span>|<[^>]+>", "", pane.object))


def test_the_answer_is_about_the_state_of_its_step(page: Page) -> None:
    guide = page.guide
    guide.menu.value = 1
    page.length.value = 50
    asyncio.run(guide._on_ask(None))
    assert page.state == STEPS[0].state
    found = ranked_list(page.state, 0)
    assert f"its NDCG is {found.ndcg[0]:.3f}, and that of B is {found.ndcg[1]:.3f}" in text_of(guide.answer)
    assert text_of(guide.answer).endswith("More: docs/theory.md")
    assert not guide.ask.visible
    page.length.value = 50  # the answer is about another state
    assert (guide.answer.object, guide.ask.visible) == ("", True)


@pytest.mark.slow
def test_files_have_what_is_seen() -> None:
    page = Page(State(n=10))
    page.answer_now()
    rows = list(csv.reader(io.StringIO(page.answers.csv(page.state))))
    assert rows[0] == ["chart", "of", "at", "value", "sd"]
    charts = {row[0] for row in rows[1:]}
    assert charts == {"state", "curve", "NDCG", "difference", "log10 P(wrong order)", "effect size"}
    (mean,) = (float(row[3]) for row in rows if row[:3] == ["NDCG", "A", "1000"])
    assert mean == pytest.approx(0.83897, abs=1e-5)
    assert values.conclusion(page.state, page.answers.rows) in page.answers.verdict.object
    study, script = (widget.callback().read().decode() for widget in page.downloads[:2])
    assert 'b = "linear(0.2, 0.4)"' in study
    assert 'measure = "nDCG"' in script


@pytest.mark.parametrize(("share", "top"), [(0.05, 0.1), (0.9, 0.8)])
def test_a_family_begins_where_it_is_possible(used: Page, share: float, top: float) -> None:
    used.go(State(Shape("constant"), Shape("logistic", (3.0,)), share=share))
    used.rankers[0].family.value = "linear"
    assert used.state.a == Shape("linear", (top,))
    assert used.rankers[0].error.object == ""
    used.population.value = "number"
    used.population.value = "share"
    assert used.state.scorers
    assert used.state.a != used.state.b


@pytest.mark.slow
@pytest.mark.parametrize("family", CURVES)
@pytest.mark.parametrize("share", [0.02, 0.3, 0.88])
def test_sliders_end_where_nothing_more_is_possible(used: Page, family: str, share: float) -> None:
    used.go(State(Shape.usual(family).nearest(share), Shape("constant"), share=share))
    for i, (slider, parameter) in enumerate(
        zip(used.rankers[0].parameters.sliders, CURVES[family].sliders(), strict=True)
    ):

        def possible(value: float, i: int = i) -> bool:
            values = used.state.a.values
            return Shape(family, (*values[:i], value, *values[i + 1 :])).possible(share)

        assert slider.start < slider.end
        if slider.disabled:
            value = used.state.a.values[i]
            assert not any(map(possible, (value - slider.step, value + slider.step)))
            continue
        for end, step in ((slider.start, -slider.step), (slider.end, slider.step)):
            assert possible(end)
            assert end in (parameter.start, parameter.stop) or not possible(end + step)
    for end in (used.share.start, used.share.end):
        assert used.state.a.possible(end)


def test_lists_hold_their_relevant_items(page: Page) -> None:
    page.population.value = "number"
    page.length.value = 10
    assert page.relevant.end == 10
    page.length.value = 10**6
    page.relevant.value = 100
    assert min(page.length.options.values()) == 100


def shown(page: Page) -> tuple[object, ...]:
    rankers = tuple(control.shape() for control in page.rankers)
    return *rankers, page.share.value, page.length.value, page.queries.value, str(page.measure.measure())


def test_widgets_go_back_with_the_state(page: Page) -> None:
    start = shown(page)
    page.rankers[0].parameters.sliders[0].value = 1.0
    assert "prevalence must be 0.5 to 1 where top = 1" in page.rankers[0].error.object
    assert shown(page) == start
    page.share.value = 0.31
    assert shown(page)[:3] == (page.state.a, page.state.b, 0.31)
    assert page.rankers[0].error.object == ""
    page.queries.value = None
    assert page.queries.value == page.state.queries == 50
    page.rankers[1].family.value = "piecewise"
    points = page.answers.curves.points[1]
    drag(page, 1, [0.5], [0.5], held=0)
    assert "two points" in page.rankers[1].error.object
    assert len(points.data["x"]) == len(page.state.b.points) == 5


PIECES = {
    "rows": {"verdict", "details"},
    "numbers": {"numbers"},
    "curves": {"curves"},
    "cutoff_sweep": {"cutoff"},
    "discount_sweep": {"exponent"},
    "point": {"length", "wrong"},
}


@pytest.mark.slow
def test_an_error_is_said_in_its_place(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*arguments: object) -> None:
        raise ValueError("y is\n<nothing>")

    homes = {name: against_n if name == "point" else values for name in PIECES}
    for name, home in homes.items():  # each is computed once
        monkeypatch.setattr(home, name, functools.cache(getattr(home, name)))
    page = Page(State(n=10))
    said, charts = ("verdict", "numbers", "details"), ("curves", "length", "wrong", "cutoff", "exponent")
    names = (*said, *charts, "list", "histogram", "sums")
    places = dict(zip(names, page.answers.places, strict=True))
    for failing, silent in PIECES.items():
        with monkeypatch.context() as patch:
            patch.setattr(homes[failing], failing, fail)
            page.answer()
        assert {name for name, place in places.items() if place.column[0] is place.error} == silent
        for name in silent - {"details"}:
            assert "internal error: ValueError: y is &lt;nothing&gt;" in places[name].error.object
    page.answer()
    assert all(place.current and place.column[0] is place.shown for place in places.values())


@pytest.mark.slow
def test_what_is_not_current_is_dimmed() -> None:
    """Also the points and answers of the former state are gone from the files."""
    page = Page(State(n=10))
    page.answer_now()
    places = page.answers.places

    async def move() -> None:
        page.length.value = 20
        assert not any(place.current for place in places)
        assert len(page.answers.csv(page.state).splitlines()) == 2 + 2 * 201
        await page._task

    assert all(place.current for place in places)
    asyncio.run(move())
    assert all(place.current for place in places)
    assert "n = 20 " in page.answers.numbers.object


@pytest.mark.slow
def test_the_chart_says_which_law_it_shows() -> None:
    page = Page(State(n=10))
    page.answer_now()
    of_line, of_dots = page.answers.wrong.plot.legend[0].items
    assert of_line.label.value == "the normal law of long lists"
    assert of_dots.visible
    at = page.answers.wrong.known.data["x"]
    assert at == [p.n for p in sorted(page.answers.points, key=lambda p: p.n) if p.right is not None]
    assert 0 < len(at) < len(page.answers.points)
