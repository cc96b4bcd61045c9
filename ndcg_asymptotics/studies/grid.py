"""Grids of studies: a study whose texts contain parameters, and the values of the parameters.

::

    measures = ["nDCG", "nDCG(power($b))"]
    n = [100, 1000]
    replicates = 200

    [grid]
    p = [0.1, 0.3]
    b = { start = 0.1, stop = 1.5, step = 0.1 }

    [scorers]
    good = "linear(prevalence=$p, top=0.9)"
    random = "random"

Every combination is a study of its own. All have the same seed, so a scorer meets the same random numbers at
every point: differences between points are less noisy than between studies with different seeds.
"""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ndcg_asymptotics.core.arrays import as_list, brief, is_number
from ndcg_asymptotics.core.errors import InputError, naming, require
from ndcg_asymptotics.core.files import Fields, path_of
from ndcg_asymptotics.specs.scanner import number_text
from ndcg_asymptotics.studies.study import Study
from ndcg_asymptotics.studies.toml import fields_of, fields_text, study_of

_PARAMETER = re.compile(r"\$([A-Za-z_]\w*)")
_RESERVED = ("replicate", "scorer", "measure", "n", "pair")
_FILLED = ("scorers", "measures", "coupling", "relevant")  # the fields that may contain parameters
MOST_POINTS = 10_000
"""The greatest number of points of a grid."""


@dataclass(frozen=True)
class Axes:
    """The parameters of a grid and the fields of its studies.

    Attributes
    ----------
    parameters : mapping of name to values
    fields : mapping
        The fields of the study file, with parameters in their texts.
    """

    parameters: Mapping[str, tuple[float, ...]]
    fields: Fields

    @property
    def points(self) -> list[tuple[float, ...]]:
        """The values at every point; those of the last parameter vary fastest."""
        return list(itertools.product(*self.parameters.values()))

    @property
    def scorers(self) -> tuple[str, ...]:
        """The names of the scorers, the same at every point."""
        return tuple(self.fields["scorers"])

    @property
    def measures(self) -> tuple[str, ...]:
        """The measures as they were written, with their parameters."""
        return tuple(self.fields["measures"])

    def name(self, values: Sequence[float]) -> str:
        """Return the name of a point."""
        pairs = zip(self.parameters, values, strict=True)
        return ",".join(f"{name}={number_text(value)}" for name, value in pairs)


@dataclass(frozen=True, eq=False)
class Grid:
    """The studies of a grid.

    Attributes
    ----------
    axes : Axes
    studies : mapping of values to Study
        In the order of ``axes.points``.

    >>> fields = {"scorers": {"a": "constant($p)"}, "measures": ["nDCG(power($b))"], "n": [10]}
    >>> values = {"p": [0.1, 0.3], "b": {"start": 0.5, "stop": 1.5, "step": 0.5}}
    >>> grid = grid_of(values, {**fields, "replicates": 5})
    >>> len(grid.studies), str(grid.studies[0.3, 1.5].measures[0])
    (6, 'nDCG(power(1.5))')
    """

    axes: Axes
    studies: Mapping[tuple[float, ...], Study]


def grid_text(axes: Axes) -> str:
    """Return the text of the file of a grid, from which `load_grid` makes an equal one.

    >>> print(grid_text(Axes({"p": (0.1, 0.3)}, {"n": [10], "scorers": {"a": "constant($p)"}})))
    n = [10]
    <BLANKLINE>
    [grid]
    p = [0.1, 0.3]
    <BLANKLINE>
    [scorers]
    a = "constant($p)"
    """
    fields = {name: value for name, value in axes.fields.items() if name != "scorers"}
    parameters = {name: list(values) for name, values in axes.parameters.items()}
    return fields_text({**fields, "grid": parameters, "scorers": axes.fields["scorers"]})


