"""Study files: a template that explains every field, and how files are read and written."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from ndcg_asymptotics.core.arrays import brief
from ndcg_asymptotics.core.errors import InputError, require
from ndcg_asymptotics.core.files import Fields, path_of, read_file
from ndcg_asymptotics.core.removed import FIELDS, removed
from ndcg_asymptotics.core.text import did_you_mean, toml_string
from ndcg_asymptotics.studies.canonical import canonical
from ndcg_asymptotics.studies.study import Study, decades, read_measures, read_scorers

_LARGEST = 2**24  # bytes of a TOML file
_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")
_TABLES = ("grid", "scorers")  # the fields that are tables of their own
_WRITTEN = (
    *("title", "measures", "n", "replicates", "seed", "engine", "coupling", "pairs", "bracket", "precision"),
    "scorers",
)
"""The fields of a file that is made of a study, in order."""
_MOST_PARTS = 10
"""Parts of a key: no field is deeper than 3, and tomllib takes time and memory by the square of this."""
_TOKEN = re.compile(
    r"""
    (?P<deep> (?:PART [ \t]* \. [ \t]*){MOST} PART)
    | [A-Za-z0-9_-]++
    | \#[^\n]*+
    | \"{3} (?: [^\\] | \\. )*? (?: \"{3} | \Z)
    | '{3} .*? (?: '{3} | \Z)
    | STRING
    """.replace("PART", r"(?: [A-Za-z0-9_-]++ | STRING )")
    .replace("STRING", r""" (?: "(?: [^"\\\n] | \\[^\n] )*+"? | '[^'\n]*+'? ) """)
    .replace("MOST", str(_MOST_PARTS)),
    re.VERBOSE | re.DOTALL,
)
"""A key of too many parts, or a word, comment or text of a TOML file, in which dots mean nothing."""
_LONG = 12  # list lengths; longer lists are written as a rule, where there is one

TEMPLATE = """\
# A study for ndcg-asymptotics. Run it with
#     ndcg-asymptotics run FILE.toml --out results/FILE
# where FILE.toml is this file.
# A spec is a text in quotes; `ndcg-asymptotics list` shows all of them.

title = "Two rankers"

# What NDCG is computed with: a discount in parentheses (log if there is none) and a cutoff after @
# (k, a share 0.2n, a power n^0.5, n/log(n) or 5log(n); the whole list if there is none).
measures = ["nDCG", "nDCG(power(0.5))", "nDCG@0.2n", "nDCG@10"]

# List lengths: a list such as [10, 100, 1000], or a range with a number of lengths per decade.
n = { start = 10, stop = 1e4, per_decade = 5 }

# How many streams are drawn, and from which seed. More replicates may be added later.
replicates = 200
seed = 1

# Pairs of scorers whose order is counted, for `distinguish`.
pairs = [["good", "random"]]

# The engine: "items" draws every item (n to about 1e7), "every-n" knows NDCG at every n up to the largest,
# "cells" goes to n = 1e18 within a bracket, "rare" draws wrong orders of pairs that are rare. "auto" is items
# up to n = 1e7 and cells beyond, and cells at every n with a fixed number of relevant items.
engine = "auto"

# The width of the bracket that the cells engine aims for.
# bracket = 1e-4

# End when every mean has this standard error; replicates is then the most there may be.
# precision = 1e-3

# The gain of a label y: "linear" is y, "exp2" is 2^y - 1; or a table such as "0=0, 1=1, 2=3".
# gain = "exp2"

# How many relevant items every list has, whatever its length; of graded scorers how many of each gain:
# { 2 = 1, 1 = 4 }. Scorers may then be ROC curves such as "roc_power(0.4)". Without it labels are i.i.d.,
# and lists without relevant items count as 0.
# relevant = 1

# How the scores of two scorers depend on each other given the label: "independent" or "gaussian(0.5)".
# coupling = "independent"

# Scorers by name, each a relevance curve: the probability of relevance at canonical score s in [0, 1].
# All need the same share of relevant items: prevalence= stands in for one of a curve's parameters.
[scorers]
good = "power(prevalence=0.3, top=0.8, exponent=2)"
random = "random"      # uninformative, with the labels of the others
# mine = 'custom("module:function")'         a function of the score in module.py beside this file
# fitted = 'empirical("curves/a.json")'      as `ndcg-asymptotics fit` writes it
"""


