"""Means over label counts: quadrature for functions of binomial and multinomial counts.

Counts of a common label are replaced by the Gauss rule of their binomial law (the zeros of
Krawtchouk polynomials), which takes a smooth function's mean to rounding with a handful of nodes;
counts of a rare label are summed one by one.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigh_tridiagonal

from ndcg_asymptotics.arrays import Floats

_RARE = 32.0  # labels expected fewer times than this are summed over
_TAIL = 1e-14  # probability, relative to the mode's, below which a count is left out
_ACCURACY = 1e-11
_MOST = 20  # nodes of a Gauss rule for a law that cannot be summed


def binomial_rule(size: float, probability: float, scale: float = 0.0) -> tuple[Floats, Floats]:
    """Nodes and weights for the mean of f(X), X ~ Binomial(size, probability).

    ``size`` may be real: the law's moments are polynomials in it. For a function that varies on
    the scale s (a power or a logarithm of X: its mean) the Gauss rule of K nodes leaves about
    ``K! (Var X / s^2)^K``; K is taken to make this 1e-11. Where no K does, X is summed over.

    Parameters
    ----------
    size : float
    probability : float
    scale : float
        Of f, if it is larger than the mean of X.
    """
    if probability <= 0 or probability >= 1 or size <= 0:
        return np.array([size if probability >= 1 else 0.0]), np.ones(1)
    mean = size * probability
    alike = mean * max(1.0, scale / mean) ** 2  # a mean that would vary as little on its own scale
    if alike > _RARE:
        count, left = 1, (1 - probability) / alike
        while left > _ACCURACY and count < alike:
            count += 1
            left *= count * (1 - probability) / alike
        if count < int(size):
            return _gauss(size, probability, count + 1)
    last = math.ceil(mean + 8 * math.sqrt(mean) + 16)
    if size == int(size) or last < size or probability ** int(size) < _TAIL:
        return _mass(size, probability, min(last, int(size)))
    return _gauss(size, probability, min(_MOST, int(size) + 1))


def _mass(size: float, probability: float, last: int) -> tuple[Floats, Floats]:
    """The probability mass function at 0 … last, where it is not negligible."""
    x = np.arange(last + 1.0)
    steps = np.log((size - x[:-1]) / (x[:-1] + 1) * (probability / (1 - probability)))
    weights = np.exp(np.concatenate(([0.0], np.cumsum(steps))) + size * math.log1p(-probability))
    kept = weights > _TAIL * weights.max()
    return x[kept], weights[kept] / weights.sum()


def _gauss(size: float, probability: float, count: int) -> tuple[Floats, Floats]:
    """The Gauss rule of the binomial law, from the recurrence of Krawtchouk polynomials."""
    k = np.arange(float(count))
    diagonal = k * (1 - 2 * probability)  # about the mean
    beside = np.sqrt(k[1:] * probability * (1 - probability) * (size - k[1:] + 1))
    shift, vectors = eigh_tridiagonal(diagonal, beside)
    return np.asarray(size * probability + shift), np.asarray(vectors[0] ** 2)


def multinomial_rule(
    size: float, probabilities: Floats, scales: Floats | None = None
) -> tuple[Floats, Floats]:
    """Nodes (N, labels) and weights (N,) for the mean over label counts.

    Parameters
    ----------
    size : float
        The number of items.
    probabilities : (labels,)
    scales : (labels,), optional
        On which the function varies with each count, where they are larger than its mean.
    """
    none = np.zeros_like(probabilities)
    counts, weights, _ = divide(np.array([size]), probabilities, none if scales is None else scales)
    return counts, weights


def divide(totals: Floats, probabilities: Floats, scales: Floats) -> tuple[Floats, Floats, NDArray[np.int64]]:
    """How each of some totals divides among labels, the rarest first: only whole totals can be summed over.

    Returns
    -------
    counts : (N, labels)
    weights : (N,)
        Of each division, given its total.
    parent : (N,)
        The index of its total.
    """
    parent, weights, left = np.arange(totals.size), np.ones(totals.size), totals
    counts = np.zeros((totals.size, probabilities.size))
    *rarer, commonest = np.argsort(probabilities)
    share = float(probabilities.sum())
    for label in rarer:
        here = float(probabilities[label]) / share if share > 0 else 0.0
        rules = [binomial_rule(m, here, float(scales[label])) for m in left]
        rows = np.repeat(np.arange(left.size), [nodes.size for nodes, _ in rules])
        drawn = np.concatenate([nodes for nodes, _ in rules])
        weights = weights[rows] * np.concatenate([weight for _, weight in rules])
        kept = weights > _TAIL * weights.max()
        rows, drawn, weights = rows[kept], drawn[kept], weights[kept]
        counts, left, parent = counts[rows], left[rows] - drawn, parent[rows]
        counts[:, label] = drawn
        share -= float(probabilities[label])
    counts[:, commonest] = left
    return counts, weights, parent


def binomial_lattice(size: int, probability: float, spacing: int, phase: int = 0) -> tuple[Floats, Floats]:
    """Whole numbers ``phase`` modulo ``spacing`` and Binomial(size, probability) on them.

    With spacing 1 this is the probability mass function, within 9 standard deviations; else its
    Stirling form (relative error 1/(12 mean), in shape much less), normalised on the lattice.
    """
    low, high = lattice_window(size, probability)
    if low == high:
        return np.array([float(low)]), np.ones(1)
    first = low + (phase - low) % spacing
    x = np.arange(first, max(high, first) + 1, spacing, dtype=np.float64)
    if spacing == 1:
        odds = probability / (1 - probability)
        logs = np.concatenate(([0.0], np.cumsum(np.log((size - x[:-1]) / (x[:-1] + 1) * odds))))
    else:
        mean, other = size * probability, size * (1 - probability)
        up, down = (x - mean) / mean, (mean - x) / other
        logs = -mean * _deviance(up) - other * _deviance(down) - (np.log1p(up) + np.log1p(down)) / 2
    weights = np.exp(logs - logs.max())
    return x, weights / weights.sum()


def lattice_window(size: int, probability: float) -> tuple[int, int]:
    """Where Binomial(size, probability) is, to about 1e-17."""
    if probability <= 0 or probability >= 1:
        return (size, size) if probability >= 1 else (0, 0)
    mean, sd = size * probability, math.sqrt(size * probability * (1 - probability))
    return max(0, math.floor(mean - 9 * sd - 16)), min(size, math.ceil(mean + 9 * sd + 16))


def _deviance(x: Floats) -> Floats:
    """(1 + x) log(1 + x) - x."""
    return (1 + x) * np.log1p(x) - x
