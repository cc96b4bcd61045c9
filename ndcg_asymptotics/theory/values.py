"""The theoretical values of one scorer under one measure, which simulation is compared with."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from ndcg_asymptotics.core.arrays import ENDLESS
from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.populations import Scorer
from ndcg_asymptotics.theory.deviation import StandardDeviation, ndcg_std
from ndcg_asymptotics.theory.deviation.asymptotic import excess_kurtosis, limiting_std, std_at
from ndcg_asymptotics.theory.extrapolation import Extrapolation, extrapolated_limit
from ndcg_asymptotics.theory.leading_terms import Gap, leading_gap
from ndcg_asymptotics.theory.limits import Limit, limit
from ndcg_asymptotics.theory.mean import Expectation, expected_ndcg
from ndcg_asymptotics.theory.pseudo_expectation import pseudo_expectation


@dataclass(frozen=True)
class TheoreticalValues:
    """Theoretical values for one scorer under one measure.

    Exact means of the measures ``beside``, which will be asked for later, are computed together with its own.
    Methods raise `NotAvailableError` where there is no exact value.

    >>> values = TheoreticalValues(Scorer.parse("linear(0.1, 0.7)"), Measure.of("nDCG@10"))
    >>> values.limit.converges, round(values.limiting_std, 4)
    (False, 0.1593)
    """

    scorer: Scorer
    measure: Measure

    @cached_property
    def limit(self) -> Limit:
        """The limit of NDCG_n by its theorem."""
        return limit(self.scorer, self.measure)

    @cached_property
    def leading_gap(self) -> Gap | None:
        """The leading term of E[NDCG_n] - limit; None where it is not known."""
        return leading_gap(self.scorer, self.measure)

    def mean(self, sizes: Sequence[int]) -> Expectation:
        """Return the exact mean of NDCG_n at each n."""
        return expected_ndcg(self.scorer, self.measure, sizes)

    def pseudo_expectation(self, sizes: Sequence[int]) -> list[float | None]:
        """Return the pseudo-expectation at each n, None where there is none."""
        return [pseudo_expectation(self.scorer, self.measure, n) for n in sizes]

    def std(self, n: int) -> StandardDeviation:
        """Return the exact standard deviation of NDCG_n."""
        return ndcg_std(self.scorer, self.measure, [n])

    def extrapolated_limit(self) -> Extrapolation:
        """Return the limit extrapolated from exact means, which no theorem enters."""
        return extrapolated_limit(self.scorer, self.measure, expected_ndcg)

    @property
    def limiting_std(self) -> float:
        """The standard deviation that NDCG_n keeps where it does not converge."""
        return limiting_std(self.scorer, self.measure)

    @property
    def std_near_limit(self) -> float:
        """The standard deviation at n = `ENDLESS`, where sums of discounts may still be incomplete."""
        return std_at(self.scorer, self.measure, ENDLESS)

    def excess_kurtosis(self, n: int, std: float) -> float:
        """Return the excess kurtosis of NDCG_n that the labels at the top produce, given its ``std``."""
        return excess_kurtosis(self.scorer.model, self.measure, n, std)
