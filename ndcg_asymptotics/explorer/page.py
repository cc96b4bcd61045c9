"""The page of the explorer: widgets that make a state, and charts and sentences that show its values.

Values are computed in another process, a piece at a time. When the state changes, what is left of the old
pieces is dropped, and what is shown is dimmed until its own piece is computed. Widgets always show the state:
one that is set to something impossible goes back, and sliders end where nothing more is possible.
"""

from __future__ import annotations

import asyncio
import html
import io
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import panel as pn
from bokeh.document import without_document_lock

from ndcg_asymptotics.core.errors import InputError
from ndcg_asymptotics.explorer.answers import Answers, Piece
from ndcg_asymptotics.explorer.charts import RANKERS
from ndcg_asymptotics.explorer.controls import (
    WIDTH,
    ShapeControl,
    SpecControl,
    dress,
    error_pane,
    slider_widget,
)
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
from ndcg_asymptotics.explorer.workers import Submit
from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.measures.cutoffs import Cutoff
from ndcg_asymptotics.measures.discounts import Discount
from ndcg_asymptotics.studies.toml import study_text

if TYPE_CHECKING:
    from bokeh.document import Document
    from param.parameterized import Event

_ABOVE = 170  # pixels of the page above the charts, which share the rest of the window
_LIST = 200  # pixels of the list and its sums
_LOWEST = 200  # pixels that a chart is high at least
_BUTTON = 126  # pixels of a download
_LENGTHS = [m * 10**e for e in range(1, 18) for m in (1, 2, 5)] + [LARGEST]

