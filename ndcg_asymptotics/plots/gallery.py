"""All figures of a study: an overview, one figure per measure, and one per pair of scorers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cache, partial
from itertools import chain
from pathlib import Path
from typing import Unpack, overload

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ndcg_asymptotics.core.arrays import as_list, is_number
from ndcg_asymptotics.core.errors import refuse_others, require
from ndcg_asymptotics.core.progress import say, tracked
from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.orders.distinguishing import distinguish
from ndcg_asymptotics.orders.pair import Pair
from ndcg_asymptotics.plots.choice import Choice, ChoiceOptions
from ndcg_asymptotics.plots.curves import (
    curve_handles,
    enlarge,
    limits_of,
    ndcg_curves,
    shared_limit,
    vanishes,
)
from ndcg_asymptotics.plots.layout import DOUBLE, geometry, note, one_scale, outer_labels, panels, titles
from ndcg_asymptotics.plots.marks import figure_legend
from ndcg_asymptotics.plots.orders import (
    error_exponent_figure,
    order_handles,
    pair_handles,
    wrong_order_rates,
    wrong_orders_of_pairs,
)
from ndcg_asymptotics.plots.saving import Drawing, pages
from ndcg_asymptotics.plots.scales import length_axis
from ndcg_asymptotics.plots.style import line_styles, style
from ndcg_asymptotics.results import Results
from ndcg_asymptotics.results.opening import results_of

Names = tuple[str, str]
OrdersByPair = Mapping[Names, Callable[[], list[Pair]]]
"""Functions that return the entries of `distinguish` for a pair; it runs only if a figure needs them."""

_MOST_COLUMNS = 6
_COLUMN, _NARROWEST = 2.0, 1.4  # inches of a column, usually and at least
_FEW_TICKS = 4  # of an axis of a narrow panel


def measure_figure(
    results: Results,
    measure: Measure | str,
    *,
    width: float | None = None,
    choice: Choice | None = None,
) -> Figure:
    """Return a figure of one measure: NDCG of every scorer against n. The width is in inches."""
    return overview_figure(results, [measure], width=width, choice=choice)


def overview_figure(
    results: Results,
    measures: Sequence[Measure | str] | None = None,
    *,
    width: float | None = None,
    choice: Choice | None = None,
) -> Figure:
    """Return a figure with a panel for each measure of a study, or for each of the given ones.

    A panel has an inset for scorers that share their limit if it fits.
    """
    results, choice = results_of(results), Choice.given(choice)
    measure_list, study = _measures_of(results, measures), results.study
    single = len(measure_list) == 1
    with style():
        figure, axes = panels(len(measure_list), height=2.9 if single else 2.3, width=width)
        for ax, measure in zip(
            axes, measure_list if single else tracked(measure_list, "overview"), strict=True
        ):
            ndcg_curves(results, measure, ax, choice=choice, names=single)
            limits = limits_of(study, measure, choice)
            if len(study.n) > 1 and shared_limit(limits) is not None and not vanishes(study, limits):
                enlarge(results, measure, ax, choice=choice)
        outer_labels(axes)
        figure_legend(figure, curve_handles(results, measure_list, choice, names=not single))
        _note_incomplete(figure, results)
    return figure


def _measures_of(results: Results, measures: Sequence[Measure | str] | None) -> list[Measure]:
    if measures is None:
        return list(results.study.measures)
    measure_list = as_list(measures, "measures", (str, Measure))
    require(len(measure_list) > 0, "must name at least one measure", "measures")
    return [results.study.measure(measure) for measure in measure_list]


def summary_figure(
    results: Results,
    measures: Sequence[Measure | str] | None = None,
    *,
    width: float | None = None,
    choice: Choice | None = None,
) -> Figure:
    """Return a figure of a study at one look: a column for each measure, over one axis of list lengths.

    Above is NDCG of every scorer, with exact means, and limits with their theorems. Below is the probability
    that the better one of two scorers is not ahead, for each pair of the study, with 95% intervals.

    Parameters
    ----------
    results : Results
    measures : measures, optional
        The columns, by default the first six measures of the study.
    width : float, optional
        Width of the figure in inches; a narrow one has fewer columns.
    choice : Choice, optional
        The scorers, with their labels and colours.
    """
    results = results_of(results)
    measure_list = _measures_of(results, measures)
    measure_list = measure_list[:_MOST_COLUMNS] if measures is None else measure_list
    return _summary_figure(
        results, measure_list, _orders_by_pair(results, measure_list, choice), width=width, choice=choice
    )


def _summary_figure(
    results: Results,
    measure_list: Sequence[Measure],
    orders_by_pair: OrdersByPair,
    *,
    width: float | None,
    choice: Choice | None,
) -> Figure:
    """Return the figure of measures; ``orders_by_pair`` holds these measures, and perhaps others."""
    choice, study = Choice.given(choice), results.study
    width = max(DOUBLE, _COLUMN * len(measure_list)) if width is None else width
    if is_number(width) and width > 0:  # what else it may be is refused by `panels`
        measure_list = measure_list[: max(1, int(width / _NARROWEST))]
    styles = line_styles(len(study.scorers) + len(orders_by_pair))  # the scorers have the first ones
    lines = dict(zip(orders_by_pair, styles[len(study.scorers) :], strict=True))
    all_entries = [entry for entries in orders_by_pair.values() for entry in entries()]
    orders = [[entry for entry in all_entries if entry.measure == str(measure)] for measure in measure_list]
    with style():
        count = len(measure_list)
        figure, axes = panels(count * (2 if orders_by_pair else 1), columns=count, height=2.3, width=width)
        for ax, measure in zip(axes[:count], tracked(measure_list, "summary"), strict=True):
            ndcg_curves(results, measure, ax, choice=choice, names=False)
        if orders_by_pair:
            # a narrow figure has one column, where no title of the same measure is right above
            titled_above = geometry(axes[0])[1] == count
            for ax, entries, measure in zip(axes[count:], orders, measure_list, strict=True):
                wrong_orders_of_pairs(ax, entries, lines)
                titles(ax, "" if titled_above else choice.formula(measure))
            one_scale(axes[count:])
        for ax in axes:
            length_axis(ax, study.n, most=_FEW_TICKS)
        outer_labels(axes)
        handles = curve_handles(results, measure_list, choice, names=True)
        figure_legend(figure, [*handles, *pair_handles([*chain(*orders)], lines, choice)])
        _note_incomplete(figure, results)
    return figure


@overload
def plot(
    results: Results | str | Path,
    *,
    choice: Choice | None = None,
    width: float | None = None,
    **options: Unpack[ChoiceOptions],
) -> Figure: ...
@overload
def plot(
    results: Results | str | Path,
    measure: Measure | str,
    ax: Axes | None = None,
    *,
    title: str | None = None,
    choice: Choice | None = None,
    names: bool = True,
    **options: Unpack[ChoiceOptions],
) -> Axes: ...
def plot(
    results: Results | str | Path,
    measure: Measure | str | None = None,
    ax: Axes | None = None,
    *,
    title: str | None = None,
    choice: Choice | None = None,
    names: bool = True,
    width: float | None = None,
    **options: Unpack[ChoiceOptions],
) -> Figure | Axes:
    """Draw a study at one look (`summary_figure`), or one of its measures into axes (`ndcg_curves`).

    Parameters
    ----------
    results : Results, or the path of their folder
    measure : Measure or its text, optional
        Without it a figure of the study is returned, else the axes.
    ax : matplotlib Axes, optional
        The axes for a measure, the current ones by default.
    title, names
        Of a measure, as in `ndcg_curves`.
    choice : Choice, optional
        The scorers, with their labels and colours.
    width : float, optional
        Of the figure, in inches.
    **options
        Fields of `Choice` that replace those of ``choice``.
    """
    if measure is not None:
        require(width is None, "axes have the width of their figure", "width")
        return ndcg_curves(results, measure, ax, title=title, choice=choice, names=names, **options)
    # None counts as left out, and so does the default of names
    of_measures = {"ax": ax, "title": title, "names": None if names is True else names}
    refuse_others("the figure of a study", of_measures, (), dict.fromkeys(of_measures, "name a measure"))
    return summary_figure(results_of(results), width=width, choice=replace(Choice.given(choice), **options))


def order_figure(
    results: Results, pairs: Sequence[Pair], *, width: float | None = None, choice: Choice | None = None
) -> Figure:
    """Return a figure of one pair of scorers: the rates of a wrong order at n, and at some length from n on.

    ``pairs`` are the entries of `distinguish` for this pair of scorers.
    """
    results = results_of(results)
    with style():
        figure, axes = panels(2, height=2.9, width=width)
        for ax, from_n in zip(axes, (False, True), strict=True):
            wrong_order_rates(ax, pairs, from_n=from_n, choice=choice)
        outer_labels(axes)
        figure_legend(figure, order_handles(pairs, choice))
        _note_incomplete(figure, results)
    return figure


def pair_figures(results: Results, *, width: float | None = None) -> dict[Names, Figure]:
    """Return a figure for every pair of the study.

    It is an `order_figure`, or for a study of the rare engine an `error_exponent_figure`.
    """
    results = results_of(results)
    orders_by_pair = _orders_by_pair(results, None, None)
    return {
        pair: _pair_figure(results, entries, width=width, choice=None)
        for pair, entries in orders_by_pair.items()
    }


def _pair_figure(
    results: Results, entries: Callable[[], list[Pair]], *, width: float | None, choice: Choice | None
) -> Figure:
    if "log_weight" not in results.values:
        return order_figure(results, entries(), width=width, choice=choice)
    with style():
        figure = error_exponent_figure(entries(), results.study, width=width, choice=choice)
        _note_incomplete(figure, results)
    return figure


def _orders_by_pair(
    results: Results, measures: Sequence[Measure | str] | None, choice: Choice | None
) -> OrdersByPair:
    """Return functions for the pairs whose scorers are drawn; `distinguish` runs once, for all of them."""
    texts = [str(measure) for measure in _measures_of(results, measures)]
    styles = Choice.given(choice).of(results.study)
    all_entries = cache(
        lambda: [pair for pair in distinguish(results, exponents=False).pairs if pair.measure in texts]
    )

    def of(pair: Names) -> list[Pair]:
        return [entry for entry in all_entries() if entry.pair == pair]

    return {pair: partial(of, pair) for pair in results.study.pairs if styles.keys() >= set(pair)}


def _note_incomplete(figure: Figure, results: Results) -> None:
    if not results.complete:
        note(figure, f"Incomplete: {results.replicates_complete} of {results.replicates_wanted} replicates")


def study_drawings(
    results: Results,
    measures: Sequence[Measure | str] | None = None,
    *,
    width: float | None = None,
    choice: Choice | None = None,
) -> list[Drawing]:
    """Return the figures of a study, or those of some of its measures and scorers."""
    measure_list, study = _measures_of(results, measures), results.study
    figures: list[Drawing] = []
    rare = "log_weight" in results.values
    orders_by_pair = _orders_by_pair(results, measure_list, choice)  # which all figures of orders share
    if not rare:
        if orders_by_pair:
            first = measure_list[:_MOST_COLUMNS] if measures is None else measure_list
            summary = partial(_summary_figure, results, first, orders_by_pair, width=width, choice=choice)
            figures.append((("summary",), summary))
        if len(measure_list) > 1:
            overview = partial(overview_figure, results, width=width, choice=choice)
            figures += pages("overview", overview, measure_list, width)
        figures += [
            ((str(m),), partial(measure_figure, results, m, width=width, choice=choice)) for m in measure_list
        ]
        if len(study.scorers) > 1 and not study.pairs:
            say("no figure of which scorer is ahead: the study has no pairs")

    word = "error-exponent" if rare else "order"
    figures += [
        ((word, *pair), partial(_pair_figure, results, entries, width=width, choice=choice))
        for pair, entries in orders_by_pair.items()
    ]
    return figures
