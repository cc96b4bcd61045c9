"""Results that are kept in this process only, taken in like those of a folder."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from types import TracebackType
from typing import Self

import numpy as np

from ndcg_asymptotics.core.errors import require
from ndcg_asymptotics.engines import engine
from ndcg_asymptotics.engines.engine import Draw
from ndcg_asymptotics.results.layout import INDEX, Damage, versions_here
from ndcg_asymptotics.results.results import Results
from ndcg_asymptotics.studies import Study


class Memory:
    """What `store.writer.Writer` is for a folder."""

    damages: Sequence[Damage] = ()

    def __init__(self, study: Study) -> None:
        self._study = study
        self._wanted: dict[int, None] = {}
        self._draws: dict[int, Draw] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Nothing is held."""

    @property
    def replicates(self) -> list[int]:
        """The indices of the replicates that are wanted."""
        return list(self._wanted)

    @property
    def complete(self) -> int:
        """How many replicates are complete."""
        return len(self._draws)

    def missing(self, replicates: Iterable[int]) -> list[int]:
        """Those of the replicates that are not complete."""
        return [r for r in replicates if r not in self._draws]

    def extend(self, replicates: Iterable[int]) -> None:
        """Want these replicates too."""
        self._wanted |= dict.fromkeys(replicates)

    def write(self, replicates: Sequence[int], draws: Draw) -> None:
        """Take in the values of these replicates, stacked along a leading axis."""
        for i, replicate in enumerate(replicates):
            self._draws[replicate] = {name: values[i] for name, values in draws.items()}

    def results(self) -> Results:
        """What there is so far."""
        replicates = np.array(sorted(self._wanted), np.int64)
        done = np.array([r in self._draws for r in replicates.tolist()], bool)
        require(bool(done.any()), "no replicate is complete")
        kept = replicates[done]
        draws = [self._draws[r] for r in kept.tolist()]
        axes = engine.load(self._study.engine).VARIABLES
        values = {name: ((INDEX, *axes[name]), np.stack([d[name] for d in draws])) for name in draws[0]}
        attributes = {"complete": int(done.all())}
        return Results(self._study, [versions_here()], replicates, done, None, lambda: values, attributes)
