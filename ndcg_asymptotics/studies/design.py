"""What an engine is asked to do, and the random generators it may use."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace

import numpy as np

from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.populations import Population


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
        """The random generator of one replicate that belongs to a name, such as a scorer's.

        It depends on the seed, the replicate's index and the names only: never on a worker, a
        block, an order, or what else the study holds.
        """
        words = [w for name in names for w in _words(name)]
        sequence = np.random.SeedSequence(self.seed, spawn_key=(replicate, len(names), *words))
        return np.random.Generator(np.random.SFC64(sequence))

    def drawn(self, replicate: int) -> Design:
        """The design of one replicate: of a mixture, that of the group which the replicate belongs to."""
        groups = self.population.groups
        if len(groups) == 1:
            return replace(self, population=groups[0][1])
        ends = np.cumsum([weight for weight, _ in groups])
        u = self.generator(replicate, "group").random() * ends[-1]
        group = min(int(np.searchsorted(ends, u, side="right")), len(groups) - 1)
        return replace(self, population=groups[group][1])

    def parts(self) -> list[Design]:
        """The designs that a replicate may have: one for each group of a mixture."""
        return [replace(self, population=population) for _, population in self.population.groups]

    def pair_indices(self) -> list[tuple[int, int]]:
        """The pairs as positions in the population's scorers."""
        names = list(self.population.scorers)
        return [(names.index(a), names.index(b)) for a, b in self.pairs]


def _words(name: str) -> tuple[int, ...]:
    digest = hashlib.blake2b(name.encode(), digest_size=16).digest()
    return tuple(int(word) for word in np.frombuffer(digest, dtype="<u4"))
