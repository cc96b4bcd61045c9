"""Mean and variance of DCG given how many items have which label.

Given counts c the items of grade i have independent depths with distribution function G_i. With
``D(r) = sum_a w_a z_a^r``, ``q_ai(s) = 1 - (1 - z_a) G_i(s)`` and ``H_a(s) = w_a z_a prod_i q_ai(s)^c_i``
an item of grade j at depth s has the mean discount ``h_j(s) = sum_a H_a / q_aj``. For an item of grade j at s
above another of grade l at t > s the mean of the product of their discounts exceeds that of the means by

    sum_ab H_a(s)/(q_aj q_al) H_b(t)/(q_bj q_bl) { z_b [prod_i (1 + x_i)^(c_i - [i=j] - [i=l]) - 1]
                                                  - (1-z_b)(1-G_j(t)) + q_bj(t)(1-z_a) G_l(s) },
    x_i = (1-z_a) G_i(s) / q_ai(s) · (1-z_b)(1-G_i(t)) / q_bi(t).

Nothing in it cancels, so it holds its digits at n = 1e18. Near the top it is summed as it stands
(`top`); further down the binomial series of the product makes every term one of s times one of t
(`series`), and terms of degree p fall like ``p! K^-p`` with the rank K of the lower item.
"""

from __future__ import annotations

import math

import numpy as np

from ndcg_asymptotics.core.arrays import Floats
from ndcg_asymptotics.measures.exponentials import ExponentialSum
from ndcg_asymptotics.theory.fluctuations.conditional.panels import Panels, panel_of
from ndcg_asymptotics.theory.fluctuations.conditional.series import Series
from ndcg_asymptotics.theory.fluctuations.conditional.top import Top
from ndcg_asymptotics.theory.fluctuations.effort import Effort

_SMALLEST_LOG, _LARGEST_LOG = -690.0, 690.0
_DEAD_LOG = -100.0  # of a power at the centre that no change of counts brings back
_CHUNK = 4_000_000  # numbers held at a time
_FEW_TERMS = 4  # exponentials with which every pair of depths is taken as it stands
_DEAD = 120.0  # the exponent of a term that has vanished
NEAR = 160.0
"""The last rank that items near the top have."""


class GivenCounts:
    """DCG of a list of ``n`` items given its label counts.

    Parameters
    ----------
    panels : Panels
    gains : (J,)
    discount : ExponentialSum
        On 1 … n.
    near : ExponentialSum
        The same discount on ranks that items near the top have.
    centre : (J + 1,)
        Counts about which changes of the mean are taken.
    effort : Effort
    """

    def __init__(
        self, panels: Panels, gains: Floats, discount: ExponentialSum, near: ExponentialSum, centre: Floats,
        effort: Effort,
    ) -> None:  # fmt: skip
        self.panels, self.gains, self.centre = panels, gains, centre
        self.fit = discount
        rates = discount.rates[:, None, None, None]
        self.steep = -np.expm1(-discount.rates)  # 1 - z
        self.log_q = np.log1p(np.expm1(-rates) * panels.above)  # (M, J + 1, P, 16)
        self.terms = (discount.weights[0] * np.exp(-discount.rates))[:, None, None]
        n = float(centre.sum())
        count = len(panels.t)
        if discount.rates.size <= _FEW_TERMS:
            self.series: tuple[Series, ...] = ()
            dead = _DEAD / (n * float(self.steep.min()))
            self.top = Top(
                panels, panel_of(panels.edges, dead * panels.edges[-1]), discount, effort.negligible
            )
        else:
            stages = effort.stages
            starts = [*(panel_of(panels.edges, k / n * panels.edges[-1]) for k, _ in stages), count]
            self.series = tuple(
                Series(panels, start, stop, degree, self.log_q, self.steep)
                for (_, degree), start, stop in zip(stages, starts[:-1], starts[1:], strict=True)
                if stop > start
            )
            self.top = Top(panels, starts[0], near, effort.negligible)
        self._logs = np.tensordot(centre, self.log_q, axes=(0, 1))
        self._at_centre = self._integrals(self.shares(self.powers(centre)))

    def powers(self, counts: Floats) -> Floats:
        """H_a at every depth, (M, P, 16)."""
        logs = np.tensordot(counts, self.log_q, axes=(0, 1))
        return np.asarray(self.terms * np.exp(np.maximum(logs, _SMALLEST_LOG)))

    def shares(self, powers: Floats) -> Floats:
        """h_j at every depth for one or more grades: (J, P, 16)."""
        grades = len(self.gains)
        return np.array([(powers * np.exp(-self.log_q[:, j])).sum(axis=0) for j in range(grades)])

    def mean(self) -> float:
        """At the centre."""
        return float((self.gains * self.centre[:-1]) @ self._at_centre)

    def _integrals(self, values: Floats) -> Floats:
        """int g_j values_j dt, (J,)."""
        return np.asarray((self.panels.density * values * self.panels.dt).sum(axis=(1, 2)))

    def mean_changes(self, counts: Floats) -> Floats:
        """Return the mean for each row of counts (C, J + 1), relative to that at the centre, less 1: (C,).

        Nothing cancels: the powers of each depth are compared with those at the centre before they are added.
        """
        grades = len(self.gains)
        weights = np.array(
            [
                self.terms * np.exp(-self.log_q[:, j]) * self.panels.density[j] * self.panels.dt
                for j in range(grades)
            ]
        ).reshape(grades, -1)
        at_centre = self._logs.ravel()
        alive = at_centre > _DEAD_LOG
        log_q = np.moveaxis(self.log_q, 1, 0).reshape(grades + 1, -1)[:, alive]
        weights = (weights[:, alive] * np.exp(at_centre[alive])).T
        moved = counts - self.centre
        rows = max(1, _CHUNK // log_q.shape[1])
        change = np.concatenate(
            [np.expm1(np.minimum(moved[i : i + rows] @ log_q, _LARGEST_LOG)) @ weights
             for i in range(0, len(counts), rows)]
        )  # fmt: skip
        gained = moved[:, :-1] @ (self.gains * self._at_centre) + (counts[:, :-1] * change) @ self.gains
        return np.asarray(gained / ((self.gains * self.centre[:-1]) @ self._at_centre))

    def variance(self, counts: Floats) -> tuple[float, float]:
        """Var(DCG | counts), and the part of it that items have by themselves."""
        powers, gains = self.powers(counts), self.gains
        shares = self.shares(powers)
        means = self._integrals(shares)
        spread = self._integrals((shares - means[:, None, None]) ** 2)
        parts = [self.top.sums(counts, gains), *(part.sums(powers, counts, gains) for part in self.series)]
        single = math.fsum((gains**2 * counts[:-1]) @ x for x in (spread, *(own for own, _ in parts)))
        return single + 2 * math.fsum(pairs for _, pairs in parts), single
