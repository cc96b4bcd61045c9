"""A judge's labels of lists with a fixed number of relevant items: theory against oracles at random.

``python -m robustness.judged_counts [CASES [SEED]]``; exit status 1 if any disagrees. Means and standard
deviations of one scorer and of a difference are compared with every order and all labels of lists of up to 6
items, and with 400 lists of the items engine that are longer.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

import numpy as np
from oracles.discounts import DISCOUNTS
from oracles.judged import mean_and_sd, values

from ndcg_asymptotics.engines.engine import draw_block, load_engine
from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.populations import Population
from ndcg_asymptotics.studies import Design
from ndcg_asymptotics.theory import expected_ndcg, ndcg_std
from ndcg_asymptotics.theory.fluctuations import difference_std

NAMES = ("log", "zipf", "power(0.3)", "power(2)", "geometric(2)", "constant", "linear")
LISTS = 400
MOST = 6.0
"""Standard errors: with 2 tests of 200 cases a right formula fails once in a million runs."""


class Case(NamedTuple):
    """What was compared, and whether it agreed."""

    what: str
    agrees: bool


def text(kappa: float, relevant: int, judge: tuple[float, float]) -> str:
    return f"relevant({relevant}, noisy(roc_power({kappa!r}), {judge[0]!r}, {judge[1]!r}))"


def judge_of(rng: np.random.Generator, most: float) -> tuple[float, float]:
    """Error rates, which are 0 now and then."""
    fpr = float(rng.choice([0.0, rng.uniform(0, most)], p=[0.15, 0.85]))
    return fpr, float(rng.choice([0.0, rng.uniform(0, 1 - fpr)], p=[0.15, 0.85]))


def enumerated(cases: int, seed: int, off: float = 1.0) -> Iterator[Case]:
    """Compare short lists; theory is told a false positive rate ``off`` times the true one."""
    rng = np.random.default_rng(seed)
    for _ in range(cases):
        n = int(rng.integers(2, 7))
        relevant = int(rng.integers(1, n + 1))
        a, b = np.exp(rng.uniform(np.log(0.05), np.log(3), 2)).tolist()
        judge = judge_of(rng, 0.6)
        name, k = str(rng.choice(NAMES)), int(rng.integers(1, n + 1))
        ideal = bool(rng.random() < 0.7)
        measure = Measure(name, k if rng.random() < 0.7 or name == "constant" else "", ideal)
        k = min(measure.cutoff(n), n)
        parts = [values(kappa, relevant, n, judge, DISCOUNTS[name], k, ideal) for kappa in (a, b)]
        told = judge[0] * off, judge[1]
        scorers = [text(kappa, relevant, told) for kappa in (a, b)]
        mean, sd = mean_and_sd(parts[0])
        _, apart = mean_and_sd(*parts)
        found = expected_ndcg(scorers[0], measure, [n])
        sds = ndcg_std(scorers[0], measure, [n]), difference_std(scorers[0], scorers[1], measure, [n])
        agrees = bool(abs(found.value[0] - mean) <= found.error[0] + 1e-15)
        # variances: that of a constant is not exactly 0 in the oracle
        agrees &= all(
            abs(one.value[0] ** 2 - true**2) <= one.error[0] * (2 * one.value[0] + one.error[0]) + 1e-15
            for one, true in zip(sds, (sd, apart), strict=True)
        )
        yield Case(f"{scorers[0]} and roc_power({b!r}), {measure}, n = {n}", agrees)


def simulated(cases: int, seed: int, off: float = 1.0, more: int = 20) -> Iterator[Case]:
    """Compare means and standard deviations of longer lists; theory is told ``off`` times the fpr.

    Where 400 lists do not agree, ``more`` times as many decide.
    """
    rng = np.random.default_rng(seed)
    for case in range(cases):
        n, relevant = int(np.exp(rng.uniform(np.log(10), np.log(3000)))), int(rng.integers(1, 11))
        kappa, judge = float(rng.uniform(0.1, 1.2)), judge_of(rng, 0.2)
        name = str(rng.choice(NAMES))
        measure = Measure(name, str(rng.choice(["0.5n" if name == "constant" else "", "10", "0.2n", "1"])))
        told = text(kappa, relevant, (judge[0] * off, judge[1]))
        mean, sd = (
            expected_ndcg(told, measure, [n]).value[0],
            ndcg_std(told, measure, [n]).value[0],
        )
        # where gain is rare, 400 lists hold too little of it for the error of their variance to be known
        for lists in (range(LISTS), range(LISTS, more * LISTS)):
            ndcg = drawn("items", text(kappa, relevant, judge), measure, n, seed + case, lists)
            z, spread = errors(ndcg, mean, sd)
            if agrees := bool(z <= MOST and spread <= MOST):
                break
        yield Case(f"{told}, {measure}, n = {n}: {z:.1f}, {spread:.1f}", agrees)


@cache
def drawn(engine: str, scorer: str, measure: Measure, n: int, seed: int, lists: range) -> np.ndarray:
    """Return the values of lists, which do not depend on what theory is told."""
    design = Design(Population.of({"a": scorer}), (measure,), (n,), seed, bracket=1e-6)
    return draw_block(load_engine(engine), design, lists)["ndcg"].reshape(len(lists), -1)[:, -1]


def errors(values: np.ndarray, mean: float, sd: float) -> tuple[float, float]:
    """Return how many standard errors lie between simulated and exact mean, and between their variances."""
    z = abs(values.mean() - mean) / max(sd / values.size**0.5, 1e-12)
    squares = (values - values.mean()) ** 2
    error = max(float(squares.std()) / values.size**0.5, 2e-2 * sd**2, 1e-15)
    return float(z), float(abs(squares.mean() - sd**2) / error)


def main() -> int:
    """Print what disagrees; 1 if anything does."""
    cases = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    found = [*enumerated(cases, seed), *simulated(cases, seed)]
    for one in found:
        if not one.agrees:
            print(one.what)
    print(f"{len(found)} cases, {sum(not one.agrees for one in found)} disagree")
    return int(any(not one.agrees for one in found))


if __name__ == "__main__":
    sys.exit(main())
