"""Pairs of items near the top, whose joint mean is a smooth matrix of few rows and columns."""

from __future__ import annotations

import numpy as np

from ndcg_asymptotics.core.arrays import HELD, LARGEST_LOG, Floats
from ndcg_asymptotics.measures.exponentials import ExponentialSum
from ndcg_asymptotics.theory.rules.cross import cross
from ndcg_asymptotics.theory.rules.panels import Panels
from ndcg_asymptotics.theory.rules.quadrature import running_integrals

_PROBES = 10  # rows that are tried before the approximation is believed


class TopPairs:
    """The part of Var(DCG | counts) of pairs of items, the lower one in the first ``count`` panels.

    The joint mean of two items' discounts is summed over their grades before it is separated. With
    ``r_i = 1 / (1 + x_i)``, and A, B and D the sums over the grade of the upper item, over that of the lower
    one, and over grades of both,

        sum_jl y_j y_l c_j (c_l - [j=l]) g_j(s) g_l(t) E[D D'] = sum_ab H_a(s) H_b(t) z_b X (A B - D),
        X = prod_i (1 + x_i)^c_i,     D = sum_j c_j (y_j r_j)^2 g_j(s) / q_aj(s)^2 · g_j(t) / q_bj(t)^2,
        A = sum_j c_j y_j g_j(s) / q_aj(s) · r_j / q_bj(t),
        B = sum_l 1 / q_al(s) · r_l c_l y_l g_l(t) / q_bl(t),

    and the product of the means is that of the h_j. Their difference loses as many digits as the lower item's
    rank has, which near the top are few.
    """

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
        """Return ``Var(D(1 + A) | t)`` for every grade at every depth, and the sum over pairs."""
        own = np.zeros((len(gains), self.dt.size))
        if not self.dt.size:
            return own, 0.0
        base = np.tensordot(counts, self.log_q, axes=(0, 0))
        # the sum over a and b is symmetric
        a, b = np.triu_indices(self.z.size)
        weights = np.where(a == b, 1.0, 2.0) * self.weights[a] * self.weights[b]
        depths = max(1, HELD // a.size)
        for part in (slice(i, i + depths) for i in range(0, len(base), depths)):
            both = base[part][:, a] + base[part][:, b]
            ups, downs = self.up[:, part], self.down[:, part]
            factors = [np.log1p(up[:, a] * down[:, b]) for up, down in zip(ups, downs, strict=True)]
            logs = sum(c * factor for c, factor in zip(counts, factors, strict=True))
            for j in range(len(gains)):
                # one item less of its own grade
                without = both - self.log_q[j][part][:, a] - self.log_q[j][part][:, b]
                more = logs - factors[j]
                # exp(without + more) - exp(without): neither overflows
                growth = np.exp(np.maximum(without + np.maximum(more, 0.0), -LARGEST_LOG))
                growth *= np.sign(more) * -np.expm1(-np.abs(more))
                own[j, part] = growth @ weights
        return own, self._pairs(base, counts, gains)

    def _pairs(self, logs: Floats, counts: Floats, gains: Floats) -> float:
        """Return the sum over pairs; ``logs`` are those of prod_i q_ai^c_i, (T, M)."""
        grades = len(gains)
        number = np.outer(counts[:-1], counts[:-1]) - np.diag(counts[:-1])
        if not number.any():
            return 0.0
        powers = self.weights * np.exp(np.maximum(logs, -LARGEST_LOG))
        left, right = self._crosses(powers, logs, counts, gains)
        found = self._together(left.sum(axis=2), right.sum(axis=2))
        shares = (
            (powers / self.q[:-1]).sum(axis=2) * gains[:, None] * self.density * self.dt
        )  # y_j g_j h_j dt
        upper = np.repeat(shares, grades, axis=0)
        lower = (number[:, :, None] * shares).reshape(grades**2, -1)
        return found - self._together(upper, lower)

    def _together(self, first: Floats, second: Floats) -> float:
        """Return the sum of integrals over s < t of first(s) second(t), both times dt: (K, T) each."""
        inner = running_integrals(first.reshape(-1, *self.shape)).reshape(first.shape)
        return float((inner * second).sum())

    def _crosses(self, powers: Floats, logs: Floats, counts: Floats, gains: Floats) -> tuple[Floats, Floats]:
        """Return terms of s and t, (K, T, M) each, that add up to the joint mean times ds and dt."""
        grades, q = len(gains), self.q[:-1]
        some = gains[:, None, None] * self.density[:, :, None] * self.dt[:, None] / q
        per_item = (counts[:-1, None, None] * some).reshape(grades, -1)
        alone, of_grade = 1 / q.reshape(grades, -1), (some / q).reshape(grades, -1)
        twice = counts[:-1, None] * of_grade
        scale, z = powers.ravel(), np.tile(self.z, len(powers))
        # the logarithms of powers that underflow: where x is large the joint mean is no larger than they are
        with np.errstate(divide="ignore"):
            size = (logs + np.log(np.abs(self.weights))).ravel()
        up, down = (x.reshape(len(counts), -1) for x in (self.up, self.down))

        def entries(i: int, left: Floats, right: Floats, row: bool) -> Floats:
            x = left * right
            joint = counts @ np.log1p(x) + size + size[i]
            apart = 1 / (1 + x[:-1])
            here, there = per_item[:, i], alone[:, i]
            value = (here @ (alone * apart)) * (there @ (per_item * apart))
            value -= twice[:, i] @ (of_grade * apart**2)
            value *= np.sign(scale) * np.sign(scale[i]) * np.exp(np.maximum(joint, -LARGEST_LOG))
            return np.asarray(value * (z if row else z[i]))

        # items so far up that no other is above them have equal rows, which tell nothing about the others
        strength = np.abs(scale) * np.abs(per_item).sum(axis=0)
        others = np.argsort(-strength * (counts @ up))[: scale.size // 2 : max(scale.size // 2 // _PROBES, 1)]
        left, right = cross(
            lambda i: entries(i, up[:, i, None], down, True),
            lambda i: entries(i, up, down[:, i, None], False),
            int(np.argmax(strength)),
            self.negligible,
            others.tolist(),
        )
        return left.reshape(-1, *powers.shape), right.reshape(-1, *powers.shape)
