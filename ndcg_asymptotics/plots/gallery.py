"""Every figure of a study: one per measure, an overview, and one per pair."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ndcg_asymptotics.analysis.distinguish import Pair, distinguish
from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.plots.curves import curve_key, enlarge, limits_of, ndcg_curves, shared_limit
from ndcg_asymptotics.plots.pairs import order_key, right_order, wrong_order
from ndcg_asymptotics.plots.speeds import speed_figure
from ndcg_asymptotics.plots.style import key, note, outer_labels, panels, save, style
from ndcg_asymptotics.store import Results


def measure_figure(results: Results, measure: Measure | str) -> Figure:
    """One measure: NDCG of every scorer against n."""
    with style():
        figure, (ax,) = panels(1, height=2.9)
        _panel(ax, results, Measure.of(measure))
        key(figure, curve_key(results, [measure]))
        _say_incomplete(figure, results)
    return figure


def _panel(ax: Axes, results: Results, measure: Measure) -> None:
    """`ndcg_curves`; scorers that share their limit are seen to come apart in an inset."""
    ndcg_curves(results, measure, ax)
    if len(results.study.n) > 1 and shared_limit(limits_of(results.study, measure)) is not None:
        enlarge(results, measure, ax)


def overview_figure(results: Results) -> Figure:
    """All measures of a study, a panel for each."""
    measures = results.study.measures
    with style():
        figure, axes = panels(len(measures))
        for ax, measure in zip(axes, measures, strict=True):
            _panel(ax, results, measure)
        outer_labels(axes)
        key(figure, curve_key(results, measures))
        _say_incomplete(figure, results)
    return figure


def order_figure(results: Results, pairs: Sequence[Pair]) -> Figure:
    """One pair of scorers: a row per measure, the rate of the right order and of a wrong one.

    ``pairs`` are those of `distinguish` that have this pair of scorers.
    """
    with style():
        figure, axes = panels(2 * len(pairs), height=2.1)
        for row, pair in enumerate(pairs):
            right_order(axes[2 * row], pair)
            wrong_order(axes[2 * row + 1], pair)
        key(figure, order_key(pairs))
        _say_incomplete(figure, results)
    return figure


def order_figures(results: Results) -> dict[tuple[str, str], Figure]:
    """`order_figure` of every pair of the study."""
    pairs = results.study.pairs
    found = distinguish(results).pairs if pairs else []
    return {pair: order_figure(results, [f for f in found if f.pair == pair]) for pair in pairs}


def speed_figures(results: Results) -> dict[tuple[str, str], Figure]:
    """`speeds.speed_figure` of every pair of a study of the rare engine."""
    found = distinguish(results).pairs
    with style():
        figures = {
            pair: speed_figure([f for f in found if f.pair == pair], results.study)
            for pair in results.study.pairs
        }
    for figure in figures.values():
        _say_incomplete(figure, results)
    return figures


def _say_incomplete(figure: Figure, results: Results) -> None:
    if not results.complete:
        note(
            figure,
            f"Incomplete: {results.replicates_complete} of {results.replicates_wanted} replicates",
        )


def draw_all(results: Results, folder: Path | str) -> list[Path]:
    """Draw and save every figure of a study: an overview, one per measure, one per pair.

    Of a study of the rare engine: how fast the wrong order dies out, one per pair.

    Parameters
    ----------
    results : Results
        As `open_results` gives them; figures of incomplete ones say so.
    folder : path
        Where SVG and PNG files go.

    Returns
    -------
    list of Path
        The files written.

    Raises
    ------
    InputError
        If no replicate is complete.
    """
    if "log_weight" in results.data:
        speeds = {f"speed {a} {b}": figure for (a, b), figure in speed_figures(results).items()}
        return [path for name, figure in speeds.items() for path in save(figure, folder, file_name(name))]
    measures = results.study.measures
    figures = {"overview": overview_figure(results)} if len(measures) > 1 else {}
    figures |= {str(measure): measure_figure(results, measure) for measure in measures}
    figures |= {f"order {a} {b}": figure for (a, b), figure in order_figures(results).items()}
    return [path for name, figure in figures.items() for path in save(figure, folder, file_name(name))]


def file_name(text: str) -> str:
    """A text such as a measure's as the name of a file that needs no quoting.

    >>> file_name("nDCG(power(0.5))@0.2n")
    'nDCG-power-0.5-0.2n'
    """
    return re.sub(r"[^\w.]+", "-", text).strip("-")
