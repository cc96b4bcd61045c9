"""The items engine: what its results depend on, ties, and its limits."""

from __future__ import annotations

import os

import pytest
from cases import LINEAR, design

from ndcg_asymptotics.core.errors import InputError
from ndcg_asymptotics.engines import items
from ndcg_asymptotics.engines.items import engine


def test_check_refuses_designs_that_do_not_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    items.check(design(LINEAR, [10**6]))
    monkeypatch.setattr(os, "sysconf", {"SC_PHYS_PAGES": 1000, "SC_PAGE_SIZE": 4096}.__getitem__)
    with pytest.raises(InputError, match=r"takes 8.* MB, 4\.1 MB are available; the cells engine can do it"):
        items.check(design(LINEAR, [10**6]))
    items.check(design(LINEAR, [10**6], ["nDCG@10"]))  # a table of ten ranks


def test_memory_of_the_largest_study() -> None:
    five = ["nDCG", "nDCG(power(0.25))", "nDCG(power(0.5))", "nDCG(zipf)", "nDCG(linear)"]
    for coupling in ("independent", "gaussian(0.5)"):
        a_design = design({"a": LINEAR, "b": "random"}, [10**3, 10**7], five, coupling)
        assert engine.memory(a_design) <= 7e8
