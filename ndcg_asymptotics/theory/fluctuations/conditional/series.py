"""Pairs of items whose lower one is far enough down for the binomial series of `given` to be short."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import numpy as np

from ndcg_asymptotics.core.arrays import Floats
from ndcg_asymptotics.theory.fluctuations.conditional.panels import Panels, running


class Series:
    """What two items add to Var(DCG | counts), the lower of them in the panels ``start`` … ``stop - 1``.

    Parameters
    ----------
    panels : Panels
    start, stop : int
    degree : int
        Of the series.
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
        self.degrees = list(_degrees(len(q), degree))
        below = slice(self.first, None)
        scale, ratio = self.above[:, below] * (1 - self.above[:, below]), steep / q
        self.own = _products((scale)[..., None], self.degrees)[..., 0].T  # (K, T)
        self.ratios = _products(ratio[:, below], self.degrees)  # (T, K, M)
        self.up = _products(ratio * self.above[..., None], self.degrees)
        self.down = _products(ratio[:, below] * (1 - self.above[:, below, None]), self.degrees)

    def sums(self, powers: Floats, counts: Floats, gains: Floats) -> tuple[Floats, float]:
        """``int g_j Var(D(1 + A) | t) dt`` for every grade (J,), and the sum over pairs.

        ``powers`` are those of all exponentials at every depth (M, P, 16).
        """
        powers = powers[:, : self.shape[0]].reshape(len(powers), -1).T  # (T, M)
        units, below = np.eye(len(counts)), slice(self.first, None)
        own, pairs = np.zeros(len(gains)), 0.0
        for j in range(len(gains)):
            factors = self._factors(counts - units[j])
            sums = _over_exponentials(self.ratios, powers[below] / self.q[j, below])
            own[j] = (self.density[j, below] * self.dt[below]) @ (factors @ (self.own * sums**2))
        for j, other in itertools.combinations_with_replacement(range(len(gains)), 2):
            number = counts[j] * (counts[other] - (j == other)) * gains[j] * gains[other]
            if number:
                base = powers / (self.q[j] * self.q[other])
                factors = self._factors(counts - units[j] - units[other])
                up = _over_exponentials(self.up, base)
                down = factors[:, None] * _over_exponentials(self.down, base[below] * self.z)
                for upper, lower in {(j, other), (other, j)}:
                    pairs += number * self._pairs(base, up, down, upper, lower)
        return own, pairs

    def _pairs(self, base: Floats, up: Floats, down: Floats, j: int, other: int) -> float:
        """The sum over pairs with grade j above grade other."""
        below = slice(self.first, None)
        low, steep = base[below], self.steep
        left = np.vstack([up, base.sum(axis=1), (base @ steep) * self.above[other]])
        right = np.vstack(
            [down, -(low @ steep) * (1 - self.above[j, below]), (low * self.q[j, below]).sum(axis=1)]
        )
        inner = running((left * self.density[j] * self.dt).reshape(-1, *self.shape)).reshape(left.shape)
        return float((inner[:, below] * right).sum(axis=0) @ (self.density[other, below] * self.dt[below]))

    def _factors(self, counts: Floats) -> Floats:
        """prod_i (c_i choose p_i) for real c_i and all combinations of degrees, (K,)."""
        highest = max(map(max, self.degrees))
        k = np.arange(highest)
        columns = np.cumprod((counts[:, None] - k) / (k + 1), axis=1)
        table = np.hstack([np.ones((len(counts), 1)), columns])
        return np.array([np.prod(table[np.arange(len(counts)), degrees]) for degrees in self.degrees])


def _over_exponentials(products: Floats, base: Floats) -> Floats:
    """sum_a products[t, k, a] base[t, a], (K, T)."""
    return np.asarray((products @ base[..., None])[..., 0].T)


def _degrees(grades: int, highest: int) -> Iterator[tuple[int, ...]]:
    """Every combination of degrees, one per grade, that adds up to 1 … highest."""
    for degrees in itertools.product(range(highest + 1), repeat=grades):
        if 1 <= sum(degrees) <= highest:
            yield degrees


def _products(ratio: Floats, degrees: list[tuple[int, ...]]) -> Floats:
    """prod_i ratio_i^p_i of (J + 1, T, M) for all combinations of degrees, (T, K, M)."""
    found = {(0,) * len(ratio): np.ones_like(ratio[0])}
    for combination in degrees:  # one degree less comes before
        i = next(i for i, degree in enumerate(combination) if degree)
        before = (*combination[:i], combination[i] - 1, *combination[i + 1 :])
        found[combination] = found[before] * ratio[i]
    return np.stack([found[combination] for combination in degrees], axis=1)
