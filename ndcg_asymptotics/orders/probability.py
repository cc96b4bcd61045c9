"""The probability of a wrong order, as it is stated: with an interval, the way it is known, and as text."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Literal

from scipy import special

from ndcg_asymptotics.core.defaults import LEVEL
from ndcg_asymptotics.core.rows import Data
from ndcg_asymptotics.stats.rates import clopper_pearson

OrderMethod = Literal[
    "counted", "drawn tops", "weighted draws", "large deviations", "normal law", "rough normal law"
]
"""The ways to a probability of a wrong order, which `orders.wrong_order` describes."""

_SAME, _WIDE = 1e-4, 0.3  # widths of intervals, in decades, that leave more than two digits, and one
_LOWEST_DECIMAL = -3  # power of ten, below which numbers are written with it


@dataclass(frozen=True)
class WrongOrder:
    """The probability that a scorer is not ahead on one list; a tie counts as wrong.

    Attributes
    ----------
    log10 : float or None
        None where it is 0, and where it is so small that there is only the upper end.
    low, high : float or None
        log10 of the ends of an interval, which holds the probability with 95%. None for an end that is 0, and
        both where no interval is known.
    method : str
        By which way it is known (`orders.wrong_order`).
    """

    log10: Annotated[float | None, Data("log10_wrong")]
    low: Annotated[float | None, Data("log10_wrong_low")]
    high: Annotated[float | None, Data("log10_wrong_high")]
    method: Annotated[OrderMethod, Data("wrong_method")]

    @classmethod
    def counted(cls, wrong: int, lists: int, method: OrderMethod = "counted") -> WrongOrder:
        """Return what ``wrong`` of so many drawn lists say.

        >>> order = WrongOrder.counted(100, 1000)
        >>> [round(10**x, 4) for x in (order.log10, order.low, order.high)]
        [0.1, 0.0821, 0.1203]
        """
        low, high = clopper_pearson(wrong, lists, LEVEL)
        return cls(log10_of(wrong / lists), log10_of(low), log10_of(high), method)

    @classmethod
    def normal(cls, effect: float, method: OrderMethod = "normal law") -> WrongOrder:
        """Return what the normal law says of an effect size.

        >>> round(WrongOrder.normal(40.0).log10, 3)
        -349.437
        """
        return cls(float(special.log_ndtr(-effect)) / math.log(10), None, None, method)

    @property
    def right(self) -> tuple[float, float, float]:
        """The probability of the right order, and the lower and the upper end of its interval.

        >>> [round(p, 4) for p in WrongOrder.counted(100, 1000).right]
        [0.9, 0.8797, 0.9179]
        """
        ends = (self.log10,) * 3 if self.high is None else (self.log10, self.high, self.low)
        value, low, high = (1.0 if log10 is None else 1 - 10**log10 for log10 in ends)
        return value, low, high

    @property
    def width(self) -> float:
        """The width of the interval, in decades."""
        return math.inf if self.low is None or self.high is None else self.high - self.low

    def __str__(self) -> str:
        """Return the probability as it is printed: with the digits that its interval leaves.

        >>> orders = (WrongOrder.counted(wrong, 10_000) for wrong in (300, 3, 0))
        >>> [str(order) for order in orders]
        ['0.030 ± 0.004', '6e-5 to 9e-4', 'below 4e-4']
        >>> print(WrongOrder(-1.1, None, None, "normal law"))
        about 0.08
        """
        if self.high is None:
            return "-" if self.log10 is None else f"about {log10_text(self.log10, 1)}"
        if self.log10 is None:
            return f"below {log10_text(self.high, 1, math.ceil)}"
        if self.width < _SAME:
            return log10_text(self.log10, 2)
        low = -math.inf if self.low is None else self.low
        half = (10**self.high - 10**low) / 2
        if self.log10 > _LOWEST_DECIMAL and half < 10**self.log10 / 2:
            digits = -math.floor(math.log10(half / 2))
            value = round(10**self.log10, digits)
            most = max(10**self.high - value, value - 10**low)
            return f"{value:.{digits}f} ± {math.ceil(most * 10**digits) / 10**digits:.{digits}f}"
        digits = 1 if self.width > _WIDE else 2
        return f"{log10_text(low, digits, math.floor)} to {log10_text(self.high, digits, math.ceil)}"


def log10_text(log10: float, digits: int, rounded: Callable[[float], float] = round) -> str:
    """Return the number with this logarithm, with one or two digits, however small it is.

    >>> log10_text(-1.1, 2), log10_text(-74.2, 1), log10_text(-74.2, 2, math.ceil), log10_text(0.0, 2)
    ('0.079', '6e-75', '6.4e-75', '1')
    """
    if math.isinf(log10):
        return "0"
    power = math.floor(log10)
    ten = 10 ** (digits - 1)
    number = rounded(10 ** (log10 - power) * ten)
    if number >= 10 * ten:
        number, power = ten, power + 1
    if power >= _LOWEST_DECIMAL:
        return f"{number / ten * 10.0**power:.{max(digits - 1 - power, 0)}f}".rstrip("0").rstrip(".")
    return f"{number / ten:.{digits - 1}f}e{power}"


def log10_of(p: float) -> float | None:
    """Return the logarithm of a probability, None for 0."""
    return math.log10(p) if p > 0 else None
