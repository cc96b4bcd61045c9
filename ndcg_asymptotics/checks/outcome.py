"""The outcome of `check`, for a study or a grid of studies: verdicts in tables and lines."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Annotated, Any, ClassVar, TypeVar

from ndcg_asymptotics.checks.convergence import GAPS, Convergence, convergence_table
from ndcg_asymptotics.checks.limit_tests import LimitTest, limits_table
from ndcg_asymptotics.checks.mean_tests import MeanTest, TestVerdict
from ndcg_asymptotics.checks.std_tests import StdTest
from ndcg_asymptotics.core.rows import Column, Data, Estimate, computed_value, decimals, fixed, general
from ndcg_asymptotics.core.tables import Line, Report, ReportBlock, Table, details
from ndcg_asymptotics.results.grid import GridReport, table_of_points
from ndcg_asymptotics.theory.limits import LIMITS_OF_DCG

Tested = MeanTest | StdTest | LimitTest
"""A test of one scorer under one measure."""

_SHOWN = 24  # rows of a table
_T = TypeVar("_T")


@dataclass(frozen=True)
class CellTests:
    """What the tests of one scorer and measure show: the mean at the largest n, and the worst verdict."""

    scorer: Annotated[str, Column("scorer")]
    measure: Annotated[str, Column("measure")]
    mean: Annotated[Estimate, Column("simulated", lambda mean: mean.text(5))]
    expectation: Annotated[float | None, Column("exact mean", decimals(5))]
    largest_z: Annotated[float | None, Column("max |z|", fixed(1))]
    limit: Annotated[str, Column("limit (theorem)", str)]
    verdict: Annotated[TestVerdict, Column("verdict")]

    @classmethod
    def of(cls, tests: Sequence[Tested]) -> CellTests:
        """Return the row of some tests, of which the last mean is that at the largest n."""
        means = [test for test in tests if isinstance(test, MeanTest)]
        limit = next(test for test in tests if isinstance(test, LimitTest))
        # the number of the theorem in the paper, "new" for a limit beyond it, or "unknown"
        number = "new" if limit.theorem.startswith("beyond") else limit.theorem.removeprefix("Theorem ")
        number = "unknown" if number == "none" else number
        verdict: TestVerdict = "agrees" if any(map(_is_tested, means)) else "not tested"
        return cls(
            scorer=limit.scorer,
            measure=limit.measure,
            mean=Estimate(means[-1].simulated, means[-1].mcse),
            expectation=means[-1].expectation,
            largest_z=max((abs(test.z) for test in means if test.z is not None), default=None),
            limit=f"{'-' if limit.limit is None else decimals(5)(limit.limit)} ({number})",
            verdict="disagrees" if any(test.verdict == "disagrees" for test in tests) else verdict,
        )


@dataclass(frozen=True)
class Disagreement:
    """A test that disagrees: what it found, and what was expected."""

    scorer: Annotated[str, Column("scorer")]
    measure: Annotated[str, Column("measure")]
    what: Annotated[str, Column("what")]
    n: Annotated[int | None, Column("n", general("g"))]
    simulated: Annotated[float | None, Column("simulated", decimals(5))]
    expected: Annotated[float | None, Column("expected", decimals(5))]
    z: Annotated[float | None, Column("z", fixed(2))]

    @classmethod
    def of(cls, test: Tested) -> Disagreement:
        """Return the row of a test; a limit is held against exact means, extrapolated."""
        row = partial(cls, test.scorer, test.measure)
        if isinstance(test, MeanTest):
            return row("mean", test.n, simulated=test.simulated, expected=test.expectation, z=test.z)
        if isinstance(test, StdTest):
            return row("standard deviation", test.n, simulated=test.simulated, expected=test.exact, z=None)
        return row("limit", None, simulated=test.extrapolated, expected=test.limit, z=None)


@dataclass(frozen=True, repr=False)
class Check(Report):
    """The outcome of `check`.

    ``detectable`` is the smallest relative error of each measure's exact mean that this study
    would have detected with 99% power, ``detectable_std`` the same for its standard deviation.
    """

    json_kind: ClassVar[str] = "check"

    study: str
    replicates: int
    wanted: int
    alpha: float
    rows: list[MeanTest]
    limits: list[LimitTest]
    stds: list[StdTest]
    detectable: dict[str, float]
    detectable_std: dict[str, float]
    convergence: list[Convergence]

    @property
    def tests(self) -> dict[str, Sequence[Tested]]:
        """All tests, by what they test."""
        return {"means": self.rows, "standard deviations": self.stds, "limits": self.limits}

    @computed_value(Data())
    def complete(self) -> bool:
        """Whether all replicates that were requested are there."""
        return self.replicates == self.wanted

    @computed_value(Data())
    def agrees(self) -> bool:
        """Whether nothing in it disagrees."""
        return not self.disagreeing

    @property
    def disagreeing(self) -> list[Tested]:
        """The tests that disagree."""
        return [test for tests in self.tests.values() for test in tests if test.verdict == "disagrees"]

    def blocks(self) -> Iterator[ReportBlock]:
        """Return the verdict, what disagrees, a row per scorer and measure, and how fast means converge."""
        progress = f"{self.replicates:,} of {self.wanted:,} replicates"
        title = f"{self.study or 'A study'}: {self.replicates:,} replicates at n = {self.rows[-1].n:,}"
        table = partial(table_of_points, ())
        yield from _blocks({(): self}, self.alpha, title, "" if self.complete else progress, table)

    def long(self) -> Iterator[ReportBlock]:
        """Return the same with the mean at every n, and every standard deviation."""
        yield from self.blocks()
        for (scorer, measure), tests in self._cells.items():
            means = [test for test in tests if isinstance(test, MeanTest)]
            yield Table.of(f"{scorer}, {measure}", MeanTest, means)
        yield Table.of("Standard deviations, simulated and exact", StdTest, self.stds)

    def by_cell(self) -> list[CellTests]:
        """Return a row for each scorer and measure."""
        return list(map(CellTests.of, self._cells.values()))

    @property
    def _cells(self) -> dict[tuple[str, str], list[Tested]]:
        """The tests of each scorer and measure."""
        cells: dict[tuple[str, str], list[Tested]] = {}
        for test in itertools.chain(*self.tests.values()):
            cells.setdefault((test.scorer, test.measure), []).append(test)
        return cells


def _blocks(
    checks: Mapping[tuple[float, ...], Check],
    alpha: float,
    title: str,
    so_far: str,
    table: Callable[..., Table],
    point_text: Callable[[Sequence[float]], str] = lambda values: "",
) -> Iterator[ReportBlock]:
    """Yield the answer of the checks of some points, the tables of their rows, and details.

    ``so_far`` says how much of incomplete results is there, ``table`` makes tables as `table_of_points`, and
    ``point_text`` is the text of a point.
    """

    def rows(of: Callable[[Check], Iterable[_T]]) -> list[tuple[tuple[float, ...], _T]]:
        return [(values, row) for values, check in checks.items() for row in of(check)]

    wrong = [(values, Disagreement.of(test)) for values, test in rows(lambda check: check.disagreeing)]
    if wrong:
        values, first = wrong[0]
        at = "".join(
            f" at {place}" for place in (f"n = {first.n:g}" if first.n else "", point_text(values)) if place
        )
        count = "1 verdict disagrees" if len(wrong) == 1 else f"{len(wrong)} verdicts disagree, the first"
        yield Line(f"{count}: the {first.what} of {first.scorer} by {first.measure}{at}.", "bold red")
        heading = "Where theory and simulation disagree"
        yield table(wrong, lambda subset: Table.of(heading, Disagreement, subset), _SHOWN)
    else:
        yield _agreement(list(checks.values()), so_far)
    cells = sorted(rows(Check.by_cell), key=lambda row: row[1].verdict != "disagrees")
    yield table(cells, lambda subset: Table.of(title, CellTests, subset), _SHOWN)
    if speeds := rows(lambda check: check.convergence):
        yield table(speeds, convergence_table, _SHOWN)
        yield Line(GAPS, detail=True)
    limits = rows(lambda check: check.limits)
    yield replace(table(limits, limits_table), detail=True)
    if any(not row.measure.startswith("nDCG") for _, row in limits):
        yield Line(LIMITS_OF_DCG, detail=True)
    for values, row in limits:
        if row.verdict != "agrees":
            at = f" at {place}" if (place := point_text(values)) else ""
            text = f"{row.scorer}, {row.measure}{at}: {row.verdict}; {row.explanation}."
            yield Line(text, detail=row.verdict != "disagrees" or len(checks) > 1)
    yield from details(_power(list(checks.values()), alpha))


def _agreement(checks: Sequence[Check], so_far: str) -> Line:
    """Return the answer where nothing disagrees: green only if every mean and every limit was tested."""
    counts = {}
    for kind in checks[0].tests:
        tests = [test for check in checks for test in check.tests[kind]]
        counts[kind] = sum(map(_is_tested, tests)), len(tests)
    tested = ", ".join(f"{number:,} of {total:,} {kind}" for kind, (number, total) in counts.items())
    left = any(counts[kind][0] < counts[kind][1] for kind in ("means", "limits"))
    answer = "Nothing that was tested disagrees" if left else "Nothing disagrees"
    answer = f"Agrees so far: {so_far}" if so_far else answer
    return Line(f"{answer}. Tested: {tested}.", "bold yellow" if left or so_far else "bold green")


def _power(checks: Sequence[Check], alpha: float) -> Iterator[Line]:
    """Yield what the tests can and cannot detect."""
    yield from _not_tested("standard deviations", [test for check in checks for test in check.stds])
    yield Line(
        "Family-wise error rate of the tests of means and standard deviations: "
        f"at most {alpha:g} (Bonferroni, {checks[0].rows[0].false_alarm:.1e} for each test). Means and "
        "standard deviations are tested by Student's t and chi-square where lists are long and no rank "
        "dominates, and elsewhere by betting, which is valid for any values in [0, 1]."
    )
    for quantity, errors in (
        ("mean", [check.detectable for check in checks]),
        ("standard deviation", [check.detectable_std for check in checks]),
    ):
        measures = dict.fromkeys(measure for least in errors for measure in least)
        least = {m: min(by_measure[m] for by_measure in errors if m in by_measure) for m in measures}
        if least:
            text = ", ".join(f"{measure} {100 * error:.2g}%" for measure, error in least.items())
            yield Line(
                f"Smallest relative error of an exact {quantity} that is detected with 99% power: {text}."
            )


def _is_tested(test: Tested) -> bool:
    """Return whether a test compared two values."""
    return test.tested if isinstance(test, LimitTest) else test.verdict != "not tested"


def _not_tested(quantity: str, tests: Sequence[StdTest]) -> Iterator[Line]:
    """Return a line for each measure of which something was not tested, with the first reason."""
    for measure in dict.fromkeys(test.measure for test in tests):
        of_measure = [test for test in tests if test.measure == measure]
        left = [test for test in of_measure if test.verdict == "not tested"]
        if left:
            first = f"{left[0].scorer} at n = {left[0].n:g}: {left[0].reason}"
            yield Line(f"{measure}: {len(left)} of {len(of_measure)} {quantity} not tested; {first}.")


@dataclass(frozen=True, eq=False, repr=False)
class GridCheck(GridReport[Check]):
    """The outcome of `check` of a grid: the check of every point, and the family-wise error rate of all."""

    json_kind: ClassVar[str] = "grid check"

    alpha: float

    @property
    def agrees(self) -> bool:
        """Whether nothing at any point disagrees."""
        return all(check.agrees for check in self.points.values())

    def as_dict(self) -> dict[str, Any]:
        """Return everything as plain data, for JSON."""
        return {"alpha": self.alpha, "agrees": self.agrees, **super().as_dict()}

    def blocks(self) -> Iterator[ReportBlock]:
        """Return what `Check.blocks` does, of all points, with their values of the parameters."""
        first = next(iter(self.points.values()))
        title = f"{first.study or 'A grid'}: {self.state}, n = {first.rows[-1].n:,}"
        so_far = "" if self.complete else self.state
        yield from _blocks(self.points, self.alpha, title, so_far, self.table, self.axes.name)
