"""Array types, checks of numeric arguments, and texts of values for error messages."""

from __future__ import annotations

import hashlib
import itertools
import math
import operator
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import islice
from typing import Any, TypeGuard, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ndcg_asymptotics.core.errors import InputError, require

_T = TypeVar("_T")

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Bools = NDArray[np.bool_]
Complex = NDArray[np.complex128]
Array = NDArray[Any]  # of any type

LARGEST_LOG = 690.0
"""Exponentials of numbers up to this size, of either sign, are doubles with all their digits."""
LARGEST_N = 9 * 10**18
"""The greatest list length: n and sums of counts stay within a signed 64-bit integer."""

ENDLESS = 10**18
"""The length for a limit of long lists, where a cutoff or a discount depends on n."""

_ALL_BUT_SIGN = np.int64(2**63 - 1)
_FEW_ALIKE = (
    10_000  # neighbours that `stable_order` puts right one by one; of a million uniform keys, some 200
)

_GEOMETRIC = 4.0  # least ratio of the last to the first value of a geometric sequence
SHOWN = 60  #: characters of a value in a message
_MOST_LENGTHS = 10**6  # list lengths in one call


def list_lengths(sizes: ArrayLike | Iterable[int], argument: str = "sizes") -> tuple[int, ...]:
    """Return list lengths, whole numbers from 1 to 9e18, as a tuple in the order given.

    >>> list_lengths([10, 1e3, 10**18]), list_lengths(range(1, 4)), list_lengths(5)
    ((10, 1000, 1000000000000000000), (1, 2, 3), (5,))

    Raises
    ------
    InputError
        If a number is not whole or out of range, or there is none.
    """
    try:
        items: list[Any]
        items = [sizes] if np.isscalar(sizes) else list(islice(sizes, _MOST_LENGTHS + 1))  # type: ignore[arg-type]
    except TypeError:
        raise InputError(f"must be list lengths, got {brief(sizes)}", argument) from None
    require(0 < len(items) <= _MOST_LENGTHS, f"must be 1 to {_MOST_LENGTHS} list lengths", argument)
    # not through an array of doubles, which cannot hold 10**18 + 1
    return tuple(whole_number(item, argument, 1, LARGEST_N) for item in items)


HELD = 4_000_000
"""Numbers that a long computation holds at a time: 32 MB."""

UNDERFLOW = 1e-290
"""Doubles that come near the smallest normal one, 2e-308: products of smaller values lose digits."""


def tails(level: float) -> tuple[float, float]:
    """Return the probabilities of the quantiles between which a central interval of a level lies.

    >>> tails(0.5)
    (0.25, 0.75)
    """
    return (1 - level) / 2, (1 + level) / 2


def standard_error(values: Floats) -> Floats:
    """Return the standard error of the mean over the first axis; NaN for a single value.

    >>> float(standard_error(np.array([0.0, 2.0]))), standard_error(np.zeros((1, 2)))
    (1.0, array([nan, nan]))
    """
    if len(values) < 2:
        return np.full(values.shape[1:], np.nan)
    return np.asarray(values.std(axis=0, ddof=1) / math.sqrt(len(values)))


def as_list(value: object, argument: str, single: type | tuple[type, ...] = ()) -> list[Any]:
    """Return several values as a list, or a ``single`` one as a list of one.

    Raises
    ------
    InputError
        If it is neither.

    >>> as_list("nDCG", "measures", str), as_list(("nDCG", "nDCG@10"), "measures", str)
    (['nDCG'], ['nDCG', 'nDCG@10'])
    """
    if isinstance(value, single):
        return [value]
    if isinstance(value, Iterable) and not isinstance(value, str | bytes | Mapping):
        return list(value)
    raise InputError(f"must be {'one or ' * bool(single)}a list, got {brief(value)}", argument)


