"""Anderson's acceleration of a fixed point x = g(x): the step that the last few residuals suggest."""

from __future__ import annotations

import numpy as np

from ndcg_asymptotics.core.arrays import Floats


class Acceleration:
    """Steps towards a fixed point (Anderson 1965).

    With f = g(x) - x, the combination of the last points whose residuals combine to the least one, moved by
    that residual. Steps that would go much further than the residual are damped ones instead.

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
        """The next point, from the last one and its image."""
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
        dx, df = (np.diff(np.array(kept), axis=0).T for kept in (self._points, self._residuals))
        weights = np.linalg.lstsq(df, f, rcond=1e-10)[0]
        move = self._damping * f - (dx + self._damping * df) @ weights
        if np.max(np.abs(move)) > self._furthest * size:
            return x + self._damping * f
        return np.asarray(x + move)
