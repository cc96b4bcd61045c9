"""The outcome of `check`, for a study or a grid of studies: verdicts in tables and lines."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal, Protocol

from ndcg_asymptotics.analysis.limit_tests import LimitTest, limits_table
from ndcg_asymptotics.analysis.mean_tests import MeanTest, TestVerdict
from ndcg_asymptotics.analysis.std_tests import StdTest
from ndcg_asymptotics.core.rows import Column, Data, Estimate, computed_value, decimals, fixed, general
from ndcg_asymptotics.core.tables import Line, Report, ReportBlock, Table, details
from ndcg_asymptotics.specs.scanner import number_text
from ndcg_asymptotics.studies.grid import Axes
from ndcg_asymptotics.theory.limits import LIMITS_OF_DCG

if TYPE_CHECKING:
    import pandas as pd

TestKind = Literal["means", "standard deviations", "limits"]

_KINDS: dict[TestKind, str] = {"means": "means", "standard deviations": "std", "limits": "limit"}
"""The kinds of tests, and their headings."""
_SHOWN = 20  # rows of measures, and of what disagrees
_SUMMARY = ("scorer", "measure", "mean", "expectation", "largest_z", "limit", "verdict")


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
        return not self._wrong

    @property
    def _wrong(self) -> list[Tested]:
        return [test for tests in self.tests.values() for test in tests if test.verdict == "disagrees"]

    def blocks(self) -> Iterator[ReportBlock]:
        """Return the verdict, what disagrees, a table with a row per scorer and measure, and the limits."""
        yield self._verdict()
        if wrong := self._wrong:
            more = f"; the first {_SHOWN} of {len(wrong)}, --full prints all" if len(wrong) > _SHOWN else ""
            title = f"Where theory and simulation disagree{more}"
            yield Table.of(title, Disagreement, map(Disagreement.of, wrong[:_SHOWN]))
        yield self._summary()
        yield from self._details()

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

    def _verdict(self) -> Line:
        """Return the answer, which is green only if every mean and every limit was tested."""
        if wrong := self._wrong:
            first = Disagreement.of(wrong[0])
            at = "" if first.n is None else f" at n = {first.n:g}"
            count = "1 verdict disagrees" if len(wrong) == 1 else f"{len(wrong)} verdicts disagree, the first"
            return Line(f"{count}: the {first.what} of {first.scorer} by {first.measure}{at}.", "bold red")
        if not self.complete:
            some = f"{self.replicates:,} of {self.wanted:,} replicates"
            return Line(f"Agrees so far: {some}. {_tested([self])}", "bold yellow")
        return _nothing_disagrees([self])

    def _summary(self) -> Table:
        title = f"{self.study or 'A study'}: {self.replicates:,} replicates at n = {self.rows[-1].n:,}"
        cells = sorted(self.by_cell(), key=lambda cell: cell.verdict != "disagrees")
        return Table.of(title, CellTests, cells, *_SUMMARY)

    def _details(self) -> Iterator[ReportBlock]:
        yield replace(limits_table(self.limits), detail=True)
        if any(not row.measure.startswith("nDCG") for row in self.limits):
            yield Line(LIMITS_OF_DCG, detail=True)
        for row in self.limits:
            if row.verdict != "agrees":
                line = f"{row.scorer}, {row.measure}: {row.verdict}; {row.explanation}."
                yield Line(line, detail=row.verdict != "disagrees")
        yield from details(self._power())

    def _power(self) -> Iterator[Line]:
        """Yield what the tests can and cannot detect."""
        yield from _not_tested("standard deviations", self.stds)
        yield Line(
            "Family-wise error rate of the tests of means and standard deviations: "
            f"at most {self.alpha:g} (Bonferroni, {self.rows[0].false_alarm:.1e} for each test). Means and "
            "standard deviations are tested by Student's t and chi-square where lists are long and no rank "
            "dominates, and elsewhere by betting, which is valid for any values in [0, 1]."
        )
        for what, least in (("mean", self.detectable), ("standard deviation", self.detectable_std)):
            if least:
                errors = ", ".join(f"{measure} {100 * error:.2g}%" for measure, error in least.items())
                yield Line(
                    f"Smallest relative error of an exact {what} that is detected with 99% power: {errors}."
                )


def _counts(checks: Sequence[Check]) -> dict[TestKind, tuple[int, int]]:
    """Return for each kind of test how many gave a verdict, and how many there are."""
    every = [check.tests for check in checks]
    tests = {kind: [test for found in every for test in found[kind]] for kind in _KINDS}
    return {kind: (sum(map(_is_tested, found)), len(found)) for kind, found in tests.items()}


def _is_tested(test: Tested) -> bool:
    """Return whether a test compared two values."""
    return test.tested if isinstance(test, LimitTest) else test.verdict != "not tested"


def _tested(checks: Sequence[Check]) -> str:
    """Return a sentence that says how much was tested."""
    counts = [f"{done:,} of {every:,} {kind}" for kind, (done, every) in _counts(checks).items()]
    return f"Tested: {', '.join(counts)}."


def _nothing_disagrees(checks: Sequence[Check]) -> Line:
    """Return the answer where nothing disagrees: green only if every mean and every limit was tested."""
    counts = _counts(checks)
    left = any(counts[kind][0] < counts[kind][1] for kind in ("means", "limits"))
    answer = "Nothing that was tested disagrees" if left else "Nothing disagrees"
    return Line(f"{answer}. {_tested(checks)}", "bold yellow" if left else "bold green")


def _not_tested(what: str, tests: Sequence[StdTest]) -> Iterator[Line]:
    """Return a line for each measure of which something was not tested, with the first reason."""
    for measure in dict.fromkeys(test.measure for test in tests):
        every = [test for test in tests if test.measure == measure]
        left = [test for test in every if test.verdict == "not tested"]
        if left:
            first = f"{left[0].scorer} at n = {left[0].n:g}: {left[0].reason}"
            yield Line(f"{measure}: {len(left)} of {len(every)} {what} not tested; {first}.")


@dataclass(frozen=True, repr=False)
class GridCheck(Report):
    """The outcome of `check_grid`: the check of every point."""

    json_kind: ClassVar[str] = "grid check"

    axes: Axes
    alpha: float
    complete: bool
    points: Mapping[tuple[float, ...], Check]

    @property
    def agrees(self) -> bool:
        """Whether nothing at any point disagrees."""
        return all(found.agrees for found in self.points.values())

    def as_dict(self) -> dict[str, object]:
        """Return everything as plain data, for JSON."""
        points = [
            {"parameters": dict(zip(self.axes.parameters, values, strict=True)), **found.as_dict()}
            for values, found in self.points.items()
        ]
        return {"alpha": self.alpha, "complete": self.complete, "agrees": self.agrees, "points": points}

    def long(self) -> Iterator[ReportBlock]:
        """Return every test at every point, before the verdicts."""
        for values, found in self.points.items():
            yield Line(self.axes.name(values), "bold")
            yield from found.long()
        yield self.every_verdict()
        yield from self.blocks()

    def to_dataframe(self) -> pd.DataFrame:
        """Return the verdicts, one row for each point, scorer and measure."""
        return self.every_verdict().to_dataframe()

    def blocks(self) -> Iterator[ReportBlock]:
        """Return the verdict, a table of the points that disagree, and one with a row per measure."""
        checks = list(self.points.values())
        wrong = [self.axes.name(values) for values, found in self.points.items() if not found.agrees]
        if wrong:
            count = "1 point disagrees" if len(wrong) == 1 else f"{len(wrong)} points disagree, the first"
            yield Line(f"{count}: {wrong[0]}.", "bold red")
        elif self.complete:
            yield _nothing_disagrees(checks)
        else:
            of = len(self.axes.points)
            yield Line(f"Agrees so far: {len(checks)} of {of} points. {_tested(checks)}", "bold yellow")
        off = [(point, cell) for point, cell in self.by_cell() if "disagrees" in cell.verdicts]
        if off:
            more = f"; the first {_SHOWN} of {len(off)} rows, --full prints all" if len(off) > _SHOWN else ""
            columns = Column("scorer"), Column("measure", whole=True), Column("largest |z|", fixed(2), 1)
            rows = (
                (*point, one.scorer, one.measure, one.largest_z, _what_disagrees(one.verdicts))
                for point, one in off[:_SHOWN]
            )
            yield Table(
                f"Where theory and simulation disagree{more}",
                (*self._parameters(), *columns, Column("disagrees", whole=True)),
                tuple(rows),
            )
        yield self._by_measure()
        yield Line(
            f"{len(checks)} points. Family-wise error rate of the tests of means and standard deviations: at "
            f"most {self.alpha:g} (Bonferroni)."
        )

    def _parameters(self) -> tuple[Column, ...]:
        return tuple(Column(name, number_text, key=True) for name in self.axes.parameters)

    def by_cell(self) -> list[tuple[tuple[float, ...], CellTests]]:
        """Return the tests of each point, scorer and measure."""
        return [(point, cell) for point, found in self.points.items() for cell in found.by_cell()]

    def every_verdict(self) -> Table:
        """Return a table with a row for each point, scorer and measure."""
        columns = Column("scorer"), Column("measure", whole=True), Column("largest |z|", fixed(2), 4)
        kinds = (Column(heading, later=drop) for drop, heading in enumerate(_KINDS.values()))
        rows = tuple(
            (*point, one.scorer, one.measure, one.largest_z, *one.verdicts) for point, one in self.by_cell()
        )
        return Table("Verdicts at every point, over all n", (*self._parameters(), *columns, *kinds), rows)

    def _by_measure(self) -> Table:
        """Return how many tests of each kind disagree, by measure."""
        cells: dict[str, list[CellTests]] = {}
        for _, cell in self.by_cell():
            cells.setdefault(cell.measure, []).append(cell)
        columns = Column("measure", whole=True), Column("largest |z|", fixed(2), 1)
        rows = tuple(
            (
                measure,
                largest_z([test for cell in of_measure for test in cell.means]),
                *(_disagreeing(kind, of_measure) for kind in _KINDS),
            )
            for measure, of_measure in itertools.islice(cells.items(), _SHOWN)
        )
        more = f"; the first {_SHOWN} of {len(cells)} measures" if len(cells) > _SHOWN else ""
        return Table(
            f"Tests that disagree, of those that were possible, at all points{more}",
            (*columns, *map(Column, _KINDS.values())),
            rows,
        )


def _what_disagrees(verdicts: Sequence[TestVerdict]) -> str:
    headings = zip(_KINDS.values(), verdicts, strict=True)
    return ", ".join(heading for heading, verdict in headings if verdict == "disagrees")


def _disagreeing(kind: TestKind, cells: Sequence[CellTests]) -> str:
    possible = [test for cell in cells for test in cell.tests[kind] if _is_tested(test)]
    return f"{sum(test.verdict == 'disagrees' for test in possible)} of {len(possible)}"
