"""Blocks of replicates: the function that a worker runs, and the values it returns."""

from __future__ import annotations

import importlib
import time
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ndcg_asymptotics.engines.engine import Draw, draw
from ndcg_asymptotics.studies import Design


@dataclass(frozen=True)
class Failure:
    """A replicate that raised."""

    replicate: int
    reason: str


@dataclass(frozen=True)
class Block:
    """The result of a block: the values of the replicates that did not raise, stacked, and the failures."""

    asked: Sequence[int]
    replicates: tuple[int, ...]
    draws: Draw
    failures: tuple[Failure, ...]
    seconds: float


def simulate(engine: str, design: Design, replicates: Sequence[int]) -> Block:
    """Run one block; ``engine`` names a module."""
    module = importlib.import_module(engine)
    done: list[int] = []
    draws: list[Draw] = []
    failures: list[Failure] = []
    start = time.perf_counter()
    for replicate in replicates:
        try:
            draws.append(draw(module, design, replicate))
        except Exception as error:  # of any kind: the other replicates go on
            failures.append(Failure(replicate, f"{type(error).__name__}: {error}"))
        else:
            done.append(replicate)
    seconds = time.perf_counter() - start
    stacked = {name: np.stack([values[name] for values in draws]) for name in draws[0]} if draws else {}
    return Block(replicates, tuple(done), stacked, tuple(failures), seconds)
