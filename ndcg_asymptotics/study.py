"""A study: which scorers, measures and list lengths, how often and from which seed; a TOML file.

Example::

    title = "Two rankers"
    measures = ["nDCG", "nDCG(zipf)@0.2n"]
    n = { start = 10, stop = 1e6, per_decade = 10 }      # or a list
    replicates = 1000
    seed = 2013
    pairs = [["good", "random"]]

    [scorers]
    good = "linear(0.1, 0.7)"
    random = "random"

`engine` is "auto" where it is not given, `coupling` is "independent", `seed` is 0, `pairs` is
empty and `bracket` (what engines that bound NDCG aim for) is that of `Design`.
"""

from __future__ import annotations

import hashlib
import itertools
import json
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    PrivateAttr,
    ValidationError,
    field_validator,
    model_validator,
)

from ndcg_asymptotics.design import Design
from ndcg_asymptotics.errors import InputError
from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.population import Coupling, Population
from ndcg_asymptotics.relevance import Empirical, Relevance
from ndcg_asymptotics.relevance.empirical import folder as curve_folder
from ndcg_asymptotics.specs import require

Engine = Literal["auto", "items", "every-n", "cells"]

ITEMS_LIMIT = 10**7
"""The longest list for which "auto" draws every item."""

LARGEST_N = 9 * 10**18

CURVES = "curves"
"""The folder, beside a store, of the curve files that its study refers to."""


def _whole(value: object) -> int:
    """1e6 is a float in TOML; here it is a whole number."""
    if isinstance(value, bool) or not isinstance(value, int | float) or value != value // 1:
        raise InputError(f"must be a whole number, got {_brief(value)}")
    return int(value)


Whole = Annotated[int, BeforeValidator(_whole)]


class _Decades(BaseModel):
    """List lengths evenly spaced in log n, both ends included."""

    model_config = ConfigDict(extra="forbid")
    start: Annotated[Whole, Field(ge=1)]
    stop: Annotated[Whole, Field(le=LARGEST_N)]
    per_decade: Annotated[Whole, Field(ge=1, le=1000)]

    def sizes(self) -> tuple[int, ...]:
        require(self.start <= self.stop, f"start must be at most stop, got {self.start} and {self.stop}")
        found = {self.stop}
        step = 0
        while (n := round(self.start * 10.0 ** (step / self.per_decade))) < self.stop:
            found.add(n)
            step += 1
        return tuple(sorted(found))


