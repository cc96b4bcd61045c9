"""How often a gate is wrong, by simulation with known truth.

``python -m robustness.gates [REPETITIONS]`` prints the tables of docs/howto/gate.md: how often a new run that
is exactly as good fails `--fail-if-worse`, and how often one that is worse by exactly the margin passes
`--fail-unless-noninferior`. Measures have the correlation 0.5. Differences are normal, skewed (exponential),
or normal in three of ten queries and 0 in the others. Rare losses are of 1, in a share of the queries that is
the margin; the other queries are equal, or differ by normal noise. The differences of a judge of all queries
have the correlation 0.8 with those of humans before skew and ties, of which it finds the same, and favour the
new run.
"""

from __future__ import annotations

import sys
from typing import Any, cast

import numpy as np
from scipy import special

from ndcg_asymptotics.analysis.runs.combined import combine, corrected_for_all
from ndcg_asymptotics.analysis.runs.compare import compare
from ndcg_asymptotics.analysis.runs.correction import MultipleTests
from ndcg_asymptotics.analysis.runs.gate import gate
from ndcg_asymptotics.analysis.runs.judge import of_both
from ndcg_asymptotics.analysis.runs.judged import JudgedComparison, JudgedMeasure, JudgedPair
from ndcg_asymptotics.core.arrays import Floats
from ndcg_asymptotics.lists.values import MeasureScale, RunValues

_FRACTION = MeasureScale(bounds=(0.0, 1.0))
MARGIN = 0.05  # a quarter of the standard deviation of normal differences
CORRELATION, FAVOUR = 0.8, 0.1  # of the judge


def _normal(queries: int, measures: int, rng: np.random.Generator) -> Floats:
    """Draw standard normal numbers, (queries, measures), of which two measures have the correlation 0.5."""
    shared, own = rng.standard_normal((queries, 1)), rng.standard_normal((queries, measures))
    return np.asarray(np.sqrt(0.5) * (shared + own))


def _of_kind(kind: str, x: Floats, differ: Floats) -> Floats:
    """Return differences of mean 0 that belong to standard normal numbers; ``differ`` is uniform."""
    if kind == "skewed":
        return np.asarray(-0.2 * (special.log_ndtr(-x) + 1))
    return np.asarray(0.2 * x * (differ < (0.3 if kind == "ties" else 1)))


def differences(kind: str, queries: int, measures: int, rng: np.random.Generator) -> Floats:
    """Draw differences of mean 0, (queries, measures)."""
    return _of_kind(kind, _normal(queries, measures, rng), rng.random((queries, 1)))


def judged(human: Floats, judge: Floats, seed: int) -> JudgedComparison:
    """Return a comparison by differences of humans and of a judge, with what a gate looks at."""
    found = combine(human, judge)
    p = corrected_for_all(human, judge, found, resamples=499, seed=seed)
    others = cast(Any, None)  # what other labels show, and the quality of the judge
    rows = tuple(
        JudgedMeasure(
            f"m{i}", others, others, of_both(f"m{i}", one, p[i], len(human), MultipleTests()), others
        )
        for i, one in enumerate(found)
    )
    pairs = (JudgedPair("new", "old", rows),)
    return JudgedComparison(("new", "old"), len(human), len(judge), 0.95, 0.8, "maxt", pairs, others)


def wrong_with_judge(
    kind: str, humans: int, every: int, measures: int, repetitions: int
) -> tuple[float, float]:
    """Return the same as `wrong` for ``humans`` queries judged by humans, and ``every`` by the judge."""
    rng = np.random.default_rng([humans, every, measures, repetitions])
    fails = passes = 0
    for seed in range(repetitions):
        x, e, differ = (
            _normal(every, measures, rng),
            _normal(every, measures, rng),
            rng.random((every, 1)),
        )
        y = _of_kind(kind, x, differ)[:humans]
        f = _of_kind(kind, CORRELATION * x + np.sqrt(1 - CORRELATION**2) * e, differ) + FAVOUR
        fails += not gate(judged(y, f, seed)).passed
        passes += gate(judged(y - MARGIN, f - MARGIN, seed), margin=MARGIN).passed
    return fails / repetitions, passes / repetitions


def wrong(kind: str, queries: int, measures: int, repetitions: int) -> tuple[float, float]:
    """Return how often an equal run fails the one gate, and one at the margin passes the other."""
    rng = np.random.default_rng([queries, measures, repetitions])
    names = tuple(map(str, range(queries))), tuple(f"m{i}" for i in range(measures))
    fails = passes = 0
    for seed in range(repetitions):
        d = differences(kind, queries, measures, rng)
        equal, worse = (
            compare(
                values=RunValues(("new", "old"), *names, np.stack([d - loss, np.zeros_like(d)])),
                resamples=499,
                seed=seed,
            )
            for loss in (0.0, MARGIN)
        )
        fails += not gate(equal).passed
        passes += gate(worse, margin=MARGIN).passed
    return fails / repetitions, passes / repetitions


def passes_with_rare_losses(queries: int, share: float, noise: float, repetitions: int) -> float:
    """Return how often a run passes at the margin that loses 1 in a share of the queries.

    The other differences are normal with the standard deviation ``noise``.
    """
    rng = np.random.default_rng([queries, round(1000 * share), repetitions])
    names, old = tuple(map(str, range(queries))), np.full((queries, 1), 0.5)
    passes: dict[bytes, bool] = {}
    count = 0
    for seed in range(repetitions):
        d = noise * rng.standard_normal((queries, 1))
        d[: np.count_nonzero(rng.random(queries) < share)] = -1.0
        if d.tobytes() not in passes:
            values = RunValues(("new", "old"), names, ("m",), np.stack([old + d, old]), (_FRACTION,))
            passes[d.tobytes()] = gate(compare(values=values, resamples=499, seed=seed), margin=share).passed
        count += passes[d.tobytes()]
    return count / repetitions


def main(repetitions: int) -> None:
    """Print the table."""
    print("differences  queries  measures  fails  passes")
    for kind in ("normal", "skewed", "ties"):
        for queries in (20, 50, 200):
            for measures in (1, 3):
                fails, passes = wrong(kind, queries, measures, repetitions)
                print(f"{kind:11}  {queries:7}  {measures:8}  {fails:.3f}  {passes:.3f}", flush=True)
    print("queries that lose 1  queries  passes, others equal  passes, others with noise 0.05")
    for share in (0.02, 0.05, 0.1, 0.2):
        for queries in (20, 50, 100, 200):
            equal, noisy = (
                passes_with_rare_losses(queries, share, noise, repetitions) for noise in (0.0, 0.05)
            )
            print(f"{share:19}  {queries:7}  {equal:21.3f}  {noisy:.3f}", flush=True)
    print("differences  humans  judge  measures  fails  passes")
    for kind in ("normal", "skewed", "ties"):
        for humans, every in ((20, 200), (50, 500), (200, 2000)):
            for measures in (1, 3):
                fails, passes = wrong_with_judge(kind, humans, every, measures, repetitions)
                print(
                    f"{kind:11}  {humans:6}  {every:5}  {measures:8}  {fails:.3f}  {passes:.3f}", flush=True
                )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1000)
