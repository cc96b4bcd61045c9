"""What the explorer shows of a state: charts and sentences, and the computations that fill them in order."""

from __future__ import annotations

import csv
import html
import io
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

import panel as pn

from ndcg_asymptotics.analysis.planning.outcome import Plan
from ndcg_asymptotics.analysis.planning.requirements import RATE
from ndcg_asymptotics.analysis.planning.rows import PlanRow
from ndcg_asymptotics.core.arrays import Floats
from ndcg_asymptotics.core.errors import require_available
from ndcg_asymptotics.explorer import against_n, values
from ndcg_asymptotics.explorer.charts import CurveChart, LengthChart, SweepChart, WrongChart
from ndcg_asymptotics.explorer.drawing import DrawnLists
from ndcg_asymptotics.explorer.draws import Draws
from ndcg_asymptotics.explorer.figures import Palette
from ndcg_asymptotics.explorer.gestures import drag_length
from ndcg_asymptotics.explorer.places import Piece, Place
from ndcg_asymptotics.explorer.state import NAMES, State


class Answers:
    """The charts and sentences of one visitor.

    Parameters
    ----------
    colors : Palette
    dragged : callable
        Called with the index of a ranker, its new points and that of the held one, when a visitor moves it.
    chosen : callable
        Called with a list length, when a visitor drags it.
    """

    def __init__(
        self,
        colors: Palette,
        dragged: Callable[[int, list[tuple[float, float]], int], None],
        chosen: Callable[[int], None],
    ) -> None:
        self.curves = CurveChart(colors, dragged)
        self.lengths = LengthChart(colors)
        self.wrong = WrongChart(colors, RATE)
        self.length = drag_length({c.plot: c.at for c in (self.lengths, self.wrong)}, chosen)
        self.by_cutoff = SweepChart("Which cutoff", "cutoff k", colors, log=True)
        self.by_exponent = SweepChart("Which discount r^-b", "exponent b", colors, log=False)
        self.draws = Draws(colors)
        charts = (self.curves, self.lengths, self.wrong, self.by_cutoff, self.by_exponent)
        self.charts = [
            Place(pn.pane.Bokeh(chart.plot, margin=0, sizing_mode="stretch_both"), "stretch_both")
            for chart in charts
        ]
        shown = (self.draws.strip, self.curves, self.draws.histogram, *charts[1:])
        self.plots = [chart.plot for chart in shown]
        large = {"font-size": "18px", "min-height": "1.5em"}
        self.verdict = _sentences(large, margin=(0, 10), css_classes=["verdict"])
        self.numbers = _sentences({"font-size": "13px"}, margin=(0, 10))
        self.details = _sentences({"font-size": "14px"})
        self.said = [Place(pane) for pane in (self.verdict, self.numbers, self.details)]
        self.places = [*self.said, *self.charts, *self.draws.places, self.draws.said]
        self._whole: tuple[State, against_n.Smooth] | None = None  # the last state with values at all nodes
        self._forget()

    def _forget(self) -> None:
        self.points: list[against_n.Point] = []
        self.rows: list[PlanRow] = []
        self.by_cutoff.sizes = self.by_exponent.sizes = ()

    def dim(self) -> None:
        """Mark everything as that of an earlier state, whose values are forgotten and lists removed."""
        self._forget()
        self.show_drawn(None)
        self.draws.forget()
        for place in self.places:
            place.dim()

    def pieces(self, state: State) -> Iterator[Piece[Any]]:
        """Yield the computations of a state that show it quickly: the sentence, then the charts.

        Sentences are from fewer draws and there are fewer cutoffs than in the end. While a slider moves,
        values at fewer lengths move the curves of the last complete answer.
        """
        curves, _, _, cutoffs, exponents = self.charts
        moved = None
        if self._whole is not None and against_n.similar(state, self._whole[0]):
            moved = self._whole[1]
        yield Piece((curves,), partial(values.curves, state), partial(self._show_curves, state))
        yield self.draws.first(state)
        yield from self._said(state, values.LITTLE)
        yield self._at(state, against_n.NODES) if moved is None else self._at(state, against_n.FIRST, moved)
        yield self.draws.law(state)
        yield Piece((cutoffs,), partial(values.cutoff_sweep, state, finer=False), self.by_cutoff.show)
        yield Piece((exponents,), partial(values.discount_sweep, state), self.by_exponent.show)

    def finer_pieces(self, state: State) -> Iterator[Piece[Any]]:
        """Yield the computations that then complete the answer."""
        yield Piece((self.charts[3],), partial(values.cutoff_sweep, state), self.by_cutoff.show)
        if self._whole is None or self._whole[0] != state:
            yield self._at(state, against_n.NODES)
        yield from self._said(state, 1.0)
        yield Piece((self.said[-1],), lambda: None, lambda _: self._show_details(state))

    def _said(self, state: State, effort: float) -> Iterator[Piece[Any]]:
        verdict, numbers, _ = self.said
        yield Piece((verdict,), partial(values.rows, state, effort), partial(self._show_rows, state))
        yield Piece((numbers,), partial(values.numbers, state, effort), self._show_numbers)

    def _at(self, state: State, nodes: Sequence[int], moved: against_n.Smooth | None = None) -> Piece[Any]:
        """Return the computation of the charts against n, from values at some lengths."""
        _, *lengths, _, _ = self.charts
        show = partial(self._show_lengths, state, complete=moved is None)
        return Piece(tuple(lengths), partial(_lengths, state, nodes, moved), show)

    def _show_curves(self, state: State, curves: Sequence[tuple[Floats, Floats]]) -> None:
        self.curves.show(curves, (state.a, state.b), few=state.relevant is not None)

    def _show_lengths(
        self,
        state: State,
        found: tuple[list[against_n.Point], against_n.Smooth, list[float | None]],
        *,
        complete: bool,
    ) -> None:
        self.points, smooth, limits = found
        if complete:
            self._whole = state, smooth
        self.lengths.show(smooth, self.points, limits, state.n)
        self.wrong.show(smooth, self.points, state.n)

    def _show_numbers(self, lines: Sequence[str]) -> None:
        self.numbers.object = "".join(f"<div>{html.escape(line)}</div>" for line in lines)

    def _show_rows(self, state: State, rows: list[PlanRow]) -> None:
        self.rows = rows
        self.verdict.object = html.escape(values.conclusion(state, rows))

    def _show_details(self, state: State) -> None:
        require_available(bool(self.rows), "no answers without the required lengths")
        answers = Plan.ordered(NAMES, "curves", values.experiment(state).design, self.rows, ()).answers
        self.details.object = "<ul>" + "".join(f"<li>{html.escape(a)}</li>" for a in answers) + "</ul>"

    def show_drawn(self, found: DrawnLists | None) -> None:
        """Show simulated lists, or remove them."""
        self.lengths.show_drawn(found)
        self.wrong.show_drawn(found)

    def csv(self, state: State) -> str:
        """Return the values of what is seen as a CSV file."""
        text = io.StringIO()
        rows = values.table(state, self.points, [*self.by_cutoff.sizes, *self.by_exponent.sizes])
        csv.writer(text, lineterminator="\n").writerows(rows)
        return text.getvalue()


def _sentences(styles: dict[str, str], **options: Any) -> pn.pane.HTML:
    return pn.pane.HTML("", sizing_mode="stretch_width", styles=styles, **options)


def _lengths(
    state: State, lengths: Sequence[int], moved: against_n.Smooth | None
) -> tuple[list[against_n.Point], against_n.Smooth, list[float | None]]:
    """Return what depends on n, from values at some lengths, and the limits that can be drawn."""
    points = [against_n.point(state, n) for n in against_n.lengths_of(state, lengths)]
    smooth = against_n.Smooth.through(points, against_n.OrderLaw.of(state), moved)
    limits = [None if found.scaled else found.value for found in values.limits(state)]
    return points, smooth, limits
