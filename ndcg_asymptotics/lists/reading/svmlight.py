"""Read SVMlight and LETOR files, with a label, a query and features in each line, by scikit-learn.

::

    2 qid:10002 1:0.007477 2:0.5 … 46:0.076 # docid = GX008-86-4444840 inc = 1 prob = 0.086622
"""

from __future__ import annotations

import io
import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ndcg_asymptotics.core.arrays import Floats, Integers, brief
from ndcg_asymptotics.core.errors import InputError, needing, require
from ndcg_asymptotics.core.files import path_of
from ndcg_asymptotics.core.search import first_true
from ndcg_asymptotics.lists.names import text_column
from ndcg_asymptotics.lists.reading.lines import Columns, refuse_line
from ndcg_asymptotics.lists.reading.text import read_chunks

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

LARGEST_FEATURE = 10**6
"""The highest index of a feature; a trained ranker has a weight for every index up to it."""

_EXPECTED = (
    "'label{} feature:value …' with finite numbers, {} and features from 1 to "
    f"{LARGEST_FEATURE} in increasing order"
)
# label, query, features, name of the document
_LINE = re.compile(
    r"\s*(\S+)(?:\s+qid:([^\s#]+))?((?:\s[^#]*)?)(?:#(?:.*?\bdocid\s*=\s*(\S+))?.*)?", re.ASCII
)


@dataclass(frozen=True)
class SvmlightLines:
    """Some lines of an SVMlight file.

    Attributes
    ----------
    features : sparse matrix (lines, features)
    labels : (lines,)
    queries : sequence of str
        Empty texts if no line names its query.
    documents : sequence of str
        Empty for a line whose comment does not name its document.
    numbers : sequence of int
        The line numbers in the file.
    """

    features: csr_matrix
    labels: Floats
    queries: Sequence[str]
    documents: Sequence[str]
    numbers: Sequence[int]


def is_svmlight(line: str) -> bool:
    """Return whether a file with this first line is an SVMlight file."""
    fields = line.split()
    return len(fields) > 1 and fields[1].startswith("qid:")


def lacks_queries(line: str) -> bool:
    """Return whether a file with this first line is an SVMlight file without the queries of its lines.

    >>> lacks_queries("2 1:0.5 7:1 # a comment"), lacks_queries("2 qid:3 1:0.5")
    (True, False)
    """
    return re.match(r"\s*[-+]?[\d.]+\s+\d+:[-+]?[\d.]", line) is not None


def read_svmlight_lines(
    path: Path, negative: Collection[float] | None = None, *, queries: bool = True
) -> Iterator[SvmlightLines]:
    """Yield the lines of an SVMlight file, chunk by chunk.

    Parameters
    ----------
    path : path
    negative : labels, optional
        The negative labels that are allowed; all by default.
    queries : bool
        Whether every line names its query, or none does.

    Raises
    ------
    InputError
        For an invalid line, with its number; and if scikit-learn is not installed.
    """
    with needing("scikit-learn", f"{path}: SVMlight files are read by"):
        import sklearn.datasets  # noqa: F401
    form_text = _EXPECTED.format(" qid:query" * queries, "a label" if negative is None else "a label >= 0")
    for first, chunk in read_chunks(path):
        lines, numbers, matches = [], [], []
        for number, line in enumerate(chunk.split("\n"), first):
            if line.partition("#")[0].strip():
                match = _LINE.fullmatch(line)
                # Python takes 1_0 for a number
                if match is None or (match[2] is None) == queries or "_" in match[1] + match[3]:
                    refuse_line(path, number, line.strip(), form_text)
                lines.append(line)
                numbers.append(number)
                matches.append(match)
        if not lines:
            continue
        try:
            features, labels = _parsed(lines)
        except (ValueError, OverflowError):
            bad = _first_bad(lines)
            refuse_line(path, numbers[bad], lines[bad].strip(), form_text)
        wrong = ~np.isfinite(labels)
        wrong |= (labels < 0) & ~np.isin(labels, [*negative]) if negative is not None else False
        wrong |= np.diff(features.indptr) != _good_entries(features)
        for bad in np.flatnonzero(wrong)[:1].tolist():
            refuse_line(path, numbers[bad], lines[bad].strip(), form_text)
        names, documents = ([match[group] or "" for match in matches] for group in (2, 4))
        yield SvmlightLines(features, labels, names, documents, numbers)


def svmlight_columns(
    path: Path, features: Sequence[int], query: Path | str | None = None
) -> Iterator[Columns]:
    """Yield query, document, label and some features, which are columns called ``feature 1`` and so on.

    A document without a ``docid`` in its comment is named after its line. Features that a line does not name
    are 0. ``query`` is a file with the number of lines of each query, for files whose lines do not name them;
    these queries are then called 1, 2, ….

    Raises
    ------
    InputError
        As `read_svmlight_lines`, and if no line has one of the features.
    """
    present: set[int] = set()
    highest = read = 0
    ends = None if query is None else np.cumsum(read_sizes(path_of(query, "query")))
    for part in read_svmlight_lines(path, queries=ends is None):
        names, indices = part.queries, part.features.indices
        if ends is not None:
            names = (np.searchsorted(ends, np.arange(read, read + len(names)), side="right") + 1).tolist()
        read += len(names)
        highest = max(highest, int(indices.max(initial=-1)) + 1)
        documents = [
            name or f"line {number}" for name, number in zip(part.documents, part.numbers, strict=True)
        ]
        columns: Columns = {
            "query": text_column(names),
            "document": text_column(documents),
            "label": part.labels,
        }
        for feature in features:
            values = np.zeros(len(names))
            if feature - 1 in indices:
                present.add(feature)
                values = part.features[:, [feature - 1]].toarray()[:, 0]
            columns[f"feature {feature}"] = values
        yield columns
    if ends is not None and ends[-1] != read:
        raise InputError(f"{query}: the sizes of queries add up to {ends[-1]:,} lines, {path} has {read:,}")
    for feature in features:
        require(feature in present, f"{path}: no line has feature {feature}; the highest is {highest}")


def read_sizes(path: Path) -> Integers:
    """Read the number of lines of each query: a whole number a line, as LightGBM and XGBoost have them.

    Raises
    ------
    InputError
        For any other content.
    """
    sizes: list[int] = []
    for _, chunk in read_chunks(path):
        for field in chunk.split():
            good = field.isdecimal() and len(field) < 10 and int(field) > 0
            message = f"{path}: expected the number of lines of each query, got {brief(field)}"
            require(good, message)
            sizes.append(int(field))
    require(bool(sizes), f"{path}: expected the number of lines of each query, got none")
    return np.array(sizes, np.int64)


def _parsed(lines: Sequence[str]) -> tuple[csr_matrix, Floats]:
    from sklearn.datasets import load_svmlight_file

    # without query_id: scikit-learn allows only numbers as queries
    features_and_labels: tuple[csr_matrix, Floats] = load_svmlight_file(
        io.BytesIO("\n".join([*lines, ""]).encode()), zero_based=False
    )
    return features_and_labels


def _first_bad(lines: Sequence[str]) -> int:
    """Return the index of the first line that scikit-learn refuses."""

    def refused(count: int) -> bool:
        try:
            _parsed(lines[:count])
        except (ValueError, OverflowError):
            return True
        return False

    return first_true(refused, 0, len(lines)) - 1


def _good_entries(features: csr_matrix) -> Integers:
    """Return how many features of each line are finite and have an allowed index."""
    good = np.isfinite(features.data) & (features.indices < LARGEST_FEATURE)
    return np.diff(np.append(0, np.cumsum(good))[features.indptr])
