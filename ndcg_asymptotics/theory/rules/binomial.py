"""Binomial laws: probabilities that keep their digits, orthonormal polynomials, and rules of few nodes."""

from __future__ import annotations

import itertools
import math

import numpy as np
from scipy.special import betainc, gammaln

from ndcg_asymptotics.core.arrays import Floats, Integers
from ndcg_asymptotics.core.caching import shared
from ndcg_asymptotics.theory.rules.quadrature import on_panels

# binomial laws are cut off this many standard deviations plus items from the mean, which leaves 1e-18
_DEVIATIONS, _FURTHER = 9.0, 16.0
_TAIL = 1e-16  # probability, relative to the largest, below which a number is left out
_POINTS = 20_000  # largest lattice on which a rule is computed
_MOST_NODES = 24  # of a Gauss rule beyond a number
_ACCURACY = 1e-14
_PIECE_NODES = 12
_EXHAUSTED = 1e-7  # norm of the next orthogonal polynomial below which a law has no more points
_SERIES = 0.1  # |x - mean| / (x + mean) up to which the deviance is summed as a series
_ARTANH = [
    1 / (2 * j + 1) for j in range(1, 9)
]  # coefficients of (artanh(v) / v - 1) / v^2, by powers of v^2
_STIRLING_FROM = 16.0  # four terms of Stirling's series are exact in doubles from here on


def log_binomial(x: Floats, size: Floats | float, probability: Floats | float) -> Floats:
    """Return log P(Binomial(size, probability) = x), in a form in which nothing cancels (Loader 2000).

    Between whole numbers it is the continuation by the gamma function.

    >>> log_binomial(np.array([0.0, 2.0]), 4.0, 0.5).round(12) == np.log([1 / 16, 6 / 16]).round(12)
    array([ True,  True])
    """
    size, p = np.asarray(size, float), np.asarray(probability, float)
    rest = size - x
    with np.errstate(divide="ignore", invalid="ignore"):
        inside = (
            _stirling(size) - _stirling(x) - _stirling(rest)
            - _deviance(x, size * p) - _deviance(rest, size * (1 - p))
            + 0.5 * np.log(size / (2 * math.pi * x * rest))
        )  # fmt: skip
        none = np.where(size > 0, size * np.log1p(-p), 0.0)
        every = np.where(size > 0, size * np.log(p), 0.0)
    law = np.where(x == 0, none, np.where(rest == 0, every, inside))
    certain = np.where(x == np.where(p >= 1, size, 0.0), 0.0, -math.inf)
    return np.where((p > 0) & (p < 1), law, certain)


def _stirling(x: Floats) -> Floats:
    """Return log x! less Stirling's formula."""
    near = x < _STIRLING_FROM
    y = 1 / np.maximum(x, _STIRLING_FROM) ** 2
    far = (1 / 12 - y * (1 / 360 - y * (1 / 1260 - y / 1680))) * np.sqrt(y)
    if not near.any():
        return np.asarray(far)
    few = np.minimum(x, _STIRLING_FROM)
    exact = gammaln(few + 1) - (few + 0.5) * np.log(few) + few - 0.5 * math.log(2 * math.pi)
    return np.where(near, exact, far)


def _deviance(x: Floats, mean: Floats) -> Floats:
    """Return x log(x / mean) + mean - x."""
    difference = x - mean
    v = difference / (x + mean)
    far = np.abs(v) > _SERIES
    if far.all():
        return np.asarray(x * np.log(x / mean) - difference)
    # log(x / mean) = 2 artanh(v); Loader (2000)
    square = v * v
    series = np.full_like(square, _ARTANH[-1])
    for coefficient in _ARTANH[-2::-1]:
        series *= square
        series += coefficient
    near = difference * v + 2 * x * v * square * series
    return near if not far.any() else np.where(far, x * np.log(x / mean) - difference, near)


def log_choose(size: int, m: Integers) -> Floats:
    """Return log binom(size, m) for m = 0, 1, 2, … far below a large size."""
    factors = np.log(np.maximum(size - np.arange(m.size - 1.0), 1.0))
    return np.concatenate([[0.0], np.cumsum(factors)]) - gammaln(m + 1.0)


def binomial_below(size: int, probability: Floats, least: int) -> Floats:
    """Return P(Binomial(size, probability) < least), 0 < least <= size.

    >>> binomial_below(2, np.array([0.5]), 1)
    array([0.25])
    """
    return np.asarray(betainc(size - least + 1, least, 1 - probability))