def as_texts(value: object, argument: str) -> list[str]:
    """Return one or several values as texts, and None as none.

    Raises
    ------
    InputError
        If it is none of these.

    >>> as_texts(None, "runs"), as_texts("old", "runs"), as_texts(["new", 2], "runs")
    ([], ['old'], ['new', '2'])
    """
    return [] if value is None else [str(item) for item in as_list(value, argument, str)]


def instance_of(value: object, kind: type[_T], argument: str) -> _T:
    """Return a value of a class.

    Raises
    ------
    InputError
        If it is of another class.

    >>> instance_of("a", int, "count")
    Traceback (most recent call last):
    ndcg_asymptotics.core.errors.InputError: count: expected a value of type int, got 'a'
    """
    if isinstance(value, kind):
        return value
    raise InputError(f"expected a value of type {kind.__name__}, got {brief(value)}", argument)


def require_flag(value: object, argument: str) -> None:
    """Refuse a value that is neither True nor False."""
    require(isinstance(value, bool | np.bool_), f"must be True or False, got {brief(value)}", argument)


def whole_number(value: object, argument: str, low: int, high: int | None) -> int:
    """Return a whole number from low to high, which may be given as a float such as 1e6.

    Raises
    ------
    InputError
        If it is anything else.

    >>> whole_number(1e6, "n", 1, None)
    1000000
    """
    range_text = f"a whole number from {low} to {high:g}" if high else f"a whole number >= {low}"
    try:
        # every array has __index__, though only one of a single whole number is an index
        number = int(value) if isinstance(value, float | np.floating) else operator.index(value)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        raise InputError(f"must be {range_text}, got {brief(value)}", argument) from None
    proper = number == value and not isinstance(value, bool) and low <= number <= (high or math.inf)
    require(proper, f"must be {range_text}, got {brief(value)}", argument)
    return number


def floats(values: object, argument: str = "", requirement: str = "numbers") -> Floats:
    """Return an array of doubles from numbers in any shape; an error states the ``requirement``.

    Raises
    ------
    InputError
        If a value is not a number, or is too large for a double, such as 10**400.
    """
    try:
        return np.asarray(values, np.float64)
    except (TypeError, ValueError, OverflowError):
        raise InputError(f"must be {requirement}, got {brief(values)}", argument) from None


def require_fraction(value: object, argument: str) -> None:
    """Refuse a value that is not a number inside (0, 1)."""
    require(is_number(value) and 0 < value < 1, f"must lie inside (0, 1), got {brief(value)}", argument)


def require_choice(value: object, choices: Iterable[str], argument: str) -> None:
    """Refuse a value that is none of some texts.

    >>> require_choice("zro", ("zero", "one"), "empty")
    Traceback (most recent call last):
    ndcg_asymptotics.core.errors.InputError: empty: must be one of zero, one, got 'zro'
    """
    is_choice = isinstance(value, str) and value in choices
    require(is_choice, f"must be one of {', '.join(choices)}, got {brief(value)}", argument)


def is_number(value: object) -> TypeGuard[float]:
    """Return whether a value is a number of Python's or numpy's that a double holds, which may be NaN.

    >>> is_number(10**300), is_number(10**400), is_number(True)
    (True, False, False)
    """
    if not isinstance(value, int | float | np.integer | np.floating) or isinstance(value, bool):
        return False
    try:
        float(value)
    except OverflowError:
        return False
    return True


def named_generator(seed: int, name: str, number: int) -> np.random.Generator:
    """Return a random generator that depends on the seed, a name and a number alone.

    >>> named_generator(1, "run", 0).random() == named_generator(1, "run", 1).random()
    False
    """
    words = np.frombuffer(hashlib.blake2b(name.encode(), digest_size=16).digest(), "<u4")
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(number, *words.tolist())))


def random_generator(seed: object) -> np.random.Generator:
    """Return numpy's default generator.

    Raises
    ------
    InputError
        If the seed is not a whole number from 0 on.
    """
    return np.random.default_rng(whole_number(seed, "seed", 0, None))


