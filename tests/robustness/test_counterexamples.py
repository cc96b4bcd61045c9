"""The search for counterexamples: a few tries of each statement, and a statement that is not so."""

from __future__ import annotations

import pytest

from robustness import counterexamples, level_pairs, proved, proved_lists
from robustness.counterexamples import search

PROGRAMS = (counterexamples, proved, level_pairs, proved_lists)
STATEMENTS = {name: one for program in PROGRAMS for name, one in program.STATEMENTS.items()}

# what each statement is told to say instead, and the least share of tries that then contradict it
WRONG = {
    "exponents": (0.5, 0.5),
    "first ranks": (1.0, 0.8),
    "whole lists": (1.0, 0.8),
    "dependent scorers": (3.9, 0.1),
    "few relevant items": (0.05, 0.8),
    "zipf": (1.1, 0.8),
    "cutoff at a share": (1.0, 0.8),
    "random top": (1.0, 0.8),
    "rankers that agree": (0.3, 0.5),
    "another target": (1.0, 0.3),
    "long lists": (1.0, 0.8),
    "equal leading terms": (1.0, 0.5),
    "equal limits": (1.0, 0.5),
    "certain tops": (1.0, 0.5),
    "equal tops": (0.1, 0.8),
    "one relevant item": (0.05, 0.8),
    "order of several items": (0.15, 0.8),
    "several relevant items": (0.2, 0.8),
    "ideal lists": (0.1, 0.8),
    "flipped labels": (1.0, 0.3),
}

# tries of these take long: two contradict what is wrong, and `make soak` makes 500
LONG = {
    "exponents",
    "few relevant items",
    "zipf",
    "random top",
    "cutoff at a share",
    "rankers that agree",
    "equal leading terms",
    "equal limits",
    "certain tops",
    "equal tops",
    "one relevant item",
    "order of several items",
    "several relevant items",
}


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.long] * (name == "whole lists")) for name in STATEMENTS]
)
def test_no_try_contradicts_a_statement_and_many_contradict_a_wrong_one(name: str) -> None:
    tries = 2 if name in LONG else 8
    found = list(search(STATEMENTS[name], tries))
    assert [one.what for one in found if one.contradicts()] == []
    assert sum(one.agrees() is not None for one in found) >= tries / 4
    wrong, share = WRONG[name]
    tested = sum(one.agrees(wrong) is not None for one in found)
    assert sum(one.contradicts(wrong) for one in found) >= max(1, share * tested)
