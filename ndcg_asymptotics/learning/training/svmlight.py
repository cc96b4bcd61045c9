"""Queries from SVMlight files, as LETOR and others distribute them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from ndcg_asymptotics.core.errors import InputError, require
from ndcg_asymptotics.learning.training.queries import Queries
from ndcg_asymptotics.lists.reading.svmlight import Part, svmlight_parts

_FREE, _RATIO = 1 << 26, 100
"""Numbers, zeros included, that a file may hold: 64 million (0.5 GB), and 100 for each of its bytes."""


def read_svmlight(*paths: Path | str) -> Queries:
    """Read queries from SVMlight files, plain or compressed by gzip or zstd, one after another.

    A query's lines must stand together. Features that a line does not name are 0. Documents are named by
    ``docid = name`` in the comment at the end of their line if all lines have one, otherwise by their number
    within the query.

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
    parts = [part for path in paths for part in _read(Path(path))]
    width = max(part.features.shape[1] for part in parts)
    rows = sum(part.labels.size for part in parts)
    most = _FREE + _RATIO * sum(Path(path).stat().st_size for path in paths)
    files = ", ".join(map(str, paths))
    require(
        rows * width <= most,
        f"{files}: {rows} lines and features up to {width} are {rows * width:,} numbers, the most that files "
        f"of this size may hold are {most:,}",
    )
    features, start = np.zeros((rows, width)), 0
    for part in parts:
        stop = start + part.labels.size
        features[start:stop, : part.features.shape[1]] = part.features.toarray()
        start = stop
    labels = np.concatenate([part.labels for part in parts])
    queries = np.array([query for part in parts for query in part.queries], object)
    starts = np.append(0, np.flatnonzero(queries[1:] != queries[:-1]) + 1)
    names = queries[starts].tolist()
    seen: set[str] = set()
    for name in names:
        require(name not in seen, f"{files}: the lines of query {name} do not stand together")
        seen.add(name)
    sizes = np.diff(starts, append=queries.size)
    documents = [document for part in parts for document in part.documents]
    return Queries(features, labels, sizes, names, documents if all(documents) else ())


def _read(path: Path) -> Sequence[Part]:
    parts = list(svmlight_parts(path, lowest=0.0))
    require(bool(parts), f"{path}: holds no data, expected lines 'label qid:query feature:value …'")
    return parts
