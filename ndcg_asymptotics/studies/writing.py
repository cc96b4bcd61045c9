"""A study as the text of a study file, from which `studies.toml.load` makes an equal study."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Sequence

from ndcg_asymptotics.core.errors import InputError
from ndcg_asymptotics.studies.canonical import canonical
from ndcg_asymptotics.studies.study import Study, decades

_BARE = re.compile(r"[A-Za-z0-9_-]+")
_LONG = 12  # list lengths from which on a rule is looked for


def study_text(study: Study) -> str:
    r"""The study as TOML, in canonical texts.

    Raises
    ------
    InputError
        If a function of the user's has no name by which another process finds it.

    >>> study = Study(scorers={"a": "constant(0.4)"}, measures="nDCG", n=[10, 20], replicates=5)
    >>> print(study_text(study))
    measures = ["nDCG(log)"]
    n = [10, 20]
    replicates = 5
    seed = 0
    engine = "items"
    <BLANKLINE>
    [scorers]
    a = "constant(0.4)"
    """
    fields = canonical(study)
    lines = [f"title = {_quoted(study.title)}"] if study.title else []
    lines.append(f"measures = [{', '.join(map(_quoted, fields['measures']))}]")
    lines.append(f"n = {_lengths(study.n)}")
    lines += [f"replicates = {study.replicates}", f"seed = {study.seed}", f"engine = {_quoted(study.engine)}"]
    if fields["coupling"] != "independent":
        lines.append(f"coupling = {_quoted(fields['coupling'])}")
    if study.pairs:
        pairs = ", ".join(f"[{_quoted(a)}, {_quoted(b)}]" for a, b in study.pairs)
        lines.append(f"pairs = [{pairs}]")
    if study.engine == "cells":
        lines.append(f"bracket = {study.bracket!r}")
    lines += ["", "[scorers]"]
    lines += [f"{_key(name)} = {_quoted(text)}" for name, text in fields["scorers"].items()]
    return "\n".join(lines)


def _lengths(sizes: Sequence[int]) -> str:
    if len(sizes) >= _LONG:
        for per_decade in range(1, 51):
            try:
                same = decades(sizes[0], sizes[-1], per_decade) == tuple(sizes)
            except InputError:
                break
            if same:
                return f"{{ start = {sizes[0]}, stop = {sizes[-1]}, per_decade = {per_decade} }}"
    return str(list(sizes))


def _key(name: str) -> str:
    return name if _BARE.fullmatch(name) else _quoted(name)


def _quoted(text: str) -> str:
    """A basic string; what is not to be seen is written out."""
    quoted = json.dumps(text, ensure_ascii=False)
    return "".join(
        rf"\U{ord(c):08x}" if unicodedata.category(c) in ("Cc", "Cf", "Zl", "Zp") else c for c in quoted
    )
