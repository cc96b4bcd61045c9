"""Evaluating runs from files: time beside pytrec_eval doing the same, and memory.

``python -m benchmarks.lists --long`` does a run of ten million lines.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from benchmarks.line import RUNS, Line

DEPTH = 1000  # documents of a query
MEASURES = ("nDCG", "nDCG@10")

PEER = """
import sys, pytrec_eval
run, qrels = pytrec_eval.parse_run(open(sys.argv[1])), pytrec_eval.parse_qrel(open(sys.argv[2]))
found = pytrec_eval.RelevanceEvaluator(qrels, {"ndcg", "ndcg_cut.10"}).evaluate(run).values()
for name in ("ndcg", "ndcg_cut_10"):
    print(sum(query[name] for query in found) / len(found))
"""


def write(folder: Path, queries: int) -> tuple[Path, Path]:
    """A run of so many queries, each with its documents by falling score, and judgements of a tenth."""
    rng = np.random.default_rng(queries)
    run, qrels = folder / f"{queries}.run", folder / f"{queries}.qrels"
    with run.open("w") as scores, qrels.open("w") as labels:
        for query in range(queries):
            documents = rng.choice(10**7, DEPTH, replace=False).tolist()
            falling = np.sort(rng.normal(10, 3, DEPTH))[::-1].tolist()
            scores.writelines(
                f"{query}\tQ0\tclueweb-{document:08d}\t{rank}\t{score:.6f}\ttag\n"
                for rank, (document, score) in enumerate(zip(documents, falling, strict=True), 1)
            )
            judged = rng.choice(documents, DEPTH // 10, replace=False).tolist()
            labels.writelines(
                f"{query} 0 clueweb-{document:08d} {label}\n"
                for document, label in zip(judged, rng.integers(0, 3, len(judged)).tolist(), strict=True)
            )
    return run, qrels


def seconds(*arguments: object) -> tuple[float, str]:
    """Wall time of one Python process, and what it printed."""
    start = time.perf_counter()
    done = subprocess.run([sys.executable, *map(str, arguments)], check=True, capture_output=True, text=True)
    return time.perf_counter() - start, done.stdout


def evaluation(run: Path, qrels: Path) -> list[object]:
    """The command, as a module."""
    measures = [part for measure in MEASURES for part in ("--measure", measure)]
    return ["-m", "ndcg_asymptotics", "evaluate", "--run", run, "--qrels", qrels, *measures]


def beside(run: Path, qrels: Path) -> tuple[float, ...]:
    """Both from process start to printed means, one after the other; the means agree."""
    found = []
    for _ in range(RUNS):
        ours, table = seconds(*evaluation(run, qrels))
        theirs, means = seconds("-c", PEER, run, qrels)
        found.append(ours / theirs)
    assert all(f"{float(mean):.4f}" in table for mean in means.split()), (table, means)
    return tuple(found)


def lines() -> Iterator[Line]:
    """Wall times of processes."""
    with TemporaryDirectory() as folder:
        run, qrels = write(Path(folder), 1000)
        yield Line("evaluate, 1e6 lines from files", "pytrec_eval", beside(run, qrels), 1.0)
        small = write(Path(folder), 3)
        yield Line("evaluate, 3000 lines", "pytrec_eval", beside(*small))
        yield Line(
            "evaluate, 3000 lines", "s", tuple(seconds(*evaluation(*small))[0] for _ in range(RUNS)), 0.5
        )


def long() -> None:
    """Ten million lines, once."""
    with TemporaryDirectory() as folder:
        took, _ = seconds(*evaluation(*write(Path(folder), 10_000)))
        unit = 1 if sys.platform == "darwin" else 1024
        peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * unit / 1e9
        print(f"evaluate, 1e7 lines: {took:.0f} s, {peak:.2f} GB (asked: <= 1.5)")


if __name__ == "__main__" and "--long" in sys.argv:
    long()
