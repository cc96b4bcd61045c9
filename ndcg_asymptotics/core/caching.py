"""The cache in memory for intermediate results of measures and theory."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from threading import Condition
from typing import Any, Concatenate, ParamSpec, TypeVar

import numpy as np
from cachetools import LRUCache, cached
from cachetools.keys import hashkey

_P = ParamSpec("_P")
_T = TypeVar("_T")
_I = TypeVar("_I")

_LIMIT = 2**28  # bytes; the means of one study of five grades take a fifth of it
_OVERHEAD = 200  # bytes of an object that is no array
_DEPTH = 6  # levels of nested objects in which arrays are looked for


def _size(value: object, depth: int = _DEPTH) -> int:
    """Return about how many bytes the arrays in an object take."""
    if isinstance(value, np.ndarray):
        return value.nbytes + _OVERHEAD
    if depth == 0:
        return _OVERHEAD
    if isinstance(value, tuple | list):
        return _OVERHEAD + sum(_size(item, depth - 1) for item in value)
    if isinstance(value, dict):
        return _OVERHEAD + sum(_size(item, depth - 1) for item in value.values())
    names = (*getattr(value, "__dict__", ()), *getattr(value, "__slots__", ()))
    return _OVERHEAD + sum(_size(getattr(value, name, None), depth - 1) for name in names)


_cache: LRUCache[Hashable, Any] = LRUCache(_LIMIT, getsizeof=_size)
_changed = Condition()


def shared(function: Callable[_P, _T]) -> Callable[_P, _T]:
    """Keep a function's results in the cache that all such functions share, and return them again.

    The cache holds 256 MB; what was used least recently is dropped. A thread that asks for what another one
    computes waits for it. Arguments must be hashable, and nobody may change a result.

    >>> calls = []
    >>> @shared
    ... def square(x):
    ...     calls.append(x)
    ...     return x * x
    >>> square(3), square(3), calls
    (9, 9, [3])
    """
    name = f"{function.__module__}.{function.__qualname__}"
    decorate: Any = cached(
        _cache, key=lambda *args, **kwargs: hashkey(name, *args, **kwargs), condition=_changed
    )
    result: Callable[_P, _T] = decorate(function)
    return result


def shared_each(
    function: Callable[Concatenate[Sequence[_I], _P], Sequence[_T]],
) -> Callable[Concatenate[Sequence[_I], _P], list[_T]]:
    """Keep the results of a function of several items one by one, as `shared` does.

    The function returns a result for each item, and is called for those whose results are not in the cache.

    >>> calls = []
    >>> @shared_each
    ... def squares(items):
    ...     calls.append(items)
    ...     return [x * x for x in items]
    >>> squares([3, 4]), squares([4, 5, 5]), calls
    ([9, 16], [16, 25, 25], [[3, 4], [5]])
    """
    name = f"{function.__module__}.{function.__qualname__}"

    def recalled(items: Sequence[_I], /, *args: _P.args, **kwargs: _P.kwargs) -> list[_T]:
        keys = {item: hashkey(name, item, *args, *kwargs.items()) for item in items}
        with _changed:
            results = {item: _cache[key] for item, key in keys.items() if key in _cache}
        unknown = [item for item in keys if item not in results]
        if unknown:
            new = dict(zip(unknown, function(unknown, *args, **kwargs), strict=True))
            results |= new
            with _changed:
                _cache.update((keys[item], result) for item, result in new.items())
        return [results[item] for item in items]

    return recalled


def clear_caches() -> None:
    """Drop all results, for measurements of time and for tests of what does not depend on earlier calls."""
    with _changed:
        _cache.clear()
