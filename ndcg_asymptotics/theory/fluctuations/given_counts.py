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
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from ndcg_asymptotics.core.arrays import Floats
from ndcg_asymptotics.measures.exponentials import ExponentialSum
from ndcg_asymptotics.theory.fluctuations.effort import Effort
from ndcg_asymptotics.theory.rules.panels import Panels, panel_of
from ndcg_asymptotics.theory.rules.quadrature import running_integrals

_SMALLEST_LOG, _LARGEST_LOG = -690.0, 690.0  # exponentials stay within the range of doubles
_NO_LONGER_LOG = -100.0  # a power below it at the centre stays negligible whatever the counts
_VANISHED = 120.0  # minus the exponent of a term that is negligible
_CHUNK = 4_000_000  # numbers held at a time
_KEPT = 8_000_000  # numbers that are kept rather than computed again
_FEW_TERMS = 4  # exponentials up to which every pair of depths is treated as near the top
_MOST_CROSSES = 200  # rows and columns of a cross approximation
_PROBES = 10  # rows that are tried before it is believed


class GivenCounts:
    """DCG of a list of ``n`` items given its label counts.

    Parameters
    ----------
    panels : Panels
    gains : (J,)
    discount : ExponentialSum
        The discount on ranks 1 … n.
    near : ExponentialSum
        The same discount on ranks that items near the top have.
    centre : (J + 1,)
        The counts relative to which changes of the mean are computed.
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
        self.panels, self.gains, self.centre = panels, gains, centre
        self.fit = discount
        rates = discount.rates[:, None, None, None]
        self.steep = -np.expm1(-discount.rates)  # 1 - z
        self.log_q = np.log1p(np.expm1(-rates) * panels.above)  # (M, J + 1, P, 16)
        self.terms = (discount.weights[0] * np.exp(-discount.rates))[:, None, None]
        n = float(centre.sum())
        count = len(panels.t)
        if discount.rates.size <= _FEW_TERMS:
            self.series: tuple[SeriesPairs, ...] = ()
            dead = _VANISHED / (n * float(self.steep.min()))
            count = panel_of(panels.edges, dead * panels.edges[-1])
            self.top = TopPairs(panels, count, discount, effort.negligible)
        else:
            stages = effort.series(len(gains))
            starts = [*(panel_of(panels.edges, k / n * panels.edges[-1]) for k, _ in stages), count]
            self.series = tuple(
                SeriesPairs(panels, start, stop, degree, self.log_q, self.steep)
                for (_, degree), start, stop in zip(stages, starts[:-1], starts[1:], strict=True)
                if stop > start
            )
            first = stages[0][0]
            self.top = TopPairs(panels, starts[0], near, effort.negligible * effort.stages[0][0] / first)
        self._logs = np.tensordot(centre, self.log_q, axes=(0, 1))
        self._at_centre = self._integrals(self.shares(self.powers(centre)))

    def powers(self, counts: Floats) -> Floats:
        """Return H_a at every depth, (M, P, 16)."""
        logs = np.tensordot(counts, self.log_q, axes=(0, 1))
        return np.asarray(self.terms * np.exp(np.maximum(logs, _SMALLEST_LOG)))

    def shares(self, powers: Floats) -> Floats:
        """Return h_j at every depth, (J, P, 16)."""
        grades = len(self.gains)
        return np.array([(powers * np.exp(-self.log_q[:, j])).sum(axis=0) for j in range(grades)])

    def mean(self) -> float:
        """Return the mean at the centre."""
        return float((self.gains * self.centre[:-1]) @ self._at_centre)

    def _integrals(self, values: Floats) -> Floats:
        """Return int g_j values_j dt, (J,)."""
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
        alive = at_centre > _NO_LONGER_LOG
        log_q = np.moveaxis(self.log_q, 1, 0).reshape(grades + 1, -1)[:, alive]
        weights = (weights[:, alive] * np.exp(at_centre[alive])).T
        moved = counts - self.centre
        rows = max(1, _CHUNK // log_q.shape[1])
        # The mean is sum_j y_j c_j int g_j h_j. It changes by the change of c_j times the integral at the
        # centre, plus c_j times the change of the integral, in which prod_i q_i^(c_i + d_i) - prod_i q_i^c_i
        # is prod_i q_i^c_i expm1(sum_i d_i log q_i).
        parts = (moved[i : i + rows] for i in range(0, len(counts), rows))
        change = np.concatenate(
            [np.expm1(np.minimum(part @ log_q, _LARGEST_LOG)) @ weights for part in parts]
        )
        gained = moved[:, :-1] @ (self.gains * self._at_centre) + (counts[:, :-1] * change) @ self.gains
        return relative(gained, self.mean())

    def variance(self, counts: Floats) -> tuple[float, float]:
        """Return Var(DCG | counts), and the part of it that is no covariance of two items."""
        # Var(DCG | c) = sum_j y_j^2 c_j { int g_j (h_j - int g_j h_j)^2 + int g_j Var(D(1+A) | t) }
        #              + 2 sum_jl y_j y_l c_j (c_l - [j=l]) int int_(s<t) g_j(s) g_l(t) K_jl(s, t)
        shares, spreads, pairs = self.parts(counts)
        means = self._integrals(shares)
        within = self._integrals((shares - means[:, None, None]) ** 2 + spreads)
        single = float((self.gains**2 * counts[:-1]) @ within)
        return single + 2 * pairs, single

    def parts(self, counts: Floats) -> tuple[Floats, Floats, float]:
        """Return h_j and ``Var(D(1 + A) | t)`` at every depth, (J, P, 16), and the sum over pairs."""
        powers, gains = self.powers(counts), self.gains
        parts = [self.top.sums(counts, gains), *(part.sums(powers, counts, gains) for part in self.series)]
        found = np.concatenate([spread for spread, _ in parts], axis=1)
        spreads = np.zeros(self.panels.density.shape)  # the panels of geometric discounts end where D is 0
        spreads.reshape(len(gains), -1)[:, : found.shape[1]] = found
        return self.shares(powers), spreads, math.fsum(pairs for _, pairs in parts)


class AffineGivenCounts:
    """DCG given the label counts for a discount ``D(r) = a + b r``, with the methods of `GivenCounts`.

    With A the items above depth s and K those above t > s, of the n - 2 others,
    ``Cov(A, K) = sum_i c_i G_i(s) (1 - G_i(t))``.
    """

    def __init__(
        self, panels: Panels, gains: Floats, coefficients: tuple[float, float], centre: Floats
    ) -> None:
        self.panels, self.gains, self.centre = panels, gains, centre
        self.constant, self.slope = coefficients
        self._mass = np.einsum("jpk,pk->j", panels.density, panels.dt)  # 1 if the panels reach depth 1
        # int g_j G_i, (J, J + 1)
        self._above = np.einsum("jpk,ipk,pk->ji", panels.density, panels.above, panels.dt)

    def _means(self, counts: Floats) -> Floats:
        """Return the mean discount of an item of each grade, (J,), 0 where it is below the panels."""
        own = np.diagonal(self._above[:, :-1])
        return np.asarray(self.constant * self._mass + self.slope * (self._mass + self._above @ counts - own))

    def mean(self) -> float:
        """Return the mean at the centre."""
        return float((self.gains * self.centre[:-1]) @ self._means(self.centre))

    def mean_changes(self, counts: Floats) -> Floats:
        """Return the mean for each row of counts (C, J + 1), relative to that at the centre, less 1: (C,)."""
        moved = counts - self.centre
        change = self.slope * (moved @ self._above.T)
        gained = (
            moved[:, :-1] @ (self.gains * self._means(self.centre)) + (counts[:, :-1] * change) @ self.gains
        )
        return relative(gained, self.mean())

    def variance(self, counts: Floats) -> tuple[float, float]:
        """Return Var(DCG | counts), and the part of it that is no covariance of two items."""
        shares, spreads, pairs = self.parts(counts)
        weight = self.panels.density * self.panels.dt
        means = (weight * shares).sum(axis=(1, 2), keepdims=True)
        within = (weight * ((shares - means) ** 2 + spreads)).sum(axis=(1, 2))
        single = float((self.gains**2 * counts[:-1]) @ within)
        return single + 2 * pairs, single

    def parts(self, counts: Floats) -> tuple[Floats, Floats, float]:
        """Return h_j and ``Var(D(1 + A) | t)`` at every depth, (J, P, 16), and the sum over pairs."""
        gains, panels, slope = self.gains, self.panels, self.slope
        above, units, pairs = panels.above, np.eye(len(counts)), 0.0
        weight = panels.density * panels.dt
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


def relative(changes: Floats, mean: float) -> Floats:
    """Return changes relative to a mean; both are 0 where no item of gain can lie at these depths."""
    return changes / mean if mean else np.zeros_like(changes)


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
        depths = len(base) if self.kept is not None else max(1, _CHUNK // (len(self.degrees) * base.shape[1]))
        found = np.empty((len(self.degrees), len(base)))
        for part in (slice(i, i + depths) for i in range(0, len(base), depths or 1)):
            products = _products(self.ratio[:, part], self.degrees) if self.kept is None else self.kept
            found[:, part] = (products @ base[part, :, None])[..., 0].T
        return found


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
        depths = max(1, _CHUNK // a.size)
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
                growth = np.exp(np.maximum(without + np.maximum(more, 0.0), _SMALLEST_LOG))
                growth *= np.sign(more) * -np.expm1(-np.abs(more))
                own[j, part] = growth @ weights
        return own, self._pairs(base, counts, gains)

    def _pairs(self, logs: Floats, counts: Floats, gains: Floats) -> float:
        """Return the sum over pairs; ``logs`` are those of prod_i q_ai^c_i, (T, M)."""
        grades = len(gains)
        number = np.outer(counts[:-1], counts[:-1]) - np.diag(counts[:-1])
        if not number.any():
            return 0.0
        powers = self.weights * np.exp(np.maximum(logs, _SMALLEST_LOG))
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
            value *= np.sign(scale) * np.sign(scale[i]) * np.exp(np.maximum(joint, _SMALLEST_LOG))
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


def cross(
    row: Callable[[int], Floats],
    column: Callable[[int], Floats],
    start: int,
    negligible: float,
    probes: Sequence[int] = (),
) -> tuple[Floats, Floats]:
    """Return a matrix as ``sum_k left_k right_k`` of few of its columns and rows, up to a negligible part.

    Where a part seems to be negligible the rows ``probes`` are tried before it is believed.

    >>> x = np.arange(1.0, 6.0)
    >>> left, right = cross(lambda i: 1 / (x[i] + x), lambda j: 1 / (x + x[j]), 0, 1e-15)
    >>> bool(np.abs(left.T @ right - 1 / np.add.outer(x, x)).max() < 1e-14)
    True
    """
    first = row(start)
    left, right = np.empty((_MOST_CROSSES, first.size)), np.empty((_MOST_CROSSES, first.size))
    used: list[int] = []
    largest, i, left_to_try = 0.0, start, list(probes)
    while (count := len(used)) < _MOST_CROSSES:
        over = (row(i) if count else first) - left[:count, i] @ right[:count]
        j = int(np.argmax(np.abs(over)))
        if over[j] == 0:
            left_to_try = [probe for probe in left_to_try if probe != i]
            if not left_to_try:
                break
            i = left_to_try.pop(0)
            continue
        used.append(i)
        down = column(j) - right[:count, j] @ left[:count]
        size = float(np.abs(down).max())
        largest = max(largest, size)
        left[count], right[count] = down / over[j], over
        if size <= negligible * largest:
            left_to_try = [probe for probe in left_to_try if probe not in used]
            if not left_to_try:
                return left[: count + 1], right[: count + 1]
            i = left_to_try.pop(0)
            continue
        free = np.abs(down)
        free[used] = -1.0
        i = int(np.argmax(free))
        if free[i] < 0:
            return left[: count + 1], right[: count + 1]
    return left[:count], right[:count]
