"""Runs and judgements as TREC files, for `evaluate`, `fit` and other tools."""

from __future__ import annotations

from pathlib import Path

from ndcg_asymptotics.core.errors import InputError, require
from ndcg_asymptotics.core.files import write_file
from ndcg_asymptotics.lists import Qrels, Run


def write_run(run: Run, path: Path | str, tag: str) -> None:
    """Write lines ``query Q0 document rank score tag``, by decreasing score.

    Raises
    ------
    InputError
        If a name or the tag holds a space, or the file cannot be written.
    """
    lines = []
    for query, scores in run.items():
        ranked = sorted(scores.items(), key=lambda pair: -pair[1])
        lines += [f"{query} Q0 {name} {rank} {score!r} {tag}" for rank, (name, score) in enumerate(ranked, 1)]
    _write(path, lines, 6)


def write_qrels(qrels: Qrels, path: Path | str) -> None:
    """Write lines ``query 0 document label``.

    Raises
    ------
    InputError
        If a name holds a space, a label is not whole, or the file cannot be written.
    """
    lines = []
    for query, labels in qrels.items():
        for name, label in labels.items():
            require(label == int(label), f"labels of a TREC file are whole numbers, got {label:g} for {name}")
            lines.append(f"{query} 0 {name} {int(label)}")
    _write(path, lines, 4)


def _write(path: Path | str, lines: list[str], columns: int) -> None:
    for line in lines:
        require(len(line.split()) == columns, f"names in a TREC file must not hold spaces, got {line[:80]!r}")
    try:
        write_file(Path(path), "".join(f"{line}\n" for line in lines).encode())
    except OSError as error:
        raise InputError(f"{path}: cannot be written ({error.strerror})") from None
