"""What was made before and fits into memory, for formulas that ask for the same parts again and again."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

_T = TypeVar("_T")


class Memo(Generic[_T]):
    """Results by key, those asked for last, as many as fit.

    Parameters
    ----------
    most : int
        Bytes, all together.
    size : function of a result
        Its bytes.

    >>> squares = Memo(2, size=lambda number: 1)
    >>> [squares.get(n, lambda: n * n) for n in (1, 2, 3, 3)], len(squares)
    ([1, 4, 9, 9], 2)
    """

    def __init__(self, most: int, size: Callable[[_T], int]) -> None:
        self._most, self._size = most, size
        self._held: OrderedDict[Hashable, _T] = OrderedDict()
        self._bytes = 0

    def __len__(self) -> int:
        return len(self._held)

    def get(self, key: Hashable, make: Callable[[], _T]) -> _T:
        """What was made for a key, or is made now."""
        if key in self._held:
            self._held.move_to_end(key)
            return self._held[key]
        found = make()
        if self._size(found) > self._most:
            return found
        self._held[key] = found
        self._bytes += self._size(found)
        while self._bytes > self._most:
            self._bytes -= self._size(self._held.popitem(last=False)[1])
        return found

    def clear(self) -> None:
        """Forget everything."""
        self._held.clear()
        self._bytes = 0
