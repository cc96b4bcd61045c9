"""The page of the explorer: widgets that make a state, and charts and sentences that show its values.

Values are computed in a thread, a piece at a time. When the state changes, what is left of the old pieces is
dropped, and what is shown is dimmed until its own piece is computed. Widgets always show the state: one that
is set to something impossible goes back, and sliders end where nothing more is possible.
"""

from __future__ import annotations

import asyncio
import csv
import html
import io
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, TypeVar

import panel as pn
from bokeh.document import without_document_lock

from ndcg_asymptotics.analysis.planning.design import RATE
from ndcg_asymptotics.analysis.planning.findings import Choice, PlanRow, strongest
from ndcg_asymptotics.analysis.planning.required_length import ahead
from ndcg_asymptotics.core.errors import InputError, require_available
from ndcg_asymptotics.explorer import values
from ndcg_asymptotics.explorer.charts import CurveChart, LengthChart, Palette, SweepChart, WrongChart
from ndcg_asymptotics.explorer.drawing import LISTS, draw
from ndcg_asymptotics.explorer.places import ERROR, Place, attempt, line
from ndcg_asymptotics.explorer.state import (
    CURVES,
    DISCOUNTS,
    LARGEST,
    MOST_RELEVANT,
    ROCS,
    SHARE,
    SMALLEST,
    Shape,
    State,
    discount_of,
)
from ndcg_asymptotics.explorer.tour import STOPS
from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.measures.cutoffs import ListPower
from ndcg_asymptotics.studies.toml import study_text

_T = TypeVar("_T")

_CONTROLS = 296  # pixels
_CHART = 420  # pixels that a chart needs before there are two in a row
_LABELS = {"constant": "constant (a random order)", "piecewise": "points that you drag"}
_DISCOUNTS = {"power": "r^-b", "zipf": "1/r", "geometric": "base^-r"}
_CUTOFFS = {"whole list": "none", "k = a number": "fixed", "k = c n": "fraction", "k = n^a": "sublinear"}
_LENGTHS = [m * 10**e for e in range(1, 18) for m in (1, 2, 5)] + [LARGEST]
_RANKS = [m * 10**e for e in range(6) for m in (1, 2, 3, 5)]

_ADDRESS = """
const url = new URL(window.location.href), theme = url.searchParams.get("theme");
url.search = cb_obj.value + (theme ? "&theme=" + theme : "");
window.history.replaceState(null, "", url);
"""

# every chart as it is on the screen, two in a row, on one picture
_PICTURE = """
const plots = [plot0, plot1, plot2, plot3, plot4];
const views = plots.map(plot => Bokeh.index.find_one(plot)).filter(view => view);
const shots = views.map(view => view.export("auto", true).canvas);
const width = Math.max(...shots.map(c => c.width)), height = Math.max(...shots.map(c => c.height));
const whole = document.createElement("canvas");
whole.width = 2 * width; whole.height = 3 * height;
const pen = whole.getContext("2d");
pen.fillStyle = plot0.background_fill_color;
pen.fillRect(0, 0, whole.width, whole.height);
shots.forEach((c, i) => pen.drawImage(c, (i % 2) * width, Math.floor(i / 2) * height));
const link = document.createElement("a");
link.download = "explorer.png"; link.href = whole.toDataURL("image/png"); link.click();
"""
_GRID = f""":host {{
    display: grid; gap: 16px; grid-template-columns: repeat(auto-fit, minmax(min(100%, {_CHART}px), 1fr));
}}"""
_WIDTH = f"min(100%, {_CONTROLS + 40}px)"

# milliseconds; Panel waits 50 for further changes, and here answers that are no longer wanted are dropped
_DEBOUNCE = 5

_Piece = tuple[tuple[Place, ...], Callable[[], Callable[[], None]]]
"""Places, and a computation that returns what shows its outcome there."""


def _dress(widget: Any, stylesheet: str) -> None:
    widget.stylesheets = [stylesheet]
    widget._debounce = _DEBOUNCE


def _limit(slider: Any, start: float, end: float) -> None:
    """Let a slider move in a range; where this is one value, it does not move at all."""
    slider.disabled = start == end
    if start < end:
        slider.param.update(start=start, end=end)


