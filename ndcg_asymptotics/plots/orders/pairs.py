"""The order of two scorers against the list length: how often it is right, how fast that settles."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.ticker import NullFormatter

from ndcg_asymptotics.analysis.orders.distinguish import Pair
from ndcg_asymptotics.analysis.orders.rates import Rate
from ndcg_asymptotics.core.text import shortened
from ndcg_asymptotics.plots.choice import Choice
from ndcg_asymptotics.plots.placing import titles
from ndcg_asymptotics.plots.style import GREY, Look, band, length_axis, looks

_SLOTS = 7
_AT, _FROM = looks(_SLOTS)[6], looks(_SLOTS)[5]  # at n, and at every n' from n on: no scorer's colours
_LONGEST = 22  # characters of a name in a title
_MARKERS = 18  # about how many points of a curve are marked
_POINTS: Any = {"mfc": "white", "mew": 0.8, "ms": 2.8}
_NEVER: Any = {"marker": r"$\downarrow$", "ms": 5, "mew": 0.2}


def right_order(ax: Axes, pair: Pair, *, choice: Choice | None = None) -> Axes:
    """Draw the rate of the right order at n, and at every list length from n on, with intervals.

    Both are on a linear scale from 0 to 1, with the coin's 1/2 marked. From an engine that sees
    the grid only, the second is an upper bound, and its name says so.
    """
    for rates, look in ((pair.points, _AT), (pair.from_n, _FROM)):
        _draw(ax, rates, look)
    ax.axhline(0.5, color=GREY, ls=":", lw=0.8, zorder=1)
    length_axis(ax, [rate.n for rate in pair.points])
    ax.set_ylim(-0.02, 1.03)
    ax.set_yticks([0, 0.25, 0.5, 0.75, 1])
    ax.set_ylabel("rate of the right order")
    _titles(ax, pair, choice or Choice())
    return ax


def wrong_order(ax: Axes, pair: Pair, *, choice: Choice | None = None) -> Axes:
    """Draw one minus the rates on a logarithmic scale, which shows how fast they fall.

    Where no replicate was wrong, an arrow stands at the upper end of the interval.
    """
    for rates, look in ((pair.points, _AT), (pair.from_n, _FROM)):
        wrong = [Rate(r.n, 1 - r.rate if r.rate < 1 else math.nan, 1 - r.high, 1 - r.low) for r in rates]
        _draw(ax, wrong, look)
        for r in wrong:
            if math.isnan(r.rate):
                ax.plot(r.n, r.high, color=look.color, **_NEVER)
    ax.set_yscale("log")
    lowest = min((1 - r.high for r in (*pair.points, *pair.from_n) if r.rate < 1), default=1.0)
    ax.set_ylim(min(0.05, max(0.5 * lowest, 0.5 / pair.replicates)), 1.2)  # a decade at least
    ax.yaxis.set_minor_formatter(NullFormatter())
    length_axis(ax, [rate.n for rate in pair.points])
    ax.set_ylabel("rate of a wrong order")
    _titles(ax, pair, choice or Choice())
    return ax


def _draw(ax: Axes, rates: Sequence[Rate], look: Look) -> None:
    n, rate, low, high = np.array([[r.n, r.rate, r.low, r.high] for r in rates]).reshape(-1, 4).T
    known = np.isfinite(rate)
    band(ax, n, np.where(known, low, np.nan), np.where(known, high, np.nan), look.color, 0.22)
    step = max(1, round(len(n) / _MARKERS))
    ax.plot(n, rate, color=look.color, ls=look.dashes, marker=look.marker, markevery=step, **_POINTS)


def _titles(ax: Axes, pair: Pair, choice: Choice) -> None:
    a, b = (choice.label(shortened(name, _LONGEST)) if name not in choice.labels else choice.label(name)
            for name in pair.pair)  # fmt: skip
    if pair.right is None:
        said = f"{a}, {b}: neither is right"
    else:
        said = f"right: {a} > {b}" if pair.right == pair.pair[0] else f"right: {b} > {a}"
    titles(ax, choice.title(pair.measure), said.replace("\n", " "), GREY)


def order_key(pairs: Sequence[Pair]) -> list[Any]:
    """Handles for a key that names the two rates of these pairs."""
    bound = " (of the grid only: an upper bound)" if pairs[0].from_n_is_upper_bound else ""
    handles = [
        Line2D([], [], color=look.color, ls=look.dashes, marker=look.marker, label=name, **_POINTS)
        for look, name in ((_AT, "at $n$"), (_FROM, f"at every list length from $n$ on{bound}"))
    ]
    if any(r.rate == 1 for pair in pairs for r in (*pair.points, *pair.from_n)):
        label = "no replicate wrong: upper end of the interval"
        handles.append(Line2D([], [], ls="none", color=GREY, label=label, **_NEVER))
    return handles
