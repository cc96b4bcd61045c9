"""Problems as files::

    measure = "nDCG"              # nDCG@10, DCG(zipf), AP, ERR, PD; nDCG where it is not given
    gain = "exp2"                 # or "linear"
    labels = [[5, 4], [1, 3]]     # a row per label vector, a column per item
    probabilities = [0.3, 0.7]
    losses = ["squared"]          # all kinds where it is not given

or, in place of measure, gain, labels and probabilities, ``preferences = [[0, 1], [3, 0]]``, the weights a_ij
of preferring i to j.
"""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

from ndcg_asymptotics.core.arrays import brief
from ndcg_asymptotics.core.errors import InputError, require
from ndcg_asymptotics.core.files import read_file
from ndcg_asymptotics.learning.consistency.problem import Problem
from ndcg_asymptotics.learning.losses import Loss

_LARGEST = 2**24  # bytes of a problem file
_FIELDS = ("measure", "gain", "labels", "probabilities", "preferences", "losses")


def load_problem(path: str | Path) -> tuple[Problem, tuple[Loss, ...] | None]:
    """Read a problem file: the problem, and the losses that it names, if any.

    Raises
    ------
    InputError
        Naming the file and the field.
    OSError
        If the file cannot be read.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     file = Path(folder) / "problem.toml"
    ...     _ = file.write_text("labels = [[5, 4], [1, 3]]\\nprobabilities = [0.3, 0.7]")
    ...     load_problem(file)[0].optimal_order()
    (1, 0)
    """
    path = Path(path)
    try:
        fields = tomllib.loads(read_file(path, _LARGEST).decode("utf-8"))
    except UnicodeDecodeError:
        raise InputError(f"{path}: not a TOML file (it is not UTF-8 text)") from None
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"{path}: not a TOML file: {error}") from None
    try:
        return _problem(fields), _losses(fields, path.parent)
    except InputError as error:
        raise InputError(f"{path}: {error}") from None


def _problem(fields: dict[str, Any]) -> Problem:
    for name in fields:
        require(name in _FIELDS, f"unknown field {name!r}, expected one of: {', '.join(_FIELDS)}")
    if "preferences" in fields:
        others = [name for name in ("measure", "gain", "labels", "probabilities") if name in fields]
        require(not others, f"preferences stand in the place of {', '.join(others)}")
        return Problem.of_preferences(fields["preferences"])
    for name in ("labels", "probabilities"):
        require(name in fields, f"{name} is missing")
    measure, gain = fields.get("measure", "nDCG"), fields.get("gain", "exp2")
    return Problem(fields["labels"], fields["probabilities"], measure, gain)


def _losses(fields: dict[str, Any], folder: Path) -> tuple[Loss, ...] | None:
    if "losses" not in fields:
        return None
    given = fields["losses"]
    texts = isinstance(given, list) and bool(given) and all(isinstance(text, str) for text in given)
    require(texts, f"must be a list of losses in quotes, got {brief(given)}", "losses")
    try:
        return tuple(Loss.parse(text, folder) for text in given)
    except InputError as error:
        raise InputError(str(error), "losses") from None
