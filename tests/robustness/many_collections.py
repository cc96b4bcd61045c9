"""Coverage of intervals over many collections, and false alarms of leaderboards, by simulation.

``python -m robustness.many_collections [REPETITIONS]`` prints the tables of docs/howto/collections.md. Sizes
of collections grow geometrically to 400 queries, and the smallest ones have the largest spread, by a factor
of four. A difference of two runs is the mean of its collection and a number with the mean 0 for the query. As
the tests reject where an interval excludes 0, their level is 1 minus the coverage.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence

import numpy as np

from ndcg_asymptotics.analysis.runs.collections import stratified_moments
from ndcg_asymptotics.analysis.runs.compare import compare
from ndcg_asymptotics.analysis.runs.paired import Interval, mean_tests, student_test, t_test
from ndcg_asymptotics.core.arrays import Floats
from ndcg_asymptotics.lists.values import RunValues

ALPHA, RESAMPLES = 0.05, 999
Law = Callable[[tuple[int, ...], np.random.Generator], Floats]


def _normal(shape: tuple[int, ...], rng: np.random.Generator) -> Floats:
    return rng.standard_normal(shape)


def _skewed(shape: tuple[int, ...], rng: np.random.Generator) -> Floats:
    return rng.exponential(1.0, shape) - 1.0


def _tied(ties: float) -> Law:
    """Return the law of numbers of which a share are the same, and the others exponential above them."""
    rest = 1 - ties
    sd = np.sqrt(rest * (2 - rest))

    def law(shape: tuple[int, ...], rng: np.random.Generator) -> Floats:
        return np.asarray((rng.exponential(1.0, shape) * (rng.random(shape) < rest) - rest) / sd)

    return law


_rare = _tied(0.8)


QUERIES: dict[str, Law] = {"normal": _normal, "skewed": _skewed, "one in five": _rare}
SPREADS: dict[str, tuple[Law, float]] = {
    "normal, 0.1": (_normal, 0.1),
    "normal, 1": (_normal, 1.0),
    "skewed, 1": (_skewed, 1.0),
    "one in five, 0.3": (_rare, 0.3),
    "one in five, 1": (_rare, 1.0),
    "one in five, 3": (_rare, 3.0),
}


def _gaps(count: int, smallest: int, law: Law, effects: Floats, rng: np.random.Generator) -> list[Floats]:
    sizes = np.rint(np.geomspace(smallest, 400, count)).astype(int).tolist()
    spreads = np.geomspace(2.0, 0.5, count).tolist()
    each = zip(sizes, spreads, effects, strict=True)
    return [spread * law((size, effects.shape[1]), rng) + effect for size, spread, effect in each]


def _covered(intervals: Sequence[Interval], truth: Floats) -> float:
    return float(np.mean([one.low <= t <= one.high for one, t in zip(intervals, truth, strict=True)]))


def fixed_coverage(count: int, smallest: int, law: Law, repetitions: int) -> float:
    """Return how often the interval of the mean over given collections holds it."""
    rng = np.random.default_rng(count)
    effects = 0.1 * rng.standard_normal((count, repetitions))
    gaps = _gaps(count, smallest, law, effects, rng)
    students = [t_test(*one, ALPHA) for one in zip(*stratified_moments(gaps), strict=True)]
    weights = np.concatenate([np.full(len(d), 1 / (count * len(d))) for d in gaps])
    tests = mean_tests(
        np.concatenate(gaps), students, alpha=ALPHA, resamples=RESAMPLES, seed=1, weights=weights
    )
    return _covered([test.interval for test in tests if test], effects.mean(axis=0))


def tied_coverage(count: int, size: int, ties: float, repetitions: int) -> float:
    """Return how often the interval over collections of one size, with ties, holds the mean."""
    rng = np.random.default_rng([count, size])
    law = _tied(ties)
    gaps = [law((size, repetitions), rng) for _ in range(count)]
    students = [t_test(*one, ALPHA) for one in zip(*stratified_moments(gaps), strict=True)]
    weights = np.full(count * size, 1 / (count * size))
    tests = mean_tests(
        np.concatenate(gaps), students, alpha=ALPHA, resamples=RESAMPLES, seed=1, weights=weights
    )
    return float(
        np.mean([test is not None and test.interval.low <= 0 <= test.interval.high for test in tests])
    )


def random_coverage(count: int, spread: tuple[Law, float], repetitions: int) -> float:
    """Return how often the interval of the mean over a sample of collections holds the truth."""
    rng, (law, size) = np.random.default_rng(count), spread
    effects = size * law((count, repetitions), rng)
    d = np.stack([of.mean(axis=0) for of in _gaps(count, 25, _skewed, effects, rng)])
    moments = zip(d.mean(axis=0).tolist(), d.std(axis=0, ddof=1).tolist(), strict=True)
    students = [student_test(mean, sd, count, ALPHA) for mean, sd in moments]
    tests = mean_tests(d, students, alpha=ALPHA, resamples=RESAMPLES, seed=1)
    return _covered([test.interval for test in tests if test], np.zeros(repetitions))


def false_alarms(count: int, runs: int, repetitions: int) -> dict[str, float]:
    """Return how often some two of several runs that are alike are told apart, after correction."""
    rng, found = np.random.default_rng(count), {"fixed": 0, "random": 0, "in collections": 0}
    for _ in range(repetitions):
        collections = {}
        for c, size in enumerate(np.rint(np.geomspace(25, 100, count)).astype(int).tolist()):
            effects = 0.1 * rng.standard_normal((runs, 1, 1)) * (c % 2)
            of_runs = _skewed((runs, size, 1), rng) + 2 * rng.random((1, size, 1))
            names = tuple(map(str, range(runs)))
            queries = tuple(map(str, range(size)))
            collections[f"c{c}"] = RunValues(names, queries, ("X",), of_runs), effects
        alike = {name: values for name, (values, _) in collections.items()}
        varied = {
            name: RunValues(values.runs, values.queries, ("X",), values.values + effects)
            for name, (values, effects) in collections.items()
        }
        given = compare(collections=alike, over="fixed", resamples=RESAMPLES)
        sampled = compare(collections=varied, over="random", resamples=RESAMPLES)
        rows = [pair.by_measure[0] for pair in given.pairs]
        found["fixed"] += any(row.overall[0].p_corrected < ALPHA for row in rows)
        found["in collections"] += any(one.p_corrected < ALPHA for row in rows for one in row.by_collection)
        found["random"] += any(pair.by_measure[0].overall[0].p_corrected < ALPHA for pair in sampled.pairs)
    return {name: alarms / repetitions for name, alarms in found.items()}


def main(repetitions: int = 4000) -> None:
    """Print the tables."""
    print("Given collections: coverage of 95% intervals")
    print("| collections | queries of the smallest |", " | ".join(QUERIES), "|")
    for count in (3, 6, 20):
        for smallest in (6, 25, 50):
            found = (fixed_coverage(count, smallest, law, repetitions) for law in QUERIES.values())
            print(f"| {count} | {smallest} |", " | ".join(f"{one:.3f}" for one in found), "|", flush=True)
    print("A sample of collections: coverage of 95% intervals")
    print("| collections |", " | ".join(SPREADS), "|")
    for count in (6, 8, 20):
        found = (random_coverage(count, spread, repetitions) for spread in SPREADS.values())
        print(f"| {count} |", " | ".join(f"{one:.3f}" for one in found), "|", flush=True)
    shares = (0.5, 0.8, 0.9)
    print("Given collections of one size, by the share of ties: coverage of 95% intervals")
    print("| collections | queries of each |", " | ".join(f"{share:.0%}" for share in shares), "|")
    for count in (2, 6, 18):
        for size in (25, 50):
            found = (tied_coverage(count, size, share, repetitions) for share in shares)
            print(f"| {count} | {size} |", " | ".join(f"{one:.3f}" for one in found), "|", flush=True)
    boards = repetitions // 20
    print(f"Leaderboards of 6 runs that are alike: false alarms at 0.05 in {boards}")
    for count in (6, 12):
        print(
            f"| {count} |", " | ".join(f"{rate:.3f}" for rate in false_alarms(count, 6, boards).values()), "|"
        )


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
