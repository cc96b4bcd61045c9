"""The search for the number from which on a condition holds."""

from __future__ import annotations

import pytest

from ndcg_asymptotics.core.search import first_true


@pytest.mark.parametrize("first", [1, 2, 7, 40, 999, 10**6])
@pytest.mark.parametrize("guess", [None, 0.0, 1.0, 30.0, 5e5, 1e9])
def test_the_search_finds_the_first(first: int, guess: float | None) -> None:
    assert first_true(lambda n: n >= first, 0, 10**6, guess=guess) == first
    assert first_true(lambda n: n >= first, 0, first, guess=guess) == first
    assert first_true(lambda n: n >= first, first - 1, 10**6, guess=guess) == first
