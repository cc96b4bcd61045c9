"""The canonical form of a study: plain JSON values, by which folders of results are compared."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from ndcg_asymptotics.core.arrays import SHOWN
from ndcg_asymptotics.core.text import shortened
from ndcg_asymptotics.specs.spec import Portable
from ndcg_asymptotics.studies.study import Study

FREE = ("title", "aliases", "replicates", "precision")
"""The fields that do not change results."""


def canonical(study: Study) -> dict[str, Any]:
    """Return the study's fields as JSON values, in canonical texts.

    Names of files in the texts are those of `files`. There is a field ``digests`` only if the study has
    user-defined functions, and ``aliases`` only if measures have short names.

    Raises
    ------
    InputError
        If a user-defined function cannot be imported by a name.
    """
    digests: dict[str, str] = {}
    for part in _parts(study):
        digests |= part.digests
    fields: dict[str, Any] = {
        "title": study.title,
        "scorers": {name: scorer.portable().text for name, scorer in study.scorers.items()},
        "measures": [measure.portable().text for measure in study.measures],
        "n": list(study.n),
        "replicates": study.replicates,
        "seed": study.seed,
        "engine": study.engine,
        "coupling": str(study.population.coupling),
        "pairs": [list(pair) for pair in study.pairs],
        "bracket": study.bracket,
    }
    if any(measure.alias for measure in study.measures):
        fields["aliases"] = [str(measure) for measure in study.measures]
    if study.precision is not None:
        fields["precision"] = study.precision
    return fields | ({"digests": digests} if digests else {})


def with_short_names(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Return canonical fields as those of a study file: measures with ``aliases`` as a table."""
    study_fields = dict(fields)
    if aliases := study_fields.pop("aliases", None):
        study_fields["measures"] = dict(zip(aliases, study_fields["measures"], strict=True))
    return study_fields


def files(study: Study) -> dict[str, bytes]:
    """Return the files that the canonical texts refer to, by their names in a folder of results."""
    contents: dict[str, bytes] = {}
    for part in _parts(study):
        contents |= part.files
    return contents


def _parts(study: Study) -> list[Portable]:
    scorers = [scorer.portable() for scorer in study.scorers.values()]
    return [*scorers, *(measure.portable() for measure in study.measures)]


def differing_fields(fields: Mapping[str, object], stored_fields: Mapping[str, object]) -> list[str]:
    """Return the fields of two canonical studies that decide results and differ, with both values.

    For tables and lists only the elements that differ are named, for an edited function only its name.
    """
    return [
        difference
        for name in dict.fromkeys((*fields, *stored_fields))
        if name not in FREE and json.dumps(fields.get(name)) != json.dumps(stored_fields.get(name))
        for difference in _difference(name, fields.get(name), stored_fields.get(name))
    ]


def _difference(name: str, value: object, stored: object) -> Iterator[str]:
    if isinstance(value, dict) and isinstance(stored, dict):
        for key in dict.fromkeys((*value, *stored)):
            if name == "digests" and key in value and key in stored and value[key] != stored[key]:
                yield f"{key} was edited: its source files or its values differ"
            elif value.get(key) != stored.get(key):
                yield f"{name}.{key} ({_either(value.get(key), stored.get(key))})"
        if value == stored:
            yield f"{name} (in another order)"
    elif isinstance(value, list) and isinstance(stored, list):
        added = [x for x in value if x not in stored]
        removed = [x for x in stored if x not in value]
        if added or removed:
            sides = {"there": removed, "here": added}
            parts = (f"only {side} {_brief(values)}" for side, values in sides.items() if values)
            yield f"{name} ({', '.join(parts)})"
        else:
            yield f"{name} (in another order)"
    else:
        yield f"{name} ({_either(value, stored)})"


def _either(value: object, stored: object) -> str:
    return f"there {_brief(stored)}, here {_brief(value)}"


def _brief(value: object) -> str:
    if value is None:
        return "none"
    return shortened(json.dumps(value), SHOWN)
