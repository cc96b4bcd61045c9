"""Two TREC runs by 30 queries of human assessors and 100 of a judge who errs, or who favours a run.

``python experiments/real/judges.py FOLDER [A B]`` reads ``qrels.txt.gz`` and two of the runs ``*.run.gz`` in
the folder (those of TREC 2003 Robust, for docs/judges.md) and keeps the judgements of 30 random queries as
those of humans. Of three judges of all queries two err at random, and one also calls relevant a third of the
irrelevant documents among the first ten of the second run.

At the end stand standard errors of Precision@4 of each run, by the humans' labels of 30 random queries alone
and with those of a judge, on average over 500 draws of the queries.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from itertools import product
from pathlib import Path

import numpy as np

from ndcg_asymptotics.comparisons.comparing import compare
from ndcg_asymptotics.lists import evaluate, read_qrels, read_run
from ndcg_asymptotics.lists.records import Qrels, Run
from ndcg_asymptotics.stats.combined import combine

QUERIES, DRAWS = 30, 500
MEASURES = ("nDCG", "nDCG@10")
RUNS = ("pircRBa1", "THUIRr0301")


def judged(truth: Qrels, fpr: float, fnr: float, rng: np.random.Generator) -> Qrels:
    """Return the labels of a judge who errs at random."""
    return {
        query: {
            document: float(rng.random() < fpr) if label <= 0 else label * (rng.random() >= fnr)
            for document, label in labels.items()
        }
        for query, labels in truth.items()
    }


def favouring(labels: Qrels, run: Run, share: float, rng: np.random.Generator) -> Qrels:
    """Return labels in which a share of the irrelevant ones among the first ten of a run are relevant."""
    found = {query: dict(of_query) for query, of_query in labels.items()}
    for query, scores in run.items():
        for document in sorted(scores, key=scores.__getitem__, reverse=True)[:10]:
            if query in found and found[query].get(document, 0.0) <= 0 and rng.random() < share:
                found[query][document] = 1.0
    return found


def judges(truth: Qrels, run: Run) -> Iterator[tuple[str, Qrels]]:
    """Yield the names of judges and their labels."""
    for name, fpr, fnr in (
        ("errs at random, 1% and 20%", 0.01, 0.2),
        ("errs at random, 5% and 20%", 0.05, 0.2),
    ):
        yield name, judged(truth, fpr, fnr, np.random.default_rng(1))
    rng = np.random.default_rng(1)
    yield "favours the second run", favouring(judged(truth, 0.01, 0.2, rng), run, 1 / 3, rng)


def rows(runs: Mapping[str, Run], truth: Qrels) -> Iterator[str]:
    """Yield the lines of a table in Markdown, and the answers in words."""
    queries = np.random.default_rng(2).permutation(sorted(truth))[:QUERIES].tolist()
    humans = {query: truth[query] for query in queries}
    whole = compare(runs, truth, MEASURES).pairs[0]
    yield "| judge | measure | labels | difference | interval | worth |"
    yield "|---|---|---|---:|---|---:|"
    for every in whole.by_measure:
        d = every.difference
        yield f"| humans, all queries | {every.measure} | humans | {d.mean:+.4f} | {d.interval_text} | 100 |"
    said = []
    for name, labels in judges(truth, list(runs.values())[1]):
        pair = compare(runs, humans, MEASURES, judge=labels).pairs[0]
        said.append(f"{name}: {pair.text}")
        for measure in pair.by_measure:
            for row in measure.rows:
                worth = "" if row.worth is None else f"{row.worth:.0f}"
                cells = name, row.measure, row.labels, f"{row.difference:+.4f}", row.interval_text, worth
                yield f"| {' | '.join(cells)} |"
    yield from said


def precision(run: Run, labels: Qrels) -> dict[str, float]:
    """Return Precision@4 of each query."""
    binary = {query: {d: float(y > 0) for d, y in of.items()} for query, of in labels.items()}
    found = evaluate(run, binary, "DCG(constant)@4")
    return dict(zip(found.queries, (found.values[:, 0] / 4).tolist(), strict=True))


def standard_errors(runs: Mapping[str, Run], truth: Qrels) -> Iterator[str]:
    """Yield the lines of a table of standard errors of Precision@4, in percent."""
    yield "| judge | run | humans alone | both | ratio |"
    yield "|---|---|---:|---:|---:|"
    for (judge, labels), (name, run) in product(judges(truth, list(runs.values())[1]), runs.items()):
        y, f = precision(run, truth), precision(run, labels)
        queries, rng = sorted(y.keys() & f.keys()), np.random.default_rng(3)
        alone, both = [], []
        for _ in range(DRAWS):
            order = rng.permutation(queries).tolist()
            human = np.array([y[query] for query in order[:QUERIES]])
            alone.append(human.std(ddof=1) / QUERIES**0.5)
            both.append(combine(human[:, None], np.array([f[query] for query in order])[:, None])[0].error)
        ratio = float(np.mean(both) / np.mean(alone))
        yield f"| {judge} | {name} | {100 * np.mean(alone):.2f} | {100 * np.mean(both):.2f} | {ratio:.2f} |"


if __name__ == "__main__":
    if len(sys.argv) not in (2, 4):
        raise SystemExit(__doc__)
    folder = Path(sys.argv[1])
    names = sys.argv[2:] or RUNS
    given = {name: read_run(folder / f"{name}.run.gz") for name in names}
    labels = read_qrels(folder / "qrels.txt.gz")
    for line in (*rows(given, labels), *standard_errors(given, labels)):
        print(line)
