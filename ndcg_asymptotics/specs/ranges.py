"""The ranges of parameters: a class states them on its fields, and every object of it is checked.

``exponent: float = field(metadata=within(0.001, 1000))`` refuses other exponents, with a message that names
the class, the parameter and the range; `positive`, `whole` and `one_of` state other sets of values. `Spec`
calls `check_ranges` for each object.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable
from functools import cache
from typing import Any, Literal, NamedTuple

from ndcg_asymptotics.core.arrays import brief, is_number
from ndcg_asymptotics.core.errors import InputError
from ndcg_asymptotics.specs.scanner import number_text

Closed = Literal["both", "right", "neither"]

_LEAST = 2.0**-1022  # smaller doubles have fewer digits


class Range(NamedTuple):
    """The numbers from low to high; ``closed`` says which of these two belong to it."""

    low: float
    high: float
    closed: Closed = "both"

    @property
    def ends(self) -> tuple[float, float]:
        """The least and the greatest double in the range; the least one above 0 has all its digits."""
        low, high = float(self.low), float(self.high)
        if self.closed != "both":
            low = math.nextafter(low, high) if low else _LEAST
        return low, math.nextafter(high, low) if self.closed == "neither" else high

    def check(self, keyword: str, name: str, value: float) -> None:
        """Refuse a value of the parameter ``name`` of ``keyword(…)`` outside the range.

        >>> Range(0, 1, "right").check("cn", "c", 1.5)
        Traceback (most recent call last):
        ndcg_asymptotics.core.errors.InputError: cn needs 0 < c <= 1, got 1.5
        """
        above = self.low <= value if self.closed == "both" else self.low < value
        below = value < self.high if self.closed == "neither" else value <= self.high
        if not (above and below):
            first, last = "<=" if self.closed == "both" else "<", "<" if self.closed == "neither" else "<="
            bounds = f"{self.low:g} {first} {name} {last} {self.high:g}"
            raise InputError(f"{keyword} needs {bounds}, got {number_text(value)}")


def within(low: float, high: float, closed: Closed = "both") -> dict[str, object]:
    """Return the metadata of a field with a range; ``|`` joins it to that of a slider."""
    return {"within": Range(low, high, closed)}


class Described(NamedTuple):
    """The values for which ``allows`` is true, in words."""

    words: str
    allows: Callable[[Any], bool]

    def check(self, keyword: str, name: str, value: object) -> None:
        """Refuse another value of the parameter ``name`` of ``keyword(…)``.

        >>> whole(1)["within"].check("listmle", "shuffles", 0.5)
        Traceback (most recent call last):
        ndcg_asymptotics.core.errors.InputError: listmle: shuffles must be a whole number, at least 1, got 0.5
        """
        if not self.allows(value):
            text = brief(value) if isinstance(value, str) else number_text(value)  # type: ignore[arg-type]
            raise InputError(f"{keyword}: {name} must be {self.words}, got {text}")


def positive() -> dict[str, Described]:
    """Return the metadata of a field that holds a finite number above 0."""
    return {"within": Described("positive", lambda x: 0 < x < math.inf)}


def whole(least: int) -> dict[str, Described]:
    """Return the metadata of a field that holds a whole number from ``least`` on."""
    words = f"a whole number, at least {least}"
    return {"within": Described(words, lambda x: least <= x < math.inf and x == int(x))}


def one_of(*texts: str) -> dict[str, Described]:
    """Return the metadata of a field that holds one of some texts."""
    return {"within": Described(f"one of {', '.join(texts)}", lambda text: text in texts)}


def check_ranges(keyword: str, spec: object) -> None:
    """Refuse an object of a dataclass with a field that is no number where one belongs, or outside its range.

    Raises
    ------
    InputError
        That names the keyword, the field and its range.
    """
    for name, is_tuple in _numbers(type(spec)):  # type: ignore[arg-type] # a class is hashable
        value = getattr(spec, name)
        proper = (
            isinstance(value, list | tuple) and all(map(is_number, value)) if is_tuple else is_number(value)
        )
        if not proper:
            kind = "numbers" if is_tuple else "a number"
            raise InputError(f"{keyword}: {name} must be {kind}, got {brief(value)}")
    for name, value_range in _ranges(type(spec)):  # type: ignore[arg-type] # a class is hashable
        value_range.check(keyword, name, getattr(spec, name))


@cache
def _numbers(kind: type) -> tuple[tuple[str, bool], ...]:
    """Return the fields that are annotated as a number or as several, and which of the two."""
    fields = dataclasses.fields(kind) if dataclasses.is_dataclass(kind) else ()
    is_tuple = {"float": False, "int": False, "tuple[float, ...]": True, "tuple[int, ...]": True}
    return tuple((field.name, is_tuple[str(field.type)]) for field in fields if str(field.type) in is_tuple)


@cache
def _ranges(kind: type) -> tuple[tuple[str, Range | Described], ...]:
    fields = dataclasses.fields(kind) if dataclasses.is_dataclass(kind) else ()
    return tuple((field.name, field.metadata["within"]) for field in fields if "within" in field.metadata)
