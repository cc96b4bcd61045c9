"""The interface of engines. An engine draws one replicate of a design.

An engine is a module with the members of `Engine`, one folder here and one line in
`studies.design`. Engines import neither each other nor, except for the rare engine, theory.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import NamedTuple, Protocol, cast, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from ndcg_asymptotics.core.arrays import LARGEST_N, Array, Bools
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


class Kind(NamedTuple):
    """The type of a variable's values, and the least and the greatest possible value."""

    dtype: type[np.generic]
    least: float
    greatest: float


_NDCG, _LENGTH = Kind(np.float64, 0, 1), Kind(np.int64, 0, LARGEST_N)

KINDS: Mapping[str, Kind] = {
    "ndcg": _NDCG,
    "low": _NDCG,
    "high": _NDCG,
    "minimum": _NDCG,
    "maximum": _NDCG,
    "order": Kind(np.int8, -1, 1),
    "log_weight": Kind(np.float64, -np.inf, np.inf),
    "last": Kind(np.int8, -1, 1),
    "last_not_greater": _LENGTH,
    "last_not_less": _LENGTH,
    "changes": _LENGTH,
}
"""The variables of engines; a name means the same in all of them."""

VALUES = ("ndcg", "low", "high", "minimum", "maximum")
"""The variables that hold NDCG or DCG."""

_RISING = (("low", "ndcg"), ("ndcg", "high"), ("minimum", "ndcg"), ("ndcg", "maximum"))


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


def impossible(values: Mapping[str, Array], measures: Sequence[str]) -> str | None:
    """Describe the first value that no list can have under measures with these texts; None if there is none.

    The axes of NDCG end with measure and n. DCG is not negative, and has no largest value.

    >>> impossible({"ndcg": np.array([[0.2, 1.5]])}, ["nDCG"])
    'ndcg = 1.5, which must be 0 to 1'
    >>> impossible({"ndcg": np.array([[0.2, 1.5]])}, ["DCG"]), impossible({"order": UNDECIDED}, [])
    (None, None)
    """
    normalised = np.array([text.startswith("nDCG") for text in measures], bool)
    greatest_dcg = np.where(normalised, 1.0, np.finfo(np.float64).max)[:, None]
    for name in sorted(values.keys() & KINDS.keys()):
        kind, array = KINDS[name], np.asarray(values[name])
        greatest = greatest_dcg if kind is _NDCG else np.array(kind.greatest, np.float64)
        good: Bools = (array >= kind.least) & (array <= greatest)
        if name == "order":
            good |= array == UNDECIDED
        if not good.all():
            most = float(np.broadcast_to(greatest, array.shape)[~good][0])
            end = f" to {most:g}" if most < np.finfo(np.float64).max else " or more"
            return f"{name} = {array[~good][0]:g}, which must be {kind.least:g}{end}"
    for lower, upper in _RISING:
        if lower in values and upper in values and not (values[lower] <= values[upper]).all():
            return f"{lower} exceeds {upper}"
    return None
