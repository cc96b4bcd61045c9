"""Lists that a visitor draws: the last one is shown rank by rank, and all of them fill a histogram."""

from __future__ import annotations

import asyncio
import html
from collections.abc import Callable, Iterator
from functools import partial

import numpy as np
import panel as pn

from ndcg_asymptotics.core.arrays import Floats
from ndcg_asymptotics.explorer.drawing import LISTS, DrawnList, ranked_list
from ndcg_asymptotics.explorer.figures import Palette
from ndcg_asymptotics.explorer.histogram import Bins, bins
from ndcg_asymptotics.explorer.list_charts import HEIGHT, HistogramChart, ListChart, sum_text
from ndcg_asymptotics.explorer.places import Piece, Place, elsewhere
from ndcg_asymptotics.explorer.state import State

_SLOWLY = 10  # lists that are shown one by one, before they come in tens
_PAUSES = (0.15, 0.05)  # seconds after one list, and after ten


class Draws:
    """A list as a strip, the histogram of all that are drawn, and how the NDCG of the list is summed."""

    def __init__(self, colors: Palette) -> None:
        self.strip, self.histogram = ListChart(colors), HistogramChart(colors)
        self.sums = pn.pane.HTML("", margin=(0, 10), styles={"font-size": "13px"})
        self.places = [
            Place(pn.pane.Bokeh(self.strip.plot, margin=0, height=HEIGHT, sizing_mode="stretch_width")),
            Place(pn.pane.Bokeh(self.histogram.plot, margin=0, sizing_mode="stretch_both"), "stretch_both"),
        ]
        self.said = Place(self.sums)
        self.said.column.stylesheets = [":host { flex: 1 1 280px; }"]
        self._values: list[Floats] = []  # NDCG of both rankers, of each drawn list

    def forget(self) -> None:
        """Remove the lists that were drawn in an earlier state."""
        if self._values:
            self._values = []
            self._show_values()

    def first(self, state: State) -> Piece[DrawnList]:
        """Return the piece that shows the first list, which is not counted as drawn."""
        return Piece((self.places[0], self.said), partial(ranked_list, state, 0), partial(self._show_list, 1))

    def law(self, state: State) -> Piece[Bins]:
        """Return the piece that shows the bins of NDCG at n."""
        return Piece((self.places[1],), partial(bins, state), self._show_law)

    def _show_law(self, found: Bins) -> None:
        self.histogram.show(found)
        self._show_values()

    def _show_values(self) -> None:
        self.histogram.show_drawn(np.array(self._values).reshape(-1, 2))

    def _show_list(self, number: int, found: DrawnList) -> None:
        self.strip.show(found, number)
        lines = (f"<div>{html.escape(sum_text(found, ranker))}</div>" for ranker in (0, 1))
        self.sums.object = "".join(lines)

    def _add(self, lists: list[DrawnList]) -> None:
        self._values += [found.ndcg for found in lists]
        self._show_list(len(self._values), lists[-1])
        self._show_values()

    async def draw(self, state: State, many: bool, show: Callable[[Callable[[], None]], bool]) -> None:
        """Draw one more list, or all that are left of `LISTS`.

        Parameters
        ----------
        state : State
        many : bool
        show : callable
            Calls back when something can be shown, unless the state has changed; returns whether it has not.
        """
        for start, stop in _steps(len(self._values), many):
            found = await elsewhere(partial(_lists, state, start, stop))
            if not show(partial(self._add, found)):
                return
            await asyncio.sleep(_PAUSES[stop - start > 1] if many else 0.0)


def _lists(state: State, start: int, stop: int) -> list[DrawnList]:
    return [ranked_list(state, index) for index in range(start, stop)]


def _steps(drawn: int, many: bool) -> Iterator[tuple[int, int]]:
    """Yield the first list of each step, and the first that comes after it.

    >>> list(_steps(4, many=False)), [stop for _, stop in _steps(7, many=True)][:5]
    ([(4, 5)], [8, 9, 10, 20, 30])
    """
    if not many:
        yield drawn, drawn + 1
    while many and drawn < LISTS:
        stop = min(drawn + (1 if drawn < _SLOWLY else _SLOWLY), LISTS)
        yield drawn, stop
        drawn = stop
