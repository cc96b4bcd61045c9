"""The cache of exact values in the user's cache folder.

A value depends on a curve, a measure, a list length and the formulas only, so every study can use it. A file
that is damaged, foreign or of other versions is ignored. Where nothing can be written, values are computed
again.
"""

from __future__ import annotations

import hashlib
import math
import os
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from cachetools import LRUCache
from numpy.typing import ArrayLike
from platformdirs import user_cache_path

from ndcg_asymptotics import measures, populations
from ndcg_asymptotics.core.arrays import Floats
from ndcg_asymptotics.core.errors import InputError
from ndcg_asymptotics.core.files import UnreadableError, key_of, read_record, write_record
from ndcg_asymptotics.core.versions import PACKAGE, versions_of
from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.populations import Scorer
from ndcg_asymptotics.theory.fluctuations import StandardDeviation, ndcg_std
from ndcg_asymptotics.theory.mean import Expectation, expected_ndcg
from ndcg_asymptotics.theory.pseudo_expectation import pseudo_expectation

Key = tuple[str, str, str]  # kind, curve, measure
Known = Mapping[int, tuple[float, float]]
Compute = Callable[[tuple[int, ...]], tuple[Floats, Floats]]

_LIMIT = 2**26  # bytes in memory, and on the disk: 64 MB, about 300,000 values each
_BYTES_OF_A_VALUE = 200  # in memory: an integer and two floats in a dictionary
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
        self._known: LRUCache[Key, Known] = LRUCache(
            limit, getsizeof=lambda known: _BYTES_OF_A_VALUE * (1 + len(known))
        )
        self._lock = threading.Lock()
        self._written = limit  # bytes since the size of the folder was measured; it has not been measured yet

    def mean(
        self,
        relevance: Scorer,
        measure: Measure,
        sizes: Sequence[int],
        within: ArrayLike = 0.0,
        beside: Sequence[Measure] = (),
    ) -> Expectation:
        """Return `expected_ndcg`, computing only the values that the cache does not have.

        ``within``, a number or one for each size, is an error that does no harm: where the quick mean has no
        larger one it is returned. Means of the measures ``beside``, as far as the cache does not have them,
        are computed at the same time.

        Raises
        ------
        NotAvailableError
            As `expected_ndcg`.
        """
        allowed = np.broadcast_to(np.asarray(within, np.float64), len(sizes))
        value, error = np.zeros(len(sizes)), np.full(len(sizes), math.inf)
        for kind, quick in (("quick mean", True), ("mean", False)):
            here = np.flatnonzero((error > allowed) & ((allowed > 0) | (not quick)))
            if here.size:

                def means(
                    lengths: tuple[int, ...], kind: str = kind, quick: bool = quick
                ) -> tuple[Floats, Floats]:
                    others = [
                        other for other in beside if not self._knows(kind, (relevance,), other, lengths)
                    ]
                    return _parts(expected_ndcg(relevance, measure, lengths, quick=quick, beside=others))

                lengths = [sizes[i] for i in here.tolist()]
                value[here], error[here] = self.values(kind, relevance, measure, lengths, means)
        return Expectation(value, error)

    def std(self, relevance: Scorer, measure: Measure, sizes: Sequence[int]) -> StandardDeviation:
        """Return `ndcg_std` to four digits in the same way.

        Raises
        ------
        NotAvailableError
            As `ndcg_std`.
        """
        return StandardDeviation(
            *self.values(
                "quick sd", relevance, measure, sizes,
                lambda n: _parts(ndcg_std(relevance, measure, n, quick=True)),
            )
        )  # fmt: skip

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
        key = _key(kind, of if isinstance(of, tuple) else (of,), measure)
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

    def _knows(self, kind: str, of: tuple[Scorer, ...], measure: Measure, sizes: Sequence[int]) -> bool:
        key = _key(kind, of, measure)
        return key is not None and all(n in self._recalled(key) for n in sizes)

    def _recalled(self, key: Key) -> Known:
        with self._lock:
            known: Known | None = self._known.get(key)
        return self._read(key) if known is None else known

    def _remember(self, key: Key, known: Known) -> None:
        with self._lock, suppress(ValueError):  # the values of one key exceed the limit
            self._known[key] = known
        path = self._path(key)
        if path is None:
            return
        both = {**self._read(key), **known}
        fields = {
            "key": key,
            "made_by": _makers(),
            "values": [[n, *pair] for n, pair in sorted(both.items())],
        }
        with suppress(OSError, InputError):  # the disk is read-only or full
            write_record(path, fields, path.parent, durable=False)
            self._written += path.stat().st_size
            if self._written >= self._limit // _CHECKS:
                self._written = 0
                self._shrink(path.parent)

    def _path(self, key: Key) -> Path | None:
        """Return the file of a key, which depends on the formulas and versions, too."""
        return None if self._folder is None else self._folder / f"{key_of({'key': key, **_makers()})}.json"

    def _read(self, key: Key) -> Known:
        """Return the values of a key in the folder, or none if its file is not as it was written."""
        path = self._path(key)
        if path is None:
            return {}
        try:
            found = read_record(path)
            if tuple(found["key"]) != key or found["made_by"] != _makers():
                return {}
            known = {int(n): _pair(*pair) for n, *pair in found["values"]}
        except (UnreadableError, KeyError, TypeError, ValueError, OverflowError):
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


def _parts(found: Expectation | StandardDeviation) -> tuple[Floats, Floats]:
    return found.value, found.error


def _key(kind: str, curves: tuple[Scorer, ...], measure: Measure) -> Key | None:
    """Return the key of a value, with digests of curve files; None for user-defined functions."""
    try:
        ranks, *parts = measure.portable(), *(curve.portable() for curve in curves)
    except InputError:  # a user-defined function that another process cannot find by a name
        return None
    if any(part.digests for part in (ranks, *parts)):
        return None
    return kind, " > ".join(part.text for part in parts), ranks.text


def _pair(value: Any, error: Any) -> tuple[float, float]:
    """Return a value and the bound of its error; raise `ValueError` if a file has something else."""
    pair = float(value), float(error)
    if not (math.isfinite(pair[0]) and pair[1] >= 0):
        raise ValueError(f"{pair} is not a value with its error")
    return pair


@cache
def _makers() -> dict[str, str]:
    """Return what determines the bits of an exact value: versions, vector units and formulas."""
    digest = hashlib.blake2b(digest_size=8)
    for folder in (*map(Path, measures.__path__), *map(Path, populations.__path__), Path(__file__).parent):
        for file in sorted(folder.rglob("*.py")):
            digest.update(file.relative_to(folder).as_posix().encode() + file.read_bytes())
    return {**versions_of("numpy", "scipy"), "formulas": digest.hexdigest()}
