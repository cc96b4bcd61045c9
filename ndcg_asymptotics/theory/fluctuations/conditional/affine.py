"""Mean and variance of DCG given the label counts, for a discount ``D(r) = a + b r``.

With A the items above depth s and K those above t > s, of the n - 2 others,
``Cov(A, K) = sum_i c_i G_i(s) (1 - G_i(t))``.
"""

from __future__ import annotations

import itertools

import numpy as np

from ndcg_asymptotics.core.arrays import Floats
from ndcg_asymptotics.theory.fluctuations.conditional.panels import Panels, running


class AffineGivenCounts:
    """DCG of a list given its label counts; as `given.GivenCounts`."""

    def __init__(
        self, panels: Panels, gains: Floats, coefficients: tuple[float, float], centre: Floats
    ) -> None:
        self.panels, self.gains, self.centre = panels, gains, centre
        self.constant, self.slope = coefficients
        # int g_j G_i, (J, J + 1)
        self._above = np.einsum("jpk,ipk,pk->ji", panels.density, panels.above, panels.dt)

    def _means(self, counts: Floats) -> Floats:
        """The mean discount of an item of each grade, (J,)."""
        own = np.diagonal(self._above[:, :-1])
        return np.asarray(self.constant + self.slope * (1 + self._above @ counts - own))

    def mean(self) -> float:
        return float((self.gains * self.centre[:-1]) @ self._means(self.centre))

    def mean_changes(self, counts: Floats) -> Floats:
        """Return the mean for each row of counts (C, J + 1), relative to that at the centre, less 1: (C,)."""
        moved = counts - self.centre
        change = self.slope * (moved @ self._above.T)
        gained = (
            moved[:, :-1] @ (self.gains * self._means(self.centre)) + (counts[:, :-1] * change) @ self.gains
        )
        return np.asarray(gained / self.mean())

    def variance(self, counts: Floats) -> tuple[float, float]:
        gains, panels, slope = self.gains, self.panels, self.slope
        above, units, single, pairs = panels.above, np.eye(len(counts)), 0.0, 0.0
        weight = panels.density * panels.dt
        for j in range(len(gains)):
            less = counts - units[j]
            moved = slope * (np.tensordot(less, above, axes=(0, 0)) - self._above[j] @ less)
            own = slope**2 * np.tensordot(less, above * (1 - above), axes=(0, 0))
            single += gains[j] ** 2 * counts[j] * float((weight[j] * (moved**2 + own)).sum())
        for j, other in itertools.product(range(len(gains)), repeat=2):
            less = counts - units[j] - units[other]
            rank = self.constant + slope * (1 + np.tensordot(less, above, axes=(0, 0)))
            value = slope * running(weight[j] * rank) * (1 - above[j])
            value -= slope * running(weight[j] * above[other]) * (rank + slope * above[j])
            for i, c in enumerate(less):
                value += slope**2 * c * running(weight[j] * above[i]) * (1 - above[i])
            number = counts[j] * (counts[other] - (j == other)) * gains[j] * gains[other]
            pairs += number * float((value * weight[other]).sum())
        return single + 2 * pairs, single
