"""The page of the explorer: widgets that make a state, and charts and sentences that show its values.

Values are computed in a thread, a piece at a time. When the state changes, what is left of the old pieces is
dropped, and what is shown is dimmed until its own piece is computed. Widgets always show the state: one that
is set to something impossible goes back, and sliders end where nothing more is possible.
"""

from __future__ import annotations

import asyncio
import html
import io
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING

import panel as pn
from bokeh.document import without_document_lock

from ndcg_asymptotics.core.errors import InputError
from ndcg_asymptotics.explorer import values
from ndcg_asymptotics.explorer.answers import Answers
from ndcg_asymptotics.explorer.controls import (
    UNSEEN,
    WIDTH,
    MeasureControl,
    ShapeControl,
    Watcher,
    dress,
    error_pane,
    float_slider,
    limit_range,
    with_box,
)
from ndcg_asymptotics.explorer.documentation import address_of
from ndcg_asymptotics.explorer.drawing import LISTS, draw_lists
from ndcg_asymptotics.explorer.figures import LOWEST, Palette
from ndcg_asymptotics.explorer.guide import Guide
from ndcg_asymptotics.explorer.places import elsewhere, line
from ndcg_asymptotics.explorer.state import (
    LARGEST,
    MOST_RELEVANT,
    NAMES,
    SHARE,
    SMALLEST,
    Shape,
    State,
    families,
)
from ndcg_asymptotics.studies.toml import study_text

if TYPE_CHECKING:
    from bokeh.document import Document
    from param.parameterized import Event

_ABOVE = 140  # pixels of the page above the charts, which share the rest of the window
_LIST = 200  # pixels of the list and its sums
_BUTTON = 126  # pixels of a download
_LENGTHS = [m * 10**e for e in range(1, 18) for m in (1, 2, 5)] + [LARGEST]
_DRAW = f"Draw {LISTS} lists"
_REST = 0.5  # seconds without a change, after which an answer is completed

_ADDRESS = """
const url = new URL(window.location.href), theme = url.searchParams.get("theme");
url.search = cb_obj.value + (theme ? "&theme=" + theme : "");
window.history.replaceState(null, "", url);
"""

# every chart as it is on the screen, two in a row, on one picture
_PICTURE = """
const plots = [plot0, plot1, plot2, plot3, plot4, plot5, plot6];
const views = plots.map(plot => Bokeh.index.find_one(plot)).filter(view => view);
const shots = views.map(view => view.export("auto", true).canvas);
const width = Math.max(...shots.map(c => c.width)), height = Math.max(...shots.map(c => c.height));
const whole = document.createElement("canvas");
whole.width = 2 * width; whole.height = 3 * height + 24;
const pen = whole.getContext("2d");
pen.fillStyle = plot0.background_fill_color;
pen.fillRect(0, 0, whole.width, whole.height);
shots.forEach((c, i) => pen.drawImage(c, (i % 2) * width, Math.floor(i / 2) * height));
pen.fillStyle = plot0.title.text_color; pen.font = "13px sans-serif";
pen.fillText(decodeURIComponent(address.value), 8, whole.height - 8, whole.width - 16);
const link = document.createElement("a");
link.download = "explorer.png"; link.href = whole.toDataURL("image/png"); link.click();
"""
_GRID = f"""
:host {{
    display: grid; gap: 0 8px; grid-template-columns: minmax(0, 1fr);
    grid-template-rows: auto; grid-auto-rows: 280px; height: auto !important; flex: none !important;
}}
.scroll-button {{ display: none !important; }}
@media (min-width: 900px) {{ :host {{
    grid-template-columns: repeat(2, minmax(0, 1fr));
    grid-auto-rows: max({LOWEST}px, calc((100vh - {_ABOVE + _LIST}px) / 3));
}} }}
@media (min-width: 1200px) {{ :host {{
    grid-template-columns: repeat(3, minmax(0, 1fr));
    grid-auto-rows: max({LOWEST}px, calc((100vh - {_ABOVE + _LIST}px) / 2));
}} }}
"""
_WIDE = ":host { grid-column: 1 / -1; height: auto !important; }"
_TITLE = "h1 { font-size: 20px; margin: 0; }"
_KEPT = ":host {{ position: sticky; top: 0; z-index: 5; background: {page}; }}"  # while one scrolls
_CONTROLS = f"""
:host {{ flex: 0 1 {WIDTH + 40}px; }}
@media (min-width: 900px) {{ :host {{
    flex: 0 0 {WIDTH + 40}px; max-height: calc(100vh - {_ABOVE}px); overflow-x: hidden; overflow-y: auto;
}} }}
"""


