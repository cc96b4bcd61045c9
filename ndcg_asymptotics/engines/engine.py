"""The interface of engines. An engine draws one replicate of a design.

An engine is a module with the members of `Engine`, one folder here and one line in
`studies.design`. Engines import neither each other nor, except for the rare engine, theory.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Protocol, cast, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from ndcg_asymptotics.core.arrays import LARGEST_N
from ndcg_asymptotics.core.errors import require
from ndcg_asymptotics.populations import Independent
from ndcg_asymptotics.studies.design import ENGINES, Design

Draw = dict[str, NDArray[np.generic]]
"""The results of a replicate by variable name; the axes of each are in the engine's ``VARIABLES``."""

UNDECIDED = np.int8(127)
"""The order of a pair that an engine could not decide."""

NDCG_AXES = ("scorer", "measure", "n")
ORDER_AXES = ("pair", "measure", "n")
PAIR_AXES = ("pair", "measure")


DTYPES: Mapping[str, type[np.generic]] = {
    "ndcg": np.float64,
    "low": np.float64,
    "high": np.float64,
    "minimum": np.float64,
    "maximum": np.float64,
    "order": np.int8,
    "log_weight": np.float64,
    "last": np.int8,
    "last_not_greater": np.int64,
    "last_not_less": np.int64,
    "changes": np.int64,
}
"""The types of the variables of engines; a name means the same in all of them."""

VALUES = ("ndcg", "low", "high", "minimum", "maximum")
"""The variables that hold NDCG or DCG."""


class Engine(Protocol):
    """The members of an engine's module."""

    VARIABLES: Mapping[str, tuple[str, ...]]
    """The axes of each variable that `simulate` may give."""

    def check(self, design: Design) -> None:
        """Refuse a design that this engine cannot simulate, with an `InputError` that names the remedy."""

    def memory(self, design: Design) -> int:
        """Return about how many bytes the largest arrays of `simulate` take."""

    def warm(self, design: Design) -> None:
        """Compile the kernels and make the tables, before workers start."""

    def simulate(self, design: Design, replicate: int) -> Draw:
        """Draw one replicate; its bits depend on the design and the replicate's index only."""


@runtime_checkable
class EngineOfBlocks(Engine, Protocol):
    """An engine that is faster when it draws several replicates in one call."""

    def simulate_block(self, design: Design, replicates: Sequence[int]) -> Draw:
        """Draw replicates, stacked along a first axis; each has the bits that `simulate` gives it."""


def load_engine(name: str) -> Engine:
    """Return the engine with a name of `studies.design`."""
    return cast(Engine, import_module(ENGINES[name]))


def check_for_counts(engine: str, design: Design) -> None:
    """Refuse what an engine that counts items cannot draw.

    That is coupled scorers, lists of no or too many items, and a discount that is not known up to the last
    rank that counts.
    """
    coupling = design.population.coupling
    require(
        isinstance(coupling, Independent),
        f"the {engine} engine draws scorers that are independent given the label, got {coupling}: use items",
    )
    first, last = design.sizes[0], design.sizes[-1]
    require(
        first >= 1 and last <= LARGEST_N,
        f"the {engine} engine takes list lengths from 1 to 9e18, got {first:g} to {last:g}",
    )
    for measure in design.measures:
        reach, known_to = max(measure.cutoff(n) for n in design.sizes), measure.discount.known_to
        require(
            reach <= known_to,
            f"{measure} counts up to rank {reach:g} at n = {last:g}, "
            f"its discount is known up to {known_to:g}: give a larger 'largest' or a smaller cutoff",
        )


def draw_block(engine: Engine, design: Design, replicates: Sequence[int]) -> Draw:
    """Draw replicates, at least one, and stack them along a first axis."""
    if isinstance(engine, EngineOfBlocks):
        return engine.simulate_block(design, replicates)
    draws = [engine.simulate(design, replicate) for replicate in replicates]
    return {name: np.stack([draw[name] for draw in draws]) for name in draws[0]}
