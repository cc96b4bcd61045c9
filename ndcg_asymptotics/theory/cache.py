"""The cache of exact values in the user's cache folder.

A value depends on a curve, a measure, a list length and the method only, so every study can use it. A file
that is damaged, foreign or of another version is ignored. Where nothing can be written, values are computed
again.
"""

from __future__ import annotations

import math
import os
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import SupportsFloat

import numpy as np
from cachetools import LRUCache
from platformdirs import user_cache_path

from ndcg_asymptotics.core.arrays import Floats
from ndcg_asymptotics.core.errors import InputError, NotAvailableError
from ndcg_asymptotics.core.files import UnreadableError, key_of, read_record, write_record
from ndcg_asymptotics.core.versions import PACKAGE, versions_of
from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.populations import Scorer
from ndcg_asymptotics.theory.fluctuations import StandardDeviation, ndcg_std
from ndcg_asymptotics.theory.mean import Expectation, expected_ndcg
from ndcg_asymptotics.theory.pseudo_expectation import pseudo_expectation

Key = tuple[tuple[str, str], ...]  # what decides the bits of a value, by name
KnownValues = Mapping[int, tuple[float, float]]
Compute = Callable[[tuple[int, ...]], tuple[Floats, Floats]]

METHOD = 10
"""The version of the method, which is raised when cached values or the bounds of their errors change."""

_LIMIT = 2**26  # bytes in memory, and on the disk: 64 MB, about 300,000 values each
_BYTES_OF_A_VALUE = 200  # in memory: an integer and two floats in a dictionary
_LARGEST_ERROR = 1e-3  # exact means with a larger error are not drawn
_CHECKS = 16  # the size of the folder is measured after each 1/16 of the limit has been written


class TheoryCache:
    """Exact values by kind, curve, measure and list length, each with a bound of its error.

    Several processes may use a folder at the same time. Each key has a file of its own, which is replaced as
    a whole; if two processes add to it in turn, the file has the values of both.

    Parameters
    ----------
    folder : Path or None
        The folder of the values; None keeps them in this process only.
    limit : int
        The size in bytes, in memory and on the disk. Values that were not used for longest are dropped.

    >>> cache = TheoryCache(None)
    >>> curve, measure = Scorer.parse("linear(0.1, 0.7)"), Measure.of("nDCG")
    >>> cache.mean(curve, measure, [10]).value == expected_ndcg(curve, measure, [10]).value
    array([ True])
    """

    def __init__(self, folder: Path | None, limit: int = _LIMIT) -> None:
        self._folder = folder
        self._limit = limit
        self._known: LRUCache[Key, KnownValues] = LRUCache(
            limit, getsizeof=lambda known: _BYTES_OF_A_VALUE * (1 + len(known))
        )
        self._lock = threading.Lock()
        self._written = limit  # bytes since the size of the folder was measured; it has not been measured yet

    def mean(
        self,
        relevance: Scorer,
        measure: Measure,
        sizes: Sequence[int],
        beside: Sequence[Measure] = (),
    ) -> Expectation:
        """Return `expected_ndcg`, computing only the values that the cache does not have.

        Means of the measures ``beside``, as far as the cache does not have them, are computed at the same
        time.

        Raises
        ------
        NotAvailableError
            As `expected_ndcg`.
        """

        def compute(lengths: tuple[int, ...]) -> tuple[Floats, Floats]:
            others = [other for other in beside if not self._knows("mean", relevance, other, lengths)]
            return _parts(expected_ndcg(relevance, measure, lengths, beside=others))

        return Expectation(*self.values("mean", relevance, measure, sizes, compute))

    def std(self, relevance: Scorer, measure: Measure, sizes: Sequence[int]) -> StandardDeviation:
        """Return `ndcg_std` to four digits in the same way.

        Raises
        ------
        NotAvailableError
            As `ndcg_std`.
        """

        def compute(lengths: tuple[int, ...]) -> tuple[Floats, Floats]:
            return _parts(ndcg_std(relevance, measure, lengths))

        return StandardDeviation(*self.values("sd", relevance, measure, sizes, compute))

    def pseudo(self, relevance: Scorer, measure: Measure, sizes: Sequence[int]) -> list[float | None]:
        """Return `pseudo_expectation` in the same way."""

        def compute(lengths: tuple[int, ...]) -> tuple[Floats, Floats]:
            found = np.array([pseudo_expectation(relevance, measure, n) for n in lengths], np.float64)
            return np.nan_to_num(found), np.where(np.isnan(found), math.inf, 0.0)

        value, error = self.values("pseudo", relevance, measure, sizes, compute)
        return [None if e else v for v, e in zip(value.tolist(), error.tolist(), strict=True)]

    def size(
        self, kind: str, relevance: Scorer, measure: Measure, n: int, compute: Callable[[], float]
    ) -> float:
        """Return a number from 0 to infinity that ``compute`` gives at one n, in the same way."""
        known = self.values(kind, relevance, measure, [n], lambda _: (np.zeros(1), np.array([compute()])))
        return float(known[1][0])

    def values(
        self,
        kind: str,
        of: Scorer | tuple[Scorer, ...],
        measure: Measure,
        sizes: Sequence[int],
        compute: Compute,
    ) -> tuple[Floats, Floats]:
        """Return values and bounds of their errors at the sizes.

        Parameters
        ----------
        kind : str
            The name of the quantity.
        of : Scorer or tuple of Scorer
            The curve, or several in their order.
        measure : Measure
        sizes : sequence of int
        compute : callable
            Returns values and bounds for the sizes that are not known yet. Values that depend on a
            user-defined function are always computed, as the function may have changed.
        """
        key = _key(kind, of, measure)
        if key is None:
            return compute(tuple(sizes))
        known = self._recalled(key)
        missing = tuple(n for n in dict.fromkeys(sizes) if n not in known)
        if missing:
            computed = (part.tolist() for part in compute(missing))
            known = {**known, **dict(zip(missing, zip(*computed, strict=True), strict=True))}
            self._remember(key, known)
        value, error = np.array([known[n] for n in sizes], np.float64).reshape(-1, 2).T
        return value, error

    def _knows(self, kind: str, of: Scorer, measure: Measure, sizes: Sequence[int]) -> bool:
        key = _key(kind, of, measure)
        return key is not None and all(n in self._recalled(key) for n in sizes)

    def _recalled(self, key: Key) -> KnownValues:
        with self._lock:
            known: KnownValues | None = self._known.get(key)
        return self._read(key) if known is None else known

    def _remember(self, key: Key, known: KnownValues) -> None:
        with self._lock, suppress(ValueError):  # the values of one key exceed the limit
            self._known[key] = known
        if self._folder is None:
            return
        path = self._folder / _name(key)
        values = [[n, *pair] for n, pair in sorted({**self._read(key), **known}.items())]
        with suppress(OSError, InputError):  # the disk is read-only or full
            write_record(path, {**dict(key), "values": values}, self._folder, durable=False)
            self._written += path.stat().st_size
            if self._written >= self._limit // _CHECKS:
                self._written = 0
                self._shrink(self._folder)

    def _read(self, key: Key) -> KnownValues:
        """Return the values of a key in the folder, or none if its file is not as it was written."""
        if self._folder is None:
            return {}
        path = self._folder / _name(key)
        try:
            found = read_record(path)
            known = {int(n): _pair(*pair) for n, *pair in found.pop("values")}
        except (UnreadableError, KeyError, TypeError, ValueError, OverflowError):
            return {}
        if found != dict(key):
            return {}
        with suppress(OSError):
            os.utime(path)  # the time of the last use
        with self._lock, suppress(ValueError):
            self._known[key] = known
        return known

    def _shrink(self, folder: Path) -> None:
        """Delete the files that were used least recently, until the folder is within its limit."""
        found = []
        for entry in os.scandir(folder):
            state = entry.stat(follow_symlinks=False)
            found.append((state.st_mtime, state.st_size, entry.path))
        excess = sum(size for _, size, _ in found) - self._limit
        for _, size, path in sorted(found):
            if excess <= 0:
                return
            with suppress(OSError):
                os.unlink(path)
            excess -= size


