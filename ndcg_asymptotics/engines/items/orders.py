"""The rank orders of all scorers, for several replicates.

Scores are independent given the label (`rank_order`), or coupled by a Gaussian copula: item i has a normal
Z_i common to all scorers and one of each scorer, E_i. Its depth for the scorer is
``Q_g(Phi(sqrt(rho) Z_i + sqrt(1 - rho) E_i))``, where Q_g is the quantile function of the depth given the
item's grade g. So the depths have the scorer's law given the label, and every pair of scorers has a Gaussian
copula of correlation rho. High normals are deep: all scorers agree.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np
from scipy.special import ndtr

from ndcg_asymptotics.core.arrays import Integers
from ndcg_asymptotics.engines.items import rank_order
from ndcg_asymptotics.engines.items.kernels import Codes
from ndcg_asymptotics.engines.shared.inverse import coupled_normals, depth_of_grade
from ndcg_asymptotics.populations import FixedCounts, Gaussian, Relevance
from ndcg_asymptotics.studies.design import Design

_BLOCK = 1 << 16  # items handled at a time


def rank_orders(design: Design, replicates: Sequence[int], labels: Integers) -> Iterator[Iterable[Codes]]:
    """Yield for each replicate and scorer the codes of its items in rank order, in blocks."""
    coupling, models = design.population.coupling, design.models.items()
    if isinstance(coupling, Gaussian):
        for replicate, counts in zip(replicates, labels, strict=True):
            for name, scorer in models:
                common = design.generator(replicate, "coupling")
                individual = design.generator(replicate, "scorer", name)
                yield _correlated_blocks(scorer, counts, coupling.rho, common, individual)
        return
    scorers = [(name, rank_order.slices(scorer, design.sizes[-1])) for name, scorer in models]
    for replicate, counts in zip(replicates, labels, strict=True):
        for name, slices in scorers:
            yield rank_order.independent_blocks(slices, counts, design.generator(replicate, "scorer", name))


def _correlated_blocks(
    relevance: Relevance | FixedCounts,
    labels: Integers,
    rho: float,
    common: np.random.Generator,
    individual: np.random.Generator,
) -> Iterator[Codes]:
    """Draw the codes of all items in rank order, in blocks.

    Parameters
    ----------
    labels : (K, J + 1)
        How many items there are of each class and grade. Items are exchangeable within a class,
        so the k-th of a class and grade may be the same item for every scorer.
    rho : float
        The correlation.
    common, individual : the streams of the common normals and of the scorer's
    """
    counts = labels.ravel()
    ends = np.cumsum(counts)
    depth = coupled_normals(int(ends[-1]), rho, common, individual)
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
    """Return the bytes of the largest arrays of `_correlated_blocks`: normals or depths, and their order."""
    return 8 * 2 * n
