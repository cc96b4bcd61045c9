"""Places of the page: each shows what is current, what is of an earlier state, or why there is nothing."""

from __future__ import annotations

import html
from collections.abc import Callable, Sequence
from typing import Any

import panel as pn

from ndcg_asymptotics.core.errors import InputError

ERROR = {"color": "#d1242f", "font-size": "13px"}
"""The style of a message."""

_CURRENT = {"opacity": "1", "transition": "opacity 0.15s"}
_DIMMED = _CURRENT | {"opacity": "0.35"}


class Place:
    """A part of the page, which is dimmed while it shows an earlier state.

    Parameters
    ----------
    shown : Panel object
    """

    def __init__(self, shown: Any) -> None:
        self.shown = shown
        self.error = pn.pane.HTML("", sizing_mode="stretch_width", styles=ERROR)
        self.column = pn.Column(shown, sizing_mode="stretch_width", styles=_CURRENT)

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


def attempt(places: Sequence[Place], piece: Callable[[], Callable[[], None]]) -> Callable[[], None]:
    """Return what shows the outcome of a computation in its places, or there what went wrong.

    Parameters
    ----------
    places : sequence of Place
    piece : callable
        Computes, and returns what shows the outcome.
    """

    def mark(wrong: Exception | None = None) -> None:
        for place in places:
            place.brighten(wrong)

    try:
        show = piece()
    except Exception as wrong:
        failed = wrong
        return lambda: mark(failed)

    def shown() -> None:
        try:
            show()
        except Exception as wrong:
            mark(wrong)
        else:
            mark()

    return shown
