"""Simulation against theory, with verdicts that can fail.

Two questions, asked apart. *Is the simulated mean the exact mean?* — at every scorer, measure and
n, ``z = (simulated - exact) / MCSE``, judged with a family-wise chance of a false alarm (Bonferroni
over the table). *Is the theorem's limit where the exact mean goes?* — the exact mean, followed to
n = 1e18 and extrapolated, against the limit's formula.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from itertools import groupby
from typing import Any, Literal

import numpy as np
import xarray as xr
from scipy import stats

from ndcg_asymptotics.arrays import Floats
from ndcg_asymptotics.errors import InputError, require
from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.scorers import Relevance
from ndcg_asymptotics.store import Results
from ndcg_asymptotics.tables import Column, Line, Part, Shown, Table, fixed, general
from ndcg_asymptotics.theory.approach import approach
from ndcg_asymptotics.theory.fluctuations.lasting import lasting_spread
from ndcg_asymptotics.theory.limits import Limit, limit
from ndcg_asymptotics.theory.mean import expected_ndcg
from ndcg_asymptotics.theory.pseudo_expectation import pseudo_expectation

Verdict = Literal["agrees", "disagrees", "not tested"]
LimitVerdict = Literal["agrees", "disagrees", "assumptions not met", "does not converge", "not tested"]

_FEW = 50  # replicates off the commonest value, below which a mean is judged by their number


@dataclass(frozen=True)
class Row:
    """Simulation and theory for one scorer, measure and list length."""

    scorer: str
    measure: str
    n: int
    simulated: float
    mcse: float
    pseudo_expectation: float | None
    limit: float | None
    theorem: str
    assumptions: list[str]
    expectation: float | None
    z: float | None
    verdict: Verdict
    false_alarm: float
    limit_verdict: LimitVerdict


@dataclass(frozen=True)
class LimitRow:
    """A theorem's limit against where the exact mean goes, for one scorer and measure."""

    scorer: str
    measure: str
    limit: float | None
    theorem: str
    assumptions: list[str]
    verdict: LimitVerdict
    explanation: str
    extrapolated: float | None = None
    tolerance: float | None = None
    expected_gap: str | None = None
    fitted_gap: str | None = None
    gaps: list[tuple[int, float]] = field(default_factory=list)


@dataclass(frozen=True, repr=False)
class Check(Shown):
    """The outcome of `check`.

    ``detectable`` is the smallest relative error of each measure's exact mean that this study
    would have reported with 99% power.
    """

    study: str
    replicates: int
    complete: bool
    alpha: float
    rows: list[Row]
    limits: list[LimitRow]
    detectable: dict[str, float]

    @property
    def agrees(self) -> bool:
        """Whether nothing in it disagrees."""
        means = (row.verdict for row in self.rows)
        return "disagrees" not in (*means, *(row.verdict for row in self.limits))

    def as_dict(self) -> dict[str, Any]:
        """Everything as plain data, for JSON."""
        return {**asdict(self), "agrees": self.agrees}

    def parts(self) -> Iterator[Part]:
        """A line per scorer and measure, every limit, and the verdict."""
        yield self._heading()
        yield self._summary()
        yield from self._ending()

    def long(self) -> Iterator[Part]:
        """The same with the means at every n."""
        yield self._heading()
        for (scorer, measure), rows in groupby(self.rows, key=lambda row: (row.scorer, row.measure)):
            yield _means_table(f"{scorer}, {measure}", list(rows))
        yield from self._ending()

    def _heading(self) -> Line:
        state = "" if self.complete else " (INCOMPLETE: more were asked for)"
        return Line(f"{self.study}: {self.replicates} replicates{state}", "bold")

    def _summary(self) -> Table:
        rows = []
        for (scorer, measure), group in groupby(self.rows, key=lambda row: (row.scorer, row.measure)):
            found = list(group)
            last = found[-1]
            worst = max((abs(row.z) for row in found if row.z is not None), default=None)
            wrong = any(row.verdict == "disagrees" for row in found)
            verdict = "disagrees" if wrong else last.verdict
            rows.append((scorer, measure, last.n, last.simulated, last.mcse, last.expectation,
                         last.pseudo_expectation, worst, verdict))  # fmt: skip
        columns = (
            Column("scorer"), Column("measure"), Column("n", general("g")), Column("simulated", fixed(5)),
            Column("MCSE", general(".1e"), 1), Column("exact mean", fixed(5)), Column("pseudo", fixed(5), 2),
            Column("largest |z|", fixed(2), 1), Column("verdict"),
        )  # fmt: skip
        return Table("At the largest n, and the largest |z| over all n", columns, tuple(rows))

    def _ending(self) -> Iterator[Part]:
        yield _limits_table(self.limits)
        for row in self.limits:
            if row.verdict != "agrees":
                yield Line(f"{row.scorer}, {row.measure}: {row.verdict}; {row.explanation}.")
        tested = sum(row.verdict != "not tested" for row in self.rows)
        yield Line(
            f"{tested} means tested against the exact mean. Chance of any false alarm among them: at most "
            f"{self.alpha:g} (Bonferroni, {self.rows[0].false_alarm:.1e} each, Student's t)."
        )
        if self.detectable:
            details = ", ".join(f"{m} {100 * error:.2g}%" for m, error in self.detectable.items())
            yield Line(f"Smallest relative error of a formula reported with 99% power: {details}.")
        judged: list[Row | LimitRow] = [*self.rows, *self.limits]
        wrong = [row for row in judged if row.verdict == "disagrees"]
        if not wrong:
            yield Line("Nothing disagrees.", "bold green")
            return
        at = f" at n = {wrong[0].n:g}" if isinstance(wrong[0], Row) else ""
        first = f"{wrong[0].scorer}, {wrong[0].measure}{at}"
        yield Line(f"{len(wrong)} verdict(s) disagree, first: {first}.", "bold red")


