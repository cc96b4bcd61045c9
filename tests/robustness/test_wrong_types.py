"""A sample of the calls with wrong arguments, of which ``python -m robustness.wrong_types`` makes all."""

from __future__ import annotations

import math
import operator
import random
import re
from collections.abc import Iterator
from contextlib import chdir
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
import pandas as pd
import polars as pl
import pytest
from cases import command, refused
from matplotlib.figure import Figure

import ndcg_asymptotics as na
from ndcg_asymptotics.core.arrays import brief
from robustness.wrong_types import (
    OTHERS,
    WRONG,
    Call,
    calls,
    public_functions,
    try_wrong,
    wrong_calls,
)

SAMPLE = 100
"""Calls that are tried daily."""


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Call]]:
    """The right calls, in a folder of their own."""
    mpl.use("Agg")
    place = tmp_path_factory.mktemp("wrong")
    with chdir(place):
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


LONE = "\ud800"
"""Half of a surrogate pair, which no file in UTF-8 can hold."""

HUGE = 10**400
NESTED: Any = []
for _ in range(5000):
    NESTED = [NESTED]
TABLE = pd.DataFrame({"query": ["q", "q"], "document": ["a", "b"], "score": [1.0, 2.0]})
HOSTILE: list[tuple[str, dict[str, Any], str]] = [
    ("Study", {"replicates": "many"}, "^replicates: must be a whole number"),
    ("Study", {"scorers": {LONE: "random"}}, "^scorers: the name of a scorer must be"),
    ("run", {"jobs": 1.5}, "^jobs: must be a whole number"),
    ("run", {"time_limit": HUGE}, "^time_limit: must be a number above 0, got 1000"),
    ("check", {"perturb": HUGE}, "^perturb: must be a finite number, got 1000"),
    ("predict", {"n": range(10**12)}, "^n: "),
    ("predict", {"n": NESTED}, "^n: "),
    ("plot", {"measure": []}, "^expected a measure or its text, such as 'nDCG@10', got \\[\\]"),
    ("plot", {"title": LONE}, "^title: a text of a figure must be text in UTF-8"),
    ("plot", {"ax": "axes"}, "^ax: expected a value of type Axes, got 'axes'"),
    ("plots.save", {"figure": Figure(), "folder": "w", "name": "a\0b"}, "^name: must be the name of a file"),
    ("plots.panels", {"count": 10**9}, "^count: must be a whole number from 1 to 1000"),
    ("plots.Choice", {"colors": {"a": "no colour"}}, "^colors: must be colours that matplotlib"),
    ("plots.Choice", {"labels": {"a": r"$\frac{1$"}}, "^labels: holds no formula that matplotlib"),
    ("populations.PowerCurve", {"top": "0.7"}, "^power: top must be a number, got '0.7'"),
    ("Measure.evaluate", {"self": na.Measure(), "y_true": [HUGE, 0], "y_score": [1.0, 2.0]}, "^y_true: "),
    ("evaluate", {"chance": 3}, "^chance: must be True or False, got 3"),
    ("evaluate", {"runs": {LONE: {"a": 1.0}}}, "the name of a query must be text in UTF-8"),
    (
        "evaluate",
        {"runs": pd.concat([TABLE, TABLE[["score"]]], axis=1)},
        "several columns are called 'score'",
    ),
    ("evaluate", {"runs": pl.Series([1.0, 2.0])}, "expected a table, got a single column"),
    ("lists.write_run", {"run": {"q": {"a": 1.0}}, "path": "w", "tag": LONE}, "a line of a TREC file must"),
    ("lists.write_run", {"run": {"q": {"a": math.nan}}, "path": "w"}, "a score must be finite"),
    ("lists.read_run", {"path": "a\0b"}, "a path holds no NUL character"),
    ("compare", {"runs": LONE}, "no file can have the name"),
    ("compare", {"correction": np.zeros(2)}, "^correction: must be one of maxt, holm, bh"),
    ("grow", {"binary_at": HUGE}, "^binary_at: "),
    ("grow", {"orders": HUGE}, "^orders: must be a whole number from 1 to 100000, got 1000"),
    ("learning.search_losses", {"draws": HUGE}, "^draws: must be a whole number from 1 to 100000"),
    ("learning.worst_regret", {"items": HUGE}, "^items: must be a whole number from 1 to 8"),
    ("measures.discount", {"like": np.zeros(2)}, "^expected a discount .* or its text, got array"),
    ("learning.Problem", {"labels": [[HUGE, 1]], "probabilities": [1.0]}, "^labels: must be label vectors"),
    ("learning.Queries", {"names": [["q"], ["r"]]}, "^names: must be one for"),
]


@pytest.mark.parametrize(("name", "change", "said"), HOSTILE)
def test_hostile_values_are_refused_in_one_line(
    made: dict[str, Call], name: str, change: dict[str, Any], said: str
) -> None:
    """What a search of 758 other inputs met: each ended in a bare error, a file elsewhere or no memory."""
    function, arguments = made.get(name) or (operator.attrgetter(name)(na), {})
    files = {*Path.cwd().iterdir()}
    refused(said, function, **arguments | change)
    assert {*Path.cwd().iterdir()} == files


def test_a_number_that_python_does_not_write() -> None:
    assert brief(10**5000) == "a value of type int"


@pytest.mark.usefixtures("made")  # in the folder of the calls
def test_hostile_options_are_refused_before_anything_is_printed() -> None:
    na.lists.write_run(OTHERS, "b.run", "b")
    runs, lines = ("a.run", "b.run", "--qrels", "qrels"), Path("a.run").read_text()
    for arguments, said in (
        (("compare", *runs, "--report", "."), "--report: .* is a folder, expected the name of a file"),
        (("compare", *runs, "--figures", "a.run"), "'--figures': dir .* is a file"),
        (("plan", *runs, "--figures", "a.run"), "'--figures': dir .* is a file"),
        (("plan", "--sd", 0.2, "--difference", 0.1, "--pilot", "9" * 400), "--pilot: must be a whole number"),
    ):
        ended = command(*arguments)
        assert ended.refused, ended
        assert re.search(said, ended.err), ended.err
    assert Path("a.run").read_text() == lines
