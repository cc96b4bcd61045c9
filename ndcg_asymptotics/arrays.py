"""The arrays that the whole package passes around, and the longest list it speaks of."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ndcg_asymptotics.errors import InputError, require

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Bools = NDArray[np.bool_]

LARGEST_N = 9 * 10**18
"""The longest list: n and sums of counts stay within a signed 64-bit integer."""

_FEW_WRONG = 10  # one pair of keys among 2^10 is out of order, at most, where that is mended pair by pair
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


def brief(value: object, width: int = _SHOWN) -> str:
    """What was given, for a message: on one line, and not longer than it needs to be."""
    text = " ".join(repr(value).split())
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

    A sort of whole numbers takes half the time of one of indices. So each key's leading bits and its place
    are sorted as one number, and keys that only their last bits tell apart are put right.

    >>> stable_order(np.array([2.0, -1.0, np.inf, 2.0, 0.5]))
    array([1, 4, 0, 3, 2])
    """
    places = max(len(keys) - 1, 1).bit_length()
    # of doubles that are not negative the bits rise as the values do; + 0: -0 equals 0
    bits = (keys + 0.0).view(np.int64)
    bits = np.where(bits < 0, bits ^ np.iinfo(np.int64).max, bits)
    bits >>= places
    bits <<= places
    bits |= np.arange(len(keys))
    bits.sort()
    order = bits & ((1 << places) - 1)
    ranked = keys[order]
    wrong = np.flatnonzero(ranked[1:] < ranked[:-1])
    if wrong.size > len(keys) >> _FEW_WRONG:
        return np.argsort(keys, kind="stable")
    bits >>= places
    for i in wrong:
        run = slice(*np.searchsorted(bits, [bits[i], bits[i] + 1]))
        members = np.sort(order[run])
        order[run] = members[np.argsort(keys[members], kind="stable")]
    return order
