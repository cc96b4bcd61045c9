"""The rank order of items whose scores are coupled by a Gaussian copula, given the label.

Item i has a normal Z_i common to all scorers and one of each scorer, E_i; its depth for the
scorer is ``Q_g(Phi(sqrt(rho) Z_i + sqrt(1 - rho) E_i))``, where Q_g is the quantile function of the
depth given the item's grade g. So the depths have the scorer's law given the label, and every pair
of scorers has a Gaussian copula of correlation rho. High normals are deep: all scorers agree.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
from scipy.special import ndtr

from ndcg_asymptotics.core.arrays import Floats, Integers
from ndcg_asymptotics.engines.items.kernels import Codes
from ndcg_asymptotics.engines.shared.inverse import depth_of_grade
from ndcg_asymptotics.populations import FixedCounts, Relevance

_BLOCK = 1 << 16  # items handled at a time


def correlated_blocks(
    relevance: Relevance | FixedCounts,
    labels: Integers,
    rho: float,
    common: np.random.Generator,
    own: np.random.Generator,
) -> Iterator[Codes]:
    """Draw the codes of all items in rank order, in blocks.

    Parameters
    ----------
    labels : (K, J + 1)
        How many items there are of each class and grade. Items are exchangeable within a class,
        so the k-th of a class and grade may be the same item for every scorer.
    rho : float
        The correlation.
    common, own : the streams of the common normals and of the scorer's
    """
    counts = labels.ravel()
    ends = np.cumsum(counts)
    depth = _correlated(int(ends[-1]), rho, common, own)
    ndtr(depth, out=depth)
    for code in np.flatnonzero(counts):
        grade = int(code % labels.shape[1])
        for start in range(ends[code] - counts[code], ends[code], _BLOCK):
            items = slice(start, min(start + _BLOCK, ends[code]))
            depth[items] = depth_of_grade(relevance, grade, depth[items])
    order = np.argsort(depth)
    del depth
    for start in range(0, len(order), _BLOCK):
        yield np.searchsorted(ends, order[start : start + _BLOCK], side="right").astype(np.int32)


def memory_of_blocks(n: int) -> int:
    """Return the bytes of the largest arrays of `correlated_blocks`: normals or depths, and their order."""
    return 8 * 2 * n


def _correlated(n: int, rho: float, common: np.random.Generator, own: np.random.Generator) -> Floats:
    normals = common.standard_normal(n)
    normals *= math.sqrt(rho)
    noise = own.standard_normal(n)
    noise *= math.sqrt(1.0 - rho)
    normals += noise
    return normals
