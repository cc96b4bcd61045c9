"""Pairs of items of which the lower one is far down: the binomial series."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ndcg_asymptotics.core.arrays import HELD, Floats
from ndcg_asymptotics.theory.rules.panels import Panels
from ndcg_asymptotics.theory.rules.quadrature import running_integrals

_KEPT = 2 * HELD  # numbers that are kept rather than computed again


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