def load_grid(path: str | Path, *, allow_custom: bool = False) -> Grid:
    r"""Read the file of a grid.

    Raises
    ------
    InputError
        Naming the file and the field, as `studies.load`.

    >>> from tempfile import TemporaryDirectory
    >>> text = "measures = ['nDCG']\nn = [10]\nreplicates = 5\n[grid]\np = [0.1, 0.3]\n"
    >>> with TemporaryDirectory() as folder:
    ...     _ = (Path(folder) / "grid.toml").write_text(text + "[scorers]\na = 'constant($p)'")
    ...     list(load_grid(Path(folder) / "grid.toml").studies)
    [(0.1,), (0.3,)]
    """
    path = path_of(path, "path")
    fields = fields_of(path)
    require("grid" in fields, f"{path}: has no [grid]")
    with naming(str(path), fields=True):
        return grid_of(fields.pop("grid"), fields, path.parent, allow_custom)


def is_grid(path: str | Path) -> bool:
    """Return whether a file describes a grid."""
    return "grid" in fields_of(Path(path))


def grid_of(parameters: Any, fields: Fields, folder: Path | None = None, allow_custom: bool = False) -> Grid:
    """Return the grid of these parameters and fields of a study.

    Raises
    ------
    InputError
        If a parameter has no values or is not used, or the study at a point is invalid. The scorers of a
        point must have one label law; those of different points need not.
    """
    fields = {**fields, "measures": as_list(fields.get("measures"), "measures", str)}
    require(isinstance(parameters, Mapping) and len(parameters) > 0, "has no parameter", "grid")
    values = {name: _values(name, rule) for name, rule in parameters.items()}
    count = math.prod(map(len, values.values()))
    require(count <= MOST_POINTS, f"has {count} points, at most {MOST_POINTS} are allowed", "grid")
    names_in_texts = set(_PARAMETER.findall(repr([fields.get(name) for name in _FILLED])))
    for name in sorted(names_in_texts - set(values)):
        raise InputError(f"no parameter {name!r}, expected one of: {', '.join(values)}", "grid")
    for name in values:
        require(name in names_in_texts, f"no text contains ${name}", f"grid.{name}")
    axes, studies = Axes(values, fields), {}
    for point in axes.points:
        texts = {name: number_text(value) for name, value in zip(values, point, strict=True)}
        point_text = ", ".join(f"{name} = {text}" for name, text in texts.items())
        studies[point] = study_of(_filled(fields, texts), folder, f"at {point_text}", allow_custom)
    return Grid(axes, studies)


def _values(name: str, rule: Any) -> tuple[float, ...]:
    """Return the values of a parameter, from a list or a range."""
    argument = f"grid.{name}"
    proper = _PARAMETER.fullmatch(f"${name}") is not None and name not in _RESERVED
    require(proper, "is not a name for a parameter", argument)
    numbers = rule
    if isinstance(rule, Mapping):
        proper = set(rule) == {"start", "stop", "step"} and all(map(_number, rule.values()))
        require(proper, f"must be a list, or {{ start, stop, step }}, got {brief(rule)}", argument)
        start, stop, step = (float(rule[key]) for key in ("start", "stop", "step"))
        require(step > 0 and start <= stop, "needs start <= stop and step > 0", argument)
        require((stop - start) / step <= MOST_POINTS, f"has more than {MOST_POINTS} values", argument)
        # rounded to what a user would have written: 0.1 + 2 * 0.1 becomes 0.3
        numbers = [float(f"{start + i * step:.12g}") for i in range(int((stop - start) / step + 1e-9) + 1)]
    proper = isinstance(numbers, Sequence) and not isinstance(numbers, str) and len(numbers) > 0
    require(proper and all(map(_number, numbers)), f"must be a list of numbers, got {brief(rule)}", argument)
    values = tuple(map(float, numbers))
    require(len(set(values)) == len(values), "has a value twice", argument)
    return values


def _number(value: object) -> bool:
    return is_number(value) and math.isfinite(value)


def _filled(value: object, texts: Mapping[str, str]) -> Any:
    """Return a field with its parameters replaced by their values; names of scorers stay as they are."""
    if isinstance(value, str):
        return _PARAMETER.sub(lambda match: texts.get(match[1], match[0]), value)
    if isinstance(value, dict):
        return {key: _filled(item, texts) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_filled(item, texts) for item in value]
    return value
