"""SVMlight files, as LETOR and others distribute queries in: ``label qid:q 1:x 2:y … # docid = name``."""

from __future__ import annotations

import gzip
import io
import re
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ndcg_asymptotics.core.arrays import Floats, Integers
from ndcg_asymptotics.core.errors import InputError
from ndcg_asymptotics.learning.training.queries import Queries

_DOCUMENT = re.compile(rb"docid\s*=\s*(\S+)")
_QUERY = re.compile(rb"\bqid:")
_EXPECTED = "'label qid:query feature:value …' with a label >= 0 and features in increasing order"


def read_svmlight(*paths: Path | str) -> Queries:
    """Read queries from SVMlight files, plain or gzip-compressed, one after another.

    A query's lines must stand together. Features that a line does not name are 0. Documents are named by
    ``docid = name`` in the comment at the end of their line, where there is one, else by their number within
    the query.

    Raises
    ------
    InputError
        For a file that is missing, empty or damaged, a line that is not of that form (by its number), and if
        the extra ``ndcg-asymptotics[data]`` is not installed.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     file = Path(folder) / "train.txt"
    ...     _ = file.write_text("2 qid:7 1:0.5 3:1\\n0 qid:7 2:0.25\\n")
    ...     read_svmlight(file).features
    array([[0.5 , 0.  , 1.  ],
           [0.  , 0.25, 0.  ]])
    """
    if not paths:
        raise InputError("needs at least one file", "paths")
    parts = [_read(Path(path)) for path in paths]
    width = max(features.shape[1] for features, *_ in parts)
    features = np.vstack([np.pad(x, ((0, 0), (0, width - x.shape[1]))) for x, *_ in parts])
    labels, queries = (np.concatenate([part[k] for part in parts]) for k in (1, 2))
    starts = np.concatenate([[0], np.flatnonzero(np.diff(queries)) + 1])
    names = [str(q) for q in queries[starts].tolist()]
    for name in names:
        if names.count(name) > 1:
            raise InputError(f"{', '.join(map(str, paths))}: the lines of query {name} do not stand together")
    sizes = np.diff([*starts.tolist(), queries.size])
    documents = _documents([name for part in parts for name in part[3]], sizes)
    return Queries(features, labels, sizes, names, documents)


def _documents(found: Sequence[str], sizes: Integers) -> Sequence[str]:
    """The names in the comments, if all documents have one."""
    return found if all(found) else [str(d + 1) for n in sizes.tolist() for d in range(n)]


def _read(path: Path) -> tuple[Floats, Floats, Integers, list[str]]:
    lines = _lines(path)
    try:
        features, labels, queries = _parse(b"\n".join(lines))
    except ValueError:
        for number, line in enumerate(lines, start=1):
            _check(path, number, line)
        raise InputError(f"{path}: expected lines {_EXPECTED}") from None
    good = np.isfinite(features).all(axis=1) & (labels >= 0) & np.isfinite(labels)
    holding = [number for number, line in enumerate(lines, start=1) if _content(line)]
    if not good.all():
        number = holding[int(np.argmin(good))]
        raise _bad(path, number, lines[number - 1])
    if labels.size == 0:
        raise InputError(f"{path}: holds no data, expected lines {_EXPECTED}")
    for number in holding:
        if not _QUERY.search(_content(lines[number - 1])):
            raise _bad(path, number, lines[number - 1])
    names = [_DOCUMENT.search(lines[number - 1]) for number in holding]
    return features, labels, queries, [name[1].decode(errors="replace") if name else "" for name in names]


def _parse(text: bytes) -> tuple[Floats, Floats, Integers]:
    try:
        from sklearn.datasets import load_svmlight_file
    except ImportError:
        raise InputError(
            "SVMlight files are read by scikit-learn, which is not installed: "
            'pip install "ndcg-asymptotics[data]"'
        ) from None
    found: Any = load_svmlight_file(io.BytesIO(text + b"\n"), query_id=True, zero_based=False)
    features, labels, queries = found
    return features.toarray(), np.asarray(labels, np.float64), np.asarray(queries, np.int64)


def _check(path: Path, number: int, line: bytes) -> None:
    try:
        _parse(line)
    except ValueError:
        raise _bad(path, number, line) from None


def _bad(path: Path, number: int, line: bytes) -> InputError:
    text = line.strip()[:80].decode(errors="replace")
    return InputError(f"{path}, line {number}: got {text!r}, expected {_EXPECTED}")


def _content(line: bytes) -> bytes:
    return line.partition(b"#")[0].strip()


def _lines(path: Path) -> list[bytes]:
    try:
        content = path.read_bytes()
        if content.startswith(b"\x1f\x8b"):
            content = gzip.decompress(content)
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise InputError(f"{path}: a truncated or damaged gzip file ({error})") from None
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror})") from None
    return content.splitlines()
