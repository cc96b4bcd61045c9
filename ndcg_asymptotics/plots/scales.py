"""Logarithmic axes, whose ticks have one style in all figures.

If at least two powers of ten are in view, they have the labels, such as 10². Otherwise the labels are numbers
in digits. They are plain text, which is drawn and laid out quicker than formulas.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import matplotlib as mpl
import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.axis import Axis, XAxis
from matplotlib.backend_bases import RendererBase
from matplotlib.lines import Line2D
from matplotlib.markers import TICKDOWN, TICKLEFT
from matplotlib.ticker import Formatter, Locator, NullLocator

from ndcg_asymptotics.core.arrays import Floats, Integers, instance_of, list_lengths, whole_number

_MOST = 8  # labelled ticks of an axis
_POWERS = 2  # in view of an axis that has labels at powers of ten alone
_LAST_IN_DIGITS = 1e5  # larger numbers, and those below its inverse, are written with a power of ten
_SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def length_axis(ax: Axes, sizes: Sequence[int] | Integers, *, most: int = _MOST) -> None:
    """Make the x axis a logarithmic one of list lengths, with about ``most`` labels and one at the last n."""
    ax, most = instance_of(ax, Axes, "ax"), whole_number(most, "most", 1, None)
    lengths = list_lengths(sizes)
    low, high = float(min(lengths)), float(max(lengths))
    ax.set_xlabel("list length $n$")
    log_axis(ax.xaxis, most=most, last=high)
    if low == high:
        ax.set_xlim(low / 10, high * 10)
        ax.set_xticks([low], [f"{low:g}"])
        return
    margin = (high / low) ** 0.02  # so that markers at the ends are not cut
    ax.set_xlim(low / margin, high * margin)


def log_axis(axis: Axis, *, most: int = _MOST, last: float | None = None) -> None:
    """Make an axis logarithmic, with labels at powers of ten.

    Where fewer than two are in view, labels are at 1, 2 and 5 times powers of ten or, if these are fewer than
    two as well, at all digits. ``most`` is the largest number of powers that have a label; one more is at
    ``last``, in place of those that are too near.
    """
    (axis.axes.set_xscale if isinstance(axis, XAxis) else axis.axes.set_yscale)("log")
    axis.set_major_locator(_Ticks(most, last))
    axis.set_minor_locator(NullLocator())
    axis.set_major_formatter(_Text())
    axis.axes.add_artist(_MinorTicks(axis, most))


def _multiples(low: float, high: float, digits: Sequence[int]) -> Floats:
    """Return these multiples of powers of ten from low to high."""
    powers = 10.0 ** np.arange(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    places = np.outer(powers, digits).ravel()
    multiples: Floats = places[(places >= low * (1 - 1e-9)) & (places <= high * (1 + 1e-9))]
    return multiples


class _Ticks(Locator):
    """The labelled ticks of a logarithmic axis."""

    def __init__(self, most: int, last: float | None) -> None:
        self.most, self.last = most, last

    def __call__(self) -> list[float]:
        assert self.axis is not None  # for mypy
        return self.tick_values(*self.axis.get_view_interval())

    def tick_values(self, vmin: float, vmax: float) -> list[float]:
        low, high = sorted((vmin, vmax))
        powers = _multiples(low, high, [1])
        step, first = _step(powers, self.most), 0
        if step == 2 and self.last is not None and _is_power(self.last):
            first = round(math.log10(self.last)) % step
        labelled = powers[np.round(np.log10(powers)) % step == first]
        for digits in ([1, 2, 5], range(1, 10)):
            if len(powers) < _POWERS and len(labelled) < _POWERS:
                labelled = _multiples(low, high, digits)
        if self.last is None or not low <= self.last <= high:
            return list(labelled)
        near = (high / low) ** (1 / self.most)
        return [*labelled[(labelled < self.last / near) | (labelled > self.last * near)], self.last]


def _step(powers: Floats, most: int) -> int:
    """Return the number of decades between labels."""
    return max(1, math.ceil(len(powers) / most))


class _MinorTicks(Artist):
    """The ticks between the labelled ones, drawn as one line: matplotlib makes four artists of each tick."""

    def __init__(self, axis: Axis, most: int) -> None:
        super().__init__()
        self.of, self.most, self.across = axis, most, isinstance(axis, XAxis)
        settings = mpl.rcParams  # those of both axes are the same
        self.line = Line2D(
            [],
            [],
            ls="none",
            marker=TICKDOWN if self.across else TICKLEFT,  # type: ignore[arg-type]
            ms=settings["xtick.minor.size"],
            mew=settings["xtick.minor.width"],
            color=settings["xtick.color"],
        )
        self.set_in_layout(False)

    def draw(self, renderer: RendererBase) -> None:
        ax = self.of.axes
        low, high = sorted(self.of.get_view_interval())
        powers = _multiples(low, high, [1])
        places = powers if _step(powers, self.most) > 1 else _multiples(low, high, range(2, 10))
        at = places, np.zeros_like(places)
        self.line.set_data(*(at if self.across else at[::-1]))
        self.line.set_transform(ax.get_xaxis_transform() if self.across else ax.get_yaxis_transform())
        self.line.draw(renderer)


class _Text(Formatter):
    """Powers of ten as such, on an axis that has several of them in view."""

    def __call__(self, x: float, pos: int | None = None) -> str:
        return number(x)

    def format_ticks(self, values: Sequence[float]) -> list[str]:
        assert self.axis is not None  # for mypy
        low, high = sorted(self.axis.get_view_interval())
        powers = len(_multiples(low, high, [1])) >= _POWERS
        return [decade(v) if powers and _is_power(v) else number(v) for v in values]


def _is_power(value: float) -> bool:
    return abs(math.log10(value) - round(math.log10(value))) < 1e-9


def decade(value: float) -> str:
    """Return a power of ten as plain text.

    >>> decade(1e12), decade(0.001)
    ('10¹²', '10⁻³')
    """
    return "10" + str(round(math.log10(value))).translate(_SUPERSCRIPTS)


def number(value: float) -> str:
    """Return a digit times a power of ten as plain text.

    >>> number(0.05), number(2000), number(2e7), number(1e-6)
    ('0.05', '2000', '2×10⁷', '10⁻⁶')
    """
    if 1 / _LAST_IN_DIGITS < value < _LAST_IN_DIGITS:
        return f"{value:g}"
    power = 10.0 ** math.floor(math.log10(value) + 1e-9)
    digit = f"{value / power:.3g}"
    return decade(power) if digit == "1" else f"{digit}×{decade(power)}"