_ADDRESS = """
const url = new URL(window.location.href);
url.search = cb_obj.value;
window.history.replaceState(null, "", url);
"""
_GRID = f"""
:host {{
    display: grid; gap: 0 8px; grid-template-columns: minmax(0, 1fr);
    grid-auto-rows: 280px; height: auto !important; flex: none !important;
}}
.scroll-button {{ display: none !important; }}
@media (min-width: 900px) {{ :host {{
    grid-template-columns: repeat(2, minmax(0, 1fr));
    grid-auto-rows: max({_LOWEST}px, calc((100vh - {_ABOVE + _LIST}px) / 3));
}} }}
@media (min-width: 1200px) {{ :host {{
    grid-template-columns: repeat(3, minmax(0, 1fr));
    grid-auto-rows: max({_LOWEST}px, calc((100vh - {_ABOVE + _LIST}px) / 2));
}} }}
"""
_TITLE = "h1 { font-size: 20px; margin: 0; }"
_KEPT = ":host { position: sticky; top: 0; z-index: 5; background: #ffffff; }"  # while one scrolls
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
    submit : callable
        What submits computations (`workers.worker`).
    document : Document
        Where the page is shown.
    """

    def __init__(self, state: State, submit: Submit, document: Document) -> None:
        self.state, self._submit, self._document = state, submit, document
        self._generation = 0  # of answers: those of an earlier one are dropped
        self._setting = False  # whether the page itself sets widgets
        self.answers = Answers()
        self._make_controls()
        self.address = pn.widgets.TextInput(value=state.query, visible=False)
        files: dict[str, Callable[[], str]] = {
            "study.toml": lambda: study_text(self.state.study()) + "\n",
            "explorer.csv": lambda: self.answers.csv(self.state),
        }
        self.downloads = [
            pn.widgets.FileDownload(callback=partial(_file, make), filename=name, label=name, width=_BUTTON)
            for name, make in files.items()
        ]
        self.reset = pn.widgets.Button(label="Reset", width=64)
        self.reset.on_click(lambda _: self.go(State()))
        self._set_widgets()

    def _make_controls(self) -> None:
        self.population = pn.widgets.RadioButtonGroup(
            label="Population",
            options={"a share is relevant": "share", "a number is relevant": "number"},
            width=WIDTH,
        )
        self.share = slider_widget(SHARE)
        self.relevant = pn.widgets.IntSlider(
            label="relevant items of every list", start=1, end=MOST_RELEVANT, width=WIDTH
        )
        self.rankers = [
            ShapeControl(name, color, self._on_shape) for name, color in zip(NAMES, RANKERS, strict=True)
        ]
        self.discount, self.cutoff = (SpecControl(family, self._on_widget) for family in (Discount, Cutoff))
        self.measure_error = error_pane()
        self.length = pn.widgets.DiscreteSlider(
            label="list length n", options={_short(n): n for n in _LENGTHS}, value=1000, width=WIDTH
        )
        for widget in (self.share, self.relevant, self.length):
            widget.param.watch(self._on_widget, "value")
        self.population.param.watch(self._on_population, "value")

    def view(self) -> pn.viewable.Viewable:
        """Return the page as a Panel object."""
        controls = pn.Column(
            self.population,
            self.share,
            self.relevant,
            *(ranker.column for ranker in self.rankers),
            *(part for spec in (self.discount, self.cutoff) for part in (spec.menu, spec.parameters.place)),
            self.measure_error,
            self.length,
            pn.FlexBox(*self.downloads, gap="4px", styles={"max-width": f"{WIDTH + 20}px"}),
            self.address,
            stylesheets=[_CONTROLS],
        )
        sentence, *lines = (place.column for place in self.answers.sentences)
        sentence.stylesheets = [_KEPT]
        charts = (place.column for place in self.answers.charts)
        figures = pn.Column(
            pn.Column(*charts, sizing_mode="stretch_both", stylesheets=[_GRID]),
            self.answers.strip.column,
            styles={"flex": "1 1 0", "min-width": f"min(100%, {WIDTH + 40}px)"},
        )
        title = pn.pane.HTML("<h1>NDCG explorer</h1>", margin=(0, 10), stylesheets=[_TITLE])
        head = pn.FlexBox(title, self.reset, gap="4px", align_items="center", sizing_mode="stretch_width")
        for part in (controls, head):
            for widget in part.select(pn.widgets.Widget):
                dress(widget)
        below = pn.FlexBox(
            controls,
            figures,
            flex_direction="row",
            flex_wrap="wrap",
            align_items="flex-start",
            gap="8px",
            sizing_mode="stretch_width",
        )
        self.address.jscallback(value=_ADDRESS)
        return pn.Column(
            head,
            sentence,
            *lines,
            below,
            sizing_mode="stretch_width",
            styles={"width": "100%", "max-width": "1800px", "margin": "0 auto"},
        )

    def _set_widgets(self) -> None:
        """Show the state in the widgets."""
        state, by_number = self.state, self.state.relevant is not None
        self._setting = True
        self.population.value = "number" if by_number else "share"
        self.share.visible, self.relevant.visible = not by_number, by_number
        self.share.value, self.relevant.value = state.share, state.relevant or 1
        for ranker, shape in zip(self.rankers, (state.a, state.b), strict=True):
            ranker.set(shape, families(state.relevant))
        self.discount.set(state.measured.discount)
        self.cutoff.set(state.measured.cutoff)
        shortest = max(SMALLEST, state.relevant or 0)
        self.length.options = {_short(n): n for n in sorted({*_LENGTHS, state.n}) if n >= shortest}
        self.length.value = state.n
        self._setting = False

    def _chosen(self) -> State:
        """Return the state that the widgets show."""
        return replace(
            self.state,
            share=self.share.value,
            n=self.length.value,
            measure=str(Measure(self.discount.spec(), self.cutoff.spec())),
            relevant=self.relevant.value if self.state.relevant else None,
        )

    def _on_widget(self, _: Event) -> None:
        if not self._setting:
            self._try(self.measure_error, self._chosen)

    def _on_shape(self, control: ShapeControl, family: str | None) -> None:
        if not self._setting:
            of_a = control is self.rankers[0]
            shape = control.shape() if family is None else Shape.usual(family).nearest(self.state.share)
            new = replace(self.state, a=shape) if of_a else replace(self.state, b=shape)
            self._try(control.error, lambda: new)

    def _on_population(self, event: Event) -> None:
        if not self._setting:
            self.go(self.state.with_number(self.relevant.value if event.new == "number" else None))

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
        for place in (*(ranker.error for ranker in self.rankers), self.measure_error):
            place.object = ""
        self._set_widgets()
        self.answer()

    def answer(self) -> None:
        """Begin to compute what belongs to the state; what is left of an earlier one is dropped."""
        self._generation += 1
        self.address.value = self.state.query
        self.answers.dim()
        computed = partial(self._compute, self._generation, self.state)
        # without the lock of the document, so that sliders move in the meantime
        self._document.add_next_tick_callback(without_document_lock(computed))

    async def _compute(self, generation: int, state: State) -> None:
        for piece in self.answers.pieces(state):
            if generation != self._generation or self._left:
                return
            computed = self._submit(piece.compute.func, *piece.compute.args)
            await asyncio.wait([asyncio.wrap_future(computed)])
            if generation == self._generation and not self._left:
                self._document.add_next_tick_callback(partial(self._show, generation, piece, computed))

    def _show(self, generation: int, piece: Piece[Any], computed: Future[Any]) -> None:
        if generation == self._generation and not self._left:
            piece.finish(computed)

    @property
    def _left(self) -> bool:
        """Whether the visitor has closed the page."""
        context = self._document.session_context
        if context is None:  # the session has ended
            return True
        return context.session is not None and context.session.connection_count == 0


def _file(make: Callable[[], str]) -> io.BytesIO:
    return io.BytesIO(make().encode())


def _short(n: int) -> str:
    return f"{n:,}" if n < 10**6 else f"{n:.4g}".replace("e+0", "e").replace("e+", "e")
