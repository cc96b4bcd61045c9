"""Places of the page: each shows what is current, what is of an earlier state, or why there is nothing."""

from __future__ import annotations

import asyncio
import html
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

import panel as pn
from panel.viewable import Viewable

from ndcg_asymptotics.core.errors import InputError

_T = TypeVar("_T")

ERROR = {"color": "#d1242f", "font-size": "13px"}
"""The style of a message."""

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

    def __init__(self, shown: Viewable, sizing_mode: str = "stretch_width") -> None:
        self.shown = shown
        self.error = pn.pane.HTML("", sizing_mode="stretch_width", styles=ERROR)
        self.column = pn.Column(shown, sizing_mode=sizing_mode, styles=_CURRENT)

    @property
    def current(self) -> bool:
        """Whether it is not dimmed."""
        return bool(self.column.styles == _CURRENT)

    def dim(self) -> None:
        """Mark what is shown as that of an earlier state."""
        self.column.styles = _DIMMED

    def brighten(self, wrong: Exception | None = None) -> None:
        """Mark what is shown as current, or show in its place what went wrong."""
        if wrong is not None:
            self.error.object = f"<span role='alert'>{html.escape(line(wrong))}</span>"
        now = self.shown if wrong is None else self.error
        if self.column[0] is not now:
            self.column[0] = now
        self.column.styles = _CURRENT


def line(wrong: Exception) -> str:
    """Return what went wrong in one line."""
    said = " ".join(str(wrong).split())
    return said if isinstance(wrong, InputError) else f"internal error: {type(wrong).__name__}: {said}"


async def elsewhere(piece: Callable[[], _T]) -> _T:
    """Return the outcome of a computation in a thread, where there are threads."""
    return piece() if sys.platform == "emscripten" else await asyncio.to_thread(piece)


@dataclass(frozen=True)
class Piece(Generic[_T]):
    """A computation, and where its outcome is shown.

    Attributes
    ----------
    places : tuple of Place
    compute : callable
        May run in a thread.
    show : callable
        Takes the outcome.
    """

    places: tuple[Place, ...]
    compute: Callable[[], _T]
    show: Callable[[_T], None]

    def attempt(self) -> Callable[[], None]:
        """Compute, and return what shows the outcome in the places, or there what went wrong."""
        try:
            found = self.compute()
        except Exception as wrong:
            failed = wrong
            return lambda: self._mark(failed)

        def shown() -> None:
            try:
                self.show(found)
            except Exception as wrong:
                self._mark(wrong)
            else:
                self._mark()

        return shown

    def _mark(self, wrong: Exception | None = None) -> None:
        for place in self.places:
            place.brighten(wrong)
