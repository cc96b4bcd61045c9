"""Figures of several runs whose lists grow."""

from __future__ import annotations

from collections.abc import Sequence

from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ndcg_asymptotics.lists.growth import Growth
from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.plots.choice import Choice
from ndcg_asymptotics.plots.growing import GrowthSeries
from ndcg_asymptotics.plots.saving import Drawing


def system_curves(
    growth: Growth, measure: Measure | str, ax: Axes | None = None, *, choice: Choice | None = None
) -> Axes:
    """Draw NDCG of every run against the number of documents that have arrived.

    It is the mean over queries with its band. If lists are compared with theory, markers are the exact mean
    for groups of queries, and dashes that for one curve of all queries.

    Parameters
    ----------
    growth : Growth
    measure : Measure or its text
        One of the measures of ``growth``.
    ax : matplotlib Axes, optional
        The current ones by default.
    choice : Choice, optional
        The runs to draw, with their labels and colours.

    Raises
    ------
    InputError
        If ``growth`` does not have the measure or a run.
    """
    return GrowthSeries(growth, choice).panel(measure, ax)


def system_figure(
    growth: Growth,
    measures: Sequence[Measure | str] | None = None,
    *,
    width: float | None = None,
    choice: Choice | None = None,
) -> Figure:
    """Return a figure of `system_curves` with a panel for each measure, by default all of them."""
    return GrowthSeries(growth, choice).figure(measures, width=width)


def system_handles(growth: Growth) -> list[Artist]:
    """Return legend handles for the lines, bands and markers of `system_curves`."""
    return GrowthSeries(growth, None).handles()


def system_drawings(
    growth: Growth,
    measures: Sequence[Measure | str] | None = None,
    *,
    width: float | None = None,
    choice: Choice | None = None,
) -> list[Drawing]:
    """Return a `system_figure` of each measure; growing lists of several measures have an overview, too."""
    return GrowthSeries(growth, choice).drawings(measures, width=width)
