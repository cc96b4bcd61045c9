"""The widgets of the explorer, without a browser: each makes the state that it shows."""

from __future__ import annotations

import asyncio
import csv
import functools
import inspect
import io
from concurrent.futures import Future
from types import SimpleNamespace
from typing import Any

import pytest

pytest.importorskip("panel")

from ndcg_asymptotics.explorer import answers, values
from ndcg_asymptotics.explorer.page import Page
from ndcg_asymptotics.explorer.state import Shape, State, families
from ndcg_asymptotics.measures import Measure

CURVES, ROCS = ([f for f in families(few) if f != "piecewise"] for few in (None, 1))


class OpenDocument:
    """A document whose callbacks are called at once, or kept while ``waiting`` is a list."""

    session_context = SimpleNamespace(session=None)
    waiting: list[Any] | None = None

    def add_next_tick_callback(self, callback) -> None:
        if self.waiting is not None:
            self.waiting.append(callback)
        elif inspect.iscoroutine(begun := callback()):
            asyncio.run(begun)


def computed(function, *arguments: object) -> Future[Any]:
    """The future of a value that is computed at once."""
    future: Future[Any] = Future()
    try:
        future.set_result(function(*arguments))
    except ValueError as error:
        future.set_exception(error)
    return future


@pytest.fixture
def page(monkeypatch: pytest.MonkeyPatch) -> Page:
    """A page whose values are not computed."""
    monkeypatch.setattr(Page, "answer", lambda self: None)
    return Page(State(), computed, OpenDocument())


@pytest.fixture
def short() -> Page:
    """A page of ten items, whose values are computed."""
    return Page(State(n=10), computed, OpenDocument())


def test_sliders_and_menus_of_the_measure(page: Page) -> None:
    page.discount.menu.value = "power"
    assert page.state.measure == "nDCG(power(0.5))"
    page.discount.parameters.sliders[0].value = 0.55
    assert page.state.measure == "nDCG(power(0.55))"
    page.cutoff.menu.value = "k"
    page.cutoff.parameters.sliders[0].value = 20
    assert page.state.measure == "nDCG(power(0.55))@20"
    page.cutoff.menu.value = "n/log(n)"
    assert page.state.measure == "nDCG(power(0.55))@n/log(n)"
    page.cutoff.menu.value = "cn"
    assert page.state.measure == "nDCG(power(0.55))@0.2n"
    page.cutoff.menu.value = "n^a"
    page.cutoff.parameters.sliders[0].value = 0.25
    assert page.state.measure == "nDCG(power(0.55))@n^0.25"
    page.discount.menu.value = "geometric"
    assert page.state.measure == "nDCG(geometric(2))@n^0.25"
    assert [slider.label for slider in page.discount.parameters.sliders] == ["base"]
    page.discount.menu.value = "zipf"
    assert (page.state.measure, page.discount.parameters.sliders) == ("nDCG(zipf)@n^0.25", [])
    page.length.value = 5 * 10**6
    page.share.value = 0.31
    assert (page.state.n, page.state.share) == (5 * 10**6, 0.31)
    assert not page.measure_error.object


@pytest.mark.slow
@pytest.mark.parametrize("family", [*CURVES, *ROCS])
def test_families(page: Page, family: str) -> None:
    page.go(State() if family in CURVES else State().with_number(3))
    control = page.rankers[0]
    control.family.value = family
    assert page.state.a.family == family
    for i, slider in enumerate(control.parameters.sliders):
        slider.value = slider.value + slider.step
        assert page.state.a.values[i] == pytest.approx(slider.value)
    assert [ranker.error.object for ranker in page.rankers] == ["", ""]


def test_a_number_of_relevant_items_and_back(page: Page) -> None:
    page.population.value = "number"
    assert page.state.relevant == 1
    page.relevant.value = 3
    assert page.state.relevant == 3
    page.length.value = 10
    page.relevant.value = 11  # more than the items of the list
    assert page.state.relevant == page.relevant.value == 3
    assert "must be at least 11, got 10" in page.measure_error.object
    page.population.value = "share"
    assert page.state == State(n=10)


def shown(page: Page) -> tuple[object, ...]:
    rankers = tuple(control.shape() for control in page.rankers)
    measure = Measure(page.discount.spec(), page.cutoff.spec())
    return *rankers, page.share.value, page.length.value, str(measure)