class Page:
    """The explorer of one visitor.

    Parameters
    ----------
    state : State
    dark : bool
    step : int
        The step of the tour, 0 for none.
    served : bool
        Whether the page is that of the server, whose address shows the state; else it is in a notebook.
    """

    def __init__(self, state: State, *, dark: bool = False, step: int = 0, served: bool = False) -> None:
        self.state, self.served = state, served
        self._generation = 0  # of answers: those of an earlier one are dropped
        self._shown: pn.viewable.Viewable | None = None
        self._document: Document | None = pn.state.curdoc if served else None
        self._watcher = Watcher()
        self.colors = Palette.of(dark)
        self.answers = Answers(self.colors, self._on_drag, self._on_length)
        self._make_controls()
        self.address = pn.widgets.TextInput(value=state.query, visible=False)
        self._make_downloads()
        self.guide = Guide(self.go, address_of if served else lambda page: None)
        self.reset = pn.widgets.Button(label="Reset", width=64)
        self.reset.on_click(self._on_reset)
        if step:
            self.guide.begin(step)
        self._set_widgets()

    def _make_controls(self) -> None:
        style = self.colors.stylesheet
        self.population = pn.widgets.RadioButtonGroup(
            label="Population",
            options={"a share is relevant": "share", "a number is relevant": "number"},
            width=WIDTH,
        )
        self.share = float_slider(SHARE)
        self.relevant = pn.widgets.IntSlider(
            label="relevant items of every list", start=1, end=MOST_RELEVANT, width=WIDTH
        )
        self.rankers = [
            ShapeControl(name, color, self._watcher, style, self._on_shape, self._on_heights)
            for name, color in zip(NAMES, self.colors.rankers, strict=True)
        ]
        self.measure = MeasureControl(self._watcher, style, self._on_widget)
        self.length = pn.widgets.DiscreteSlider(
            label="list length n", options={_short(n): n for n in _LENGTHS}, value=1000, width=WIDTH
        )
        self.queries = pn.widgets.IntInput(label="queries at hand", start=2, end=10**6, step=10, width=WIDTH)
        self.draw_one = pn.widgets.Button(label="Draw a list", width=100)
        self.draw_one.on_click(partial(self._on_draw, many=False))
        self.draw = pn.widgets.Button(label=_DRAW, width=120)
        self.draw.on_click(partial(self._on_draw, many=True))
        self.draw_error = error_pane()
        for widget in (self.share, self.relevant, self.length, self.queries):
            self._watcher.watch(widget, self._on_widget)
        self._watcher.watch(self.population, self._on_population)

    def _make_downloads(self) -> None:
        files: dict[str, tuple[str, Callable[[], str]]] = {
            "study.toml": ("as study.toml", lambda: study_text(self.state.study()) + "\n"),
            "explorer.py": ("as Python", lambda: State.python(self.state)),
            "explorer.csv": ("CSV", lambda: self.answers.csv(self.state)),
        }
        self.downloads = [
            pn.widgets.FileDownload(callback=partial(_file, make), filename=name, label=label, width=_BUTTON)
            for name, (label, make) in files.items()
        ]
        picture = pn.widgets.Button(label="PNG", width=_BUTTON)
        plots = {f"plot{i}": plot for i, plot in enumerate(self.answers.plots)}
        picture.jscallback(clicks=_PICTURE, args=plots | {"address": self.address})
        self.downloads.append(picture)

    def view(self, *served: pn.viewable.Viewable) -> pn.viewable.Viewable:
        """Return the page as a Panel object, with what only a served page has at the end of its head."""
        controls = pn.Column(
            self.population,
            with_box(self.share),
            with_box(self.relevant),
            *(ranker.column for ranker in self.rankers),
            self.measure.column,
            self.length,
            self.queries,
            pn.FlexBox(*self.downloads, gap="4px", styles={"max-width": f"{WIDTH + 20}px"}),
            self.address,
            stylesheets=[_CONTROLS],
        )
        verdict, numbers, details = self.answers.said
        verdict.column.stylesheets = [_KEPT.format(page=self.colors.page)]
        curves, *others = (place.column for place in self.answers.charts)
        strip, histogram = (place.column for place in self.answers.draws.places)
        drawn = pn.FlexBox(
            self.draw_one,
            self.draw,
            self.answers.draws.said.column,
            self.draw_error,
            gap="4px",
            align_items="center",
        )
        shown = pn.Column(
            pn.Column(strip, drawn, sizing_mode="stretch_width", stylesheets=[_WIDE]),
            curves,
            histogram,
            *others,
            sizing_mode="stretch_both",
            stylesheets=[_GRID],
        )
        tour = pn.FlexBox(
            pn.pane.HTML("<h1>NDCG explorer</h1>", margin=(0, 10), stylesheets=[_TITLE]),
            self.guide.menu,
            self.guide.back,
            self.guide.forward,
            self.reset,
            *served,
            gap="4px",
            align_items="center",
            sizing_mode="stretch_width",
        )
        for part in (controls, tour, self.guide.shown, drawn):
            for widget in part.select(pn.widgets.Widget):
                dress(widget, self.colors.stylesheet)
        self.guide.menu.stylesheets = [*self.guide.menu.stylesheets, UNSEEN]
        below = pn.FlexBox(
            controls,
            pn.Column(
                shown, details.column, styles={"flex": "1 1 0", "min-width": f"min(100%, {WIDTH + 40}px)"}
            ),
            flex_direction="row",
            flex_wrap="wrap",
            align_items="flex-start",
            gap="8px",
            sizing_mode="stretch_width",
        )
        if self.served:
            self.address.jscallback(value=_ADDRESS)
        return pn.Column(
            tour,
            self.guide.shown,
            verdict.column,
            numbers.column,
            below,
            sizing_mode="stretch_width",
            styles={"width": "100%", "max-width": "1800px", "margin": "0 auto"},
        )

    def shown(self) -> pn.viewable.Viewable:
        """Return the page for a notebook, to which later changes are pushed."""
        self._shown = self.view()
        return self._shown

    # ------------------------------------------------------------------ from widgets to the state

    def _set_widgets(self) -> None:
        """Show the state in the widgets."""
        state, few = self.state, self.state.relevant is not None
        with self._watcher.silence():
            self.population.value = "number" if few else "share"
            self.share.visible, self.relevant.visible = not few, few
            limit_range(self.share, *state.share_range)
            self.share.value = state.share
            if state.relevant is not None:
                limit_range(self.relevant, 1, min(MOST_RELEVANT, state.n))
                self.relevant.value = state.relevant
            for ranker, shape in zip(self.rankers, (state.a, state.b), strict=True):
                ranker.set(shape, state.share, families(state.relevant))
            self.measure.set(state.measured)
            shortest = max(SMALLEST, state.relevant or 0)
            self.length.options = {_short(n): n for n in sorted({*_LENGTHS, state.n}) if n >= shortest}
            self.length.value = state.n
            self.queries.value = state.queries

    def _chosen(self) -> State:
        """Return the state that the widgets show."""
        return replace(
            self.state,
            share=self.share.value,
            n=self.length.value,
            queries=self.queries.value,
            measure=str(self.measure.measure()),
            relevant=self.relevant.value if self.state.relevant else None,
        )

    @property
    def _query(self) -> str:
        """What the address has: the state, and the step of the tour."""
        return self.state.query + (f"&step={self.guide.step}" if self.guide.step else "")

    def _on_widget(self, event: Event) -> None:
        if event.new is None:  # a field that was emptied
            self._set_widgets()
        else:
            self._try(self.measure.error, self._chosen)

    def _on_shape(self, control: ShapeControl, family: str | None) -> None:
        index = self.rankers.index(control)
        shape = control.shape()
        if family == "piecewise":
            shape = values.points_of((self.state.a, self.state.b)[index], self.state.share)
        elif family is not None:
            shape = Shape.usual(family).nearest(self.state.share)
        self._try(control.error, lambda: self.state.with_shape(index, shape))

    def _on_population(self, event: Event) -> None:
        self.go(self.state.with_number(self.relevant.value if event.new == "number" else None))

    def _on_drag(self, index: int, points: list[tuple[float, float]], held: int) -> None:
        self._try(
            self.rankers[index].error,
            lambda: self.state.with_shape(index, values.dragged(points, self.state.share, held)),
        )
        self.answers.curves.show_points((self.state.a, self.state.b))

    def _on_heights(self, control: ShapeControl, points: list[tuple[float, float]], held: int) -> None:
        self._on_drag(self.rankers.index(control), points, held)

    def _on_length(self, n: int) -> None:
        self._try(self.measure.error, lambda: replace(self.state, n=max(n, self.state.relevant or 0)))

    def _on_reset(self, event: Event) -> None:
        self.guide.menu.value = 0
        self.go(State())

    def _try(self, error: pn.pane.HTML, make: Callable[[], State]) -> None:
        """Go to a new state, or go back with all widgets and say beside one what is wrong."""
        try:
            state = make()
            assert state.scorers
        except InputError as wrong:
            places = {"Ranker A": self.rankers[0].error, "Ranker B": self.rankers[1].error}
            place = next((p for name, p in places.items() if str(wrong).startswith(name)), error)
            self._set_widgets()
            place.object = f"<span role='alert'>{html.escape(str(wrong))}</span>"
            return
        self.go(state)

    def go(self, state: State) -> None:
        """Go to a state, and show it in the widgets."""
        self.state = state
        self.guide.forget()
        for place in (*(ranker.error for ranker in self.rankers), self.measure.error):
            place.object = ""
        self._set_widgets()
        self.answer()

    # ------------------------------------------------------------------ from the state to what is seen

    def answer_now(self) -> None:
        """Compute and show everything at once."""
        self._generation += 1
        for piece in chain(self.answers.pieces(self.state), self.answers.finer_pieces(self.state)):
            piece.attempt()()

    def answer(self) -> None:
        """Begin to compute what belongs to the state; what is left of an earlier one is dropped."""
        self._generation += 1
        self.address.value = self._query
        self.answers.dim()
        computed = partial(self._compute, self._generation, self.state)
        if self._document is not None:  # without its lock, so that sliders move in the meantime
            self._document.add_next_tick_callback(without_document_lock(computed))
            return
        try:
            self._task = asyncio.get_running_loop().create_task(computed())
        except RuntimeError:  # a plain script
            self.answer_now()

    async def _compute(self, generation: int, state: State) -> None:
        for pieces, pause in ((self.answers.pieces, 0.0), (self.answers.finer_pieces, _REST)):
            await asyncio.sleep(pause)
            for piece in pieces(state):
                if generation != self._generation or self._left:
                    return
                self._soon(generation, await elsewhere(piece.attempt))

    async def _on_draw(self, event: Event, many: bool) -> None:
        state, generation = self.state, self._generation
        self.draw.disabled = self.draw_one.disabled = True
        self.draw_error.object = ""

        def show(shown: Callable[[], None]) -> bool:
            self._soon(generation, shown)
            return generation == self._generation and not self._left

        try:
            await self.answers.draws.draw(state, many, show)
            if many:
                found = await elsewhere(lambda: draw_lists(state))
                self._soon(generation, lambda: self.answers.show_drawn(found))
        except Exception as wrong:
            self.draw_error.object = html.escape(line(wrong))
        finally:
            self.draw.disabled = self.draw_one.disabled = False

    def _soon(self, generation: int, show: Callable[[], None]) -> None:
        """Show something if it is current, where there is a document when it can be changed."""
        if generation != self._generation or self._left:
            return
        shown = partial(self._show_if_current, generation, show)
        if self._document is not None:
            self._document.add_next_tick_callback(shown)
        else:
            shown()

    def _show_if_current(self, generation: int, show: Callable[[], None]) -> None:
        if generation == self._generation and not self._left:
            show()
            if self._document is None and self._shown is not None:  # in a notebook
                pn.io.push_notebook(self._shown)

    @property
    def _left(self) -> bool:
        """Whether the visitor has closed the page."""
        if self._document is None:
            return False
        context = self._document.session_context
        if context is None:  # the session has ended
            return True
        return context.session is not None and context.session.connection_count == 0


def _file(make: Callable[[], str]) -> io.BytesIO:
    return io.BytesIO(make().encode())


def _short(n: int) -> str:
    return f"{n:,}" if n < 10**6 else f"{n:.4g}".replace("e+0", "e").replace("e+", "e")
