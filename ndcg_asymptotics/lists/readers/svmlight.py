"""SVMlight and LETOR files: a label, a query and features in each line, of which a score is made.

::

    2 qid:10002 1:0.007477 2:0.5 … 46:0.076 # docid = GX008-86-4444840 inc = 1 prob = 0.086622
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from ndcg_asymptotics.core.errors import InputError, require
from ndcg_asymptotics.lists.readers.files import blocks, chunks
from ndcg_asymptotics.lists.readers.tabular import Row

_EXPECTED = "'label qid:query feature:value …' with finite numbers"
_DOCUMENT = re.compile(rb"docid\s*=\s*(\S+)")
_SHOWN = 80


def is_svmlight(head: bytes) -> bool:
    """Whether the first line of a text is one of such a file."""
    fields = head.lstrip().partition(b"\n")[0].split()
    return len(fields) > 1 and fields[1].startswith(b"qid:")


def svmlight_rows(text: Iterable[bytes], weights: Mapping[int, float], path: Path) -> Iterator[Row]:
    """Rows of query, document, score and label; the score is ``sum_i weights[i] feature_i``.

    A document without a ``docid`` in its comment is named by its line. Features that a line does not
    hold are 0.

    Raises
    ------
    InputError
        For a line that is not of that form.
    """
    (only,) = weights if len(weights) == 1 else (0,)
    number = 0
    for chunk in text:
        for line in chunk.split(b"\n")[:-1]:
            number += 1
            content, _, comment = line.partition(b"#")
            fields = content.split()
            if not fields:
                continue
            try:
                label, query = float(fields[0]), _after(b"qid:", fields[1])
                if only:
                    score = weights[only] * _feature(fields, only)
                else:
                    score = math.fsum(weights.get(i, 0.0) * v for i, v in map(_pair, fields[2:]))
                if not (math.isfinite(score) and math.isfinite(label)):
                    raise ValueError
            except (ValueError, IndexError):
                said = line[:_SHOWN].decode(errors="replace").strip()
                raise InputError(f"{path}, line {number}: got {said!r}, expected {_EXPECTED}") from None
            named = _DOCUMENT.search(comment)
            document = named[1].decode() if named else f"line {number}"
            yield {"query": query.decode(), "document": document, "score": score, "label": label}


def read_weights(path: Path) -> dict[int, float]:
    """Weights of features: numbers in order from feature 1 on, or pairs ``feature:weight``.

    Raises
    ------
    InputError
        For something else.
    """
    fields = b"".join(chunks(blocks(path), path)).split()
    try:
        pairs = [_pair(f) if b":" in f else (i, float(f)) for i, f in enumerate(fields, 1)]
        if not all(i >= 1 and math.isfinite(w) for i, w in pairs):
            raise ValueError
    except ValueError:
        raise InputError(f"{path}: expected numbers, one for each feature, or feature:weight") from None
    require(len(pairs) > 0, f"{path}: holds no weights")
    return dict(pairs)


def _after(prefix: bytes, field: bytes) -> bytes:
    if not field.startswith(prefix) or len(field) == len(prefix):
        raise ValueError
    return field[len(prefix) :]


def _pair(field: bytes) -> tuple[int, float]:
    index, _, value = field.partition(b":")
    return int(index), float(value)


def _feature(fields: list[bytes], wanted: int) -> float:
    """The value of one feature: as a rule where it stands if none is left out."""
    prefix = b"%d:" % wanted
    if wanted + 1 < len(fields) and fields[wanted + 1].startswith(prefix):
        return float(fields[wanted + 1][len(prefix) :])
    for field in fields[2:]:
        if field.startswith(prefix):
            return float(field[len(prefix) :])
    return 0.0
