"""Exact means and standard deviations of NDCG for curves that are constant on pieces of depth.

Nothing here is shared with the package. The numbers of items on the pieces are multinomial. Given them and
the label counts of a piece, its labels are exchangeable, so DCG has a mean and a variance in closed form. The
rest is a sum over the numbers and counts, piece by piece. Variances are never differences of moments: a
mixture has the mean variance plus the variance of the means, so every term is positive.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, reduce

import numpy as np

LEFT_OUT = 1e-24  # probabilities below this part of the largest


@dataclass(frozen=True)
class Pieces:
    """``P(Y = y_j | t)`` of gains y_1 > y_2 > …, constant on pieces of depth.

    Attributes
    ----------
    ends : (B,)
        The depths at which the pieces end; the last is 1.
    laws : (B, J)
        The probabilities of the gains on each.
    """

    ends: tuple[float, ...]
    laws: tuple[tuple[float, ...], ...]


Law = tuple[np.ndarray, np.ndarray]
"""Sequences of grades in rank order, as their indices, (S, n), the gain 0 last, and their probabilities."""
Table = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]
"""Counts (C, J), their probabilities, and the mean and the variance of DCG given each: (C,)."""


def given_counts(pieces: Pieces, gains: Sequence[float], discounts: np.ndarray) -> Table:
    """Return DCG given the label counts; ``discounts`` (n,) are D(1), …, D(n), 0 beyond a cutoff."""
    n, grades = discounts.size, len(gains)
    shape = (n + 1,) * grades
    states: dict[int, Table] = {0: (np.zeros((1, grades), int), np.ones(1), np.zeros(1), np.zeros(1))}
    left = 1.0
    for width, law in zip(np.diff(pieces.ends, prepend=0.0), pieces.laws, strict=True):
        share = 1.0 if law is pieces.laws[-1] else width / left
        left -= width
        found: dict[int, list[Table]] = {}
        for done, state in states.items():
            sizes = numbers(n - done, (share,)) if share < 1 else (np.array([[n - done]]), np.ones(1))
            for (size,), chance in zip(*sizes, strict=True):
                part = _joined(state, piece(gains, law, discounts[done : done + size]), chance)
                found.setdefault(done + int(size), []).append(part)
        states = {done: _collected(parts, shape) for done, parts in found.items()}
    return states[n]


def given_sequences(law: Law, gains: Sequence[float], discounts: np.ndarray) -> Table:
    """Return DCG given the label counts as `given_counts`, from the law of the label sequences."""
    grades, chance = law
    counts = np.stack([(grades == j).sum(axis=1) for j in range(len(gains))], axis=1)
    dcg = np.append(gains, 0.0)[grades] @ discounts
    return _collected([(counts, chance, dcg, np.zeros_like(dcg))], (discounts.size + 1,) * len(gains))


def piece(gains: Sequence[float], law: Sequence[float], discounts: np.ndarray) -> Table:
    """Return counts, their probabilities, means and variances of the sum of gain times discount.

    The labels of given counts are in random order, so the sum has the variance
    ``sum (D - mean D)^2 sum (y - mean y)^2 / (size - 1)``.
    """
    size = discounts.size
    counts, chance = numbers(size, tuple(law))
    if size == 0:
        return counts, chance, np.zeros(1), np.zeros(1)
    y = np.array([*gains, 0.0])
    every = np.column_stack([counts, size - counts.sum(axis=1)])
    average = every @ y / size
    spread = (every * (y - average[:, None]) ** 2).sum(axis=1)
    scatter = float(((discounts - discounts.mean()) ** 2).sum())
    return counts, chance, average * math.fsum(discounts), spread * scatter / max(size - 1, 1)


@cache
def numbers(size: int, law: tuple[float, ...]) -> tuple[np.ndarray, np.ndarray]:
    """Return the numbers (C, J) of the first J outcomes of ``size`` draws, and their probabilities."""
    p = law[0]
    ways = np.array([float(math.comb(size, i)) for i in range(size + 1)])
    i = np.arange(size + 1)
    chance = ways * np.power(p, i) * np.power(1 - p, size - i)
    (kept,) = np.nonzero(chance > LEFT_OUT * chance.max())
    if len(law) == 1:
        return kept[:, None], chance[kept]
    others = tuple(min(q / (1 - p), 1.0) if p < 1 else 0.0 for q in law[1:])
    parts = []
    for first in kept.tolist():
        rest, given = numbers(size - first, others)
        parts.append((np.column_stack([np.full(len(rest), first), rest]), chance[first] * given))
    return np.concatenate([a for a, _ in parts]), np.concatenate([b for _, b in parts])


def _joined(state: Table, below: Table, chance: float) -> Table:
    """Return the counts, probabilities, means and variances of two independent parts together."""
    (c, p, m, v), (d, q, k, w) = state, below
    together = (c[:, None] + d[None]).reshape(-1, c.shape[1])
    probability = chance * np.outer(p, q).ravel()
    return together, probability, np.add.outer(m, k).ravel(), np.add.outer(v, w).ravel()


def _collected(parts: Sequence[Table], shape: tuple[int, ...]) -> Table:
    """Return a mixture of parts, by counts."""
    counts, p, m, v = (np.concatenate(column) for column in zip(*parts, strict=True))
    kept = p > LEFT_OUT * p.max()
    counts, p, m, v = (x[kept] for x in (counts, p, m, v))
    distinct, at = np.unique(np.ravel_multi_index(tuple(counts.T), shape), return_inverse=True)
    chance = np.bincount(at, p)
    mean = np.bincount(at, p * m) / chance
    variance = np.bincount(at, p * (v + (m - mean[at]) ** 2)) / chance
    return np.column_stack(np.unravel_index(distinct, shape)), chance, mean, variance


def ideal(counts: np.ndarray, gains: Sequence[float], discounts: np.ndarray) -> np.ndarray:
    """Return the DCG of the best order of each row of counts."""
    sums = np.concatenate([[0.0], np.cumsum(discounts)])
    ends = np.cumsum(counts, axis=1)
    steps = np.array(gains) - np.append(gains[1:], 0.0)
    return sums[ends] @ steps


def moments(
    scorers: Sequence[Pieces] | Sequence[Law],
    gains: Sequence[float],
    discounts: np.ndarray,
    *,
    normalised: bool = True,
) -> tuple[float, float]:
    """Return mean and standard deviation of NDCG of one scorer, or of the difference of two.

    Two scorers are independent given the label counts. NDCG is 0 where all labels are.
    """
    tables = [
        (given_counts if isinstance(scorer, Pieces) else given_sequences)(scorer, gains, discounts)
        for scorer in scorers
    ]
    tables = _aligned(tables, discounts.size)
    counts, chance, *_ = tables[0]
    best = ideal(counts, gains, discounts) if normalised else np.ones(len(counts))
    scale = np.divide(1.0, best, out=np.zeros_like(best), where=best > 0)
    mean = scale * (tables[0][2] - (tables[1][2] if len(tables) > 1 else 0.0))
    variance = scale**2 * sum(table[3] for table in tables)
    whole = math.fsum(chance * mean)
    return whole, math.sqrt(math.fsum(chance * (variance + (mean - whole) ** 2)))


def _aligned(tables: Sequence[Table], n: int) -> list[Table]:
    """Return tables of the same label counts; what is left out are counts of negligible probability."""
    keys = [np.ravel_multi_index(tuple(table[0].T), (n + 1,) * table[0].shape[1]) for table in tables]
    common = reduce(np.intersect1d, keys)
    places = [np.searchsorted(key, common) for key in keys]  # keys are sorted
    return [tuple(x[at] for x in table) for table, at in zip(tables, places, strict=True)]
