"""A quick engine for the tests of sweeps, whose behaviour is set by the names of the scorers.

``fails`` raises for replicates 3 and 7, ``slow`` takes 50 ms, ``dies:FILE`` kills its process at
replicate 5 once (FILE then exists), ``always dies`` does so every time.
"""

from __future__ import annotations

import os
import time
from pathlib import Path

import numpy as np

from ndcg_asymptotics.core.errors import InputError
from ndcg_asymptotics.engines.engine import NDCG_AXES, ORDER_AXES, Draw
from ndcg_asymptotics.studies import Design

VARIABLES = {"ndcg": NDCG_AXES, "order": ORDER_AXES}


def check(design: Design) -> None:
    if "impossible" in design.population.scorers:
        raise InputError("fake engine: impossible; the cells engine can do it")


def memory(design: Design) -> int:
    return 0


def warm(design: Design) -> None:
    pass


def simulate(design: Design, replicate: int) -> Draw:
    names = list(design.population.scorers)
    if "fails" in names and replicate in (3, 7):
        raise RuntimeError(f"no luck with {replicate}")
    if "slow" in names:
        time.sleep(0.05)
    if "always dies" in names:
        os._exit(1)
    for name in names:
        if name.startswith("dies:") and replicate == 5 and not Path(name[5:]).exists():
            Path(name[5:]).touch()
            os._exit(1)
    shape = (len(design.measures), len(design.sizes))
    ndcg = np.array([design.generator(replicate, "scorer", name).random(shape) for name in names])
    draw: Draw = {"ndcg": ndcg}
    if design.pairs:
        draw["order"] = np.array([np.sign(ndcg[a] - ndcg[b]) for a, b in design.pair_indices()], np.int8)
    return draw