def krawtchouk(
    shift: Floats,
    size: Floats | float,
    probability: Floats | float,
    degree: int,
    *,
    from_zero: bool = False,
) -> Floats:
    """Return the orthonormal polynomials of Binomial(size, probability): (degree + 1, *shift.shape).

    Parameters
    ----------
    shift : array
        Points less the mean of the law.
    size, probability : float or array
        An array broadcasts against ``shift``, whose last axis it has with length 1. Probabilities are in
        (0, 1).
    degree : int
    from_zero : bool
        Whether the points along the last axis are 0, 1, 2, …. Far from the mean the recurrence loses its
        digits at points x < m, and there the values follow by symmetry: phi_m(x) / phi_m(0) = phi_x(m) /
        phi_x(0).

    >>> krawtchouk(np.array([-1.0, 0.0, 1.0]), 2, 0.5, 1).round(9)
    array([[ 1.        ,  1.        ,  1.        ],
           [-1.41421356,  0.        ,  1.41421356]])
    """
    size, p = np.asarray(size, float), np.asarray(probability, float)
    found = np.empty((degree + 1, *shift.shape))
    found[0] = 1.0
    at_zero = np.empty((degree + 1, *shift.shape[:-1])) if from_zero else np.empty(0)
    beside, first = np.zeros_like(p), np.ones(shift.shape[:-1])
    odds, points = (x[..., 0] if x.ndim else x for x in (p / (1 - p), size))
    for m in range(degree + 1):
        here = found[m]
        if from_zero:
            if m < shift.shape[-1]:
                here[..., :m] = np.moveaxis(first * found[:m, ..., m] / at_zero[:m], 0, -1)
            else:
                here[:] = 0.0  # the law has no more points
            at_zero[m] = first
            first = -first * np.sqrt(np.maximum(points - m, 0.0) / (m + 1) * odds)
        if m == degree:
            break
        following = np.subtract(shift, m * (1 - 2 * p), out=found[m + 1])
        following *= here
        if m:
            following -= beside * found[m - 1]
        beside = np.sqrt((m + 1) * p * (1 - p) * np.maximum(size - m, 0.0))
        following /= np.where(beside > 0, beside, 1.0)
    return found


def gauss_rules(sizes: Floats, probability: float, count: int) -> tuple[Floats, Floats]:
    """Return shifts and weights (sizes, count) of the Gauss rules of Binomial(size, probability).

    A node is ``size * probability + shift``. Sizes are real numbers; where one is below ``count - 1`` it is a
    whole number and the rule is the law itself, with nodes of weight 0 added.

    >>> shifts, weights = gauss_rules(np.array([4.0]), 0.5, 2)
    >>> (shifts**2 * weights).sum(axis=1)  # the variance
    array([1.])
    """
    if probability <= 0 or probability >= 1 or count == 1:
        return np.zeros((len(sizes), count)), np.eye(count)[np.zeros(len(sizes), int)]
    k = np.arange(float(count))
    beside = k[1:] * probability * (1 - probability) * np.maximum(sizes[:, None] - k[1:] + 1, 0.0)
    i = np.arange(count)
    jacobi = np.zeros((len(sizes), count, count))  # of the Krawtchouk polynomials, Golub and Welsch (1969)
    jacobi[:, i, i] = k * (1 - 2 * probability)
    jacobi[:, i[1:], i[:-1]] = np.sqrt(beside)
    shift, vectors = np.linalg.eigh(jacobi)
    return shift, vectors[:, 0, :] ** 2


def binomial_beyond(size: int, probability: float, least: int, fewest: int = 1) -> tuple[Floats, Floats]:
    """Return nodes and weights for ``E[f(X); X >= least]``, X ~ Binomial(size, probability), f smooth there.

    It is the Gauss rule of the law from ``least`` on, with at least ``fewest`` nodes. Where more than 20,000
    numbers matter their lattice is thinned, which for an f that is 0 at ``least`` (a kink) leaves
    ``f' spacing^2 / 12`` of the law there.
    """
    x, weights = numbers_beyond(size, probability, least)
    count = max(nodes_for(size * probability * (1 - probability) / max(least, 1) ** 2), fewest)
    return (x, weights) if x.size <= count else gauss_rule(x, weights, count)


def numbers_beyond(size: int, probability: float, least: int) -> tuple[Floats, Floats]:
    """Return the numbers from ``least`` on that have a probability, and these; a thinned lattice of many.

    >>> numbers_beyond(2, 0.5, 1)
    (array([1., 2.]), array([0.5 , 0.25]))
    """
    deviation = math.sqrt(size * probability * (1 - probability))
    last = min(size, max(math.ceil(size * probability + _DEVIATIONS * deviation + _FURTHER), least + 64))
    if last < least:
        return np.empty(0), np.empty(0)
    spacing = max(1, math.ceil((last - least) / _POINTS))
    x = np.arange(least, last + 1, spacing, dtype=np.float64)
    weights = spacing * np.exp(log_binomial(x, float(size), probability))
    kept = weights > _TAIL * weights.max()
    return x[kept], weights[kept]


