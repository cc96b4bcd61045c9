"""The outcome of `check`, for a study or a grid of studies: verdicts in tables and lines."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Annotated, Any, ClassVar, Literal, Protocol, TypeVar

from ndcg_asymptotics.analysis.convergence import GAPS, Convergence, convergence_table
from ndcg_asymptotics.analysis.limit_tests import LimitTest, limits_table
from ndcg_asymptotics.analysis.mean_tests import MeanTest, TestVerdict
from ndcg_asymptotics.analysis.std_tests import StdTest
from ndcg_asymptotics.core.rows import Column, Data, Estimate, computed_value, decimals, fixed, general
from ndcg_asymptotics.core.tables import Line, Report, ReportBlock, Table, details
from ndcg_asymptotics.results.grid import GridReport, table_of_points
from ndcg_asymptotics.theory.limits import LIMITS_OF_DCG

TestKind = Literal["means", "standard deviations", "limits"]

_KINDS: dict[TestKind, str] = {"means": "means", "standard deviations": "std", "limits": "limit"}
"""The kinds of tests, and their headings."""
_SHOWN = 24  # rows of a table
_SUMMARY = ("scorer", "measure", "mean", "expectation", "largest_z", "limit", "verdict")


_T = TypeVar("_T")


class Tested(Protocol):
    """A test of one scorer under one measure, of any kind."""

    @property
    def scorer(self) -> str: ...
    @property
    def measure(self) -> str: ...
    @property
    def verdict(self) -> str: ...


@dataclass(frozen=True)
class CellTests:
    """The tests of one scorer and measure, and what tables show of them.

    Attributes
    ----------
    largest : MeanTest
        At the largest n.
    stated : LimitTest
    least : float, optional
        The smallest detectable error of the mean, as in `Check`.
    tests : mapping of kind to tests
    """

    scorer: Annotated[str, Column("scorer")]
    measure: Annotated[str, Column("measure", whole=True)]
    largest: Annotated[MeanTest, Data(inline=True)]
    stated: Annotated[LimitTest, Data(inline=True)]
    least: Annotated[float | None, Column("detectable error", lambda error: f"{100 * error:.2g}%")]
    tests: Mapping[TestKind, Sequence[Tested]]

    @property
    def verdicts(self) -> tuple[TestVerdict, ...]:
        """The worst verdict of each kind of tests."""
        return tuple(worst(self.tests[kind]) for kind in _KINDS)

    @computed_value(Column("simulated", lambda mean: mean.text(5)))
    def mean(self) -> Estimate:
        """The simulated mean at the largest n, with its standard error."""
        return Estimate(self.largest.simulated, self.largest.mcse)

    @computed_value(Column("max |z|", fixed(1)))
    def largest_z(self) -> float | None:
        """The largest absolute z of the means."""
        return largest_z(self.means)

    @computed_value(Column("limit (theorem)", str))
    def limit(self) -> str:
        """The limit with the number of its theorem in the paper, or "new" for one beyond the paper."""
        value = "-" if self.stated.limit is None else decimals(5)(self.stated.limit)
        theorem = self.stated.theorem.removeprefix("Theorem ")
        return f"{value} ({'new' if theorem.startswith('beyond') else theorem})"

    @computed_value(Column("verdict", whole=True))
    def verdict(self) -> TestVerdict:
        """The verdict on the means, or that something disagrees."""
        verdicts = self.verdicts
        return "disagrees" if "disagrees" in verdicts else verdicts[0]

    @property
    def means(self) -> list[MeanTest]:
        """The tests of the means."""
        return [test for test in self.tests["means"] if isinstance(test, MeanTest)]


def worst(tests: Iterable[Tested]) -> TestVerdict:
    """Return the worst verdict of several tests, "not tested" if none of them was possible."""
    found = {test.verdict for test in tests}
    verdicts: tuple[TestVerdict, ...] = ("disagrees", "agrees")
    return next((verdict for verdict in verdicts if verdict in found), "not tested")


def largest_z(means: Iterable[MeanTest]) -> float | None:
    """Return the largest absolute z; None if no mean was tested."""
    return max((abs(test.z) for test in means if test.z is not None), default=None)


@dataclass(frozen=True)
class Disagreement:
    """A test that disagrees: what it found, and what was expected."""

    scorer: Annotated[str, Column("scorer")]
    measure: Annotated[str, Column("measure", whole=True)]
    what: Annotated[str, Column("what", whole=True)]
    n: Annotated[int | None, Column("n", general("g"))]
    simulated: Annotated[float | None, Column("simulated", decimals(5))]
    expected: Annotated[float | None, Column("expected", decimals(5))]
    z: Annotated[float | None, Column("z", fixed(2))]

    @classmethod
    def of(cls, test: Tested) -> Disagreement:
        """Return the row of a test; a limit is held against exact means, extrapolated."""
        if isinstance(test, MeanTest):
            return cls(test.scorer, test.measure, "mean", test.n, test.simulated, test.expectation, test.z)
        if isinstance(test, StdTest):
            return cls(
                test.scorer, test.measure, "standard deviation", test.n, test.simulated, test.exact, None
            )
        assert isinstance(test, LimitTest)
        return cls(test.scorer, test.measure, "limit", None, test.extrapolated, test.limit, None)


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
    def tests(self) -> dict[TestKind, Sequence[Tested]]:
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
        some = f"{self.replicates:,} of {self.wanted:,} replicates"
        title = f"{self.study or 'A study'}: {self.replicates:,} replicates at n = {self.rows[-1].n:,}"
        table = partial(table_of_points, ())
        yield from _blocks({(): self}, self.alpha, title, "" if self.complete else some, table)

    def long(self) -> Iterator[ReportBlock]:
        """Return the same with the mean at every n, and every standard deviation."""
        yield from self.blocks()
        for cell in self.by_cell():
            yield Table.of(f"{cell.scorer}, {cell.measure}", MeanTest, cell.means)
        yield Table.of("Standard deviations, simulated and exact", StdTest, self.stds)

    def by_cell(self) -> list[CellTests]:
        """Return the tests of each scorer and measure."""
        cells: dict[tuple[str, str], dict[TestKind, list[Tested]]] = {}
        for kind, tests in self.tests.items():
            for test in tests:
                cell = cells.setdefault((test.scorer, test.measure), {kind: [] for kind in _KINDS})
                cell[kind].append(test)
        # the last mean of a scorer and measure is that at the largest n
        largest = {(test.scorer, test.measure): test for test in self.rows}
        stated = {(test.scorer, test.measure): test for test in self.limits}
        return [
            CellTests(*cell, largest[cell], limit, self.detectable.get(cell[1]), cells[cell])
            for cell, limit in stated.items()
        ]


_Checks = Mapping[tuple[float, ...], Check]


def _blocks(
    checks: _Checks,
    alpha: float,
    title: str,
    so_far: str,
    table: Callable[..., Table],
    where: Callable[[Sequence[float]], str] = lambda values: "",
) -> Iterator[ReportBlock]:
    """Yield the answer of the checks of some points, the tables of their rows, and details.

    ``so_far`` says how much of incomplete results is there, ``table`` makes tables as `table_of_points`, and
    ``where`` is the text of a point.
    """

    def rows(of: Callable[[Check], Iterable[_T]]) -> list[tuple[tuple[float, ...], _T]]:
        return [(values, row) for values, one in checks.items() for row in of(one)]

    wrong = [(values, Disagreement.of(test)) for values, test in rows(lambda one: one.disagreeing)]
    if wrong:
        values, first = wrong[0]
        at = "".join(
            f" at {place}" for place in (f"n = {first.n:g}" if first.n else "", where(values)) if place
        )
        count = "1 verdict disagrees" if len(wrong) == 1 else f"{len(wrong)} verdicts disagree, the first"
        yield Line(f"{count}: the {first.what} of {first.scorer} by {first.measure}{at}.", "bold red")
        heading = "Where theory and simulation disagree"
        yield table(wrong, lambda some: Table.of(heading, Disagreement, some), _SHOWN)
    else:
        yield _agreement(list(checks.values()), so_far)
    cells = sorted(rows(Check.by_cell), key=lambda row: row[1].verdict != "disagrees")
    yield table(cells, lambda some: Table.of(title, CellTests, some, *_SUMMARY), _SHOWN)
    if speeds := rows(lambda one: one.convergence):
        yield table(speeds, convergence_table, _SHOWN)
        yield Line(GAPS, detail=True)
    limits = rows(lambda one: one.limits)
    yield replace(table(limits, limits_table), detail=True)
    if any(not row.measure.startswith("nDCG") for _, row in limits):
        yield Line(LIMITS_OF_DCG, detail=True)
    for values, row in limits:
        if row.verdict != "agrees":
            at = f" at {place}" if (place := where(values)) else ""
            said = f"{row.scorer}, {row.measure}{at}: {row.verdict}; {row.explanation}."
            yield Line(said, detail=row.verdict != "disagrees" or len(checks) > 1)
    yield from details(_power(list(checks.values()), alpha))


def _agreement(checks: Sequence[Check], so_far: str) -> Line:
    """Return the answer where nothing disagrees: green only if every mean and every limit was tested."""
    counts = {}
    for kind in _KINDS:
        tests = [test for one in checks for test in one.tests[kind]]
        counts[kind] = sum(map(_is_tested, tests)), len(tests)
    tested = ", ".join(f"{done:,} of {every:,} {kind}" for kind, (done, every) in counts.items())
    left = any(counts[kind][0] < counts[kind][1] for kind in ("means", "limits"))
    answer = "Nothing that was tested disagrees" if left else "Nothing disagrees"
    answer = f"Agrees so far: {so_far}" if so_far else answer
    return Line(f"{answer}. Tested: {tested}.", "bold yellow" if left or so_far else "bold green")


def _power(checks: Sequence[Check], alpha: float) -> Iterator[Line]:
    """Yield what the tests can and cannot detect."""
    yield from _not_tested("standard deviations", [test for one in checks for test in one.stds])
    yield Line(
        "Family-wise error rate of the tests of means and standard deviations: "
        f"at most {alpha:g} (Bonferroni, {checks[0].rows[0].false_alarm:.1e} for each test). Means and "
        "standard deviations are tested by Student's t and chi-square where lists are long and no rank "
        "dominates, and elsewhere by betting, which is valid for any values in [0, 1]."
    )
    for what, errors in (
        ("mean", [one.detectable for one in checks]),
        ("standard deviation", [one.detectable_std for one in checks]),
    ):
        measures = dict.fromkeys(measure for least in errors for measure in least)
        least = {m: min(some[m] for some in errors if m in some) for m in measures}
        if least:
            said = ", ".join(f"{measure} {100 * error:.2g}%" for measure, error in least.items())
            yield Line(f"Smallest relative error of an exact {what} that is detected with 99% power: {said}.")


def _is_tested(test: Tested) -> bool:
    """Return whether a test compared two values."""
    return test.tested if isinstance(test, LimitTest) else test.verdict != "not tested"


def _not_tested(what: str, tests: Sequence[StdTest]) -> Iterator[Line]:
    """Return a line for each measure of which something was not tested, with the first reason."""
    for measure in dict.fromkeys(test.measure for test in tests):
        every = [test for test in tests if test.measure == measure]
        left = [test for test in every if test.verdict == "not tested"]
        if left:
            first = f"{left[0].scorer} at n = {left[0].n:g}: {left[0].reason}"
            yield Line(f"{measure}: {len(left)} of {len(every)} {what} not tested; {first}.")


@dataclass(frozen=True, eq=False, repr=False)
class GridCheck(GridReport[Check]):
    """The outcome of `check` of a grid: the check of every point, and the family-wise error rate of all."""

    json_kind: ClassVar[str] = "grid check"

    alpha: float

    @property
    def agrees(self) -> bool:
        """Whether nothing at any point disagrees."""
        return all(found.agrees for found in self.points.values())

    def as_dict(self) -> dict[str, Any]:
        """Return everything as plain data, for JSON."""
        return {"alpha": self.alpha, "agrees": self.agrees, **super().as_dict()}

    def blocks(self) -> Iterator[ReportBlock]:
        """Return what `Check.blocks` does, of all points, with their values of the parameters."""
        first = next(iter(self.points.values()))
        title = f"{first.study or 'A grid'}: {self.state}, n = {first.rows[-1].n:,}"
        so_far = "" if self.complete else self.state
        yield from _blocks(self.points, self.alpha, title, so_far, self.table, self.axes.name)

    def long(self) -> Iterator[ReportBlock]:
        """Return the same with every test at every point."""
        yield from self.blocks()
        for values, found in self.points.items():
            yield Line(self.axes.name(values), "bold")
            yield from found.long()