def test_an_impossible_curve_is_said_beside_its_ranker_and_widgets_go_back(page: Page) -> None:
    start = shown(page)
    page.rankers[1].parameters.sliders[0].value = 0.95
    assert "prevalence must be 0.475 to 0.975 where top = 0.95, got 0.3" in page.rankers[1].error.object
    assert (page.state, shown(page)) == (State(), start)
    page.rankers[1].parameters.sliders[0].value = 0.45
    assert page.rankers[1].error.object == ""
    assert page.state.b == Shape("linear", (0.45,))
    page.share.value = 0.8  # a top of 0.5 is no longer possible
    assert "Ranker A" in page.rankers[0].error.object
    assert page.share.value == 0.3
    page.reset.clicks += 1
    assert (page.state, shown(page)) == (State(), start)


@pytest.mark.parametrize(("share", "top"), [(0.05, 0.1), (0.9, 0.8)])
def test_a_family_begins_where_it_is_possible(page: Page, share: float, top: float) -> None:
    page.go(State(Shape("constant"), Shape("logistic", (3.0,)), share=share))
    page.rankers[0].family.value = "linear"
    assert page.state.a == Shape("linear", (top,))
    assert page.rankers[0].error.object == ""
    page.population.value = "number"
    page.population.value = "share"
    assert page.state.scorers
    assert page.state.a != page.state.b


def test_points_of_the_address_are_a_choice_while_they_are_shown(page: Page) -> None:
    menu = page.rankers[0].family
    assert "piecewise" not in menu.options.values()
    page.go(State.from_query("a=piecewise(0=0.5,1=0.1)&b=constant(0.3)"))
    assert menu.value == "piecewise"
    page.length.value = 2000
    assert page.state.a.points == ((0.0, 0.5), (1.0, 0.1))
    menu.value = "linear"
    assert "piecewise" not in menu.options.values()


@pytest.mark.slow
def test_files_have_what_is_seen(short: Page) -> None:
    short.answer()
    study, data = (widget.callback().read().decode() for widget in short.downloads)
    rows = list(csv.reader(io.StringIO(data)))
    assert rows[0] == ["chart", "of", "at", "value", "sd"]
    charts = {row[0] for row in rows[1:]}
    assert charts == {"state", "curve", "NDCG", "log10 P(wrong order)", "effect size"}
    (mean,) = (float(row[3]) for row in rows if row[:3] == ["NDCG", "A", "1000"])
    assert mean == pytest.approx(0.83897, abs=1e-5)
    assert values.answer(short.state)[0] in short.answers.sentence.object
    assert 'b = "linear(0.2, 0.4)"' in study


PIECES = (
    "curves",
    "answer",
    "means",
    "ranked_list",
    "other_answers",
    "numbers",
    "wrong_orders",
    "by_cutoff",
    "by_exponent",
)


@pytest.mark.slow
def test_an_error_is_said_in_its_place(short: Page, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*arguments: object) -> None:
        raise ValueError("y is\n<nothing>")

    homes = {name: answers if name == "ranked_list" else values for name in PIECES}
    for name, home in homes.items():  # each is computed once
        monkeypatch.setattr(home, name, functools.cache(getattr(home, name)))
    shown = short.answers
    lengths, wrong, curves, cutoffs, exponents = shown.charts
    sentence, *sentences = shown.sentences
    places = dict(
        zip(
            PIECES,
            (curves, sentence, lengths, shown.strip, *sentences, wrong, cutoffs, exponents),
            strict=True,
        )
    )
    for failing in PIECES:
        with monkeypatch.context() as patch:
            patch.setattr(homes[failing], failing, fail)
            short.answer()
        assert [name for name, place in places.items() if place.column[0] is place.error] == [failing]
        assert "internal error: ValueError: y is &lt;nothing&gt;" in places[failing].error.object
    short.answer()
    assert all(place.column[0] is place.content for place in places.values())


@pytest.mark.slow
def test_what_is_not_current_is_dimmed(short: Page) -> None:
    """Also the values of the former state are gone from the files."""
    short.answer()

    def opacities() -> set[str]:
        return {place.column.styles["opacity"] for place in short.answers.places}

    assert opacities() == {"1"}
    short._document.waiting = []
    short.length.value = 20
    assert opacities() == {"0.35"}
    assert len(short.answers.csv(short.state).splitlines()) == 2 + 2 * 201
    (begin,) = short._document.waiting
    short._document.waiting = None
    asyncio.run(begin())
    assert opacities() == {"1"}
    assert "n = 20 " in short.answers.numbers.object


@pytest.mark.slow
def test_an_answer_that_is_no_longer_wanted_ends(short: Page, monkeypatch: pytest.MonkeyPatch) -> None:
    names: list[str] = []

    def piece(name: str) -> answers.Piece[None]:
        return answers.Piece(short.answers.strip, functools.partial(names.append, name), lambda _: None)

    def pieces(_: State):
        yield piece("first")
        short._generation += 1
        yield piece("second")

    monkeypatch.setattr(short.answers, "pieces", pieces)
    asyncio.run(short._compute(short._generation, short.state))
    assert names == ["first"]
