"""Write runs and judgements as TREC files, which `evaluate`, `fit` and other tools read."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from ndcg_asymptotics.core.errors import InputError, require, require_utf8
from ndcg_asymptotics.core.files import path_of, write_file
from ndcg_asymptotics.lists.records import Qrels, Records, Run


def write_run(run: Run, path: Path | str, tag: str) -> None:
    """Write lines ``query Q0 document rank score tag``, by decreasing score.

    Raises
    ------
    InputError
        If a name or the tag holds white space, or the file cannot be written.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     write_run({"q1": {"d1": 0.5, "d2": 2.0}}, Path(folder, "mine.run"), "mine")
    ...     print(Path(folder, "mine.run").read_text(), end="")
    q1 Q0 d2 1 2.0 mine
    q1 Q0 d1 2 0.5 mine
    """
    lines = []
    for query, scores in Records.of(run, "score").as_dict().items():
        ranked = sorted(scores.items(), key=lambda pair: -pair[1])
        lines += [(query, "Q0", name, rank, repr(score), tag) for rank, (name, score) in enumerate(ranked, 1)]
    _write_lines(path, lines)


def write_qrels(qrels: Qrels, path: Path | str) -> None:
    """Write lines ``query 0 document label``.

    Raises
    ------
    InputError
        If a name holds white space, a label is not whole, or the file cannot be written.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     write_qrels({"q1": {"d1": 1.0, "d2": 0.0}}, Path(folder, "mine.qrels"))
    ...     print(Path(folder, "mine.qrels").read_text(), end="")
    q1 0 d1 1
    q1 0 d2 0
    """
    lines = []
    for query, labels in Records.of(qrels, "label").as_dict().items():
        for name, label in labels.items():
            require(label == int(label), f"labels of a TREC file are whole numbers, got {label:g} for {name}")
            lines.append((query, 0, name, int(label)))
    _write_lines(path, lines)


def _write_lines(path: Path | str, lines: Iterable[tuple[object, ...]]) -> None:
    texts = []
    for fields in lines:
        text = " ".join(map(str, fields))
        has_no_spaces = len(text.split()) == len(fields)
        require(has_no_spaces, f"names in a TREC file must not hold spaces, got {text[:80]!r}")
        require_utf8([text], "a line of a TREC file")
        texts.append(f"{text}\n")
    write_output(path_of(path, "path"), "".join(texts).encode())


def write_output(path: Path, content: bytes) -> None:
    """Write a file, and its folder if there is none.

    Raises
    ------
    InputError
        If the file cannot be written.
    """
    try:
        write_file(path, content)
    except OSError as error:
        raise InputError(f"{path}: cannot be written ({error.strerror})") from None
