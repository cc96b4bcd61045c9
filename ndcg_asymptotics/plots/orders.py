"""The order of two scorers against the list length: how often it is wrong, and how fast errors die out."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from ndcg_asymptotics.core.arrays import Floats, as_list, instance_of, require_flag
from ndcg_asymptotics.core.defaults import LEVEL
from ndcg_asymptotics.core.errors import require
from ndcg_asymptotics.core.text import shortened
from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.orders.pair import Pair
from ndcg_asymptotics.orders.prediction import predicted_nats
from ndcg_asymptotics.plots.choice import Choice
from ndcg_asymptotics.plots.layout import DOUBLE, axes_of, panels, titles
from ndcg_asymptotics.plots.margin import margin_labels
from ndcg_asymptotics.plots.marks import (
    band,
    figure_legend,
    grey_band,
    grey_line,
    grey_marker,
    handle,
    white_marker,
)
from ndcg_asymptotics.plots.scales import length_axis, log_axis
from ndcg_asymptotics.plots.style import GREY, LineStyle, MarkerSettings, measure_styles
from ndcg_asymptotics.stats.rates import NORMAL_QUANTILE, Rate
from ndcg_asymptotics.studies import Study
from ndcg_asymptotics.theory.orders import error_exponent

_LONGEST = 22  # characters of a name in a title
NONE_WRONG: MarkerSettings = {"marker": r"$\downarrow$", "ms": 5, "mew": 0.2}
_MARKERS = 12  # approximate number of markers on a curve


def wrong_order_rates(
    ax: Axes, pairs: Sequence[Pair], *, from_n: bool = False, choice: Choice | None = None
) -> Axes:
    """Draw the rate of a wrong order of one pair against n, with intervals, a curve for each measure.

    Where no replicate is wrong, an arrow at the upper end of the interval stands in place of a marker. A
    measure by which neither scorer is better has no curve.

    Parameters
    ----------
    pairs : sequence of Pair
        The entries of `distinguish` for this pair, one per measure.
    from_n : bool
        Whether an order counts that is wrong at n or at any greater length, instead of at n alone.
    """
    ax, pairs, choice = axes_of(ax), _pairs(pairs), Choice.given(choice)
    require_flag(from_n, "from_n")
    lines = measure_styles(pair.measure for pair in pairs)
    for pair in pairs:
        if pair.right is None:
            continue
        _draw_rates(ax, pair.from_n if from_n else pair.points, lines[pair.measure])
    with_curve = [p for p in pairs if p.right is not None]
    _probability_axis(ax, [rates for p in with_curve for rates in (p.points, p.from_n)])
    sizes = [rate.n for rate in pairs[0].points]
    last = max((_none_from(rates) for p in with_curve for rates in (p.points, p.from_n)), default=len(sizes))
    length_axis(ax, sizes[: last + 1])
    bound = " (seen at the study's lengths)" if from_n and pairs[0].from_n_is_upper_bound else ""
    if from_n:
        titles(ax, f"at some length from $n$ on{bound}")
    else:
        titles(ax, "at $n$", _meaning(pairs, choice))
    return ax


def wrong_orders_of_pairs(
    ax: Axes, pairs: Sequence[Pair], lines: Mapping[tuple[str, str], LineStyle]
) -> Axes:
    """Draw the rate of a wrong order at n by one measure, with intervals, a curve for each pair of scorers.

    ``pairs`` are entries of `distinguish` for one measure; a pair of which neither is better has no curve.
    """
    ax, with_curve = axes_of(ax), [pair for pair in _pairs(pairs) if pair.right is not None]
    for pair in with_curve:
        _draw_rates(ax, pair.points, lines[pair.pair])
    _probability_axis(ax, [pair.points for pair in with_curve])
    length_axis(ax, [rate.n for rate in pairs[0].points])
    return ax


def _draw_rates(ax: Axes, rates: Sequence[Rate], line: LineStyle) -> None:
    """Draw probabilities of a wrong order with their intervals; an arrow where none was wrong."""
    n = np.array([rate.n for rate in rates], np.float64)
    wrong, low, high = 1 - np.array([[rate.rate, rate.high, rate.low] for rate in rates]).T
    positive = wrong > 0
    last = _none_from(rates)
    band(ax, n[: last + 1], low[: last + 1], high[: last + 1], line.color, 0.14)
    step = max(1, round(np.count_nonzero(positive) / _MARKERS))
    ax.plot(
        n[positive], wrong[positive], color=line.color, ls=line.dashes, markevery=step, ms=2.8, **line.hollow
    )
    zeros = np.flatnonzero(~positive)
    zeros = zeros[zeros <= last]  # beyond them one more says nothing new
    ax.plot(n[zeros], high[zeros], color=line.color, ls="none", **NONE_WRONG)


def _probability_axis(ax: Axes, curves: Sequence[Sequence[Rate]]) -> None:
    """Make the y axis one of probabilities, down to a little below the lowest marker or arrow."""
    log_axis(ax.yaxis)
    shown = [1 - (rate.rate if rate.rate < 1 else rate.low) for rates in curves for rate in rates]
    lowest = min((probability for probability in shown if probability > 0), default=1.0)
    ax.set_ylim(min(0.2, 0.5 * lowest), 1.2)
    ax.set_ylabel("P(wrong order)")


def _pairs(entries: Sequence[Pair]) -> list[Pair]:
    """Return entries of `distinguish`, at least one."""
    pairs = [instance_of(pair, Pair, "pairs") for pair in as_list(entries, "pairs")]
    require(len(pairs) > 0, "must hold at least one entry of what distinguish returns", "pairs")
    return pairs


def _none_from(rates: Sequence[Rate]) -> int:
    """Return the position from which on no replicate is wrong."""
    return max((i + 1 for i, rate in enumerate(rates) if rate.rate < 1), default=0)


def _meaning(pairs: Sequence[Pair], choice: Choice) -> str:
    """Return what P(wrong order) is, with the name of the better scorer, if all measures agree about it."""
    right = {pair.right for pair in pairs} - {None}
    if len(right) != 1:
        return ""
    (better,) = right
    return f"1 − P({_name(str(better), choice)} ahead)"


def _name(name: str, choice: Choice) -> str:
    label = name if name in choice.labels else shortened(name, _LONGEST)
    return choice.label(label).replace("\n", " ")


def order_handles(pairs: Sequence[Pair], choice: Choice | None = None) -> list[Artist]:
    """Return legend handles that name the measures of `wrong_order_rates`."""
    pairs, choice = _pairs(pairs), Choice.given(choice)
    lines = measure_styles(pair.measure for pair in pairs)
    agree = len({pair.right for pair in pairs} - {None}) == 1
    handles: list[Artist] = []
    for pair in pairs:
        line, text = lines[pair.measure], choice.formula(pair.measure)
        if pair.right is None:
            handles.append(Line2D([], [], ls="none", label=f"{text}: neither is better"))
            continue
        ahead = "" if agree else f": 1 − P({_name(pair.right, choice)} ahead)"
        handles.append(handle(line, text + ahead))
    with_curve = [pair for pair in pairs if pair.right is not None]
    if with_curve:
        handles.append(grey_band(f"{LEVEL:.0%} band"))
    return handles + _arrow(rates for pair in with_curve for rates in (pair.points, pair.from_n))


def pair_handles(
    pairs: Sequence[Pair], lines: Mapping[tuple[str, str], LineStyle], choice: Choice
) -> list[Artist]:
    """Return legend handles that name the pairs of scorers of `wrong_orders_of_pairs`."""
    handles: list[Artist] = []
    for names, line in lines.items():
        first, second = (_name(name, choice) for name in names)
        handles.append(handle(line, f"wrong order of {first} and {second}"))
    return handles + _arrow(pair.points for pair in pairs)


def _arrow(curves: Iterable[Sequence[Rate]]) -> list[Artist]:
    """Return the legend handle of the arrow, if no replicate is wrong somewhere."""
    return [none_wrong()] if any(rate.rate == 1 for rates in curves for rate in rates) else []


def none_wrong() -> Line2D:
    """Return the legend handle of the arrow where no replicate is wrong."""
    label = "none wrong: upper end of the interval"
    return Line2D([], [], ls="none", color=GREY, label=label, **NONE_WRONG)


_LOWEST, _HIGHEST = 0.25, 150.0  # range of the axis of -log10 P
_PER_DECADE = 3  # points of a predicted line
_MISFIT = 3.0  # standard errors beyond which a simulated value is marked
_FURTHER = 4.0  # a predicted line ends at this multiple of the highest value of the axis


def order_error_exponents(
    ax: Axes, pairs: Sequence[Pair], study: Study, *, choice: Choice | None = None
) -> Axes:
    """Draw -log10 P(wrong at n) of a pair for several measures, on two logarithmic axes.

    Lines are predicted without simulation. Points are simulated estimates, where they are reliable, with 95%
    intervals; a filled one is more than three standard errors from its line. A power of n is a straight line
    on these axes; its label has the slope at the last point and, after an arrow, the limit of the slope as n
    grows, which is the error exponent. A key has the labels of lines that leave the axes, in that order.
    """
    ax, pairs, study = axes_of(ax), _pairs(pairs), instance_of(study, Study, "study")
    choice = Choice.given(choice)
    labels: list[tuple[float, str, LineStyle | str]] = []
    leaving: list[tuple[float, LineStyle, str]] = []
    lines = measure_styles(pair.measure for pair in pairs)
    for pair in pairs:
        measure, line = study.measure(pair.measure), lines[pair.measure]
        sizes, nats = _predicted(study, pair)
        ax.plot(sizes, nats / math.log(10), color=line.color, ls=line.dashes, lw=0.9, zorder=2)
        reliable = [point for point in pair.points if point.reliable and point.log10_wrong is not None]
        for points, face in zip(misfits(study, pair, reliable), ("white", line.color), strict=True):
            if not points:
                continue
            markers: MarkerSettings = {**line.hollow, "mfc": face, "ms": 3.0}
            ax.errorbar(
                [point.n for point in points],
                [-(point.log10_wrong or 0.0) for point in points],
                yerr=[point.log10_error for point in points],
                color=line.color,
                elinewidth=0.9,
                ls="none",
                zorder=3,
                **markers,
            )
        if len(sizes):
            end, text = nats[-1] / math.log(10), _label(study, pair, measure, sizes, nats, choice)
            if end <= _HIGHEST:
                labels.append((end, text, line))
            else:
                leaving.append((float(np.interp(_HIGHEST, nats / math.log(10), sizes)), line, text))
    highest = _HIGHEST if leaving else max((value for value, _, _ in labels), default=1.0)
    log_axis(ax.yaxis)
    ax.set_ylim(_LOWEST, min(_HIGHEST, max(1.0, 1.6 * highest)))
    ax.set_ylabel(r"$-\log_{10}$ P(wrong order) at $n$")
    length_axis(ax, study.n)
    a, b = (choice.label(name).replace("\n", " ") for name in pairs[0].pair)
    titles(ax, f"{a} against {b}", "labels: slope at the end of the line → as $n\\to\\infty$")
    margin_labels(ax, labels)
    if leaving:
        keys = [handle(line, text) for _, line, text in sorted(leaving, key=lambda entry: entry[0])]
        ax.legend(handles=keys, loc="upper left")
    return ax


def misfits(study: Study, pair: Pair, points: Sequence[Rate]) -> tuple[list[Rate], list[Rate]]:
    """Return points that agree with the prediction, and those more than three standard errors from it."""
    predicted = predicted_nats(study, pair, [point.n for point in points]) if points else []
    predicted += [math.nan] * (len(points) - len(predicted))  # no prediction is no misfit
    split: tuple[list[Rate], list[Rate]] = ([], [])
    for point, nats in zip(points, predicted, strict=True):
        apart = abs(nats / math.log(10) + (point.log10_wrong or 0.0))
        split[apart > _MISFIT / NORMAL_QUANTILE * point.log10_error].append(point)
    return split


def _predicted(study: Study, pair: Pair) -> tuple[Floats, Floats]:
    """Return list lengths and the predicted -log P(wrong) there, to a little beyond the end of the axis."""
    count = 1 + math.ceil(_PER_DECADE * math.log10(study.n[-1] / study.n[0]))
    sizes = [round(n) for n in np.geomspace(study.n[0], study.n[-1], count)]
    nats = predicted_nats(study, pair, sizes, most=_FURTHER * _HIGHEST * math.log(10))
    return np.array(sizes[: len(nats)], np.float64), np.array(nats)


def _label(study: Study, pair: Pair, measure: Measure, sizes: Floats, nats: Floats, choice: Choice) -> str:
    inside = np.flatnonzero(nats <= _HIGHEST * math.log(10))
    last = inside[-2:] if len(inside) > 1 else np.arange(2)
    slope = np.diff(np.log(nats[last]))[0] / np.diff(np.log(sizes[last]))[0] if len(sizes) > 1 else math.nan
    a, b = (study.scorers[name].model for name in pair.pair)
    end = error_exponent(a, b, measure).exponent
    return f"{choice.formula(measure)}: {slope:.2f}" + (f" → {end:.2g}" if end is not None else "")


def error_exponent_figure(
    pairs: Sequence[Pair], study: Study, *, width: float | None = None, choice: Choice | None = None
) -> Figure:
    """Return a figure of `order_error_exponents` for one pair, by default two columns wide."""
    figure, (ax,) = panels(1, height=4.2, width=DOUBLE if width is None else width)
    order_error_exponents(ax, pairs, study, choice=choice)
    handles: list[Artist] = [grey_line("predicted without simulation", lw=0.9)]
    if any(point.reliable for pair in pairs for point in pair.points):
        handles.append(white_marker("simulated, 95% interval"))
    if any(misfits(study, pair, [p for p in pair.points if p.reliable])[1] for pair in pairs):
        handles.append(grey_marker(f"more than {_MISFIT:g} standard errors from the line"))
    figure_legend(figure, handles)
    return figure