class _Decades(BaseModel):
    """List lengths evenly spaced in log n."""

    model_config = ConfigDict(extra="forbid")
    start: float
    stop: float
    per_decade: float


def _one_or_several(given: object) -> object:
    return [given] if isinstance(given, str) else given


class _File(BaseModel):
    """The fields of a study file and their types; `Study` checks their values."""

    model_config = ConfigDict(extra="forbid", strict=True)
    title: str = ""
    scorers: dict[str, str] = Field(min_length=1)
    measures: Annotated[list[str], BeforeValidator(_one_or_several)] = Field(min_length=1)
    n: Any
    replicates: int | float
    seed: int | float = 0
    engine: str = "auto"
    gain: str = "linear"
    coupling: str = "independent"
    relevant: int | float | str | dict[str, Any] | None = None
    pairs: list[list[str]] = []
    bracket: int | float | None = None
    precision: int | float | None = None


def load(path: str | Path, *, allow_custom: bool = False) -> Study:
    r"""Read a study file. Names of curve files and modules in it are relative to its folder.

    Curve files outside of this folder are refused, as a study may come from a stranger.

    Parameters
    ----------
    path : path
    allow_custom : bool
        Whether ``custom("module:function")`` in it may import its module, which runs the code in it.

    Raises
    ------
    InputError
        Naming the file, and the line and column of a TOML syntax error or the field.
    OSError
        If the file cannot be read.

    >>> from tempfile import TemporaryDirectory
    >>> text = "measures = ['nDCG']\nn = [10]\nreplicates = 5\n[scorers]\na = 'constant(0.4)'"
    >>> with TemporaryDirectory() as folder:
    ...     _ = (Path(folder) / "study.toml").write_text(text)
    ...     load(Path(folder) / "study.toml").replicates
    5
    """
    path = path_of(path, "path")
    fields = fields_of(path)
    require("grid" not in fields, f"{path}: a grid of studies, not a single one")
    return study_of(fields, path.parent, str(path), allow_custom)


def fields_of(path: Path) -> dict[str, Any]:
    """Return the fields of a TOML file, such as that of a study.

    Raises
    ------
    InputError
        If it is not a TOML file.
    OSError
        If it cannot be read.
    """
    try:
        text = read_file(path, _LARGEST).decode("utf-8-sig")
    except UnicodeDecodeError:
        raise InputError(f"{path}: not a TOML file (it is not UTF-8 text)") from None
    key = next((token for token in _TOKEN.finditer(text) if token["deep"]), None)
    if key:
        line = text.count("\n", 0, key.start()) + 1
        raise InputError(
            f"{path}, line {line}: the key {brief(key['deep'])} has more than {_MOST_PARTS} parts"
        )
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"{path}: not a TOML file: {error}{_advice(error, text)}") from None
    except (RecursionError, ValueError) as error:  # what tomllib leaves to Python's own limits
        deep = isinstance(error, RecursionError)
        said = "nested too deeply" if deep else "an integer of too many digits"
        raise InputError(f"{path}: not a TOML file ({said})") from None


_BARE_SPEC = re.compile(r"\s*([^=#]+?)\s*=\s*([A-Za-z_][\w.]*(?:\(.*\))?(?:@\S+)?)\s*(?:#.*)?")


def _advice(error: tomllib.TOMLDecodeError, text: str) -> str:
    """Return where the end of a document is, or that a spec on the line at fault needs quotes."""
    lines = text.split("\n")
    found = re.search(r"\(at line (\d+)", str(error))
    if not found:
        return f"; it ends in line {len(lines)}, column {len(lines[-1]) + 1}"
    bare = _BARE_SPEC.fullmatch(lines[int(found[1]) - 1])
    return f"; a text needs quotes: {bare[1]} = {json.dumps(bare[2])}" if bare else ""


def study_of(fields: Fields, folder: Path | None, where: str, allow_custom: bool = False) -> Study:
    """Return the study of some fields; file names are relative to ``folder``, errors begin with ``where``."""
    try:
        given = _File(**fields).model_dump(exclude_none=True, exclude_defaults=True)
        if isinstance(given["n"], Mapping):
            given["n"] = _decades(given["n"])
        elif not isinstance(given["n"], list):
            raise InputError(
                f"must be a list of whole numbers, or {{ start, stop, per_decade }}, got {brief(given['n'])}",
                "n",
            )
        given["scorers"] = read_scorers(
            given["scorers"], folder, allow_custom, relevant=given.pop("relevant", None)
        )
        given["measures"] = read_measures(given["measures"], folder, allow_custom)
        return Study(**given)
    except ValidationError as error:
        raise InputError(f"{where}: {_one_line(error)}") from None
    except InputError as error:
        raise InputError(f"{where}: {error}") from None


