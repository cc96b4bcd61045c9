"""Rules of few nodes for means over the label counts of a whole list.

Grades are split apart one after another, ``C ~ Binomial(total, share)`` at each split, and each binomial
law is replaced by its Gauss rule (zeros of Krawtchouk polynomials). A rule of K nodes for every split
would need K^J of them. So nodes are added where they still change the mean, at one split or at several
together (Gerstner and Griebel 2003), and the rules are added up by the combination technique
(Griebel, Schneider, Zenger 1992). This holds for functions that are smooth in the counts.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from ndcg_asymptotics.core.arrays import Floats
from ndcg_asymptotics.theory.fluctuations.effort import Effort
from ndcg_asymptotics.theory.rules.binomial import gauss_rules
from ndcg_asymptotics.theory.rules.condense import condensed
from ndcg_asymptotics.theory.rules.counts import CountLaw, gauss_rule, nodes_for
from ndcg_asymptotics.theory.rules.ideal import Sums

_MOST_POINTS = 20_000  # of a rule
_FURTHER_NODES = 2  # of a rule for the number of items with a gain
_EVERY_COUNT = 20_000  # number of possible counts up to which all of them are nodes
_LEVELS = (1, 2, 3, 4, 5, 6, 8, 10, 13, 17, 22, 28, 36, 46)  # nodes of the Gauss rules of a split
_CHANCE = 1e-3  # a level's change of the mean is taken to be at least this part of the change before
_NEGLIGIBLE = 1e-17  # of all weights
_MOST_MOMENTS = 60  # that a condensed rule keeps

Level = tuple[int, ...]
Nodes = tuple[Floats, Floats]


@dataclass(frozen=True)
class CountRule:
    """Nodes for a mean over the counts of a list with at least one item of gain.

    Attributes
    ----------
    counts : (C, J + 1)
    weights : (C,)
        They add up to ``1 - none``.
    ideal : (C,)
        IDCG.
    none : float
        The probability that no item has a gain.
    """

    counts: Floats
    weights: Floats
    ideal: Floats
    none: float

    @classmethod
    def of(cls, law: Floats, gains: Floats, sums: Sums, n: int, tolerance: float) -> CountRule:
        """Return the rule for lists of n items with the label law ``law``, whose last grade has no gain."""
        some = min(float(law[:-1].sum()), 1.0)
        steps = gains - np.append(gains[1:], 0.0)

        def ideal(counts: Floats) -> Floats:
            return np.asarray(sums(np.cumsum(counts[:, :-1], axis=1)) @ steps)

        first = _number_with_gain(n, some, tolerance)
        if len(gains) == 1:
            counts, weights = np.column_stack([first[0], n - first[0]]), first[1]
        else:
            # then the best grade, of few items, is split from many
            order = (len(gains), *range(1, len(gains)))
            counts, weights = smooth_rule(n, law, order, first, lambda c: ideal(c) ** -2.0, tolerance)
        none = math.exp(n * math.log1p(-some)) if some < 1 else 0.0
        weights = weights * ((1 - none) / weights.sum())
        return cls(counts, weights, ideal(counts), none)

    def few(self, law: Floats, n: int, effort: Effort) -> tuple[Floats, Floats]:
        """Return few nodes for ``E[f / IDCG^2]``, f a polynomial in the counts as parts of n.

        They are exact to about ``effort.digits`` for an f that changes by its own size over n items.
        """
        degree = effort.degree(law, n, effort.digits, _MOST_MOMENTS)
        if self.counts.shape[1] == 2:
            few = effort.nodes(degree, n * float(law.min()))
            if len(self.counts) <= few:
                return self.counts, self.weights / self.ideal**2
            first, weights = gauss_rule(self.counts[:, 0], self.weights / self.ideal**2, few)
            return np.column_stack([first, n - first]), weights
        columns = (self.weights / self.ideal**2)[:, None]
        counts, weights = condensed(self.counts, columns, degree)
        return counts, weights[:, 0]


def _number_with_gain(n: int, some: float, tolerance: float) -> Nodes:
    """Return a rule for the number of items with a gain, of which there is at least one."""
    law = CountLaw(n, some, least=1)
    return law.nodes(_FURTHER_NODES + nodes_for(1 / max(law.rarer, 1.0), tolerance))


def smooth_rule(
    total: int,
    law: Floats,
    order: Sequence[int],
    first: Nodes,
    function: Callable[[Floats], Floats],
    tolerance: float,
) -> Nodes:
    """Return counts (C, J + 1) and weights (C,) for the mean of ``function`` over multinomial counts.

    The counts are real numbers, and some weights may be negative. Where 20,000 points are not enough it is
    the best rule that was found with them.

    Parameters
    ----------
    total : int
        The number of items.
    law : (J + 1,)
        The probabilities of the grades.
    order : positions
        Where the grades are split, first to last: position s separates the grades before s from the others.
    first : nodes and weights
        A rule for the first split: the number of items on its left.
    function : counts (C, J + 1) -> (C,)
    tolerance : float
        The relative error of the mean.
    """
    splits = _Splits(float(total), law, tuple(order), first)
    if 0 < total < _LEVELS[-1] and math.comb(total + len(order), total) <= _EVERY_COUNT:
        return splits.rule((len(_LEVELS) - 1,) * len(order))
    return _Search(splits, function).rule(tolerance)


@dataclass(frozen=True)
class _Parts:
    """Weights, and the sizes of the parts into which the grades are split so far: (from, to) -> (C,)."""

    weights: Floats
    sizes: dict[tuple[int, int], Floats]
    complete: bool
    """Whether more nodes at the last split would make the same rule."""


class _Splits:
    """The rules that follow from a number of nodes for each split of the grades."""

    def __init__(self, total: float, law: Floats, order: tuple[int, ...], first: Nodes) -> None:
        self.law, self.order, self.first = law, order, first
        whole = _Parts(np.ones(1), {(0, len(law)): np.array([total])}, complete=False)
        self._made: dict[Level, _Parts] = {(): whole}

    def rule(self, level: Level) -> Nodes:
        """Return the product of the Gauss rules of the given levels, one for each split."""
        parts = self.parts(level)
        return np.column_stack([parts.sizes[i, i + 1] for i in range(len(self.law))]), parts.weights

    def size(self, level: Level) -> int:
        """Return the number of nodes of that rule."""
        return self.parts(level).weights.size

    def parts(self, level: Level) -> _Parts:
        """Return the grades as far as they are split: every node of one split is the total of the next."""
        if level not in self._made:
            self._made[level] = self._split(self.parts(level[:-1]), len(level) - 1, level[-1])
        return self._made[level]

    def _split(self, parts: _Parts, split: int, level: int) -> _Parts:
        position, count = self.order[split], _LEVELS[level]
        first, last = next(part for part in parts.sizes if part[0] < position < part[1])
        whole = parts.sizes[first, last]
        if split == 0:
            (nodes, weights), complete = (x[None] for x in self.first), True
        else:
            above, both = float(self.law[first:position].sum()), float(self.law[first:last].sum())
            probability = min(above / both, 1.0) if both > 0 else 0.0
            shift, weights = gauss_rules(whole, probability, count)
            nodes = whole[:, None] * probability + shift
            complete = probability in (0.0, 1.0) or count == _LEVELS[-1] or bool(np.all(whole < count))
        weights = parts.weights[:, None] * weights
        row, column = np.nonzero(weights > _NEGLIGIBLE * weights.sum())
        sizes = {part: counts[row] for part, counts in parts.sizes.items() if part != (first, last)}
        sizes[first, position] = nodes[row, column]
        sizes[position, last] = whole[row] - nodes[row, column]
        return _Parts(weights[row, column], sizes, complete)


class _Search:
    """A search for the levels that the mean of a function needs."""

    def __init__(self, splits: _Splits, function: Callable[[Floats], Floats]) -> None:
        self.splits, self.function = splits, function
        self.values: dict[Level, float] = {}
        self.changes: dict[Level, float] = {}

    def rule(self, tolerance: float) -> Nodes:
        dimensions = range(len(self.splits.order))
        origin = (0,) * len(dimensions)
        active, old, checked = {origin: self._add(origin)}, set[Level](), 1
        while sum(active.values()) > tolerance * abs(math.fsum(self.changes.values())):
            level = max(active, key=active.__getitem__)
            before = active.pop(level)
            old.add(level)
            for i in dimensions:
                following = _moved(level, i, 1)
                behind = {_moved(following, j, -1) for j in dimensions if following[j]}
                if behind <= old and not self.splits.parts(level[: i + 1]).complete:
                    # a small change along one split may be chance
                    alone = sum(map(bool, following)) == 1 and level != origin
                    active[following] = max(self._add(following), _CHANCE * before if alone else 0.0)
            if len(self.changes) > 1.2 * checked:
                checked = len(self.changes)
                if self._points(_combination(self.changes)) > _MOST_POINTS:
                    break
        return self._combined()

    def _add(self, level: Level) -> float:
        """Return by how much a level changes the mean beyond the changes of the levels before it."""
        counts, weights = self.splits.rule(level)
        self.values[level] = float(weights @ self.function(counts))
        corners = itertools.product(*((0, 1) if i else (0,) for i in level))
        self.changes[level] = math.fsum(
            (-1) ** sum(corner) * self.values[tuple(i - j for i, j in zip(level, corner, strict=True))]
            for corner in corners
        )  # the mixed difference of the means over the neighbours, as in the combination technique
        return abs(self.changes[level])

    def _combined(self) -> Nodes:
        """Return the combination of all levels, or the product of their largest rules if that is smaller."""
        combination = _combination(self.changes)
        highest = tuple(max(column) for column in zip(*self.changes, strict=True))
        size = math.prod(_LEVELS[i] for i in highest)
        if size <= _MOST_POINTS and self.splits.size(highest) <= self._points(combination):
            combination = {highest: 1}
        rules = [(times, *self.splits.rule(level)) for level, times in combination.items()]
        return (
            np.concatenate([counts for _, counts, _ in rules]),
            np.concatenate([times * weights for times, _, weights in rules]),
        )

    def _points(self, combination: dict[Level, int]) -> int:
        return sum(map(self.splits.size, combination))


def _moved(level: Level, split: int, by: int) -> Level:
    return (*level[:split], level[split] + by, *level[split + 1 :])


def _combination(levels: Iterable[Level]) -> dict[Level, int]:
    """Return the coefficient of each level in the combination technique."""
    times = dict.fromkeys(sorted(levels), 1)
    for split in range(len(next(iter(times)))):
        for level in times:  # later ones are still as they were
            times[level] -= times.get(_moved(level, split, 1), 0)
    return {level: count for level, count in times.items() if count}
