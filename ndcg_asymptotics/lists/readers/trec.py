"""TREC runs and relevance judgements: lines of fields that white space separates."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

import numpy as np
from numpy.typing import NDArray

from ndcg_asymptotics.core.arrays import Bools, Floats
from ndcg_asymptotics.core.errors import InputError, require
from ndcg_asymptotics.lists.readers.fields import BadLineError, Fields, numbers, split, whole
from ndcg_asymptotics.lists.readers.names import Names
from ndcg_asymptotics.lists.readers.records import Records

_SHOWN = 80  # characters of a bad line in a message


@dataclass(frozen=True)
class Form:
    """What a line holds: how many fields, and where the document and the number stand."""

    expected: str
    columns: int
    document: int
    value: int
    read: Callable[[Fields, int], tuple[Floats, Bools]]


def _finite(fields: Fields, column: int) -> tuple[Floats, Bools]:
    found = numbers(fields, column)
    return found, np.isfinite(found)


RUN = Form("'query Q0 document rank score tag' with a finite score", 6, 2, 4, _finite)
QRELS = Form("'query iteration document label' with a whole number as label", 4, 2, 3, whole)


def read(text: Iterator[bytes], form: Form, path: Path) -> Records:
    """Records from the chunks of a file.

    Raises
    ------
    InputError
        For a line that is not of that form (named by its number), a document that comes twice, or
        no line at all.
    """
    index: dict[bytes, int] = {}
    rows, names, values = [], [], []
    blanks, records, lines = [np.zeros(0, np.int64)], 0, 0
    for chunk in text:
        try:
            fields = split(chunk, form.columns)
        except BadLineError as bad:
            _refuse(chunk, bad.index, lines, form, path)
        found, ok = form.read(fields, form.value)
        if not ok.all():
            _refuse(chunk, fields.line(int(np.argmin(ok))), lines, form, path)
        if found.size:
            rows.append(_rows(fields, index))
            column = form.document
            names.append(Names(fields.text, fields.start[:, column], fields.end[:, column]).compact())
            values.append(found)
        # a blank line comes after so many records as there are lines before it that are not blank
        blanks.append(records + fields.blank - np.arange(fields.blank.size))
        records += found.size
        lines += fields.total
    require(records > 0, f"{path}: holds no data, expected {form.expected}")
    queries = tuple(query.decode() for query in index)
    all_names = Names.joined(names)
    names.clear()  # a run of ten million lines is held once
    result = Records(queries, np.concatenate(rows), all_names, np.concatenate(values), str(path))
    twice = result.repeated()
    if twice is not None:
        skipped = np.concatenate(blanks)
        first, second = (1 + r + int(np.searchsorted(skipped, r, "right")) for r in twice)
        document = f"document {result.names.text_of(twice[1])} of topic {result.topic(twice[1])}"
        raise InputError(
            f"{path}, line {second}: {document} comes twice (first in line {first}), expected each "
            "document once per query"
        )
    return result


def _rows(fields: Fields, index: dict[bytes, int]) -> NDArray[np.int32]:
    """The query of each line, as an index; new ones are taken up."""
    names = Names(fields.text, fields.start[:, 0], fields.end[:, 0])
    every = np.arange(len(names))
    changes = np.append(0, 1 + np.flatnonzero(~names.equal(every[1:], names, every[:-1])))
    found = [index.setdefault(fields.field(record, 0), len(index)) for record in changes.tolist()]
    return np.repeat(np.array(found, np.int32), np.diff(changes, append=len(names)))


def _refuse(chunk: bytes, line: int, before: int, form: Form, path: Path) -> NoReturn:
    said = chunk.split(b"\n")[line].decode().strip()
    raise InputError(f"{path}, line {before + line + 1}: got {said[:_SHOWN]!r}, expected {form.expected}")
