"""NDCG against the list length: simulation, exact mean and limit in one panel, with an inset at its end."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Unpack

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from ndcg_asymptotics.core.arrays import Integers, as_list, filled_in, instance_of, require_flag
from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.plots.choice import Choice, ChoiceOptions, value_label
from ndcg_asymptotics.plots.layout import axes_of, titles
from ndcg_asymptotics.plots.margin import margin_labels
from ndcg_asymptotics.plots.marks import band, grey_band, grey_line, handle, scientific, white_marker
from ndcg_asymptotics.plots.scales import length_axis, log_axis
from ndcg_asymptotics.plots.style import GREY, LineStyle
from ndcg_asymptotics.results import Results
from ndcg_asymptotics.results.opening import results_of
from ndcg_asymptotics.studies import Study
from ndcg_asymptotics.theory.limits import Limit, limit
from ndcg_asymptotics.theory.mean import relative_means

_MARKERS = 18  # approximate number of markers on a curve
_NAMED = 2  # scorers that a title names one by one
_SAME = 1e-9  # limits that are closer are drawn as one line
_RELIABLE = 10.0  # lists times mean: a mean of numbers in [0, 1] has then a relative error of 1/3 at most
_VISIBLE = 0.005  # a narrower bracket cannot be seen; the legend has its width alone
_LOWEST = 1e-12  # end of a logarithmic axis

Bounds = tuple[float, float, float, float]
"""Left, bottom, width and height of an inset, as fractions of the axes."""

_LOWER_RIGHT: Bounds = (0.51, 0.16, 0.46, 0.42)
_UPPER_RIGHT: Bounds = (0.51, 0.55, 0.46, 0.42)
_NEAR_AN_EDGE = 0.35  # curves that end within this part of the axes leave the opposite corner free
_ENLARGED = 0.4  # the part of log n, at its end, that an inset shows


def ndcg_curves(
    results: Results | str | Path,
    measure: Measure | str,
    ax: Axes | None = None,
    *,
    title: str | None = None,
    choice: Choice | None = None,
    names: bool = True,
    **options: Unpack[ChoiceOptions],
) -> Axes:
    """Draw NDCG_n, or DCG_n / F(k(n)), of every scorer against n.

    Markers are means over replicates, and a band lies between their 5% and 95% quantiles. Where the engine
    brackets each value, a second, darker band is the mean bracket. A line is the exact mean; where it is not
    known to 1e-3, a thin line joins the simulated means instead. A dotted line is the limit; the label at
    the end of the curve has its value and the title its theorem. Where the number of relevant items is fixed
    and NDCG tends to 0, the axis is logarithmic, and the markers end where rare lists, which few replicates
    have, make up the mean.

    Parameters
    ----------
    results : Results, or the path of their folder
    measure : Measure or its text
        A measure of the study.
    ax : matplotlib Axes, optional
        The current ones by default.
    title : str, optional
        The title to use instead of the measure's formula.
    choice : Choice, optional
        The scorers to draw, with their labels and colours.
    names : bool
        Whether the labels at the ends of the curves name the scorers, which a legend may do instead.
    **options
        Fields of `Choice` that replace those of ``choice``.

    Raises
    ------
    InputError
        If the study does not have the measure or a scorer.
    """
    ax = axes_of(ax)
    require_flag(names, "names")
    results, choice = results_of(results), replace(Choice.given(choice), **options)
    measure = results.study.measure(measure)
    limits = limits_of(results.study, measure, choice)
    for name, (_, line) in choice.of(results.study).items():
        draw_scorer(ax, results, measure, name, line, choice)
    length_axis(ax, results.study.n)
    if vanishes(results.study, limits):
        log_axis(ax.yaxis)
        scorers = [scorer for scorer, _ in choice.of(results.study).values()]
        ends = [relative_means(scorer, measure, results.study.n[-1:])[0] for scorer in scorers]
        ax.set_ylim(max(_LOWEST, 0.3 * float(np.nanmin([*ends, 1.0]))), 1.5)
    else:
        ax.set_ylim(0, 1.02 if measure.normalised else None)
    ax.set_ylabel(value_label(measure))
    titles(ax, choice.title(measure) if title is None else title, theorems(limits, choice))
    _draw_limits(ax, results, measure, limits, choice, names=names)
    return ax


def limits_of(study: Study, measure: Measure, choice: Choice) -> dict[str, Limit]:
    """Return what theory knows about the limit of each scorer."""
    return {name: limit(scorer, measure) for name, (scorer, _) in choice.of(study).items()}


def vanishes(study: Study, limits: dict[str, Limit]) -> bool:
    """Return whether the number of relevant items is fixed and NDCG of every scorer tends to 0."""
    return not study.population.iid and all(asymptote.value == 0 for asymptote in limits.values())


def _shown(sizes: Sequence[int]) -> Integers:
    """Return the positions of the sizes that get a marker, including the first and the last one."""
    step = max(1, round(len(sizes) / _MARKERS))
    return np.unique([0, *range(len(sizes) - 1, -1, -step)])


def draw_scorer(
    ax: Axes, results: Results, measure: Measure, name: str, line: LineStyle, choice: Choice, first: int = 0
) -> None:
    """Draw the band, bracket, exact mean and simulated mean of a scorer, from the ``first`` size on."""
    study, cell = results.study, results.relative(name, measure)
    sizes, values = np.array(study.n, np.float64), cell["ndcg"]
    if choice.band is not None and len(values) > 1:
        low, high = np.quantile(values, choice.band, axis=0)
        band(ax, sizes[first:], low[first:], high[first:], line.color, 0.14)
        for edge in (low, high):  # edges tell overlapping bands apart
            ax.plot(sizes[first:], edge[first:], color=line.color, alpha=0.6, lw=0.5, ls=line.dashes)
    positions = _shown(study.n)
    positions = positions[positions >= first]
    lengths = filled_in([study.n[i] for i in positions])
    exact = relative_means(study.scorers[name], measure, lengths)
    n, mean = sizes[positions], values.mean(axis=0)[positions]
    if "low" in cell and study.population.iid:  # with few relevant items it has no width
        below, above = (cell[side].mean(axis=0)[positions] for side in ("low", "high"))
        band(ax, n, below, above, line.color, 0.45)
    # a line with a single point would be invisible
    marker = "_" if len(sizes) == 1 else "none"
    ax.plot(lengths, exact, color=line.color, ls=line.dashes, marker=marker, ms=16)
    unknown = np.isnan(exact[np.isin(lengths, n)])
    if unknown.any():  # a thin line leads the eye along the markers instead
        ax.plot(n, np.where(unknown, mean, np.nan), color=line.color, lw=0.5)
    reliable = (mean * len(values) >= _RELIABLE) | study.population.iid
    ax.plot(n[reliable], mean[reliable], ls="none", **line.hollow, zorder=3)


def shared_limit(limits: dict[str, Limit]) -> float | None:
    """Return the limit that two or more scorers share; None if they do not."""
    values = [asymptote.value for asymptote in limits.values() if asymptote.value is not None]
    if len(values) < max(2, len(limits)) or max(values) - min(values) > _SAME:
        return None
    return values[0]


def theorems(limits: dict[str, Limit], choice: Choice) -> str:
    """Return the theorems about the limits of a panel's scorers, and who does not meet their assumptions."""
    asymptotes = list(limits.values())
    sources = _sources(f.theorem for f in asymptotes)
    if all(f.converges is False for f in asymptotes):
        return f"no limit ({sources})"
    if all(f.converges is None for f in asymptotes):
        return "limit unknown"
    unmet = [choice.label(name).replace("\n", " ") for name, f in limits.items() if f.unmet]
    if not unmet:
        return sources
    subject = ", ".join(unmet) if len(unmet) <= _NAMED else f"{len(unmet)} scorers"
    return f"{sources}; assumptions not met: {subject}"


