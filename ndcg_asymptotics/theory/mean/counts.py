"""Rules for means over the label counts of a list: few nodes, for functions that are smooth in the counts.

Grades are split apart one after another, ``C ~ Binomial(total, share)`` at each split, and each binomial
law is replaced by its Gauss rule (zeros of Krawtchouk polynomials). A rule of K nodes for every split
would need K^J of them. So nodes are added where they still change the mean, at one split or at several
together (Gerstner and Griebel 2003), and the rules found are added up by the combination technique
(Griebel, Schneider, Zenger 1992).
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from ndcg_asymptotics.core.arrays import Floats

MOST = 20_000  # points of a rule
_ALL = 20_000  # possible counts that are simply all taken
_LEVELS = (1, 2, 3, 4, 5, 6, 8, 10, 13, 17, 22, 28, 36, 46)  # nodes of the rules that a split may have
_AHEAD = 6  # levels of a single split that are asked for together: a call takes longer than its few nodes
_CHANCE = 1e-3  # a level may change the mean less than this part of the one before by chance
_NEGLIGIBLE = 1e-17  # part of all weights

Level = tuple[int, ...]
Nodes = tuple[Floats, Floats]


@dataclass(frozen=True)
class Rule:
    """Nodes and weights of a mean over label counts.

    Attributes
    ----------
    counts : (C, J + 1)
        Real numbers, the last grade being the one without gain.
    weights : (C,)
        Some may be negative.
    missed : float
        What the mean of the function may still lack.
    """

    counts: Floats
    weights: Floats
    missed: float = 0.0


def gauss(size: Floats, probability: float, count: int) -> tuple[Floats, Floats]:
    """The Gauss rules of Binomial(size, probability) for several sizes, real numbers: (sizes, count) each.

    Where a size is below ``count - 1`` it is a whole number and the rule is the law itself, with nodes of
    weight 0 added.
    """
    if probability <= 0 or probability >= 1 or count == 1:
        mean = np.repeat(size[:, None] * min(max(probability, 0.0), 1.0), count, axis=1)
        return mean, np.eye(count)[np.zeros(len(size), int)]
    k = np.arange(float(count))
    matrix = np.zeros((len(size), count, count))
    inside = k[1:] * probability * (1 - probability) * np.maximum(size[:, None] - k[1:] + 1, 0.0)
    i = np.arange(count)
    matrix[:, i, i] = k * (1 - 2 * probability)  # about the mean
    matrix[:, i[1:], i[:-1]] = np.sqrt(inside)
    shift, vectors = np.linalg.eigh(matrix)
    return size[:, None] * probability + shift, vectors[:, 0, :] ** 2


def smooth_rule(
    total: int, law: Floats, order: Sequence[int], function: Callable[[Floats], Floats], tolerance: float,
    head: Nodes | None = None,
) -> Rule:  # fmt: skip
    """A rule for the multinomial counts of ``total`` items, for a relative error of the mean of ``function``.

    Where `MOST` points do not suffice it is the best that was found with them.

    Parameters
    ----------
    total : int
    law : (J + 1,)
        The probabilities of the grades.
    order : positions
        Where the grades are split, first to last: position s parts the grades before s from the others.
    function : counts (C, J + 1) -> (C,)
    tolerance : float
    head : nodes and weights, optional
        A rule for the first split that is given.
    """
    one = len(order) == 1 and head is None
    splits = two_parts(total, *law.tolist()) if one else _Splits(float(total), law, tuple(order), head)
    if 0 < total < _LEVELS[-1] and math.comb(total + len(order), total) <= _ALL:
        return splits.rule((len(_LEVELS) - 1,) * len(order))
    return _Search(splits, function).rule(tolerance)


@dataclass(frozen=True)
class _Parts:
    """Weights, and the sizes of the parts into which the grades are split so far: (first, last) -> (C,)."""

    weights: Floats
    sizes: dict[tuple[int, int], Floats]
    complete: bool
    """More nodes at the last split would make the same rule."""


class _Splits:
    """How the grades are split, and the rules that follow from a number of nodes for each split."""

    def __init__(self, total: float, law: Floats, order: tuple[int, ...], head: Nodes | None) -> None:
        self.law, self.order, self.head = law, order, head
        whole = _Parts(np.ones(1), {(0, len(law)): np.array([total])}, complete=False)
        self._made: dict[Level, _Parts] = {(): whole}

    def rule(self, level: Level) -> Rule:
        """The product of so many nodes at each split."""
        parts = self.parts(level)
        return Rule(np.column_stack([parts.sizes[i, i + 1] for i in range(len(self.law))]), parts.weights)

    def size(self, level: Level) -> int:
        """The nodes of that rule."""
        return self.parts(level).weights.size

    def parts(self, level: Level) -> _Parts:
        """What is split so far: every node of one split is the total of the next."""
        if level not in self._made:
            self._made[level] = self._split(self.parts(level[:-1]), len(level) - 1, level[-1])
        return self._made[level]

    def _split(self, parts: _Parts, split: int, level: int) -> _Parts:
        position, count = self.order[split], _LEVELS[level]
        first, last = next(part for part in parts.sizes if part[0] < position < part[1])
        whole = parts.sizes[first, last]
        if split == 0 and self.head is not None:
            (nodes, weights), complete = (x[None] for x in self.head), True
        else:
            above, both = float(self.law[first:position].sum()), float(self.law[first:last].sum())
            probability = min(above / both, 1.0) if both > 0 else 0.0
            nodes, weights = gauss(whole, probability, count)
            complete = probability in (0.0, 1.0) or count == _LEVELS[-1] or bool(np.all(whole < count))
        weights = parts.weights[:, None] * weights
        row, column = np.nonzero(weights > _NEGLIGIBLE * weights.sum())
        sizes = {part: counts[row] for part, counts in parts.sizes.items() if part != (first, last)}
        sizes[first, position] = nodes[row, column]
        sizes[position, last] = whole[row] - nodes[row, column]
        return _Parts(weights[row, column], sizes, complete)


@lru_cache(maxsize=256)
def two_parts(total: int, *law: float) -> _Splits:
    """Of one grade: small, and every measure asks for it."""
    return _Splits(float(total), np.array(law), (1,), None)


class _Search:
    """Levels, and how much each changes the mean of a function."""

    def __init__(self, splits: _Splits, function: Callable[[Floats], Floats]) -> None:
        self.splits, self.function = splits, function
        self.values: dict[Level, float] = {}
        self.changes: dict[Level, float] = {}
        if len(splits.order) == 1 and splits.head is None:
            self._ask([(i,) for i in range(_AHEAD)])

    def _ask(self, levels: Sequence[Level]) -> None:
        """The mean of the function by the rules of several levels at once."""
        rules = [self.splits.rule(level) for level in levels]
        found = self.function(np.concatenate([rule.counts for rule in rules]))
        ends = np.cumsum([rule.weights.size for rule in rules])
        for level, rule, values in zip(levels, rules, np.split(found, ends[:-1]), strict=True):
            self.values[level] = float(rule.weights @ values)

    def rule(self, tolerance: float) -> Rule:
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
                if self._points(_combination(self.changes)) > MOST:
                    break
        return self._combined(sum(active.values()))

    def _add(self, level: Level) -> float:
        """How much a level changes the mean beyond what the levels before it do."""
        if level not in self.values:
            self._ask([level])
        corners = itertools.product(*((0, 1) if i else (0,) for i in level))
        self.changes[level] = math.fsum(
            (-1) ** sum(corner) * self.values[tuple(i - j for i, j in zip(level, corner, strict=True))]
            for corner in corners
        )
        return abs(self.changes[level])

    def _combined(self, missed: float) -> Rule:
        """The rules of all levels together, or the one with most nodes at each split if it is smaller."""
        combination = _combination(self.changes)
        highest = tuple(max(column) for column in zip(*self.changes, strict=True))
        size = math.prod(_LEVELS[i] for i in highest)
        if size <= MOST and self.splits.size(highest) <= self._points(combination):
            combination = {highest: 1}
        rules = [(times, self.splits.rule(level)) for level, times in combination.items()]
        return Rule(
            np.concatenate([rule.counts for _, rule in rules]),
            np.concatenate([times * rule.weights for times, rule in rules]),
            missed,
        )

    def _points(self, combination: dict[Level, int]) -> int:
        return sum(map(self.splits.size, combination))


def _moved(level: Level, split: int, by: int) -> Level:
    return (*level[:split], level[split] + by, *level[split + 1 :])


def _combination(levels: Iterable[Level]) -> dict[Level, int]:
    """How often the rule of each level counts."""
    times = dict.fromkeys(sorted(levels), 1)
    for split in range(len(next(iter(times)))):
        for level in times:  # later ones are still as they were
            times[level] -= times.get(_moved(level, split, 1), 0)
    return {level: count for level, count in times.items() if count}
