"""Documents of every kind that commands print as JSON, made from small inputs."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from cases import command, noisy_runs

import ndcg_asymptotics as na

CURVES = '[scorers]\ngood = "linear(0.1, 0.7)"\nother = "random"\n'
HEAD = 'measures = ["nDCG", "nDCG(geometric(2))"]\nn = [10, 100]\nreplicates = 40\n'
PAIRS = 'pairs = [["good", "other"]]\n'
PROBLEM = 'measure = "nDCG"\nlabels = [[2, 1], [0, 3]]\nprobabilities = [0.3, 0.7]\nlosses = ["squared"]\n'


def documents(folder: Path) -> Iterator[Any]:
    """Yield the documents; the files of a command are written before it."""
    for words in _commands(folder):
        yield json.loads(command(*words, "--json", "--quiet").out)


def _commands(folder: Path) -> Iterator[tuple[Any, ...]]:
    texts = {
        "study.toml": HEAD + PAIRS + CURVES,
        "grid.toml": HEAD
        + PAIRS
        + "[grid]\np = [0.6, 0.7]\n[scorers]\ngood = 'linear(0.1, $p)'\nother = 'random'\n",
        "rare.toml": HEAD + 'engine = "rare"\n' + PAIRS + CURVES,
        "problem.toml": PROBLEM,
        "users.csv": "user,rank\n" + "".join(f"u{i},{1 + 7 * i % 50}\n" for i in range(20)),
        "other.csv": "user,rank\n" + "".join(f"u{i},{1 + 11 * i % 50}\n" for i in range(20)),
    }
    _write_lists(folder)
    for name, text in texts.items():
        (folder / name).write_text(text)
    for name in ("study", "grid", "rare"):
        words = "run", folder / f"{name}.toml", "--out", folder / name, "--jobs", 1, "--quiet"
        assert command(*words)[0] == 0
    study, rare = folder / "study", folder / "rare"
    for results in (study, rare, folder / "grid"):
        yield "info", results
        yield "distinguish", results
    yield "check", study
    yield "check", folder / "grid"
    yield ("list",)
    yield "predict", "--scorer", "linear(0.1, 0.7)", "--measure", "nDCG", "--measure", "nDCG@3", "-n", "10"
    yield "predict", "--scorer", "roc_power(0.4)", "--relevant", "1", "--measure", "nDCG@3", "-n", "10"
    yield "plan", "--a", "linear(0.2, 0.6)", "--b", "linear(0.45, 0.35)", "--measure", "nDCG@1", "-n", 10
    yield "plan", "--sd", 0.2, "--queries", 50, "--measure", "nDCG@10", "--difference", 0.05
    files = [folder / "a.run", folder / "b.run", folder / "c.run"]
    judged = ("--qrels", folder / "qrels")
    both = ("--run", files[0], "--run", files[1], *judged, "--measure", "nDCG")
    yield "plan", *both
    yield "evaluate", *both, "--chance"
    yield "evaluate", *both
    yield "grow", *both, "--orders", 2
    yield "grow", *both, "--orders", 2, "--groups", 2
    yield "compare", *files[:2], *judged, "--measure", "nDCG", "--resamples", 99, "--fail-if-worse"
    yield "compare", *files, *judged, "--measure", "nDCG", "--resamples", 99
    (folder / "collections.csv").write_text(
        "collection,qrels,run,path\n"
        + "".join(f"{c},qrels,{run},{run}.run\n" for c in "uvwxyz" for run in ("a", "b"))
    )
    yield "compare", "--collections", folder / "collections.csv", "--measure", "nDCG", "--resamples", 99
    by_judge = *judged, "--judge", folder / "qrels"
    yield "compare", *files[:2], *by_judge, "--measure", "nDCG", "--resamples", 99, "--fail-if-worse"
    users = ("--ranks", folder / "users.csv", "--ranks", folder / "other.csv", "--items", 1000)
    yield "sampled", *users, "--measure", "nDCG", "--negatives", "20"
    scores = {f"u{u}": {f"i{i}": -float(i) for i in range(10)} for u in range(20)}
    na.lists.write_run(scores, folder / "held.run", "a")
    na.lists.write_qrels({f"u{u}": {f"i{u % 10}": 1.0} for u in range(20)}, folder / "held")
    held = ("--run", folder / "held.run", "--qrels", folder / "held", "--items", 1000)
    yield "sampled", *held, "--measure", "nDCG@10"
    yield "losses", "decide", folder / "problem.toml"
    yield "losses", "risk", folder / "problem.toml", "--scores", "0.6,0.4"
    yield "losses", "search", "--loss", "squared", "--draws", 20
    trained = [
        word for part in ("train", "validation", "test") for word in (f"--{part}", folder / "train.txt")
    ]
    yield "losses", "train", *trained, "--loss", "squared", "--penalty", 1


def _write_lists(folder: Path) -> None:
    """Write runs, judgements and features."""
    rng = np.random.default_rng(1)
    labels = {str(query): {f"d{d}": float(d < 6) for d in range(16)} for query in range(10)}
    for name, run in noisy_runs(labels, {"a": 0.5, "b": 2.0, "c": 4.0}, rng).items():
        na.lists.write_run(run, folder / f"{name}.run", name)
    judged = {query: {d: y for d, y in of.items() if d != "d12"} for query, of in labels.items()}
    na.lists.write_qrels(judged, folder / "qrels")
    documents = [(query, y, *rng.normal(y, 1.0, 2)) for query, of in labels.items() for y in of.values()]
    lines = [f"{y:g} qid:{query} 1:{first:.3f} 2:{second:.3f}\n" for query, y, first, second in documents]
    (folder / "train.txt").write_text("".join(lines))