def _sources(theorems: Iterable[str]) -> str:
    """Return the sources of limits in one line.

    >>> _sources(["beyond the paper (as Theorem 6)", "Theorem 6", "none"])
    'Theorem 6, in part beyond the paper'
    """
    sources = dict.fromkeys(theorem for theorem in theorems if theorem != "none")
    alike = {like: theorem for theorem in sources if (like := f"beyond the paper (as {theorem})") in sources}
    partly = set(alike.values())
    return " / ".join(
        f"{t}, in part beyond the paper" if t in partly else t for t in sources if t not in alike
    )


def _draw_limits(
    ax: Axes, results: Results, measure: Measure, limits: dict[str, Limit], choice: Choice, *, names: bool
) -> None:
    ends = _means_at_the_end(results, measure, limits)
    common = shared_limit(limits)
    labels: list[tuple[float, str, LineStyle | str]] = []
    if common is not None:
        ax.axhline(common, color=GREY, ls=":", lw=0.9, zorder=1)
        labels.append((common, f"limit {_short(common)}", GREY))
    styles = choice.of(results.study)
    for name, asymptote in limits.items():
        _, line = styles[name]
        words = [choice.label(name)] if names else []
        if asymptote.value is not None and common is None:
            ax.axhline(asymptote.value, color=line.color, ls=":", lw=0.9, zorder=1)
            words.append(f"→ {_short(asymptote.value)}")
        if words:
            labels.append((ends[name], "\n".join(words), line))
    margin_labels(ax, labels)


