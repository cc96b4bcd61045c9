"""Rules for lists with a cutoff: what DCG depends on, and the means of 1/IDCG and its square that go with it.

Given the depth tau of the item at rank k + 1 the labels of the k items above it, of that item and of the
n - k - 1 below it are independent. DCG depends on the first alone. So all that is needed of 1/IDCG are the
means of delta and of its square (`ideal`) for every depth and counts above, over the counts below: for every
part of 1/IDCG we enumerate C_j above the depth and, on both sides of the threshold, below it. How C_j is
distributed over the grades is smooth, so Gauss rules are enough.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np

from ndcg_asymptotics.core.arrays import Floats
from ndcg_asymptotics.theory.fluctuations.cut.ideal import CutIdeal
from ndcg_asymptotics.theory.fluctuations.effort import Effort
from ndcg_asymptotics.theory.rules.condense import condensed
from ndcg_asymptotics.theory.rules.counts import EVERY, EVERY_SPLIT, CountLaw, nodes_for
from ndcg_asymptotics.theory.rules.mesh import Mesh, depths_at
from ndcg_asymptotics.theory.rules.splits import distributed

_MOST_MOMENTS = 150  # that a condensed rule keeps
LINEAR, OF_PRODUCTS = 2, 3
"""Least degrees of the moments that few nodes keep. Products of two means are averaged, and with a grade of
few items a term of the third degree counts."""
_STEP = 0.8  # step of the lattice of numbers above, in standard deviations; it leaves exp(-2 (pi / 0.8)^2)


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
        levels = [float(one @ x) / (1 - self.nothing) or 1.0 for x in (a, b)]
        u, v = (x / level - 1 for x, level in zip((a, b), levels, strict=True))  # nothing cancels
        means = [float(x @ one + (1 + x) @ first) - self.nothing for x in (u, v)]
        product = (u * v) @ one + (u * (1 + v) + v * (1 + u)) @ first + ((1 + u) * (1 + v)) @ second
        product += self.nothing
        return levels[0] * (1 + means[0]), levels[0] * levels[1] * float(product - means[0] * means[1])


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
    """Return the rule whose nodes are label counts of the list."""
    return joined_rules(_part_of_list(ideal, j, beyond=beyond) for j, beyond in ideal.parts)


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
