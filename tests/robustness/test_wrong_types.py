"""A sample of the calls with wrong arguments, of which ``python -m robustness.wrong_types`` makes all."""

from __future__ import annotations

import math
import random
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
import pandas as pd
import polars as pl
import pytest

import ndcg_asymptotics as na
from ndcg_asymptotics.core.arrays import brief
from robustness.commands import command
from robustness.wrong_types import (
    LISTS,
    WRONG,
    Call,
    calls,
    public_functions,
    try_wrong,
    working_in,
    wrong_calls,
)

SAMPLE = 100
"""Calls that are tried daily."""


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Call]]:
    """The right calls, in a folder of their own."""
    mpl.use("Agg")
    place = tmp_path_factory.mktemp("wrong")
    with working_in(Path(place)):
        yield calls(place)


@pytest.mark.slow
def test_every_public_function_is_tried(made: dict[str, Call]) -> None:
    assert public_functions() - {name.split()[0] for name in made} == set()
    assert len(WRONG) == 12


@pytest.mark.slow
def test_arguments_of_wrong_types_are_refused_in_one_line(made: dict[str, Call]) -> None:
    """Of 4,000 such calls 1,300 raised a bare TypeError, AttributeError, ValueError or IndexError."""
    every = [*wrong_calls(made)]
    outcomes = [try_wrong(*one) for one in random.Random(5).sample(every, SAMPLE)]
    assert outcomes.count("refused") > SAMPLE // 2
    assert outcomes.count("answered") > 0


@pytest.mark.parametrize(
    ("name", "parameter", "value", "said"),
    [
        ("Study", "replicates", "many", "^replicates: must be a whole number"),
        ("run", "jobs", 1.5, "^jobs: must be a whole number"),
        ("plot", "ax", "axes", "^ax: expected a value of type Axes, got 'axes'"),
        ("populations.PowerCurve", "top", "0.7", "^power: top must be a number, got '0.7'"),
        ("evaluate", "chance", 3, "^chance: must be True or False, got 3"),
        ("lists.write_run", "run", [["d"]], "expected a dictionary .* or named tuples"),
        ("compare collections", "resamples", 3, "^resamples: must exceed 19 at this level, got 3"),
        ("compare", "alternative", np.zeros(2), "^alternative: must be one of two-sided, less, greater"),
        ("check", "perturb", 10**400, "^perturb: must be a finite number, got 1000"),
        ("compare", "runs", "\ud800", "no file can have the name"),
    ],
)
def test_errors_of_converters_name_the_argument(
    made: dict[str, Call], name: str, parameter: str, value: object, said: str
) -> None:
    function, arguments = made[name]
    with pytest.raises(na.InputError, match=said):
        function(**arguments | {parameter: value})


def table(**columns: object) -> pd.DataFrame:
    return pd.DataFrame({"query": ["q", "q"], "document": ["a", "b"], "score": [1.0, 2.0], **columns})


LONE = "\ud800"
"""Half of a surrogate pair, which no file in UTF-8 can hold."""

API: Any = na
"""The package without the types that these calls do not keep."""

HUGE = 10**400
ALIKE, JUDGED = {"one": LISTS, "two": LISTS}, {query: {"d2": 1} for query in LISTS}

FIELDS: dict[str, Any] = {"measures": "nDCG", "n": [5], "replicates": 2}
QRELS = {"q": {"a": 1}}


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (
            lambda place: API.Study(scorers={LONE: "random"}, **FIELDS),
            "^scorers: the name of a scorer must be",
        ),
        (lambda place: API.evaluate({LONE: {"a": 1.0}}, QRELS), "the name of a query must be text in UTF-8"),
        (
            lambda place: API.lists.write_run({"q": {"a": 1.0}}, place / "w", LONE),
            "a line of a TREC file must",
        ),
        (
            lambda place: API.lists.write_run({"q": {"a": math.nan}}, place / "w", "t"),
            "a score must be finite",
        ),
        (
            lambda place: API.evaluate(pd.concat([table(), table()[["score"]]], axis=1), QRELS),
            "several columns are called 'score'",
        ),
        (lambda place: API.evaluate(pl.Series([1.0, 2.0]), QRELS), "expected a table, got a single column"),
        (lambda place: API.lists.read_run("a\0b"), "a path holds no NUL character"),
        (
            lambda place: API.plots.save(API.plots.panels(1)[0], place, "a\0b"),
            "^name: must be the name of a file",
        ),
        (lambda place: API.plots.panels(10**9), "^count: must be a whole number from 1 to 1000"),
        (
            lambda place: API.plots.Choice(colors={"a": "no colour"}),
            "^colors: must be colours that matplotlib",
        ),
        (
            lambda place: API.plots.Choice(labels={"a": r"$\frac{1$"}),
            "^labels: holds no formula that matplotlib",
        ),
        (lambda place: API.Measure().evaluate([HUGE, 0], [1.0, 2.0]), "^y_true: "),
        (lambda place: API.learning.Problem([[HUGE, 1]], [1.0]), "^labels: must be label vectors"),
        (lambda place: API.grow(ALIKE, JUDGED, "nDCG", binary_at=HUGE), "^binary_at: "),
        (
            lambda place: API.lists.pool_runs([LISTS, LISTS], JUDGED),
            "^runs: must be a mapping of name to run, such as {",
        ),
        (
            lambda place: API.learning.Queries([[1.0]], [1], [1], names=[["q"], ["r"]]),
            "^names: must be one for",
        ),
    ],
)
def test_hostile_values_are_refused_in_one_line(
    tmp_path: Path, call: Callable[[Path], object], said: str
) -> None:
    """What a search of 758 other inputs met: each ended in a bare error, a file elsewhere or no memory."""
    with pytest.raises(na.InputError, match=said) as refused:
        call(tmp_path)
    assert "\n" not in str(refused.value)
    assert [*tmp_path.iterdir()] == []


def test_a_number_that_python_does_not_write() -> None:
    assert brief(10**5000) == "a value of type int"


def test_hostile_options_are_refused_before_anything_is_printed(tmp_path: Path) -> None:
    lines = "".join(f"q{q} Q0 d{d} 1 {(d * 3 + q) % 5} t\n" for q in range(8) for d in range(5))
    for name, text in (("a.run", lines), ("b.run", lines.replace(" 4 t", " 0 t"))):
        (tmp_path / name).write_text(text)
    (tmp_path / "qrels").write_text("".join(f"q{q} 0 d{q % 5} 1\n" for q in range(8)))
    runs = (tmp_path / "a.run", tmp_path / "b.run", "--qrels", tmp_path / "qrels")
    for arguments, said in (
        (("compare", *runs, "--report", tmp_path), "--report: .* is a folder, expected the name of a file"),
        (("compare", *runs, "--figures", tmp_path / "a.run"), "'--figures': dir .* is a file"),
        (("plan", *runs, "--figures", tmp_path / "a.run"), "'--figures': dir .* is a file"),
        (("plan", "--sd", 0.2, "--difference", 0.1, "--pilot", "9" * 400), "--pilot: must be a whole number"),
    ):
        ended = command(*arguments)
        assert ended.refused, ended
        assert re.search(said, ended.err), ended.err
    assert (tmp_path / "a.run").read_text() == lines