class ShapeControl:
    """The widgets of one ranker: a family, and a slider for each of its parameters."""

    def __init__(self, name: str, color: str, stylesheet: str, changed: Callable[..., None]) -> None:
        self._changed, self.stylesheet = changed, stylesheet
        self.name = name
        self.family = pn.widgets.Select(label=f"Ranker {name}", width=_CONTROLS)
        self.sliders: list[Any] = []
        self.place = pn.Column(width=_CONTROLS)
        self.error = pn.pane.HTML("", width=_CONTROLS, styles=ERROR)
        self.column = pn.Column(
            self.family,
            self.place,
            self.error,
            styles={"border-left": f"4px solid {color}", "padding-left": "8px"},
        )
        self.family.param.watch(self._on_family, "value")
        self._points: tuple[tuple[float, float], ...] = ()
        self._setting = False

    def set(self, shape: Shape, share: float, families: Mapping[str, Any]) -> None:
        """Show a shape in the widgets, whose ranges are those of curves with the share."""
        self._setting = True
        options = {_LABELS.get(key, key.removeprefix("roc_")): key for key in families}
        if self.family.options != options:
            self.family.options = options
        self.family.value = shape.family
        self._points = shape.points
        parameters = families[shape.family]
        if [p.name for p in parameters] != [s.label for s in self.sliders]:
            self.sliders = [
                pn.widgets.FloatSlider(
                    label=p.name, start=p.start, end=p.stop, step=p.step, value=value, width=_CONTROLS
                )
                for p, value in zip(parameters, shape.values, strict=True)
            ]
            for slider in self.sliders:
                slider.param.watch(self._on_slider, "value")
                _dress(slider, self.stylesheet)
            self.place.objects = list(self.sliders)
        for slider, value, ends in zip(self.sliders, shape.values, shape.ranges(share), strict=True):
            _limit(slider, *ends)
            slider.value = value
        self._setting = False

    def shape(self) -> Shape:
        """Return the shape that the widgets show."""
        return Shape(self.family.value, tuple(s.value for s in self.sliders), self._points)

    def _on_family(self, event: Any) -> None:
        if not self._setting:
            self._changed(self, event.new)

    def _on_slider(self, event: Any) -> None:
        if not self._setting:
            self._changed(self, None)


