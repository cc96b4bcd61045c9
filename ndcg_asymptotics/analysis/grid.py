"""A grid against theory: every point's check, with one chance of a false alarm for all of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from ndcg_asymptotics.analysis.check import (
    Check,
    check,
    coverage_of,
    coverage_text,
    nothing_wrong,
    overall,
)
from ndcg_asymptotics.analysis.std_tests import StdSizes
from ndcg_asymptotics.core.errors import require
from ndcg_asymptotics.core.tables import Column, Line, Report, ReportBlock, Table, fixed
from ndcg_asymptotics.results.grid import GridResults
from ndcg_asymptotics.specs.scanner import number_text
from ndcg_asymptotics.studies.grid import Axes


@dataclass(frozen=True, repr=False)
class GridCheck(Report):
    """The outcome of `check_grid`: the check of every point."""

    axes: Axes
    alpha: float
    complete: bool
    points: Mapping[tuple[float, ...], Check]

    @property
    def agrees(self) -> bool:
        """Whether nothing at any point disagrees."""
        return all(found.agrees for found in self.points.values())

    def as_dict(self) -> dict[str, Any]:
        """Everything as plain data, for JSON."""
        points = [
            {**dict(zip(self.axes.parameters, values, strict=True)), **asdict(found), "agrees": found.agrees}
            for values, found in self.points.items()
        ]
        return {"alpha": self.alpha, "complete": self.complete, "agrees": self.agrees, "points": points}

    def blocks(self) -> Iterator[ReportBlock]:
        """A line per point, scorer and measure, and the verdict."""
        columns = (
            *(Column(name, number_text) for name in self.axes.parameters),
            Column("scorer"), Column("measure"), Column("largest |z|", fixed(2), 1), Column("means"),
            Column("sd"), Column("law"), Column("limit"),
        )  # fmt: skip
        yield Table("Every point: the largest |z| over all n, and the limit", columns, tuple(self._rows()))
        state = "" if self.complete else " INCOMPLETE: more were asked for."
        tested = coverage_of(self.points.values())
        yield Line(
            f"{len(self.points)} points. {coverage_text(tested)} Chance of any false alarm among means, "
            f"standard deviations and laws: at most {self.alpha:g} (Bonferroni).{state}"
        )
        wrong = [self.axes.name(values) for values, found in self.points.items() if not found.agrees]
        if wrong:
            yield Line(f"{len(wrong)} point(s) disagree, first: {wrong[0]}.", "bold red")
        else:
            yield nothing_wrong(tested)

    def _rows(self) -> Iterator[tuple[Any, ...]]:
        for values, found in self.points.items():
            for limit in found.limits:
                rows = [
                    row for row in found.rows if (row.scorer, row.measure) == (limit.scorer, limit.measure)
                ]
                worst = max((abs(row.z) for row in rows if row.z is not None), default=None)
                beside = found.verdicts_beside(limit.scorer, limit.measure)
                yield (*values, limit.scorer, limit.measure, worst, overall(rows), *beside, limit.verdict)


def check_grid(
    results: GridResults, *, alpha: float = 1e-4, perturb: float = 0.0, std: StdSizes = "few"
) -> GridCheck:
    """Hold the results of a grid against theory; ``alpha`` is the chance of any false alarm at all.

    Every point has its equal share of ``alpha`` (Bonferroni), which needs no independence: points share
    their random numbers.

    Raises
    ------
    InputError
        As `check`, and if there is no point yet.

    >>> import ndcg_asymptotics as na
    >>> from ndcg_asymptotics.studies.grid import grid_of
    >>> fields = {"scorers": {"a": "constant($p)"}, "measures": ["nDCG"], "n": [10, 20], "replicates": 50}
    >>> results = na.sweep.run_grid(grid_of({"p": [0.1, 0.3]}, fields), jobs=1)
    >>> check_grid(results).agrees, check_grid(results, perturb=0.5).agrees
    (True, False)
    """
    require(len(results.points) > 0, "no point is there yet")
    require(0 < alpha < 1, f"must be between 0 and 1, got {alpha:g}", "alpha")
    share = alpha / len(results.axes.points)
    options: Any = {"alpha": share, "perturb": perturb, "std": std}
    found = {values: check(point, **options) for values, point in results.points.items()}
    return GridCheck(results.axes, alpha, results.complete, found)
