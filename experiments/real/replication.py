"""Plan on some queries of TREC 2003 Robust, and try the planned number of queries on the others.

`replication.py DATA [SPLITS]`: DATA holds ``robust03`` with the runs and the judgements (examples/robust03 of
trectools has 17 runs, any of which will do). The queries are split at random, 200 times by default, and
`replication` plans from 12, 25 or 50 of them, for each pair of runs and measure. A number is kept if the
effect on the other queries gives a paired t test on so many queries 80% power in the direction of the pilot.
Where there are as many other queries, the test is made: is the difference significant in that direction?
"80% bound" takes no account of the significance of the pilot.
"""

from __future__ import annotations

import math
import sys
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import combinations
from pathlib import Path
from typing import Annotated

import numpy as np

from ndcg_asymptotics.core.arrays import Floats
from ndcg_asymptotics.core.rows import Column, general
from ndcg_asymptotics.core.tables import Table, console, print_blocks
from ndcg_asymptotics.lists import evaluate
from ndcg_asymptotics.lists.reading import read
from ndcg_asymptotics.stats.paired import student_test
from ndcg_asymptotics.stats.power import paired_power, queries_for
from ndcg_asymptotics.stats.replication import effect_bound, replication

MEASURES = ("nDCG", "nDCG@10", "nDCG@0.2n", "nDCG(power(0.5))", "nDCG(zipf)", "nDCG(geometric(2))")
PILOTS = (12, 25, 50)
POWER, ALPHA = 0.8, 0.05
STEP = 1e-3  # effects are rounded to this, so that each number is computed once
SEED = 1


@dataclass(frozen=True)
class Row:
    """How often the numbers of one kind were printed and kept, and how often a test on new queries agreed."""

    pilot: Annotated[int, Column("queries of the pilot", general("d"))]
    result: Annotated[str, Column("their result")]
    number: Annotated[str, Column("number")]
    cases: Annotated[int, Column("cases", general(","))]
    printed: Annotated[float, Column("printed", general(".2f"))]
    kept: Annotated[float | None, Column("kept", general(".2f"))]
    tests: Annotated[int, Column("tests", general(","))]
    agree: Annotated[float | None, Column("significant", general(".2f"))]


def differences(data: Path) -> Iterator[Floats]:
    """Yield the differences of each pair of runs over the queries, by each measure."""
    folder = data / "robust03"
    qrels = read(folder / "qrels.txt.gz", "label")
    found = [evaluate(read(path, "score"), qrels, MEASURES) for path in sorted(folder.glob("*.run.gz"))]
    queries = sorted(set.intersection(*({*run.queries} for run in found)))
    values = []
    for run in found:
        place = {query: i for i, query in enumerate(run.queries)}
        values.append(run.values[[place[query] for query in queries]])
    for a, b in combinations(values, 2):
        yield from (a - b).T


@cache
def _numbers(steps: int, queries: int) -> dict[str, int | None]:
    effect = steps * STEP
    found = replication(effect, queries, POWER, ALPHA)
    bound = queries_for(effect_bound(effect, queries, 0.0), POWER, ALPHA)
    return {"as observed": found.observed, "80% bound": bound, "assured": found.assured}


@cache
def _power(steps: int, queries: int) -> float:
    return paired_power(steps * STEP, queries, ALPHA)


def effect_of(d: Floats) -> float:
    """Return the mean over the standard deviation; 0 where every query ties."""
    mean, sd = float(d.mean()), float(d.std(ddof=1))
    return mean / sd if sd > 0 else math.copysign(math.inf, mean) if mean else 0.0


def tried(pilot: Floats, others: Floats) -> Iterator[tuple[str, str, int | None, bool, bool | None]]:
    """Yield the pilot's result, and for each number whether it was kept and whether a test agreed."""
    effect = effect_of(pilot)
    sign, size = math.copysign(1.0, effect), min(abs(effect), 100.0)
    p = student_test(float(pilot.mean()), float(pilot.std(ddof=1)), pilot.size, ALPHA)[1]
    steps = math.ceil(size / STEP) if p < ALPHA else math.floor(size / STEP)  # on the same side of the level
    truth = sign * effect_of(others)
    for name, number in _numbers(steps, pilot.size).items():
        agree = None
        if number is not None and number <= others.size:
            new = others[:number]
            new_p = student_test(float(new.mean()), float(new.std(ddof=1)), number, ALPHA)[1]
            agree = new_p < ALPHA and sign * float(new.mean()) > 0
        kept = number is not None and truth > 0 and _power(round(min(truth, 100) / STEP), number) >= POWER
        yield f"p < {ALPHA}" if p < ALPHA else f"p >= {ALPHA}", name, number, kept, agree


def rows(data: Path, splits: int) -> list[Row]:
    """Return a row for each size of the pilot, its result and the kind of number."""
    rng, found = np.random.default_rng(SEED), defaultdict(list)
    pairs = list(differences(data))
    for queries in PILOTS:
        for _ in range(splits):
            order = rng.permutation(pairs[0].size)
            for d in pairs:
                pilot, others = d[order[:queries]], d[order[queries:]]
                if pilot.any():
                    for result, name, *outcome in tried(pilot, others):
                        found[queries, result, name].append(outcome)
                        found[queries, "any", name].append(outcome)
    return [
        Row(queries, result, name, len(cases), *_rates(cases))
        for (queries, result, name), cases in sorted(found.items())
    ]


def _rates(cases: list[list[int | bool | None]]) -> tuple[float, float | None, int, float | None]:
    printed = [kept for number, kept, _ in cases if number is not None]
    tests = [agree for *_, agree in cases if agree is not None]
    share = sum(map(bool, printed)) / len(printed) if printed else None
    return len(printed) / len(cases), share, len(tests), sum(map(bool, tests)) / len(tests) if tests else None


def main(data: Path, splits: int = 200) -> None:
    """Print the table."""
    table = Table.of("Numbers of queries, on queries that planned nothing", Row, rows(data, splits))
    print_blocks([table], console())


if __name__ == "__main__":
    main(Path(sys.argv[1]), *map(int, sys.argv[2:]))
