"""Study files: a template that explains every field, and how files are read and written."""

from __future__ import annotations

import inspect
import json
import re
import tomllib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from ndcg_asymptotics.core.errors import InputError, naming, require
from ndcg_asymptotics.core.files import Fields, path_of, read_file
from ndcg_asymptotics.core.removed import FIELDS, removed
from ndcg_asymptotics.core.text import did_you_mean, toml_string
from ndcg_asymptotics.studies.canonical import canonical, with_short_names
from ndcg_asymptotics.studies.study import Study, decades, read_measures, read_scorers

_LARGEST = 2**24  # bytes of a TOML file
_MOST_PARTS = 1000  # of a key, which tomllib reads in time and memory by the square of their number
_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")
_TABLES = ("grid", "measures", "scorers")  # the fields that may be tables of their own
_LONG = 12  # list lengths: this many or more are written as a rule, where there is one
_MOST_PER_DECADE = 50  # list lengths of the rules that are tried
_BARE_SPEC = re.compile(r"\s*([^=#]+?)\s*=\s*([A-Za-z_][\w.]*(?:\(.*\))?(?:@\S+)?)\s*(?:#.*)?")

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
# fitted = 'empirical("curves/a.csv")'      as `ndcg-asymptotics fit` writes it
"""


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
    parts = max(between.count(".") for between in re.split(r"[,=\n]", text))
    require(parts <= _MOST_PARTS, f"{path}: a key may have at most {_MOST_PARTS} parts, got {parts}")
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"{path}: not a TOML file: {error}{_advice(error, text)}") from None
    except (RecursionError, ValueError) as error:  # what tomllib leaves to Python's own limits
        deep = isinstance(error, RecursionError)
        reason = "nested too deeply" if deep else "an integer of too many digits"
        raise InputError(f"{path}: not a TOML file ({reason})") from None


def _advice(error: tomllib.TOMLDecodeError, text: str) -> str:
    """Return where the end of a document is, or that a spec on the line at fault needs quotes."""
    lines = text.split("\n")
    place = re.search(r"\(at line (\d+)", str(error))
    if not place:
        return f"; it ends in line {len(lines)}, column {len(lines[-1]) + 1}"
    bare = _BARE_SPEC.fullmatch(lines[int(place[1]) - 1])
    return f"; a text needs quotes: {bare[1]} = {json.dumps(bare[2])}" if bare else ""


def study_of(fields: Fields, folder: Path | None, place: str, allow_custom: bool = False) -> Study:
    """Return the study of some fields; file names are relative to ``folder``, errors begin with ``place``."""
    with naming(place, fields=True):
        _check_names(fields, Study)
        n = fields["n"]
        if isinstance(n, Mapping):
            _check_names(n, decades, "n.")
            try:
                n = decades(**n)
            except InputError as error:
                raise InputError(error.reason, f"n.{error.argument}" if error.argument else "n") from None
        # the texts are read here, as names of files in them are relative to the folder
        relevant = fields.get("relevant")
        scorers = read_scorers(fields["scorers"], folder, allow_custom, relevant)
        measures = read_measures(fields["measures"], folder, allow_custom)
        # the scorers have their numbers of relevant items already
        return Study(**{**fields, "n": n, "scorers": scorers, "measures": measures, "relevant": None})


def _check_names(fields: Fields, function: Callable[..., object], table: str = "") -> None:
    """Refuse fields that are no parameters of a function, and the lack of one that has no default."""
    parameters = inspect.signature(function).parameters
    for name in fields:
        if name not in parameters:
            near = did_you_mean(name, parameters) or ","
            names = ", ".join(parameters)
            unknown = f"unknown field {table + name!r}{near} expected one of: {names}"
            raise InputError(removed(name, FIELDS) or unknown)
    for name, parameter in parameters.items():
        has_value = name in fields or parameter.default is not parameter.empty
        require(has_value, f"{table}{name} is missing")


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
    fields = with_short_names(canonical(study)) | {"n": _lengths(study.n)}
    usual = {"title": "", "coupling": "independent", "pairs": []}
    unusual = {name: value for name, value in fields.items() if value != usual.get(name)}
    unwritten = {"digests"} if study.engine == "cells" else {"digests", "bracket"}
    return fields_text({name: value for name, value in unusual.items() if name not in unwritten})


def fields_text(fields: Fields) -> str:
    """Return fields as the text of a TOML file; mappings of mappings become tables.

    >>> print(fields_text({"n": [10], "grid": {"p": [0.1]}}))
    n = [10]
    <BLANKLINE>
    [grid]
    p = [0.1]
    """
    tables = {name: value for name, value in fields.items() if isinstance(value, Mapping) and name in _TABLES}
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
    return json.dumps(value)  # numbers, true and false are written in JSON as in TOML


def _lengths(sizes: Sequence[int]) -> Mapping[str, int] | list[int]:
    """Return list lengths as arguments of `decades` if they are many and it gives them, else as a list."""
    if len(sizes) >= _LONG:
        for per_decade in range(1, _MOST_PER_DECADE + 1):
            if decades(sizes[0], sizes[-1], per_decade) == tuple(sizes):
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
