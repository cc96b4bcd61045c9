"""Is the simulated standard deviation the exact one? A ratio and a verdict at some n.

Where NDCG is nearly normal, which is known beforehand (`means.bell_shaped`), by the chi-square law of a
sample variance, its degrees of freedom lowered by the excess kurtosis; elsewhere by bets (`squares`).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Literal

import numpy as np

from ndcg_asymptotics.analysis.chi_square import (
    chi_square_detectable,
    chi_square_freedom,
    chi_square_test,
)
from ndcg_asymptotics.analysis.mean_tests import POWER, Cell, Outcome, bell_shaped, brackets
from ndcg_asymptotics.analysis.variance_tests import (
    detectable_std,
    replicates_for_variance,
    variance_log_wealth,
)
from ndcg_asymptotics.core.arrays import Floats
from ndcg_asymptotics.core.errors import NotAvailableError, require
from ndcg_asymptotics.core.tables import Column, Table, fixed, general
from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.populations import Scorer
from ndcg_asymptotics.theory.cache import TheoryCache
from ndcg_asymptotics.theory.fluctuations.asymptotic import excess_kurtosis

_TENS = 30  # items of a grade, from which the fourth moment is that of the labels at the top
_NORMAL, _MARGIN, _TWICE = 3.0, 1.0, 2.0  # a bound of it: of a normal law, and more than theory expects

StdSizes = Literal["few", "every"]


@dataclass(frozen=True)
class StdTest:
    """Simulated and exact standard deviation for one scorer, measure and list length.

    Attributes
    ----------
    exact : float, optional
        None where none is known, as ``reason`` says.
    ratio : float, optional
        The simulated one over the exact one.
    reason : str
        Why it was not tested.
    detectable : float, optional
        The relative error of the exact one that would have been reported with 99% power.
    """

    scorer: Annotated[str, Column("scorer")]
    measure: Annotated[str, Column("measure")]
    n: Annotated[int, Column("n", general("g"))]
    simulated: Annotated[float, Column("simulated sd", general(".3e"))]
    exact: Annotated[float | None, Column("exact sd", general(".3e"))]
    ratio: Annotated[float | None, Column("ratio", fixed(3))]
    verdict: Annotated[Outcome, Column("verdict")]
    reason: str
    detectable: Annotated[float | None, Column("detectable error", general(".0%"), 1)]
    false_alarm: float


def std_sizes(sizes: tuple[int, ...], which: StdSizes) -> tuple[int, ...]:
    """The list lengths at which standard deviations are tested: an exact one costs more than a mean.

    >>> std_sizes((10, 20, 50, 100, 200), "few")
    (10, 50, 200)
    """
    require(which in ("few", "every"), f'must be "few" or "every", got {which!r}', "std")
    return sizes if which == "every" else tuple(sorted({sizes[0], sizes[len(sizes) // 2], sizes[-1]}))


def std_table(rows: Sequence[StdTest]) -> Table:
    """Return the table of the tested standard deviations."""
    return Table.of("Standard deviations of NDCG, against the exact ones", StdTest, rows)


def judge_std(
    cell: Cell, cache: TheoryCache, named: tuple[str, Scorer], measure: Measure, factor: float,
    level: float,
) -> StdTest:  # fmt: skip
    """The standard deviation of one scorer's NDCG at one n, against the exact one times ``factor``."""
    name, scorer = named
    n, values = int(np.asarray(cell["n"])), np.asarray(cell["ndcg"])
    low, high = map(np.asarray, brackets(cell))
    seen = float(values.std(ddof=1))

    def row(
        verdict: Outcome, reason: str = "", exact: float | None = None, least: float | None = None
    ) -> StdTest:
        ratio = seen / exact if exact else None
        return StdTest(name, str(measure), n, seen, exact, ratio, verdict, reason, least, level)

    try:
        mean, std = cache.mean(scorer, measure, [n]), cache.std(scorer, measure, [n])
    except NotAvailableError as why:
        return row("not tested", str(why))
    known, error = float(std.value[0]), float(std.error[0])
    exact = known * factor
    if known <= 2 * error:
        return row("not tested", "the standard deviation is 0 but for rounding", exact)
    if exact <= error:
        return row("disagrees", "", exact)
    sd = (exact - error, exact + error)
    centre = (float(mean.value[0] - mean.error[0]), float(mean.value[0] + mean.error[0]))
    if bell_shaped(scorer, measure, n, len(values)):
        half = np.maximum(high - values, values - low)
        off = math.sqrt(float(half @ half) / (len(values) - 1))  # at most so much the brackets hide
        freedom = chi_square_freedom(values)
        wrong = chi_square_test(max(seen - off, 0.0) / sd[1], (seen + off) / sd[0], freedom) < level
        least = chi_square_detectable(freedom, level, POWER)
    else:
        largest, heavy = max(centre[1], 1 - centre[0]) ** 2, _bound(scorer, measure, n, known)
        needed = replicates_for_variance(known**2, largest, level, heavy)
        if len(values) < needed:
            return row("not tested", f"needs {_round_up(needed)} replicates", exact)
        below, above = _squares(low, high, centre)
        found = variance_log_wealth(below, above, largest, sd[0] ** 2, sd[1] ** 2, heavy)
        wrong = found > -math.log(level)
        least = detectable_std((below + above) / 2, largest, level, POWER, heavy)
    return row("disagrees" if wrong else "agrees", "", exact, least if math.isfinite(least) else None)


def _squares(low: Floats, high: Floats, mean: tuple[float, float]) -> tuple[Floats, Floats]:
    """The least and the largest (x - mu)^2 for x in its bracket and mu in that of the exact mean."""
    least, most = mean
    nearest = np.maximum(np.maximum(least - high, low - most), 0.0)
    furthest = np.maximum(high - least, most - low)
    return nearest**2, np.minimum(furthest**2, max(most, 1 - least) ** 2)


def _bound(scorer: Scorer, measure: Measure, n: int, sd: float) -> float | None:
    """A bound of the kurtosis of NDCG_n, twice what the labels at the top make of it and more.

    None where nothing is known: of lists of several kinds, or where a grade occurs seldom.
    """
    if scorer.mixed:
        return None
    masses = [mass for mass in (*scorer.masses, 1.0 - sum(scorer.masses)) if mass > 1e-12]
    if n * min(masses) < _TENS:
        return None
    return _NORMAL + _MARGIN + _TWICE * max(excess_kurtosis(scorer.model, measure, n, sd), 0.0)


def _round_up(count: float) -> str:
    """Two digits of a count."""
    if not math.isfinite(count):
        return "infinitely many"
    step = 10 ** max(math.floor(math.log10(count)) - 1, 0)
    return f"{math.ceil(count / step) * step:,}"
