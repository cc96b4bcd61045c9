"""What an order of items is worth, given their labels."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import lru_cache
from itertools import permutations

import numpy as np

from ndcg_asymptotics.core.arrays import Floats, Integers
from ndcg_asymptotics.core.errors import require
from ndcg_asymptotics.learning.gains import Gain, gains_of

MOST_ITEMS = 8
"""Up to this many items all orders are tried."""


@dataclass(frozen=True)
class Utility(ABC):
    """The value of an order, the higher the better.

    Parameters
    ----------
    gain : {"exp2", "linear"}
        How labels become gains.
    """

    gain: Gain

    def __post_init__(self) -> None:
        gains_of(np.zeros(1), self.gain)

    @abstractmethod
    def expected(self, orders: Integers, labels: Floats, probabilities: Floats) -> Floats:
        """The expected utility of orders under a distribution of label vectors.

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
    def standardised(self, labels: Floats) -> Floats | None:
        """A function r(y) such that sorting by E[r(Y)] is optimal; None where there is no such function.

        The *standardisation* of Buffoni, Calauzènes, Gallinari and Usunier (2011).

        Parameters
        ----------
        labels : (..., m)

        Returns
        -------
        (..., m), not negative
        """

    @property
    def is_linear(self) -> bool:
        """Whether an order is worth ``sum_i E[r_i(Y)] D(rank of i)``."""
        return False

    def gains(self, labels: Floats) -> Floats:
        """The gains of labels, none of which may be missing."""
        return gains_of(judged(labels), self.gain)


def judged(labels: Floats) -> Floats:
    """The labels themselves.

    Raises
    ------
    InputError
        If one is missing.
    """
    require(not np.isnan(labels).any(), "every item needs a label here, got NaN", "labels")
    return labels


@lru_cache(maxsize=MOST_ITEMS)
def all_orders(items: int) -> Integers:
    """Every order of so many items, (m!, m), lexicographically.

    Raises
    ------
    InputError
        For more than 8 items.
    """
    allowed = f"all orders are tried for 1 to {MOST_ITEMS} items, got {items}"
    require(1 <= items <= MOST_ITEMS, allowed, "items")
    return np.array(list(permutations(range(items))), np.int64)


def ranks_of(orders: Integers) -> Integers:
    """The place of each item, from 0, in orders (..., m)."""
    return np.argsort(orders, axis=-1)
