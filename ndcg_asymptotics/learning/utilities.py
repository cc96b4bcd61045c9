"""The utility of an order of items: DCG and NDCG, AP, ERR and pairwise disagreement."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise, permutations

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

    def standardised(self, labels: Floats) -> Floats:
        """Return r(y), a function such that sorting by E[r(Y)] is optimal.

        The *standardisation* of Buffoni, Calauzènes, Gallinari and Usunier (2011).

        Parameters
        ----------
        labels : (..., m)

        Returns
        -------
        (..., m), not negative

        Raises
        ------
        InputError
            If there is no such function.
        """
        raise InputError(f"{self} has no standardisation")

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
class AveragePrecision(Utility):
    """AP: the mean, over items with a positive label, of the precision at their rank.

    It has no standardisation (Buffoni et al. 2011). The AP of a list without a positive label is 0.
    """

    def __str__(self) -> str:
        return "AP"

    def expected(self, orders: Integers, labels: Floats, probabilities: Floats) -> Floats:
        ranks = np.arange(1.0, labels.shape[-1] + 1)
        total = np.zeros(len(orders))
        for relevant, probability in zip(require_every_label(labels) > 0, probabilities, strict=True):
            hits = relevant[orders]
            precision = np.cumsum(hits, axis=-1) / ranks
            total += probability * (precision * hits).sum(axis=-1) / max(relevant.sum(), 1)
        return total


@dataclass(frozen=True)
class ExpectedReciprocalRank(Utility):
    """ERR = ``sum_r (1/r) R_(r) prod_{q<r} (1 - R_(q))``, R = G / (1 + the largest G).

    With gains 2^y - 1 this is Chapelle et al. (2009), R = (2^y - 1) / 2^(largest y); the largest is taken
    over all label vectors of the problem. It has no standardisation (Buffoni et al. 2011).
    """

    def __str__(self) -> str:
        return "ERR"

    def expected(self, orders: Integers, labels: Floats, probabilities: Floats) -> Floats:
        gains = self.gains(labels)
        ranks = np.arange(1.0, labels.shape[-1] + 1)
        total = np.zeros(len(orders))
        for satisfied, probability in zip(gains / (1 + gains.max()), probabilities, strict=True):
            stops = satisfied[orders]
            passed = np.cumprod(1 - stops, axis=-1)
            before = np.concatenate([np.ones((len(orders), 1)), passed[:, :-1]], axis=1)
            total += probability * (stops * before / ranks).sum(axis=-1)
        return total


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


@dataclass(frozen=True)
class ExactOrder(Utility):
    """The probability that an order is that of the labels: 1 minus the 0/1 error of permutations.

    No two items of a list may have equal labels. The standardisation is the number of items with a label of
    at most y_i, which is ``m + 1 - rank``; sorting by its mean gives the most probable order where the law is
    order-preserving (`require_order_preserving`), as Plackett and Luce's is (Buffoni et al. 2011, section
    5.4, after Xia et al. 2008).
    """

    def __str__(self) -> str:
        return "0/1"

    def standardised(self, labels: Floats) -> Floats:
        places = ranks_of(np.argsort(require_every_label(labels), axis=-1)).astype(np.float64) + 1
        distinct = (np.diff(np.sort(labels, axis=-1), axis=-1) > 0).all()
        require(bool(distinct), "0/1 needs different labels for the items of a list", "labels")
        return places

    def expected(self, orders: Integers, labels: Floats, probabilities: Floats) -> Floats:
        places = labels.shape[-1] - self.standardised(labels)  # ranks from 0
        matches = (ranks_of(orders)[:, None, :] == places[None, :, :]).all(axis=-1)
        return np.asarray(matches @ probabilities)


def require_order_preserving(labels: Floats, probabilities: Floats, order: Integers) -> None:
    """Raise an error for a law of permutations that does not preserve the order of each pair of neighbours.

    It preserves the order of i before j if no label vector with y_i > y_j is less probable than the same
    vector with the two labels exchanged (Xia et al. 2008).

    Raises
    ------
    InputError
        If this fails; the message names the first two neighbours in ``order``.

    >>> require_order_preserving(np.array([[2.0, 1.0], [1.0, 2.0]]), np.array([0.6, 0.4]), np.array([0, 1]))
    """
    places = ExactOrder("linear").standardised(labels).astype(np.int64)
    chance: dict[tuple[int, ...], float] = {}
    for row, p in zip(places.tolist(), probabilities.tolist(), strict=True):
        chance[tuple(row)] = chance.get(tuple(row), 0.0) + p
    for i, j in pairwise(order.tolist()):
        for row, p in chance.items():
            swapped = list(row)
            swapped[i], swapped[j] = row[j], row[i]
            exchanged = chance.get(tuple(swapped), 0.0)
            if row[i] < row[j] and p > exchanged * (1 + 1e-12):
                raise InputError(
                    f"the law is not order-preserving at items {i}, {j}: {i} is before {j} on average, but "
                    f"an order with {j} before {i} has the probability {p:g}, and {exchanged:g} with the two "
                    "exchanged"
                )


_ALLOWED = "a measure such as nDCG@10 or DCG(zipf), AP, ERR, PD, PD(gain) or 0/1"


def utility_of(measure: Utility | Measure | str, gain: Gain = "exp2") -> Utility:
    """Return the utility that a text names: `nDCG@10`, `DCG(zipf)`, `AP`, `ERR`, `PD`, `PD(gain)`, `0/1`.

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
    match text:
        case "AP":
            return AveragePrecision(gain)
        case "ERR":
            return ExpectedReciprocalRank(gain)
        case "PD":
            return PairwiseDisagreement(gain)
        case "PD(gain)":
            return PairwiseDisagreement(gain, "gain")
        case "0/1":
            return ExactOrder(gain)
    if text.startswith(("nDCG", "DCG")):
        return Discounted(gain, Measure.parse(measure))
    raise InputError(f"must be {_ALLOWED}, got {brief(measure)}", "measure")
