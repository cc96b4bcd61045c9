"""Lines of fields that white space separates, taken apart all at once.

A file of a million lines is six million fields: no Python object is made of any of them. They are
places in the bytes of a chunk until a column of them becomes numbers or names.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ndcg_asymptotics.core.arrays import Bools, Floats, Integers

Bytes = NDArray[np.uint8]

PADDING = 8  # bytes after the last one, so that any eight of them may be looked at
_BLANK = np.zeros(256, bool)
_BLANK[list(b" \t\n\r\v\f")] = True
_NEWLINE = ord("\n")
_SPACE, _TAB, _CONTROLS, _NEWLINE = ord(" "), np.uint8(ord("\t")), 5, ord("\n")
_MINUS, _DOT, _ZERO = ord("-"), ord("."), np.uint8(ord("0"))
_DIGITS = 15  # of a number that is a double without rounding
_POWERS = 10.0 ** np.arange(_DIGITS + 1)


class BadLineError(Exception):
    """A line that is not as expected: its index in the chunk."""

    def __init__(self, index: int) -> None:
        super().__init__(index)
        self.index = index


@dataclass(frozen=True)
class Fields:
    """The fields of the lines of a chunk that are not blank.

    Attributes
    ----------
    text : bytes of the chunk, with `PADDING` zeros after them
    start, end : (lines, columns)
        Where each field begins and ends.
    blank : increasing integers
        The lines that hold nothing.
    total : int
        How many lines there are, blank ones among them.
    """

    text: Bytes
    start: Integers
    end: Integers
    blank: Integers
    total: int

    def line(self, record: int) -> int:
        """The index in the chunk of the line of a record."""
        index = record
        for skipped in self.blank.tolist():
            index += skipped <= index
        return index

    def field(self, record: int, column: int) -> bytes:
        """One field."""
        return self.text[self.start[record, column] : self.end[record, column]].tobytes()


def split(chunk: bytes, columns: int) -> Fields:
    """The fields of the lines of a chunk, which ends with the end of a line.

    Raises
    ------
    BadLineError
        Where the first line stands that holds something else than so many fields.
    """
    text = np.frombuffer(chunk + bytes(PADDING), np.uint8)
    inside = text[:-PADDING]
    newlines = np.flatnonzero(inside == _NEWLINE)
    blank = inside <= _SPACE
    white = inside - _TAB < _CONTROLS  # \t \n \v \f \r
    white |= inside == _SPACE
    if (blank != white).any():  # a control character
        raise BadLineError(int(np.searchsorted(newlines, np.argmax(blank != white))))
    edges = np.flatnonzero(blank[1:] != blank[:-1]) + 1
    if not blank[0]:
        edges = np.concatenate(([0], edges))
    start, end = edges[0::2], edges[1::2]
    if start.size == columns * newlines.size:
        first, last = start[::columns], start[columns - 1 :: columns]
        if (first[1:] > newlines[:-1]).all() and (last < newlines).all():
            shape = (-1, columns)
            empty = np.zeros(0, np.int64)
            return Fields(text, start.reshape(shape), end.reshape(shape), empty, newlines.size)
    counts = np.bincount(np.searchsorted(newlines, start), minlength=newlines.size)
    bad = np.flatnonzero((counts != columns) & (counts != 0))
    if bad.size:
        raise BadLineError(int(bad[0]))
    skipped = np.flatnonzero(counts == 0)
    return Fields(text, start.reshape(-1, columns), end.reshape(-1, columns), skipped, newlines.size)


def numbers(fields: Fields, column: int) -> Floats:
    """A column as numbers, correctly rounded; NaN for what is none."""
    start, length = fields.start[:, column], fields.end[:, column] - fields.start[:, column]
    negative = fields.text[start] == _MINUS
    place = start + negative
    size = length - negative
    mantissa, decimals = np.zeros(start.size), np.zeros(start.size, np.int8)
    dots = np.zeros(start.size, bool)
    good = (size > 0) & (size <= _DIGITS + 1)
    for index in range(min(int(size.max(initial=0)), _DIGITS + 1)):
        character = fields.text[np.minimum(place + index, fields.text.size - 1)]
        digit = character - _ZERO  # wraps round for what comes before 0
        inside, is_digit = index < size, digit < 10
        is_dot = inside & (character == _DOT) & ~dots
        dots |= is_dot
        is_digit &= inside
        good &= is_digit | is_dot | ~inside
        mantissa *= np.where(is_digit, 10.0, 1.0)
        mantissa += np.where(is_digit, digit, 0)
        decimals += is_digit & dots
    good &= size - dots > 0
    good &= size - dots <= _DIGITS
    # both are exact in doubles, so their quotient is the nearest double to the decimal number
    found: Floats = np.where(negative, -mantissa, mantissa) / _POWERS[decimals]
    for record in np.flatnonzero(~good).tolist():
        found[record] = _number(fields.field(record, column))
    return found


def _number(text: bytes) -> float:
    try:
        return float(text) if b"_" not in text else math.nan
    except ValueError:
        return math.nan


def whole(fields: Fields, column: int) -> tuple[Floats, Bools]:
    """A column as numbers, and which of its fields are written as whole ones."""
    found = numbers(fields, column)
    ok = np.isfinite(found) & (found == np.trunc(found))
    start, end = fields.start[:, column], fields.end[:, column]
    for record in np.flatnonzero(ok & (end - start > 1)).tolist():
        ok[record] = fields.field(record, column).lstrip(b"+-").isdigit()
    return found, ok
