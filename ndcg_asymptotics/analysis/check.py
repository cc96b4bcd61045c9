"""Simulation against theory, with verdicts that can fail.

Questions asked apart. *Is the simulated mean the exact mean?* — at every scorer, measure and n, by Student's
t or by bets that hold for any law on [0, 1]. *Is the standard deviation the exact one?* — at some n or every
n, by chi-square or by bets. *Is the law that of long lists?* — at the last n. All of these share one
family-wise chance of a false alarm (Bonferroni). *Is the theorem's limit the one the exact means tend to?* —
the limit's formula against exact means up to n = 1e18, extrapolated.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import groupby
from typing import Any

from ndcg_asymptotics.analysis.law_tests import LawTest, judge_law, laws_table
from ndcg_asymptotics.analysis.limit_tests import LimitTest, judge_limit, limits_table
from ndcg_asymptotics.analysis.mean_tests import MeanTest, Outcome, judge_means
from ndcg_asymptotics.analysis.std_tests import StdSizes, StdTest, judge_std, std_sizes, std_table
from ndcg_asymptotics.core.arrays import require_fraction
from ndcg_asymptotics.core.errors import require
from ndcg_asymptotics.core.progress import tracked
from ndcg_asymptotics.core.tables import Column, Line, Report, ReportBlock, Table, fixed, general
from ndcg_asymptotics.results import Results
from ndcg_asymptotics.theory.cache import user_cache
from ndcg_asymptotics.theory.limits import limit

Judged = MeanTest | StdTest | LawTest | LimitTest


@dataclass(frozen=True, repr=False)
class Check(Report):
    """The outcome of `check`.

    ``detectable`` is the smallest relative error of each measure's exact mean that this study
    would have reported with 99% power, ``detectable_std`` the same of its standard deviation.
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
    def agrees(self) -> bool:
        """Whether nothing in it disagrees."""
        return not self._wrong

    @property
    def _wrong(self) -> list[Judged]:
        judged: tuple[Judged, ...] = (*self.rows, *self.stds, *self.laws, *self.limits)
        return [row for row in judged if row.verdict == "disagrees"]

    def as_dict(self) -> dict[str, Any]:
        """Everything as plain data, for JSON."""
        return {**asdict(self), "agrees": self.agrees}

    def blocks(self) -> Iterator[ReportBlock]:
        """A line per scorer and measure, every limit, and the verdict."""
        yield self._heading()
        yield self._summary()
        yield from self._ending()

    def long(self) -> Iterator[ReportBlock]:
        """The same with the means at every n, and every standard deviation and law."""
        yield self._heading()
        for (scorer, measure), rows in groupby(self.rows, key=lambda row: (row.scorer, row.measure)):
            yield Table.of(f"{scorer}, {measure}", MeanTest, list(rows))
        yield std_table(self.stds)
        yield laws_table(self.laws)
        yield from self._ending()

    def _heading(self) -> Line:
        state = "" if self.complete else " (INCOMPLETE: more were asked for)"
        return Line(f"{self.study or 'A study'}: {self.replicates} replicates{state}", "bold")

    def _summary(self) -> Table:
        rows = []
        for (scorer, measure), group in groupby(self.rows, key=lambda row: (row.scorer, row.measure)):
            found = list(group)
            last = found[-1]
            worst = max((abs(row.z) for row in found if row.z is not None), default=None)
            rows.append((scorer, measure, last.n, last.simulated, last.mcse, last.expectation,
                         last.pseudo_expectation, worst, overall(found),
                         *map(if_tested, self.verdicts_beside(scorer, measure))))  # fmt: skip
        columns = (
            Column("scorer"), Column("measure"), Column("n", general("g"), 1), Column("simulated", fixed(5)),
            Column("MCSE", general(".1e"), 1), Column("exact mean", fixed(5)), Column("pseudo", fixed(5), 2),
            Column("largest |z|", fixed(2), 1), Column("mean"), Column("sd"), Column("law"),
        )  # fmt: skip
        return Table("At the largest n; |z| and verdicts over all n that were tested", columns, tuple(rows))

    def verdicts_beside(self, scorer: str, measure: str) -> tuple[Outcome, Outcome]:
        """What is found of the standard deviation and of the law of one scorer under one measure."""
        stds, laws = (
            [row for row in rows if (row.scorer, row.measure) == (scorer, measure)]
            for rows in (self.stds, self.laws)
        )
        return overall(stds), overall(laws)

    def _ending(self) -> Iterator[ReportBlock]:
        yield limits_table(self.limits)
        for row in self.limits:
            if row.verdict != "agrees":
                yield Line(f"{row.scorer}, {row.measure}: {row.verdict}; {row.explanation}.")
        for what, beside in (("sd", self.stds), ("law", self.laws)):
            yield from _untested(what, beside)
        yield Line(
            f"{coverage_text(coverage_of([self]))} Chance of any false alarm among means, standard "
            f"deviations and laws: at most {self.alpha:g} (Bonferroni, {self.rows[0].false_alarm:.1e} each: "
            "Student's t and chi-square where lists are long and no rank counts for much, elsewhere bets, "
            "which hold for any values in [0, 1]; Kolmogorov-Smirnov for laws)."
        )
        for what, least in (("mean", self.detectable), ("sd", self.detectable_std)):
            if least:
                details = ", ".join(f"{m} {100 * error:.2g}%" for m, error in least.items())
                yield Line(f"Smallest relative error of an exact {what} reported with 99% power: {details}.")
        wrong = self._wrong
        if not wrong:
            yield nothing_wrong(coverage_of([self]))
            return
        at = "" if isinstance(wrong[0], LimitTest) else f" at n = {wrong[0].n:g}"
        first = f"{wrong[0].scorer}, {wrong[0].measure}{at}"
        yield Line(f"{len(wrong)} verdict(s) disagree, first: {first}.", "bold red")


