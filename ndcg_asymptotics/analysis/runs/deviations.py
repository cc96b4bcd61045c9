"""Deviations of real ranked lists from i.i.d. theory, along growing lists.

The gap between the real mean and that of one pooled curve has two parts. *Heterogeneity* (mixture - pooled)
is the difference between queries, which a mixture of groups describes. The *unexplained* part is
real - mixture. The unexplained part of each query is known, so its standard error is that of a mean over
queries, and intervals are by bootstrap over queries, given the fitted curves.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated

import numpy as np

from ndcg_asymptotics.analysis.runs.paired import effect_size
from ndcg_asymptotics.core.arrays import LEVEL, Floats, standard_error
from ndcg_asymptotics.core.errors import InputError, require
from ndcg_asymptotics.core.tables import Column, Line, Report, ReportBlock, Table, general
from ndcg_asymptotics.lists.growth import Growth, resampled_band

WITHIN = 2.0
"""The number of standard errors within which theory is counted as right."""

_RESAMPLES = 2000  # bootstrap samples


def _column(name: str, drop: int = 0, *, show: str = ".4f") -> Column:
    return Column(name, general(show), drop)


@dataclass(frozen=True)
class Deviation:
    """The means of real lists and of three i.i.d. models, for one run, measure and list length.

    ``error`` is the standard error of ``real`` over the queries; ``pooled_z`` and ``mixture_z`` are distances
    from ``real`` in standard errors. ``left`` is real - mixture and ``dependence`` is real - redrawn, the
    effect of dependence alone, with their intervals.
    """

    run: Annotated[str, Column("run")]
    measure: Annotated[str, Column("measure", whole=True)]
    n: Annotated[int, _column("n", show="d")]
    real: Annotated[float, _column("real")]
    error: Annotated[float, _column("standard error", 1)]
    pooled: Annotated[float, _column("pooled")]
    pooled_z: Annotated[float, _column("z", show=".1f")]
    mixture: Annotated[float, _column("mixture")]
    mixture_z: Annotated[float, _column("z ", show=".1f")]
    redrawn: Annotated[float, _column("redrawn", 3)]
    heterogeneity: float
    left: Annotated[float, _column("unexplained", 2, show="+.4f")]
    left_low: Annotated[float, _column("from", 2, show="+.4f")]
    left_high: Annotated[float, _column("to", 2, show="+.4f")]
    dependence: float
    dependence_low: float
    dependence_high: float


@dataclass(frozen=True, repr=False)
class Deviations(Report):
    """The outcome of `deviations`."""

    queries: int
    groups: int
    rows: tuple[Deviation, ...]

    def blocks(self) -> Iterator[ReportBlock]:
        """Return a table, and a statement for each measure."""
        title = f"Real lists and i.i.d. theory: {self.queries} queries, a mixture of {self.groups} groups"
        yield Table.of(title, Deviation, self.rows)
        yield from self.statements()

    def statements(self) -> Iterator[Line]:
        """Return the largest deviations from theory in words, a line for each measure."""
        for measure in dict.fromkeys(row.measure for row in self.rows):
            yield Line(self.statement(measure))
        yield Line(
            "The standard error is over queries, and z is the deviation from the real mean in standard "
            f"errors. Intervals: {LEVEL:.0%}, by bootstrap over queries. Redrawn lists draw the query's own "
            "documents with replacement.",
            detail=True,
        )

    def statement(self, measure: str) -> str:
        """Return where and by how much one measure's real lists deviate from theory."""
        rows = [row for row in self.rows if row.measure == measure]
        worst = max(rows, key=lambda row: abs(row.real - row.pooled))
        far = max(rows, key=lambda row: abs(row.dependence))
        by_pooled = sum(abs(row.pooled_z) <= WITHIN for row in rows)
        by_mixture = sum(abs(row.mixture_z) <= WITHIN for row in rows)
        return (
            f"{measure}: the pooled curve deviates most for {worst.run} at n = {worst.n}, by "
            f"{worst.real - worst.pooled:+.4f} ({worst.pooled_z:+.1f} standard errors); the mixture "
            f"deviates there by {worst.left:+.4f}. Of {len(rows)} means, {by_pooled} by the pooled curve and "
            f"{by_mixture} by the mixture are within {WITHIN:g} standard errors of the real mean. The "
            "largest estimated effect of dependence between documents is "
            f"{far.dependence:+.4f} [{far.dependence_low:+.4f}, {far.dependence_high:+.4f}] "
            f"({far.run} at n = {far.n})."
        )


def deviations(growth: Growth, *, seed: int = 0) -> Deviations:
    """Compare growing real lists with their i.i.d. theory.

    Parameters
    ----------
    growth : Growth
        Made with ``by``, so that it has theory.
    seed : int
        The seed of the bootstrap.

    Raises
    ------
    InputError
        If there is no theory, or one query only.

    >>> import numpy as np, ndcg_asymptotics as na
    >>> rng = np.random.default_rng(1)
    >>> run = {str(q): {f"d{i}": float(i) for i in range(40)} for q in range(6)}
    >>> labels = {q: {d: float(rng.random() < 0.4) for d in docs} for q, docs in run.items()}
    >>> found = deviations(na.lists.grow({"mine": run}, labels, "nDCG", by=2, orders=5))
    >>> found.groups, [row.n for row in found.rows]
    (2, [10, 20, 40])
    """
    theory = growth.theory
    if theory is None:
        raise InputError(
            "these lists were not compared with theory; grow them with a number of groups: --by 8"
        )
    queries = len(growth.queries)
    require(queries >= 2, f"a standard error over queries needs at least 2 of them, got {queries}")
    real = growth.ndcg[..., growth.at(theory.sizes.tolist())]
    error = standard_error(real)
    mixture, redrawn = theory.mixture, theory.redrawn.mean(axis=0)
    left = _interval(real - theory.groups[theory.group], seed)
    dependence = _interval(real - theory.redrawn, seed)
    rows = []
    means = real.mean(axis=0)
    for at in np.ndindex(mixture.shape):
        run, measure, n = growth.runs[at[0]], growth.measures[at[1]], int(theory.sizes[at[2]])
        se = float(error[at])
        pooled, drawn = theory.pooled[at], redrawn[at]
        z = effect_size(float(means[at]) - float(pooled), se), effect_size(float(left[0][at]), se)
        models = (means[at], se, pooled, z[0], mixture[at], z[1], drawn, mixture[at] - pooled)
        values = (*models, *(part[at] for part in (*left, *dependence)))
        rows.append(Deviation(run, str(measure), n, *map(float, values)))
    return Deviations(queries, len(theory.groups), tuple(rows))


def _interval(values: Floats, seed: int) -> tuple[Floats, Floats, Floats]:
    """Return the mean over queries with an interval."""
    return values.mean(axis=0), *resampled_band(values, LEVEL, _RESAMPLES, seed)
