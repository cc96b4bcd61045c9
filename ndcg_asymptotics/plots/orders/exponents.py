"""How fast the wrong order dies out: -log10 P(wrong at n) against n, simulated and predicted."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import FuncFormatter, NullFormatter

from ndcg_asymptotics.analysis.orders.distinguish import Pair
from ndcg_asymptotics.core.arrays import Floats
from ndcg_asymptotics.core.errors import NotAvailableError
from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.plots.choice import Choice
from ndcg_asymptotics.plots.placing import margin_labels
from ndcg_asymptotics.plots.style import DOUBLE, GREY, length_axis, looks, panels
from ndcg_asymptotics.studies import Study
from ndcg_asymptotics.theory.rare import error_exponent, log_chance, tilt

_LOWEST, _HIGHEST = 0.25, 150.0  # of -log10 P
_TICKS = (0.3, 0.5, 1, 2, 5, 10, 20, 50, 100)
_PER_DECADE = 3  # of a predicted line
_FURTHER = 4.0  # a predicted line goes on beyond the sizes of the study by so much


def order_error_exponents(
    ax: Axes, pairs: Sequence[Pair], study: Study, *, choice: Choice | None = None
) -> Axes:
    """Draw -log10 P(wrong at n) of a pair for several measures, on two logarithmic axes.

    A line is predicted without simulation, points are estimates with 95% bars where they are reliable. A
    power of n is a straight line here: the label says its slope at the last point, and in the end.
    """
    choice, labels = choice or Choice(), []
    for pair, look in zip(pairs, looks(len(pairs)), strict=True):
        measure = Measure.parse(pair.measure)
        sizes, nats = _predicted(study, pair, measure)
        ax.plot(sizes, nats / math.log(10), color=look.color, ls=look.dashes, lw=0.9, zorder=2)
        seen = [point for point in pair.points if point.reliable and point.log10_wrong is not None]
        ax.errorbar(
            [point.n for point in seen],
            [-(point.log10_wrong or 0.0) for point in seen],
            yerr=[1.96 * (point.relative_se or 0.0) / math.log(10) for point in seen],
            color=look.color, marker=look.marker, ms=3.0, mfc="white", mew=0.8, elinewidth=0.9, ls="none",
            zorder=3,
        )  # fmt: skip
        if len(sizes):
            labels.append(
                (
                    min(nats[-1] / math.log(10), _HIGHEST),
                    _label(study, pair, measure, sizes, nats, choice),
                    look.color,
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
    """Sizes and -log P(wrong) as predicted, as long as it is on the axis."""
    a, b = (study.scorers[name].model for name in pair.pair)
    leader = tilt(a, b, measure, study.n[-1]).leader
    sizes, nats = [], []
    count = 1 + math.ceil(_PER_DECADE * math.log10(study.n[-1] / study.n[0]))
    for n in np.geomspace(study.n[0], study.n[-1], count):
        try:
            found = tilt(a, b, measure, round(n), leader=leader)
        except NotAvailableError:  # the tilt has no fixed point here
            break
        sizes.append(float(round(n)))
        nats.append(-log_chance(found.cost, found.std))
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
    """`order_error_exponents` of one pair as a figure, two columns wide by default."""
    figure, (ax,) = panels(1, height=4.2, width=DOUBLE if width is None else width)
    order_error_exponents(ax, pairs, study, choice=choice)
    handles: list[Any] = [
        Line2D(
            [],
            [],
            color=GREY,
            lw=0.9,
            label="predicted, without simulation; in the margin: slope → in the end",
        ),
        Line2D([], [], color=GREY, marker="o", mfc="white", ls="none", label="simulated, 95%"),
    ]
    figure.legend(handles=handles, loc="outside lower center", ncols=2)
    return figure
