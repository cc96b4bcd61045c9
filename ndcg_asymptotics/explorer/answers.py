"""What the explorer shows of a state: charts and sentences, and the computations that fill them in order."""

from __future__ import annotations

import csv
import html
import io
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from functools import partial
from typing import Any, Generic, TypeVar

import panel as pn
from panel.viewable import Viewable

from ndcg_asymptotics.core.errors import InputError
from ndcg_asymptotics.explorer import values
from ndcg_asymptotics.explorer.charts import (
    STRIP_HEIGHT,
    CurveChart,
    LengthChart,
    ListChart,
    SizeChart,
    WrongChart,
)
from ndcg_asymptotics.explorer.controls import ERROR
from ndcg_asymptotics.explorer.drawing import DrawnList, ranked_list
from ndcg_asymptotics.explorer.state import State
from ndcg_asymptotics.plans.rows import RATE

_T = TypeVar("_T")
_CURRENT = {"opacity": "1", "transition": "opacity 0.15s"}
_DIMMED = _CURRENT | {"opacity": "0.35"}


class Place:
    """A part of the page, which is dimmed while it shows an earlier state.

    Parameters
    ----------
    shown : Panel object
    sizing_mode : str
        How it fills the room that it has, as Panel names it.
    """

    def __init__(self, content: Viewable, sizing_mode: str = "stretch_width") -> None:
        self.content = content
        self.error = pn.pane.HTML("", sizing_mode="stretch_width", styles=ERROR)
        self.column = pn.Column(content, sizing_mode=sizing_mode, styles=_CURRENT)

    def dim(self) -> None:
        """Mark what is shown as that of an earlier state."""
        self.column.styles = _DIMMED

    def brighten(self, wrong: Exception | None = None) -> None:
        """Mark what is shown as current, or show in its place what went wrong."""
        if wrong is not None:
            self.error.object = f"<span role='alert'>{html.escape(_line(wrong))}</span>"
        now = self.content if wrong is None else self.error
        if self.column[0] is not now:
            self.column[0] = now
        self.column.styles = _CURRENT


def _line(wrong: Exception) -> str:
    """Return what went wrong in one line."""
    text = " ".join(str(wrong).split())
    return text if isinstance(wrong, InputError) else f"internal error: {type(wrong).__name__}: {text}"


@dataclass(frozen=True)
class Piece(Generic[_T]):
    """A computation of another process, and where and how its outcome is shown."""

    place: Place
    compute: partial[_T]
    show: Callable[[_T], None]

    def finish(self, computed: Future[_T]) -> None:
        """Show the outcome in the place, or there what went wrong."""
        try:
            self.show(computed.result())
        except Exception as error:
            self.place.brighten(error)
        else:
            self.place.brighten()


class Answers:
    """The charts and sentences of one visitor."""

    def __init__(self) -> None:
        self.curves, self.lengths, self.wrong = CurveChart(), LengthChart(), WrongChart(RATE)
        self.by_cutoff = SizeChart("Which cutoff", "cutoff k", x_axis_type="log")
        self.by_exponent = SizeChart("Which discount r^-b", "exponent b")
        self.list = ListChart()
        charts = (self.lengths, self.wrong, self.curves, self.by_cutoff, self.by_exponent)
        self.charts = [
            Place(pn.pane.Bokeh(chart.plot, margin=0, sizing_mode="stretch_both"), "stretch_both")
            for chart in charts
        ]
        strip = pn.pane.Bokeh(self.list.plot, margin=0, height=STRIP_HEIGHT, sizing_mode="stretch_width")
        self.sums = _sentences({"font-size": "13px"})
        self.strip = Place(pn.Column(strip, self.sums, sizing_mode="stretch_width"))
        large = {"font-size": "18px"}
        self.sentence = _sentences(large | {"min-height": "1.5em"}, css_classes=["verdict"])
        self.comparisons, self.numbers = _sentences(large), _sentences({"font-size": "13px"})
        self.sentences = [Place(self.sentence), Place(self.comparisons), Place(self.numbers)]
        self.places = [*self.sentences, *self.charts, self.strip]
        self._forget()

    def _forget(self) -> None:
        self.means: values.Means | None = None
        self.orders: values.WrongOrders | None = None
        self.by_cutoff.sizes = self.by_exponent.sizes = []

    def dim(self) -> None:
        """Mark everything as that of an earlier state, whose values are forgotten."""
        self._forget()
        for place in self.places:
            place.dim()

    def pieces(self, state: State) -> Iterator[Piece[Any]]:
        """Yield the computations of a state: curves, its sentence and means first, then all others."""
        lengths, wrong, curves, cutoffs, exponents = self.charts
        sentence, comparisons, numbers = self.sentences
        show_curves = partial(self.curves.show, roc=state.relevant is not None)
        yield Piece(curves, partial(values.curves, state), show_curves)
        yield Piece(sentence, partial(values.answer, state), partial(_show_lines, self.sentence))
        yield Piece(lengths, partial(values.means, state), partial(self._show_means, state))
        yield Piece(self.strip, partial(ranked_list, state), self._show_list)
        yield Piece(comparisons, partial(values.other_answers, state), partial(_show_lines, self.comparisons))
        yield Piece(numbers, partial(values.numbers, state), partial(_show_lines, self.numbers))
        yield Piece(wrong, partial(values.wrong_orders, state), partial(self._show_orders, state))
        yield Piece(cutoffs, partial(values.by_cutoff, state), self.by_cutoff.show)
        yield Piece(exponents, partial(values.by_exponent, state), self.by_exponent.show)

    def _show_means(self, state: State, means: values.Means) -> None:
        self.means = means
        limits = [None if limit.scaled else limit.value for limit in values.limits(state)]
        self.lengths.show(means, limits, state.n)

    def _show_orders(self, state: State, orders: values.WrongOrders) -> None:
        self.orders = orders
        self.wrong.show(orders, state.n)

    def _show_list(self, drawn_list: DrawnList) -> None:
        self.list.show(drawn_list)
        _show_lines(self.sums, [drawn_list.sum_text(ranker) for ranker in (0, 1)])

    def csv(self, state: State) -> str:
        """Return the values of what is seen as a CSV file."""
        text = io.StringIO()
        rows = values.table(state, self.means, self.orders, [*self.by_cutoff.sizes, *self.by_exponent.sizes])
        csv.writer(text, lineterminator="\n").writerows(rows)
        return text.getvalue()


def _sentences(styles: dict[str, str], **options: Any) -> pn.pane.HTML:
    return pn.pane.HTML("", margin=(0, 10), sizing_mode="stretch_width", styles=styles, **options)


def _show_lines(pane: pn.pane.HTML, lines: Sequence[str]) -> None:
    pane.object = "".join(f"<div>{html.escape(line)}</div>" for line in lines)
