"""Evaluating runs from files: time relative to pytrec_eval on the same files, and memory.

``python -m benchmarks.lists`` prints the CPU time and the memory of the command for runs of 3000 and of
a million lines; with ``--long`` also for ten million lines of 100,000 queries.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
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


def write(folder: Path, queries: int, depth: int = DEPTH) -> tuple[Path, Path]:
    """Write a run of queries with ``depth`` documents each, and judgements of a tenth of them."""
    rng = np.random.default_rng(queries)
    run, qrels = folder / f"{queries}.run", folder / f"{queries}.qrels"
    with run.open("w") as scores, qrels.open("w") as labels:
        for query in range(queries):
            documents = rng.choice(10**7, depth, replace=False).tolist()
            falling = np.sort(rng.normal(10, 3, depth))[::-1].tolist()
            scores.writelines(
                f"{query}\tQ0\tclueweb-{document:08d}\t{rank}\t{score:.6f}\ttag\n"
                for rank, (document, score) in enumerate(zip(documents, falling, strict=True), 1)
            )
            judged = rng.choice(documents, depth // 10, replace=False).tolist()
            labels.writelines(
                f"{query} 0 clueweb-{document:08d} {label}\n"
                for document, label in zip(judged, rng.integers(0, 3, len(judged)).tolist(), strict=True)
            )
    return run, qrels


def seconds(*arguments: object) -> tuple[float, str]:
    """Return the wall time of one Python process, and its output."""
    start = time.perf_counter()
    done = subprocess.run([sys.executable, *map(str, arguments)], check=True, capture_output=True, text=True)
    return time.perf_counter() - start, done.stdout


def evaluation(run: Path, qrels: Path) -> list[object]:
    """Return the command, as arguments of Python."""
    measures = [part for measure in MEASURES for part in ("--measure", measure)]
    return ["-m", "ndcg_asymptotics", "evaluate", "--run", run, "--qrels", qrels, *measures]


def against_pytrec_eval(run: Path, qrels: Path) -> tuple[float, ...]:
    """Return the ratios of wall times from process start to printed means, after comparing the means."""
    found = []
    for _ in range(RUNS):
        ours, table = seconds(*evaluation(run, qrels))
        theirs, means = seconds("-c", PEER, run, qrels)
        found.append(ours / theirs)
    assert all(f"{float(mean):.4f}" in table for mean in means.split()), (table, means)
    return tuple(found)


def lines() -> Iterator[Line]:
    """Yield wall times of processes."""
    with TemporaryDirectory() as folder:
        run, qrels = write(Path(folder), 1000)
        yield Line("evaluate, 1e6 lines", "pytrec_eval", against_pytrec_eval(run, qrels), is_peer=True)
        small = write(Path(folder), 3)
        yield Line("evaluate, 3000 lines", "pytrec_eval", against_pytrec_eval(*small), is_peer=True)
        yield Line("evaluate, 3000 lines", "s", tuple(seconds(*evaluation(*small))[0] for _ in range(RUNS)))


def used(run: Path, qrels: Path) -> tuple[float, float]:
    """Return the CPU time of one command, in seconds, and its peak memory, in GB."""
    child = subprocess.Popen([sys.executable, *map(str, evaluation(run, qrels))], stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    assert status == 0
    unit = 1 if sys.platform == "darwin" else 1024
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss * unit / 1e9


def main(sizes: Sequence[tuple[int, int]]) -> None:
    """Print the cost of runs of given numbers of queries and documents per query."""
    with TemporaryDirectory() as folder:
        for queries, depth in sizes:
            files = write(Path(folder), queries, depth)
            cpu, memory = zip(*(used(*files) for _ in range(RUNS)), strict=True)
            print(f"evaluate, {queries * depth:g} lines of {queries} queries: "
                  f"{min(cpu):.2f} s of CPU, {max(memory):.2f} GB")  # fmt: skip


if __name__ == "__main__":
    main([(3, DEPTH), (1000, DEPTH), *([(100_000, 100)] if "--long" in sys.argv else [])])
