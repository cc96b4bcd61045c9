"""How much each depth counts in the mean of DCG.

Of n items the one at depth t has rank 1 + A, A ~ Bin(n - 1, t), whatever the labels are. So::

    E[DCG_n] = int E[Y | t] w_n(t) dt,    w_n(t) = n E[D(1 + A); A < k(n)],    int w_n = F(k(n)),

and a limit theorem is a statement about w_n alone: divided by its size v_n, it tends to a profile phi on
(0, c), or to a point mass at the top.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.special import gammaincc

from ndcg_asymptotics.core.arrays import Floats
from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.measures.exponentials import ExponentialSum, exponential_sum

_FIRST = 1e-12
_NEAR = 1.1e5  # ranks up to which D is a sum of exponentials; beyond, A is two points


@dataclass(frozen=True)
class DepthWeight:
    """w_n of a measure at one n. A cutoff at a share of the list is taken as sharp, see `blurred`."""

    measure: Measure
    n: int

    @property
    def k(self) -> int:
        return self.measure.cutoff(self.n)

    @property
    def sharp(self) -> bool:
        """Whether the depths beyond ``end`` are left out, instead of counted by their chance."""
        return self.measure.cutoff.regime != "sublinear"

    @property
    def end(self) -> float:
        return self.measure.cutoff.share if self.sharp else 1.0

    @cached_property
    def blurred(self) -> float:
        """A bound of int |w_n - its stand-in| dt.

        A sharp cutoff moves ``n E|A/n - c| <= sqrt(k)`` ranks of weight D(k) across it; the Poisson law
        that stands for A around k = o(n) is off by k/n of that.
        """
        moved = float(self.at_rank(float(self.k))) * float(self.k) ** 0.5 if self.k < self.n else 0.0
        return 1.01 * moved * (1.0 if self.sharp else self.k / self.n)

    def at_rank(self, rank: Floats | float) -> Floats:
        """D_n(r)."""
        return self.measure.discount(rank, float(self.n))

    def total(self, k: Floats | float) -> Floats:
        """F(k), for a user's own discount beyond its table as well."""
        discount = self.measure.discount
        if float(np.max(k)) <= discount.known_to:
            return discount.cumulative(k, float(self.n))
        return np.asarray(exponential_sum([discount], float(self.n)).cumulative(k)[0])

    def __call__(self, t: Floats) -> Floats:
        """w_n(t) for depths in [0, end]."""
        others = float(self.n - 1)
        if self.measure.discount.affine:  # D_n(r) = a + b r: the mean of (a + b + b A) 1(A < k)
            a, b = self.measure.discount.coefficients(self.n)
            mean = others * t
            return self.n * ((a + b) * self._reached(mean, 0) + b * mean * self._reached(mean, 1))
        # nearer to the top than that the item is the first one
        weight = np.full_like(t, float(self.at_rank(1.0)))
        near = (others * t < _NEAR) & (others * t > _FIRST)
        weight[near] = self._by_exponentials(t[near])
        far = others * t >= _NEAR
        mean = others * t[far]
        deviation = np.sqrt(mean * (1 - t[far]))
        sides = self.at_rank(1 + mean - deviation) + self.at_rank(1 + mean + deviation)
        weight[far] = sides / 2 * self._reached(mean, 0)
        return self.n * weight

    def _by_exponentials(self, t: Floats) -> Floats:
        """``E[z^A; A < k] = E[z^A] P(A' < k)``, A' ~ Bin(n - 1, t z / (1 - t (1 - z)))."""
        fit, others = self._fit, float(self.n - 1)
        kept = np.log1p(t[:, None] * np.expm1(-fit.rates))
        terms = np.exp(others * kept - fit.rates)
        if not self.sharp:
            terms *= self._reached(others * t[:, None] * np.exp(-fit.rates - kept), 0)
        return np.asarray(terms @ fit.weights[0])

    def _reached(self, mean: Floats, less: int) -> Floats:
        """P(A < k - less) for a Poisson law; 1 where the cutoff is sharp."""
        if self.sharp:
            return np.ones_like(mean)
        k = self.k - less
        return np.asarray(gammaincc(k, mean)) if k > 0 else np.zeros_like(mean)

    @property
    def _fit(self) -> ExponentialSum:
        return exponential_sum([self.measure.discount], _NEAR)
