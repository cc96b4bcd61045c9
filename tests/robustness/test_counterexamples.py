"""The search for counterexamples: a few tries of each statement, and a statement that is not so."""

from __future__ import annotations

import pytest

from robustness import counterexamples  # noqa: F401  # which imports all statements
from robustness.statements import STATEMENTS


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.long] * (name == "whole lists")) for name in STATEMENTS]
)
def test_no_try_contradicts_a_statement_and_many_contradict_a_wrong_one(name: str) -> None:
    one = STATEMENTS[name]
    found = list(one.search(one.tries))
    assert [each.of for each in found if each.contradicts()] == []
    assert sum(each.agrees(0.0) is not None for each in found) >= one.tries / 4
    tested = sum(each.agrees(one.wrong) is not None for each in found)
    assert sum(each.contradicts(one.wrong) for each in found) >= max(1, one.share * tested)
