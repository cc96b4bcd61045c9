"""What an engine is: it draws one replicate of a design.

An engine is a module with the members of `Engine`, one folder here and one line in
`studies.engines`. Engines know nothing of each other and nothing of theory.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Protocol, cast

import numpy as np
from numpy.typing import NDArray

from ndcg_asymptotics.studies.design import Design
from ndcg_asymptotics.studies.engines import ENGINES

Draw = dict[str, NDArray[np.generic]]
"""One replicate's results, by variable name; the axes of each are in the engine's ``VARIABLES``."""

UNDECIDED = np.int8(127)
"""The order of a pair that an engine with brackets could not settle."""

NDCG_AXES = ("scorer", "measure", "n")
ORDER_AXES = ("pair", "measure", "n")
PAIR_AXES = ("pair", "measure")


class Engine(Protocol):
    """The members of an engine's module. Of a mixture it is given one group at a time (`draw`)."""

    VARIABLES: Mapping[str, tuple[str, ...]]
    """The axes of each variable that `simulate` may give."""

    def check(self, design: Design) -> None:
        """Refuse what this engine cannot do, with an `InputError` that names the remedy."""

    def warm(self, design: Design) -> None:
        """Compile the kernels and make the tables, before work fans out."""

    def simulate(self, design: Design, replicate: int) -> Draw:
        """Draw one replicate: a function of the design and the replicate's index, bit for bit."""


def load(name: str) -> Engine:
    """The engine of a name of `studies.engines`."""
    return cast(Engine, import_module(ENGINES[name]))


def check(engine: Engine, design: Design) -> None:
    """Refuse what an engine cannot do, in any group of a mixture."""
    for part in design.parts():
        engine.check(part)


def draw(engine: Engine, design: Design, replicate: int) -> Draw:
    """One replicate; of a mixture the group comes first, and all scorers are of that group."""
    return engine.simulate(design.drawn(replicate), replicate)
