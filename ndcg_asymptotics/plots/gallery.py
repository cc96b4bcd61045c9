"""Every figure of a study: one per measure, an overview, and one per pair."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ndcg_asymptotics.analysis.orders.distinguish import Pair, distinguish
from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.plots.choice import Choice
from ndcg_asymptotics.plots.curves import curve_key, limits_of, ndcg_curves, of_study, shared_limit
from ndcg_asymptotics.plots.inset import enlarge
from ndcg_asymptotics.plots.pairs import order_key, right_order, wrong_order
from ndcg_asymptotics.plots.speeds import speed_figure
from ndcg_asymptotics.plots.style import key, note, outer_labels, panels, save, style
from ndcg_asymptotics.progress import tracked
from ndcg_asymptotics.store import Results

_PAGE = 8.8  # inches of the panels of a figure that is to fit a page with its key and caption
_LOWEST = 1.2  # inches of a row in which anything is to be read
_LONGEST = 120  # bytes of a file's name, of the 255 that file systems allow


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
    drawn = (choice or Choice()).of(results.study)
    pairs = [pair for pair in results.study.pairs if drawn.keys() >= set(pair)]
    if not pairs:
        return {}
    texts = [str(measure) for measure in _chosen(results, measures)]
    found = [pair for pair in distinguish(results).pairs if pair.measure in texts]
    return {
        pair: order_figure(results, [f for f in found if f.pair == pair], width=width, choice=choice)
        for pair in pairs
    }


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


def draw_all(
    results: Results,
    folder: Path | str,
    *,
    measures: Sequence[Measure | str] | None = None,
    choice: Choice | None = None,
    formats: Sequence[str] = ("svg", "png"),
    dpi: float = 200,
    width: float | None = None,
    style_file: Path | str | None = None,
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
    formats : sequence of {"svg", "png", "pdf"}
    dpi : float
        Dots per inch of PNG files.
    width : float, optional
        Of every figure, in inches; by default one or two columns of a journal.
    style_file : path, optional
        A matplotlib style file, or the name of one of matplotlib's styles, that goes before our settings.

    Returns
    -------
    list of Path
        The files written.

    Raises
    ------
    InputError
        If no replicate is complete, or for a measure or scorer that the study does not have.
    """
    chosen = _chosen(results, measures)
    figures: list[Callable[[], Mapping[tuple[str, ...], Figure]]] = []

    def one(name: str, draw: Callable[..., Figure], *given: Any) -> None:
        figures.append(lambda: {(name,): draw(results, *given, width=width, choice=choice)})

    if "log_weight" in results.data:
        figures.append(lambda: {("speed", *pair): figure for pair, figure in speed_figures(results).items()})
    else:
        if len(chosen) > 1:
            one("overview", overview_figure, chosen)
        for measure in chosen:
            one(str(measure), measure_figure, measure)
        figures.append(
            lambda: {
                ("order", *pair): figure
                for pair, figure in order_figures(results, chosen, width=width, choice=choice).items()
            }
        )
    with style(style_file):
        drawn = [found for draw in tracked(figures, "figures") for found in draw().items()]
        results.kept.save()
        return save_all(drawn, folder, formats=formats, dpi=dpi)


def save_all(
    figures: Sequence[tuple[tuple[str, ...], Figure]], folder: Path | str, **options: Any
) -> list[Path]:
    """Save figures, each under its words as a name (`file_names`), with the options of `save`."""
    names = file_names([words for words, _ in figures])
    drawn = zip(names, figures, strict=True)
    return [path for name, (_, figure) in drawn for path in save(figure, folder, name, **options)]


def file_names(figures: Sequence[tuple[str, ...]]) -> list[str]:
    """Words such as a measure's text as names of files that need no quoting.

    Names that are too long, or another's but for the case of letters, end in a digest of their words.

    >>> file_names([("nDCG(power(0.5))@0.2n",), ("order", "a b", "c"), ("order", "a-b", "c")])
    ['nDCG-power-0.5-0.2n', 'order-a-b-c-f01d5d37', 'order-a-b-c-d0add6dd']
    """
    plain = [re.sub(r"[^\w.]+", "-", " ".join(words)).strip("-.") for words in figures]
    short = [name.encode()[:_LONGEST].decode(errors="ignore") for name in plain]
    often = Counter(name.casefold() for name in short)
    return [
        name if name and name == whole and often[name.casefold()] == 1 else f"{name}-{_digest(words)}"
        for name, whole, words in zip(short, plain, figures, strict=True)
    ]


def _digest(words: tuple[str, ...]) -> str:
    return hashlib.blake2b(repr(words).encode(), digest_size=4).hexdigest()
