"""Sweeps that end when they are precise enough.

The rule looks after 32, 64, 128, … replicates, and at the most that are allowed: after each, it asks
whether every mean (of a scorer, a measure and an n) has a standard error of at most the precision. What
it finds depends on the first so many replicates only, so a sweep that was interrupted, or ran with other
jobs, ends at the same one.

An interval from a sweep that chose its own end may be too narrow, for it tends to end where the spread
happened to look small. As the precision goes to 0 its coverage is the nominal one (Chow and Robbins
1965, *On the asymptotic theory of fixed-width sequential confidence intervals*, Ann. Math. Statist. 36);
what is lost before, with doubled sizes from 32 on, is in docs/reliability.md.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ndcg_asymptotics.results.record import Results

FIRST_LOOK = 32


@dataclass(frozen=True)
class Precision:
    """The largest standard error of a mean, and where it is.

    Attributes
    ----------
    wanted, reached : float
        What was asked for, and the largest standard error there is.
    replicates : int
        How many it is of: the first ones.
    scorer, measure : str
    n : int
    """

    wanted: float
    reached: float
    replicates: int
    scorer: str
    measure: str
    n: int

    @property
    def enough(self) -> bool:
        """Whether every mean is as precise as asked for."""
        return self.reached <= self.wanted

    def __str__(self) -> str:
        state = "reached" if self.enough else "NOT reached"
        return (
            f"precision {self.wanted:g} {state} after {self.replicates} replicates: the largest "
            f"standard error is {self.reached:.2g}, of {self.scorer}, {self.measure} at n = {self.n:g}"
        )


def looks(most: int) -> Iterator[int]:
    """After how many replicates the rule looks.

    >>> list(looks(100)), list(looks(20))
    ([32, 64, 100], [20])
    """
    size = FIRST_LOOK
    while size < most:
        yield size
        size *= 2
    yield most


def precision_of(results: Results, wanted: float, count: int) -> Precision:
    """How precise the means over the first so many replicates are.

    >>> import ndcg_asymptotics as na
    >>> study = na.Study(scorers={"a": "constant(0.4)"}, measures="nDCG", n=[10, 1000], replicates=50)
    >>> found = precision_of(na.run(study, jobs=1), 0.01, 50)
    >>> found.enough, found.n
    (False, 10)
    """
    data = results.data
    values = data["ndcg"].isel(replicate=data["replicate"].to_numpy() < count)
    values = values.transpose("replicate", "scorer", "measure", "n")
    errors = values.to_numpy().std(axis=0, ddof=1) / math.sqrt(len(values))
    scorer, measure, n = np.unravel_index(int(np.argmax(errors)), errors.shape)
    return Precision(
        wanted,
        float(errors.max()),
        len(values),
        str(data["scorer"].to_numpy()[scorer]),
        str(data["measure"].to_numpy()[measure]),
        int(data["n"].to_numpy()[n]),
    )
