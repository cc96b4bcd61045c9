"""Fewer nodes for a rule over label counts, for functions that are smooth in the counts.

What an item gains changes little with the counts of the others, far less than the weights of the counts
(a reciprocal of an ideal DCG with kinks) do. So a few of the nodes are kept, with weights that preserve every
moment up to a degree: the next node is the one whose monomials differ most from those of the nodes before
(QR with column pivoting: discrete Fekete points, Sommariva and Vianello 2010).
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable

import numpy as np

from ndcg_asymptotics.core.arrays import Floats, Integers
from ndcg_asymptotics.theory.rules.counts import EXHAUSTED

# nodes to choose from for each that is kept, and in further tries; of 8 some have weights 1e4 times larger
_CANDIDATES = (32, 256, 2048)
_FITTED = 4  # nodes for each term of a polynomial that is fitted


def condensed(counts: Floats, weights: Floats, degree: int) -> tuple[Floats, Floats]:
    """Return few counts (N, J + 1) and weights (N, K) that keep the moments up to ``degree`` of many.

    N is at most the number of moments, ``(degree + J choose J)``. A rule that has no more nodes is returned
    as it is.

    >>> x = np.arange(10.0)
    >>> few, weights = condensed(np.column_stack([x, 9 - x]), np.full((10, 1), 0.1), 2)
    >>> len(few), float((weights.T @ few[:, 0]**2).round(9).item())
    (3, 28.5)
    """
    grades = counts.shape[1] - 1
    if len(counts) <= math.comb(degree + grades, grades):
        return counts, weights
    size = np.abs(weights).sum(axis=1)
    size = size / size.sum()
    monomials = _monomials(counts, size, degree)
    moments = monomials @ weights
    for times in _CANDIDATES:
        chosen = _chosen(monomials, size, times)
        root = np.sqrt(size[chosen])[:, None]
        fewer = np.asarray(root * np.linalg.lstsq(monomials[:, chosen] * root.T, moments)[0], np.float64)
        missed = float(np.abs(monomials[:, chosen] @ fewer - moments).max() / np.abs(moments).max())
        if missed <= 1e-11:
            return counts[chosen], fewer
    return counts, weights


def interpolated(
    function: Callable[[Floats], Floats], counts: Floats, weights: Floats, degree: int
) -> Floats:
    """Return a function at many counts (N, J + 1), from values at four for each term of a polynomial.

    ``degree`` is that of the polynomial, the best one in the mean square with ``|weights|`` (N,).

    >>> x = np.arange(40.0)
    >>> counts = np.column_stack([x, 39 - x])
    >>> found = interpolated(lambda c: c[:, 0] ** 2, counts, np.full(40, 1 / 40), 2)
    >>> bool(np.allclose(found, x**2))
    True
    """
    grades = counts.shape[1] - 1
    if len(counts) <= _FITTED * math.comb(degree + grades, grades):
        return function(counts)
    size = np.abs(weights) / np.abs(weights).sum()
    monomials = _monomials(counts, size, degree)
    # nodes drawn in proportion to what they weigh in the fit leave nearly the error of a fit to all
    leverage = size * (monomials**2).sum(axis=0)
    count = _FITTED * len(monomials)
    drawn = np.searchsorted(np.cumsum(leverage), leverage.sum() * (np.arange(count) + 0.5) / count)
    some = np.unique(drawn)
    root = np.sqrt(size[some] / leverage[some])
    found = np.linalg.lstsq((monomials[:, some] * root).T, function(counts[some]) * root)[0]
    return np.asarray(found @ monomials)


def _chosen(monomials: Floats, size: Floats, times: int) -> Integers:
    """Return the nodes whose monomials differ most, of those with the largest."""
    leverage = size * (monomials**2).sum(axis=0)
    some = np.argsort(-leverage)[: times * len(monomials)]
    from scipy.linalg import qr  # here: it takes long to load

    triangle, order = qr(monomials[:, some] * np.sqrt(size[some]), mode="r", pivoting=True)
    diagonal = np.abs(np.diag(triangle))
    return np.asarray(some[order[: int(np.count_nonzero(diagonal > 1e-10 * diagonal[0]))]])


def _monomials(counts: Floats, size: Floats, degree: int) -> Floats:
    """Return products of polynomials of each coordinate, of total degree up to ``degree``: (moments, C)."""
    along = [_polynomials(x, size, degree) for x in _coordinates(counts, size)]
    exponents = itertools.product(*(range(len(values)) for values in along))
    return np.array(
        [
            math.prod(
                (values[i] for values, i in zip(along, exponent, strict=True)), start=np.ones_like(size)
            )
            for exponent in exponents
            if sum(exponent) <= degree
        ]
    )


def _coordinates(counts: Floats, size: Floats) -> list[Floats]:
    """Return uncorrelated coordinates: each count less its regression on those before."""
    found: list[Floats] = []
    for x in counts.T[:-1]:
        left = x - size @ x
        for _twice in range(2):
            for other in found:
                left = left - (size @ (left * other)) * other
        norm = math.sqrt(size @ left**2)
        if norm > EXHAUSTED * max(1e-9, math.sqrt(size @ (x - size @ x) ** 2)):
            found.append(left / norm)
    return found


def _polynomials(x: Floats, size: Floats, degree: int) -> list[Floats]:
    """Return orthonormal polynomials with weights ``size``, up to ``degree`` if the nodes have as many."""
    found = [np.ones_like(x)]
    while len(found) <= degree:
        following = x * found[-1]
        for _twice in range(2):
            for other in found:
                following = following - (size @ (following * other)) * other
        norm = math.sqrt(size @ following**2)
        if norm < EXHAUSTED:
            break
        found.append(following / norm)
    return found
