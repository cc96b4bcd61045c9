"""User-defined discounts: a function of the rank, from Python or by the name of a module."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ndcg_asymptotics.core.arrays import LARGEST_N, UNDERFLOW, Floats, brief, instance_of, is_number
from ndcg_asymptotics.core.errors import InputError, NotAvailableError, require, require_available
from ndcg_asymptotics.measures.asymptotics import Asymptotics, UnknownDecay
from ndcg_asymptotics.measures.discounts.discount import Discount
from ndcg_asymptotics.specs import custom
from ndcg_asymptotics.specs.scanner import number_text
from ndcg_asymptotics.specs.spec import Write

_DEFAULT_LARGEST = 1e7
_MOST_RANKS = 1e8  # the table of F(k) then takes 800 MB
_CHUNK = 2**18  # ranks evaluated at a time: 2 MB
_RANKS_BEYOND = 4096  # ranks beyond the largest that enter the digests
_ROUNDING = 1e-13  # relative; a value may exceed the previous one by so much
_FEWEST_KNOWN = 3.0  # with fewer known ranks than 100 times this, `like` is not tested
_SETTLED = 0.01  # the test of `like` counts a smaller change of log D(r)/model(r) in a decade as none
_FALLS = 0.95  # d log r must fall by this factor per decade if D(r)/model(r) has a limit


@dataclass(frozen=True)
class Custom(custom.OfFunction, Discount, keyword="custom"):
    """A user-defined D(r): custom("module:function", largest, "like"), positive, non-increasing, vectorised.

    The function takes an array of ranks, real numbers >= 1, and must return the same values at every
    call. It is checked at every whole rank up to ``largest`` (default 1e7). Engines use no other ranks, and
    keep a table of F(k) with 8 bytes per rank. Exact means of longer lists evaluate the function further out.
    ``like`` names a discount to which it is proportional in the limit ("log", "power(0.5)",
    "geometric(2)"). Then the theorems for that discount apply, and `check` tests their limits. The function
    `discount` makes such an object in Python.

    Attributes
    ----------
    target : str
        The name of the function.
    largest : float
        The last rank at which it is known.
    like : str
    conjecture : number or function of (relevance, cutoff), optional
        The limit of NDCG_n that its author expects, in the place of a theorem's.
    value_digest : str
        A digest of its values, to the last bit, at every whole rank up to ``largest`` and at 4096 ranks from
        there to 1e18, at most 1% apart. Discounts with the same name and digest are equal and share
        cached results. Between two of those 4096 ranks they may differ by as much as D falls there.
    digest : str
        A digest of its source files and of the same values in single precision, which do not depend on how
        a library rounds. Results of one digest are never continued with another.
    """

    KIND = "discount"
    WRITTEN = ("target", "largest", "like")

    largest: float = _DEFAULT_LARGEST
    like: str = ""
    conjecture: Any = field(default=None, compare=False, repr=False)

    def __post_init__(self) -> None:
        message = f"custom: largest must be 1 to 1e8, got {number_text(self.largest)}"
        require(1 <= self.largest <= _MOST_RANKS, message)
        object.__setattr__(self, "like", str(Discount.parse(self.like)) if self.like else "")
        values, digest = self._examine()
        object.__setattr__(self, "value_digest", values)
        object.__setattr__(self, "digest", digest)
        if self._model is not None:
            self._require_like(self._model)

    @classmethod
    def described(cls, value: object) -> dict[str, Any]:
        if isinstance(value, type) and issubclass(value, Discount):
            value = value()
        if isinstance(value, Custom):
            return {name: getattr(value, name) for name in ("function", "largest", "like", "conjecture")}
        require(callable(value), f"a discount must be a function of the rank, got {brief(value)}")
        return {"function": value}

    def arguments(self, write: Write = str) -> tuple[str, ...]:
        texts = json.dumps(self.target), number_text(self.largest)
        return (*texts, json.dumps(self.like)) if self.like else texts

    @property
    def asymptotics(self) -> Asymptotics:
        return self._model.asymptotics if self._model else UnknownDecay()

    @property
    def constant(self) -> float | None:
        return None

    @property
    def total(self) -> float:
        """F(infinity): the sum of the table, and the tail of ``like``, scaled to be continuous at its end."""
        model = self._model
        if model is None or not math.isfinite(model.total):
            return math.inf
        end = self.largest
        tail, end_value = model.total - float(model.cumulative(end)), float(model(end))
        # the model may underflow at the end, and its tail then counts as nothing
        scale = float(self.at(np.array([end]), math.nan)[0]) / end_value if end_value > 0 else 0.0
        return float(self.cumulative(end)) + scale * max(tail, 0.0)

    @property
    def known_to(self) -> float:
        return self.largest

    @property
    def _model(self) -> Discount | None:
        return Discount.parse(self.like) if self.like else None

    def at(self, rank: Floats, n: Floats | float) -> Floats:
        try:
            with np.errstate(all="ignore"):
                values = np.asarray(self.function(rank), dtype=np.float64)
        except custom.ANYTHING as error:  # any exception of the user's code
            reason = f"({custom.brief_error(error)}){custom.advice_for(self.function, rank)}"
            raise self._error(rank, f"failed at {rank.size} ranks {reason}") from error
        if values.shape != np.shape(rank):
            raise self._error(rank, f"made shape {values.shape} of ranks {np.shape(rank)}")
        return values

    def _error(self, rank: Floats, problem: str) -> InputError:
        """Return the error to raise: a function must know whole ranks up to the largest, and no others."""
        promised = bool(np.all((rank <= self.largest) & (rank == np.floor(rank))))
        return (InputError if promised else NotAvailableError)(f"custom: {self.target!r} {problem}")

    def sum_to(self, k: Floats, n: float) -> Floats:
        require_available(
            bool(np.all(k <= self.largest)),
            f"{self} knows its sums up to rank {number_text(self.largest)}, got {np.max(k):g}",
        )
        return _sums(self)[k.astype(np.int64)]

    def _chunks(self) -> Iterator[tuple[Floats, Floats]]:
        """Yield all whole ranks up to the largest, in order, with D at each, chunk by chunk."""
        for start in np.arange(1.0, self.largest + 1, _CHUNK):
            ranks = np.arange(start, min(start + _CHUNK, self.largest + 1))
            yield ranks, self.at(ranks, math.nan)

    def _examine(self) -> tuple[str, str]:
        """Raise `InputError` if the values are not those of a discount; return the two digests."""
        exact, single = hashlib.blake2b(digest_size=16), hashlib.blake2b(digest_size=16)
        single.update(custom.source_digest(self.function, self.files))
        before = math.inf
        for ranks, values in self._chunks():
            steps = np.diff(values, prepend=before)
            bad = ~(np.isfinite(values) & (values >= 0) & ~(steps > _ROUNDING * values))
            bad[0] |= ranks[0] == 1 and values[0] <= 0
            if bad.any():
                r = int(np.argmax(bad))
                previous = f" after {values[r - 1]:g}" if r else ""
                raise InputError(
                    f"custom: {self.target!r} must be finite, non-increasing and positive at rank 1, "
                    f"got D({ranks[r]:.0f}) = {values[r]:g}{previous}"
                )
            if ranks[0] == 1:
                again = self.at(ranks, math.nan)
                require(bool(np.array_equal(values, again)), self._changes())
            exact.update(values.tobytes())
            single.update(_single(values))
            before = float(values[-1])
        beyond = self._beyond()
        exact.update(beyond.tobytes())
        single.update(_single(beyond))
        return exact.hexdigest(), single.hexdigest()

    def _changes(self) -> str:
        return (
            f"custom: {self.target!r} does not give the values that it gave before: "
            "a discount must depend on the rank alone"
        )

    def _beyond(self) -> Floats:
        """Return D at ranks beyond the largest, or an empty array if the function fails there."""
        try:
            return self.at(np.rint(np.geomspace(self.largest + 1, LARGEST_N, _RANKS_BEYOND)), math.nan)
        except NotAvailableError:  # for instance a table; theory reports it when it needs a longer one
            return np.empty(0)

    def _require_like(self, model: Discount) -> None:
        """Raise `InputError` if the values at the known ranks contradict ``like``.

        D(r)/model(r) must have a limit. Let its logarithm change by d_0 and d_1 in the last two decades of
        ranks. If there is a limit, d log r falls from one decade to the next. If the ratio is a power of r or
        of log r, it does not.
        """
        require(
            not model.depends_on_n,
            f"custom: like must be a discount that does not depend on the list length, got {model}",
        )
        ranks = self.largest / np.array([100.0, 10.0, 1.0])
        while ranks[0] >= _FEWEST_KNOWN and float(model(ranks[2])) < UNDERFLOW:  # of a geometric model
            ranks = ranks / 2
        if ranks[0] < _FEWEST_KNOWN:
            return
        values = self.at(ranks, math.nan)
        require(
            float(values[-1]) > 0,
            f"custom: {self.target!r} does not fall like {self.like}: it is 0 at rank {ranks[-1]:.3g}",
        )
        changes = np.diff(np.log(values) - np.log(model(ranks)))
        before, last = np.abs(changes) * np.log(ranks[1:])
        settles = abs(changes[1]) <= _SETTLED or last < _FALLS * before
        require(
            bool(settles),
            f"custom: {self.target!r} does not fall like {self.like}: D(r)/{self.like} changes by a factor "
            f"of {math.exp(changes[1]):.3g} from rank {ranks[1]:.3g} to {ranks[2]:.3g}, and of "
            f"{math.exp(changes[0]):.3g} in the decade before",
        )


def _single(values: Floats) -> bytes:
    with np.errstate(over="ignore"):
        return values.astype(np.float32).tobytes()


@lru_cache(maxsize=4)  # not in the shared cache, as one table may be larger than it
def _sums(discount: Custom) -> Floats:
    sums, total = np.zeros(int(discount.largest) + 1), np.longdouble(0)
    state = hashlib.blake2b(digest_size=16)
    for ranks, values in discount._chunks():
        state.update(values.tobytes())
        running = total + np.cumsum(values.astype(np.longdouble))
        sums[int(ranks[0]) : int(ranks[-1]) + 1] = running
        total = running[-1]
    state.update(discount._beyond().tobytes())
    # a function that gives other values than when it was examined
    require(state.hexdigest() == discount.value_digest, discount._changes())
    return sums


def discount(
    function: Callable[[Floats], ArrayLike],
    *,
    name: str = "",
    largest: float = _DEFAULT_LARGEST,
    like: Discount | str = "",
    limit: float | Callable[..., float] | None = None,
) -> Custom:
    """Return a function of the rank as a discount.

    Parameters
    ----------
    function : callable
        D(r) for an array of ranks, real numbers >= 1: positive at rank 1, non-increasing, finite.
    name : str, optional
        The name in results and figures, by default ``module:function``. A study with results in a folder
        needs the default, and a function in an importable module, to find the function again.
    largest : float
        The last rank that engines may use, 1 to 1e8; the sums F(k) are a table of 8 bytes per rank.
    like : Discount or str, optional
        A discount to which it is proportional in the limit, so that its theorems apply.
    limit : number or function of (relevance, cutoff), optional
        The limit of NDCG_n that you expect, which `check` compares with exact means.

    Raises
    ------
    InputError
        If a value is not finite, is negative, or exceeds the one before it.

    >>> import numpy as np
    >>> slow = discount(lambda r: 1 / np.log(2 + r), name="slow", largest=1e4, like="log")
    >>> str(slow), slow.asymptotics, slow([1.0, 10.0]).round(4)
    ('custom("slow", 10000, "log")', LogDecay(), array([0.9102, 0.4024]))
    """
    described = Custom.described(function)
    require(is_number(largest), f"must be a number, got {brief(largest)}", "largest")
    model = "" if isinstance(like, str) and not like else str(Discount.of(like))
    options = {"largest": float(largest), "like": model, "conjecture": limit}
    return Custom(target=instance_of(name, str, "name") or custom.name_of(function), **described | options)
