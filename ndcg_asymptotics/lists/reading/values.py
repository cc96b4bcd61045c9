"""What a field of a record holds: a name, a number or a moment."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from datetime import UTC, date, datetime
from typing import Any

_BLANKS = " \t\v\f\r\n"


def name(value: Any) -> str:
    """Return the name of a query or a document; ValueError where there is none."""
    if value is None:
        raise ValueError
    return value.strip(_BLANKS) if isinstance(value, str) else str(value)


def number(value: Any) -> float:
    """Return a finite number; ValueError for anything else, such as "1_000".

    >>> number(" 1e3 ")
    1000.0
    """
    found = float(value)
    if not math.isfinite(found) or (isinstance(value, str) and "_" in value):
        raise ValueError
    return found


def whole(value: str) -> float:
    """Return a number that is written as a whole one, as labels of TREC files are."""
    if not value.lstrip("+-").isdigit():
        raise ValueError
    return number(value)


def moment(value: Any) -> float:
    """Return a number, or the seconds since 1970 of a date such as 1994-03-01, also with a time of day.

    >>> moment("1970-01-02"), moment("12")
    (86400.0, 12.0)
    """
    if isinstance(value, str):
        try:
            return number(value)
        except ValueError:
            value = datetime.fromisoformat(value.strip(_BLANKS))
    if isinstance(value, date):
        day = value if isinstance(value, datetime) else datetime(value.year, value.month, value.day)
        return (day if day.tzinfo else day.replace(tzinfo=UTC)).timestamp()
    return number(value)


CELLS: Mapping[str, Callable[[Any], Any]] = {
    "query": name, "document": name, "score": number, "label": number, "time": moment,
}  # fmt: skip
"""How the cells of a table's columns are read."""
