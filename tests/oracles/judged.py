"""NDCG by a judge's labels in short lists, by enumerating every order and every set of labels.

Relevant items have depths with the distribution function t^kappa, others uniform ones. Items in the order
i_1, …, i_n from the top have the probability ``prod_j kappa_(i_j) / (kappa_(i_1) + … + kappa_(i_j))``.
Nothing is shared with the package.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import permutations, product
from typing import Any

import numpy as np

Discount = Callable[[Any, float], Any]


def orders(kappas: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Every order of the items, the first at the top, and its probability."""
    every = np.array(list(permutations(range(kappas.size))))
    sorted_ = kappas[every]
    return every, np.prod(sorted_ / np.cumsum(sorted_, axis=1), axis=1)


def values(
    kappa: float, relevant: int, n: int, judge: tuple[float, float], discount: Discount, k: int, ideal: bool
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Probabilities of the labels (Z,), and mean and variance of NDCG' or DCG' over orders given each."""
    fpr, fnr = judge
    every, chances = orders(np.array([kappa] * relevant + [1.0] * (n - relevant)))
    labels = np.array(list(product((0.0, 1.0), repeat=n)))
    yes = np.array([1 - fnr] * relevant + [fpr] * (n - relevant))
    law = np.prod(np.where(labels == 1, yes, 1 - yes), axis=1)
    weights = np.where(np.arange(1, n + 1) <= k, discount(np.arange(1.0, n + 1), n), 0.0)
    dcg = labels[:, every] @ weights  # (Z, orders)
    best = np.sort(labels, axis=1)[:, ::-1] @ weights if ideal else np.ones(len(labels))
    found = np.divide(dcg, best[:, None], out=np.zeros_like(dcg), where=best[:, None] > 0)
    means = found @ chances
    return law, means, ((found - means[:, None]) ** 2) @ chances


def mean_and_sd(*parts: tuple[np.ndarray, np.ndarray, np.ndarray]) -> tuple[float, float]:
    """Mean and standard deviation of one scorer, or of the difference of two that share the labels."""
    law = parts[0][0]
    means = parts[0][1] - (parts[1][1] if len(parts) > 1 else 0.0)
    mean = law @ means
    return float(mean), float(np.sqrt(law @ (means - mean) ** 2 + law @ sum(part[2] for part in parts)))
