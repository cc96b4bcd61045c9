"""The part of Var(DCG | counts) that pairs of items make: those near the top, and those further down.

The joint mean of two items near the top is a smooth matrix of few rows and columns. Where the lower one is
far down the binomial series has few terms.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ndcg_asymptotics.core.arrays import HELD, LARGEST_LOG, Floats
from ndcg_asymptotics.measures.exponentials import ExponentialSum
from ndcg_asymptotics.theory.rules.cross import cross
from ndcg_asymptotics.theory.rules.mesh import Panels
from ndcg_asymptotics.theory.rules.quadrature import running_integrals

_PROBES = 10  # rows that are tried before the approximation is believed
_KEPT = 2 * HELD  # numbers that are kept rather than computed again


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


class SeriesPairs:
    """The part of Var(DCG | counts) of pairs of items, the lower one in the panels ``start`` … ``stop - 1``.

    Parameters
    ----------
    panels : Panels
    start, stop : int
    degree : int
        The degree of the binomial series.
    log_q : (M, J + 1, P, 16)
    steep : (M,)
        1 - z.
    """

    def __init__(
        self, panels: Panels, start: int, stop: int, degree: int, log_q: Floats, steep: Floats
    ) -> None:
        nodes = panels.t.shape[1]
        self.shape, self.first = (stop, nodes), start * nodes
        # depths first, exponentials last: sums over them are products of matrices
        q = np.exp(np.moveaxis(log_q[:, :, :stop].reshape(*log_q.shape[:2], -1), 0, -1))
        self.q = q  # (J + 1, T, M)
        self.steep, self.z = steep, 1 - steep
        self.density, self.above = (x[:, :stop].reshape(len(x), -1) for x in (panels.density, panels.above))
        self.dt = panels.dt[:stop].ravel()
        # prod_i (1 + x_i)^c_i - 1 = sum over degrees p of prod_i (c_i choose p_i) x_i^p_i, and x_i is
        # up_i(s, a) down_i(t, b) with up_i = (1-z_a) G_i(s) / q_ai(s), down_i = (1-z_b) (1-G_i(t)) / q_bi(t)
        self.degrees = list(_degrees(len(q), degree))
        below = slice(self.first, None)
        scale, ratio = self.above[:, below] * (1 - self.above[:, below]), steep / q
        self.own = _products((scale)[..., None], self.degrees)[..., 0].T  # (K, T)
        self.ratios = _Products.of(ratio[:, below], self.degrees)
        self.up = _Products.of(ratio * self.above[..., None], self.degrees)
        self.down = _Products.of(ratio[:, below] * (1 - self.above[:, below, None]), self.degrees)

    def sums(self, powers: Floats, counts: Floats, gains: Floats) -> tuple[Floats, float]:
        """Return ``Var(D(1 + A) | t)`` for every grade at depths of the lower item, and the sum over pairs.

        ``powers`` are the H_a at every depth (M, P, 16).
        """
        powers = powers[:, : self.shape[0]].reshape(len(powers), -1).T  # (T, M)
        units, below = np.eye(len(counts)), slice(self.first, None)
        own, pairs = np.zeros((len(gains), powers.shape[0] - self.first)), 0.0
        for j in range(len(gains)):
            factors = self._factors(counts - units[j])
            sums = self.ratios.over_exponentials(powers[below] / self.q[j, below])
            own[j] = factors @ (self.own * sums**2)
        for j, other in itertools.combinations_with_replacement(range(len(gains)), 2):
            number = counts[j] * (counts[other] - (j == other)) * gains[j] * gains[other]
            if number:
                base = powers / (self.q[j] * self.q[other])
                factors = self._factors(counts - units[j] - units[other])
                up = self.up.over_exponentials(base)
                down = factors[:, None] * self.down.over_exponentials(base[below] * self.z)
                for upper, lower in {(j, other), (other, j)}:
                    pairs += number * self._pairs(base, up, down, upper, lower)
        return own, pairs

    def _pairs(self, base: Floats, up: Floats, down: Floats, j: int, other: int) -> float:
        """Return the sum over pairs with grade j above grade other."""
        below = slice(self.first, None)
        low, steep = base[below], self.steep
        # K_jl as a sum of products of a function of s (left) and one of t (right): the binomial series, then
        # -(1-z_b) (1-G_j(t)) and q_bj(t) (1-z_a) G_l(s)
        left = np.vstack([up, base.sum(axis=1), (base @ steep) * self.above[other]])
        right = np.vstack(
            [down, -(low @ steep) * (1 - self.above[j, below]), (low * self.q[j, below]).sum(axis=1)]
        )
        inner = running_integrals((left * self.density[j] * self.dt).reshape(-1, *self.shape)).reshape(
            left.shape
        )
        return float((inner[:, below] * right).sum(axis=0) @ (self.density[other, below] * self.dt[below]))

    def _factors(self, counts: Floats) -> Floats:
        """Return prod_i (c_i choose p_i) for real c_i and all combinations of degrees, (K,)."""
        highest = max(map(max, self.degrees))
        k = np.arange(highest)
        columns = np.cumprod((counts[:, None] - k) / (k + 1), axis=1)
        table = np.hstack([np.ones((len(counts), 1)), columns])
        return np.asarray(table[np.arange(len(counts)), np.array(self.degrees)].prod(axis=1))


def _degrees(grades: int, highest: int) -> Iterator[tuple[int, ...]]:
    """Yield every combination of degrees, one per grade, that adds up to 1 … highest."""
    for whole in range(1, highest + 1):
        for chosen in itertools.combinations_with_replacement(range(grades), whole):
            yield tuple(map(chosen.count, range(grades)))


def _products(ratio: Floats, degrees: list[tuple[int, ...]]) -> Floats:
    """Return prod_i ratio_i^p_i of (J + 1, T, M) for all combinations of degrees, (T, K, M)."""
    found = {(0,) * len(ratio): np.ones_like(ratio[0])}
    for combination in degrees:  # one degree less comes before
        i = next(i for i, degree in enumerate(combination) if degree)
        before = (*combination[:i], combination[i] - 1, *combination[i + 1 :])
        found[combination] = found[before] * ratio[i]
    return np.stack([found[combination] for combination in degrees], axis=1)


@dataclass(frozen=True)
class _Products:
    """Products of powers of ratios, of which many depths or grades are not in memory together.

    Attributes
    ----------
    ratio : (J + 1, T, M)
    degrees : list of (J + 1,) integers
        K combinations of exponents.
    kept : (T, K, M), optional
        The products themselves, if they are few.
    """

    ratio: Floats
    degrees: list[tuple[int, ...]]
    kept: Floats | None

    @classmethod
    def of(cls, ratio: Floats, degrees: list[tuple[int, ...]]) -> _Products:
        few = ratio[0].size * len(degrees) <= _KEPT
        return cls(ratio, degrees, _products(ratio, degrees) if few else None)

    def over_exponentials(self, base: Floats) -> Floats:
        """Return sum_a products[t, k, a] base[t, a], (K, T)."""
        depths = len(base) if self.kept is not None else max(1, HELD // (len(self.degrees) * base.shape[1]))
        found = np.empty((len(self.degrees), len(base)))
        for part in (slice(i, i + depths) for i in range(0, len(base), depths or 1)):
            products = _products(self.ratio[:, part], self.degrees) if self.kept is None else self.kept
            found[:, part] = (products @ base[part, :, None])[..., 0].T
        return found