@dataclass(frozen=True)
class Coverage:
    """How many statements of one kind were compared with theory, and how many there are."""

    what: str
    done: int
    every: int


def coverage_of(found: Iterable[Check]) -> list[Coverage]:
    """Count what one or several checks tested, by kind."""
    checks, counts = list(found), []
    for what, name in _KINDS.items():
        rows = [row for one in checks for row in getattr(one, name)]
        counts.append(Coverage(what, sum(map(_is_tested, rows)), len(rows)))
    return counts


def coverage_text(tested: Sequence[Coverage]) -> str:
    """Return the sentence that says what was tested."""
    return f"Tested: {', '.join(f'{one.done} of {one.every} {one.what}' for one in tested)}."


def nothing_wrong(tested: Sequence[Coverage]) -> Line:
    """Return the last line where nothing disagrees: green only if every mean and every limit was tested."""
    left = [one for one in tested if one.what in ("means", "limits") and one.done < one.every]
    if not left:
        return Line("Nothing disagrees.", "bold green")
    text = ", ".join(f"{one.every - one.done} of {one.every} {one.what}" for one in left)
    return Line(f"Nothing that was tested disagrees. Not tested: {text}.", "bold yellow")


_KINDS = {"means": "rows", "standard deviations": "stds", "laws": "laws", "limits": "limits"}


def _is_tested(row: Judged) -> bool:
    return row.tested if isinstance(row, LimitTest) else row.verdict != "not tested"


def overall(rows: Sequence[Judged]) -> Outcome:
    """What several verdicts come to: the worst that was found, if anything was tested."""
    found = {row.verdict for row in rows}
    verdicts: tuple[Outcome, ...] = ("disagrees", "agrees")
    return next((verdict for verdict in verdicts if verdict in found), "not tested")


def if_tested(verdict: Outcome) -> Outcome | None:
    """A verdict for a narrow table, which has nothing where nothing was tested."""
    return None if verdict == "not tested" else verdict


def _untested(what: str, rows: Sequence[StdTest | LawTest]) -> Iterator[Line]:
    """A line for each measure of which something was not tested, with the first reason."""
    for measure in dict.fromkeys(row.measure for row in rows):
        asked = [row for row in rows if row.measure == measure]
        left = [row for row in asked if row.verdict == "not tested"]
        if left:
            first = f"of {left[0].scorer} at n = {left[0].n:g}: {left[0].reason}"
            yield Line(f"{measure}: {what} not tested in {len(left)} of {len(asked)}; {first}.")


def check(results: Results, *, alpha: float = 1e-4, perturb: float = 0.0, std: StdSizes = "few") -> Check:
    """Hold a study's results against theory.

    Parameters
    ----------
    results : Results
    alpha : float
        The chance that any mean, standard deviation or law is reported although all is true.
    perturb : float
        Multiply every theoretical value by ``1 + perturb``, to see the check fail.
    std : {"few", "every"}
        At which list lengths standard deviations are tested: the first, the middle and the last, or every.

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
    factor, rows, limits = 1.0 + perturb, [], []
    sizes = std_sizes(study.n, std)
    level = alpha / (len(study.scorers) * len(study.measures) * (len(study.n) + len(sizes) + 1))
    detectable: dict[str, float] = {}
    detectable_std: dict[str, float] = {}
    stds, laws = [], []
    every = itertools.product(enumerate(study.scorers.items()), enumerate(study.measures))
    for (i, (name, scorer)), (j, measure) in tracked(list(every), "checks"):
        cell = {part: values[part][:, i, j] for part in ("ndcg", "low", "high") if part in values}
        found = limit(scorer, measure)
        judged = judge_limit(name, scorer, measure, found, user_cache(), factor)
        limits.append(judged)
        least = detectable.get(str(measure), math.inf)
        means = judge_means(cell, user_cache(), scorer, measure, study.n, factor, level, least)
        pseudos = user_cache().pseudo(scorer, measure, study.n)
        for n, mean, pseudo in zip(study.n, means, pseudos, strict=True):
            rows.append(
                MeanTest(
                    name, str(measure), n, mean.simulated, mean.mcse,
                    None if pseudo is None else pseudo * factor,
                    judged.limit, found.theorem, judged.assumptions,
                    mean.exact, mean.z, mean.verdict, level, judged.verdict,
                )
            )  # fmt: skip
            if mean.detectable < math.inf:
                detectable[str(measure)] = min(detectable.get(str(measure), math.inf), mean.detectable)
        about = (user_cache(), (name, scorer), measure, factor, level)
        at = {n: {"n": n} | {part: x[:, study.n.index(n)] for part, x in cell.items()} for n in sizes}
        stds += [judge_std(at[n], *about) for n in sizes]
        laws.append(judge_law(at[sizes[-1]], *about))
        seen = [row.detectable for row in stds if row.measure == str(measure) and row.detectable]
        if seen:
            detectable_std[str(measure)] = min(seen)
    return Check(
        study.title, replicates, results.complete, alpha, rows, limits, stds, laws, detectable,
        detectable_std,
    )  # fmt: skip
