"""Weighted draws against plain simulation, wherever both see: P(wrong) between 0.01 and 0.4.

`python -m robustness.rare_agreement [DRAWS]`; exit status 1 if any disagrees at a family-wise level of 1e-3.
"""

from __future__ import annotations

import sys

import numpy as np
from scipy import stats

from ndcg_asymptotics.engines import items, rare
from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.populations import Population
from ndcg_asymptotics.studies import Design
from ndcg_asymptotics.theory.rare import tilt

PAIRS = (
    ("linear(0.1, 0.5)", "linear(0.2, 0.4)"),
    ("linear(0.2, 0.6)", "linear(0.45, 0.35)"),
    ("graded(3=polynomial(0.5, -0.4), 1=polynomial(0.1, 0.2))", "graded(3=constant(0.3), 1=constant(0.2))"),
    ("step(0.1, 0.9, 0.8)", "power(prevalence=0.26, top=0.7, exponent=2)"),
)
MEASURES = ("nDCG", "nDCG(power(0.7))", "nDCG(zipf)", "nDCG@0.2n", "nDCG@n^0.5")
SIZES = (50, 200, 1000)
LEVEL = 1e-3
PLAIN = 5000


def main() -> int:
    """Print a line per combination; 1 if any disagrees or fewer than 20 can be compared."""
    draws = int(sys.argv[1]) if len(sys.argv) > 1 else 600
    measures = tuple(map(Measure.parse, MEASURES))
    scores = []
    for i, (a, b) in enumerate(PAIRS):
        population = Population.of({"a": a, "b": b})
        design = Design(population, measures, SIZES, seed=20 + i, pairs=(("a", "b"),))
        scorers = population.scorers
        leaders = np.array(
            [[tilt(scorers["a"].model, scorers["b"].model, m, SIZES[-1]).leader] for m in measures]
        )
        plain = np.array([items.simulate(design, r)["order"][0] for r in range(PLAIN)]) != leaders
        found = [rare.simulate(design, r) for r in range(draws)]
        wrong = np.array([d["order"][0] for d in found]) != leaders
        weight = np.exp([d["log_weight"][0] for d in found]) * wrong
        for m, k in np.ndindex(len(measures), len(SIZES)):
            p, ours = plain[:, m, k].mean(), weight[:, m, k]
            if not 0.01 <= p <= 0.4:
                continue
            z = (ours.mean() - p) / np.hypot(ours.std() / np.sqrt(draws), np.sqrt(p * (1 - p) / PLAIN))
            scores.append(z)
            where = f"{a[:18]:18}  {MEASURES[m]:16}  n = {SIZES[k]:5}"
            print(f"{where}  plain {p:.4f}  weighed {ours.mean():.4f}  z {z:+.2f}", flush=True)
    limit = float(stats.norm.isf(LEVEL / 2 / len(scores)))
    worst = float(np.max(np.abs(scores)))
    print(f"{len(scores)} combinations, largest |z| {worst:.2f}, allowed {limit:.2f}")
    return int(worst > limit or len(scores) < 20)


if __name__ == "__main__":
    sys.exit(main())
