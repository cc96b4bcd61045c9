"""The arrays that the whole package passes around, and the longest list it speaks of."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ndcg_asymptotics.core.errors import InputError, require

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Bools = NDArray[np.bool_]

LARGEST_N = 9 * 10**18
"""The longest list: n and sums of counts stay within a signed 64-bit integer."""

_FEW_WRONG = 10  # one pair of keys among 2^10 is out of order, at most, where that is mended pair by pair
_FEW_FOR_BITS = 1 << 9  # keys: fewer are sorted before so many steps have begun
_FEW_FOR_DIGITS, _MANY_FOR_DIGITS = 1 << 12, 1 << 21  # keys that are sorted by two digits of 16 bits
_PLACES = 2.0**32 - 2**12  # that they tell apart, and room for rounding
_NARROW = 1e-290  # between the least and the greatest key
_SHOWN = 60  # characters of a bad value in a message


def list_lengths(given: ArrayLike | Sequence[int], argument: str = "sizes") -> tuple[int, ...]:
    """Whole numbers from 1 to 9e18, from a number or any list of numbers, in the order given.

    >>> list_lengths([10, 1e3, 10**18]), list_lengths(range(1, 4)), list_lengths(5)
    ((10, 1000, 1000000000000000000), (1, 2, 3), (5,))

    Raises
    ------
    InputError
        If a number is not whole or out of range, or there is none.
    """
    wanted = "must be list lengths, whole numbers from 1 to 9e18"
    try:
        # not through an array of doubles: 10**18 + 1 is not one
        values: list[Any] = [given] if np.isscalar(given) else list(given)  # type: ignore[arg-type]
        found = [int(x) for x in values if not isinstance(x, bool | np.bool_ | str | bytes)]
        whole = len(found) == len(values) and all(x == n for x, n in zip(values, found, strict=True))
    except (TypeError, ValueError, OverflowError):
        raise InputError(f"{wanted}, got {brief(given)}", argument) from None
    if not whole:
        raise InputError(f"{wanted}, got {brief(given)}", argument)
    for n in found:
        require(1 <= n <= LARGEST_N, f"{wanted}, got {brief(n)}", argument)
    require(bool(found), f"{wanted}, got none", argument)
    return tuple(found)


def floats(given: Any, argument: str = "") -> Floats:
    """Return an array of doubles from numbers in any shape.

    Raises
    ------
    InputError
        If something is no number, or one that no double can hold, such as 10**400.
    """
    try:
        return np.asarray(given, np.float64)
    except (TypeError, ValueError, OverflowError):
        raise InputError(f"must be numbers, got {brief(given)}", argument) from None


def require_fraction(value: Any, argument: str) -> None:
    """Refuse what is not a number inside (0, 1)."""
    inside = isinstance(value, int | float | np.integer | np.floating) and bool(0 < value < 1)
    require(inside, f"must lie inside (0, 1), got {brief(value)}", argument)


def brief(value: object, width: int = _SHOWN) -> str:
    """What was given, for a message: on one line, and not longer than it needs to be."""
    try:
        text = " ".join(repr(value).split())
    except ValueError:  # Python does not write whole numbers of more than 4300 digits
        text = f"a value of type {type(value).__name__}"
    return text if len(text) <= width else text[: width - 1] + "…"


def spans(numbers: Sequence[int] | Integers, most: int = 4) -> str:
    """Whole numbers in runs of consecutive ones, for a message.

    >>> spans([3, 0, 1, 2, 7]), spans([])
    ('0 to 3, 7', 'none')
    """
    ordered = np.unique(np.asarray(numbers, np.int64))
    if not len(ordered):
        return "none"
    runs = np.split(ordered, np.flatnonzero(np.diff(ordered) != 1) + 1)
    texts = [f"{run[0]}" if len(run) == 1 else f"{run[0]} to {run[-1]}" for run in runs[:most]]
    return ", ".join(texts) + (", …" if len(runs) > most else "")


def stable_order(keys: Floats) -> Integers:
    """The order in which keys rise, equal ones as they stand; like ``np.argsort(keys, kind="stable")``.

    >>> stable_order(np.array([2.0, -1.0, np.inf, 2.0, 0.5]))
    array([1, 4, 0, 3, 2])
    """
    return stable_sort(keys)[0]


def stable_sort(keys: Floats) -> tuple[Integers, Floats]:
    """`stable_order`, and the keys in that order."""
    for way in (_by_digits, _by_bits):
        if (found := way(keys)) is not None:
            return found
    order = np.argsort(keys, kind="stable")
    return order, keys[order]


def _by_digits(keys: Floats) -> tuple[Integers, Floats] | None:
    """Sorted by two digits, which numpy does by counting; None where too many keys have both in common.

    The digits are of where keys stand between the least and the greatest: few are the same where keys are
    spread over all of that.
    """
    if not _FEW_FOR_DIGITS <= len(keys) <= _MANY_FOR_DIGITS:
        return None
    least = float(keys.min())
    width = float(keys.max()) - least
    if not _NARROW < width < np.inf:
        return None
    places = ((keys - least) * (_PLACES / width)).astype(np.uint32)
    upper = (places >> 16).astype(np.uint16)
    # of a few keys as many pairs share the upper digit as lets expect that too many share both
    shared = np.bincount(upper[::16])
    if shared @ shared - shared.sum() > len(keys) >> _FEW_WRONG - 9:
        return None
    order = np.argsort(places.astype(np.uint16), kind="stable")
    order = order[np.argsort(upper[order], kind="stable")]
    return _put_right(keys, order, lambda: places[order])


def _by_bits(keys: Floats) -> tuple[Integers, Floats] | None:
    """Sorted as whole numbers of a key's leading bits and its place; None where these decide too little.

    That takes half the time of a sort of indices.
    """
    if len(keys) < _FEW_FOR_BITS:
        return None
    places = max(len(keys) - 1, 1).bit_length()
    # of doubles that are not negative the bits rise as the values do; + 0: -0 equals 0
    bits = (keys + 0.0).view(np.int64)
    bits = np.where(bits < 0, bits ^ np.iinfo(np.int64).max, bits)
    bits >>= places
    bits <<= places
    bits |= np.arange(len(keys))
    bits.sort()
    return _put_right(keys, bits & ((1 << places) - 1), lambda: bits >> places)


def _put_right(
    keys: Floats, order: Integers, grouped: Callable[[], NDArray[Any]]
) -> tuple[Integers, Floats] | None:
    """An order put right in which only keys of one group, equal numbers in a row, may stand wrongly."""
    ranked = keys[order]
    wrong = np.flatnonzero(ranked[1:] < ranked[:-1])
    if wrong.size > len(keys) >> _FEW_WRONG:
        return None
    groups = grouped() if wrong.size else order
    for group in np.unique(groups[wrong]):
        run = slice(*np.searchsorted(groups, [group, group + 1]))
        members = np.sort(order[run])
        order[run] = members[np.argsort(keys[members], kind="stable")]
        ranked[run] = keys[order[run]]
    return order, ranked