def _means_table(title: str, rows: list[Row]) -> Table:
    columns = (
        Column("n", general("g")), Column("simulated", fixed(5)), Column("MCSE", general(".1e")),
        Column("exact mean", fixed(5)), Column("z", fixed(2)), Column("verdict"),
        Column("pseudo", fixed(5), 1),
    )  # fmt: skip
    cells = ((r.n, r.simulated, r.mcse, r.expectation, r.z, r.verdict, r.pseudo_expectation) for r in rows)
    return Table(title, columns, tuple(cells))


def _limits_table(limits: list[LimitRow]) -> Table:
    columns = (
        Column("scorer"), Column("measure"), Column("limit", fixed(5)), Column("theorem"),
        Column("exact mean goes to", fixed(5)), Column("±", general(".0e")),
        Column("gap at 1e6", general("+.1e"), 2), Column("gap at 1e18", general("+.1e"), 2),
        Column("gap falls like", None, 1), Column("verdict"),
    )  # fmt: skip
    rows = []
    for row in limits:
        gaps = dict(row.gaps)
        rows.append((row.scorer, row.measure, row.limit, row.theorem, row.extrapolated, row.tolerance,
                     gaps.get(10**6), gaps.get(10**18), row.fitted_gap, row.verdict))  # fmt: skip
    return Table("Limits, against the exact mean extrapolated from n = 1e4 … 1e18", columns, tuple(rows))


def check(results: Results, *, alpha: float = 1e-4, perturb: float = 0.0) -> Check:
    """Hold a study's results against theory.

    Parameters
    ----------
    results : Results
    alpha : float
        The chance that anything in the table of means is reported although all is true.
    perturb : float
        Multiply every theoretical value by ``1 + perturb``, to see the check fail.

    Raises
    ------
    InputError
        For fewer than two replicates, which have no standard error, or alpha outside (0, 1).
    """
    study, data = results.study, results.data
    replicates = int(data.sizes["replicate"])
    require(replicates >= 2, f"check needs at least 2 complete replicates, this study has {replicates}")
    require(0 < alpha < 1, f"must lie inside (0, 1), got {alpha:g}", "alpha")
    require(math.isfinite(perturb), f"must be a finite number, got {perturb}", "perturb")
    factor, rows, limits = 1.0 + perturb, [], []
    level = alpha / (len(study.scorers) * len(study.measures) * len(study.n))
    detectable: dict[str, float] = {}
    for name, scorer in study.scorers.items():
        for measure in study.measures:
            cell = data.sel(scorer=name, measure=str(measure))
            found = limit(scorer, measure)
            judged = _judge_limit(name, scorer, measure, found, cell, factor)
            limits.append(judged)
            means = _means(cell, scorer, measure, study.n, factor, level)
            for n, (simulated, mcse, exact, z, verdict) in zip(study.n, means, strict=True):
                pseudo = pseudo_expectation(scorer, measure, n)
                rows.append(
                    Row(
                        name, str(measure), n, simulated, mcse,
                        None if pseudo is None else pseudo * factor,
                        judged.limit, found.theorem, judged.assumptions,
                        exact, z, verdict, level, judged.verdict,
                    )
                )  # fmt: skip
                if exact and mcse > 0:
                    smallest = (_quantile(level, replicates) + stats.norm.ppf(0.99)) * mcse / abs(exact)
                    detectable[str(measure)] = min(detectable.get(str(measure), math.inf), float(smallest))
    return Check(study.title, replicates, results.complete, alpha, rows, limits, detectable)


def _quantile(level: float, replicates: int) -> float:
    return float(stats.t.isf(level / 2, replicates - 1))


_Mean = tuple[float, float, float | None, float | None, Verdict]


