"""User-defined ROC curves: a function of the share of irrelevant items above."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.polynomial import chebyshev
from numpy.typing import ArrayLike

from ndcg_asymptotics.core.arrays import UNDERFLOW, Bools, Floats, Integers, brief
from ndcg_asymptotics.core.errors import require
from ndcg_asymptotics.populations import panels
from ndcg_asymptotics.populations.roc import SHALLOWEST, Roc, RocModel, Top
from ndcg_asymptotics.populations.scorer import ROUNDING
from ndcg_asymptotics.specs import custom

_SLOPE = chebyshev.chebder(np.eye(panels.DEGREE + 1)).T  # from a series to that of its derivative
_NOISE = 8 * panels.EPSILON  # of log t, relative
_NARROW = 2.0**-30  # width in log t, relative where log t < -1, of a panel on which the curve is a line
_JUMP = 1e-2  # of F on such a panel
_START = np.union1d(np.linspace(math.log(SHALLOWEST), 0.0, 100), -(2.0 ** -np.arange(-2.0, 12.0)))
_PROBED = np.linspace(0.0, 1.0, 1025)[1:-1]  # depths at which the polynomials are compared with F
_ALIKE = 1e-9
_MOST_AT_TOP = 1e-15 * (1 + 1e-9)  # F(1e-300) for the least exponent that a ROC curve may have
_LEAST = 1e-250  # value of F at which one power of t is looked for
_ONE_POWER = 1e-9  # relative difference of its exponent at two places
_DIGITS = 12  # of its exponent


@dataclass(frozen=True)
class RocCustom(custom.OfFunction, Roc, keyword="roc_custom"):
    """roc_custom("module:function"): a user-defined F(t), vectorised over t in [0, 1], from 0 to 1.

    The function is replaced by polynomials of degree 15 in log t, on panels halved until they follow it to
    1e-13 of its value, at all t from 1e-300 on. These polynomials are the curve and their derivative is its
    density; the function is never called again. From Python, see `roc_curve`.

    Attributes
    ----------
    target : str
        Its name.
    value_digest : str
        A digest of the polynomials, to the last bit: curves with the same name and digest are equal and
        share what is computed of them.
    digest : str
        A digest of its source files and of the polynomials in single precision. Results of one digest are
        never continued with another.
    """

    KIND = "ROC curve"

    def __post_init__(self) -> None:
        (start,), (end,) = (self._evaluate(np.array([t])) for t in (SHALLOWEST, 1.0))
        require(
            0 <= start <= _MOST_AT_TOP,
            f"roc_custom: {self.target!r} must begin at 0, no slower than t^0.05: F(1e-300) is {start:g}",
        )
        require(abs(end - 1) <= ROUNDING, f"roc_custom: {self.target!r} must end at 1, F(1) is {end:g}")
        edges, series = panels.fit_panels(_START, self._series_on, self._too_rough)  # in log t
        set_ = object.__setattr__
        set_(self, "_edges", edges)
        set_(self, "_series", series)
        far = np.abs(self.cdf(_PROBED) - self._evaluate(_PROBED))
        where = f"{_PROBED[np.argmax(far)]:.6g}"
        require(far.max() <= _ALIKE, f"roc_custom: {self.target!r} changes too quickly near t = {where}")
        exact, single = panels.digests(edges, series, custom.source_digest(self.function, self.files))
        set_(self, "value_digest", exact)
        set_(self, "digest", single)

    def _evaluate(self, t: Floats) -> Floats:
        return custom.evaluated(self.function, t, f"roc_custom: {self.target!r}", "depth")

    @classmethod
    def described(cls, value: object) -> dict[str, Any]:
        if isinstance(value, RocCustom):
            return {"function": value.function}
        require(
            callable(value) and not isinstance(value, type) and not isinstance(value, RocModel),
            f"a user's ROC curve must be a function F(t), got {brief(value)}",
        )
        return {"function": value}

    def _series_on(self, left: Floats, right: Floats) -> tuple[Floats, Bools]:
        """Return the series on panels, and whether they follow the function."""
        x = left[:, None] + (right - left)[:, None] * (panels.NODES + 1) / 2
        values = self._evaluate(np.exp(x))
        self._require_increasing(np.exp(x), values)
        series = values @ panels.FIT
        narrow = right - left <= _NARROW * np.maximum(-left, 1.0)
        jumps = narrow & (right < 0) & (np.ptp(values, axis=1) > _JUMP)
        where = f"{math.exp(float(left[np.argmax(jumps)])):.6g}"
        require(not jumps.any(), f"roc_custom: {self.target!r} must be continuous; it jumps at t = {where}")
        # log t is rounded, and with it what a steep function makes of it
        noise = _NOISE * np.maximum(-left, 1.0) * np.ptp(values, axis=1) / (right - left)
        left_out = np.abs(series[:, -2:]).max(axis=1)
        good = left_out <= panels.RESOLVED * values.max(axis=1) + noise + UNDERFLOW
        # around a kink, and at the bottom, not a polynomial through rounding errors
        line = narrow & ~good
        if line.any():
            low, high = self._evaluate(np.exp(np.array([left[line], right[line]])))
            series[line] = 0.0
            series[line, 0], series[line, 1] = (high + low) / 2, (high - low) / 2
        return series, good | line

    def _too_rough(self, x: float) -> str:
        return (
            f"roc_custom: {self.target!r} is too rough near t = {math.exp(x):.2g} "
            "(it must be accurate to 1e-13 of its value, also as t -> 0)"
        )

    def _require_increasing(self, t: Floats, values: Floats) -> None:
        t, values = t.ravel()[np.argsort(t.ravel())], values.ravel()[np.argsort(t.ravel())]
        falls = np.diff(values) < -ROUNDING * values[1:] - UNDERFLOW
        where = f"{t[np.argmax(falls)]:.6g}"
        require(not falls.any(), f"roc_custom: {self.target!r} must not decrease; it does near t = {where}")

    @classmethod
    def signature(cls) -> str:
        return 'roc_custom("module:function")'

    def _place(self, t: Floats) -> tuple[Integers, Floats, Floats]:
        """Return the panel of each depth, its place there in [-1, 1], and the width of the panel in log t."""
        x = np.log(np.maximum(t, SHALLOWEST))
        panel, x, width = panels.locate(self._edges, x)  # type: ignore[attr-defined]
        return panel, np.clip(x, -1.0, 1.0), width

    def cdf(self, t: Floats) -> Floats:
        t = np.asarray(t, np.float64)
        panel, x, _ = self._place(t)
        value = panels.series_values(self._series[panel], x)  # type: ignore[attr-defined]
        return np.where(t > 0, np.where(t < 1, np.clip(value, 0.0, 1.0), 1.0), 0.0)

    def density(self, t: Floats) -> Floats:
        panel, x, width = self._place(t)
        slope = panels.series_values(self._series[panel] @ _SLOPE, x)  # type: ignore[attr-defined]
        return np.maximum(slope, 0.0) * 2 / width / t

    @property
    def breaks(self) -> tuple[float, ...]:
        edges = self._edges  # type: ignore[attr-defined]
        narrow = np.diff(edges) <= _NARROW * np.maximum(-edges[:-1], 1.0)
        ends = np.unique(np.exp(np.concatenate([edges[:-1][narrow], edges[1:][narrow]])))
        return tuple(ends[ends < 1].tolist())

    @property
    def top(self) -> Top | None:
        """The power of t that F follows where it is 1e-250, or at t = 1e-300; None if it follows none."""
        first = float(self.quantile(_LEAST))
        depths = first ** np.array([1.0, 5 / 6, 2 / 3])
        values = self.cdf(depths)
        if not values[0] > 0:
            return None
        slopes = np.diff(np.log(values)) / np.diff(np.log(depths))
        if abs(slopes[1] - slopes[0]) > _ONE_POWER * slopes[0]:
            return None
        exponent = round(float(slopes[0]), _DIGITS)
        return Top(exponent, float(values[-1] / depths[-1] ** exponent))


def roc_curve(function: Callable[[Floats], ArrayLike], *, name: str = "") -> RocCustom:
    """Return a function F(t) as a ROC curve.

    Parameters
    ----------
    function : callable
        The share F(t) of relevant items above the depth that has a share t of the irrelevant items above it,
        for an array of t in [0, 1]: continuous, not decreasing, from F(0) = 0 to F(1) = 1, and accurate as
        t -> 0.
    name : str, optional
        The name that results and figures show; by default ``module:function``. A study that is kept in a
        folder needs this default, of a function in an importable module, to find the function again.

    Raises
    ------
    InputError
        If F is no such function, or too rough to interpolate.

    >>> import numpy as np
    >>> half = roc_curve(lambda t: (np.sqrt(t) + t) / 2, name="half")
    >>> str(half), half.cdf(np.array([1e-100, 0.25])), half.top.exponent
    ('roc_custom("half")', array([5.00e-51, 3.75e-01]), 0.5)
    """
    return RocCustom(name or custom.name_of(function), **RocCustom.described(function))