def filled_in(sizes: Sequence[int], per_decade: int = 3) -> tuple[int, ...]:
    """Return list lengths in order, with others between those that are far apart, for a smooth curve.

    >>> filled_in([10, 100, 150])
    (10, 22, 46, 100, 150)
    """
    distinct = sorted({*sizes})
    between = [
        np.geomspace(low, high, 1 + max(1, round(per_decade * math.log10(high / low))))[1:-1]
        for low, high in itertools.pairwise(distinct)
    ]
    return tuple(sorted({*distinct, *(round(n) for part in between for n in part)}))


def is_geometric(values: ArrayLike) -> bool:
    """Return whether values are nearer to a geometric than to an arithmetic sequence, for axes.

    >>> is_geometric([1, 2, 5, 10, 20]), is_geometric([1, 2, 3, 4, 5])
    (True, False)
    """
    x = np.sort(np.asarray(values, np.float64))
    if len(x) < 3 or x[0] <= 0 or x[-1] < _GEOMETRIC * x[0]:
        return False
    steps, ratios = np.diff(x), np.diff(np.log(x))
    return bool(ratios.std() / ratios.mean() < steps.std() / steps.mean())


def brief(value: object, width: int = SHOWN) -> str:
    """Return the representation of a value on one line, shortened for an error message."""
    try:
        text = " ".join(repr(value).split())
    except (ValueError, RecursionError):  # whole numbers of more than 4300 digits, lists nested too deeply
        text = f"a value of type {type(value).__name__}"
    return text if len(text) <= width else text[: width - 1] + "…"


def bisected(
    below: Callable[[Floats], Bools | bool], low: Floats | float, high: Floats | float, steps: int
) -> tuple[Floats, Floats]:
    """Return halved intervals, at whose low ends a condition holds and at whose high ends it does not.

    >>> low, high = bisected(lambda x: x * x < 2, 0.0, 2.0, 40)
    >>> bool(low < 2**0.5 <= high), float(high.round(9))
    (True, 1.414213562)
    """
    low, high = np.asarray(low, np.float64), np.asarray(high, np.float64)
    for _ in range(steps):
        middle = (low + high) / 2
        holds = below(middle)
        low, high = np.where(holds, middle, low), np.where(holds, high, middle)
    return low, high


def stable_order(keys: Floats) -> Integers:
    """Return the order in which keys rise, equal ones as they stand: ``np.argsort(keys, kind="stable")``.

    The place of each key takes its last bits, and numbers are sorted, which takes a third to a half of the
    time of numpy's stable sort, with which every-n paths would take 1.3 times as long. Keys that differ only
    in the bits that were lost are put right afterwards, if they are few. Keys must not be NaN.

    >>> stable_order(np.array([2.0, -1.0, np.inf, 2.0, 0.5]))
    array([1, 4, 0, 3, 2])
    >>> stable_order(np.array([5e-324, 0.0, -0.0, -5e-324]))
    array([3, 1, 2, 0])
    """
    lost = len(keys).bit_length()
    bits = (keys + 0.0).view(np.int64)  # -0 becomes 0
    packed = (bits >> 63) & _ALL_BUT_SIGN ^ bits  # whole numbers in the order of the keys
    packed >>= lost
    packed <<= lost
    packed |= np.arange(len(keys))
    packed.sort()
    order: Integers = packed & ((1 << lost) - 1)
    ranked = keys[order]
    wrong = np.flatnonzero(ranked[1:] < ranked[:-1])
    if wrong.size > _FEW_ALIKE:
        return np.argsort(keys, kind="stable")
    packed >>= lost
    for first in np.unique(np.searchsorted(packed, packed[wrong])).tolist():
        last = int(np.searchsorted(packed, packed[first], side="right"))
        order[first:last] = order[first:last][np.argsort(ranked[first:last], kind="stable")]
    return order
