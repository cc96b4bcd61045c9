"""Figures of several systems against the length of lists, with a panel for each measure.

A subclass of `Series` draws the curves of one kind of outcome; panels, labels, legends and files are
the same.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from functools import partial

import matplotlib.pyplot as plt
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ndcg_asymptotics.core.errors import require
from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.plots.choice import Choice
from ndcg_asymptotics.plots.layout import one_scale, outer_labels, panels, titles
from ndcg_asymptotics.plots.margin import margin_labels
from ndcg_asymptotics.plots.marks import figure_legend, handle
from ndcg_asymptotics.plots.saving import Drawing
from ndcg_asymptotics.plots.style import LineStyle, style


class Series(ABC):
    """Curves of systems against the length of lists, for each measure of an outcome.

    Parameters
    ----------
    measures : sequence of Measure or text
        The measures that the outcome has.
    systems : sequence of str
        The systems that it has.
    choice : Choice, optional
        The systems to draw, with their labels and colours.
    """

    def __init__(
        self, measures: Sequence[Measure | str], systems: Sequence[str], choice: Choice | None
    ) -> None:
        self.measures, self.systems = tuple(map(Measure.of, measures)), tuple(systems)
        self.choice = choice or Choice()

    @abstractmethod
    def draw(self, ax: Axes, measure: int, lines: Mapping[str, LineStyle]) -> dict[str, float]:
        """Draw the curves of systems, and return the height at which each ends.

        Parameters
        ----------
        ax : Axes
        measure : int
            The place of the measure in ``measures``.
        lines : mapping of system to LineStyle
        """

    @abstractmethod
    def handles(self) -> list[Artist]:
        """Return legend handles for the lines, bands and markers."""

    def panel(self, measure: Measure | str, ax: Axes | None = None, *, names: bool = True) -> Axes:
        """Draw one measure into axes, by default the current ones, with names at the ends of the curves.

        Raises
        ------
        InputError
            If the outcome does not have the measure or a chosen system.
        """
        ax = plt.gca() if ax is None else ax
        measure = self._known(measure)
        lines = self.choice.among(self.systems)
        ends = self.draw(ax, self.measures.index(measure), lines)
        titles(ax, self.choice.title(measure))
        if names:
            margin_labels(ax, [(end, self.choice.label(name), lines[name]) for name, end in ends.items()])
        return ax

    def _known(self, measure: Measure | str) -> Measure:
        measure, known = Measure.of(measure), ", ".join(map(str, self.measures))
        require(measure in self.measures, f"no values of {measure}, there are: {known}", "measure")
        return measure

    def figure(
        self, measures: Sequence[Measure | str] | None = None, *, width: float | None = None
    ) -> Figure:
        """Return a figure with a panel for each measure, by default all of them, and a legend."""
        chosen = self.measures if measures is None else measures
        with style():
            single = len(chosen) == 1
            figure, axes = panels(len(chosen), height=3.0 if single else 2.3, width=width)
            for measure, ax in zip(chosen, axes, strict=True):
                self.panel(measure, ax, names=single)
            if all(Measure.of(measure).normalised for measure in chosen):
                one_scale(axes)
            outer_labels(axes)
            lines = {} if single else self.choice.among(self.systems)
            named = [handle(line, self.choice.label(name), marker=False) for name, line in lines.items()]
            figure_legend(figure, [*named, *self.handles()])
        return figure

    def drawings(
        self, measures: Sequence[Measure | str] | None = None, *, width: float | None = None
    ) -> list[Drawing]:
        """Return a figure for each measure, by default all of them, and perhaps an overview."""
        chosen = self.measures if measures is None else [self._known(measure) for measure in measures]
        figures: list[Drawing] = [
            ((str(measure),), partial(self.figure, (measure,), width=width)) for measure in chosen
        ]
        if len(chosen) > 1:
            figures.insert(0, (("overview",), partial(self.figure, chosen, width=width)))
        return figures
