"""Arguments that are not the numbers they should be are refused in one line."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from ndcg_asymptotics.analysis.runs.compare import compare
from ndcg_asymptotics.core.arrays import brief
from ndcg_asymptotics.core.errors import InputError
from ndcg_asymptotics.engines.every_n import evaluate_every_n
from ndcg_asymptotics.learning import Problem, Queries
from ndcg_asymptotics.learning.labels import Batch
from ndcg_asymptotics.lists import evaluate, grow, pool_runs
from ndcg_asymptotics.measures import Measure

HUGE = 10**400
RUN = {f"q{i}": {"a": 2.0, "b": 1.0} for i in range(6)}
QRELS = {f"q{i}": {"b": 1.0} for i in range(6)}
RUNS = {"one": RUN, "two": RUN}

REFUSED: dict[str, Callable[[], Any]] = {
    "y_true: ": lambda: Measure().evaluate([HUGE, 0], [1.0, 2.0]),
    "labels: must be numbers": lambda: evaluate_every_n([1.0, 2.0], [HUGE, 0], "nDCG"),
    "labels: must be lists": lambda: Batch.of([[HUGE, 1]]),
    "labels: must be label vectors": lambda: Problem([[HUGE, 1]], [1.0]),
    "labels: must be numbers, got": lambda: Queries([[1.0], [2.0]], [HUGE, 0], [2]),
    "a label must be a number": lambda: evaluate(RUN, {"q0": {"b": HUGE}}, "nDCG"),
    "gain: must be one of linear, binary, exp2": lambda: evaluate(RUN, QRELS, "nDCG", gain=np.ones(2)),
    "binary_at: ": lambda: grow(RUNS, QRELS, "nDCG", binary_at=HUGE),
    "runs: must be a mapping of name to run, such as {": lambda: pool_runs([RUN, RUN], QRELS),
    "expected a dictionary {query: {document: score}}, a DataFrame or records, got 3": lambda: pool_runs(
        3, QRELS
    ),
    "nope: cannot be read": lambda: grow("nope", QRELS, "nDCG"),
    "runs: a comparison needs at least two runs, such as": lambda: compare({"one": RUN}, QRELS),
    "level: must lie inside (0, 1), got 1000": lambda: compare(RUNS, QRELS, level=HUGE),
}


@pytest.mark.parametrize("said", REFUSED)
def test_numbers_of_the_wrong_kind_are_refused(said: str) -> None:
    with pytest.raises(InputError) as error:
        REFUSED[said]()
    assert str(error.value).startswith(said)
    assert "\n" not in str(error.value)


def test_a_number_that_python_does_not_write() -> None:
    assert brief(10**5000) == "a value of type int"
