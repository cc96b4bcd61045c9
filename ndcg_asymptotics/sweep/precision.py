"""The stopping rule of sweeps with a precision.

The rule is applied after 32, 64, 128, … replicates, and after the largest number allowed: the sweep ends
when every mean (of a scorer, a measure and an n) has a standard error of at most the precision, that of
DCG_n in units of F(k(n)). The decision depends on the first replicates only, so a sweep that was
interrupted, or ran with another number of jobs, ends at the same replicate.

A sweep that chooses its own end tends to end where the standard deviation happens to be underestimated, so
its intervals may be too narrow. As the precision goes to 0 their coverage is the nominal one (Chow and
Robbins 1965, *On the asymptotic theory of fixed-width sequential confidence intervals*, Ann. Math. Statist.
36); docs/reliability.md gives the loss of coverage before that, for sizes doubled from 32 on.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ndcg_asymptotics.core.arrays import standard_error
from ndcg_asymptotics.results.record import Results

FIRST_SIZE = 32
"""The number of replicates after which the rule is applied first; docs/reliability.md has the coverage."""


@dataclass(frozen=True)
class Precision:
    """The largest standard error of a mean, and which mean it is.

    Attributes
    ----------
    wanted, reached : float
        The precision asked for, and the largest standard error of a mean.
    replicates : int
        The number of replicates, counted from the first, that the means are over.
    scorer, measure : str
    n : int
        The mean with the largest standard error.
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


def interim_sizes(most: int) -> Iterator[int]:
    """Yield the numbers of replicates after which the rule is applied.

    >>> list(interim_sizes(100)), list(interim_sizes(20))
    ([32, 64, 100], [20])
    """
    size = FIRST_SIZE
    while size < most:
        yield size
        size *= 2
    yield most


def precision_of(results: Results, target: float, count: int) -> Precision:
    """Return how precise the means over the first replicates are.

    >>> import ndcg_asymptotics as na
    >>> study = na.Study(scorers={"a": "constant(0.4)"}, measures="nDCG", n=[10, 1000], replicates=50)
    >>> precision = precision_of(na.run(study, jobs=1), 0.01, 50)
    >>> precision.enough, precision.n
    (False, 10)
    """
    study = results.study
    values = results.values["ndcg"][np.sort(results.replicates[results.done]) < count]
    units = np.array([[measure.unit(n) for n in study.n] for measure in study.measures])
    errors = standard_error(values) / units
    scorer, measure, n = np.unravel_index(int(np.argmax(errors)), errors.shape)
    return Precision(
        target,
        float(errors.max()),
        len(values),
        list(study.scorers)[scorer],
        str(study.measures[measure]),
        study.n[n],
    )