def _means_at_the_end(results: Results, measure: Measure, scorers: Iterable[str]) -> dict[str, float]:
    return {name: float(results.relative(name, measure)["ndcg"][:, -1].mean()) for name in scorers}


def _short(value: float) -> str:
    return f"{value:.0f}" if abs(value - round(value)) < _SAME else f"{value:.3f}"


def curve_handles(
    results: Results, measures: Sequence[Measure | str], choice: Choice | None = None, *, names: bool = False
) -> list[Artist]:
    """Return legend handles for the markers, lines and bands in the panels of these measures.

    With ``names`` those of the scorers come first, for panels whose labels do not name them.
    """
    results, choice = results_of(results), Choice.given(choice)
    require_flag(names, "names")
    study, styles = results.study, choice.of(results.study)
    measure_list = [study.measure(measure) for measure in as_list(measures, "measures", (str, Measure))]
    scorers = [scorer for scorer, _ in styles.values()]
    count = results.replicates_complete
    mean = f"mean of {count} replicates" if count > 1 else "one replicate"
    handles: list[Artist] = [handle(line, choice.label(name)) for name, (_, line) in styles.items() if names]
    handles.append(white_marker(mean))
    if choice.band is not None and count > 1:
        low, high = (f"{100 * quantile:g}" for quantile in choice.band)
        handles.append(grey_band(f"{low}–{high}% of replicates"))
    sizes = tuple(study.n[i] for i in _shown(study.n))
    if any(np.isfinite(relative_means(s, m, sizes)).any() for s in scorers for m in measure_list):
        handles.append(grey_line("exact mean"))
    if "low" in results.values and study.population.iid:
        cells = [results.relative(name, m) for m in measure_list for name in styles]
        width = max(float((cell["high"] - cell["low"]).max()) for cell in cells)
        if width > _VISIBLE:
            handles.append(grey_band(f"bracket (at most {scientific(width)})", alpha=0.6))
        else:
            handles.append(Line2D([], [], ls="none", label=f"brackets: at most {scientific(width)}"))
    if any(limit(s, m).value is not None for s in scorers for m in measure_list) and study.population.iid:
        handles.append(grey_line("limit", ls=":", lw=0.9))
    return handles


def _free_corner(ax: Axes, end: float) -> Bounds | None:
    """Return the right corner away from curves that end at height ``end``; None if neither is free."""
    height = float((ax.transData - ax.transAxes).transform((ax.get_xlim()[1], end))[1])
    if height > 1 - _NEAR_AN_EDGE:
        return _LOWER_RIGHT
    return _UPPER_RIGHT if height < _NEAR_AN_EDGE else None


def enlarge(
    results: Results,
    measure: Measure | str,
    ax: Axes,
    *,
    choice: Choice | None = None,
) -> Axes | None:
    """Draw an inset that enlarges the end of curves with one limit, where the scorers' means come apart.

    It takes the right corner that the curves leave free; there is none if they end in the middle of the axes.
    """
    results, choice, ax = results_of(results), Choice.given(choice), instance_of(ax, Axes, "ax")
    study, measure = results.study, results.study.measure(measure)
    limits = limits_of(study, measure, choice)
    ends = list(_means_at_the_end(results, measure, study.scorers).values())
    bounds = _free_corner(ax, float(np.mean(ends)))
    if bounds is None:
        return None
    start = study.n[-1] * (study.n[0] / study.n[-1]) ** _ENLARGED
    first = min(int(np.searchsorted(study.n, start * (1 - 1e-9))), max(len(study.n) - 2, 0))
    inset = ax.inset_axes(bounds)
    lows, highs = [], []
    for name, (_, line) in choice.of(study).items():
        draw_scorer(inset, results, measure, name, line, choice, first)
        values = results.relative(name, measure)["ndcg"][:, first:]
        mean = values.mean(axis=0)
        # the inset holds all means, but not the bands of the shortest lists
        low, high = np.quantile(values, choice.band or (0.5, 0.5), axis=0)[:, len(mean) // 3 :]
        lows.append(min(low.min(), mean.min()))
        highs.append(max(high.max(), mean.max()))
    length_axis(inset, study.n[first:], most=4)
    inset.set_xlabel("")
    margin = 0.06 * (max(highs) - min(lows))
    top = max(highs) + margin
    inset.set_ylim(min(lows) - margin, min(1.0, top) if measure.normalised else top)
    inset.tick_params(labelsize=6.5)
    if (common := shared_limit(limits)) is not None:
        inset.axhline(common, color=GREY, ls=":", lw=0.9, zorder=1)
    for spine in inset.spines.values():
        spine.set_visible(True)
        spine.set_color(GREY)
    ax.indicate_inset_zoom(inset, edgecolor=GREY, alpha=0.6, lw=0.5)
    return inset
