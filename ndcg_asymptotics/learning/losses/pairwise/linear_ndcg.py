"""The pairwise loss of NDCG with the linear discount."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from ndcg_asymptotics.core.arrays import Floats
from ndcg_asymptotics.learning.losses.pairwise.pairwise import Pairs, Pairwise
from ndcg_asymptotics.learning.preferences import pair_weights
from ndcg_asymptotics.learning.utilities import Discounted, Utility
from ndcg_asymptotics.measures import Measure


@dataclass(frozen=True)
class LinearNDCG(Pairwise, keyword="linear_ndcg"):
    """φ = Σ_{G_i > G_j} (G_i - G_j)/||G||_linear · φ(s_i - s_j) (after Jin and Geng's Linear NDCG).

    With φ(t) = 1(t <= 0) this is 1 - NDCG for the discount n - r, exactly (see `swapped_gains`), whatever
    the measure; φ = "hinge", "squared_hinge" and "exponential" are bounds of it.
    """

    phi: str = "logistic"
    claim: ClassVar[str] = "not said (Jin and Geng)"

    def pairs(self, labels: Floats, utility: Utility) -> Pairs:
        ideal = Discounted(utility.gain, Measure("linear")).ideal(labels)[..., None, None]
        difference = pair_weights(labels, utility.gain, "gain")
        weight = np.divide(difference, ideal, out=np.zeros_like(difference), where=ideal > 0)
        return Pairs(weight, np.zeros_like(weight))


def swapped_gains(gains: ArrayLike) -> float:
    """Σ (b - a) over the pairs of items in which one of gain a is above one of gain b > a.

    For the discount D(r) = n - r this is IDCG - DCG of gains in rank order, exactly: moving an item up by one
    rank is worth its gain, so each pair in the wrong order costs the difference of its gains. With m relevant
    and k other items, binary, IDCG = mk + m(m-1)/2.

    >>> swapped_gains([0, 1, 3])
    6.0
    """
    y = np.asarray(gains, np.float64)
    return float(np.triu(np.maximum(y[None, :] - y[:, None], 0.0)).sum())
