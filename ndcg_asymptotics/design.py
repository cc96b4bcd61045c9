"""What an engine is asked to do, and the random streams it may use."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.population import Population

Draw = dict[str, NDArray[np.generic]]
"""One replicate's results, by variable name; the axes of each are in `AXES`."""

AXES: dict[str, tuple[str, ...]] = {
    "ndcg": ("scorer", "measure", "n"),
    "low": ("scorer", "measure", "n"),  # rigorous bracket of ndcg (cells)
    "high": ("scorer", "measure", "n"),
    "minimum": ("scorer", "measure", "n"),  # over the list lengths after the previous n, up to n (every-n)
    "maximum": ("scorer", "measure", "n"),
    "order": ("pair", "measure", "n"),  # sign of NDCG_a - NDCG_b: 1, 0, -1, or UNDECIDED
    "last_not_greater": ("pair", "measure"),  # last n with NDCG_a <= NDCG_b, 0 if none (every-n)
    "last_not_less": ("pair", "measure"),  # last n with NDCG_a >= NDCG_b, 0 if none (every-n)
    "changes": ("pair", "measure"),  # how often the sign changed from one n to the next (every-n)
}

UNDECIDED = np.int8(127)


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
    pairs: tuple[tuple[str, str], ...] = field(default=())
    bracket: float = 1e-4

    def stream(self, replicate: int, *names: str) -> np.random.Generator:
        """The random stream of one replicate that belongs to a name, such as a scorer's.

        It depends on the seed, the replicate's index and the names only: never on a worker, a
        block, an order, or what else the study holds.
        """
        words = [w for name in names for w in _words(name)]
        sequence = np.random.SeedSequence(self.seed, spawn_key=(replicate, len(names), *words))
        return np.random.Generator(np.random.SFC64(sequence))

    def pair_indices(self) -> list[tuple[int, int]]:
        """The pairs as positions in the population's scorers."""
        names = list(self.population.scorers)
        return [(names.index(a), names.index(b)) for a, b in self.pairs]


def _words(name: str) -> tuple[int, ...]:
    digest = hashlib.blake2b(name.encode(), digest_size=16).digest()
    return tuple(int(word) for word in np.frombuffer(digest, dtype="<u4"))
