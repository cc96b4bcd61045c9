"""Read runs and judgements from JSON files, ``{"query": {"document": number}}``, as ranx writes them."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

from ndcg_asymptotics.core.arrays import brief
from ndcg_asymptotics.core.errors import InputError, naming, require
from ndcg_asymptotics.lists.reading.text import read_text
from ndcg_asymptotics.lists.records import NumberKind, Records


def read_json(path: Path, kind: NumberKind) -> Records:
    """Return the records of a JSON file.

    Raises
    ------
    InputError
        For a file that is not such an object, a number that is not finite, and a query or document that
        occurs twice.
    """
    form_text = f'{{"query": {{"document": {kind}}}}}'
    with naming(str(path)):
        content = parse_json(read_text(path), form_text)
        for query, documents in content.items():
            values = documents.values() if isinstance(documents, dict) else [documents]
            for value in values:
                number = isinstance(value, int | float) and not isinstance(value, bool)
                require(number, f"query {query}: got {brief(value)}, expected {form_text}")
        records = replace(Records.of(content, kind), source=str(path))
        require(len(records) > 0, f"holds no data, expected {form_text}")
    return records


def parse_json(text: str, form_text: str) -> Any:
    """Return the content of a JSON text that is of the form ``form_text``.

    Raises
    ------
    InputError
        For a text that is not JSON, and for a name that occurs twice in an object.
    """
    try:
        return json.loads(text, object_pairs_hook=_distinct)
    except json.JSONDecodeError as error:
        position = f"line {error.lineno}, column {error.colno}"
        raise InputError(f"not a JSON file of the form {form_text} ({error.msg}, {position})") from None
    except (RecursionError, ValueError) as error:  # what json leaves to Python's own limits
        if isinstance(error, InputError):
            raise
        reason = "nested too deeply" if isinstance(error, RecursionError) else "a number of too many digits"
        raise InputError(f"not a JSON file of the form {form_text} ({reason})") from None


def _distinct(pairs: list[tuple[str, object]]) -> dict[str, object]:
    content = dict(pairs)
    if len(content) < len(pairs):
        names = [name for name, _ in pairs]
        raise InputError(f"{brief(next(n for n in names if names.count(n) > 1))} occurs twice")
    return content
