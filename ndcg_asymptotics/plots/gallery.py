"""All figures of a study: an overview, one figure per measure, and one per pair of scorers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, partial

from matplotlib.figure import Figure

from ndcg_asymptotics.analysis.orders.distinguish import distinguish
from ndcg_asymptotics.analysis.orders.pair import Pair
from ndcg_asymptotics.core.arrays import as_list
from ndcg_asymptotics.core.errors import require
from ndcg_asymptotics.core.progress import say, tracked
from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.plots.choice import Choice
from ndcg_asymptotics.plots.curves import (
    curve_handles,
    enlarge,
    limits_of,
    ndcg_curves,
    of_study,
    shared_limit,
    vanishes,
)
from ndcg_asymptotics.plots.layout import note, outer_labels, panels
from ndcg_asymptotics.plots.marks import figure_legend
from ndcg_asymptotics.plots.orders import error_exponent_figure, order_handles, wrong_order_rates
from ndcg_asymptotics.plots.saving import Drawing
from ndcg_asymptotics.plots.style import style
from ndcg_asymptotics.results import Results
from ndcg_asymptotics.results.opening import results_of


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
    chosen, study = _chosen(results, measures), results.study
    single = len(chosen) == 1
    with style():
        figure, axes = panels(len(chosen), height=2.9 if single else 2.3, width=width)
        for ax, measure in zip(axes, chosen if single else tracked(chosen, "overview"), strict=True):
            ndcg_curves(results, measure, ax, choice=choice, names=single)
            limits = limits_of(study, measure, choice)
            if len(study.n) > 1 and shared_limit(limits) is not None and not vanishes(study, limits):
                enlarge(results, measure, ax, choice=choice)
        outer_labels(axes)
        figure_legend(figure, curve_handles(results, chosen, choice, names=not single))
        _note_incomplete(figure, results)
    return figure


def _chosen(results: Results, measures: Sequence[Measure | str] | None) -> list[Measure]:
    if measures is None:
        return list(results.study.measures)
    several = as_list(measures, "measures", (str, Measure))
    require(len(several) > 0, "must name at least one measure", "measures")
    return [of_study(results.study, measure) for measure in several]


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


def pair_figures(
    results: Results,
    measures: Sequence[Measure | str] | None = None,
    *,
    width: float | None = None,
    choice: Choice | None = None,
) -> dict[tuple[str, str], Figure]:
    """Return a figure for every pair of the study whose scorers are drawn.

    It is an `order_figure`, or for a study of the rare engine an `error_exponent_figure`.
    """
    results = results_of(results)
    found = _found(results, measures, choice)
    return {
        pair: _pair_figure(results, entries, width=width, choice=choice) for pair, entries in found.items()
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


def _found(
    results: Results, measures: Sequence[Measure | str] | None, choice: Choice | None
) -> dict[tuple[str, str], Callable[[], list[Pair]]]:
    """Return functions, by pair, that return its entries of `distinguish`, which runs at the first call."""
    texts = [str(measure) for measure in _chosen(results, measures)]
    drawn = Choice.given(choice).of(results.study)
    found = cache(
        lambda: [pair for pair in distinguish(results, exponents=False).pairs if pair.measure in texts]
    )

    def of(pair: tuple[str, str]) -> list[Pair]:
        return [one for one in found() if one.pair == pair]

    return {pair: partial(of, pair) for pair in results.study.pairs if drawn.keys() >= set(pair)}


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
    chosen, study = _chosen(results, measures), results.study
    figures: list[Drawing] = []
    rare = "log_weight" in results.values
    if not rare:
        if len(chosen) > 1:
            figures.append(
                (("overview",), partial(overview_figure, results, chosen, width=width, choice=choice))
            )
        figures += [
            ((str(m),), partial(measure_figure, results, m, width=width, choice=choice)) for m in chosen
        ]
        if len(study.scorers) > 1 and not study.pairs:
            say("no figure of which scorer is ahead: the study has no pairs")

    word = "error-exponent" if rare else "order"
    found = _found(results, chosen, choice)
    figures += [
        ((word, *pair), partial(_pair_figure, results, entries, width=width, choice=choice))
        for pair, entries in found.items()
    ]
    return figures
