"""Rules for lists with a cutoff: what DCG depends on, and the means of 1/IDCG and its square that go with it.

Given the depth tau of the item at rank k + 1 the labels of the k items above it, of that item and of the
n - k - 1 below it are independent. DCG depends on the first alone. So all that is needed of 1/IDCG are the
means of delta and of its square (`CutIdeal`) for every depth and counts above, over the counts below: for
every part of 1/IDCG we enumerate C_j above the depth and, on both sides of the threshold, below it. How C_j
is distributed over the grades is smooth, so Gauss rules are enough.

IDCG depends on the counts C_j of all items of grade j or better, with a kink where a C_j passes k. As
``1/IDCG = (1 + delta)/ideal``, all that is needed of the kinks are the means of delta and of its square.
1/IDCG is a part with a kink in one C_j only, and parts ``1(C_j > k) (1/I_j - 1/I_(j+1))`` with a threshold
each (see `mean.label_counts`).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from ndcg_asymptotics.core.arrays import Floats
from ndcg_asymptotics.measures import Discount, Measure
from ndcg_asymptotics.measures.gains import gain_steps
from ndcg_asymptotics.theory.fluctuations.effort import Effort
from ndcg_asymptotics.theory.rules.binomial import binomial_below, log_binomial
from ndcg_asymptotics.theory.rules.condense import condensed
from ndcg_asymptotics.theory.rules.counts import (
    EVERY,
    EVERY_SPLIT,
    CountLaw,
    distributed,
    nodes_for,
    nodes_of_splits,
    reach,
)
from ndcg_asymptotics.theory.rules.ideal import increase, smooth_sums, summed
from ndcg_asymptotics.theory.rules.mesh import Mesh, depths_at

# 1.5 scale^-1/2, by which terms fall from degree to degree, is at most 0.4, or 0.2 where IDCG hardly varies
_LEAST_SCALE, _SMOOTH_SCALE = 14.0, 56.0
_EMPTY = 1e-12  # an ideal DCG that is a smaller part of its usual value is 0
_MOST_MOMENTS = 150  # that a condensed rule keeps
LINEAR, OF_PRODUCTS = 2, 3
"""Least degrees of the moments that few nodes keep. Products of two means are averaged, and with a grade of
few items a term of the third degree counts."""
_MOST_COUNTS = 12_000  # likely label counts of a list up to which each is a node
_MOST_TRIED = 500_000  # to find them
_STEP = 0.8  # step of the lattice of numbers above, in standard deviations; it leaves exp(-2 (pi / 0.8)^2)


@dataclass(frozen=True)
class CutIdeal:
    """The ideal DCG, cut at k, of lists of ``n`` items with the label law ``law`` (J + 1,)."""

    gains: Floats
    law: Floats
    discount: Discount
    k: int
    n: int
    effort: Effort

    @classmethod
    def of(cls, mesh: Mesh, measure: Measure, n: int, effort: Effort) -> CutIdeal:
        gains = np.array(mesh.relevance.gains)
        return cls(gains, mesh.law, measure.discount, measure.cutoff(n), n, effort)

    @cached_property
    def full(self) -> bool:
        """Whether the best grade fills the ideal list for certain, so that delta is 0."""
        return bool(self._fewer[0] <= self.effort.negligible)

    @cached_property
    def scale(self) -> float:
        """The number of items over which DCG and 1/IDCG change by their own size.

        1/IDCG changes over the relevant items, unless they fill the ideal list.
        """
        relevant = self.n * float(self.law[:-1].sum())
        if relevant - 3 * math.sqrt(relevant) > self.k:
            return max(self.k, _SMOOTH_SCALE)
        return max(min(self.k, relevant), _LEAST_SCALE)

    @cached_property
    def parts(self) -> list[tuple[int, bool]]:
        """The parts of 1/IDCG as arguments of `part`: a grade, and whether it is 0 below the threshold."""
        negligible = self.effort.negligible
        # IDCG depends on C_j where the gain falls: not after a class of gain 0, nor between equal gains
        steps = [j for j, step in enumerate(self._steps, 1) if step > 0]
        last = max([j for j in steps if self._fewer[j - 1] > negligible], default=steps[0])
        higher = [j for j in steps if j < last and 1 - self._fewer[j - 1] > negligible]
        return [(last, False), *((j, True) for j in higher)]

    @cached_property
    def left_out(self) -> float:
        """The probability of the label counts for which 1/IDCG is another, as their parts are left out."""
        rarer = np.minimum(self._fewer, 1 - self._fewer)
        return float(rarer[rarer <= self.effort.negligible].sum())

    @cached_property
    def value(self) -> float:
        """The ideal DCG of the expected counts."""
        return float(self._steps @ smooth_sums(self.discount, self.n, self.effort.fit)(self._ends))

    def distributed(self, sizes: Floats, law: Floats) -> tuple[Floats, Floats]:
        """Return counts (C, M, j) of the first grades that add up to sizes (C,), and weights (C, M)."""
        return distributed(sizes, law, nodes_of_splits(141, law.size - 1), self.effort.digits)

    def part(self, own: Floats, others: Floats, *, beyond: bool) -> Iterator[tuple[float, Floats]]:
        """Yield signs and values of delta, (M, N), that add up to one part of delta; their squares likewise.

        The counts of the first grades are sums of ``own`` (M, j), whose rows have the same sum, and
        ``others`` (N, j). Only the last cumulative count has a threshold. With ``beyond`` the part is 0
        below it.
        """
        own, others = np.cumsum(own, axis=1), np.cumsum(others, axis=1)
        last = own.shape[1] - 1
        number = own[0, last] + others[:, last]
        more = self._more(last, number)
        lower = sum(self._steps[i] * self._full[i] for i in range(last + 1, len(self.gains)))
        cut = lower + self._steps[last] * np.where(number > self.k, self._full[last], more)
        some = (number > 0) | bool(self._steps[last + 1 :].any())  # lower grades fill the list
        # the relative change of IDCG is a product of matrices, since F(x + y) is
        left, right = [np.ones((len(own), 1))], [np.zeros((len(others), 1))]
        for i in range(last):
            x, y = self._factors(i, own[:, i], others[:, i])
            left.append(x)
            right.append(self._steps[i] / self.value * y)
        x, y = np.hstack(left), np.hstack(right)
        uncut = lower + self._steps[last] * more
        for sign, by_number in ((1.0, cut), (-1.0, uncut)) if beyond else ((1.0, cut),):
            y[:, 0] = by_number / self.value
            delta = x @ y.T
            delta[:, ~some] = 0.0
            empty = 1 + delta <= _EMPTY  # a grade may have the gain 0
            delta[empty] = 0.0
            # value/IDCG - 1; -1 where no item has a gain, since NDCG is 0 there
            delta /= -1 - delta
            delta[empty] = delta[:, ~some] = -1.0
            yield sign, delta

    def delta(self, counts: Floats) -> Floats:
        """Return delta for counts (N, J) of the list: -1 where no item has a gain, (N,)."""
        ends = np.minimum(np.cumsum(counts, axis=1), self.k)
        more = [step * self._more(i, ends[:, i]) for i, step in enumerate(self._steps)]
        change = np.sum(more, axis=0) / self.value
        return np.where(1 + change > _EMPTY, -change / np.maximum(1 + change, _EMPTY), -1.0)

    def _factors(self, i: int, own: Floats, others: Floats) -> tuple[Floats, Floats]:
        """Return x (M, R) and y (N, R), so that ``x y^T`` is `_more` of the sums of own and others."""
        discount, n, end = self.discount, self.n, self._ends[i]
        if discount.affine:
            constant, slope = discount.coefficients(n)
            # F(end + d) - F(end) = d (constant + slope (2 end + d + 1) / 2), d = x + y
            rate, x, y = constant + slope * (end + 0.5), own - end, others
            ones = np.ones_like
            return (
                np.stack([rate * x + slope / 2 * x**2, slope * x, ones(x)], axis=1),
                np.stack([ones(y), y, rate * y + slope / 2 * y**2], axis=1),
            )
        rates, weights = summed(discount, n, self.effort.fit)
        start = own.min() + others.min()
        x, y = (np.expm1(-(z - z.min())[:, None] * rates) for z in (own, others))
        here = weights * np.exp(-start * rates)
        base = self._more(i, np.array([start]))
        return (
            np.column_stack([base - x @ here, np.ones(own.size), -x * here]),
            np.column_stack([np.ones(others.size), -(y @ here), y]),
        )

    def _more(self, i: int, number: Floats) -> Floats:
        """Return by how much F of a number exceeds F of the expected count of grade i or better."""
        end = self._ends[i]
        return increase(self.discount, self.n, end, number - end, self.effort.fit)

    @cached_property
    def _full(self) -> list[float]:
        """By how much F(k) exceeds F of the expected count, for every grade."""
        k = np.array([float(self.k)])
        return [self._more(i, k).item() for i in range(len(self.gains))]

    @cached_property
    def _fewer(self) -> Floats:
        """The probabilities of C_j < k, (J,)."""
        return binomial_below(self.n, self._shares, self.k)

    @cached_property
    def _shares(self) -> Floats:
        return np.minimum(np.cumsum(self.law[:-1]), 1.0)

    @cached_property
    def _steps(self) -> Floats:
        return gain_steps(self.gains)

    @cached_property
    def _ends(self) -> Floats:
        return np.clip(
            self.n * self._shares, 1.0, self.k
        )  # where a gain is rare, lists without it have NDCG 0


@dataclass(frozen=True)
class CutRule:
    """Nodes for means over what DCG depends on, with the means of 1/IDCG at each.

    Attributes
    ----------
    nodes : (N, D)
        Depths of the item at rank k + 1 with label counts above it, or label counts of the list; the last
        column follows from the others.
    weights : (N, 3)
        Weights of means of 1, delta and delta^2.
    nothing : float
        The probability that no item above has a gain. There are no nodes for that.
    """

    nodes: Floats
    weights: Floats
    nothing: float

    def few(self, scale: float, digits: float, least: int) -> CutRule:
        """Return fewer nodes, for functions that change by their own size over ``scale`` items.

        They keep moments up to the degree ``least`` at least.
        """
        degree = _degree_kept(scale, digits, self.nodes.shape[1] - 1, least)
        return CutRule(*condensed(self.nodes, self.weights, degree), self.nothing)

    def moments(self, a: Floats, b: Floats) -> tuple[float, float]:
        """Return the mean of ``a (1 + delta)``, a values at the nodes, and its covariance with that of b."""
        one, first, second = self.weights.T
        some = float(one.sum())
        levels = [float(one @ x) / some or 1.0 for x in (a, b)]
        u, v = (x / level - 1 for x, level in zip((a, b), levels, strict=True))  # nothing cancels
        means = [float(x @ one + (1 + x) @ first) for x in (u, v)]
        product = (u * v) @ one + (u * (1 + v) + v * (1 + u)) @ first + ((1 + u) * (1 + v)) @ second
        product += self.nothing * (some + sum(means))
        return levels[0] * (some + means[0]), levels[0] * levels[1] * float(product - means[0] * means[1])


def _degree_kept(scale: float, digits: float, variables: int, least: int) -> int:
    """Return the degree of the moments that few nodes keep, for functions as in `CutRule.few`."""
    wanted = math.ceil(math.log(digits) / math.log(1.5 / math.sqrt(scale)))
    degrees = range(max(wanted, least) + 1)
    return max(d for d in degrees if math.comb(d + variables, d) <= _MOST_MOMENTS or d <= 2)


def joined_rules(parts: Iterable[CutRule]) -> CutRule:
    """Return several rules as one."""
    several = list(parts)
    nodes, weights = (np.concatenate([getattr(part, x) for part in several]) for x in ("nodes", "weights"))
    return CutRule(nodes, weights, math.fsum(part.nothing for part in several))


def _of_counts(counts: Floats, weights: Floats) -> CutRule:
    """Return the rule with label counts (N, J + 1) as nodes."""
    some = counts[:, :-1].any(axis=1)
    return CutRule(counts[some], weights[some], float(weights[~some, 0].sum()))


def rule_above(mesh: Mesh, ideal: CutIdeal, depths: Floats, weights: Floats) -> CutRule:
    """Return the rule whose nodes are a depth and the counts above it."""
    at = depths_at(mesh.relevance, mesh.law, depths, np.ones(depths.size))
    law, rest = mesh.law[:, None], ideal.n - ideal.k - 1
    here = np.vstack([at.value, 1 - at.value.sum(axis=0)])
    below = law * (1 - at.above) if rest else np.eye(len(law))[:, -1:] + 0 * depths
    found = []
    for i, (depth, weight) in enumerate(zip(depths, weights, strict=True)):
        laws = (np.maximum(part[:, i], 0.0) / part[:, i].sum() for part in (law * at.above, here, below))
        counts, parts = _LabelLaws(ideal, *laws).counts_above()
        given = _of_counts(counts, weight * parts)
        nodes = np.column_stack([np.full(len(given.nodes), depth), given.nodes])
        found.append(replace(given, nodes=nodes))
    return joined_rules(found)


def rule_of_list(ideal: CutIdeal) -> CutRule:
    """Return the rule whose nodes are label counts of the list: each that is likely, where they are few."""
    every = _every_count(ideal)
    if every is not None:
        return every
    rule = joined_rules(_part_of_list(ideal, j, beyond=beyond) for j, beyond in ideal.parts)
    return rule.few(ideal.scale, ideal.effort.digits, OF_PRODUCTS)


def _every_count(ideal: CutIdeal) -> CutRule | None:
    """Return the rule whose nodes are all likely counts of several grades; None where these are many.

    Between whole numbers the mean of a list with a cutoff is smooth only where the labels of many items
    near it are random.
    """
    if len(ideal.gains) == 1:  # `_pieces` has every number of a few
        return None
    counts, chances = np.zeros((1, 0)), np.ones(1)
    rests = np.cumsum(ideal.law[::-1])[:0:-1]
    for share in np.minimum(ideal.law[:-1] / np.where(rests > 0, rests, 1.0), 1.0).tolist():
        left = ideal.n - counts.sum(axis=1)
        mean = float(left.max()) * share
        far = reach(math.sqrt(mean * (1 - share)))
        steps = np.arange(-math.floor(min(mean, far)), math.ceil(far) + 2.0)
        if len(counts) * steps.size > _MOST_TRIED:
            return None
        numbers = np.floor(left * share)[:, None] + steps
        rows, places = np.nonzero((numbers >= 0) & (numbers <= left[:, None]))
        new = numbers[rows, places]
        found = chances[rows] * np.exp(log_binomial(new, left[rows], share))
        kept = found > ideal.effort.negligible * found.max()
        if np.count_nonzero(kept) > _MOST_COUNTS:
            return None
        counts, chances = np.column_stack([counts[rows], new])[kept], found[kept]
    delta = ideal.delta(counts)
    counts = np.column_stack([counts, ideal.n - counts.sum(axis=1)])
    return _of_counts(counts, chances[:, None] * np.column_stack([np.ones_like(delta), delta, delta**2]))


def _part_of_list(ideal: CutIdeal, j: int, *, beyond: bool) -> CutRule:
    """Return the rule of one part of 1/IDCG."""
    numbers, chances = _pieces(
        ideal.n, _share(ideal.law, j), ideal.k, ideal.effort, beyond=beyond, split=j > 1
    )
    own, ways = ideal.distributed(numbers, ideal.law[:j])
    means = np.zeros((*ways.shape, 2))
    for sign, (delta,) in ideal.part(np.zeros((1, j)), own.reshape(-1, j), beyond=beyond):
        means += sign * np.stack([delta, delta**2], axis=1).reshape(means.shape)
    return _of_counts(
        *_with_others(own, chances[:, None] * ways, means, ideal.n, ideal.law[j:], beyond=beyond)
    )


@dataclass(frozen=True)
class _LabelLaws:
    """The label laws (J + 1,) of the k items above a depth, of the one at it, and of those below it."""

    ideal: CutIdeal
    above: Floats
    at: Floats
    below: Floats

    def counts_above(self) -> tuple[Floats, Floats]:
        """Return counts above (N, J + 1), with the weights of means of 1, delta and delta^2 (N, 3)."""
        ideal = self.ideal
        degree = _degree_kept(ideal.scale, ideal.effort.digits, len(self.above), OF_PRODUCTS)
        parts = []
        for j, beyond in ideal.parts:
            part = self._part(j, beyond=beyond)
            parts.append(condensed(*part, degree) if len(part[0]) > 20_000 else part)
        counts, weights = (np.concatenate(part) for part in zip(*parts, strict=True))
        return counts, weights

    def _part(self, j: int, *, beyond: bool) -> tuple[Floats, Floats]:
        """Return the nodes of one part of 1/IDCG, in which C_j is enumerated."""
        numbers, chances = self._numbers(j)
        own, weights = self.ideal.distributed(numbers, self.above[:j])
        means = np.zeros((*weights.shape, 2)) if self.ideal.full else self._means(own, j, beyond=beyond)
        return _with_others(
            own, (chances[:, None] * weights), means, self.ideal.k, self.above[j:], beyond=beyond
        )

    def _numbers(self, j: int) -> tuple[Floats, Floats]:
        """Return numbers of items of grade j or better above the depth, and their probabilities."""
        k, rest, effort = self.ideal.k, self.ideal.n - self.ideal.k - 1, self.ideal.effort
        q, q_below = _share(self.above, j), _share(self.below, j)
        wide, narrow = (math.sqrt(size * p * (1 - p)) for size, p in ((k, q), (rest, q_below)))
        law = CountLaw(k, q)
        step = math.floor(_STEP / effort.refine * min(wide, max(narrow, 1.0)))
        numbers, chances = law.every(max(step, law.number // 300, 1))
        kept = chances > effort.negligible * chances[numbers > 0].max(initial=0.0)  # gains may be rare
        return numbers[kept], chances[kept]

    def _means(self, own: Floats, j: int, *, beyond: bool) -> Floats:
        """Return means of a part of delta and its square, (A, M, 2), for counts above (A, M, j)."""
        total = np.zeros((*own.shape[:2], 2))
        known = np.rint(own[:, 0].sum(axis=1)).astype(int)
        below = self._below({*known.tolist(), *(known + 1).tolist()}, j, beyond=beyond)
        for mean, here, number in zip(total, own, known.tolist(), strict=True):
            for grade, chance in enumerate([*self.at[:j], 1 - _share(self.at, j)]):
                item = np.eye(j + 1)[grade, :j]  # the item at the depth
                counts, weights = below[number + int(item.sum())]
                if chance > 0 and weights.size:
                    for sign, delta in self.ideal.part(here, counts + item, beyond=beyond):
                        mean[:, 0] += sign * chance * (delta @ weights)
                        mean[:, 1] += sign * chance * (np.square(delta, out=delta) @ weights)
        return total

    def _below(self, known: set[int], j: int, *, beyond: bool) -> dict[int, tuple[Floats, Floats]]:
        """Return counts (N, j) below the depth and weights, for each number ``known`` of items above."""
        size, effort = self.ideal.n - self.ideal.k - 1, self.ideal.effort
        rules = {
            number: _pieces(
                size, _share(self.below, j), self.ideal.k - number, effort, beyond=beyond, split=j > 1
            )
            for number in known
        }
        every = np.unique(np.concatenate([numbers for numbers, _ in rules.values()]))
        counts, ways = self.ideal.distributed(every, self.below[:j])
        found = {}
        for number, (numbers, chances) in rules.items():
            at = np.searchsorted(every, numbers)
            weights = chances[:, None] * ways[at]
            kept = np.abs(weights) > effort.negligible
            found[number] = counts[at][kept], weights[kept]
        return found


def _with_others(
    own: Floats, chances: Floats, means: Floats, total: int, law: Floats, *, beyond: bool
) -> tuple[Floats, Floats]:
    """Return counts (A, M, j) of the first grades together with those of the others, ``total`` items in all.

    ``chances`` (A, M) and the means of delta and its square (A, M, 2) make the weights of a `CutRule`.
    """
    others, ways = distributed(total - own[:, 0].sum(axis=1), law, most=3)  # on which 1/IDCG does not depend
    one = np.full((*chances.shape, 1), 0.0 if beyond else 1.0)
    weights = chances[..., None] * np.concatenate([one, means], axis=2)
    counts = np.concatenate(
        [
            np.repeat(own[:, :, None], others.shape[1], axis=2),
            np.repeat(others[:, None], own.shape[1], axis=1),
        ],
        axis=3,
    )
    weights = weights[:, :, None] * ways[:, None, :, None]
    return counts.reshape(-1, counts.shape[-1]), weights.reshape(-1, 3)


def _pieces(
    size: int, q: float, kink: int, effort: Effort, *, beyond: bool, split: bool
) -> tuple[Floats, Floats]:
    """Return numbers of a binomial law with a kink, and weights; only those beyond it, or all.

    There are few where they will be ``split`` further.
    """
    law = CountLaw(size, q, kink + 1 if beyond else 0, (kink,))
    count = nodes_for(1 / max(law.rarer, 1.0), effort.digits)
    numbers, chances = law.nodes(count, EVERY_SPLIT if split else EVERY)
    kept = chances > effort.negligible * chances.max(initial=0.0)
    return numbers[kept], chances[kept]


def _share(law: Floats, j: int) -> float:
    """Return the probability of the first j grades."""
    return min(float(law[:j].sum()), 1.0)
