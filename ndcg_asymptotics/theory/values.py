"""The theoretical values of one scorer under one measure, which simulation is compared with."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, partial

from ndcg_asymptotics.core.arrays import ENDLESS
from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.populations import Scorer
from ndcg_asymptotics.theory.extrapolation import Extrapolation, extrapolated_limit
from ndcg_asymptotics.theory.fluctuations import StandardDeviation, ndcg_std
from ndcg_asymptotics.theory.fluctuations.asymptotic import excess_kurtosis, limiting_std, std_at
from ndcg_asymptotics.theory.fluctuations.enumeration import EnumeratedLaw, exact_law
from ndcg_asymptotics.theory.fluctuations.laws import regime
from ndcg_asymptotics.theory.fluctuations.limit_law import LimitLaw, limit_law
from ndcg_asymptotics.theory.fluctuations.one_item import OneItemLaw
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
    >>> values.limit.converges, values.regime, round(values.limiting_std, 4)
    (False, 'lasting', 0.1593)
    """

    scorer: Scorer
    measure: Measure
    beside: Sequence[Measure] = ()

    @cached_property
    def limit(self) -> Limit:
        """The limit of NDCG_n by its theorem."""
        return limit(self.scorer, self.measure)

    @cached_property
    def leading_gap(self) -> Gap | None:
        """The leading term of E[NDCG_n] - limit; None where it is not known."""
        return leading_gap(self.scorer, self.measure)

    @property
    def regime(self) -> str:
        """The kind of law that NDCG_n has on long lists."""
        return regime((self.scorer,), self.measure)

    def mean(self, sizes: Sequence[int]) -> Expectation:
        """Return the exact mean of NDCG_n at each n."""
        return expected_ndcg(self.scorer, self.measure, sizes, beside=self.beside)

    def pseudo_expectation(self, sizes: Sequence[int]) -> list[float | None]:
        """Return the pseudo-expectation at each n, None where there is none."""
        return [pseudo_expectation(self.scorer, self.measure, n) for n in sizes]

    def std(self, n: int) -> StandardDeviation:
        """Return the exact standard deviation of NDCG_n."""
        return ndcg_std(self.scorer, self.measure, [n])

    def extrapolated_limit(self) -> Extrapolation:
        """Return the limit extrapolated from exact means, which no theorem enters."""
        return extrapolated_limit(self.scorer, self.measure, partial(expected_ndcg, beside=self.beside))

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

    def exact_law(self, n: int) -> OneItemLaw | EnumeratedLaw | None:
        """Return the law of NDCG_n where it is known exactly; None elsewhere.

        That is where every list has one relevant item, and where few ranks count.
        """
        return exact_law(self.scorer, self.measure, n)

    def law(self, n: int) -> LawOfLongLists:
        """Return the law of NDCG_n on long lists, centred and scaled by the exact moments at n."""
        std = self.std(n)
        mean = self.mean([n])
        return LawOfLongLists(
            self, n, float(mean.value[0]), float(std.value[0]), float(std.error[0] + mean.error[0])
        )


@dataclass(frozen=True)
class LawOfLongLists:
    """The law of NDCG_n on long lists, which is constructed when it is used."""

    values: TheoreticalValues
    n: int
    mean: float
    std: float
    error: float

    @cached_property
    def law(self) -> LimitLaw | None:
        """The law; None where there is none, or where it is only known to exist."""
        of = self.values
        return limit_law(of.scorer, of.measure, self.n, self.mean, self.std, self.error)

    @property
    def distance(self) -> float:
        """The bound of the distance of that law from the one at n; infinite where there is no law."""
        return math.inf if self.law is None else self.law.distance
