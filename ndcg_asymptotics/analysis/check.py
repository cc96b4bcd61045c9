"""Comparison of simulation with theory, for a study or a grid of studies.

Three questions are asked of the simulation, with one family-wise error rate for all tests (Bonferroni):

- Is the simulated mean the exact mean? For every scorer, measure and n (`mean_tests`).
- Is the simulated standard deviation the exact one? At three list lengths, or at every n (`std_tests`).
- Is the simulated law that of theory? At the last n (`law_tests`).

One question is asked of the theorems, without any simulation: is the limit that they state the one to which
exact means up to n = 1e18 tend (`limit_tests`)? All theoretical values come from `theory.values`.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Literal

from ndcg_asymptotics.analysis.law_tests import LawTest, judge_law
from ndcg_asymptotics.analysis.limit_tests import LimitTest, judge_limit, limits_table
from ndcg_asymptotics.analysis.mean_tests import MeanTest, Outcome, Simulated, judge_means
from ndcg_asymptotics.analysis.std_tests import StdSizes, StdTest, judge_std, std_sizes
from ndcg_asymptotics.core.arrays import require_fraction
from ndcg_asymptotics.core.errors import require
from ndcg_asymptotics.core.progress import tracked
from ndcg_asymptotics.core.tables import Column, Line, Report, ReportBlock, Table, decimals, fixed, general
from ndcg_asymptotics.results import Results
from ndcg_asymptotics.results.grid import GridResults
from ndcg_asymptotics.specs.scanner import number_text
from ndcg_asymptotics.studies.grid import Axes
from ndcg_asymptotics.theory.limits import LIMITS_OF_DCG
from ndcg_asymptotics.theory.values import TheoreticalValues

if TYPE_CHECKING:
    import pandas as pd

Kind = Literal["means", "standard deviations", "laws", "limits"]

_KINDS: tuple[Kind, ...] = ("means", "standard deviations", "laws", "limits")
_SHOWN = 20  # rows of measures, and of points that disagree

_Test = MeanTest | StdTest | LawTest | LimitTest


@dataclass(frozen=True, repr=False)
class Check(Report):
    """The outcome of `check`.

    ``detectable`` is the smallest relative error of each measure's exact mean that this study
    would have detected with 99% power, ``detectable_std`` the same for its standard deviation.
    """

    study: str
    replicates: int
    complete: bool
    alpha: float
    rows: list[MeanTest]
    limits: list[LimitTest]
    stds: list[StdTest]
    laws: list[LawTest]
    detectable: dict[str, float]
    detectable_std: dict[str, float]

    @property
    def tests(self) -> dict[Kind, Sequence[_Test]]:
        """All tests, by what they test."""
        return {
            "means": self.rows,
            "standard deviations": self.stds,
            "laws": self.laws,
            "limits": self.limits,
        }

    @property
    def agrees(self) -> bool:
        """Whether nothing in it disagrees."""
        return not self._wrong

    @property
    def _wrong(self) -> list[_Test]:
        return [test for tests in self.tests.values() for test in tests if test.verdict == "disagrees"]

    def as_dict(self) -> dict[str, Any]:
        """Return everything as plain data, for JSON."""
        return {**asdict(self), "agrees": self.agrees}

    def blocks(self) -> Iterator[ReportBlock]:
        """Return a table with a row per scorer and measure, the limits, and the verdict."""
        yield self._heading()
        yield self._summary()
        yield from self._conclusion()

    def long(self) -> Iterator[ReportBlock]:
        """Return the same with the mean at every n, and every standard deviation and law."""
        yield self._heading()
        for (scorer, measure), found in self.by_scorer_and_measure().items():
            yield Table.of(f"{scorer}, {measure}", MeanTest, found["means"])
        yield Table.of("Standard deviations, simulated and exact", StdTest, self.stds)
        yield Table.of("Laws, simulated and of theory (Kolmogorov-Smirnov)", LawTest, self.laws)
        yield from self._conclusion()

    def by_scorer_and_measure(self) -> dict[tuple[str, str], dict[Kind, list[Any]]]:
        """Return the tests of each scorer and measure."""
        found: dict[tuple[str, str], dict[Kind, list[Any]]] = {
            (limit.scorer, limit.measure): {kind: [] for kind in self.tests} for limit in self.limits
        }
        for kind, tests in self.tests.items():
            for test in tests:
                found[test.scorer, test.measure][kind].append(test)
        return found

    def _heading(self) -> Line:
        state = "" if self.complete else " (INCOMPLETE: more were requested)"
        return Line(f"{self.study or 'A study'}: {self.replicates} replicates{state}", "bold")

    def _summary(self) -> Table:
        columns = (
            Column("scorer"), Column("measure", whole=True), Column("n", general("g"), 1),
            Column("simulated", decimals(5)),
            Column("standard error", general(".1e"), 1), Column("exact mean", decimals(5)),
            Column("pseudo-expectation", fixed(5), 2), Column("largest |z|", fixed(2), 1),
            Column("mean"), Column("std"), Column("law"),
        )  # fmt: skip
        rows = []
        for (scorer, measure), found in self.by_scorer_and_measure().items():
            last = found["means"][-1]
            rows.append((
                scorer, measure, last.n, last.simulated, last.mcse, last.expectation, last.pseudo_expectation,
                largest_z(found["means"]), overall(found["means"]),
                if_tested(overall(found["standard deviations"])), if_tested(overall(found["laws"])),
            ))  # fmt: skip
        return Table(
            "At the largest n; |z| and verdicts are over every n that was tested", columns, tuple(rows)
        )

    def _conclusion(self) -> Iterator[ReportBlock]:
        yield limits_table(self.limits)
        if any(not row.measure.startswith("nDCG") for row in self.limits):
            yield Line(LIMITS_OF_DCG)
        for row in self.limits:
            if row.verdict != "agrees":
                yield Line(f"{row.scorer}, {row.measure}: {row.verdict}; {row.explanation}.")
        yield from _not_tested("standard deviations", self.stds)
        yield from _not_tested("laws", self.laws)
        yield Line(
            f"{_tested([self])} Family-wise error rate of the tests of means, standard deviations and laws: "
            f"at most {self.alpha:g} (Bonferroni, {self.rows[0].false_alarm:.1e} for each test). Means and "
            "standard deviations are tested by Student's t and chi-square where lists are long and no rank "
            "dominates, and elsewhere by betting, which is valid for any values in [0, 1]; laws by "
            "Kolmogorov-Smirnov."
        )
        for what, least in (("mean", self.detectable), ("standard deviation", self.detectable_std)):
            if least:
                errors = ", ".join(f"{measure} {100 * error:.2g}%" for measure, error in least.items())
                yield Line(
                    f"Smallest relative error of an exact {what} that is detected with 99% power: {errors}."
                )
        if wrong := self._wrong:
            first = wrong[0]
            at = "" if isinstance(first, LimitTest) else f" at n = {first.n:g}"
            count = "1 verdict disagrees" if len(wrong) == 1 else f"{len(wrong)} verdicts disagree, the first"
            yield Line(f"{count}: {first.scorer}, {first.measure}{at}.", "bold red")
        else:
            yield _nothing_disagrees([self])


def largest_z(means: Iterable[MeanTest]) -> float | None:
    """Return the largest absolute z; None if no mean was tested."""
    return max((abs(test.z) for test in means if test.z is not None), default=None)


def overall(tests: Iterable[_Test]) -> Outcome:
    """Return the worst verdict of several tests, "not tested" if none of them was possible."""
    found = {test.verdict for test in tests}
    verdicts: tuple[Outcome, ...] = ("disagrees", "agrees")
    return next((verdict for verdict in verdicts if verdict in found), "not tested")


def if_tested(verdict: Outcome) -> Outcome | None:
    """Return the verdict for a narrow table, in which a cell stays empty where nothing was tested."""
    return None if verdict == "not tested" else verdict


def _counts(checks: Sequence[Check]) -> dict[Kind, tuple[int, int]]:
    """Return for each kind of test how many gave a verdict, and how many there are."""
    every = [check.tests for check in checks]
    tests = {kind: [test for found in every for test in found[kind]] for kind in _KINDS}
    return {kind: (sum(map(_is_tested, found)), len(found)) for kind, found in tests.items()}


def _is_tested(test: _Test) -> bool:
    return test.tested if isinstance(test, LimitTest) else test.verdict != "not tested"


def _tested(checks: Sequence[Check]) -> str:
    """Return a sentence that says how much was tested."""
    counts = ", ".join(f"{done} of {every} {kind}" for kind, (done, every) in _counts(checks).items())
    return f"Tested: {counts}."


def _nothing_disagrees(checks: Sequence[Check]) -> Line:
    """Return the last line where nothing disagrees: green only if every mean and every limit was tested."""
    counts = _counts(checks)
    left = [f"{counts[kind][1] - counts[kind][0]} of {counts[kind][1]} {kind}"
            for kind in ("means", "limits") if counts[kind][0] < counts[kind][1]]  # fmt: skip
    if not left:
        return Line("Nothing disagrees.", "bold green")
    return Line(f"Nothing that was tested disagrees. Not tested: {', '.join(left)}.", "bold yellow")


def _not_tested(what: str, tests: Sequence[StdTest | LawTest]) -> Iterator[Line]:
    """Return a line for each measure of which something was not tested, with the first reason."""
    for measure in dict.fromkeys(test.measure for test in tests):
        every = [test for test in tests if test.measure == measure]
        left = [test for test in every if test.verdict == "not tested"]
        if left:
            first = f"{left[0].scorer} at n = {left[0].n:g}: {left[0].reason}"
            yield Line(f"{measure}: {len(left)} of {len(every)} {what} not tested; {first}.")


def check(results: Results, *, alpha: float = 1e-4, perturb: float = 0.0, std: StdSizes = "few") -> Check:
    """Compare a study's results with theory.

    Parameters
    ----------
    results : Results
    alpha : float
        Family-wise error rate: the probability that any mean, standard deviation or law disagrees although
        theory is right.
    perturb : float
        Multiply every theoretical value by ``1 + perturb``, to see the check fail.
    std : {"few", "every"}
        Test standard deviations at the first, the middle and the last list length, or at every one.

    Raises
    ------
    InputError
        For fewer than two replicates, which have no standard error, or alpha outside (0, 1).

    >>> import ndcg_asymptotics as na
    >>> study = na.Study(
    ...     scorers={"good": "linear(0.1, 0.7)", "random": "random"},
    ...     measures="nDCG", n=[10, 100], replicates=50, pairs=[("good", "random")],
    ... )
    >>> found = check(na.run(study, jobs=1))
    >>> found.agrees, [row.verdict for row in found.limits]
    (True, ['agrees', 'agrees'])
    """
    study, values, replicates = results.study, results.values, results.replicates_complete
    require(replicates >= 2, f"check needs at least 2 complete replicates, this study has {replicates}")
    require("ndcg" in values, f"the {study.engine} engine draws orders of pairs, not NDCG: use distinguish")
    require_fraction(alpha, "alpha")
    require(math.isfinite(perturb), f"must be a finite number, got {perturb}", "perturb")
    factor, sizes = 1.0 + perturb, std_sizes(study.n, std)
    level = alpha / (len(study.scorers) * len(study.measures) * (len(study.n) + len(sizes) + 1))
    detectable: dict[str, float] = {}
    detectable_std: dict[str, float] = {}
    means: list[MeanTest] = []
    limits: list[LimitTest] = []
    stds: list[StdTest] = []
    laws: list[LawTest] = []
    every = itertools.product(enumerate(study.scorers.items()), enumerate(study.measures))
    for (i, (name, scorer)), (j, measure) in tracked(list(every), "checks"):
        theory = TheoreticalValues(scorer, measure, beside=study.measures)
        simulated = Simulated.of(values, study.n, i, j)
        limits.append(judge_limit(theory, name, factor))
        below = detectable.get(str(measure), math.inf)
        tests, least = judge_means(simulated, theory, limits[-1], factor, level, below)
        means += tests
        if least < math.inf:
            detectable[str(measure)] = least
        stds += [judge_std(simulated, n, theory, name, factor, level) for n in sizes]
        laws.append(judge_law(simulated, theory, name, factor, level))
        errors = [test.detectable for test in stds if test.measure == str(measure) and test.detectable]
        if errors:
            detectable_std[str(measure)] = min(errors)
    return Check(
        study.title, replicates, results.complete, alpha, means, limits, stds, laws, detectable,
        detectable_std,
    )  # fmt: skip


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
        """Return a table with a row per measure, one with the points that disagree, and the verdict."""
        yield self._by_measure()
        off = [row for row in self._verdicts() if "disagrees" in row[-4:]]
        if off:
            columns = (
                *self._parameters(), Column("scorer"), Column("measure", whole=True),
                Column("largest |z|", fixed(2), 1), Column("disagrees", whole=True),
            )  # fmt: skip
            rows = tuple((*row[:-4], _what_disagrees(row[-4:])) for row in off[:_SHOWN])
            more = f"; the first {_SHOWN} of {len(off)} rows, --full prints all" if len(off) > _SHOWN else ""
            yield Table(f"Where theory and simulation disagree{more}", columns, rows)
        checks = list(self.points.values())
        state = "" if self.complete else " INCOMPLETE: more were requested."
        yield Line(
            f"{len(checks)} points. {_tested(checks)} Family-wise error rate of the tests of means, standard "
            f"deviations and laws: at most {self.alpha:g} (Bonferroni).{state}"
        )
        wrong = [self.axes.name(values) for values, found in self.points.items() if not found.agrees]
        if wrong:
            count = "1 point disagrees" if len(wrong) == 1 else f"{len(wrong)} points disagree, the first"
            yield Line(f"{count}: {wrong[0]}.", "bold red")
        else:
            yield _nothing_disagrees(checks)

    def _parameters(self) -> tuple[Column, ...]:
        return tuple(Column(name, number_text, keep=True) for name in self.axes.parameters)

    def _verdicts(self) -> list[tuple[Any, ...]]:
        """Return point, scorer, measure, largest |z|, and the verdicts on means, std, law and limit."""
        rows: list[tuple[Any, ...]] = []
        for values, found in self.points.items():
            for key, tests in found.by_scorer_and_measure().items():
                verdicts = tuple(overall(tests[kind]) for kind in _KINDS)
                rows.append((*values, *key, largest_z(tests["means"]), *verdicts))
        return rows

    def every_verdict(self) -> Table:
        """Return a table with a row for each point, scorer and measure."""
        columns = (
            *self._parameters(), Column("scorer"), Column("measure", whole=True),
            Column("largest |z|", fixed(2), 4), Column("means"), Column("std", drop=1), Column("law", drop=3),
            Column("limit", drop=2),
        )  # fmt: skip
        return Table("Verdicts at every point, over all n", columns, tuple(self._verdicts()))

    def _by_measure(self) -> Table:
        """Return how many tests of each kind disagree, by measure."""
        tests: dict[str, dict[Kind, list[Any]]] = {}
        for found in self.points.values():
            for (_, measure), of_kind in found.by_scorer_and_measure().items():
                for kind, some in of_kind.items():
                    tests.setdefault(measure, {}).setdefault(kind, []).extend(some)
        columns = (
            Column("measure", whole=True), Column("largest |z|", fixed(2), 1),
            *(Column(name) for name in ("means", "std", "law", "limit")),
        )  # fmt: skip
        rows = tuple(
            (measure, largest_z(found["means"]), *(_disagreeing(found[kind]) for kind in _KINDS))
            for measure, found in itertools.islice(tests.items(), _SHOWN)
        )
        more = f"; the first {_SHOWN} of {len(tests)} measures" if len(tests) > _SHOWN else ""
        return Table(f"Tests that disagree, of those that were possible, at all points{more}", columns, rows)


def _what_disagrees(verdicts: Sequence[Outcome]) -> str:
    names = zip(("means", "std", "law", "limit"), verdicts, strict=True)
    return ", ".join(name for name, verdict in names if verdict == "disagrees")


def _disagreeing(tests: Sequence[_Test]) -> str:
    done = [test for test in tests if _is_tested(test)]
    return f"{sum(test.verdict == 'disagrees' for test in done)} of {len(done)}"


def check_grid(
    results: GridResults, *, alpha: float = 1e-4, perturb: float = 0.0, std: StdSizes = "few"
) -> GridCheck:
    """Compare the results of a grid with theory; ``alpha`` is the family-wise error rate of all points.

    Every point has an equal share of ``alpha`` (Bonferroni), which needs no independence: points share
    their random numbers.

    Raises
    ------
    InputError
        As `check`, and if no point is complete.

    >>> import ndcg_asymptotics as na
    >>> from ndcg_asymptotics.studies.grid import grid_of
    >>> fields = {"scorers": {"a": "constant($p)"}, "measures": ["nDCG"], "n": [10, 20], "replicates": 50}
    >>> results = na.sweep.run_grid(grid_of({"p": [0.1, 0.3]}, fields), jobs=1)
    >>> check_grid(results).agrees, check_grid(results, perturb=0.5).agrees
    (True, False)
    """
    require(len(results.points) > 0, "the grid has no complete point yet")
    require_fraction(alpha, "alpha")
    share = alpha / len(results.axes.points)
    found = {
        values: check(point, alpha=share, perturb=perturb, std=std)
        for values, point in results.points.items()
    }
    return GridCheck(results.axes, alpha, results.complete, found)
