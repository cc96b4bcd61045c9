"""What jumps of the curves change in the sums over ranks of `given_counts`.

The items above a jump are N ~ Bin(n, x). Among the ranks that are summed one by one labels are means over N,
and what is missing is that N has another variance than the smoothed jump has in (3). Beyond, N is normal, and
the cutoff lies above the jump with a probability between 0 and 1 where both are close.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from scipy.special import ndtr

from ndcg_asymptotics.core.arrays import Floats
from ndcg_asymptotics.theory.deviation.rank_nodes import downwards, products
from ndcg_asymptotics.theory.deviation.rank_sums import RankSums

TOP = 64
"""The ranks in which the variance is compared with the exact one."""
_FAR = 40.0  # standard deviations, between which a normal score is kept


def of_jump_among_first_ranks(sums: RankSums, i: int) -> Floats:
    """Return the variance (A, A, C) by the law of N less that of the smoothed jump in (3)."""
    weights, above = sums.weights[..., : sums.first], sums.above[i]
    ones = np.ones((sums.lists, 1))
    chances = np.concatenate([ones, above[:, : sums.first], 0 * ones], axis=1)
    law = np.asarray(-np.diff(chances, axis=1), np.float64)
    top = np.asarray(sums.jumps.u[:, i : i + 1] < sums.ends[0], np.float64)
    exact = downwards(weights[..., ::-1])[..., ::-1]
    smooth = downwards(weights * sums.rise(1 - above, top, ones))
    exact = exact - (exact * law).sum(axis=2)[..., None]
    # the gaps beyond the first ranks, where it is 0, count in its mean
    average = smooth.sum(axis=2) / (sums.n + 1)
    of_smooth = products(smooth, np.ones(1)) - (sums.n + 1) * average[:, None] * average
    more = products(exact, law) - of_smooth / (sums.n + 1) / (sums.n + 2)
    size = sums.of_rows(sums.jumps.size[: sums.grades, :, i] * sums.near[:, i])
    return np.asarray(size[:, None] * size * more)


class FarJump(NamedTuple):
    """What a jump beyond the first ranks changes.

    Attributes
    ----------
    mean : (K, C)
        Added to the mean of DCG.
    matrix : (A, A, C)
        Added to (3).
    fall : (A, C)
        By how much A falls at the jump.
    panel : (C,)
        The panel at whose upper edge it does.
    """

    mean: Floats
    matrix: Floats
    fall: Floats
    panel: Floats


def of_far_jump(sums: RankSums, i: int) -> FarJump:
    """Return what jump i changes where it is beyond the first ranks, 0 elsewhere."""
    at = sums.jump_ranks[:, i]
    far = ~sums.near[:, i] & (at < sums.n + 0.5)
    weight, sd, z = _beside_cutoffs(sums, i)
    normal, inside = np.exp(-z * z / 2) / math.sqrt(2 * math.pi), ndtr(z)
    lacking = sd * (normal - np.abs(z) * ndtr(-np.abs(z)))  # min(E N, k) - E min(N, k)
    size = sums.of_rows(sums.jumps.size[: sums.grades, :, i]) * far
    mean = size[sums.rows] * weight * lacking
    counted = np.ones((sums.grades, sums.lists))
    upper, lower, average = (
        np.concatenate([y, counted]) - sums.shift for y in (weight + 0 * z, 0 * z, weight * inside)
    )
    lacking = np.concatenate([lacking, 0 * counted])
    both = upper[:, None] * upper - lower[:, None] * lower
    matrix = sums.of_pairs(sums.jumps.size[:, :, i]) * far * np.maximum(lacking[:, None], lacking) * both
    # Var min(N, k) less the part that A has, the square of sd(N) P(N < k), by Stein's identity
    of_cut = (z * z + 1) * inside + z * normal - (z * inside + normal) ** 2 - inside**2
    rows = range(len(sums.cutoffs))
    matrix[rows, rows] += (size[sums.rows] * weight * sd) ** 2 * of_cut
    panel = np.minimum((sums.edges < at[:, None] * (1 - 1e-15)).sum(axis=1), sums.x.shape[1] - 1)
    return FarJump(mean, matrix, (sums.n + 1) * size * average, panel)


def missed_by_jumps(sums: RankSums) -> float:
    """Return what jumps beyond the ranks that are compared may add to a variance at the expected counts."""
    missed, middle = 0.0, sums.lists // 2
    for i in sums.jumps.steps:
        if sums.jump_ranks[middle, i] > TOP / 2:
            weight, sd, z = (part[..., middle] for part in _beside_cutoffs(sums, i))
            size = float(sums.gains[0] @ sums.jumps.size[: sums.grades, middle, i])
            beside = (z[0] > -8) * (1 + sd / 3 * math.exp(-(z[0] ** 2) / 8))  # the cutoff
            missed += float((size * weight) ** 2 * beside)
    return missed


def _beside_cutoffs(sums: RankSums, i: int) -> tuple[Floats, Floats, Floats]:
    """Return D and sd(N) at a jump, (C,), and the normal score (K, C) of each cutoff in the law of N."""
    u, at = sums.jumps.u[:, i], sums.jump_ranks[:, i]
    sd = np.maximum(np.sqrt(sums.n * u * (1 - u)), 1e-9)
    z = [
        np.clip((k + 0.5 - at) / sd, -_FAR, _FAR) if k < sums.n else np.full(at.shape, _FAR)
        for k in sums.cutoffs
    ]
    return sums.discount(np.maximum(at, 1.0), sums.n), sd, np.array(z)
