"""Exact values of theory, kept beside the results that are held against them.

They are derived: whoever asks is given what the file has if it is sound and was made by the same formulas
with the same versions, and what was computed just now otherwise. So a file that is damaged, foreign, older
or newer is as good as none, and one that cannot be written is done without.
"""

from __future__ import annotations

import hashlib
import json
import math
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from ndcg_asymptotics import measures, populations, theory
from ndcg_asymptotics.core.arrays import Floats
from ndcg_asymptotics.core.errors import InputError
from ndcg_asymptotics.core.files import write_file
from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.populations import Relevance
from ndcg_asymptotics.results.chunks import UnreadableError
from ndcg_asymptotics.results.damage.seals import checksum_holds, with_checksum
from ndcg_asymptotics.results.description import read_json
from ndcg_asymptotics.results.layout import holds_results, versions_here
from ndcg_asymptotics.theory.fluctuations import Spread, ndcg_spread
from ndcg_asymptotics.theory.mean import Expectation, expected_ndcg
from ndcg_asymptotics.theory.pseudo_expectation import pseudo_expectation

FILE = "exact.json"
"""The file of a folder of results that holds them."""

Key = tuple[str, str, str]  # kind, curve, measure
Known = dict[Key, dict[int, tuple[float, float]]]
Compute = Callable[[tuple[int, ...]], tuple[Floats, Floats]]

_OFTEN = 5.0  # seconds of computing that an interruption may cost


class Kept:
    """Exact values by kind, curve, measure and list length, each with a bound of its error.

    Parameters
    ----------
    folder : Path or None
        Of results; None keeps them in this process only.
    """

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder
        self._known = _read(folder)
        self._new = False
        self._written = time.monotonic()

    def mean(self, relevance: Relevance, measure: Measure, sizes: Sequence[int]) -> Expectation:
        """`expected_ndcg`, from what is kept as far as that goes.

        Raises
        ------
        InputError
            As `expected_ndcg`.
        """
        return Expectation(
            *self.values(
                "mean", relevance, measure, sizes, lambda n: _parts(expected_ndcg(relevance, measure, n))
            )
        )

    def spread(self, relevance: Relevance, measure: Measure, sizes: Sequence[int]) -> Spread:
        """`ndcg_spread` to three digits, likewise.

        Raises
        ------
        InputError
            As `ndcg_spread`.
        """
        return Spread(
            *self.values(
                "quick sd", relevance, measure, sizes,
                lambda n: _parts(ndcg_spread(relevance, measure, n, quick=True)),
            )
        )  # fmt: skip

    def pseudo(self, relevance: Relevance, measure: Measure, sizes: Sequence[int]) -> list[float | None]:
        """`pseudo_expectation`, likewise."""

        def compute(lengths: tuple[int, ...]) -> tuple[Floats, Floats]:
            found = np.array([pseudo_expectation(relevance, measure, n) for n in lengths], np.float64)
            return np.nan_to_num(found), np.where(np.isnan(found), math.inf, 0.0)

        value, error = self.values("pseudo", relevance, measure, sizes, compute)
        return [None if e else v for v, e in zip(value.tolist(), error.tolist(), strict=True)]

    def size(
        self, kind: str, relevance: Relevance, measure: Measure, n: int, compute: Callable[[], float]
    ) -> float:
        """A number from 0 to infinity that theory gives at one n, likewise."""
        known = self.values(kind, relevance, measure, [n], lambda _: (np.zeros(1), np.array([compute()])))
        return float(known[1][0])

    def values(
        self, kind: str, of: Relevance | tuple[Relevance, ...], measure: Measure, sizes: Sequence[int],
        compute: Compute,
    ) -> tuple[Floats, Floats]:  # fmt: skip
        """Values and bounds of their errors at the sizes, of which ``compute`` is asked for those not kept.

        They are of a curve, or of several in their order.
        What depends on a function of the user's own, which another process may find changed, is
        computed always.
        """
        key = _key(kind, of if isinstance(of, tuple) else (of,), measure)
        if key is None:
            return compute(tuple(sizes))
        known = self._known.setdefault(key, {})
        missing = tuple(n for n in dict.fromkeys(sizes) if n not in known)
        if missing:
            computed = (part.tolist() for part in compute(missing))
            known.update(zip(missing, zip(*computed, strict=True), strict=True))
            self._new = True
            if time.monotonic() - self._written > _OFTEN:
                self.save()
        value, error = np.array([known[n] for n in sizes], np.float64).reshape(-1, 2).T
        return value, error

    def save(self) -> None:
        """Keep what is new in the folder, beside what another process has kept there since."""
        if self._folder is None or not self._new or not holds_results(self._folder):
            return
        for key, others in _read(self._folder).items():
            self._known[key] = others | self._known.get(key, {})
        values = [
            [*key, [[n, *pair] for n, pair in sorted(known.items())]]
            for key, known in sorted(self._known.items())
        ]
        content = json.dumps({"made by": _makers(), "values": values})
        with suppress(OSError):  # a folder that is read-only, a full disk: they can be computed again
            write_file(self._folder / FILE, with_checksum(content.encode()), self._folder)
        self._new, self._written = False, time.monotonic()


def _parts(found: Expectation | Spread) -> tuple[Floats, Floats]:
    return found.value, found.error


def _key(kind: str, curves: tuple[Relevance, ...], measure: Measure) -> Key | None:
    """What a value is of, with digests of curve files; None where no text says what it is."""
    try:
        ranks, *parts = measure.portable(), *(curve.portable() for curve in curves)
    except InputError:
        return None
    if any(part.digests for part in (ranks, *parts)):
        return None
    return kind, " > ".join(part.text for part in parts), ranks.text


def _read(folder: Path | None) -> Known:
    """What a folder keeps; nothing if that is not what was written, here and by these formulas."""
    if folder is None:
        return {}
    try:
        found = read_json(folder / FILE)
        if not checksum_holds(found) or found["made by"] != _makers():
            return {}
        return {
            (str(kind), str(curve), str(measure)): {int(n): _pair(*pair) for n, *pair in known}
            for kind, curve, measure, known in found["values"]
        }
    except (UnreadableError, KeyError, TypeError, ValueError, OverflowError):
        return {}


def _pair(value: Any, error: Any) -> tuple[float, float]:
    """A value and its error, as only a file that was made up would not have them."""
    pair = float(value), float(error)
    if not (math.isfinite(pair[0]) and pair[1] >= 0):
        raise ValueError(f"{pair} is no value with its error")
    return pair


@cache
def _makers() -> dict[str, str]:
    """What decides the bits of an exact value: versions, vector units, and the formulas themselves."""
    digest = hashlib.blake2b(digest_size=8)
    for room in (measures, populations, theory):
        folder = Path(room.__path__[0])
        for file in sorted(folder.rglob("*.py")):
            digest.update(file.relative_to(folder).as_posix().encode() + file.read_bytes())
    return {**versions_here(), "formulas": digest.hexdigest()}
