"""Coverage and level of human labels combined with those of a judge, by simulation with known truth.

``python -m robustness.judges [REPETITIONS]`` prints the tables of docs/judges.md. Differences of two runs are
0 in a share of the queries (ties); the others are skewed, as those of NDCG@10 are. The judge finds the same
ties in most queries, has a correlation with humans in the others, and may favour a run by a constant.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import product

import numpy as np
from scipy import special

from ndcg_asymptotics.analysis.runs.combined import combine, corrected_for_all
from ndcg_asymptotics.analysis.runs.paired import student_test
from ndcg_asymptotics.core.arrays import Floats

SIZES = ((10, 50), (10, 1000), (20, 60), (30, 60), (30, 300), (60, 100), (60, 1000))
"""Queries judged by humans, and by the judge."""


@dataclass(frozen=True)
class Judge:
    """How differences by humans and by a judge are drawn; see the module."""

    ties: float = 0.0
    correlation: float = 0.8
    bias: float = 0.0
    skew: float = 0.3
    agree: float = 0.8

    def draw(self, shape: tuple[int, ...], rng: np.random.Generator) -> tuple[Floats, Floats]:
        """Return differences by humans and by the judge, whose expectation by humans is `truth`."""
        z, e = rng.standard_normal((2, *shape))
        w = self.correlation * z + np.sqrt(1 - self.correlation**2) * e
        tied = rng.random(shape) < self.ties
        same = rng.random(shape) < self.agree
        by_judge = np.where(same, tied, rng.random(shape) < self.ties)
        return np.where(tied, 0.0, self._value(z)), np.where(by_judge, 0.0, self._value(w) + self.bias)

    def _value(self, z: Floats) -> Floats:
        return np.tanh(0.4 * np.expm1(self.skew * z) / self.skew + 0.1)

    @property
    def truth(self) -> float:
        """The true mean difference, by quadrature."""
        nodes, weights = special.roots_hermitenorm(80)
        return float((1 - self.ties) * (weights @ self._value(nodes)) / weights.sum())


def coverage(
    judge: Judge, humans: int, every: int, repetitions: int, seed: int = 1
) -> tuple[float, float, float]:
    """Return how often 95% intervals of both and of humans hold the truth, and the ratio of widths."""
    y, f = judge.draw((every, repetitions), np.random.default_rng(seed))
    both = combine(y[:humans], f)
    moments = zip(y[:humans].mean(axis=0), y[:humans].std(axis=0, ddof=1), strict=True)
    alone = [student_test(mean, sd, humans, 0.05)[0] for mean, sd in moments]
    held, widths = [], []
    for intervals in ([one.interval or (one.mean, one.mean) for one in both], alone):
        held.append(float(np.mean([low <= judge.truth <= high for low, high in intervals])))
        widths.append(float(np.mean([high - low for low, high in intervals])))
    return held[0], held[1], widths[0] / widths[1]


def family_error(judge: Judge, humans: int, every: int, runs: int, repetitions: int, seed: int = 1) -> float:
    """Return how often some pair of runs that are alike has a corrected p-value below 0.05."""
    rng = np.random.default_rng(seed)
    pairs = np.array([(a, b) for a in range(runs) for b in range(a)])
    wrong = 0
    for repetition in range(repetitions):
        y, f = judge.draw((every, runs), rng)
        d, e = (of[:, pairs[:, 0]] - of[:, pairs[:, 1]] for of in (y[:humans], f))
        p = corrected_for_all(d, e, combine(d, e), resamples=999, seed=repetition)
        wrong += min(p) < 0.05
    return wrong / repetitions


JUDGES = {
    "good": Judge(correlation=0.9),
    "good, favours a run": Judge(correlation=0.9, bias=0.2),
    "poor": Judge(correlation=0.4),
    "blind, favours a run": Judge(correlation=0.0, bias=0.2),
}


def table(repetitions: int) -> Iterator[str]:
    """Yield the lines of a table in Markdown: the least coverage over judges, and the ratios of widths."""
    yield f"| ties | skew | humans, judge | both | humans alone | width: {' | width: '.join(JUDGES)} |"
    yield "|---:|---:|---:|---:|---:" + "|---:" * len(JUDGES) + "|"
    for ties, skew, (humans, every) in product((0.0, 0.3, 0.6), (0.01, 0.8), SIZES):
        found = [
            coverage(replace(judge, ties=ties, skew=skew), humans, every, repetitions)
            for judge in JUDGES.values()
        ]
        both, alone = (min(one[i] for one in found) for i in (0, 1))
        widths = " | ".join(f"{width:.2f}" for *_, width in found)
        yield f"| {ties:.0%} | {skew:g} | {humans}, {every} | {both:.3f} | {alone:.3f} | {widths} |"


if __name__ == "__main__":
    given = int(sys.argv[1]) if len(sys.argv) > 1 else 4000
    for line in table(given):
        print(line, flush=True)
    for humans, every, runs in product((10, 30, 60), (100, 300), (3, 6)):
        rate = family_error(Judge(0.2), humans, every, runs, given // 2)
        print(f"{runs} runs that are alike, {humans} and {every} queries: some pair told apart in {rate:.3f}")
