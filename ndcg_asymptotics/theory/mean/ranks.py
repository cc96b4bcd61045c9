"""The mean discount of an item at a depth, given the labels of the others.

Of n items one stands at depth t. The others, c_i of grade i, have independent depths, and one of
grade i lies above t with probability ``G_i(t)``. So the item has rank ``1 + A``, A a sum of
independent binomials ``Bin(c_i, G_i(t))``, and `RankMean` is E[D(1 + A)]: exactly by a sum of
exponentials near the top, from the first four moments of A where it is large.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from ndcg_asymptotics.core.arrays import Floats
from ndcg_asymptotics.core.errors import require_available
from ndcg_asymptotics.measures import Discount
from ndcg_asymptotics.measures.exponentials import ExponentialSum, exponential_sum
from ndcg_asymptotics.theory.mean.mesh import Depths

_SMOOTH_FROM = 1e5  # ranks from which a discount is smooth on the scale of its square root
_SMALLEST_LOG = -600.0  # what is multiplied with its exponential does not underflow either
_VANISHED = -120.0  # the log of a term that does not count, whatever the discount
_WORTH = 0.6  # part of the terms below which it is quicker to pick them out
_CHUNK = 2_000_000  # numbers held at a time


@dataclass(frozen=True, eq=False)
class RankMean:
    """A discount in the form its means are taken in.

    Attributes
    ----------
    discount : Discount
    fit : ExponentialSum or None
        The discount as a sum of exponentials, for which ``E z^A = prod_i (1 - G_i (1 - z))^c_i``;
        None if it is affine in the rank.
    smooth_from : float
        Where the mean of A exceeds this, three points that have the first four central moments
        of A stand for its law; where D falls like r^-b that leaves a relative error of about
        ``b (b+1) … (b+5) / (120 smooth_from^3)``.
    """

    discount: Discount
    fit: ExponentialSum | None
    smooth_from: float

    @classmethod
    @lru_cache(maxsize=64)
    def of(cls, discount: Discount, largest: float, caution: float = 1.0) -> RankMean:
        """For lists of up to ``largest`` items; ``caution`` > 1 trusts the moments later.

        Raises
        ------
        NotAvailableError
            If the discount is neither affine nor a sum of exponentials.
        """
        if discount.affine:
            return cls(discount, None, math.inf)
        require_available(not discount.depends_on_n, f"exact mean: {discount} depends on n and is not affine")
        if not discount.regular:
            return cls(discount, exponential_sum([discount], largest), math.inf)
        near, far = discount([_SMOOTH_FROM, 2 * _SMOOTH_FROM])
        exponent = math.log2(near / far) if far > 0 else math.inf
        smooth_from = caution * _SMOOTH_FROM * max(1.0, exponent / 2) ** 2
        return cls(discount, exponential_sum([discount], min(largest, 1.1 * smooth_from)), smooth_from)

    def gained(self, depths: Depths, counts: Floats, n: int) -> Floats:
        """``n int P(Y = y_j | t) E[D(1 + A) | c, t] dt`` for rows of real counts (C, J + 1): (C, J).

        Every row adds up to n - 1.
        """
        if self.fit is None:
            return self._affine(depths, counts, n)
        split = int(np.searchsorted(depths.t, min(self.smooth_from / n, 2.0)))
        return n * (self._near(depths[:split], counts) + self._far(depths[split:], counts, n))

    def _affine(self, depths: Depths, counts: Floats, n: int) -> Floats:
        """D(r) = a + b r: E[D(1 + A)] = a + b + b sum_i c_i G_i."""
        constant, slope = self.discount.coefficients(n)
        weights = n * depths.value * depths.dt
        ranks = counts @ (depths.above @ weights.T)
        return np.asarray((constant + slope) * weights.sum(axis=1) + slope * ranks)

    def _near(self, depths: Depths, counts: Floats) -> Floats:
        assert self.fit is not None
        terms = (depths.value * depths.dt)[:, :, None] * (self.fit.weights[0] * np.exp(-self.fit.rates))
        logs = np.log1p(depths.above[:, :, None] * np.expm1(-self.fit.rates)).reshape(len(depths.above), -1)
        terms = terms.reshape(len(terms), -1).T
        # steep exponentials have vanished deep in the list, even if every grade had its smallest count
        alive = np.flatnonzero((counts.min(axis=0) @ logs) > _VANISHED)
        if alive.size < _WORTH * terms.shape[0]:
            logs, terms = logs.take(alive, axis=1), terms.take(alive, axis=0)
        step = max(1, _CHUNK // max(1, logs.shape[1]))
        blocks = []
        for i in range(0, len(counts), step):
            powers = counts[i : i + step] @ logs
            # numbers that underflow cost a hundred times as much
            blocks.append(np.exp(np.maximum(powers, _SMALLEST_LOG, out=powers), out=powers) @ terms)
        return np.concatenate(blocks)

    def _far(self, depths: Depths, counts: Floats, n: int) -> Floats:
        g = depths.above
        v = g * (1 - g)
        cumulants = np.stack([g, v, v * (1 - 2 * g), v * (1 - 6 * v)])  # of one item: (4, J + 1, T)
        weights = (depths.value * depths.dt).T
        total = np.zeros((len(counts), weights.shape[1]))
        step = max(1, _CHUNK // max(1, 8 * g.shape[1]))
        for i in range(0, len(counts), step):
            rows = slice(i, i + step)
            sums = np.tensordot(counts[rows], cumulants, axes=(1, 1)).swapaxes(0, 1)  # (4, C, T)
            total[rows] = self._three_points(sums, n) @ weights
        return total

    def _three_points(self, cumulants: Floats, n: float) -> Floats:
        """The mean of D(1 + A) by nodes at the mean and on both sides of it."""
        mean = cumulants[0]
        left, right, weight_left, weight_right = three_points(*cumulants[1:])
        centre = self.discount(1 + mean, n)
        below, above = self.discount(1 + mean + left, n), self.discount(1 + mean + right, n)
        return np.asarray(centre + weight_left * (below - centre) + weight_right * (above - centre))


def three_points(second: Floats, third: Floats, fourth: Floats) -> tuple[Floats, Floats, Floats, Floats]:
    """A law with given cumulants as three points: the mean, a < 0 and b > 0 about it.

    ``x^2 dP`` has the moments ``second, third, fourth + 3 second^2``; a and b are its two Gauss
    nodes, ``a + b = third/second``, ``-a b = fourth/second + 3 second - (third/second)^2``. Means
    of polynomials of degree 4 are exact. Returns a, b and their weights; the mean has the rest.
    """
    spread = second > 1e-9
    second = np.maximum(second, 1e-9)
    skew, tails = np.where(spread, third / second, 0.0), np.where(spread, fourth / second, 0.0)
    product = np.maximum(3 * second + tails - skew**2, second)
    root = np.sqrt(skew**2 + 4 * product)
    a, b = (skew - root) / 2, (skew + root) / 2
    return a, b, -second / (a * root), second / (b * root)
