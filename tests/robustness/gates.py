"""How often a gate is wrong, by simulation with known truth.

``python -m robustness.gates [REPETITIONS]`` prints the table of docs/howto/gate.md: how often a new run that
is exactly as good fails `--fail-if-worse`, and how often one that is worse by exactly the margin passes
`--fail-unless-noninferior`. Measures have the correlation 0.5. Differences are normal, skewed (exponential),
or normal in three of ten queries and 0 in the others.
"""

from __future__ import annotations

import sys

import numpy as np
from scipy import special

from ndcg_asymptotics.analysis.runs.gate import gate
from ndcg_asymptotics.analysis.runs.values import compare_values
from ndcg_asymptotics.core.arrays import Floats
from ndcg_asymptotics.lists.values import RunValues

MARGIN = 0.05  # a quarter of the standard deviation of normal differences


def differences(kind: str, queries: int, measures: int, rng: np.random.Generator) -> Floats:
    """Draw differences of mean 0, (queries, measures)."""
    shared, own = rng.standard_normal((queries, 1)), rng.standard_normal((queries, measures))
    x = np.sqrt(0.5) * (shared + own)
    if kind == "skewed":
        return np.asarray(-0.2 * (special.log_ndtr(-x) + 1))
    return np.asarray(0.2 * x * (rng.random((queries, 1)) < (0.3 if kind == "ties" else 1)))


def wrong(kind: str, queries: int, measures: int, repetitions: int) -> tuple[float, float]:
    """Return how often an equal run fails the one gate, and one at the margin passes the other."""
    rng = np.random.default_rng([queries, measures, repetitions])
    names = tuple(map(str, range(queries))), tuple(f"m{i}" for i in range(measures))
    fails = passes = 0
    for seed in range(repetitions):
        d = differences(kind, queries, measures, rng)
        equal, worse = (
            compare_values(
                RunValues(("new", "old"), *names, np.stack([d - loss, np.zeros_like(d)])),
                resamples=499,
                seed=seed,
            )
            for loss in (0.0, MARGIN)
        )
        fails += not gate(equal).passed
        passes += gate(worse, margin=MARGIN).passed
    return fails / repetitions, passes / repetitions


def main(repetitions: int) -> None:
    """Print the table."""
    print("differences  queries  measures  fails  passes")
    for kind in ("normal", "skewed", "ties"):
        for queries in (20, 50, 200):
            for measures in (1, 3):
                fails, passes = wrong(kind, queries, measures, repetitions)
                print(f"{kind:11}  {queries:7}  {measures:8}  {fails:.3f}  {passes:.3f}", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1000)
