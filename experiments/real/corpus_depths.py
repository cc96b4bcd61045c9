"""Test the bands of metrics in a larger corpus for lists of several lengths.

`corpus_depths.py DATA [REPETITIONS]`: DATA holds ``robust03``. A subset of the documents keeps each
irrelevant one with probability 0.1 or 0.01, and its lists are cut off after a few documents; the metrics of
the whole corpus are predicted from them. Populations of known law are drawn in a corpus and in one that is 10
or 100 times as large. The script prints how many of the 90% bands hold the truth, apart for runs whose lists
allow a trial on a tenth of the irrelevant documents (only these have a band in `grow`) and for the others.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from scipy.stats import norm

from ndcg_asymptotics.analysis.runs.corpus import grow_run
from ndcg_asymptotics.core.arrays import Floats
from ndcg_asymptotics.core.errors import InputError
from ndcg_asymptotics.lists.depths import RelevantDepths
from ndcg_asymptotics.lists.given import runs_of
from ndcg_asymptotics.lists.ranked_users import relevant_depths
from ndcg_asymptotics.lists.reading import read
from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.theory.sampled import RankedItems, full_ndcg

RUNS = ("pircRBa1", "THUIRr0301", "aplrob03a", "rutcor03100")
MEASURES = tuple(map(Measure.parse, ("nDCG@1", "nDCG@5", "nDCG@10")))
LENGTHS = (10, 12, 15, 20, 30, 50, 100)
KINDS = ("power", "binormal", "bounded", "mixed")
DOCUMENTS = 100_000  # irrelevant ones of a population
DRAWS = 80
LEVEL = 0.9

Found = dict[tuple[str, int, bool], list[bool]]


def record(
    found: Found, label: str, lists: RelevantDepths, truth: RankedItems, factor: float, seed: int
) -> None:
    """Predict from lists cut off at several lengths, and note whether each band holds the truth."""
    actual = [float(full_ndcg(truth, measure).mean()) for measure in MEASURES]
    for length in LENGTHS:
        exponents = np.array([0.0, np.log10(factor)])
        try:
            grown = grow_run(cut(lists, length), MEASURES, exponents, DRAWS, seed, label, lambda _: None)
        except InputError:  # too few relevant documents
            continue
        low, high = np.quantile(grown.drawn[:, -1], [(1 - LEVEL) / 2, (1 + LEVEL) / 2], axis=-1)
        for m, tested in enumerate(grown.tested(MEASURES)):
            if actual[m] > 0:
                found[label, length, tested].append(bool(low[m] <= actual[m] <= high[m]))


def cut(lists: RelevantDepths, length: int) -> RelevantDepths:
    """Return a run with at most ``length`` documents for each query."""
    ranked = lists.ranked
    found = np.bincount(ranked.user, minlength=lists.irrelevant.size)
    stays = ranked.rank <= length
    there = np.bincount(ranked.user[stays], minlength=found.size)
    first = replace(ranked, user=ranked.user[stays], rank=ranked.rank[stays], gain=ranked.gain[stays])
    return RelevantDepths(first, np.minimum(lists.irrelevant + found, length) - there)


def robust(data: Path, share: float, repetitions: int) -> Iterator[tuple[RelevantDepths, RankedItems]]:
    """Yield each run on a share of the irrelevant documents, and on all."""
    runs = runs_of([data / "robust03" / f"{run}.run.gz" for run in RUNS])
    whole = relevant_depths(runs, read(data / "robust03" / "qrels.txt.gz", "label"))
    for number in range(repetitions):
        for r, of_run in enumerate(whole.values()):
            yield of_run.thinned(share, np.random.default_rng([2003, number, r])), of_run.ranked


def population(kind: str, rng: np.random.Generator) -> list[Floats]:
    """Return the depths of the relevant documents of each query, in irrelevant documents above them."""
    queries, typical = int(rng.choice([50, 100, 200])), float(rng.choice([1, 3, 10]))
    kappa, tau, scale = rng.uniform(0.25, 1.2), rng.uniform(0.1, 0.9), rng.uniform(-5, -1)
    mean, spread = rng.uniform(1.5, 3.5), rng.uniform(0.7, 1.4)
    found = []
    for _ in range(queries):
        u = rng.random(max(1, round(typical * float(np.exp(0.8 * rng.normal())))))
        power = u ** np.exp(-np.log(kappa) - tau * rng.normal())
        width = float(np.exp(rng.normal(scale / 2, 1)))
        if kind == "power":
            t = min(1.0, width) * power
        elif kind == "binormal":
            t = norm.sf(mean + 0.7 * rng.normal() + spread * rng.normal(size=u.size))
        elif kind == "bounded":  # F(t) = t/(t + w)
            t = np.minimum(3 * 10 ** rng.normal() / DOCUMENTS * u / (1 - u), 1.0)
        else:  # some documents are above all irrelevant ones, the others follow a power
            t = np.where(rng.random(u.size) < 0.15, 0.05 * u / DOCUMENTS, power)
        found.append(DOCUMENTS * np.sort(t))
    return found


def drawn(
    depths: Sequence[Floats], factor: float, rng: np.random.Generator
) -> tuple[RelevantDepths, RankedItems]:
    """Return the first documents of each query now, and the ranks in a corpus ``factor`` times as large."""
    most, queries = LENGTHS[-1], len(depths)
    now, later, users, retrieved = [], [], [], []
    for query, of_query in enumerate(depths):
        irrelevant = np.cumsum(rng.exponential(size=most + 1))
        place = np.arange(1, of_query.size + 1)
        rank = np.searchsorted(irrelevant, of_query) + place
        new = np.cumsum(rng.poisson((factor - 1) * np.diff(of_query, prepend=0.0)))
        seen = rank <= most
        now.append(rank[seen])
        later.append((rank + new)[seen])
        users.append(np.full(int(seen.sum()), query))
        retrieved.append(most - int(seen.sum()))
    ideal = np.repeat(np.arange(queries), [of_query.size for of_query in depths])
    names, user = tuple(f"{query:04}" for query in range(queries)), np.concatenate(users)
    gains = np.ones(user.size), ideal, np.ones(ideal.size)
    items = 10**12
    first = RankedItems(names, items, user, np.concatenate(now), *gains)
    larger = RankedItems(names, items, user, np.concatenate(later), *gains)
    return RelevantDepths(first, np.array(retrieved)), larger


def report(found: Found) -> None:
    """Print the share of bands that hold the truth, with and without a trial."""
    for label, length in dict.fromkeys((label, length) for label, length, _ in found):
        shares = []
        for tested in (True, False):
            inside = found.get((label, length, tested), [])
            shares.append(f"{np.mean(inside):.2f} of {len(inside)}" if inside else "-")
        print(f"{label:26} {length:4}  tested {shares[0]:12}  not tested {shares[1]}", flush=True)


def main(data: Path, repetitions: int) -> None:
    """Print the tables of robust03 and of populations."""
    for share in (0.1, 0.01):
        found: Found = defaultdict(list)
        for number, (lists, truth) in enumerate(robust(data, share, repetitions)):
            record(found, f"robust03, {share:.0%} of it", lists, truth, 1 / share, number)
        report(found)
    for factor in (10.0, 100.0):
        for k, kind in enumerate(KINDS):
            found = defaultdict(list)
            for number in range(4 * repetitions):
                rng = np.random.default_rng([35, k, number])
                lists, truth = drawn(population(kind, rng), factor, rng)
                record(found, f"{kind}, {factor:g} times", lists, truth, factor, number)
            report(found)


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 5)
