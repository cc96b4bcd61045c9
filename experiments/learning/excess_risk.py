"""Regret and its bounds by excess risk (Theorems 10 and 11) for random problems and random scores."""

from __future__ import annotations

import numpy as np
from keeping import keep

from ndcg_asymptotics.learning import Problem, excess_risk
from ndcg_asymptotics.learning.losses import Listwise, Loss

LOSSES = ("squared_consistent", "pnorm(1.5)", "pnorm(1.1)")
PROBLEMS = 3000
ITEMS, GRADES, VECTORS = 4, 5, 3


def main() -> None:
    """Draw problems, move the minimiser by a random amount, and write the regrets and bounds."""
    found = {}
    for text in LOSSES:
        loss = Loss.parse(text)
        assert isinstance(loss, Listwise)
        rng = np.random.default_rng(10)
        rows = []
        for _ in range(PROBLEMS):
            labels = rng.integers(0, GRADES, (VECTORS, ITEMS)).astype(np.float64)
            problem = Problem(labels, rng.dirichlet(np.ones(VECTORS)))
            best = loss.minimiser(problem.labels, problem.probabilities, problem.utility).scores
            assert best is not None
            scores = best + 10 ** rng.uniform(-4, 1) * rng.normal(size=ITEMS)
            risk = excess_risk(problem, scores, loss)
            row = risk.losses[0]
            assert row.bound is not None
            assert row.margin_bound is not None
            rows.append([row.excess, risk.regret, row.bound, row.margin_bound])
        found[text] = rows
    above = {
        text: [sum(regret > 0 and regret > row[k] for row in rows for regret in [row[1]]) for k in (2, 3)]
        for text, rows in found.items()
    }
    print("points above the bounds of Theorems 10 and 11:", above)
    keep("excess_risk", {"losses": LOSSES, "points": found, "above": above})


if __name__ == "__main__":
    main()
