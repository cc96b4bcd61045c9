"""Plan an experiment for two rankers that are described by their relevance curves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Unpack

from ndcg_asymptotics.analysis.orders.list_moments import list_moments
from ndcg_asymptotics.analysis.orders.one_list import SIMULATED, Counts, WrongOrder, draw_orders, wrong_order
from ndcg_asymptotics.analysis.orders.right_order import LongRun, better_first
from ndcg_asymptotics.analysis.planning.outcome import Plan
from ndcg_asymptotics.analysis.planning.required_length import Length, lengths_for
from ndcg_asymptotics.analysis.planning.requirements import RequirementOptions, Requirements
from ndcg_asymptotics.analysis.planning.rows import (
    DetectableDifference,
    ListDifference,
    Order,
    PlanRow,
    RequiredQueries,
)
from ndcg_asymptotics.core.arrays import LARGEST_N, brief, whole_number
from ndcg_asymptotics.core.errors import NotAvailableError, require
from ndcg_asymptotics.measures import Measure, Measures, measures_of
from ndcg_asymptotics.measures.gains import Gain
from ndcg_asymptotics.populations import Population, Scorer
from ndcg_asymptotics.studies.relevant import Relevant, scorer_of
from ndcg_asymptotics.theory.mean import expected_ndcg

_DEFAULT_N = 1000
_INDEPENDENT = (
    "The rankers are taken to score documents independently given the label. Rankers that place the same "
    "documents at similar depths need fewer queries: a study simulates them (coupling), a pilot measures them"
)

DrawnOrders = Mapping[Measure, tuple[Counts, Counts]]
"""What is counted on drawn lists, for each measure if a should be ahead, and if b should."""


def plan_curves(
    a: Scorer | str,
    b: Scorer | str,
    measures: Measures,
    *,
    n: int | None = None,
    gain: Gain | None = None,
    relevant: Relevant | None = None,
    **design: Unpack[RequirementOptions],
) -> Plan:
    """Plan an experiment for two rankers that are described by their relevance curves.

    The parameters are those of `plan`. Means and standard deviations of the difference on one list of n items
    are computed, the mean to 1e-6 and the standard deviation to 2% or better, or on drawn lists. The number
    of queries follows from them, the length of a list from the probability of the right order
    (`lengths_for`).
    """
    required = Requirements(**design)
    for name, curve in (("a", a), ("b", b)):
        require(
            isinstance(curve, Scorer | str) and not Path(curve if isinstance(curve, str) else "").is_file(),
            f"must be a relevance curve, such as 'linear(0.1, 0.5)', got {brief(curve)}; "
            "plan(runs=…, qrels=…) plans from runs",
            name,
        )
    curves = {name: scorer_of(curve, relevant, gain or "linear") for name, curve in (("a", a), ("b", b))}
    first, second = Population(curves).scorers.values()
    size = whole_number(_DEFAULT_N if n is None else n, "n", 1, LARGEST_N)
    first.check_lengths([size])
    require(first != second, f"both have the relevance curve {first}: no measure tells them apart")
    asked = list(dict.fromkeys(measures_of(measures)))
    return Experiment(first, second, size, required, (str(first), str(second))).plan(asked)


@dataclass(frozen=True)
class Experiment:
    """Two rankers, given by their curves, that answer queries with lists of n items.

    Parameters
    ----------
    a, b : Scorer
        With the same label law, independent given the label.
    n : int
    design : Requirements
    names : (str, str)
        What the rankers are called.
    effort : float
        The share of the usual number of draws; with fewer, intervals are wider.

    >>> pair = (Scorer.of(text) for text in ("linear(0.1, 0.7)", "constant(0.4)"))
    >>> experiment = Experiment(*pair, 100, Requirements())
    >>> [(row.measure, row.queries.required) for row in experiment.rows([Measure.of("nDCG@3")])]
    [('nDCG@3', 18)]
    """

    a: Scorer
    b: Scorer
    n: int
    design: Requirements
    names: tuple[str, str] = ("A", "B")
    effort: float = 1.0

    def plan(self, measures: Sequence[Measure]) -> Plan:
        """Return the plan of an experiment with these measures."""
        rows = self.rows(measures, self.drawn(measures))
        pair = self.a, self.b
        return Plan.ordered(self.names, "curves", self.design, rows, [_INDEPENDENT], scorers=pair)

    def difference(self, measure: Measure) -> ListDifference:
        """Return mean and standard deviation of NDCG_n(a) - NDCG_n(b).

        Raises
        ------
        NotAvailableError
            If the measure has no exact mean, or no standard deviation and lists are too long to be drawn.
        """
        first, second = (expected_ndcg(scorer, measure, [self.n]) for scorer in (self.a, self.b))
        mean, error = float(first.value[0] - second.value[0]), float(first.error[0] + second.error[0])
        mean = mean if abs(mean) > error else 0.0
        found = list_moments((self.a, self.b), measure, self.n)
        return ListDifference(mean, error, found.sd, found.error)

    def drawn(self, measures: Sequence[Measure]) -> DrawnOrders:
        """Return the orders on drawn lists that all measures share; none of lists that are too long."""
        if self.n > SIMULATED or not measures:
            return {}
        return dict(zip(measures, draw_orders(self.a, self.b, measures, self.n, self.effort), strict=True))

    def rows(
        self, measures: Sequence[Measure], drawn: DrawnOrders | None = None, *, lengths: bool = True
    ) -> list[PlanRow]:
        """Return what each measure needs to tell the rankers apart; the reason where it is not known.

        Parameters
        ----------
        measures : sequence of Measure
        drawn : mapping, optional
            What `drawn` returns. Without it there is no probability of the wrong order.
        lengths : bool
            Whether to find the required lengths of lists, which takes most of the time.
        """
        differences, reasons = {}, {}
        for measure in measures:
            try:
                differences[measure] = self.difference(measure)
            except NotAvailableError as error:
                reasons[measure] = str(error)
        orders: Mapping[Measure, tuple[LongRun, Length]] = {}
        if lengths:
            orders = lengths_for(self.a, self.b, list(differences), self.design.rate)
        return [
            PlanRow(str(measure), self.n, reason=reasons[measure])
            if measure in reasons
            else self._row(measure, differences[measure], orders.get(measure), drawn)
            for measure in measures
        ]

    def _row(
        self,
        measure: Measure,
        difference: ListDifference,
        order: tuple[LongRun, Length] | None,
        drawn: DrawnOrders | None,
    ) -> PlanRow:
        mean, sd = difference.mean or 0.0, difference.sd or 0.0
        ahead = order[0].ahead if order else int(mean < 0)
        wrong, reasons = None, self._drawn_deviation(measure)
        if not mean:
            reasons.append(f"the two means at n = {self.n:g} are equal to within their error bounds")
        else:
            if int(mean < 0) != ahead:
                behind = self.names[int(mean < 0)]
                reasons.append(f"on lists of {self.n:,} documents {behind} has the larger mean")
            if order and (reason := order[1].reason or order[0].reason):
                reasons.append(reason)
        if drawn is not None:
            try:
                wrong = self._wrong(measure, ahead, drawn.get(measure))
            except NotAvailableError as error:  # everything else is known
                reasons = reasons or [f"the probability of the wrong order is {error}"]
        return PlanRow(
            str(measure),
            self.n,
            order=Order.of(*order, self.names) if order else Order(),
            queries=RequiredQueries.of(self.design, mean, sd),
            difference=difference,
            wrong=wrong,
            detection=DetectableDifference.of(self.design, sd),
            reason="; ".join(reasons),
        )

    def _drawn_deviation(self, measure: Measure) -> list[str]:
        """Return that the standard deviation is that of drawn lists, with its interval, where it is."""
        found = list_moments((self.a, self.b), measure, self.n)
        if not found.lists:
            return []
        low, high = found.sd - found.error, found.sd + found.error
        drawn = f"the standard deviation is that of {found.lists:,} drawn lists"
        return [f"{drawn}, {low:.3g} to {high:.3g} with 95%"]

    def _wrong(self, measure: Measure, ahead: int, drawn: tuple[Counts, Counts] | None) -> WrongOrder:
        """Return P(the scorer that is ahead on long lists is not ahead on one of n items)."""
        pair = better_first((self.a, self.b), ahead)
        return wrong_order(*pair, measure, self.n, drawn[ahead] if drawn else None, self.effort)
