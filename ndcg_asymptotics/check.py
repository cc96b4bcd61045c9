"""Simulation against theory, with verdicts that can fail.

Two questions, asked apart. *Is the simulated mean the exact mean?* — at every scorer, measure and
n, ``z = (simulated - exact) / MCSE``, judged with a family-wise chance of a false alarm (Bonferroni
over the table). *Is the theorem's limit where the exact mean goes?* — the exact mean, followed to
n = 1e18 and extrapolated, against the limit's formula.
"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

import numpy as np
import xarray as xr
from numpy.typing import NDArray
from scipy import stats

from ndcg_asymptotics.design import Design
from ndcg_asymptotics.errors import InputError
from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.relevance import Relevance
from ndcg_asymptotics.theory.expectation import expected_ndcg
from ndcg_asymptotics.theory.fluctuations import lasting_spread
from ndcg_asymptotics.theory.limits import Limit, limit, pseudo_expectation
from ndcg_asymptotics.theory.rates import approach

Floats = NDArray[np.float64]
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


@dataclass(frozen=True)
class Report:
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
        """Whether nothing in the report disagrees."""
        means = (row.verdict for row in self.rows)
        return "disagrees" not in (*means, *(row.verdict for row in self.limits))

    def as_dict(self) -> dict[str, Any]:
        """The report as plain data, for JSON."""
        return {**asdict(self), "agrees": self.agrees}


def check(
    data: xr.Dataset,
    design: Design,
    *,
    title: str = "",
    complete: bool = True,
    alpha: float = 1e-4,
    perturb: float = 0.0,
) -> Report:
    """Hold a study's results against theory.

    Parameters
    ----------
    data : xarray.Dataset
        Results over (replicate, scorer, measure, n): ``ndcg``, and ``low`` and ``high`` where the
        engine brackets.
    design : Design
        What was simulated.
    title, complete
        Carried into the report.
    alpha : float
        The chance that anything in the table of means is reported although all is true.
    perturb : float
        Multiply every theoretical value by ``1 + perturb``, to see the check fail.

    Raises
    ------
    InputError
        For fewer than two replicates, which have no standard error, or alpha outside (0, 1).
    """
    replicates = int(data.sizes["replicate"])
    if replicates < 2:
        raise InputError(f"check needs at least 2 complete replicates, this study has {replicates}")
    if not 0 < alpha < 1:
        raise InputError(f"alpha must lie inside (0, 1), got {alpha:g}")
    factor, rows, limits = 1.0 + perturb, [], []
    level = alpha / (len(design.population.scorers) * len(design.measures) * len(design.sizes))
    detectable: dict[str, float] = {}
    for name, scorer in design.population.scorers.items():
        for measure in design.measures:
            cell = data.sel(scorer=name, measure=str(measure))
            found = limit(scorer, measure)
            judged = _judge_limit(name, scorer, measure, found, cell, factor)
            limits.append(judged)
            means = _means(cell, scorer, measure, design.sizes, factor, level)
            for n, (simulated, mcse, exact, z, verdict) in zip(design.sizes, means, strict=True):
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
    return Report(title, replicates, complete, alpha, rows, limits, detectable)


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
