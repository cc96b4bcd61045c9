"""Evaluating runs from files: time relative to other libraries on the same files, and memory.

``python -m benchmarks.lists`` prints the CPU time and the memory of the command for runs of 3000 and of
a million lines; with ``--long`` also for ten million lines of 100,000 queries.
"""

from __future__ import annotations

import os
import re
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

OTHER = os.environ.get("NDCG_ASYMPTOTICS_PEERS", sys.executable)
"""A Python with other evaluation libraries, which need not be installed beside this package."""

PEERS = {
    "pytrec_eval": """
import sys, pytrec_eval
run, qrels = pytrec_eval.parse_run(open(sys.argv[1])), pytrec_eval.parse_qrel(open(sys.argv[2]))
found = pytrec_eval.RelevanceEvaluator(qrels, {"ndcg", "ndcg_cut.10"}).evaluate(run).values()
for name in ("ndcg", "ndcg_cut_10"):
    print(sum(query[name] for query in found) / len(found))
""",
    "ir_measures": """
import sys, ir_measures
from ir_measures import nDCG
run, qrels = ir_measures.read_trec_run(sys.argv[1]), ir_measures.read_trec_qrels(sys.argv[2])
found = ir_measures.calc_aggregate([nDCG, nDCG@10], qrels, run)
print(found[nDCG], found[nDCG@10])
""",
    "ranx": """
import sys
from ranx import Qrels, Run, evaluate
run, qrels = Run.from_file(sys.argv[1], kind="trec"), Qrels.from_file(sys.argv[2], kind="trec")
found = evaluate(qrels, run, ["ndcg", "ndcg@10"])
print(found["ndcg"], found["ndcg@10"])
""",
}


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


def seconds(*command: object, clock: str = "processor") -> tuple[float, str]:
    """Return the time of one process, of the processor or on the wall, and its output."""
    before, start = os.times(), time.perf_counter()
    done = subprocess.run([*map(str, command)], check=True, capture_output=True, text=True)
    wall, after = time.perf_counter() - start, os.times()
    used = after.children_user + after.children_system - before.children_user - before.children_system
    return (used if clock == "processor" else wall), done.stdout


def evaluation(run: Path, qrels: Path) -> list[object]:
    """Return the command, as arguments of Python."""
    measures = [part for measure in MEASURES for part in ("--measure", measure)]
    return ["-m", "ndcg_asymptotics", "evaluate", "--run", run, "--qrels", qrels, *measures]


def peers() -> dict[str, str]:
    """Return the scripts of the peers that the other Python has."""
    there = {}
    for name, script in PEERS.items():
        library = name.split()[0]
        if (
            subprocess.run([OTHER, "-c", f"import {library}"], capture_output=True, check=False).returncode
            == 0
        ):
            there[name] = script
    return there


def against(script: str, run: Path, qrels: Path) -> tuple[float, ...]:
    """Return the ratios of processor times from process start to printed means, after comparing the means."""
    found = []
    for _ in range(RUNS):
        ours, table = seconds(sys.executable, *evaluation(run, qrels))
        theirs, means = seconds(OTHER, "-c", script, run, qrels)
        found.append(ours / theirs)
    shown = [float(number) for number in re.findall(r"0\.\d+", table)]
    assert all(min(abs(float(mean) - number) for number in shown) < 1e-4 for mean in means.split()), (
        table,
        means,
    )
    return tuple(found)


def lines() -> Iterator[Line]:
    """Yield processor times of processes."""
    with TemporaryDirectory() as folder:
        long, short = write(Path(folder), 1000), write(Path(folder), 3)
        for name, script in peers().items():
            yield Line("evaluate, 1e6 lines", name, against(script, *long), is_peer=True)
            yield Line("evaluate, 3000 lines", name, against(script, *short), is_peer=True)
        command = (sys.executable, *evaluation(*short))
        wall = tuple(seconds(*command, clock="wall")[0] for _ in range(RUNS))
        yield Line("evaluate, 3000 lines, on the wall", "s", wall)


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
            print(
                f"evaluate, {queries * depth:g} lines of {queries} queries: "
                f"{min(cpu):.2f} s of CPU, {max(memory):.2f} GB"
            )


if __name__ == "__main__":
    main([(3, DEPTH), (1000, DEPTH), *([(100_000, 100)] if "--long" in sys.argv else [])])
