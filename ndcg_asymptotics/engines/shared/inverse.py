"""The depth of an item given its grade, by inversion: fast, for any curve, and accurate near the top.

Coupled scorers have coupled normals (`coupled_normals`) in the place of uniform numbers.

``G_g(t) = int_0^t m_g / p_g`` is cut into cells that shrink in proportion to t towards the top and
to 1 - t towards the bottom, with the curve's kinks and jumps at their ends. In each cell the
inverse is a polynomial. A cell whose polynomial misses G is halved, so that a curve with a zero, or
of any steepness, only takes more cells.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.polynomial import chebyshev
from numpy.typing import NDArray

from ndcg_asymptotics.core.arrays import Floats
from ndcg_asymptotics.engines.compiled import kernel
from ndcg_asymptotics.engines.shared import grades
from ndcg_asymptotics.populations import FixedCounts, Relevance, Scorer

_DEGREE = 9
_RATIO = 1.1  # of neighbouring depths: with degree 9 this leaves 1e-16 for a curve like a power of t
_TOP, _BOTTOM = 1e-25, 1e-15  # the cells that end the shrinking
_TOLERANCE = 1e-13  # of a cell's mass: 1e-14 of the depth
_ROUNDS = 20  # of halving
_LIGHT = 1e-17  # a part of the grade's mass that no uniform double tells from 0
_BUCKETS = 4096

_NODES = chebyshev.chebpts1(_DEGREE + 1)
_FIT = np.linalg.inv(chebyshev.chebvander(_NODES, _DEGREE)).T
_PLAIN = np.array(
    [np.pad(chebyshev.cheb2poly(row), (0, _DEGREE - i)) for i, row in enumerate(np.eye(_DEGREE + 1))]
)


class Inverse(NamedTuple):
    """Depth as a function of u = G_g(t), cell by cell.

    Attributes
    ----------
    ends : (C + 1,)
        u where cells end, from 0 to 1.
    start : (C,)
        Depth where a cell starts.
    coefficients : (C, _DEGREE + 1)
        Depth beyond the start, as a polynomial in the place of u in its cell, from -1 to 1.
    first : (_BUCKETS + 1,)
        The cell that holds u = i / _BUCKETS.
    """

    ends: Floats
    start: Floats
    coefficients: Floats
    first: NDArray[np.int64]


def depth_of_grade(model: Scorer, grade: int, u: Floats) -> Floats:
    """Return the depth t with ``int_0^t m_g / p_g = u``.

    If the number of relevant items is fixed, depth is the expected share of irrelevant items above, which is
    uniform for the irrelevant items themselves: ``G_0(t)``.

    Parameters
    ----------
    model : Relevance or FixedCounts
    grade : int
        The index of a gain, or J, the number of gains, for the gain 0.
    u : array of numbers in [0, 1]

    Returns
    -------
    array
        Depths t with G_g(t) within 2e-14 of u; of relative error 1e-13 where the grade's probability
        does not vanish towards t = 0.

    >>> curve = Relevance.parse("linear(0, 1)")  # m(t) = 1 - t, and t for the gain 0
    >>> depth_of_grade(curve, 0, np.array([0.0, 0.75])).round(13)
    array([0. , 0.5])
    >>> depth_of_grade(curve, 1, np.array([0.25])).round(13)
    array([0.5])
    """
    if isinstance(model, FixedCounts):
        return _among_irrelevant(model, grade, u)
    assert isinstance(model, Relevance)
    out = np.empty_like(u)
    if u.size:
        _look_up(u, _inverse(model, grade), out)
    return out


def coupled_normals(
    n: int, rho: float, common: np.random.Generator, individual: np.random.Generator
) -> Floats:
    """Return ``sqrt(rho) Z_i + sqrt(1 - rho) E_i``, Z_i common to all scorers and E_i a scorer's own."""
    normals = common.standard_normal(n)
    normals *= math.sqrt(rho)
    noise = individual.standard_normal(n)
    noise *= math.sqrt(1.0 - rho)
    normals += noise
    return normals


def _among_irrelevant(model: FixedCounts, grade: int, u: Floats) -> Floats:
    if grade == len(model.gains):
        return u
    if isinstance(model.source, Relevance):
        return model.laws[-1].cdf(depth_of_grade(model.source, grade, u))
    return model.laws[grade].quantile(u)


