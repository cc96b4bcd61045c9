"""Limits of sequences (Wynn's algorithms, 1956) and of iterations (Anderson's acceleration, 1965)."""

from __future__ import annotations

import math

import numpy as np

from ndcg_asymptotics.core.arrays import Floats

_ORDERS = 3, 5, 7  # numbers of values in an extrapolation; the first is for the error of the second only
FEWEST_VALUES = _ORDERS[-1]
"""The least number of values of a sequence."""


def accelerated(values: Floats, errors: Floats, scales: list[Floats | None]) -> tuple[float, float]:
    """Return the limit of a sequence and the bound of its error, which covers the results of all scales.

    Parameters
    ----------
    values, errors : (K,)
        At least `FEWEST_VALUES` values and their errors.
    scales : list of (K,) or None
        A variable X for each use of the rho algorithm, None for the epsilon algorithm.

    >>> n = 10.0 ** np.arange(1, 16)
    >>> limit, error = accelerated(1 / (1 + 1 / np.log(n)), np.full(15, 1e-15), [np.log(n)])
    >>> bool(abs(limit - 1) < error < 1e-9)
    True
    """
    changes = float(np.abs(np.diff(values[-FEWEST_VALUES:])).sum())
    if changes <= errors[-1]:  # it has converged, and its differences are rounding errors
        return float(values[-1]), changes + 2 * float(errors[-1])
    return _most_precise([_extrapolate(values, errors, scale) for scale in scales])


def _most_precise(estimates: list[tuple[float, float]]) -> tuple[float, float]:
    """Return the value with the smallest error, widened until every other one is within its own error."""
    limit, error = min(estimates, key=lambda estimate: estimate[1])
    return limit, max(error, *(abs(limit - value) - bound for value, bound in estimates))


def _extrapolate(values: Floats, errors: Floats, scale: Floats | None) -> tuple[float, float]:
    """Return the limit of a sequence and the bound of its error, from windows of several lengths."""
    estimates = []
    count = len(values)
    for stride in (1, 2):
        lower = math.nan
        for order in _ORDERS:
            window = np.arange(count - 1 - (order - 1) * stride, count, stride)
            if window[0] < 1:
                break
            limit = _column(values, scale, window)
            shifted = [_column(values, scale, window - by) for by in (1, 2) if window[0] >= by]
            left_out = max(abs(limit - column) for column in (lower, *shifted))
            noise = sum(
                abs(_column(values + errors * (np.arange(count) == i), scale, window) - limit) for i in window
            )
            lower = limit
            estimates.append((limit, 10.0 * left_out + noise + float(errors[-1])))
    estimates = [
        estimate for estimate in estimates if math.isfinite(estimate[0]) and math.isfinite(estimate[1])
    ]
    if not estimates:
        return float(values[-1]), math.inf
    return _most_precise(estimates)


def _column(values: Floats, scale: Floats | None, window: np.ndarray) -> float:
    """Return the last column of the rho algorithm, or of the epsilon algorithm without a scale.

    ``e_(k+1)(i) = e_(k-1)(i + 1) + (X_(i+k+1) - X_i) / (e_k(i + 1) - e_k(i))``, X = 1/x for rho, and 1
    in place of the difference for epsilon (Wynn 1956). The number of values is odd.
    """
    before, now = np.zeros(len(window) + 1), values[window]
    place = None if scale is None else scale[window]
    for k in range(1, len(window)):
        step = 1.0 if place is None else place[k:] - place[:-k]
        with np.errstate(all="ignore"):
            before, now = now, before[1:-1] + step / np.diff(now)
    return float(now[0])


class Acceleration:
    """Anderson's (1965) acceleration of the fixed-point iteration x = g(x).

    The next point is the combination of the last points whose residuals f = g(x) - x combine to the smallest
    one, moved by that residual. A step much longer than the residual is replaced by a damped one.

    >>> steps, x = Acceleration(), np.array([3.0, -1.0])
    >>> A = np.array([[0.9, 0.3], [-0.3, 0.99]])  # spirals out
    >>> for _ in range(6):
    ...     x = steps.step(x, A @ x + 1)
    >>> np.abs(A @ x + 1 - x).max() < 1e-9
    np.True_
    """

    def __init__(self, memory: int = 6, furthest: float = 30.0) -> None:
        self._memory, self._furthest = memory, furthest
        self._points: list[Floats] = []
        self._residuals: list[Floats] = []
        self._damping, self._before = 1.0, np.inf

    def step(self, x: Floats, g: Floats) -> Floats:
        """Return the next point, given the last one and its image."""
        f = g - x
        size = float(np.max(np.abs(f)))
        self._damping = (
            max(self._damping / 2, 0.1) if size > 0.9 * self._before else min(1.0, 1.2 * self._damping)
        )
        self._before = size
        self._points.append(x)
        self._residuals.append(f)
        if len(self._points) > self._memory:
            del self._points[0], self._residuals[0]
        if len(self._points) < 2:
            return x + self._damping * f
        # the combination of differences that reduces the residual f most, by least squares
        dx, df = (np.diff(np.array(history), axis=0).T for history in (self._points, self._residuals))
        weights = np.linalg.lstsq(df, f, rcond=1e-10)[0]
        move = self._damping * f - (dx + self._damping * df) @ weights
        if np.max(np.abs(move)) > self._furthest * size:
            return x + self._damping * f
        return np.asarray(x + move)
