"""Binomial laws: probabilities that keep their digits, orthonormal polynomials and their Gauss rules."""

from __future__ import annotations

import math

import numpy as np
from scipy.special import gammaln

from ndcg_asymptotics.core.arrays import Floats

PROBABILITY_ROUNDING = 1e-14  #: of a probability

# coefficients of (artanh(v) / v - 1) / v^2, by powers of v^2
_ARTANH = [1 / (2 * j + 1) for j in range(1, 9)]
_STIRLING_FROM = 16.0  # four terms of Stirling's series are exact in doubles from here on


def log_binomial(x: Floats, size: Floats | float, probability: Floats | float) -> Floats:
    """Return log P(Binomial(size, probability) = x), in a form in which nothing cancels (Loader 2000).

    Between whole numbers it is the continuation by the gamma function.

    >>> log_binomial(np.array([0.0, 2.0]), 4.0, 0.5).round(12) == np.log([1 / 16, 6 / 16]).round(12)
    array([ True,  True])
    """
    size, p = np.asarray(size, float), np.asarray(probability, float)
    failures = size - x
    with np.errstate(divide="ignore", invalid="ignore"):
        corrections = _stirling(size) - _stirling(x) - _stirling(failures)
        corrections = corrections - _deviance(x, size * p) - _deviance(failures, size * (1 - p))
        law = np.asarray(corrections + 0.5 * np.log(size / (2 * math.pi * x * failures)))
        np.copyto(law, np.where(size > 0, size * np.log(p), 0.0), where=failures == 0)
        np.copyto(law, np.where(size > 0, size * np.log1p(-p), 0.0), where=x == 0)
    random = (p > 0) & (p < 1)
    if random.all():
        return law
    certain = np.where(x == np.where(p >= 1, size, 0.0), 0.0, -math.inf)
    return np.where(random, law, certain)


def _stirling(x: Floats) -> Floats:
    """Return log x! less Stirling's formula."""
    x = np.asarray(x)
    y = 1 / np.maximum(x, _STIRLING_FROM) ** 2
    # 1/(12 x) - 1/(360 x^3) + 1/(1260 x^5) - 1/(1680 x^7), with sqrt(y) = 1/x
    correction = np.asarray((1 / 12 - y * (1 / 360 - y * (1 / 1260 - y / 1680))) * np.sqrt(y))
    near = x < _STIRLING_FROM
    small = x[near]
    correction[near] = (
        gammaln(small + 1) - (small + 0.5) * np.log(small) + small - 0.5 * math.log(2 * math.pi)
    )
    return correction


def _deviance(x: Floats, mean: Floats) -> Floats:
    """Return x log(x / mean) + mean - x."""
    difference = x - mean
    v = difference / (x + mean)
    far = np.abs(v) > 0.1
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
    shift : (Q,) or (T, Q)
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
    phi = np.empty((degree + 1, *shift.shape))
    phi[0] = 1.0
    at_zero = np.empty((degree + 1, *shift.shape[:-1])) if from_zero else np.empty(0)
    beside, first = np.zeros_like(p), np.ones(shift.shape[:-1])
    odds, points = (x[..., 0] if x.ndim else x for x in (p / (1 - p), size))
    for m in range(degree + 1):
        current = phi[m]
        if from_zero:
            if m < shift.shape[-1]:
                current[..., :m] = (first * phi[:m, ..., m] / at_zero[:m]).T
            else:
                current[:] = 0.0  # the law has no more points
            at_zero[m] = first
            first = -first * np.sqrt(np.maximum(points - m, 0.0) / (m + 1) * odds)
        if m == degree:
            break
        # b_(m+1) phi_(m+1) = (x - N p - m (1 - 2 p)) phi_m - b_m phi_(m-1), b_m^2 = m p (1 - p) (N - m + 1)
        following = np.subtract(shift, m * (1 - 2 * p), out=phi[m + 1])
        following *= current
        if m:
            following -= beside * phi[m - 1]
        beside = np.sqrt((m + 1) * p * (1 - p) * np.maximum(size - m, 0.0))
        following /= np.where(beside > 0, beside, 1.0)
    return phi


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
    shift, vectors = np.linalg.eigh(_jacobi(sizes, probability, count))
    return shift, vectors[:, 0, :] ** 2


def gauss_nodes(size: float, probability: float, count: int) -> Floats:
    """Return the shifts of `gauss_rules` for one size, without weights.

    Eigenvalues alone take a tenth of the time, and no threads of a linear algebra library.

    >>> gauss_nodes(4.0, 0.5, 2)
    array([-1.,  1.])
    """
    return np.asarray(np.linalg.eigvalsh(_jacobi(np.array([size]), probability, count))[0])


def _jacobi(sizes: Floats, probability: float, count: int) -> Floats:
    """Return the Jacobi matrices of the Krawtchouk polynomials (Golub and Welsch 1969), lower triangles."""
    k = np.arange(float(count))
    beside = k[1:] * probability * (1 - probability) * np.maximum(sizes[:, None] - k[1:] + 1, 0.0)
    i = np.arange(count)
    jacobi = np.zeros((len(sizes), count, count))
    jacobi[:, i, i] = k * (1 - 2 * probability)
    jacobi[:, i[1:], i[:-1]] = np.sqrt(beside)
    return jacobi