@kernel
def _look_up(u: Floats, inverse: Inverse, out: Floats) -> None:
    for i in range(u.size):
        bucket = min(int(u[i] * _BUCKETS), _BUCKETS - 1)
        low, high = inverse.first[bucket], inverse.first[bucket + 1]
        while low < high:
            middle = (low + high) // 2
            if inverse.ends[middle + 1] <= u[i]:
                low = middle + 1
            else:
                high = middle
        cell = min(low, inverse.start.size - 1)
        left, right = inverse.ends[cell], inverse.ends[cell + 1]
        v = 2.0 * ((u[i] - left) / (right - left)) - 1.0
        depth = 0.0
        for j in range(_DEGREE, -1, -1):
            depth = depth * v + inverse.coefficients[cell, j]
        out[i] = min(max(inverse.start[cell] + depth, 0.0), 1.0)


@lru_cache(maxsize=256)
def _inverse(relevance: Relevance, grade: int) -> Inverse:
    top = np.geomspace(0.5, _TOP, 2 + int(np.log(0.5 / _TOP) / np.log(_RATIO)))
    bottom = 1.0 - np.geomspace(0.5, _BOTTOM, 2 + int(np.log(0.5 / _BOTTOM) / np.log(_RATIO)))
    edges = np.unique(np.concatenate([[0.0, 1.0], top, bottom, relevance.breakpoints]))
    parts: list[tuple[Floats, Floats, Floats]] = []
    a, b = edges[:-1], edges[1:]
    whole = float(grades.mean(relevance, grade, np.array(0.0), np.array(1.0)))
    for halving in range(_ROUNDS):
        mass = (b - a) * grades.mean(relevance, grade, a, b)
        polynomials = _polynomials(relevance, grade, a, b)
        error = np.zeros_like(a)
        for place in (-0.9, -0.45, 0.2, 0.7):
            depth = np.clip(a + np.polynomial.polynomial.polyval(place, polynomials.T), a, b)
            above = (depth - a) * grades.mean(relevance, grade, a, depth)
            error = np.maximum(error, np.abs(above - (place + 1) / 2 * mass))
        # rounding: of the depth where the cell is narrow, of 1 minus the other grades where that is small
        rounding = 8 * np.finfo(np.float64).eps * (b / (b - a) * mass + (b - a))
        light = mass <= _LIGHT * whole
        good = light | (error <= _TOLERANCE * mass + rounding) | (halving == _ROUNDS - 1)
        final = good & (mass > 0)
        parts.append((a[final], mass[final], polynomials[final]))
        a, b = a[~good], b[~good]
        middle = (a + b) / 2
        a, b = np.concatenate([a, middle]), np.concatenate([middle, b])
        if not a.size:
            break
    start, mass, coefficients = (np.concatenate(columns) for columns in zip(*parts, strict=True))
    order = np.argsort(start)
    sums = np.concatenate(([0.0], np.cumsum(mass[order])))
    ends = sums / sums[-1]
    positive = np.diff(ends) > 0  # a cell too light to move the sum cannot be met
    order, ends = order[positive], np.append(ends[:-1][positive], 1.0)
    first = np.searchsorted(ends[1:], np.arange(_BUCKETS + 1) / _BUCKETS, side="right")
    return Inverse(ends, start[order], coefficients[order], first)


def _polynomials(relevance: Relevance, grade: int, a: Floats, b: Floats) -> Floats:
    """Return the inverse in each cell: depth beyond a, in powers of the place of u in the cell."""
    width = (b - a)[:, None]
    depth = a[:, None] + width * (_NODES + 1) / 2
    density = grades.grade_chance(relevance, grade, depth) @ _FIT
    sums = np.asarray(chebyshev.chebint(density, lbnd=-1, axis=1), np.float64)
    target = (_NODES + 1) / 2 * sums.sum(axis=1, keepdims=True)
    place = np.broadcast_to(_NODES, depth.shape)
    for _ in range(12):
        slope = _at(density, place)
        step = np.divide(_at(sums, place) - target, slope, out=np.zeros_like(slope), where=slope > 0)
        place = np.clip(place - step, -1.0, 1.0)
    return np.asarray(width * (place + 1) / 2 @ _FIT @ _PLAIN)


def _at(coefficients: Floats, places: Floats) -> Floats:
    """Evaluate Chebyshev series, one per row, at the places of the row."""
    basis = chebyshev.chebvander(places, coefficients.shape[1] - 1)
    return np.asarray(np.einsum("cj,cpj->cp", coefficients, basis), np.float64)
