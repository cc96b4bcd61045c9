"""ListNet."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy.special import xlogy

from ndcg_asymptotics.core.arrays import Floats
from ndcg_asymptotics.learning.losses.listwise.listwise import Listwise
from ndcg_asymptotics.learning.losses.stable import log_softmax, softmax
from ndcg_asymptotics.learning.utilities import Utility, judged


@dataclass(frozen=True)
class ListNet(Listwise, keyword="listnet"):
    """φ = KL(softmax y || softmax s): sorts by E[softmax y], not right for NDCG (Cao et al. 2007).

    The softmax is of the labels, not of their gains.
    """

    claim: ClassVar[str] = "inconsistent (Ravikumar et al., Proposition 7)"

    def target(self, labels: Floats, utility: Utility) -> Floats:
        return softmax(judged(labels))

    def at(self, s: Floats, t: Floats) -> tuple[Floats, Floats]:
        logs = log_softmax(s)
        return (xlogy(t, t) - t * logs).sum(axis=-1), np.exp(logs) - t

    def link(self, mean: Floats) -> Floats:
        with np.errstate(divide="ignore"):  # an item without hope has the score -inf
            return np.log(mean)
