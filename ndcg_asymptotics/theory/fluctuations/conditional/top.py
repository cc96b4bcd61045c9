"""Pairs of items near the top, where the product in `given` is far from 1.

As a matrix with a row for each depth and exponential of the upper item and a column for each of the
lower, the product is smooth: some forty of its rows and columns make it up to rounding (adaptive cross
approximation, Bebendorf 2000). With that it too is a sum of terms of s times terms of t.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable

import numpy as np

from ndcg_asymptotics.core.arrays import Floats
from ndcg_asymptotics.measures.exponentials import ExponentialSum
from ndcg_asymptotics.theory.fluctuations.conditional.panels import Panels, running

_SMALLEST_LOG = -690.0
_MOST = 200  # rows and columns


class Top:
    """What two items add to Var(DCG | counts), the lower of them in the first ``count`` panels."""

    def __init__(self, panels: Panels, count: int, fit: ExponentialSum, negligible: float) -> None:
        self.negligible = negligible
        self.steep, self.z = -np.expm1(-fit.rates), np.exp(-fit.rates)
        self.weights = fit.weights[0] * self.z
        self.shape = (count, panels.t.shape[1])
        self.density, self.above, self.dt = (
            x[..., :count, :].reshape(*x.shape[:-2], -1) for x in (panels.density, panels.above, panels.dt)
        )
        part = self.above[..., None] * self.steep
        self.q, self.log_q = 1.0 - part, np.log1p(-part)  # (J + 1, T, M)
        self.up, self.down = part / self.q, (1 - self.above)[..., None] * self.steep / self.q

    def sums(self, counts: Floats, gains: Floats) -> tuple[Floats, float]:
        """``int g_j Var(D(1 + A) | t) dt`` for every grade (J,), and the sum over pairs."""
        own, pairs, units = np.zeros(len(gains)), 0.0, np.eye(len(counts))
        if not self.dt.size:
            return own, pairs
        for j in range(len(gains)):
            base = np.tensordot(counts - units[j], self.log_q, axes=(0, 0))
            both = base[:, :, None] + base[:, None, :]
            logs = np.zeros_like(both)
            for c, up, down in zip(counts - units[j], self.up, self.down, strict=True):
                logs += c * np.log1p(up[:, :, None] * down[:, None, :])
            # exp(both + logs) - exp(both): neither overflows
            growth = np.exp(np.maximum(both + np.maximum(logs, 0.0), _SMALLEST_LOG))
            growth *= np.sign(logs) * -np.expm1(-np.abs(logs))
            variance = np.einsum("a,b,tab->t", self.weights, self.weights, growth)
            own[j] = (self.density[j] * self.dt) @ variance
        powers = self._powers(counts)
        for j, other in itertools.combinations_with_replacement(range(len(gains)), 2):
            number = counts[j] * (counts[other] - (j == other)) * gains[j] * gains[other]
            if number:
                base = powers / (self.q[j] * self.q[other])
                crosses = self._crosses(base, counts - units[j] - units[other], j, other)
                pairs += number * sum(
                    self._pairs(base, *crosses, j, other) for j, other in {(j, other), (other, j)}
                )
        return own, pairs

    def _powers(self, counts: Floats) -> Floats:
        """w_a z_a prod_i q_ai^c_i, (T, M)."""
        logs = np.tensordot(counts, self.log_q, axes=(0, 0))
        return np.asarray(self.weights * np.exp(np.maximum(logs, _SMALLEST_LOG)))

    def _crosses(self, base: Floats, counts: Floats, j: int, other: int) -> tuple[Floats, Floats]:
        """Terms of s and of t whose products make up base(s) base(t) times the product: (K, T, M) each."""
        weight = ((self.density[j] + self.density[other]) * self.dt)[:, None]
        scale = (base * weight).ravel()
        with np.errstate(divide="ignore"):
            size = np.maximum(np.log(np.abs(scale)), 2 * _SMALLEST_LOG)
        up, down = (x.reshape(len(counts), -1) for x in (self.up, self.down))

        def entries(i: int, left: Floats, right: Floats) -> Floats:
            logs = counts @ np.log1p(left * right) + size + size[i]
            return np.asarray(np.sign(scale) * np.sign(scale[i]) * np.exp(np.maximum(logs, _SMALLEST_LOG)))

        terms = cross(
            lambda i: entries(i, up[:, i, None], down),
            lambda i: entries(i, up, down[:, i, None]),
            int(np.argmax(np.abs(scale))),
            self.negligible,
        )
        unscaled = np.where(weight > 0, 1 / np.where(weight > 0, weight, 1.0), 0.0)
        left, right = (x.reshape(-1, *base.shape) * unscaled for x in terms)
        return left, right

    def _pairs(self, base: Floats, left: Floats, right: Floats, j: int, other: int) -> float:
        """The sum over pairs with grade j above grade other."""
        up, low = self.density[j] * self.dt, self.density[other] * self.dt

        def together(first: Floats, second: Floats) -> float:
            inner = running((first * up).reshape(*first.shape[:-1], *self.shape))
            return float((inner.reshape(first.shape) * second * low).sum())

        value = together(left.sum(axis=2), right @ self.z) - together(base.sum(axis=1), base @ self.z)
        value -= together(base.sum(axis=1), (base @ self.steep) * (1 - self.above[j]))
        return value + together((base @ self.steep) * self.above[other], (base * self.q[j]).sum(axis=1))


def cross(
    row: Callable[[int], Floats], column: Callable[[int], Floats], start: int, negligible: float
) -> tuple[Floats, Floats]:
    """A matrix as ``sum_k left_k right_k`` of few of its columns and rows, up to a negligible part.

    >>> x = np.arange(1.0, 6.0)
    >>> left, right = cross(lambda i: 1 / (x[i] + x), lambda j: 1 / (x + x[j]), 0, 1e-15)
    >>> bool(np.abs(left.T @ right - 1 / np.add.outer(x, x)).max() < 1e-14)
    True
    """
    first = row(start)
    left, right = np.empty((_MOST, first.size)), np.empty((_MOST, first.size))
    used: list[int] = []
    largest, i = 0.0, start
    while (count := len(used)) < _MOST:
        over = (row(i) if count else first) - left[:count, i] @ right[:count]
        used.append(i)
        j = int(np.argmax(np.abs(over)))
        if over[j] == 0:
            break
        down = column(j) - right[:count, j] @ left[:count]
        size = float(np.abs(down).max())
        largest = max(largest, size)
        left[count], right[count] = down / over[j], over
        if size <= negligible * largest:
            return left[: count + 1], right[: count + 1]
        free = np.abs(down)
        free[used] = -1.0
        i = int(np.argmax(free))
        if free[i] < 0:
            return left[: count + 1], right[: count + 1]
    return left[:count], right[:count]