def _means(
    cell: xr.Dataset, scorer: Relevance, measure: Measure, sizes: tuple[int, ...], factor: float, level: float
) -> list[_Mean]:
    """(simulated, MCSE, exact mean, z, verdict) at each n."""
    values = cell["ndcg"].transpose("replicate", "n").to_numpy()
    replicates = len(values)
    simulated = values.mean(axis=0)
    mcse = values.std(axis=0, ddof=1) / math.sqrt(replicates)
    try:
        expectation = expected_ndcg(scorer, measure, sizes)
    except InputError:  # a discount of the user's own that is no sum of exponentials
        return [(float(m), float(s), None, None, "not tested") for m, s in zip(simulated, mcse, strict=True)]
    # the simulated mean is known up to its bracket, the exact one up to its stated error
    low, high = (cell[v].mean("replicate").to_numpy() if v in cell else simulated for v in ("low", "high"))
    exact = expectation.value * factor
    slack = expectation.error + 1e-12
    shift = np.minimum(high + slack - exact, 0.0) + np.maximum(low - slack - exact, 0.0)
    rows: list[_Mean] = []
    for i in range(len(sizes)):
        p, z = _test(values[:, i], float(shift[i]), float(mcse[i]))
        verdict: Verdict = "disagrees" if p < level else "agrees"
        rows.append((float(simulated[i]), float(mcse[i]), float(exact[i]), z, verdict))
    return rows


def _test(values: Floats, shift: float, mcse: float) -> tuple[float, float]:
    """p-value and z of a deviation of the mean.

    Student's t, except where nearly all replicates share one value v, as at n = 1 or where a list
    rarely holds a relevant item, and the standard error is itself unknown. There the exact mean mu
    and values within [0, 1] imply P(value != v) >= |mu - v|, so the number of replicates off v is
    at least binomial, which bounds the p-value rigorously.
    """
    replicates = len(values)
    z = shift / mcse if mcse > 0 else (0.0 if shift == 0 else math.copysign(math.inf, shift))
    p = float(2 * stats.t.sf(abs(z), replicates - 1))
    distinct, counts = np.unique(values, return_counts=True)
    common = int(np.argmax(counts))
    off = replicates - int(counts[common])
    if off < min(_FEW, replicates / 2):
        mean = float(values.mean()) - shift
        least = min(abs(mean - float(distinct[common])), 1.0)
        p = max(p, float(stats.binom.cdf(off, replicates, least)))
    return p, z


def _judge_limit(
    name: str, scorer: Relevance, measure: Measure, found: Limit, cell: xr.Dataset, factor: float
) -> LimitRow:
    texts = [str(a) for a in found.assumptions]

    def row(verdict: LimitVerdict, explanation: str, **details: Any) -> LimitRow:
        value = None if found.value is None else found.value * factor
        return LimitRow(name, str(measure), value, found.theorem, texts, verdict, explanation, **details)

    if found.converges is None:
        return row("not tested", found.reason)
    if found.value is None:
        return row(*_judge_spread(scorer, measure, found, cell, factor))
    if found.unmet:
        return row("assumptions not met", "; ".join(str(a) for a in found.unmet))
    try:
        path = approach(scorer, measure)
    except InputError as error:
        return row("not tested", str(error))
    claimed = found.value * factor
    off = abs(path.extrapolated - claimed)
    agrees = off <= path.error
    sign = "within" if agrees else "beyond"
    return row(
        "agrees" if agrees else "disagrees",
        f"the exact mean goes to {path.extrapolated:.6f}, {sign} ±{path.error:.1e} of the limit",
        extrapolated=path.extrapolated,
        tolerance=path.error,
        expected_gap=path.scale,
        fitted_gap=path.fitted(claimed),
        gaps=[(n, float(e) - claimed) for n, e in zip(path.sizes, path.expectation, strict=True)],
    )


def _judge_spread(
    scorer: Relevance, measure: Measure, found: Limit, cell: xr.Dataset, factor: float
) -> tuple[LimitVerdict, str]:
    """Whether the spread at the largest n is the one that stays (within five standard errors)."""
    values = cell["ndcg"].isel(n=-1).to_numpy()
    seen, stays = float(values.std(ddof=1)), lasting_spread(scorer, measure) * factor
    centred = values - values.mean()
    # the standard error of a standard deviation, from the fourth moment
    error = (
        math.sqrt(max(float(np.mean(centred**4)) - seen**4, 0.0) / len(values)) / (2 * seen) if seen else 0.0
    )
    text = f"{found.reason}; sd at n = {int(cell['n'][-1]):g}: {seen:.4f}, in the limit {stays:.4f}"
    return ("does not converge" if abs(seen - stays) <= 5 * error + 0.05 * stays else "disagrees"), text
