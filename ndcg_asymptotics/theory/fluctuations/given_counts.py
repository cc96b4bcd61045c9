"""Mean and variance of DCG given the label counts of its list: section 1 of docs/fluctuations.md.

Given counts c the items of grade i have independent depths with distribution function G_i. With
``D(r) = sum_a w_a z_a^r``, ``q_ai(s) = 1 - (1 - z_a) G_i(s)`` and ``H_a(s) = w_a z_a prod_i q_ai(s)^c_i``
an item of grade j at depth s has the mean discount ``h_j(s) = sum_a H_a / q_aj``. For an item of grade j at s
above another of grade l at t > s the mean of the product of their discounts exceeds that of the means by

    sum_ab H_a(s)/(q_aj q_al) H_b(t)/(q_bj q_bl) { z_b [prod_i (1 + x_i)^(c_i - [i=j] - [i=l]) - 1]
                                                  - (1-z_b)(1-G_j(t)) + q_bj(t)(1-z_a) G_l(s) },
    x_i = (1-z_a) G_i(s) / q_ai(s) · (1-z_b)(1-G_i(t)) / q_bi(t).

Nothing in it cancels, so it holds its digits at n = 1e18. Near the top (`TopPairs`) the product over i is far
from 1. As a matrix with a row for each depth and exponential of the upper item and a column for each of the
lower it is smooth: some forty of its rows and columns make it up to rounding (adaptive cross approximation,
Bebendorf 2000), and then it is a sum of terms of s times terms of t. Further down (`SeriesPairs`) the
binomial series of the product has that form, and terms of degree p fall like ``p! K^-p`` with the rank K of
the lower item.
"""

from __future__ import annotations

import itertools
import math
from abc import ABC, abstractmethod

import numpy as np

from ndcg_asymptotics.core.arrays import HELD, LARGEST_LOG, Floats
from ndcg_asymptotics.measures.exponentials import ExponentialSum
from ndcg_asymptotics.theory.fluctuations.effort import Effort
from ndcg_asymptotics.theory.fluctuations.item_pairs import SeriesPairs, TopPairs
from ndcg_asymptotics.theory.rules.mesh import Panels, panel_of
from ndcg_asymptotics.theory.rules.quadrature import running_integrals

_NO_LONGER_LOG = -100.0  # a power below it at the centre stays negligible whatever the counts
_VANISHED = 120.0  # minus the exponent of a term that is negligible
_LEAST_FALL = 1e-3  # of D, below which rounding hides the covariances
_FEW_TERMS = 4  # exponentials up to which every pair of depths is treated as near the top


class GivenCounts(ABC):
    """DCG of a list given its label counts.

    Parameters
    ----------
    panels : Panels
    gains : (J,)
    centre : (J + 1,)
        The counts relative to which changes of the mean are computed.
    """

    def __init__(self, panels: Panels, gains: Floats, centre: Floats) -> None:
        self.panels, self.gains, self.centre = panels, gains, centre
        self._weight = panels.density * panels.dt

    @abstractmethod
    def parts(self, counts: Floats) -> tuple[Floats, Floats, float]:
        """Return h_j and ``Var(D(1 + A) | t)`` at every depth, (J, P, 16), and the sum over pairs."""

    @abstractmethod
    def _means(self) -> Floats:
        """Return the mean discount of an item of each grade at the centre, (J,)."""

    @abstractmethod
    def _mean_changes(self, moved: Floats) -> Floats:
        """Return by how much they change, (C, J), at counts (C, J + 1) less those of the centre."""

    def mean(self) -> float:
        """Return the mean at the centre."""
        return float((self.gains * self.centre[:-1]) @ self._means())

    def mean_changes(self, counts: Floats) -> Floats:
        """Return the mean for each row of counts (C, J + 1), relative to that at the centre, less 1: (C,)."""
        # sum_j y_j c_j m_j changes by the change of c_j times m_j, plus c_j times the change of m_j
        moved, mean = counts - self.centre, self.mean()
        gained = moved[:, :-1] @ (self.gains * self._means())
        gained += (counts[:, :-1] * self._mean_changes(moved)) @ self.gains
        # both are 0 where no item of gain can lie at these depths
        return gained / mean if mean else np.zeros_like(gained)

    def variance(self, counts: Floats) -> tuple[float, float]:
        """Return Var(DCG | counts), and the part of it that is no covariance of two items."""
        # Var(DCG | c) = sum_j y_j^2 c_j { int g_j (h_j - int g_j h_j)^2 + int g_j Var(D(1+A) | t) }
        #              + 2 sum_jl y_j y_l c_j (c_l - [j=l]) int int_(s<t) g_j(s) g_l(t) K_jl(s, t)
        shares, spreads, pairs = self.parts(counts)
        means = self._integrals(shares)
        within = self._integrals((shares - means[:, None, None]) ** 2 + spreads)
        single = float((self.gains**2 * counts[:-1]) @ within)
        return single + 2 * pairs, single

    def _integrals(self, values: Floats) -> Floats:
        """Return int g_j values_j dt, (J,)."""
        return np.asarray((self._weight * values).sum(axis=(1, 2)))


