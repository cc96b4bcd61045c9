"""Test the prediction of metrics in a larger corpus: fit at a tenth of the documents, predict the whole.

`corpus.py DATA RANKS [SUBSETS]`: DATA holds ``robust03``, and RANKS what `recommenders.py` wrote. A subset of
the documents keeps each irrelevant document with probability 0.1, the same ones for all runs. The metrics of
the runs in the whole corpus are predicted from it, and the script prints how far off the predictions are and
how many are in their 90% band. Robust03 is cut in two ways: with all relevant documents, and with a tenth of
them, where the whole corpus lacks the others, too. The lists of MovieLens are the first 1000 of 9,724 films.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from ndcg_asymptotics.analysis.runs.corpus import larger_corpus
from ndcg_asymptotics.lists import evaluate
from ndcg_asymptotics.lists.reading import read
from ndcg_asymptotics.lists.records import Records

RUNS = ("pircRBa1", "THUIRr0301", "aplrob03a", "rutcor03100")
RECOMMENDERS = ("popularity", "neighbours", "factors")
MEASURES = ("nDCG@10", "nDCG@100", "nDCG(constant)@10", "nDCG(constant)@100")
DOCUMENTS = 528_155  # of disks 4 and 5 without the Congressional Record
FILMS = 9_724
DEPTH = 1000  # of the lists of recommenders
SHARE = 0.1
DRAWS = 200
HELD_OUT = "held out"


def subset(
    runs: dict[str, Records], qrels: Records, relevant: float, rng: np.random.Generator
) -> tuple[dict[str, Records], dict[str, Records], Records]:
    """Return the runs on a tenth of the irrelevant documents and on all, and the judgements of both.

    ``relevant`` is the share of relevant documents that are kept, in both.
    """
    kept = (qrels.values <= 0) | (rng.random(len(qrels)) < relevant)
    gone, judged = qrels.only(~kept), qrels.only(kept & (qrels.values > 0))
    names = sorted(set().union(*(run.names.texts() for run in runs.values())))
    lucky = {name for name, there in zip(names, rng.random(len(names)) < SHARE, strict=True) if there}
    small, whole = {}, {}
    for name, run in runs.items():
        whole[name] = run.only(gone.find(run) < 0)
        stays = np.array([text in lucky for text in run.names.texts()])[whole[name].document]
        small[name] = whole[name].only(stays | (judged.find(whole[name]) >= 0))
    return small, whole, judged


def recommended(path: Path) -> Records:
    """Return the first films of every user, one of which is held out; all others are named by their ranks."""
    table = pd.read_csv(path, dtype={"user": str})
    return Records.of(
        {
            user: {HELD_OUT if r == rank else f"{user}-{r}": float(-r) for r in range(1, DEPTH + 1)}
            for user, rank in zip(table["user"], table["rank"].tolist(), strict=True)
        },
        "score",
    )


def inside(truth: float, low: float | None, high: float | None) -> bool:
    """Return whether a value lies in a band; in none if there is no band."""
    return low is not None and high is not None and low <= truth <= high


def report(runs: dict[str, Records], qrels: Records, corpus: int, relevant: float, subsets: int) -> None:
    """Print the errors and the coverage for every run and measure."""
    options: dict[str, Any] = {"corpus": round(SHARE * corpus), "to": corpus, "draws": DRAWS}
    found: dict[tuple[str, str], list[tuple[float, float, bool]]] = defaultdict(list)
    for number in range(subsets):
        small, whole, judged = subset(runs, qrels, relevant, np.random.default_rng([2003, number]))
        predicted = larger_corpus(small, judged, MEASURES, seed=number, **options)
        actual: dict[tuple[str, str], float] = {}
        for run, records in whole.items():
            means = evaluate(records, judged, MEASURES, empty="skip").mean
            actual |= {(run, m): float(v) for m, v in zip(predicted.measures, means, strict=True)}
        for row in predicted.rows:
            if row.documents == corpus:
                truth = actual[row.run, row.measure]
                found[row.run, row.measure].append((truth, row.mean, inside(truth, row.low, row.high)))
        for pair in predicted.pairs:
            truth = actual[pair.a, pair.measure] - actual[pair.b, pair.measure]
            there = inside(truth, pair.low, pair.high)
            found["difference", pair.measure].append((truth, pair.difference, there))
    for (run, measure), values in found.items():
        truths, means, insides = np.array(values).T
        error, rms = np.mean(means - truths), np.sqrt(np.mean((means - truths) ** 2))
        line = f"{run:12} {measure:18} {error:+.3f} rms {rms:.3f} in the band {insides.mean():.2f}"
        right = f" same order {np.mean(means * truths > 0):.2f}" if run == "difference" else ""
        print(f"{line} actual {truths.mean():+.3f}{right}")
    for kind in ("metrics", "differences"):
        of_kind = [v for key, v in found.items() if (key[0] == "difference") == (kind == "differences")]
        insides = np.concatenate(of_kind)[:, 2]
        print(f"{kind}: {insides.mean():.3f} of {insides.size} in the band\n", flush=True)


def main(data: Path, ranks: Path, subsets: int) -> None:
    """Print the reports of robust03 and MovieLens."""
    runs = {run: read(data / "robust03" / f"{run}.run.gz", "score") for run in RUNS}
    qrels = read(data / "robust03" / "qrels.txt.gz", "label")
    for relevant in (1.0, SHARE):
        print(f"robust03, {relevant:.0%} of the relevant documents, {subsets} subsets")
        report(runs, qrels, DOCUMENTS, relevant, subsets)
    runs = {name: recommended(ranks / f"{name}.csv") for name in RECOMMENDERS}
    held_out = {user: {HELD_OUT: 1.0} for user in runs["popularity"].queries}
    print(f"MovieLens, {subsets} subsets")
    report(runs, Records.of(held_out, "label"), FILMS, 1.0, subsets)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3]) if len(sys.argv) > 3 else 20)
