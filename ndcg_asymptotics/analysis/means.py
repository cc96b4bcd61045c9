"""Is the simulated mean the exact mean? z and a verdict at every n."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
import xarray as xr
from scipy import stats

from ndcg_asymptotics.analysis.limits import LimitVerdict
from ndcg_asymptotics.arrays import Floats
from ndcg_asymptotics.errors import InputError
from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.scorers import Relevance
from ndcg_asymptotics.tables import Column, Table, fixed, general
from ndcg_asymptotics.theory.mean import expected_ndcg

Verdict = Literal["agrees", "disagrees", "not tested"]

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


def means_table(title: str, rows: list[Row]) -> Table:
    columns = (
        Column("n", general("g")), Column("simulated", fixed(5)), Column("MCSE", general(".1e")),
        Column("exact mean", fixed(5)), Column("z", fixed(2)), Column("verdict"),
        Column("pseudo", fixed(5), 1),
    )  # fmt: skip
    cells = ((r.n, r.simulated, r.mcse, r.expectation, r.z, r.verdict, r.pseudo_expectation) for r in rows)
    return Table(title, columns, tuple(cells))


def quantile_of(level: float, replicates: int) -> float:
    return float(stats.t.isf(level / 2, replicates - 1))


_Mean = tuple[float, float, float | None, float | None, Verdict]


def judge_means(
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
