"""NDCG of runs at every n of growing lists, with a band over queries, and the i.i.d. theory beside it."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from scipy.special import stdtrit

from ndcg_asymptotics.core.arrays import (
    Floats,
    Integers,
    brief,
    standard_error,
    tails,
)
from ndcg_asymptotics.core.defaults import LEVEL
from ndcg_asymptotics.core.errors import require
from ndcg_asymptotics.core.rows import Column, fixed
from ndcg_asymptotics.core.tables import Line, Report, ReportBlock, Table
from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.plots.hooks import CHOICES_OF_CURVES, OutcomeFigures

if TYPE_CHECKING:
    import pandas as pd


_SHORTEST_DRAWN = 10  # documents, at which figures begin
_WITHIN = 2.0  # standard errors within which theory is counted as right


@dataclass(frozen=True)
class Theory:
    """The means of i.i.d. lists with the relevance curves of runs.

    Attributes
    ----------
    sizes : (n,)
        The list lengths of the means: some of those of the growing lists.
    pooled : (runs, measures, n)
        The exact mean for one curve of all queries; NaN for a discount without an exact mean.
    grouped : (runs, measures, n)
        The average of the exact means for the curves of groups of queries, weighted by their sizes.
    groups : int
        The number of groups.
    """

    sizes: Integers
    pooled: Floats
    grouped: Floats
    groups: int


@dataclass(frozen=True, repr=False)
class Growth(Report):
    """NDCG of runs at every n of growing lists.

    Attributes
    ----------
    runs : tuple of str
    measures : tuple of Measure
    sizes : (n,)
        List lengths: all up to 1000, then 500 per decade.
    queries : tuple of str
    ndcg : (queries, runs, measures, n)
        The mean over the orders of arrival.
    left_out : tuple of str
        Queries with fewer documents than the longest list.
    settings : mapping
        The options of `grow`, as plain values.
    theory : Theory, optional
        The means of i.i.d. lists with the same curves.
    """

    figures: ClassVar = OutcomeFigures(
        "ndcg_asymptotics.growth.figures.growth_drawings", "growing lists", CHOICES_OF_CURVES
    )

    runs: tuple[str, ...]
    measures: tuple[Measure, ...]
    sizes: Integers
    queries: tuple[str, ...]
    ndcg: Floats
    left_out: tuple[str, ...] = ()
    settings: Mapping[str, object] = field(default_factory=dict)
    theory: Theory | None = None

    @property
    def mean(self) -> Floats:
        """The mean over the queries, (runs, measures, n)."""
        return np.asarray(self.ndcg.mean(axis=0))

    @property
    def error(self) -> Floats:
        """The standard error of the mean over the queries, (runs, measures, n)."""
        return standard_error(self.ndcg)

    def band(self, level: float = LEVEL) -> tuple[Floats, Floats]:
        """Return a pointwise band of the mean over queries: low and high, (runs, measures, n).

        The ends are those of Student's interval, cut at the smallest and the largest possible value. The band
        of a single query is NaN.
        """
        low, high = student_interval(self.ndcg, level)
        largest = np.array([1.0 if measure.normalised else np.inf for measure in self.measures])
        return np.maximum(low, 0.0), np.minimum(high, largest[:, None])

    def at(self, sizes: Sequence[int]) -> Integers:
        """Return the indices of list lengths in ``sizes``.

        Raises
        ------
        InputError
            For a length that is not in ``sizes``.
        """
        indices = np.searchsorted(self.sizes, sizes)
        matches = indices < self.sizes.size
        matches[matches] = self.sizes[indices[matches]] == np.asarray(sizes)[matches]
        missing = [n for n, match in zip(sizes, matches.tolist(), strict=True) if not match]
        require(not missing, f"no values at n = {brief(missing)}", "n")
        return np.asarray(indices)

    def drawn(self, points: int) -> Integers:
        """Return the indices of the list lengths of a line: about so many, evenly in log n, from 10 on.

        NDCG of shorter lists is mostly noise.
        """
        last = int(self.sizes[-1])
        at = np.searchsorted(self.sizes, np.geomspace(min(_SHORTEST_DRAWN, last), last, points))
        return np.unique(np.minimum(at, self.sizes.size - 1)).astype(np.int64)

    def as_dict(self) -> dict[str, object]:
        """Return the means, standard errors and i.i.d. means at some list lengths as plain data for JSON."""
        sizes = shown_sizes(int(self.sizes[-1]))
        at = self.at(sizes)
        theory = self.theory  # at the same list lengths
        values = {
            "mean": self.mean[..., at],
            "error": self.error[..., at],
            "pooled": None if theory is None else theory.pooled,
            "grouped": None if theory is None else theory.grouped,
        }
        rows = [
            {"run": run, "measure": str(measure), "n": n}
            | {name: None if part is None else float(part[r, m, k]) for name, part in values.items()}
            for r, run in enumerate(self.runs)
            for m, measure in enumerate(self.measures)
            for k, n in enumerate(sizes)
        ]
        about = {"settings": dict(self.settings), "queries": len(self.queries)}
        return {**about, "left_out": list(self.left_out), "rows": rows}

    @property
    def by_length(self) -> Table:
        """A row per run, measure and list length, with the mean over queries and its standard error."""
        rows = itertools.product(self.runs, map(str, self.measures), self.sizes.tolist())
        values = zip(rows, self.mean.ravel().tolist(), self.error.ravel().tolist(), strict=True)
        columns = tuple(Column(name) for name in ("run", "measure", "n", "mean", "error"))
        return Table("", columns, tuple((*row, mean, error) for row, mean, error in values))

    def to_dataframe(self) -> pd.DataFrame:
        """Return the table `by_length`."""
        return self.by_length.to_dataframe()

    def blocks(self) -> Iterator[ReportBlock]:
        """Yield a table of the means at some list lengths per measure, and how far i.i.d. theory is off."""
        sizes = shown_sizes(int(self.sizes[-1]))
        at, mean, error = self.at(sizes), self.mean, self.error
        lengths = (Column(f"n={n}", fixed(4), len(sizes) - 1 - i) for i, n in enumerate(sizes))
        errors = (Column("±", fixed(4)),) if len(self.queries) > 1 else ()
        columns = (Column("run"), *lengths, *errors)
        for m, measure in enumerate(self.measures):
            rows = zip(self.runs, mean[:, m, at].tolist(), error[:, m, -1:].tolist(), strict=True)
            title = f"{measure}, of one query"
            if errors:
                title = f"{measure}, mean over {len(self.queries)} queries"
                title += f"; ± its standard error at n = {sizes[-1]}"
            yield Table(title, columns, tuple((run, *means, *e[: len(errors)]) for run, means, e in rows))
            if text := self.beside_theory(m):
                yield Line(text)
        if self.left_out:
            yield Line(
                f"{len(self.left_out)} of {len(self.left_out) + len(self.queries)} queries have fewer than "
                f"{self.sizes[-1]} documents and are left out; --n asks for another length."
            )

    def beside_theory(self, measure: int) -> str:
        """Return how far i.i.d. means are from those of a measure; "" without theory or with one query."""
        theory, queries = self.theory, len(self.queries)
        if theory is None or queries < 2 or np.isnan(theory.pooled[:, measure]).all():
            return ""
        at = self.at(theory.sizes.tolist())
        real, error = self.mean[:, measure, at], self.error[:, measure, at]
        pooled, grouped = (means[:, measure] - real for means in (theory.pooled, theory.grouped))
        run, n = np.unravel_index(np.argmax(np.abs(pooled)), pooled.shape)
        near = [int((np.abs(gaps) <= _WITHIN * error).sum()) for gaps in (pooled, grouped)]
        return (
            f"{self.measures[measure]}: the mean of i.i.d. lists with one relevance curve for all queries is "
            f"furthest from the real mean for {self.runs[run]} at n = {theory.sizes[n]}, by "
            f"{pooled[run, n]:+.4f}; with a curve for each of {theory.groups} groups of queries it is off by "
            f"{grouped[run, n]:+.4f} there, and the standard error is {error[run, n]:.4f}. Of "
            f"{pooled.size} means, {near[0]} with one curve and {near[1]} with groups are within {_WITHIN:g} "
            "standard errors."
        )


def student_interval(values: Floats, level: float) -> tuple[Floats, Floats]:
    """Return the ends of Student's intervals of means over the first axis; NaN for a single value.

    >>> [end.round(2).tolist() for end in student_interval(np.array([[0.1], [0.2], [0.6]]), 0.95)]
    [[-0.36], [0.96]]
    """
    mean = values.mean(axis=0)
    reach = standard_error(values) * stdtrit(max(len(values) - 1, 1), tails(level)[1])
    return mean - reach, mean + reach


def shown_sizes(length: int) -> list[int]:
    """Return the list lengths of tables: 10, 20, 50, 100, …, and the last length.

    >>> shown_sizes(700), shown_sizes(3)
    ([10, 20, 50, 100, 200, 500, 700], [3])
    """
    steps = [digit * 10**power for power in range(1, 19) for digit in (1, 2, 5)]
    return [*(n for n in steps if n < 0.8 * length), length]