class GivenCountsOfSum(GivenCounts):
    """DCG given the label counts for a discount that is a sum of exponentials.

    Parameters
    ----------
    panels, gains, centre
        As for `GivenCounts`.
    discount : ExponentialSum
        The discount on ranks 1 … n.
    near : ExponentialSum
        The same discount on ranks that items near the top have.
    effort : Effort
    """

    def __init__(
        self,
        panels: Panels,
        gains: Floats,
        discount: ExponentialSum,
        near: ExponentialSum,
        centre: Floats,
        effort: Effort,
    ) -> None:
        super().__init__(panels, gains, centre)
        self.fit = discount
        rates = discount.rates[:, None, None, None]
        self.steep = -np.expm1(-discount.rates)  # 1 - z
        self.log_q = np.log1p(np.expm1(-rates) * panels.above)  # (M, J + 1, P, 16)
        self.terms = (discount.weights[0] * np.exp(-discount.rates))[:, None, None]
        n = float(centre.sum())
        count = len(panels.t)
        few_terms = discount.rates.size <= _FEW_TERMS
        last = min(n, np.inf if few_terms else effort.stages[0][0])
        # covariances are as small a part of mean products as the square of the part by which D falls
        top, bottom = near.at([1.0, max(last, 1.0)])[0].tolist()
        negligible = effort.negligible * min(max(1 - bottom / top, _LEAST_FALL) ** 2, 1.0)
        if few_terms:
            self.series: tuple[SeriesPairs, ...] = ()
            dead = _VANISHED / (n * float(self.steep.min()))
            count = panel_of(panels.edges, dead * panels.edges[-1])
            self.top = TopPairs(panels, count, discount, negligible)
        else:
            stages = effort.series(len(gains))
            starts = [*(panel_of(panels.edges, k / n * panels.edges[-1]) for k, _ in stages), count]
            self.series = tuple(
                SeriesPairs(panels, start, stop, degree, self.log_q, self.steep)
                for (_, degree), start, stop in zip(stages, starts[:-1], starts[1:], strict=True)
                if stop > start
            )
            first = stages[0][0]
            self.top = TopPairs(panels, starts[0], near, negligible * effort.stages[0][0] / first)
        self._logs = np.tensordot(centre, self.log_q, axes=(0, 1))
        self._at_centre = self._integrals(self.shares(self.powers(centre)))

    def powers(self, counts: Floats) -> Floats:
        """Return H_a at every depth, (M, P, 16)."""
        logs = np.tensordot(counts, self.log_q, axes=(0, 1))
        return np.asarray(self.terms * np.exp(np.maximum(logs, -LARGEST_LOG)))

    def shares(self, powers: Floats) -> Floats:
        """Return h_j at every depth, (J, P, 16)."""
        grades = len(self.gains)
        return np.array([(powers * np.exp(-self.log_q[:, j])).sum(axis=0) for j in range(grades)])

    def _means(self) -> Floats:
        return self._at_centre

    def _mean_changes(self, moved: Floats) -> Floats:
        # Nothing cancels: the powers of each depth are compared with those at the centre before being added.
        # prod_i q_i^(c_i + d_i) - prod_i q_i^c_i is prod_i q_i^c_i expm1(sum_i d_i log q_i).
        grades = len(self.gains)
        weights = np.array([self.terms * np.exp(-self.log_q[:, j]) * self._weight[j] for j in range(grades)])
        at_centre = self._logs.ravel()
        alive = at_centre > _NO_LONGER_LOG
        log_q = np.moveaxis(self.log_q, 1, 0).reshape(grades + 1, -1)[:, alive]
        weights = (weights.reshape(grades, -1)[:, alive] * np.exp(at_centre[alive])).T
        rows = max(1, HELD // log_q.shape[1])
        parts = (moved[i : i + rows] for i in range(0, len(moved), rows))
        return np.concatenate([np.expm1(np.minimum(part @ log_q, LARGEST_LOG)) @ weights for part in parts])

    def parts(self, counts: Floats) -> tuple[Floats, Floats, float]:
        powers, gains = self.powers(counts), self.gains
        parts = [self.top.sums(counts, gains), *(part.sums(powers, counts, gains) for part in self.series)]
        found = np.concatenate([spread for spread, _ in parts], axis=1)
        spreads = np.zeros(self.panels.density.shape)  # the panels of geometric discounts end where D is 0
        spreads.reshape(len(gains), -1)[:, : found.shape[1]] = found
        return self.shares(powers), spreads, math.fsum(pairs for _, pairs in parts)


class AffineGivenCounts(GivenCounts):
    """DCG given the label counts for a discount ``D(r) = a + b r``.

    With A the items above depth s and K those above t > s, of the n - 2 others,
    ``Cov(A, K) = sum_i c_i G_i(s) (1 - G_i(t))``.
    """

    def __init__(
        self, panels: Panels, gains: Floats, coefficients: tuple[float, float], centre: Floats
    ) -> None:
        super().__init__(panels, gains, centre)
        self.constant, self.slope = coefficients
        self._mass = self._weight.sum(axis=(1, 2))  # 1 if the panels reach depth 1
        self._above = np.einsum("jpk,ipk->ji", self._weight, panels.above)  # int g_j G_i, (J, J + 1)

    def _means(self) -> Floats:
        above = self._above @ self.centre - np.diagonal(self._above[:, :-1])
        return np.asarray(self.constant * self._mass + self.slope * (self._mass + above))

    def _mean_changes(self, moved: Floats) -> Floats:
        return np.asarray(self.slope * (moved @ self._above.T))

    def parts(self, counts: Floats) -> tuple[Floats, Floats, float]:
        gains, panels, slope = self.gains, self.panels, self.slope
        above, units, pairs = panels.above, np.eye(len(counts)), 0.0
        weight = self._weight
        others = [counts - units[j] for j in range(len(gains))]
        shares = [self.constant + slope * (1 + np.tensordot(less, above, axes=(0, 0))) for less in others]
        spreads = [slope**2 * np.tensordot(less, above * (1 - above), axes=(0, 0)) for less in others]
        for j, other in itertools.product(range(len(gains)), repeat=2):
            less = counts - units[j] - units[other]
            rank = self.constant + slope * (1 + np.tensordot(less, above, axes=(0, 0)))
            value = slope * running_integrals(weight[j] * rank) * (1 - above[j])
            value -= slope * running_integrals(weight[j] * above[other]) * (rank + slope * above[j])
            for i, c in enumerate(less):
                value += slope**2 * c * running_integrals(weight[j] * above[i]) * (1 - above[i])
            number = counts[j] * (counts[other] - (j == other)) * gains[j] * gains[other]
            pairs += number * float((value * weight[other]).sum())
        return np.array(shares), np.array(spreads), pairs