class Study(BaseModel):
    """A validated study.

    >>> study = Study(
    ...     scorers={"good": "linear(0.1, 0.7)", "random": "random"},
    ...     measures=["nDCG", "nDCG@0.2n"],
    ...     n={"start": 10, "stop": 1e3, "per_decade": 1},
    ...     replicates=100,
    ... )
    >>> study.n, study.measures, study.engine
    ((10, 100, 1000), ('nDCG(log)', 'nDCG(log)@0.2n'), 'items')

    Raises
    ------
    InputError
        In one line: the field, what was given and what is allowed.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    title: str = ""
    scorers: dict[str, str] = Field(min_length=1)
    measures: tuple[str, ...] = Field(min_length=1)
    n: tuple[int, ...]
    replicates: Annotated[Whole, Field(ge=1, le=10**9)]
    seed: Annotated[Whole, Field(ge=0)] = 0
    engine: Engine = "auto"
    coupling: str = "independent"
    pairs: tuple[tuple[str, str], ...] = ()
    bracket: float = Field(default=Design.bracket, gt=0, le=1)

    _population: Population = PrivateAttr()
    _curve_files: dict[str, tuple[str, bytes]] = PrivateAttr()  # by scorer

    def __init__(self, **fields: Any) -> None:
        try:
            super().__init__(**fields)
        except ValidationError as error:
            raise InputError(_one_line(error)) from None

    @classmethod
    def load(cls, path: str | Path) -> Self:
        """Read a study file. Names of curve files in it are relative to its folder.

        Raises
        ------
        InputError
            Naming the file, and the line and column of a TOML syntax error or the field.
        OSError
            If the file cannot be read.
        """
        path = Path(path)
        try:
            text = path.read_bytes().decode("utf-8")
            fields = tomllib.loads(text)
        except UnicodeDecodeError:
            raise InputError(f"{path}: not a TOML file (it is not UTF-8 text)") from None
        except tomllib.TOMLDecodeError as error:
            lines = text.split("\n")
            end = f"at the end, line {len(lines)}, column {len(lines[-1]) + 1}"
            message = str(error).replace("at end of document", end)
            raise InputError(f"{path}: not a TOML file: {message}") from None
        return cls.read(fields, path.parent, str(path))

    @classmethod
    def read(cls, fields: Mapping[str, Any], folder: Path, where: str) -> Self:
        """The study of these fields; curve files are relative to ``folder``."""
        token = curve_folder.set(folder)
        try:
            return cls(**fields)
        except InputError as error:
            raise InputError(f"{where}: {error}") from None
        finally:
            curve_folder.reset(token)

    @field_validator("measures")
    @classmethod
    def _canonical_measures(cls, texts: tuple[str, ...]) -> tuple[str, ...]:
        measures = tuple(str(Measure.parse(text)) for text in texts)
        for text in measures:
            require(measures.count(text) == 1, f"{text!r} is given twice")
        return measures

    @field_validator("n", mode="before")
    @classmethod
    def _sizes(cls, given: object) -> tuple[int, ...]:
        if isinstance(given, Mapping):
            return _Decades(**given).sizes()
        if not isinstance(given, list | tuple) or not given:
            raise InputError(
                f"must be a list of whole numbers, or {{ start, stop, per_decade }}, got {_brief(given)}"
            )
        sizes = tuple(map(_whole, given))
        for n in sizes:
            require(1 <= n <= LARGEST_N, f"list lengths must be from 1 to 9e18, got {n}")
        for before, n in itertools.pairwise(sizes):
            require(before < n, f"list lengths must increase, got {n} after {before}")
        return sizes

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        scorers = {}
        for name, text in self.scorers.items():
            require(name.strip() != "", "scorers: a scorer needs a name")
            try:
                scorers[name] = Relevance.parse(text)
            except InputError as error:
                raise InputError(f"scorers.{name}: {error}") from None
        try:
            coupling = Coupling.parse(self.coupling)
        except InputError as error:
            raise InputError(f"coupling: {error}") from None
        try:
            population = Population(scorers, coupling)
        except InputError as error:
            raise InputError(f"scorers: {error}") from None
        known = ", ".join(self.scorers)
        for pair in self.pairs:
            for name in pair:
                require(name in self.scorers, f"pairs: {name!r} is no scorer, expected one of: {known}")
            require(pair[0] != pair[1], f"pairs: a pair needs two different scorers, got {pair[0]!r} twice")
            require(self.pairs.count(pair) == 1, f"pairs: {pair[0]!r}, {pair[1]!r} is given twice")
        if self.engine == "auto":
            object.__setattr__(self, "engine", "items" if self.n[-1] <= ITEMS_LIMIT else "cells")
        object.__setattr__(self, "coupling", str(coupling))
        self._population = population
        self._curve_files = {
            name: _portable(curve_folder.get() / scorer.file)
            for name, scorer in scorers.items()
            if isinstance(scorer, Empirical)
        }
        return self

    @property
    def population(self) -> Population:
        """The scorers, parsed."""
        return self._population

    def design(self) -> Design:
        """What an engine is asked to do."""
        measures = tuple(map(Measure.parse, self.measures))
        return Design(self.population, measures, self.n, self.seed, self.pairs, self.bracket)

    def curve_files(self) -> dict[str, bytes]:
        """The curve files it refers to, by the names they have beside a store.

        A name holds a digest of the content, so that equal names mean equal curves.
        """
        return dict(self._curve_files.values())

    def canonical(self) -> dict[str, Any]:
        """The study as plain JSON values, in canonical texts, curve files named as in `curve_files`."""
        scorers = {name: str(scorer) for name, scorer in self.population.scorers.items()}
        files = {name: f"empirical({json.dumps(file)})" for name, (file, _) in self._curve_files.items()}
        return {**self.model_dump(mode="json"), "scorers": scorers | files}

    def differences(self, other: Study) -> list[str]:
        """The fields that decide results and are not those of another study, with both values.

        The title and the number of replicates decide no result.
        """
        here, there = self.canonical(), other.canonical()
        return [
            f"{field} (there {_brief(there[field])}, here {_brief(here[field])})"
            for field in here
            if field not in ("title", "replicates") and json.dumps(here[field]) != json.dumps(there[field])
        ]


def _portable(path: Path) -> tuple[str, bytes]:
    content = path.read_bytes()
    digest = "-" + hashlib.blake2b(content, digest_size=6).hexdigest()
    return f"{CURVES}/{path.stem.removesuffix(digest)}{digest}{path.suffix}", content


def _brief(value: object, width: int = 60) -> str:
    text = json.dumps(value, default=repr)
    return text if len(text) <= width else text[: width - 1] + "…"


def _one_line(error: ValidationError) -> str:
    """The first complaint: field, what was given, what is allowed."""
    first = error.errors(include_url=False)[0]
    place = ".".join(str(part) for part in first["loc"])
    kind, given = first["type"], first["input"]
    if kind == "extra_forbidden":
        model = Study if len(first["loc"]) == 1 else _Decades
        allowed = ", ".join(model.model_fields)
        return f"unknown field {place!r}, expected one of: {allowed}"
    if kind == "missing":
        return f"{place} is missing"
    if kind == "value_error":
        message = first["msg"].removeprefix("Value error, ")
    else:
        message = f"{_toml_terms(first['msg'])}, got {_brief(given)}"
    return f"{place}: {message}" if place else message


def _toml_terms(message: str) -> str:
    for theirs, ours in [
        ("Input should be", "must be"),
        ("a valid dictionary", "a table"),
        ("a valid tuple", "a list"),
        ("a valid string", "a text"),
        ("Dictionary should", "must"),
        ("Tuple should", "must"),
        (" after validation", ""),
    ]:
        message = message.replace(theirs, ours)
    return message
