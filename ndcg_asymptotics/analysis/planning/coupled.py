"""Two rankers that agree: the standard deviation of their difference with a Gaussian copula of depths.

It follows from `theory.correlation` where that is good to 1%, and from drawn lists of up to 4096 items
elsewhere. For longer lists it follows from `theory.correlation`, however good, or is not known.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np

from ndcg_asymptotics.analysis.orders.one_list import SEED, SIMULATED, Counts
from ndcg_asymptotics.analysis.orders.rates import NORMAL_QUANTILE
from ndcg_asymptotics.core.arrays import Floats
from ndcg_asymptotics.core.caching import shared
from ndcg_asymptotics.core.errors import NotAvailableError
from ndcg_asymptotics.core.tables import Estimate
from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.populations import Gaussian, Population, Scorer
from ndcg_asymptotics.studies.design import Design
from ndcg_asymptotics.theory.correlation import correlation

_ITEMS, _FEWEST, _MOST = 3_000_000, 700, 10_000  # items of each scorer, and lists, that are drawn
_BLOCK = 500  # lists drawn at a time
_GOOD = 0.01  # relative error of a standard deviation

CorrelationMethod = Literal["formula", "drawn lists"]


@dataclass(frozen=True)
class Agreement:
    """What is known of the difference of two rankers that agree, by one measure.

    Attributes
    ----------
    sd : Estimate
        The standard deviation of the difference on one list. The error of a formula is a bound, that of
        drawn lists the half-width of a 95% interval.
    correlation : Estimate
        That of the two values of a list.
    method : str
    wrong : (Counts, Counts), optional
        Of drawn lists: those on which a is not ahead, and those on which b is not.
    """

    sd: Estimate
    correlation: Estimate
    method: CorrelationMethod
    wrong: tuple[Counts, Counts] | None = None

    @property
    def fields(self) -> dict[str, float | CorrelationMethod]:
        """The fields of a `PlanRow` that hold it."""
        return {
            "correlation": float(self.correlation),
            "correlation_error": self.correlation.error,
            "correlation_method": self.method,
        }


@dataclass(frozen=True)
class Coupled:
    """Two rankers with a Gaussian copula given the label, on lists of n items.

    Attributes
    ----------
    a, b : Scorer
    coupling : Gaussian
    n : int
    measures : tuple of Measure
        Those for which lists are drawn together.

    >>> pair = (Scorer.of(text) for text in ("linear(0.1, 0.7)", "linear(0.25, 0.55)"))
    >>> found = Coupled(*pair, Gaussian(0.7), 10**5, (Measure.of("nDCG"),)).agreement(Measure.of("nDCG"))
    >>> round(found.correlation, 2), found.method
    (0.65, 'formula')
    """

    a: Scorer
    b: Scorer
    coupling: Gaussian
    n: int
    measures: tuple[Measure, ...]

    def agreement(self, measure: Measure) -> Agreement:
        """Return the standard deviation of the difference by one of the measures.

        Raises
        ------
        NotAvailableError
            If no formula is known, and lists are too long to be drawn.
        """
        try:
            found, reason = self._by_formula(measure), ""
        except NotAvailableError as error:
            found, reason = None, str(error)
        if found is not None and found.sd.error <= _GOOD * found.sd:
            return found
        if self.n <= SIMULATED:
            return self.drawn[measure]
        if found is None:
            raise NotAvailableError(f"{reason}; lists of up to {SIMULATED:,} documents are drawn")
        return found

    @property
    def drawn(self) -> dict[Measure, Agreement]:
        """What drawn lists show by each of the measures; empty for lists that are too long."""
        return _drawn(self) if self.n <= SIMULATED else {}

    def _by_formula(self, measure: Measure) -> Agreement:
        found = correlation(self.a, self.b, measure, [self.n], self.coupling)
        sd = found.difference_std()
        return Agreement(
            Estimate(float(sd.value[0]), float(sd.error[0])),
            Estimate(float(found.value[0]), float(found.error[0] + found.remainder[0])),
            "formula",
        )


@shared
def _drawn(of: Coupled) -> dict[Measure, Agreement]:
    """Return what 700 to 10,000 lists show, the fewer the longer they are."""
    from ndcg_asymptotics.engines.engine import draw_block, load_engine

    design = Design(Population({"a": of.a, "b": of.b}, of.coupling), of.measures, (of.n,), SEED)
    engine, lists = load_engine("items"), min(max(_ITEMS // of.n, _FEWEST), _MOST)
    blocks = (range(start, min(start + _BLOCK, lists)) for start in range(0, lists, _BLOCK))
    ndcg = np.concatenate([draw_block(engine, design, block)["ndcg"][..., 0] for block in blocks])
    return {measure: _seen(ndcg[:, 0, i], ndcg[:, 1, i]) for i, measure in enumerate(of.measures)}


def _seen(a: Floats, b: Floats) -> Agreement:
    """Return what the values of two rankers on drawn lists show."""
    lists, d = a.size, a - b
    centred = d - d.mean()
    second = float(np.mean(centred**2))
    kurtosis = float(np.mean(centred**4)) / second**2 if second > 0 else 1.0
    sd = math.sqrt(second * lists / (lists - 1))
    constant = a.std() == 0 or b.std() == 0
    rho = 0.0 if constant else float(np.corrcoef(a, b)[0, 1])
    width = NORMAL_QUANTILE / math.sqrt(lists)
    wrong = (int((d <= 0).sum()), lists), (int((d >= 0).sum()), lists)
    return Agreement(
        Estimate(sd, width * sd * math.sqrt(max(kurtosis - 1, 0.0)) / 2),
        Estimate(rho, width * (1 - rho**2)),
        "drawn lists",
        wrong,
    )