def binomial_pieces(size: int, probability: float, kink: int, width: float) -> tuple[Floats, Floats]:
    """Return nodes and weights for ``E[f(X)]``, X ~ Binomial(size, probability), f smooth on pieces.

    The pieces are ``width`` standard deviations wide and end at ``kink``; with width 0 every number is a
    node. Up to 20,000 numbers the rule is that of the law itself, beyond it that of its density, which leaves
    a twelfth of the jump of f' at the kink.
    """
    mean, deviation = size * probability, math.sqrt(size * probability * (1 - probability))
    low = max(0.0, math.floor(mean - _DEVIATIONS * deviation - _FURTHER))
    high = min(float(size), math.ceil(mean + _DEVIATIONS * deviation + _FURTHER))
    if not width:
        return _lattice(size, probability, low, high + 1)
    inner = np.append(mean + deviation * np.arange(-_DEVIATIONS, _DEVIATIONS + width, width), kink - 0.5)
    edges = np.concatenate([[low - 0.5], np.unique(inner[(inner > low) & (inner < high)]), [high + 0.5]])
    if high - low > _POINTS:
        x, dx = (a.ravel() for a in on_panels(edges[:-1], edges[1:], _PIECE_NODES))
        weights = dx * np.exp(log_binomial(x, float(size), probability))
        return x, weights / weights.sum()  # the logarithm of a density of 1e18 numbers has lost some digits
    ends = np.ceil(edges).tolist()  # from numbers to numbers
    rules = [_piece(size, probability, a, b) for a, b in itertools.pairwise(ends) if a < b]
    nodes, weights = (np.concatenate(part) for part in zip(*rules, strict=True))
    kept = weights > _TAIL * weights.max()
    return nodes[kept], weights[kept]


@shared  # only the pieces beside a kink depend on it
def _piece(size: int, probability: float, start: float, stop: float) -> tuple[Floats, Floats]:
    """Return few nodes and weights for the numbers from ``start`` up to ``stop - 1`` of a binomial law."""
    x, law = _lattice(size, probability, start, stop)
    return (x, law) if x.size <= _PIECE_NODES else gauss_rule(x, law, _PIECE_NODES)


def _lattice(size: int, probability: float, start: float, stop: float) -> tuple[Floats, Floats]:
    """Return the numbers from ``start`` up to ``stop - 1`` that have a probability, and these."""
    x = np.arange(start, stop)
    law = np.exp(log_binomial(x, float(size), probability))
    kept = law > _TAIL * law.max()
    return x[kept], law[kept]


def nodes_for(variation: float, accuracy: float = _ACCURACY) -> int:
    """Return how many nodes K a Gauss rule needs for a function with relative variance ``variation``.

    With K nodes ``K! variation^K`` is below the accuracy.
    """
    count, left = 1, variation
    while left > accuracy and count < _MOST_NODES:
        count += 1
        left *= count * variation
    return count + 1


def gauss_rule(x: Floats, weights: Floats, count: int) -> tuple[Floats, Floats]:
    """Return the Gauss rule of a law on a lattice, from its orthonormal polynomials."""
    whole = float(weights.sum())
    weights = weights / whole
    centre = float(weights @ x)
    unit = math.sqrt(float(weights @ (x - centre) ** 2))
    u = (x - centre) / unit
    polynomials = np.empty((count + 1, x.size))  # times the root of the law
    polynomials[0] = np.sqrt(weights)
    diagonal, beside = [], []
    for i in range(count):
        rows, following = polynomials[: i + 1], u * polynomials[i]
        diagonal.append(float(polynomials[i] @ following))
        for _twice in range(2):  # orthogonal to rounding
            following -= rows.T @ (rows @ following)
        beside.append(float(np.linalg.norm(following)))
        if beside[-1] < _EXHAUSTED:
            break
        polynomials[i + 1] = following / beside[-1]
    # scipy has this for matrices with three diagonals, but loading it takes longer than most rules
    nodes, vectors = np.linalg.eigh(np.diag(diagonal) + np.diag(beside[: len(diagonal) - 1], -1))
    return np.asarray(centre + unit * nodes), np.asarray(whole * vectors[0] ** 2)
