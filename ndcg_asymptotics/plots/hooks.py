"""How an outcome names its figures: by a function of its room, which is imported when they are drawn."""

from __future__ import annotations

from pkgutil import resolve_name
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from ndcg_asymptotics.plots.saving import Drawing


class OutcomeFigures(NamedTuple):
    """The figures of a kind of outcome, as its class attribute ``figures`` names them.

    Attributes
    ----------
    function : str
        The path of a function ``drawings(outcome, *, width, **choices)``, which returns a list of
        `plots.saving.Drawing`.
    kind : str
        What the outcome is called in messages.
    choices : tuple of str
        The arguments of `draw_all` that choose some of the figures.
    """

    function: str
    kind: str
    choices: tuple[str, ...] = ()

    def drawings(self, outcome: object, *, width: float | None, **choices: Any) -> list[Drawing]:
        """Return the figures of an outcome, not yet drawn, with the words of their names."""
        listed: list[Drawing] = resolve_name(self.function)(outcome, width=width, **choices)
        return listed


CHOICES_OF_CURVES = ("measures", "scorers", "choice")
"""What can be chosen of figures of NDCG along n."""
