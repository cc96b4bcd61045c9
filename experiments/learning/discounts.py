"""The worst and the typical regret of a surrogate that is normalised for another discount.

Rows are the targets whose mean a loss sorts by: G/||G||_D for a discount D, or G, G/|G|, softmax y. Columns
are the discounts of the NDCG that is evaluated. The worst regret is exact (a linear program over all
distributions of labels 0 … 4 of four items), beside the bound 1 - min F_1/F_2 / max F_1/F_2; the typical one
is a mean over 200,000 distributions of three label vectors, uniform on everything.
"""

from __future__ import annotations

from itertools import product

import numpy as np
from keeping import keep
from numpy.typing import NDArray

from ndcg_asymptotics.core.progress import show_progress, tracked
from ndcg_asymptotics.learning import worst_regret
from ndcg_asymptotics.learning.losses import Listwise, Loss
from ndcg_asymptotics.learning.utilities import Discounted
from ndcg_asymptotics.measures import Measure

DISCOUNTS = ("log", "power(0.5)", "zipf", "power(2)", "geometric(2)", "linear", "log@1", "log@2")
OTHERS = ("squared", "cosine", "listnet")
ITEMS, GRADES, VECTORS, DISTRIBUTIONS = 4, 5, 3, 200_000


def utility(name: str) -> Discounted:
    """Return NDCG with a discount, and a cutoff if the name has one."""
    discount, _, cutoff = name.partition("@")
    return Discounted("exp2", Measure(discount, cutoff))


def targets(name: str, labels: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the targets of a row of the table."""
    if name not in OTHERS:
        return utility(name).standardised(labels)
    loss = Loss.parse(name)
    assert isinstance(loss, Listwise)
    return loss.target(labels, utility("log"))


def bound(row: str, column: str) -> float | None:
    """Return the bound of the worst regret for two discounts; None if some D(r) of the row is 0."""
    if row in OTHERS:
        return None
    ratio = np.cumsum(utility(row).weights(ITEMS)) / np.cumsum(utility(column).weights(ITEMS))
    return float(1 - ratio.min() / ratio.max())


def main() -> None:
    """Solve the linear programs, draw distributions, and write the tables."""
    rng = np.random.default_rng(3)
    every = np.array(list(product(range(GRADES), repeat=ITEMS)), np.float64)
    labels = rng.integers(0, GRADES, (DISTRIBUTIONS, VECTORS, ITEMS)).astype(np.float64)
    chances = rng.dirichlet(np.ones(VECTORS), DISTRIBUTIONS)
    mean = {name: np.einsum("dv,dvi->di", chances, targets(name, labels)) for name in (*OTHERS, *DISCOUNTS)}
    table = []
    with show_progress():
        for row, column in tracked(product((*OTHERS, *DISCOUNTS), DISCOUNTS), "cells"):
            goal = utility(column)
            worst = worst_regret(targets(row, every), goal, items=ITEMS, grades=GRADES)
            order = np.argsort(-mean[row], axis=1, kind="stable")
            value = mean[column]
            lost = np.sort(value, axis=1)[:, ::-1] - np.take_along_axis(value, order, axis=1)
            regret = lost @ goal.weights(ITEMS)
            regret = np.where(regret > 1e-12, regret, 0.0)
            table.append(
                {
                    "row": row,
                    "column": column,
                    "worst": worst.regret,
                    "bound": bound(row, column),
                    "typical": float(regret.mean()),
                    "se": float(regret.std() / np.sqrt(DISTRIBUTIONS)),
                    "wrong": float((regret > 0).mean()),
                    "example": worst.example.labels.tolist(),
                    "probabilities": worst.example.probabilities.tolist(),
                }
            )
    keep("discounts", {"rows": [*OTHERS, *DISCOUNTS], "columns": DISCOUNTS, "table": table, "items": ITEMS})


if __name__ == "__main__":
    main()
