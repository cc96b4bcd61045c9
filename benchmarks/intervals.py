"""How often the intervals of `compare` hold the true mean difference, beside those of other methods.

Differences over queries of seven kinds, at a level of 95%. A sample in which every query ties has no interval
and does not count. `python -m benchmarks.intervals [samples]`, 2000 by default.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable

import numpy as np
from scipy import stats

from ndcg_asymptotics.core.arrays import Floats
from ndcg_asymptotics.stats.paired import paired_differences, permutation_tests, student_test

Draw = Callable[[np.random.Generator, int], Floats]
RESAMPLES = 999
KINDS: dict[str, tuple[float, Draw]] = {
    "dense: normal": (0.1, lambda rng, n: rng.normal(0.1, 0.3, n)),
    "dense: beta(2, 3) - beta(1/2, 3/2)": (0.15, lambda rng, n: rng.beta(2, 3, n) - rng.beta(0.5, 1.5, n)),
    "dense, skewed: exponential": (0.1, lambda rng, n: rng.exponential(0.1, n)),
    "sparse: -1, 0, 1 with 0.1, 0.65, 0.25": (
        0.15,
        lambda rng, n: rng.choice([-1.0, 0.0, 1.0], p=[0.1, 0.65, 0.25], size=n),
    ),
    "rare: 10% lose 1": (-0.1, lambda rng, n: -(rng.random(n) < 0.1).astype(float)),
    "rare: 10%, exponential": (0.01, lambda rng, n: (rng.random(n) < 0.1) * rng.exponential(0.1, n)),
    "sparse: 80% ties, else uniform, two of three positive": (
        0.2 / 6,
        lambda rng, n: (rng.random(n) < 0.2) * rng.choice([-1, 1, 1], n) * rng.random(n),
    ),
}


def covered(kind: str, queries: int, samples: int) -> dict[str, float]:
    """Return by method the share of samples, without those of ties only, whose interval holds the mean."""
    mean, draw = KINDS[kind]
    rng, found = np.random.default_rng([queries, *kind.encode()]), []
    for seed in range(samples):
        d = draw(rng, queries)
        if not d.any():
            continue
        ((permutation, *_),) = permutation_tests(d[:, None], 0.05, RESAMPLES, rng)
        student, _ = student_test(float(d.mean()), float(d.std(ddof=1)), queries, 0.05)
        ours = paired_differences(d[:, None], resamples=RESAMPLES, seed=seed)[0].interval
        assert ours is not None
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            bca = stats.bootstrap((d,), np.mean, n_resamples=RESAMPLES, rng=rng).confidence_interval
        found.append([i.low <= mean <= i.high for i in (ours, permutation, student, bca)])
    means = np.mean(found, axis=0).tolist()
    return dict(zip(("compare", "permutation", "Student", "BCa"), means, strict=True))


def main() -> None:
    """Print a row for each kind and number of queries."""
    samples = int(sys.argv[1]) if len(sys.argv) > 1 else 2000
    print("| differences | queries | compare | permutation alone | Student alone | BCa bootstrap |")
    print("|---|---|---|---|---|---|")
    for kind in KINDS:
        for queries in (50, 100, 200, 400) if kind.startswith("rare") else (6, 10, 20, 50):
            rates = covered(kind, queries, samples).values()
            print(f"| {kind} | {queries} | {' | '.join(f'{rate:.3f}' for rate in rates)} |", flush=True)


if __name__ == "__main__":
    main()
