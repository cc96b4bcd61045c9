"""The documents of a query, one after another, and NDCG of each run at every n.

The documents arrive in random order or in one that is given; each run ranks those that are there, and
NDCG is known at every n in O(log n) an arrival (`engines.every_n`). All queries are followed to the same
length, so that a mean over them is over the same queries at every n.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np

from ndcg_asymptotics.core.arrays import Floats, Integers
from ndcg_asymptotics.engines.every_n import evaluate_every_n
from ndcg_asymptotics.lists.pooling import Pooled
from ndcg_asymptotics.measures import Measure

Order = Literal["random", "file", "time"]

RANDOM = "random"
"""The name of a run whose scores are drawn."""

_EVERY = 1000  # list lengths that are all kept; beyond, so many a decade
_PER_DECADE = 500


@dataclass(frozen=True)
class Arrivals:
    """Documents that arrive, for the queries that have so many.

    Attributes
    ----------
    documents : Pooled
    length : int
        How many documents of a query arrive.
    orders : int
        How many orders are tried; 1 where the order is given.
    seed : int
    keys : (documents,), optional
        By which the documents arrive, lowest first; None if in random order.
    random : bool
        Whether there is one more run, whose scores are drawn.
    """

    documents: Pooled
    length: int
    orders: int
    seed: int
    keys: Floats | None = None
    random: bool = False

    @property
    def runs(self) -> tuple[str, ...]:
        """The names of the runs."""
        return (*self.documents.runs, *([RANDOM] if self.random else []))

    @property
    def sizes(self) -> Integers:
        """The list lengths that are kept: all up to 1000, then 500 a decade, and the last."""
        steps = np.arange(int(np.ceil(_PER_DECADE * np.log10(max(self.length / _EVERY, 1.0)))))
        far = np.rint(_EVERY * 10.0 ** (steps / _PER_DECADE)).astype(np.int64)
        near = np.arange(1, min(self.length, _EVERY) + 1)
        return np.union1d(near, np.append(far[far < self.length], self.length))

    def paths(
        self, measures: tuple[Measure, ...], sizes: Integers, *, redraw: bool = False
    ) -> Iterator[tuple[int, Floats]]:
        """The query and NDCG at some sizes, (runs, measures, sizes), for every query and order.

        Parameters
        ----------
        measures : tuple of Measure
        sizes : (n,)
        redraw : bool
            Draw the documents with replacement: i.i.d. lists from the query's own documents.
        """
        labels = self.documents.documents.values
        for query, part in enumerate(self.documents.parts()):
            runs, gains = self.documents.scores[:, part], labels[part]
            for order in range(self.orders):
                if redraw:
                    rng = self._generator(query, order, "documents")
                    arrival = rng.integers(0, gains.size, self.length)
                else:
                    arrival = self._arrival(query, order, part)
                scores = [run[arrival] for run in runs]
                if self.random:
                    scores.append(self._generator(query, order, RANDOM).random(self.length))
                found = [evaluate_every_n(s, gains[arrival], measures)[:, sizes - 1] for s in scores]
                yield query, np.array(found)

    def _arrival(self, query: int, order: int, part: slice) -> Integers:
        if self.keys is not None:
            arrival = np.argsort(self.keys[part], kind="stable")
        else:
            arrival = self._generator(query, order, "arrival").permutation(part.stop - part.start)
        return arrival[: self.length]

    def _generator(self, query: int, order: int, what: str) -> np.random.Generator:
        """What is drawn for a query depends on the seed and its name, not on which others there are."""
        text = f"{what} {self.documents.queries[query]}".encode()
        words = np.frombuffer(hashlib.blake2b(text, digest_size=16).digest(), "<u4")
        return np.random.default_rng(np.random.SeedSequence(self.seed, spawn_key=(order, *words.tolist())))
