"""How fast simulated means approach their limits: the gap, its leading term, and a fitted exponent.

The gap d(n) = E[NDCG_n] - limit of many measures falls like n^-e, or like (log n)^-e. The exponent e is the
slope of log |d| against log n, or log log n, by least squares. Its standard error is that of a mean over
replicates (delta method), so it holds although the list lengths share their replicates.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Annotated, Literal

import numpy as np

from ndcg_asymptotics.checks.mean_tests import Simulated
from ndcg_asymptotics.core.arrays import Floats, standard_error
from ndcg_asymptotics.core.rows import Column, Estimate, computed_value, general
from ndcg_asymptotics.core.tables import Table
from ndcg_asymptotics.specs.scanner import number_text
from ndcg_asymptotics.theory.limits import limit
from ndcg_asymptotics.theory.limits.leading_terms import leading_gap

_CLEAR = 5.0  # standard errors from which on a gap is fitted; its logarithm is nearly normal then

GAPS = (
    "A gap is the mean minus its limit; the predicted gap is its leading term. The exponent e of a gap like "
    "n^-e, or (log n)^-e, is fitted to the upper half of the list lengths whose gap is 5 standard errors or "
    "more from 0."
)
"""The line below a table of gaps."""


@dataclass(frozen=True)
class Convergence:
    """How fast the mean of one scorer and measure approaches its limit.

    Attributes
    ----------
    n : int
        The largest list length.
    gap, gap_error : float
        The simulated mean at n minus the limit, and its standard error.
    predicted_gap : float or None
        The leading term of the gap at n, where it is known and not 0.
    variable : {"n", "log n"}
        Of which the gap is a power.
    exponent, exponent_error : float or None
        The fitted exponent and its standard error; None where fewer than two gaps are clear of 0.
    fitted_from, fitted_to : int or None
        The list lengths of the fit: the upper half of those whose gap is 5 standard errors or more.
    predicted_exponent : float or None
        The exponent of the leading term.
    """

    scorer: Annotated[str, Column("scorer")]
    measure: Annotated[str, Column("measure")]
    n: int
    gap: float
    gap_error: float
    predicted_gap: Annotated[float | None, Column("predicted gap", general("+.2g"))]
    variable: Literal["n", "log n"]
    exponent: float | None
    exponent_error: float | None
    fitted_from: int | None
    fitted_to: int | None
    predicted_exponent: float | None

    @computed_value(Column("gap", lambda gap: gap.text(3), before="predicted_gap"))
    def estimate(self) -> Estimate:
        """The gap with its standard error."""
        return Estimate(self.gap, self.gap_error)

    @computed_value(Column("fitted exponent", lambda exponent: exponent.text(3)))
    def fitted(self) -> Estimate | None:
        """The fitted exponent with its standard error."""
        return Estimate.of(self.exponent, self.exponent_error)

    @computed_value(Column("predicted", str))
    def predicted(self) -> str | None:
        """The exponent of the leading term, and what it is an exponent of."""
        if self.predicted_exponent is None:
            return None
        return f"{number_text(round(self.predicted_exponent, 12))} of {self.variable}"


def convergence_table(rows: list[Convergence]) -> Table:
    """Return the table of gaps and exponents."""
    at = f", at n = {rows[0].n:,}" if rows else ""
    return Table.of(f"Gaps between means and limits{at}, and how fast they close", Convergence, rows)


def convergence_of(simulated: Simulated, name: str, factor: float = 1.0) -> Convergence | None:
    """Return how fast the mean of scorer ``name`` approaches its limit; theory is multiplied by ``factor``.

    It is None without a limit, and where the limit is that of NDCG divided by a power of n.
    """
    scorer, measure = simulated.scorer, simulated.measure
    asymptote, term = limit(scorer, measure), leading_gap(scorer, measure)
    if asymptote.value is None or asymptote.scaled is not None:
        return None
    if term is not None and term.vanishes:
        term = None
    # a leading term with the exponent 0 falls with log n
    sizes, in_logs = np.array(simulated.sizes, np.float64), term is not None and not term.exponent
    gaps = simulated.ndcg / np.array([measure.unit(n) for n in simulated.sizes]) - factor * asymptote.value
    slope, error, fitted = fit_exponent_of_gap(np.log(sizes) if in_logs else sizes, gaps)
    return Convergence(
        name,
        str(measure),
        simulated.sizes[-1],
        gap=float(gaps[:, -1].mean()),
        gap_error=float(standard_error(gaps)[-1]),
        predicted_gap=None if term is None or sizes[-1] == 1 else factor * term.at(simulated.sizes[-1]),
        variable="log n" if in_logs else "n",
        exponent=slope,
        exponent_error=error,
        fitted_from=simulated.sizes[fitted[0]] if fitted else None,
        fitted_to=simulated.sizes[fitted[-1]] if fitted else None,
        predicted_exponent=None if term is None else term.exponent or 1.0,
    )


def fit_exponent_of_gap(
    sizes: Floats, gaps: Floats
) -> tuple[float, float, list[int]] | tuple[None, None, list[int]]:
    """Return e of a gap like sizes^-e, its standard error, and which sizes were fitted.

    Parameters
    ----------
    sizes : (N,)
    gaps : (R, N)
        By replicate.

    >>> sizes = np.array([10.0, 100.0, 1000.0])
    >>> noise = np.random.default_rng(2).normal(0, 0.01, (400, 3))
    >>> exponent, error, fitted = fit_exponent_of_gap(sizes, sizes**-0.5 + noise)
    >>> abs(exponent - 0.5) < 3 * error < 0.03, fitted
    (True, [1, 2])
    """
    means, errors = gaps.mean(axis=0), standard_error(gaps)
    clear = [i for i in range(len(sizes)) if abs(means[i]) >= _CLEAR * errors[i] and sizes[i] > 1]
    fitted = [i for i in clear[min(len(clear) // 2, max(len(clear) - 2, 0)) :] if means[i]]
    if len(fitted) < 2 or len({math.copysign(1, means[i]) for i in fitted}) > 1:
        return None, None, []
    x = np.log(sizes[fitted])
    weights = (x.mean() - x) / ((x - x.mean()) @ (x - x.mean()))
    slope = float(weights @ np.log(np.abs(means[fitted])))
    return slope, float(standard_error(gaps[:, fitted] / means[fitted] @ weights)), fitted
