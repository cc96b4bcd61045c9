"""Tests of simulated standard deviations against exact ones, at some or all list lengths.

Where NDCG is nearly normal (`mean_tests.nearly_normal`) by chi-square, elsewhere by betting; both are in
`stats.variance_tests`. See docs/check.md, section 2.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Annotated, Literal

import numpy as np

from ndcg_asymptotics.checks.mean_tests import POWER, Simulated, TestVerdict, nearly_normal
from ndcg_asymptotics.core.arrays import Floats, require_choice
from ndcg_asymptotics.core.errors import NotAvailableError
from ndcg_asymptotics.core.rows import Column, fixed, general
from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.populations import Scorer
from ndcg_asymptotics.stats.variance_tests import (
    chi_square_detectable,
    chi_square_freedom,
    chi_square_test,
    detectable_std,
    replicates_for_variance,
    variance_log_wealth,
)
from ndcg_asymptotics.theory.deviation import ndcg_std
from ndcg_asymptotics.theory.deviation.asymptotic import excess_kurtosis
from ndcg_asymptotics.theory.mean import expected_ndcg

# The bound K = 4 + 2 max(excess, 0) of the kurtosis (docs/check.md, section 2) is that of a normal
# law, 3, plus margins: 1, and twice the excess that theory expects where every grade has 30 items or more.
_NORMAL_KURTOSIS, _MARGIN, _EXCESS_FACTOR = 3.0, 1.0, 2.0
_FEWEST_ITEMS = 30

StdSizes = Literal["few", "every"]


@dataclass(frozen=True)
class StdTest:
    """The simulated and the exact standard deviation for one scorer, measure and list length.

    Attributes
    ----------
    exact : float, optional
        None where none is known, for the given ``reason``.
    ratio : float, optional
        Simulated over exact.
    reason : str
        Why the standard deviation was not tested.
    detectable : float, optional
        The relative error of the exact value that would have been detected with 99% power.
    """

    scorer: Annotated[str, Column("scorer")]
    measure: Annotated[str, Column("measure")]
    n: Annotated[int, Column("n", general("g"), key=True)]
    simulated: Annotated[float, Column("simulated", general(".3e"))]
    exact: Annotated[float | None, Column("exact", general(".3e"))]
    ratio: Annotated[float | None, Column("ratio", fixed(3))]
    verdict: Annotated[TestVerdict, Column("verdict")]
    reason: str
    detectable: Annotated[float | None, Column("detectable error", general(".0%"), 1)]
    false_alarm: float


def std_sizes(sizes: tuple[int, ...], choice: StdSizes) -> tuple[int, ...]:
    """Return the list lengths at which standard deviations are tested, which cost more than means.

    >>> std_sizes((10, 20, 50, 100, 200), "few")
    (10, 50, 200)
    """
    require_choice(choice, ("few", "every"), "std")
    return sizes if choice == "every" else tuple(sorted({sizes[0], sizes[len(sizes) // 2], sizes[-1]}))


def check_std(simulated: Simulated, n: int, name: str, factor: float, alpha_each: float) -> StdTest:
    """Compare the standard deviation of NDCG_n of scorer ``name`` with the exact one times ``factor``."""
    # the tests are for values from 0 to 1, in units of the largest possible one
    scorer, measure = simulated.scorer, simulated.measure
    most = measure.largest(scorer.gains, n)
    values, low, high = (of_lists / most for of_lists in simulated.at(n))
    sample_std = float(values.std(ddof=1))

    def row(
        verdict: TestVerdict, reason: str = "", exact: float | None = None, least: float | None = None
    ) -> StdTest:
        ratio = sample_std / exact if exact else None
        in_values = None if exact is None else exact * most
        return StdTest(
            scorer=name,
            measure=str(measure),
            n=n,
            simulated=sample_std * most,
            exact=in_values,
            ratio=ratio,
            verdict=verdict,
            reason=reason,
            detectable=least,
            false_alarm=alpha_each,
        )

    try:
        std = ndcg_std(scorer, measure, [n])
        mean = expected_ndcg(scorer, measure, [n])
    except NotAvailableError as why:
        return row("not tested", str(why))
    exact_std, error = float(std.value[0]) / most, float(std.error[0]) / most
    exact = exact_std * factor
    if exact_std <= 2 * error:
        return row("not tested", "the standard deviation is 0 up to rounding", exact)
    if exact <= error:
        return row("disagrees", "", exact)
    claimed = (exact - error, exact + error)
    centre = (
        float(mean.value[0] - mean.error[0]) / most,
        float(mean.value[0] + mean.error[0]) / most,
    )
    if nearly_normal(scorer, measure, n, len(values)):
        half = np.maximum(high - values, values - low)
        hidden = math.sqrt(float(half @ half) / (len(values) - 1))  # by the brackets, at most
        freedom = chi_square_freedom(values)
        ratios = max(sample_std - hidden, 0.0) / claimed[1], (sample_std + hidden) / claimed[0]
        wrong = chi_square_test(*ratios, freedom) < alpha_each
        least = chi_square_detectable(freedom, alpha_each, POWER)
    else:
        largest, kurtosis = (
            max(centre[1], 1 - centre[0]) ** 2,
            _kurtosis_bound(scorer, measure, n, exact_std * most),
        )
        required = replicates_for_variance(exact_std**2, largest, alpha_each, kurtosis)
        if len(values) < required:
            return row("not tested", f"this needs {_round_up(required)} replicates", exact)
        below, above = _squared_deviations(low, high, centre)
        wealth = variance_log_wealth(below, above, largest, claimed[0] ** 2, claimed[1] ** 2, kurtosis)
        wrong = wealth > -math.log(alpha_each)
        least = detectable_std((below + above) / 2, largest, alpha_each, POWER, kurtosis)
    return row("disagrees" if wrong else "agrees", "", exact, least if math.isfinite(least) else None)


def _squared_deviations(low: Floats, high: Floats, mean: tuple[float, float]) -> tuple[Floats, Floats]:
    """Return bounds of (x - mu)^2 for x and mu anywhere in their brackets."""
    least, most = mean
    nearest = np.maximum(np.maximum(least - high, low - most), 0.0)
    furthest = np.maximum(high - least, most - low)
    return nearest**2, np.minimum(furthest**2, max(most, 1 - least) ** 2)


def _kurtosis_bound(scorer: Scorer, measure: Measure, n: int, std: float) -> float | None:
    """Return a bound of the kurtosis of NDCG_n; None where few items have a grade."""
    if not scorer.iid:
        return None
    masses = [mass for mass in (*scorer.masses, 1.0 - sum(scorer.masses)) if mass > 1e-12]
    if n * min(masses) < _FEWEST_ITEMS:
        return None
    return (
        _NORMAL_KURTOSIS + _MARGIN + _EXCESS_FACTOR * max(excess_kurtosis(scorer.model, measure, n, std), 0.0)
    )


def _round_up(count: float) -> str:
    """Return a count rounded up to two digits."""
    if not math.isfinite(count):
        return "infinitely many"
    step = 10 ** max(math.floor(math.log10(count)) - 1, 0)
    return f"{math.ceil(count / step) * step:,}"
