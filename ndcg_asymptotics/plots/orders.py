"""The order of two scorers against the list length: how often it is right, and how fast errors die out."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import FuncFormatter, NullFormatter

from ndcg_asymptotics.analysis.orders.pair import Pair
from ndcg_asymptotics.analysis.orders.rates import Rate
from ndcg_asymptotics.core.arrays import Floats
from ndcg_asymptotics.core.errors import NotAvailableError
from ndcg_asymptotics.core.text import shortened
from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.plots.choice import Choice
from ndcg_asymptotics.plots.style import (
    DOUBLE,
    GREY,
    LineStyle,
    band,
    length_axis,
    line_styles,
    margin_labels,
    panels,
    titles,
)
from ndcg_asymptotics.studies import Study
from ndcg_asymptotics.theory.rare import error_exponent, log_wrong_probability, tilt

*_, _FROM, _AT = line_styles(
    7
)  # from n on, and at n: the last two styles, which few studies need for a scorer
_LONGEST = 22  # characters of a name in a title
_MARKERS = 18  # approximate number of markers on a curve
_MARKER: Any = {"mfc": "white", "mew": 0.8, "ms": 2.8}
_NONE_WRONG: Any = {"marker": r"$\downarrow$", "ms": 5, "mew": 0.2}


def right_order(ax: Axes, pair: Pair, *, choice: Choice | None = None) -> Axes:
    """Draw the rate of the right order at n, and at every list length from n on, with intervals.

    The scale is linear, from 0 to 1, with a line at 1/2. If the engine sees only the list lengths of the
    study, the second rate is an upper bound, and the legend says so.
    """
    for rates, line in ((pair.points, _AT), (pair.from_n, _FROM)):
        _draw(ax, rates, line)
    ax.axhline(0.5, color=GREY, ls=":", lw=0.8, zorder=1)
    length_axis(ax, [rate.n for rate in pair.points])
    ax.set_ylim(-0.02, 1.03)
    ax.set_yticks([0, 0.25, 0.5, 0.75, 1])
    ax.set_ylabel("rate of the right order")
    _titles(ax, pair, choice or Choice())
    return ax


def wrong_order(ax: Axes, pair: Pair, *, choice: Choice | None = None) -> Axes:
    """Draw the rates of a wrong order at n, and at some list length from n on, on a logarithmic scale.

    Where no replicate was wrong, there is an arrow at the upper end of the interval.
    """
    for rates, line in ((pair.points, _AT), (pair.from_n, _FROM)):
        wrong = [Rate(r.n, 1 - r.rate if r.rate < 1 else math.nan, 1 - r.high, 1 - r.low) for r in rates]
        _draw(ax, wrong, line)
        for r in wrong:
            if math.isnan(r.rate):
                ax.plot(r.n, r.high, color=line.color, **_NONE_WRONG)
    ax.set_yscale("log")
    lowest = min((1 - r.high for r in (*pair.points, *pair.from_n) if r.rate < 1), default=1.0)
    ax.set_ylim(min(0.05, max(0.5 * lowest, 0.5 / pair.replicates)), 1.2)  # at least a decade
    ax.yaxis.set_minor_formatter(NullFormatter())
    length_axis(ax, [rate.n for rate in pair.points])
    ax.set_ylabel("rate of a wrong order")
    _titles(ax, pair, choice or Choice())
    return ax


def _draw(ax: Axes, rates: Sequence[Rate], line: LineStyle) -> None:
    n, rate, low, high = np.array([[r.n, r.rate, r.low, r.high] for r in rates]).reshape(-1, 4).T
    known = np.isfinite(rate)
    band(ax, n, np.where(known, low, np.nan), np.where(known, high, np.nan), line.color, 0.22)
    step = max(1, round(len(n) / _MARKERS))
    ax.plot(n, rate, color=line.color, ls=line.dashes, marker=line.marker, markevery=step, **_MARKER)


def _titles(ax: Axes, pair: Pair, choice: Choice) -> None:
    a, b = (choice.label(shortened(name, _LONGEST)) if name not in choice.labels else choice.label(name)
            for name in pair.pair)  # fmt: skip
    if pair.right is None:
        remark = f"{a}, {b}: neither is right"
    else:
        remark = f"right: {a} > {b}" if pair.right == pair.pair[0] else f"right: {b} > {a}"
    titles(ax, choice.title(pair.measure), remark.replace("\n", " "))


def order_handles(pairs: Sequence[Pair]) -> list[Any]:
    """Return legend handles that name the two rates of these pairs."""
    bound = " (of the grid only: an upper bound)" if pairs[0].from_n_is_upper_bound else ""
    handles = [
        Line2D([], [], color=line.color, ls=line.dashes, marker=line.marker, label=name, **_MARKER)
        for line, name in ((_AT, "at $n$"), (_FROM, f"at every list length from $n$ on{bound}"))
    ]
    if any(r.rate == 1 for pair in pairs for r in (*pair.points, *pair.from_n)):
        label = "no replicate wrong: upper end of the interval"
        handles.append(Line2D([], [], ls="none", color=GREY, label=label, **_NONE_WRONG))
    return handles


_LOWEST, _HIGHEST = 0.25, 150.0  # range of the axis of -log10 P
_TICKS = (0.3, 0.5, 1, 2, 5, 10, 20, 50, 100)
_PER_DECADE = 3  # points of a predicted line
_FURTHER = 4.0  # a predicted line ends at this multiple of the highest value of the axis


def order_error_exponents(
    ax: Axes, pairs: Sequence[Pair], study: Study, *, choice: Choice | None = None
) -> Axes:
    """Draw -log10 P(wrong at n) of a pair for several measures, on two logarithmic axes.

    Lines are predicted without simulation. Points are simulated estimates, where they are reliable, with 95%
    intervals. A power of n is a straight line on these axes; the legend has its slope at the last point and
    the limit of the slope, which is the error exponent.
    """
    choice, labels = choice or Choice(), []
    for pair, line in zip(pairs, line_styles(len(pairs)), strict=True):
        measure = Measure.parse(pair.measure)
        sizes, nats = _predicted(study, pair, measure)
        ax.plot(sizes, nats / math.log(10), color=line.color, ls=line.dashes, lw=0.9, zorder=2)
        seen = [point for point in pair.points if point.reliable and point.log10_wrong is not None]
        ax.errorbar(
            [point.n for point in seen],
            [-(point.log10_wrong or 0.0) for point in seen],
            yerr=[1.96 * (point.relative_se or 0.0) / math.log(10) for point in seen],
            color=line.color, marker=line.marker, ms=3.0, mfc="white", mew=0.8, elinewidth=0.9, ls="none",
            zorder=3,
        )  # fmt: skip
        if len(sizes):
            labels.append(
                (
                    min(nats[-1] / math.log(10), _HIGHEST),
                    _label(study, pair, measure, sizes, nats, choice),
                    line.color,
                )
            )
    highest = max((value for value, _, _ in labels), default=1.0)
    ax.set_yscale("log")
    top = min(_HIGHEST, max(1.0, 1.6 * highest))
    ax.set_ylim(_LOWEST, top)
    ax.set_yticks([y for y in _TICKS if y <= top])
    ax.yaxis.set_major_formatter(FuncFormatter(lambda y, _: f"{y:g}"))
    ax.yaxis.set_minor_formatter(NullFormatter())
    ax.set_ylabel(r"$-\log_{10}$ P(wrong order at $n$)")
    length_axis(ax, study.n)
    a, b = (choice.label(name).replace("\n", " ") for name in pairs[0].pair)
    ax.set_title(f"{a} against {b}", loc="left")
    margin_labels(ax, labels, size=7.0)
    return ax


def _predicted(study: Study, pair: Pair, measure: Measure) -> tuple[Floats, Floats]:
    """Return list lengths and the predicted -log P(wrong) there, to a little beyond the end of the axis."""
    a, b = (study.scorers[name].model for name in pair.pair)
    leader = tilt(a, b, measure, study.n[-1]).leader
    sizes, nats = [], []
    count = 1 + math.ceil(_PER_DECADE * math.log10(study.n[-1] / study.n[0]))
    for n in np.geomspace(study.n[0], study.n[-1], count):
        try:
            found = tilt(a, b, measure, round(n), leader=leader)
        except NotAvailableError:  # the tilt has no fixed point at this n
            break
        sizes.append(float(round(n)))
        nats.append(-log_wrong_probability(found.cost, found.std))
        if nats[-1] > _FURTHER * _HIGHEST * math.log(10):
            break
    return np.array(sizes), np.array(nats)


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
    handles: list[Any] = [
        Line2D(
            [], [], color=GREY, lw=0.9, label="predicted without simulation; right: slope → limiting slope"
        ),
        Line2D([], [], color=GREY, marker="o", mfc="white", ls="none", label="simulated, 95%"),
    ]
    figure.legend(handles=handles, loc="outside lower center", ncols=2)
    return figure
