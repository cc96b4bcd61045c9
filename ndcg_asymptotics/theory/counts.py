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

Floats = NDArray[np.float64]

_RARE = 24.0  # labels expected fewer times than this are summed over
_RARE_TOTAL = 64.0  # the same, for a total that is to be divided further
_TAIL = 1e-14  # probability, relative to the mode's, below which a count is left out
_ACCURACY = 1e-10
_MOST = 20  # nodes of a Gauss rule
_FEW = 7  # the same, for a gentle function


def binomial_rule(
    size: float, probability: float, rare: float = _RARE, extra: int = 0, gentle: bool = False
) -> tuple[Floats, Floats]:
    """Nodes and weights for the mean of f(X), X ~ Binomial(size, probability).

    ``size`` may be real: the law's moments are polynomials in it. With mean a = size * probability
    the Gauss rule of K nodes leaves about ``K! ((1-p)/a)^K`` of a function that varies on the
    scale of X itself (a power, a logarithm); K is taken to make this 1e-14. Of a ``gentle``
    function, one that varies on a much larger scale, a few nodes take the mean whatever a is.
    """
    if probability <= 0 or probability >= 1 or size <= 0:
        return np.array([size if probability >= 1 else 0.0]), np.ones(1)
    mean = size * probability
    if gentle:
        return _gauss(size, probability, min(_FEW + extra, int(size) + 1))
    if mean > rare:
        count, left = 1, (1 - probability) / mean
        while left > _ACCURACY and count < mean:
            count += 1
            left *= count * (1 - probability) / mean
        return _gauss(size, probability, min(count + 1 + extra, int(size) + 1))
    last = math.ceil(mean + 8 * math.sqrt(mean) + 16)
    if last < size or size == int(size):
        return _mass(size, probability, int(min(last, size)))
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
    size: float, probabilities: Floats, extra: int = 0, whole: bool = False, gentle: bool = False
) -> tuple[Floats, Floats]:
    """Nodes (N, J+1) and weights (N,) for the mean over label counts.

    Parameters
    ----------
    size : float
        The number of items.
    probabilities : (J + 1,)
        The label law; the last label is the one without gain.
    extra : int
        Nodes added to every Gauss rule, to see what its error is.
    whole : bool
        Sum over the counts of every label, however common (``size`` must be whole).
    gentle : bool
        The function varies on a much larger scale than these counts.

    The number of items with a positive gain comes first, then how they divide: a ratio of gains
    is smooth in those.
    """
    positive = float(probabilities[:-1].sum())
    rare = math.inf if whole else _RARE if probabilities.size == 2 else _RARE_TOTAL
    totals, weights = binomial_rule(size, min(positive, 1.0), rare, extra, gentle)
    counts = np.zeros((totals.size, probabilities.size))
    counts[:, -1] = size - totals
    left, share = totals, positive
    for j in range(probabilities.size - 2):
        here = float(probabilities[j]) / share if share > 0 else 0.0
        rules = [binomial_rule(m, here, rare if whole else _RARE, extra, gentle) for m in left]
        repeats = [nodes.size for nodes, _ in rules]
        drawn = np.concatenate([nodes for nodes, _ in rules])
        weights = np.repeat(weights, repeats) * np.concatenate([w for _, w in rules])
        counts, left = np.repeat(counts, repeats, axis=0), np.repeat(left, repeats) - drawn
        counts[:, j] = drawn
        share -= float(probabilities[j])
        kept = weights > _TAIL * weights.max()
        counts, left, weights = counts[kept], left[kept], weights[kept]
    counts[:, -2] = left
    return counts, weights


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
