"""The joint law of the labels at the first ranks of a list and of its label counts, by integrals over depths.

The depths of the first k of n i.i.d. items have the density ``n!/(n-k)! (1 - t_k)^(n-k)`` on t_1 < … < t_k,
labels are independent given the depths, and the labels of the n - k items below t_k are multinomial. The
integrals over t_1, …, t_{k-1} are running ones of polynomials through Gauss nodes, on panels that shrink
towards both ends.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence

import numpy as np
from numpy.polynomial import legendre
from scipy.special import gammaln, xlogy

Chances = Callable[[np.ndarray], np.ndarray]
"""The probabilities of the kinds of labels, (J, …), at depths; irrelevant items are the last kind."""

_NODES, _WEIGHTS = legendre.leggauss(12)
_VANDERMONDE = legendre.legvander(_NODES, 11)
_RUNNING = np.array(
    [legendre.legval(_NODES, legendre.legint(row, lbnd=-1)) for row in np.eye(12)]
).T @ np.linalg.inv(_VANDERMONDE)


def law(
    chances: Chances, n: int, k: int, counts: np.ndarray, breaks: Sequence[float] = ()
) -> tuple[np.ndarray, np.ndarray]:
    """All sequences of kinds at the first k ranks, (S, k), and their probabilities with each count, (S, C).

    ``counts`` (C, J) are numbers of items of each kind, adding up to n.
    """
    near = np.geomspace(1e-9 / n, 0.5, 12 * len(str(n)) + 60)
    edges = np.unique([0.0, *near, *(1 - near), *breaks, 1.0])
    half = np.diff(edges)[:, None] / 2
    t = edges[:-1, None] + half * (1 + _NODES)
    dt = half * _WEIGHTS

    def running(f: np.ndarray) -> np.ndarray:
        """The integral from 0 to each node."""
        before = np.cumsum((f * dt).sum(axis=1))[:-1]
        return np.append(0.0, before)[:, None] + half * (f @ _RUNNING.T)

    of_kind = chances(t)
    whole = [(f * dt).sum() for f in of_kind]
    below = np.array([np.maximum(p - running(f), 0.0) for p, f in zip(whole, of_kind, strict=True)])
    found = {(j,): f for j, f in enumerate(of_kind)}
    for _ in range(k - 1):
        inner = {kinds: running(f) for kinds, f in found.items()}
        found = {(*kinds, j): f * of_kind[j] for kinds, f in inner.items() for j in range(len(of_kind))}
    sequences = np.array(list(found))
    out = np.empty((len(sequences), len(counts)))
    above = np.array([np.bincount(kinds, minlength=len(of_kind)) for kinds in sequences])
    for kinds in np.unique(above, axis=0):
        rest = counts - kinds
        possible = (rest >= 0).all(axis=1)
        rest = np.maximum(rest, 0)
        logs = sum(xlogy(rest[:, j], below[j].ravel()[:, None]) for j in range(len(of_kind)))
        chance = np.exp(gammaln(n + 1) - gammaln(rest + 1).sum(axis=1) + logs) * possible
        for s in np.flatnonzero((above == kinds).all(axis=1)):
            out[s] = (found[tuple(sequences[s])] * dt).ravel() @ chance
    return sequences, out


def every_count(n: int, kinds: int) -> np.ndarray:
    """All numbers of items of each kind that add up to n."""
    free = itertools.product(range(n + 1), repeat=kinds - 1)
    return np.array([(*some, n - sum(some)) for some in free if sum(some) <= n])


def sequences(
    curves: Sequence[Chances], n: int, breaks: Sequence[float] = ()
) -> tuple[np.ndarray, np.ndarray]:
    """All sequences of labels of a list, (S, n), as places among the curves, and their probabilities.

    A curve is P(label | depth); what is left is the probability of the last kind, the irrelevant items.
    """

    def chances(t: np.ndarray) -> np.ndarray:
        of_label = [curve(t) for curve in curves]
        return np.array([*of_label, 1 - sum(of_label)])

    kinds, found = law(chances, n, n, every_count(n, len(curves) + 1), breaks)
    return kinds, found.sum(axis=1)


def binary(curve: Chances) -> Chances:
    """The probabilities of the two kinds of labels of a curve P(Y = 1 | depth)."""
    return lambda t: np.array([curve(t), 1 - curve(t)])


def not_greater(
    a: Chances, b: Chances, n: int, weights: np.ndarray, p: float, breaks: Sequence[float] = ()
) -> float:
    """P(DCG of a <= DCG of b) of binary labels at n, the scorers independent given the labels.

    In long lists every so many counts stand for those between them, as their law is nearly normal.
    """
    spread = 9 * np.sqrt(n * p * (1 - p)) + 9
    least, most = np.clip(np.rint([n * p - spread, n * p + spread]), 0, n).astype(int)
    relevant = np.arange(least, most + 1, (most - least) // 180 + 1)
    counts = np.column_stack([relevant, n - relevant])
    (sequences, of_a), (_, of_b) = (law(chances, n, len(weights), counts, breaks) for chances in (a, b))
    of_count = np.exp(
        gammaln(n + 1) - gammaln(counts + 1).sum(axis=1) + xlogy(relevant, p) + xlogy(n - relevant, 1 - p)
    )
    dcg = (1 - sequences) @ weights
    wrong = dcg[:, None] <= dcg + 1e-12
    given = np.einsum("sc,st,tc->c", of_a, wrong, of_b)
    likely = of_count > 0
    return float((given[likely] / of_count[likely]).sum() / of_count.sum())
