"""A study swept by the fake engine, what it should give, and a record of what the sweep said."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import cases
import fake_engine
import numpy as np
import pytest

from ndcg_asymptotics.studies import Study
from ndcg_asymptotics.studies.design import ENGINES

REPLICATES = 23


def use_fake_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(ENGINES, "items", "fake_engine")


def study(*more_scorers: str, **change: Any) -> Study:
    scorers = dict.fromkeys(("good", "other", *more_scorers), "linear(0.1, 0.7)")
    fields = {"replicates": REPLICATES, "seed": 5, "pairs": [("good", "other")]} | change
    return cases.study(scorers, (10, 100, 1000), ("nDCG", "nDCG@10"), **fields)


def expected(replicates: range = range(REPLICATES)) -> np.ndarray[Any, Any]:
    design = study().design
    return np.stack([fake_engine.simulate(design, r)["ndcg"] for r in replicates])


class Recorder:
    """Stands in for the progress bar of a sweep: remembers what it was told, may act after each block."""

    def __init__(self, after_block: Any = None) -> None:
        self.lines: list[str] = []
        self.blocks: list[int] = []
        self.n = 0
        self.begun: tuple[int, int] | None = None
        self.after_block = after_block

    @contextmanager
    def watching(self) -> Iterator[Recorder]:
        """Take the place of the bar and the lines of all sweeps inside."""
        with pytest.MonkeyPatch.context() as patch:
            for module in ("sweep", "processes", "cluster"):
                patch.setattr(f"ndcg_asymptotics.sweep.{module}.say", self.lines.append)
            patch.setattr("ndcg_asymptotics.sweep.sweep.task", self.task)
            yield self

    @contextmanager
    def task(self, what: str, total: int, initial: int) -> Iterator[Recorder]:
        assert what == "replicates"
        self.begun = total, initial
        self.n = initial
        yield self

    def unpause(self) -> None:
        pass

    def update(self, count: int) -> None:
        self.n += count
        self.blocks.append(count)
        if self.after_block:
            self.after_block(len(self.blocks))
