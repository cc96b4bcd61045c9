"""Every figure of a study: one per measure, an overview, and one per pair."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, partial
from pathlib import Path
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ndcg_asymptotics.analysis.orders.distinguish import Pair, distinguish
from ndcg_asymptotics.core.progress import say, tracked
from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.plots.choice import Choice
from ndcg_asymptotics.plots.curves import curve_key, limits_of, ndcg_curves, of_study, shared_limit
from ndcg_asymptotics.plots.inset import enlarge
from ndcg_asymptotics.plots.orders.exponents import error_exponent_figure
from ndcg_asymptotics.plots.orders.pairs import order_key, right_order, wrong_order
from ndcg_asymptotics.plots.saving import Words, save_all
from ndcg_asymptotics.plots.style import key, note, outer_labels, panels, style
from ndcg_asymptotics.results import Results

_PAGE = 8.8  # inches of the panels of a figure that is to fit a page with its key and caption
_LOWEST = 1.2  # inches of a row in which anything is to be read


def measure_figure(
    results: Results,
    measure: Measure | str,
    *,
    title: str | None = None,
    width: float | None = None,
    height: float = 2.9,
    choice: Choice | None = None,
) -> Figure:
    """One measure: NDCG of every scorer against n; sizes in inches."""
    with style():
        figure, (ax,) = panels(1, height=height, width=width)
        _panel(ax, results, Measure.of(measure), choice or Choice(), title)
        key(figure, curve_key(results, [measure], choice))
        _say_incomplete(figure, results)
    return figure


def _panel(ax: Axes, results: Results, measure: Measure, choice: Choice, title: str | None = None) -> None:
    """`ndcg_curves`; scorers that share their limit are seen to come apart in an inset, if there is room."""
    ndcg_curves(results, measure, ax, title=title, choice=choice)
    if len(results.study.n) > 1 and shared_limit(limits_of(results.study, measure, choice)) is not None:
        enlarge(results, measure, ax, choice=choice)


def overview_figure(
    results: Results,
    measures: Sequence[Measure | str] | None = None,
    *,
    width: float | None = None,
    choice: Choice | None = None,
) -> Figure:
    """All measures of a study, or some, a panel for each."""
    chosen = _chosen(results, measures)
    with style():
        figure, axes = panels(len(chosen), width=width)
        for ax, measure in zip(axes, tracked(chosen, "overview"), strict=True):
            _panel(ax, results, measure, choice or Choice())
        outer_labels(axes)
        key(figure, curve_key(results, chosen, choice))
        _say_incomplete(figure, results)
    return figure


def _chosen(results: Results, measures: Sequence[Measure | str] | None) -> list[Measure]:
    if measures is None:
        return list(results.study.measures)
    return [of_study(results.study, measure) for measure in measures]


def order_figure(
    results: Results, pairs: Sequence[Pair], *, width: float | None = None, choice: Choice | None = None
) -> Figure:
    """One pair of scorers: a row per measure, the rate of the right order and of a wrong one.

    ``pairs`` are those of `distinguish` that have this pair of scorers. Rows are as high as a page allows.
    """
    with style():
        figure, axes = panels(2 * len(pairs), height=max(_LOWEST, min(2.1, _PAGE / len(pairs))), width=width)
        for row, pair in enumerate(pairs):
            right_order(axes[2 * row], pair, choice=choice)
            wrong_order(axes[2 * row + 1], pair, choice=choice)
        outer_labels(axes)
        for ax in axes[1::2]:
            ax.set_ylabel("rate of a wrong order")
        key(figure, order_key(pairs))
        _say_incomplete(figure, results)
    return figure


def order_figures(
    results: Results,
    measures: Sequence[Measure | str] | None = None,
    *,
    width: float | None = None,
    choice: Choice | None = None,
) -> dict[tuple[str, str], Figure]:
    """`order_figure` of every pair of the study whose scorers are drawn."""
    return _of_pairs(order_figure, results, measures, width, choice)


def error_exponent_figures(
    results: Results,
    measures: Sequence[Measure | str] | None = None,
    *,
    width: float | None = None,
    choice: Choice | None = None,
) -> dict[tuple[str, str], Figure]:
    """How fast the wrong order dies out, of every pair of a study of the rare engine that is drawn."""
    return _of_pairs(_error_exponent_figure, results, measures, width, choice)


def _of_pairs(
    draw: Callable[..., Figure], results: Results, measures: Sequence[Measure | str] | None,
    width: float | None, choice: Choice | None,
) -> dict[tuple[str, str], Figure]:  # fmt: skip
    found = _found(results, measures, choice)
    return {pair: draw(results, pairs(), width=width, choice=choice) for pair, pairs in found.items()}


def _error_exponent_figure(results: Results, pairs: Sequence[Pair], **options: Any) -> Figure:
    with style():
        figure = error_exponent_figure(pairs, results.study, **options)
        _say_incomplete(figure, results)
    return figure


def _found(
    results: Results, measures: Sequence[Measure | str] | None, choice: Choice | None
) -> dict[tuple[str, str], Callable[[], list[Pair]]]:
    """What `distinguish` finds of every pair that is drawn, sought when the first of them asks."""
    texts = [str(measure) for measure in _chosen(results, measures)]
    drawn = (choice or Choice()).of(results.study)
    found = cache(lambda: [pair for pair in distinguish(results).pairs if pair.measure in texts])

    def of(pair: tuple[str, str]) -> list[Pair]:
        return [one for one in found() if one.pair == pair]

    return {pair: partial(of, pair) for pair in results.study.pairs if drawn.keys() >= set(pair)}


def _say_incomplete(figure: Figure, results: Results) -> None:
    if not results.complete:
        note(
            figure,
            f"Incomplete: {results.replicates_complete} of {results.replicates_wanted} replicates",
        )


def draw_all(
    results: Results,
    folder: Path | str,
    *,
    measures: Sequence[Measure | str] | None = None,
    choice: Choice | None = None,
    width: float | None = None,
    **saved: Any,
) -> list[Path]:
    """Draw and save every figure of a study: an overview, one per measure, one per pair.

    Of a study of the rare engine: how fast the wrong order dies out, one per pair.

    Parameters
    ----------
    results : Results
        As `open_results` gives them; figures of incomplete ones say so.
    folder : path
        Where the files go.
    measures : sequence of Measure or text, optional
        Which of the study's.
    choice : Choice, optional
        Which scorers, and how they are drawn.
    width : float, optional
        Of every figure, in inches; by default one or two columns of a journal.
    **saved
        ``formats``, a sequence of {"svg", "png", "pdf"}; ``dpi`` of PNG files; ``style_file``, a matplotlib
        style file, or the name of one of matplotlib's styles, that goes before our settings.

    Returns
    -------
    list of Path
        The files written.

    Raises
    ------
    InputError
        If no replicate is complete, or for a measure or scorer that the study does not have.
    """
    chosen, study = _chosen(results, measures), results.study
    options: dict[str, Any] = {"width": width, "choice": choice}
    figures: list[tuple[Words, Callable[[], Figure]]] = []
    rare = "log_weight" in results.data
    if not rare:
        if len(chosen) > 1:
            figures.append((("overview",), partial(overview_figure, results, chosen, **options)))
        figures += [((str(m),), partial(measure_figure, results, m, **options)) for m in chosen]
        if len(study.scorers) > 1 and not study.pairs:
            say("no figure of which scorer is ahead: the study has no pairs")

    def of_pair(found: Callable[[], list[Pair]]) -> Figure:
        return (_error_exponent_figure if rare else order_figure)(results, found(), **options)

    word = "error-exponent" if rare else "order"
    found = _found(results, chosen, choice)
    figures += [((word, *pair), partial(of_pair, pairs)) for pair, pairs in found.items()]
    return save_all(figures, folder, **saved)
