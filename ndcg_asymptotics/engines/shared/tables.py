"""F(k) as a table that a kernel can read: exact sums up to a rank, polynomials in k beyond.

Beside F each table holds the *cell weight* of the ranks up to k, ``G(k) = sum_{r<=k} sqrt(D(r) -
D(r+1))``. A cell of C items at rank r leaves NDCG undetermined by about ``C^2 |D'(r)|``; cells
are fewest for a given total width if all are equally wide, C proportional to ``|D'|^(-1/2)``. So G is
proportional to the number of cells, and a range of ranks gets a share of the bracket in proportion to its G.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from ndcg_asymptotics.core.arrays import LARGEST_N, Floats, Integers
from ndcg_asymptotics.core.errors import require
from ndcg_asymptotics.engines.compiled import kernel
from ndcg_asymptotics.measures.discounts import Discount

_FIRST = 12  # the far octaves start at 2^12
_OCTAVES = 51  # and end at 2^63, above `LARGEST_N`
_NEAR = 1 << _FIRST  # ranks up to here are summed one by one
_PIECE_BITS = 4  # leading bits of the mantissa that name one of 16 pieces of an octave
_PIECES = 1 << _PIECE_BITS
_SHIFT = 52 - _PIECE_BITS  # bits of the mantissa that say where in its piece a rank is
_ORIGIN = (1023 + _FIRST) << _PIECE_BITS  # the leading bits of 2^12, where piece 0 begins
_REST, _SCALE = (1 << _SHIFT) - 1, 2.0 / (1 << _SHIFT)  # the mask of these bits, and what maps them to [0, 2)
_DEGREE = 7  # of the polynomials: `cumulative` spells their 8 terms out
_WEIGHT = _DEGREE + 1  # where G begins in a piece, after the coefficients of F

#: Relative error of F: the sums themselves, and F of `Discount` (1e-13) with its interpolation.
NEAR_ERROR = 1e-15
FAR_ERROR = 1.5e-13


class Tables(NamedTuple):
    """Tables of several discounts, one after another.

    ``near[start[i] + k]`` is (F(k), G(k)) for k < length[i]; ``far[i]`` holds for each piece of
    k beyond the coefficients of F (rising powers of a local coordinate in [-1, 1]), of G, and the slope of G.
    """

    near: Floats
    far: Floats
    start: Integers
    length: Integers


@kernel
def _piece(k: int) -> tuple[int, float]:
    """Return the piece of the table that holds k, and the place of k in it, from -1 to 1."""
    bits = np.float64(k).view(np.int64)  # exponent (with 1023 added) and mantissa of a double
    return (bits >> _SHIFT) - _ORIGIN, float(bits & _REST) * _SCALE - 1.0  # type: ignore[return-value]


# The readers below take the arrays of `Tables` one by one: as a tuple they would be counted in and
# out at every call, which takes ten times as long as the polynomial.


@kernel
def cumulative(near: Floats, far: Floats, start: Integers, length: Integers, i: int, k: int) -> float:
    """Return F(k) of discount i."""
    if k < length[i]:
        return float(near[start[i] + k, 0])
    p, v = _piece(k)
    w = v * v  # Estrin's scheme: its products do not wait for one another as those of Horner's do
    low = far[i, p, 0] + v * far[i, p, 1] + w * (far[i, p, 2] + v * far[i, p, 3])
    high = far[i, p, 4] + v * far[i, p, 5] + w * (far[i, p, 6] + v * far[i, p, 7])
    return float(low + w * w * high)


@kernel
def cell_weight(near: Floats, far: Floats, start: Integers, length: Integers, i: int, k: int) -> float:
    """Return G(k) of discount i."""
    if k < length[i]:
        return float(near[start[i] + k, 1])
    p, v = _piece(k)
    return float(far[i, p, _WEIGHT] + v * far[i, p, _WEIGHT + 1])


@kernel
def root_slope(near: Floats, far: Floats, start: Integers, length: Integers, i: int, k: int) -> float:
    """Return G(k) - G(k-1) = |D'|^(1/2) at rank k >= 1; beyond the summed ranks, its mean over a piece."""
    if k < length[i]:
        at = start[i] + k
        return float(near[at, 1] - near[at - 1, 1])
    p, _ = _piece(k)
    return float(far[i, p, _WEIGHT + 2])


