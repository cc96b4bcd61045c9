"""Figures of several systems: runs whose lists grow, and systems against sampled negatives."""

from __future__ import annotations

from collections.abc import Sequence

from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ndcg_asymptotics.analysis.runs.sampled import Sampled
from ndcg_asymptotics.lists.growth import Growth
from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.plots.choice import Choice
from ndcg_asymptotics.plots.growing import GrowthSeries
from ndcg_asymptotics.plots.sampled import SampledSeries
from ndcg_asymptotics.plots.saving import Drawing
from ndcg_asymptotics.plots.series import Series

Outcome = Growth | Sampled
"""What `grow` and `sampled` return."""


def _series(outcome: Outcome, choice: Choice | None = None) -> Series:
    if isinstance(outcome, Growth):
        return GrowthSeries(outcome, choice)
    return SampledSeries(outcome, choice)


def system_curves(
    outcome: Outcome, measure: Measure | str, ax: Axes | None = None, *, choice: Choice | None = None
) -> Axes:
    """Draw NDCG of every system against the number of documents, or of sampled negatives.

    Of growing lists it is the mean over queries with its band; if they are compared with theory, markers are
    the exact mean for groups of queries, and dashes that for one curve of all queries. Of sampled negatives
    it is the expected mean with a band of one standard deviation, and the full metric at the right end; a
    ring marks where the expected order of two systems changes.

    Parameters
    ----------
    outcome : Growth or Sampled
    measure : Measure or its text
        One of the measures of ``outcome``.
    ax : matplotlib Axes, optional
        The current ones by default.
    choice : Choice, optional
        The systems to draw, with their labels and colours.

    Raises
    ------
    InputError
        If ``outcome`` does not have the measure or a system.
    """
    return _series(outcome, choice).panel(measure, ax)


def system_figure(
    outcome: Outcome,
    measures: Sequence[Measure | str] | None = None,
    *,
    width: float | None = None,
    choice: Choice | None = None,
) -> Figure:
    """Return a figure of `system_curves` with a panel for each measure, by default all of them."""
    return _series(outcome, choice).figure(measures, width=width)


def system_handles(outcome: Outcome) -> list[Artist]:
    """Return legend handles for the lines, bands and markers of `system_curves`."""
    return _series(outcome).handles()


def system_drawings(
    outcome: Outcome,
    measures: Sequence[Measure | str] | None = None,
    *,
    width: float | None = None,
    choice: Choice | None = None,
) -> list[Drawing]:
    """Return a `system_figure` of each measure; growing lists of several measures have an overview, too."""
    return _series(outcome, choice).drawings(measures, width=width)
