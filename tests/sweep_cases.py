"""A study swept by the fake engine, what it should give, and a record of what the sweep said."""

from __future__ import annotations

from typing import Any

import fake_engine
import numpy as np
import pytest

from ndcg_asymptotics.studies import Study
from ndcg_asymptotics.studies.engines import ENGINES

REPLICATES = 23


def use_fake_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(ENGINES, "items", "fake_engine")


def study(*more_scorers: str, **change: Any) -> Study:
    scorers = dict.fromkeys(("good", "other", *more_scorers), "linear(0.1, 0.7)")
    fields = {
        "scorers": scorers,
        "measures": ["nDCG", "nDCG@10"],
        "n": [10, 100, 1000],
        "replicates": REPLICATES,
        "seed": 5,
        "pairs": [("good", "other")],
    }
    return Study(**fields | change)


def expected(replicates: range = range(REPLICATES)) -> np.ndarray[Any, Any]:
    design = study().design
    return np.stack([fake_engine.simulate(design, r)["ndcg"] for r in replicates])


class Recorder:
    """Listens to a sweep, remembers what it said, and may do something after each block."""

    def __init__(self, after_block: Any = None) -> None:
        self.lines: list[str] = []
        self.blocks: list[tuple[int, int, int]] = []
        self.begun: tuple[int, int] | None = None
        self.after_block = after_block

    def begin(self, task: int, what: str, total: int | None, done: int) -> None:
        assert (what, total is None) == ("replicates", False)
        self.begun = (total or 0, done)

    def advance(self, task: int, count: int, note: str) -> None:
        first, last = note.removeprefix("block ").split("-")
        self.blocks.append((count, int(first), int(last)))
        if self.after_block:
            self.after_block(len(self.blocks))

    def end(self, task: int) -> None:
        """Nothing is to be done."""

    def say(self, line: str) -> None:
        self.lines.append(line)