@kernel(forceinline=True)
def greatest_dcg(
    near: Floats,
    far: Floats,
    start: Integers,
    length: Integers,
    i: int,
    cut: int,
    gains: Floats,
    counts: Integers,
    above: int,
    before: float,
) -> float:
    """Return the most that items at the ranks after ``above`` can add to DCG: in order of decreasing gain.

    ``counts`` are their numbers of each of the gains, which are in decreasing order; ``before`` is F(above).
    """
    result = 0.0
    for g in range(len(gains)):
        above += counts[g]
        after = cumulative(near, far, start, length, i, min(above, cut))
        result += gains[g] * (after - before)
        before = after
    return result


def build(
    discounts: tuple[Discount, ...], reaches: tuple[int, ...], sizes: tuple[int, ...]
) -> tuple[Tables, Integers]:
    """Return the tables of the discounts up to a rank each, and the row of discount d at size k, [d, k]."""
    parts: list[tuple[Floats, Floats]] = []
    rows = np.empty((len(discounts), len(sizes)), np.int64)
    for d, (discount, reach) in enumerate(zip(discounts, reaches, strict=True)):
        # a discount of the user's is known rank by rank only, and only up to some rank
        beyond = discount.known_to >= LARGEST_N
        end = _NEAR if beyond else reach
        lengths = [float(n) for n in sizes] if discount.depends_on_n else [math.nan]
        rows[d] = len(parts) + (np.arange(len(sizes)) if discount.depends_on_n else 0)
        parts += [_table(discount, n, end, beyond) for n in lengths]
    length = np.array([len(near) for near, _ in parts])
    near = np.concatenate([near for near, _ in parts])
    return Tables(near, np.stack([far for _, far in parts]), np.cumsum(length) - length, length), rows


@lru_cache(maxsize=512)
def _table(discount: Discount, n: float, end: int, beyond: bool) -> tuple[Floats, Floats]:
    """Return (F, G) rank by rank up to the end, and the pieces beyond."""
    ranks = np.arange(1.0, end + 2)
    steps = np.sqrt(np.maximum(-np.diff(discount(ranks, n)), 0.0))
    near = np.zeros((end + 1, 2))
    near[:, 0] = discount.cumulative(np.arange(end + 1.0), n)
    np.cumsum(steps, out=near[1:, 1])
    far = np.zeros((_OCTAVES * _PIECES, _WEIGHT + 3))
    if beyond:
        _fill(far, discount, n, float(near[-1, 1]))
    return near, far


def _fill(far: Floats, discount: Discount, n: float, start: float) -> None:
    """Write Chebyshev interpolations of F piece by piece, and G as linear in each piece."""
    scale = 2.0 ** (_FIRST + np.arange(_OCTAVES))[:, None]
    edges = (scale * (1 + np.arange(_PIECES) / _PIECES)).ravel()
    widths = np.repeat(scale[:, 0] / _PIECES, _PIECES)
    nodes = np.polynomial.chebyshev.chebpts1(_DEGREE + 1)  # local coordinates v in [-1, 1]
    values = discount.cumulative(edges[:, None] + widths[:, None] * (nodes + 1) / 2, n)
    far[:, : _DEGREE + 1] = np.linalg.solve(np.vander(nodes, increasing=True), values.T).T
    # whole ranks between the nodes of each piece, where the interpolation is compared with F
    probes = np.floor(edges[:, None] + widths[:, None] * np.array([0.03, 0.29, 0.71, 0.97]))
    v = 2 * (probes - edges[:, None]) / widths[:, None] - 1
    interpolated = np.einsum(
        "ij,ikj->ik", far[:, : _DEGREE + 1], np.stack([v**j for j in range(_DEGREE + 1)], -1)
    )
    exact = discount.cumulative(probes, n)
    # F of a discount has an error of 1e-13 itself; what `FAR_ERROR` has beyond is the interpolation's
    smooth = bool(
        np.all(np.abs(interpolated - exact) <= (FAR_ERROR - 1e-13) * np.abs(values).max(axis=1)[:, None])
    )
    require(smooth, f"{discount}: the cells engine needs sums that are smooth beyond rank {_NEAR}; use items")
    drops = -np.diff(discount(np.append(edges, edges[-1] + widths[-1]), n))
    # |D'| is drop / width in a piece, so G grows by width (drop / width)^(1/2), linearly from end to end
    steps = np.sqrt(np.maximum(drops, 0.0) * widths)
    far[:, _WEIGHT] = start + np.cumsum(steps) - steps / 2  # at the middle, where v = 0
    far[:, _WEIGHT + 1] = steps / 2  # for each unit of v; a piece has two
    far[:, _WEIGHT + 2] = steps / widths
