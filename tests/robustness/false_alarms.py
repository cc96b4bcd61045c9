"""Measure how often `check` rejects correct studies, and how often it detects a mean that is 20% off.

Three hundred seeds of populations whose values are skewed or rare, alpha = 0.05.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

from scipy import stats

import ndcg_asymptotics as na

ALPHA = 0.05
POPULATIONS = {
    "constant(0.4)": "nDCG",
    "constant(0.02)": "nDCG",
    "constant(0.005)": "nDCG",
    "constant(0.05)": "nDCG(geometric(2))",
    "linear(0.0, 0.6)": "nDCG(zipf)@10",
    "graded(31=constant(0.01), 1=linear(0.2, 0.4))": "nDCG",
}


def alarms(scorer: str, measure: str, seeds: Sequence[int], perturb: float = 0.0) -> int:
    """Count the studies whose means disagree with theory."""
    found = 0
    for seed in seeds:
        study = na.Study(scorers={"a": scorer}, measures=measure, n=[200, 2000], replicates=60, seed=seed)
        rows = na.check(na.run(study, jobs=1), alpha=ALPHA, perturb=perturb).rows
        found += any(row.verdict == "disagrees" for row in rows)
    return found


def main() -> None:
    """Print a line for each population."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 300
    for scorer, measure in POPULATIONS.items():
        of_truth = alarms(scorer, measure, range(count))
        interval = stats.binomtest(of_truth, count).proportion_ci(0.95, "exact")
        of_wrong = alarms(scorer, measure, range(min(count, 100)), 0.2)
        print(
            f"{scorer}, {measure}: false alarms {100 * of_truth / count:.1f}% "
            f"[{100 * interval.low:.1f}, {100 * interval.high:.1f}], "
            f"20% error detected in {100 * of_wrong / min(count, 100):.0f}%",
            flush=True,
        )


if __name__ == "__main__":
    main()