@cache
def user_cache() -> TheoryCache:
    """Return the cache in the user's cache folder, such as ``~/.cache/ndcg-asymptotics/theory`` on Linux."""
    return TheoryCache(user_cache_path(PACKAGE, appauthor=False) / "theory")


def relative_means(scorer: Scorer, measure: Measure, sizes: Sequence[int]) -> Floats:
    """Return E[NDCG_n], or E[DCG_n] / F(k(n)), at some n; NaN where theory does not give it to 1e-3.

    >>> relative_means(Scorer.parse("constant(0.4)"), Measure.of("DCG@5"), [10, 10**6]).round(12)
    array([0.4, 0.4])
    """
    try:
        found = user_cache().mean(scorer, measure, sizes)
    except NotAvailableError:
        return np.full(len(sizes), np.nan)
    unit = np.array([measure.unit(n) for n in sizes])
    return np.where(found.error / unit <= _LARGEST_ERROR, found.value / unit, np.nan)


def _parts(found: Expectation | StandardDeviation) -> tuple[Floats, Floats]:
    return found.value, found.error


def _key(kind: str, of: Scorer | tuple[Scorer, ...], measure: Measure) -> Key | None:
    """Return the key of a value; None if it depends on a user-defined function or a curve file."""
    curves = of if isinstance(of, tuple) else (of,)
    try:
        ranks, *parts = measure.portable(), *(curve.portable() for curve in curves)
    except InputError:  # a user-defined function that another process cannot find by a name
        return None
    if any(part.digests for part in (ranks, *parts)):
        return None
    curve = " > ".join(part.text for part in parts)
    versions = {"method": str(METHOD), **versions_of("numpy", "scipy")}
    return tuple({"kind": kind, "curve": curve, "measure": ranks.text, **versions}.items())


def _name(key: Key) -> str:
    return f"{key_of(dict(key))}.json"


def _pair(value: str | SupportsFloat, error: str | SupportsFloat) -> tuple[float, float]:
    """Return a value and the bound of its error; raise `ValueError` if a file has something else."""
    pair = float(value), float(error)
    if not (math.isfinite(pair[0]) and pair[1] >= 0):
        raise ValueError(f"{pair} is not a value with its error")
    return pair
