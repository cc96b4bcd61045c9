"""The utility of an order of items: DCG and NDCG, and pairwise disagreement."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import lru_cache
from itertools import permutations

import numpy as np

from ndcg_asymptotics.core.arrays import Floats, Integers, brief, require_choice
from ndcg_asymptotics.core.errors import InputError, require
from ndcg_asymptotics.learning.preferences import WEIGHTS, PairWeights, net_preference, pair_weights
from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.measures.gains import Gain, gain_text, label_gains

MOST_ITEMS = 8
"""The largest number of items for which all orders are enumerated."""


@dataclass(frozen=True)
class Utility(ABC):
    """The value of an order of items, given their labels; higher is better.

    Parameters
    ----------
    gain : {"exp2", "linear"}, text or mapping
        The gain of a label y: 2^y - 1, y, or that of a table (`measures.gains`).
    """

    gain: Gain

    def __post_init__(self) -> None:
        object.__setattr__(self, "gain", gain_text(self.gain))

    @abstractmethod
    def expected(self, orders: Integers, labels: Floats, probabilities: Floats) -> Floats:
        """Return the expected utility of orders under a distribution of label vectors.

        Parameters
        ----------
        orders : (P, m)
            Items, best first.
        labels : (K, m)
        probabilities : (K,)

        Returns
        -------
        (P,)
        """

    @abstractmethod
    def standardised(self, labels: Floats) -> Floats:
        """Return r(y), a function such that sorting by E[r(Y)] is optimal.

        The *standardisation* of Buffoni, Calauzènes, Gallinari and Usunier (2011).

        Parameters
        ----------
        labels : (..., m)

        Returns
        -------
        (..., m), not negative
        """

    def gains(self, labels: Floats) -> Floats:
        """Return the gains of labels, none of which may be missing."""
        return label_gains(require_every_label(labels), self.gain)


def require_every_label(labels: Floats) -> Floats:
    """Return the labels themselves, after checking that none is missing.

    Raises
    ------
    InputError
        If one is missing.
    """
    require(not np.isnan(labels).any(), "every item needs a label here, got NaN", "labels")
    return labels


@lru_cache(maxsize=MOST_ITEMS)
def all_orders(items: int) -> Integers:
    """Return every order of m items, (m!, m), in lexicographic order.

    Raises
    ------
    InputError
        For more than 8 items.
    """
    message = f"all orders are tried for 1 to {MOST_ITEMS} items, got {items}"
    require(1 <= items <= MOST_ITEMS, message, "items")
    return np.array(list(permutations(range(items))), np.int64)


def ranks_of(orders: Integers) -> Integers:
    """Return the rank of each item, from 0, in orders (..., m)."""
    return np.argsort(orders, axis=-1)


@dataclass(frozen=True)
class Discounted(Utility):
    """DCG = ``sum_r G(y_(r)) D(r)``, r <= k; NDCG: divided by ``||G||_D``, that of the ideal order.

    Both are linear in the labels' standard form: G for DCG, G/||G||_D for NDCG (Ravikumar, Tewari and
    Yang 2011, Lemma 4; with a cutoff, Buffoni et al. 2011). The utility of a list with ||G||_D = 0 is 0.

    Parameters
    ----------
    measure : Measure
        NDCG or DCG.
    """

    measure: Measure

    def __str__(self) -> str:
        return str(self.measure)

    def weights(self, items: int) -> Floats:
        """Return D(1), …, D(m), with 0 beyond the cutoff."""
        ranks = np.arange(1.0, items + 1)
        return np.where(ranks <= self.measure.cutoff(items), self.measure.discount(ranks, float(items)), 0.0)

    def ideal(self, labels: Floats) -> Floats:
        """Return ||G||_D of label vectors (..., m): the DCG of their ideal order."""
        best = -np.sort(-self.gains(labels), axis=-1)
        return np.asarray(best @ self.weights(labels.shape[-1]))

    def standardised(self, labels: Floats) -> Floats:
        gains = self.gains(labels)
        if not self.measure.normalised:
            return gains
        ideal = self.ideal(labels)[..., None]
        return np.divide(gains, ideal, out=np.zeros_like(gains), where=ideal > 0)

    def expected(self, orders: Integers, labels: Floats, probabilities: Floats) -> Floats:
        mean = probabilities @ self.standardised(labels)
        return np.asarray(mean[orders] @ self.weights(labels.shape[-1]))


@dataclass(frozen=True)
class PairwiseDisagreement(Utility):
    """PD: minus the total weight of the pairs in the wrong order (Duchi et al. 2010).

    It is ``-sum_ij a_ij 1(i below j)``. Its standardisation is ``m C + sum_k (a_ik - a_ki)``, where C is the
    largest weight of the list (Buffoni et al. 2011); sorting by its mean is optimal where the mean weights
    are low-noise.

    Parameters
    ----------
    weights : {"order", "gain"}
        a_ij = 1 where y_i > y_j, or the difference of the gains.
    """

    weights: PairWeights = "order"

    def __post_init__(self) -> None:
        super().__post_init__()
        require_choice(self.weights, WEIGHTS, "weights")

    def __str__(self) -> str:
        return "PD" if self.weights == "order" else f"PD({self.weights})"

    def pairs(self, labels: Floats) -> Floats:
        """Return the weights a_ij, (..., m, m)."""
        return pair_weights(labels, self.gain, self.weights)

    def standardised(self, labels: Floats) -> Floats:
        pairs = self.pairs(labels)
        largest = pairs.max(axis=(-2, -1))[..., None]
        return np.asarray(labels.shape[-1] * largest + net_preference(pairs))

    def expected(self, orders: Integers, labels: Floats, probabilities: Floats) -> Floats:
        mean = np.tensordot(probabilities, self.pairs(labels), 1)
        ranks = ranks_of(orders)
        total = np.zeros(len(orders))
        for i, j in np.argwhere(mean > 0).tolist():
            total -= mean[i, j] * (ranks[:, i] > ranks[:, j])
        return total


_ALLOWED = "a measure such as nDCG@10 or DCG(zipf), PD or PD(gain)"


def utility_of(measure: Utility | Measure | str, gain: Gain = "exp2") -> Utility:
    """Return the utility that a text names: `nDCG@10`, `DCG(zipf)`, `PD`, `PD(gain)`.

    >>> str(utility_of("nDCG@10")), str(utility_of("DCG(zipf)")), str(utility_of("PD(gain)"))
    ('nDCG@10', 'DCG(zipf)', 'PD(gain)')

    Raises
    ------
    InputError
        For any other text; the message lists what is allowed.
    """
    if isinstance(measure, Utility):
        return measure
    if isinstance(measure, Measure):
        return Discounted(gain, measure)
    if not isinstance(measure, str):
        raise InputError(f"must be {_ALLOWED}, got {brief(measure)}", "measure")
    text = "".join(measure.split())
    if text in ("PD", "PD(gain)"):
        return PairwiseDisagreement(gain, "order" if text == "PD" else "gain")
    if text.startswith(("nDCG", "DCG")):
        return Discounted(gain, Measure.parse(measure))
    raise InputError(f"must be {_ALLOWED}, got {brief(measure)}", "measure")