class Page:
    """The explorer of one visitor.

    Parameters
    ----------
    state : State
    dark : bool
    served : bool
        Whether the page is that of the server, whose address shows the state; else it is in a notebook.
    """

    def __init__(self, state: State, *, dark: bool = False, served: bool = False) -> None:
        self.state, self.served = state, served
        self._generation = 0
        self._setting = False
        self._shown: Any = None
        self._document: Any = pn.state.curdoc if served else None
        self._points: list[values.Point] = []
        self._whole: tuple[State, values.Smooth] | None = None  # the last state with values at all nodes
        self._cutoffs: list[Choice] = []
        self._exponents: list[Choice] = []
        self._rows: list[PlanRow] = []
        colors = self.colors = Palette.of(dark)
        self.verdict = pn.pane.HTML(
            "", sizing_mode="stretch_width", styles={"font-size": "20px", "min-height": "1.5em"}
        )
        self.numbers = pn.pane.HTML("", sizing_mode="stretch_width", styles={"font-size": "14px"})
        self.details = pn.pane.HTML("", sizing_mode="stretch_width", styles={"font-size": "14px"})
        self.rankers = [
            ShapeControl(name, color, colors.stylesheet, self._on_shape)
            for name, color in zip(values.NAMES, colors.rankers, strict=True)
        ]
        self._make_widgets()
        self.curve_chart = CurveChart(colors, self._on_drag)
        self.length_chart = LengthChart(colors)
        self.wrong_chart = WrongChart(colors, RATE)
        self.cutoff_chart = SweepChart("Which cutoff", "cutoff k", colors, log=True)
        self.exponent_chart = SweepChart("Which discount r^-b", "exponent b", colors, log=False)
        self.address = pn.widgets.TextInput(value=state.query, visible=False)
        self.picture.jscallback(
            clicks=_PICTURE, args={f"plot{i}": plot for i, plot in enumerate(self._plots())}
        )
        self.said = [Place(pane) for pane in (self.verdict, self.numbers, self.details)]
        self.charts = [Place(pn.pane.Bokeh(plot, margin=0)) for plot in self._plots()]
        self._set_widgets()

    def _make_widgets(self) -> None:
        self.population = pn.widgets.RadioButtonGroup(
            label="Population", options={"a share is relevant": "share", "a number is relevant": "number"},
            width=_CONTROLS,
        )  # fmt: skip
        self.share = pn.widgets.FloatSlider(
            label=SHARE.name, start=SHARE.start, end=SHARE.stop, step=SHARE.step, width=_CONTROLS
        )
        self.relevant = pn.widgets.IntSlider(
            label="relevant items of every list", start=1, end=MOST_RELEVANT, width=_CONTROLS
        )
        self.discount = pn.widgets.Select(
            label="Discount", options={_DISCOUNTS.get(key, key): key for key in DISCOUNTS}, width=_CONTROLS
        )
        self.exponent = pn.widgets.FloatSlider(label="b", start=0.05, end=3.0, step=0.05, width=_CONTROLS)
        self.cutoff = pn.widgets.Select(label="Cutoff", options=_CUTOFFS, width=_CONTROLS)
        self.rank = pn.widgets.DiscreteSlider(label="k", options=_RANKS, value=10, width=_CONTROLS)
        self.part = pn.widgets.FloatSlider(
            label="c", start=0.01, end=0.99, step=0.01, value=0.2, width=_CONTROLS
        )
        self.growth = pn.widgets.FloatSlider(
            label="a", start=0.05, end=0.95, step=0.05, value=0.5, width=_CONTROLS
        )
        self.measure_error = pn.pane.HTML("", width=_CONTROLS, styles=ERROR)
        self.length = pn.widgets.DiscreteSlider(
            label="list length n", options={_short(n): n for n in _LENGTHS}, value=1000, width=_CONTROLS
        )
        self.queries = pn.widgets.IntInput(
            label="queries at hand", start=2, end=10**6, step=10, width=_CONTROLS
        )
        self.draw = pn.widgets.Button(label=f"Draw {LISTS} lists", width=_CONTROLS)
        self.draw.on_click(self._on_draw)
        self.draw_error = pn.pane.HTML("", width=_CONTROLS, styles=ERROR)
        self.downloads = [
            pn.widgets.FileDownload(callback=partial(_file, make), filename=name, label=label, width=size)
            for label, name, size, make in (
                ("as study.toml", "study.toml", 126, lambda: study_text(self.state.study()) + "\n"),
                ("as Python", "explorer.py", 126, self.state.python),
                ("CSV", "explorer.csv", 126, self._csv),
            )
        ]
        self.picture = pn.widgets.Button(label="PNG", width=126)
        self.downloads.append(self.picture)
        self.stops = pn.widgets.Select(
            label="A guided tour",
            options={"your own choice": 0} | {f"{i}. {s.title}": i for i, s in enumerate(STOPS, 1)},
            width=_CONTROLS + 30,
        )  # fmt: skip
        self.back, self.forward = (
            pn.widgets.Button(label=label, description=said, width=44)
            for label, said in (("‹", "the stop before"), ("›", "the next stop"))
        )
        self.stop_text = pn.pane.HTML("", styles={"max-width": "48rem"}, visible=False)
        self.stops.param.watch(self._on_stop, "value")
        self.back.on_click(lambda event: self._step(-1))
        self.forward.on_click(lambda event: self._step(1))
        for widget in (self.share, self.relevant, self.exponent, self.rank, self.part, self.growth,
                       self.length, self.queries, self.discount, self.cutoff):  # fmt: skip
            widget.param.watch(self._on_widget, "value")
        self.population.param.watch(self._on_population, "value")

    def view(self) -> Any:
        """Return the page as a Panel object."""
        controls = pn.Column(
            self.population, self.share, self.relevant,
            *(ranker.column for ranker in self.rankers),
            pn.Column(self.discount, self.exponent, self.cutoff, self.rank, self.part, self.growth,
                      self.measure_error),
            self.length, self.queries, self.draw, self.draw_error,
            pn.FlexBox(*self.downloads, gap="4px", styles={"max-width": f"{_CONTROLS + 20}px"}), self.address,
            styles={"flex": f"0 1 {_CONTROLS + 30}px"},
        )  # fmt: skip
        shown = pn.Column(
            *(place.column for place in self.charts), self.said[-1].column,
            sizing_mode="stretch_width", stylesheets=[_GRID],
        )  # fmt: skip
        tour = pn.FlexBox(self.stops, self.back, self.forward, gap="4px", align_items="flex-end")
        for widget in controls.select(pn.widgets.Widget) + tour.select(pn.widgets.Widget):
            _dress(widget, self.colors.stylesheet)
        page = pn.Column(
            tour, self.stop_text, *(place.column for place in self.said[:-1]),
            pn.FlexBox(
                controls, pn.Column(shown, styles={"flex": "1 1 0", "min-width": _WIDTH}),
                flex_direction="row", flex_wrap="wrap", align_items="flex-start", gap="16px",
                sizing_mode="stretch_width",
            ),
            sizing_mode="stretch_width", styles={"max-width": "1500px", "margin": "0 auto"},
        )  # fmt: skip
        if self.served:
            self.address.jscallback(value=_ADDRESS)
        return page

    def shown(self) -> Any:
        """Return the page for a notebook, to which later changes are pushed."""
        self._shown = self.view()
        return self._shown

    def _plots(self) -> list[Any]:
        charts = (
            self.curve_chart,
            self.length_chart,
            self.wrong_chart,
            self.cutoff_chart,
            self.exponent_chart,
        )
        return [chart.plot for chart in charts]

    # ------------------------------------------------------------------ from widgets to the state

    def _set_widgets(self) -> None:
        """Show the state in the widgets."""
        state, self._setting = self.state, True
        few = state.relevant is not None
        self.population.value = "number" if few else "share"
        self.share.visible, self.relevant.visible = not few, few
        _limit(self.share, *state.share_range)
        self.share.value = state.share
        if state.relevant is not None:
            _limit(self.relevant, 1, min(MOST_RELEVANT, state.n))
            self.relevant.value = state.relevant
        for ranker, shape in zip(self.rankers, (state.a, state.b), strict=True):
            ranker.set(shape, state.share, ROCS if few else CURVES)
        measure = state.measured
        self.discount.value = keyword = type(measure.discount).keyword
        self._show_parameters(keyword, measure.cutoff.regime)
        for parameter in DISCOUNTS[keyword]:
            self.exponent.value = getattr(measure.discount, parameter.name)
        self.cutoff.value = regime = measure.cutoff.regime
        if regime == "fixed":
            k = measure.cutoff(LARGEST)
            self.rank.options = sorted({*_RANKS, k})
            self.rank.value = k
        elif regime == "fraction":
            self.part.value = measure.cutoff.share
        elif isinstance(measure.cutoff, ListPower):
            self.growth.value = measure.cutoff.a
        shortest = max(SMALLEST, state.relevant or 0)
        self.length.options = {_short(n): n for n in sorted({*_LENGTHS, state.n}) if n >= shortest}
        self.length.value = state.n
        self.queries.value = state.queries
        self._setting = False

    def _show_parameters(self, keyword: str, regime: str) -> None:
        parameters = DISCOUNTS[keyword]
        self.exponent.visible = bool(parameters)
        for p in parameters:
            self.exponent.label, self.exponent.step = p.name, p.step
            self.exponent.start, self.exponent.end = p.start, p.stop
        self.rank.visible = regime == "fixed"
        self.part.visible = regime == "fraction"
        self.growth.visible = regime == "sublinear"

    def _measure(self) -> Measure:
        keyword, regime = self.discount.value, self.cutoff.value
        given = (self.exponent.value,) if DISCOUNTS[keyword] else ()
        cutoff = {"none": "", "fixed": str(self.rank.value), "fraction": f"{self.part.value:g}n",
                  "sublinear": f"n^{self.growth.value:g}"}[regime]  # fmt: skip
        return Measure(discount_of(keyword, given), cutoff)

    def _on_widget(self, event: Any) -> None:
        if self._setting:
            return
        if event.new is None:  # a field that was emptied
            self._set_widgets()
            return
        if event.obj is self.discount:
            for p in DISCOUNTS[event.new]:
                self._setting = True
                self._show_parameters(event.new, self.cutoff.value)
                self.exponent.value = p.usual
                self._setting = False
        self._show_parameters(self.discount.value, self.cutoff.value)
        self._try(
            self.measure_error,
            lambda: replace(
                self.state, share=self.share.value, n=self.length.value, queries=self.queries.value,
                measure=str(self._measure()), relevant=self.relevant.value if self.state.relevant else None,
            ),
        )  # fmt: skip

    def _on_shape(self, control: ShapeControl, family: str | None) -> None:
        index = self.rankers.index(control)
        shape = control.shape()
        if family == "piecewise":
            shape = values.points_of((self.state.a, self.state.b)[index], self.state.share)
        elif family is not None:
            shape = Shape.usual(family).nearest(self.state.share)
        self._try(control.error, lambda: self.state.with_shape(index, shape))

    def _on_population(self, event: Any) -> None:
        if not self._setting:
            number = self.relevant.value if event.new == "number" else None
            self.go(self.state.with_number(number))

    def _on_drag(self, index: int, points: list[tuple[float, float]]) -> None:
        self._try(
            self.rankers[index].error,
            lambda: self.state.with_shape(index, values.dragged(points, self.state.share)),
        )

    def _on_stop(self, event: Any) -> None:
        self.stop_text.visible = event.new > 0
        if event.new and not self._setting:
            stop = STOPS[event.new - 1]
            self.stop_text.object = f"<p>{html.escape(stop.text)}</p>"
            self.go(stop.state)

    def _step(self, by: int) -> None:
        last = len(STOPS)
        self.stops.value = min(max(self.stops.value + by, 1), last)

    async def _on_draw(self, event: Any) -> None:
        state, generation = self.state, self._generation
        self.draw.disabled, self.draw.label = True, "Drawing …"
        self.draw_error.object = ""
        try:
            found = await _elsewhere(lambda: draw(state, ahead(*state.scorers, state.measured)))
        except Exception as wrong:
            self.draw_error.object = html.escape(line(wrong))
            return
        finally:
            self.draw.disabled, self.draw.label = False, f"Draw {LISTS} lists"

        def show() -> None:
            self.length_chart.show_drawn(found)
            self.wrong_chart.show_drawn(found)

        self._soon(generation, show)

    def _csv(self) -> str:
        rows = values.table(self.state, self._points, [*self._cutoffs, *self._exponents])
        text = io.StringIO()
        csv.writer(text, lineterminator="\n").writerows(rows)
        return text.getvalue()

    def _try(self, error: Any, make: Callable[[], State]) -> None:
        """Go to a new state, or go back with all widgets and say beside one what is wrong."""
        try:
            state = make()
            assert state.scorers
        except InputError as wrong:
            said = f"<span role='alert'>{html.escape(str(wrong))}</span>"
            places = {"Ranker A": self.rankers[0].error, "Ranker B": self.rankers[1].error}
            place = next((p for name, p in places.items() if str(wrong).startswith(name)), error)
            self._set_widgets()
            self.curve_chart.show_points((self.state.a, self.state.b))
            place.object = said
            return
        self.go(state)

    def go(self, state: State) -> None:
        """Go to a state, and show it in the widgets."""
        self.state = state
        for place in (*(r.error for r in self.rankers), self.measure_error):
            place.object = ""
        self._set_widgets()
        self._answer()

    # ------------------------------------------------------------------ from the state to what is seen

    def start(self) -> None:
        """Show the state for the first time."""
        self._answer()

    def answer_now(self) -> None:
        """Compute and show everything at once."""
        self._generation += 1
        for places, piece in self._pieces(self.state):
            attempt(places, piece)()

    def _answer(self) -> None:
        """Begin to compute what belongs to the state; what is left of an earlier one is dropped."""
        self._generation += 1
        self.address.value = self.state.query
        for chart in (self.length_chart, self.wrong_chart):
            chart.show_drawn(None)
        for place in (*self.said, *self.charts):
            place.dim()
        self._points, self._rows, self._cutoffs, self._exponents = [], [], [], []
        computed = partial(self._compute, self._generation, self.state)
        if self._document is not None:  # without its lock, so that sliders move in the meantime
            self._document.add_next_tick_callback(without_document_lock(computed))
            return
        try:
            self._task = asyncio.get_running_loop().create_task(computed())
        except RuntimeError:  # a plain script
            self.answer_now()

    async def _compute(self, generation: int, state: State) -> None:
        for places, piece in self._pieces(state):
            show = await _elsewhere(partial(attempt, places, piece))
            if generation != self._generation or self._left:
                return
            self._soon(generation, show)

    def _soon(self, generation: int, show: Callable[[], None]) -> None:
        """Show something, where there is a document when it can be changed."""
        shown = partial(self._show_if_current, generation, show)
        if self._document is not None:
            self._document.add_next_tick_callback(shown)
        else:
            shown()

    def _show_if_current(self, generation: int, show: Callable[[], None]) -> None:
        if generation == self._generation and not self._left:
            show()
            self._push()

    @property
    def _left(self) -> bool:
        """Whether the visitor has closed the page."""
        context = None if self._document is None else self._document.session_context
        session = None if context is None else context.session
        return session is not None and session.connection_count == 0

    def _push(self) -> None:
        """Send what changed to the notebook, if the page is in one."""
        if self._document is None and self._shown is not None:
            pn.io.push_notebook(self._shown)

    def _pieces(self, state: State) -> Iterator[_Piece]:
        """Yield the computations of a state, the most important first."""
        known = self._whole
        moved = known[1] if known is not None and values.similar(state, known[0]) else None
        verdict, numbers, details = ((place,) for place in self.said)
        curves, *lengths, cutoffs, exponents = self.charts
        yield (curves,), lambda: self._show_curves(state)
        if moved is not None:
            yield tuple(lengths), lambda: self._show_lengths(state, values.FIRST, moved)
        else:
            yield tuple(lengths), lambda: self._show_lengths(state)
        yield numbers, lambda: self._show_numbers(state, values.LITTLE)
        yield verdict, lambda: self._show_rows(state, values.LITTLE)
        if moved is not None:
            yield tuple(lengths), lambda: self._show_lengths(state)
        yield (cutoffs,), lambda: self._show_cutoffs(state)
        yield numbers, lambda: self._show_numbers(state)
        yield verdict, lambda: self._show_rows(state)
        yield (exponents,), lambda: self._show_exponents(state)
        yield details, lambda: self._show_details(state)

    def _show_curves(self, state: State) -> Callable[[], None]:
        curves = values.curves(state)
        return lambda: self.curve_chart.show(curves, (state.a, state.b), few=state.relevant is not None)

    def _show_lengths(
        self, state: State, lengths: Sequence[int] = values.NODES, moved: values.Smooth | None = None
    ) -> Callable[[], None]:
        """Compute what depends on n at some lengths, with the curves of an earlier state that are moved."""
        points = [values.point(state, n) for n in values.nodes(state, lengths)]
        smooth = values.Smooth.through(points, values.OrderLaw.of(state), moved)
        limits = [None if found.scaled else found.value for found in values.limits(state)]

        def show() -> None:
            self._points = points
            if moved is None:
                self._whole = state, smooth
            self.length_chart.show(smooth, points, limits, state.n)
            self.wrong_chart.show(smooth, points, state.n)

        return show

    def _show_numbers(self, state: State, effort: float = 1.0) -> Callable[[], None]:
        text = values.numbers(state, effort)

        def show() -> None:
            self.numbers.object = "".join(f"<div>{html.escape(line)}</div>" for line in text)

        return show

    def _show_rows(self, state: State, effort: float = 1.0) -> Callable[[], None]:
        rows = values.rows(state, effort)

        def show() -> None:
            self._rows = rows
            self.verdict.object = html.escape(values.verdict(state, rows))

        return show

    def _show_cutoffs(self, state: State) -> Callable[[], None]:
        known = values.by_cutoff(state)

        def show() -> None:
            self._cutoffs = known
            self.cutoff_chart.show(known, strongest(known))

        return show

    def _show_exponents(self, state: State) -> Callable[[], None]:
        known = values.by_exponent(state)

        def show() -> None:
            self._exponents = known
            self.exponent_chart.show(known, strongest(known))

        return show

    def _show_details(self, state: State) -> Callable[[], None]:
        def show() -> None:
            require_available(bool(self._rows), "no answers without the required lengths")
            answers = values.plan(state, self._rows, self._exponents, self._cutoffs).answers()
            self.details.object = "<ul>" + "".join(f"<li>{html.escape(a)}</li>" for a in answers) + "</ul>"

        return show


async def _elsewhere(piece: Callable[[], _T]) -> _T:
    """Return the outcome of a computation in a thread, where there are threads."""
    return piece() if sys.platform == "emscripten" else await asyncio.to_thread(piece)


def _file(make: Callable[[], str]) -> io.BytesIO:
    return io.BytesIO(make().encode())


def _short(n: int) -> str:
    return f"{n:,}" if n < 10**6 else f"{n:.4g}".replace("e+0", "e").replace("e+", "e")
