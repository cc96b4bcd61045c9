"""The greatest regret of a loss over all distributions.

A listwise loss sorts by E[T(Y)], and under a linear utility the value of an order is
Σ E[r_i(Y)] D(rank of i). Number the items so that the loss orders them 0, 1, …. For each other order σ the
regret is linear in the probabilities of the label vectors, and so are the conditions E[T_0] >= E[T_1] >= ….
The greatest regret is therefore the largest of the m! optima of linear programs, and a vertex has at most m
label vectors. At the optimum some E[T_i] are equal, so the value is a supremum: distributions under which
the loss's order is strict come as near to it as one likes.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
from scipy.optimize import linprog

from ndcg_asymptotics.core.arrays import Floats, floats, whole_number
from ndcg_asymptotics.core.errors import InputError, require
from ndcg_asymptotics.core.progress import tracked
from ndcg_asymptotics.learning.labels import LARGEST_LABEL
from ndcg_asymptotics.learning.losses import Listwise, Loss
from ndcg_asymptotics.learning.problem import Problem
from ndcg_asymptotics.learning.utilities import MOST_ITEMS, Discounted, Utility, all_orders, ranks_of

_LARGEST_PROGRAM = 3e6  # label vectors times orders for which the linear programs are solved
_ROUNDING = 1e-12  # regrets up to this count as 0
_STRICT_SHARE = 1e-3  # the probability in the example that makes the loss's order strict


@dataclass(frozen=True)
class Worst:
    """The highest regret that a loss can have.

    Attributes
    ----------
    regret : float
        The supremum over all distributions of label vectors with these items and grades.
    example : Problem
        A problem whose regret is within a relative 0.001 of it, and in which the loss's order 0, 1, … is
        strict.
    """

    regret: float
    example: Problem


def worst_regret(loss: Loss | Floats, utility: Utility, *, items: int, grades: int) -> Worst:
    """Return the highest regret of the order of a loss, over all distributions of labels 0 … grades - 1.

    Parameters
    ----------
    loss : Loss, or an array (grades^items, items)
        A listwise loss, or its targets for all label vectors in lexicographic order.
    utility : Utility
        DCG or NDCG, with any discount and cutoff.
    items, grades : int

    Raises
    ------
    InputError
        For another kind of loss or utility, or if there are too many label vectors.

    >>> from ndcg_asymptotics.learning.utilities import utility_of
    >>> worst = worst_regret(Loss.parse("squared"), utility_of("nDCG"), items=2, grades=5)
    >>> round(worst.regret, 4), worst.example.labels[:2].tolist()
    (0.3229, [[0.0, 1.0], [4.0, 0.0]])
    """
    if not isinstance(utility, Discounted):
        raise InputError(f"the worst regret is known for DCG and NDCG, not for {utility}", "measure")
    grades = whole_number(grades, "grades", 2, int(LARGEST_LABEL))
    items = whole_number(items, "items", 1, MOST_ITEMS)
    few = float(grades) ** items * len(all_orders(items)) <= _LARGEST_PROGRAM
    require(few, f"{items} items of {grades} grades are too many", "items")
    labels = np.array(list(product(range(grades), repeat=items)), np.float64)
    targets = _targets(loss, labels, utility)
    value = utility.standardised(labels)
    weights = utility.weights(items)
    steps = (targets[:, 1:] - targets[:, :-1]).T  # E[T_1 - T_0] <= 0, …
    scale = max(float(np.abs(steps).max(initial=0.0)), 1e-300)
    best, chances = 0.0, np.eye(len(labels))[0]
    for ranks in tracked(
        ranks_of(all_orders(items)), f"{loss if isinstance(loss, Loss) else 'loss'}, orders"
    ):
        gain = value @ (weights[ranks] - weights)
        if gain.max() <= best:  # the regret is a mean of these gains
            continue
        total, zeros = np.ones((1, len(labels))), np.zeros(items - 1)
        program: Any = linprog(-gain, A_ub=steps / scale, b_ub=zeros, A_eq=total, b_eq=[1.0], method="highs")
        if program.status != 0:
            raise RuntimeError(f"the linear program was not solved ({program.message})")
        if -program.fun > best:
            best, chances = -float(program.fun), np.asarray(program.x)
    best = best if best > _ROUNDING else 0.0
    return Worst(best, _strict(labels, chances, grades, utility))


def _targets(loss: Loss | Floats, labels: Floats, utility: Discounted) -> Floats:
    if not isinstance(loss, Loss):
        loss = floats(loss, "loss", "a listwise loss or its targets")
        require(loss.shape == labels.shape, f"must have shape {labels.shape}, got {loss.shape}", "loss")
        return loss
    if not isinstance(loss, Listwise):
        raise InputError(f"the worst regret is known for listwise losses, not for {loss}", "loss")
    targets = loss.target(labels, utility)
    return targets * loss.contributes(targets)[:, None]


def _strict(labels: Floats, chances: Floats, grades: int, utility: Utility) -> Problem:
    """Return a vertex as a problem, with a little probability on vectors (top, …, 0, …) that break ties."""
    support = np.flatnonzero(chances > 1e-12)
    items = labels.shape[1]
    steps = np.tril(np.full((items - 1, items), float(grades - 1)))
    share = np.full(len(steps), _STRICT_SHARE / max(len(steps), 1))
    vertex = chances[support] / chances[support].sum() * (1 - share.sum())
    rows, inverse = np.unique(np.vstack([labels[support], steps]), axis=0, return_inverse=True)
    return Problem(rows, np.bincount(inverse.reshape(-1), np.concatenate([vertex, share])), utility)
