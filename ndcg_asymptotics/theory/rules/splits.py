"""Items that are distributed over grades: rules of few nodes for means over the counts of the grades.

Grades are split off one after another, ``C ~ Binomial(rest, share)`` at each split, and each binomial law is
replaced by its Gauss rule (zeros of Krawtchouk polynomials), as functions of label counts are smooth but for
kinks in the number that is distributed. A rare grade needs more nodes than one of many items.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ndcg_asymptotics.core.arrays import Floats
from ndcg_asymptotics.theory.rules.binomial import gauss_rules
from ndcg_asymptotics.theory.rules.counts import nodes_for

_FEWEST, _MOST = 2, 25  # nodes with which one grade is split off
_MULTIPLIED = 5  # splits up to which rules are multiplied; products for more have too many nodes


def nodes_of_splits(points: float, splits: int) -> int:
    """Return with how many nodes each of some grades may be split off for a rule of so many points.

    >>> nodes_of_splits(150, 2)
    12
    """
    each = points ** (1 / max(splits, 1)) if splits <= _MULTIPLIED else points / (2 * splits)
    return max(min(int(each), _MOST), _FEWEST)


def distributed(sizes: Floats, law: Floats, most: int, digits: float = 0.0) -> tuple[Floats, Floats]:
    """Distribute items over grades: counts (C, M, grades) that add up to the sizes (C,), and weights (C, M).

    Of more than five splits each has its nodes while the items of the others are at their means, which is
    exact for sums of functions of one split each; where ``most`` allows it, two nodes of each are multiplied.

    Parameters
    ----------
    sizes : (C,)
        Numbers of items, also between whole numbers.
    law : (grades,)
        Probabilities of the grades, which need not add up to 1.
    most : int
        The largest number of nodes of one split.
    digits : float
        The relative error, if that takes fewer nodes, for functions that change by their own size over the
        items of a grade.

    >>> counts, weights = distributed(np.array([10.0]), np.array([0.2, 0.2, 0.1]), 3)
    >>> (weights[0] @ counts[0]).round(12)
    array([4., 4., 2.])
    """
    splits = law.size - 1
    rests = np.maximum(np.cumsum(law[::-1])[::-1], 1e-300)
    shares = np.minimum(law / rests, 1.0)
    means = law / rests[0] * float(sizes.mean()) if sizes.size else law
    # a function changes over 1 + m items, as a discount does with the rank
    variation = means * (1 - shares) / (1 + means) ** 2
    ways = [max(min(nodes_for(float(v), digits), most), _FEWEST) for v in variation[:-1]]
    if splits <= _MULTIPLIED:
        return _product(sizes, shares, ways)
    rules = []
    for several, sign in _combination(ways, most):
        counts, weights = _product(sizes, shares, several)
        rules.append((counts, sign * weights))
    counts, weights = (np.concatenate(part, axis=1) for part in zip(*rules, strict=True))
    return counts, weights


def _combination(ways: Sequence[int], most: int) -> list[tuple[list[int], int]]:
    """Return the nodes of each split in rules of few nodes, and their signs, which add up to 1.

    Q_i has the nodes of split i and one of each other, Q_0 one of every split: ``sum_i Q_i - (s - 1) Q_0`` of
    s splits. A product P of rules of two nodes, P_i of which is that of split i, has what several splits
    change together: ``P + sum_i (Q_i - P_i)``, where P has at most twice the nodes that all Q_i may have.
    """
    splits = len(ways)

    def alone(split: int, count: int) -> list[int]:
        return [count if i == split else 1 for i in range(splits)]

    found = [(alone(i, count), 1) for i, count in enumerate(ways)]
    if _FEWEST**splits > 2 * splits * most:
        return [([1] * splits, 1 - splits), *found]
    return [([_FEWEST] * splits, 1), *found, *((alone(i, _FEWEST), -1) for i in range(splits))]


def _product(sizes: Floats, shares: Floats, ways: Sequence[int]) -> tuple[Floats, Floats]:
    """Return the products of Gauss rules; ``shares`` are those of each grade among it and the following."""
    left, weights = sizes[:, None], np.ones((sizes.size, 1))
    counts: list[Floats] = []
    for p, count in zip(shares.tolist(), ways, strict=False):
        shift, chances = gauss_rules(left.ravel(), p, count)
        # nodes of weight 0 may lie below 0, where functions of counts are infinite
        nodes = left.ravel()[:, None] * p + np.where(chances > 1e-28, shift, 0.0)
        counts = [np.repeat(x, count, axis=1) for x in counts]
        weights = np.repeat(weights, count, axis=1)
        weights = weights * chances.reshape(weights.shape)
        counts.append(nodes.reshape(weights.shape))
        left = np.repeat(left, count, axis=1) - counts[-1]
    return np.stack([*counts, left], axis=2), weights