def _decades(table: Fields) -> tuple[int, ...]:
    given = _Decades(**table).model_dump()
    try:
        return decades(**given)
    except InputError as error:
        raise InputError(f"n.{error}" if error.argument else f"n: {error}") from None


_REASONS = {
    "dict_type": "must be a table",
    "list_type": "must be a list",
    "string_type": "must be a text",
    "int_type": "must be a number",
    "float_type": "must be a number",
    "float_parsing": "must be a number",
    "too_short": "must have at least 1 item",
}
"""What is wrong with a field, in the terms of TOML, by the kind of error that pydantic reports."""


def _one_line(error: ValidationError) -> str:
    """Return the first error in one line; a misspelt field comes before a missing one."""
    complaints = error.errors(include_url=False)
    first = min(complaints, key=lambda complaint: complaint["type"] != "extra_forbidden")
    within = "n." if error.title == _Decades.__name__ else ""
    place = within + ".".join(str(part) for part in first["loc"] if part not in ("int", "float"))
    if first["type"] == "extra_forbidden":
        if gone := removed(place, FIELDS):
            return gone
        model = _Decades if within else _File
        near = did_you_mean(str(first["loc"][-1]), model.model_fields)
        return f"unknown field {place!r}{near or ','} expected one of: {', '.join(model.model_fields)}"
    if first["type"] == "missing":
        return f"{place} is missing"
    return f"{place}: {_REASONS.get(first['type'], first['msg'])}, got {brief(first['input'])}"


def study_text(study: Study) -> str:
    r"""Return the text of a study file, from which `load` makes an equal study.

    Raises
    ------
    InputError
        If a user-defined function cannot be imported by a name.

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
    fields = canonical(study) | {"n": _lengths(study.n)}
    usual = {"title": "", "coupling": "independent", "pairs": []}
    if study.engine != "cells":
        usual["bracket"] = fields["bracket"]
    written = [name for name in _WRITTEN if name in fields and fields[name] != usual.get(name)]
    return fields_text({name: fields[name] for name in written})


def fields_text(fields: Fields) -> str:
    """Return fields as the text of a TOML file; mappings of mappings become tables.

    >>> print(fields_text({"n": [10], "grid": {"p": [0.1]}}))
    n = [10]
    <BLANKLINE>
    [grid]
    p = [0.1]
    """
    tables = {name: value for name, value in fields.items() if name in _TABLES}
    lines = [f"{_key(name)} = {_value(value)}" for name, value in fields.items() if name not in tables]
    for name, table in tables.items():
        lines += ["", f"[{name}]", *(f"{_key(key)} = {_value(value)}" for key, value in table.items())]
    return "\n".join(lines)


def _value(value: object) -> str:
    if isinstance(value, str):
        return toml_string(value)
    if isinstance(value, Mapping):
        return f"{{ {', '.join(f'{_key(str(key))} = {_value(item)}' for key, item in value.items())} }}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_value, value))}]"
    return json.dumps(value)


def _lengths(sizes: Sequence[int]) -> Mapping[str, int] | list[int]:
    if len(sizes) >= _LONG:
        for per_decade in range(1, 51):
            try:
                same = decades(sizes[0], sizes[-1], per_decade) == tuple(sizes)
            except InputError:
                break
            if same:
                return {"start": sizes[0], "stop": sizes[-1], "per_decade": per_decade}
    return list(sizes)


def _key(name: str) -> str:
    return name if _BARE_KEY.fullmatch(name) else toml_string(name)


def write_template(file: Path | str) -> None:
    """Write a commented study file.

    Raises
    ------
    InputError
        If the file exists.
    OSError
        If it cannot be written.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     write_template(Path(folder, "study.toml"))
    ...     len(load(Path(folder, "study.toml")).scorers)
    2
    """
    file = path_of(file, "file")
    require(not file.exists(), f"{file}: there is a file already")
    file.write_text(TEMPLATE, encoding="utf-8")
