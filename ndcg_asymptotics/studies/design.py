"""The design of a study: what an engine simulates, with which random generators; the names of the engines.

A new engine is a folder of `ndcg_asymptotics.engines` and a line in `ENGINES`.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from ndcg_asymptotics.core.arrays import require_choice
from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.populations import FixedCounts, Independent, Population, Relevance

ENGINES = {
    "items": "ndcg_asymptotics.engines.items",
    "every-n": "ndcg_asymptotics.engines.every_n",
    "cells": "ndcg_asymptotics.engines.cells",
    "rare": "ndcg_asymptotics.engines.rare",
}
"""The module of each engine."""

ITEMS_LIMIT = 10**7
"""The longest list for which "auto" draws every item."""


def resolve(name: str, largest: int, population: Population) -> str:
    """Return the name of the engine for lists of up to ``largest`` items, where ``name`` may be "auto".

    With a fixed number of relevant items the cells engine draws nothing but their ranks, and is the fastest.

    >>> iid, few = Population.of({"a": "constant(0.4)"}), Population.of({"a": "relevant(1, roc_power(0.4))"})
    >>> resolve("auto", 10**7, iid), resolve("auto", 10**18, iid), resolve("auto", 10, few)
    ('items', 'cells', 'cells')
    """
    require_choice(name, ("auto", *ENGINES), "engine")
    if name != "auto":
        return name
    ranks_alone = not population.iid and isinstance(population.coupling, Independent)
    return "cells" if ranks_alone or largest > ITEMS_LIMIT else "items"


@dataclass(frozen=True)
class Design:
    """Everything that decides an engine's results, apart from the replicate's index.

    Attributes
    ----------
    population : Population
    measures : tuple of Measure
    sizes : tuple of int
        Increasing list lengths n_1 < … < n_K, met along one nested stream.
    seed : int
        The study's seed.
    pairs : tuple of (name, name)
        Scorers whose order is wanted.
    bracket : float
        The width of the bracket that engines with brackets aim for.
    """

    population: Population
    measures: tuple[Measure, ...]
    sizes: tuple[int, ...]
    seed: int
    pairs: tuple[tuple[str, str], ...] = ()
    bracket: float = 1e-4

    def generator(self, replicate: int, *names: str) -> np.random.Generator:
        """Return the random generator of a replicate that belongs to a name, such as a scorer's.

        It depends on the seed, the replicate's index and the names only: never on a worker, a
        block, an order, or what else the study holds.
        """
        digests = [hashlib.blake2b(name.encode(), digest_size=16).digest() for name in names]
        words = np.frombuffer(b"".join(digests), dtype="<u4").tolist()
        sequence = np.random.SeedSequence(self.seed, spawn_key=(replicate, len(names), *words))
        return np.random.Generator(np.random.SFC64(sequence))

    @property
    def models(self) -> Mapping[str, Relevance | FixedCounts]:
        """The relevance model of every scorer."""
        return self.population.models if self.population.iid else self.population.fixed_counts

    @property
    def kinds(self) -> tuple[float, ...]:
        """The gains of the grades that are drawn, the last of them 0."""
        return (*self.population.gains, 0.0)

    def pair_indices(self) -> list[tuple[int, int]]:
        """Return the pairs as positions in the population's scorers."""
        names = list(self.population.scorers)
        return [(names.index(a), names.index(b)) for a, b in self.pairs]
