"""Is the law of NDCG_n the one that theory gives for long lists? Kolmogorov and Smirnov's test at the last n.

The law is a limit. Its distance from that at n is stated (`theory.fluctuations.limit_law`), allowed for in
the statistic, and must be below half of what the replicates could tell: else there is no verdict.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Annotated

import numpy as np
from scipy import stats

from ndcg_asymptotics.analysis.mean_tests import Cell, Outcome, brackets
from ndcg_asymptotics.core.errors import NotAvailableError
from ndcg_asymptotics.core.tables import Column, Table, fixed, general
from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.populations import Scorer
from ndcg_asymptotics.theory.cache import TheoryCache
from ndcg_asymptotics.theory.fluctuations.laws import regime
from ndcg_asymptotics.theory.fluctuations.limit_law import LimitLaw, limit_law

_COARSEST = 0.25  # a distance that the replicates must be able to tell
_NEGLIGIBLE = 0.5  # of it, the most that a stated distance may be


@dataclass(frozen=True)
class LawTest:
    """The simulated law of one scorer's NDCG_n against that of long lists.

    Attributes
    ----------
    law : str
        Which it is, as `theory.fluctuations.laws.regime` says.
    distance : float, optional
        Of the distribution functions, simulated and limit, as far as the stated one does not explain it.
    stated : float, optional
        Of the limit's from that at n.
    critical : float
        The distance that is too large.
    reason : str
        Why it was not tested.
    """

    scorer: Annotated[str, Column("scorer")]
    measure: Annotated[str, Column("measure")]
    n: Annotated[int, Column("n", general("g"))]
    law: Annotated[str, Column("law")]
    distance: Annotated[float | None, Column("distance", fixed(4))]
    stated: Annotated[float | None, Column("error of the limit", general(".0e"), 2)]
    critical: Annotated[float, Column("critical distance", fixed(4), 1)]
    verdict: Annotated[Outcome, Column("verdict")]
    reason: str
    false_alarm: float


def laws_table(rows: Sequence[LawTest]) -> Table:
    """Return the table of the tested laws."""
    return Table.of("Laws of NDCG on long lists (Kolmogorov-Smirnov)", LawTest, rows)


def judge_law(
    cell: Cell, exact: TheoryCache, named: tuple[str, Scorer], measure: Measure, factor: float,
    level: float,
) -> LawTest:  # fmt: skip
    """The law of one scorer's NDCG at one n, against that of long lists with every value times ``factor``."""
    name, scorer = named
    n, values = int(np.asarray(cell["n"])), np.asarray(cell["ndcg"])
    kind, critical = regime((scorer,), measure), float(stats.kstwo.isf(level, len(values)))

    def row(
        verdict: Outcome, reason: str = "", distance: float | None = None, stated: float | None = None
    ) -> LawTest:
        return LawTest(name, str(measure), n, kind, distance, stated, critical, verdict, reason, level)

    if critical > _COARSEST:
        return row("not tested", "too few replicates to tell laws apart")
    try:
        mean, std = exact.mean(scorer, measure, [n]), exact.std(scorer, measure, [n])
    except NotAvailableError as why:
        return row("not tested", str(why))
    centre, error = float(mean.value[0]), float(std.error[0] + mean.error[0])

    @cache
    def law() -> LimitLaw | None:
        return limit_law(scorer, measure, n, centre, float(std.value[0]), error)

    def stated_as(part: str) -> float:
        """Of the law; cached, as a law that is too far off need not be found again to say so."""
        return exact.size(f"{part} of law", scorer, measure, n, lambda: float(getattr(law(), part, math.inf)))

    stated = stated_as("chance")
    if stated <= _NEGLIGIBLE * critical:
        stated = stated_as("distance")
    if stated > _NEGLIGIBLE * critical and math.isfinite(stated):
        off = f"at this n the law of long lists is only known to be within {min(stated, 1.0):.2g}"
        return row("not tested", off, None, stated)
    found = law() if math.isfinite(stated) else None
    if found is None:
        return row("not tested", "no law of long lists is known")
    low, high = map(np.asarray, brackets(cell))
    distance = _distance(found, low / factor, high / factor)
    return row("disagrees" if distance > critical else "agrees", "", distance, stated)


def _distance(law: LimitLaw, low: np.ndarray, high: np.ndarray) -> float:
    """The largest difference of the distribution functions that the law's own does not explain."""
    count = len(low)
    steps = np.arange(count + 1) / count
    above = steps[1:] - law.cdf((np.sort(high) - law.centre) / law.scale + law.shift)
    below = law.cdf((np.sort(low) - law.centre) / law.scale - law.shift) - steps[:-1]
    return max(float(above.max()), float(below.max()), law.chance) - law.chance
