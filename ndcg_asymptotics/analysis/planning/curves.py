"""Plan an experiment for two rankers that are described by their relevance curves."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Unpack

from ndcg_asymptotics.analysis.orders.one_list import (
    ENOUGH,
    SIMULATED,
    Counts,
    WrongOrder,
    draw_orders,
    wrong_order,
)
from ndcg_asymptotics.analysis.orders.right_order import LongRun, better_first
from ndcg_asymptotics.analysis.planning import sentences
from ndcg_asymptotics.analysis.planning.findings import FamilyMember, PlanRow
from ndcg_asymptotics.analysis.planning.outcome import Plan
from ndcg_asymptotics.analysis.planning.required_length import Length, lengths_for
from ndcg_asymptotics.analysis.planning.requirements import RequirementOptions, Requirements
from ndcg_asymptotics.core.arrays import LARGEST_N, brief, whole_number
from ndcg_asymptotics.core.errors import NotAvailableError, require
from ndcg_asymptotics.core.progress import tracked
from ndcg_asymptotics.core.tables import Estimate
from ndcg_asymptotics.measures import Measure, Measures, measures_of
from ndcg_asymptotics.measures.cutoffs import Cutoff
from ndcg_asymptotics.measures.discounts import Discount
from ndcg_asymptotics.measures.gains import Gain
from ndcg_asymptotics.populations import Population, Scorer
from ndcg_asymptotics.studies.relevant import Relevant, scorer_of
from ndcg_asymptotics.theory.fluctuations.enumeration import enumerable
from ndcg_asymptotics.theory.fluctuations.one_item import one_item
from ndcg_asymptotics.theory.fluctuations.variance import difference_std, quick_moments
from ndcg_asymptotics.theory.limits import limit
from ndcg_asymptotics.theory.mean import expected_ndcg

EXPONENTS = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0, 1.5, 2.0)
"""The b of the discounts r^-b that are compared."""
CUTOFFS = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)
"""The cutoffs k that are compared."""

_DEFAULT_N = 1000


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
    are exact to about 1e-6 and 1e-3 of their value. The number of queries follows from them, the length of a
    list from the probability of the right order (`lengths_for`).
    """
    gain, n = gain or "linear", _DEFAULT_N if n is None else n
    required = Requirements(**design)
    for name, given in (("a", a), ("b", b)):
        require(
            isinstance(given, Scorer | str) and not Path(given if isinstance(given, str) else "").is_file(),
            f"must be a relevance curve, such as 'linear(0.1, 0.5)', got {brief(given)}; "
            "plan(runs=…, qrels=…) plans from runs",
            name,
        )
    scorers = Population({"a": scorer_of(a, relevant, gain), "b": scorer_of(b, relevant, gain)}).scorers
    first, second = scorers["a"], scorers["b"]
    size = whole_number(n, "n", 1, LARGEST_N)
    first.check_lengths([size])
    require(first != second, f"both have the relevance curve {first}: no measure tells them apart")
    asked = list(dict.fromkeys(measures_of(measures)))
    exponents = by_exponent(EXPONENTS)
    cutoffs = by_cutoff([*(k for k in CUTOFFS if k < size), size])
    every = tuple(dict.fromkeys([*asked, *exponents, *cutoffs]))
    experiment = Experiment(first, second, size, required, (str(first), str(second)))
    drawn = experiment.drawn(every)
    rows = experiment.rows(asked, drawn)
    return experiment.plan(
        rows,
        experiment.sweep(exponents, drawn, rows=rows),
        experiment.sweep(cutoffs, drawn, rows=rows, judged=True),
    )


def long_run_fields(run: LongRun, length: Length, names: Sequence[str]) -> dict[str, Any]:
    """Return the fields of a `PlanRow` that a long run and a required length give."""
    low, high = length.between or (None, None)
    return {
        "ahead": names[run.ahead],
        "long_run": run.rate,
        "error_exponent": run.end.exponent,
        "why": run.end.reason,
        "required_n": length.n,
        "required_n_low": low,
        "required_n_high": high,
        "required_n_method": length.method,
        "reason": length.reason or run.reason,
    }


def by_exponent(exponents: Iterable[float], cutoff: Cutoff | str | int = "") -> dict[Measure, float]:
    """Return NDCG with the discounts r^-b, and the b of each.

    >>> {str(measure): b for measure, b in by_exponent([0.5, 1], 10).items()}
    {'nDCG(power(0.5))@10': 0.5, 'nDCG(power(1))@10': 1}
    """
    return {Measure(f"power({b:g})", cutoff): b for b in exponents}


def by_cutoff(cutoffs: Iterable[int], discount: Discount | str = "log") -> dict[Measure, float]:
    """Return NDCG with a discount and several cutoffs, and the k of each.

    >>> {str(measure): k for measure, k in by_cutoff([1, 10]).items()}
    {'nDCG@1': 1.0, 'nDCG@10': 10.0}
    """
    return {Measure(discount, k): float(k) for k in cutoffs}


@dataclass(frozen=True)
class Experiment:
    """Two rankers, given by their curves, that answer queries with lists of n items.

    Parameters
    ----------
    a, b : Scorer
        With the same label law.
    n : int
    design : Requirements
    names : (str, str)
        What the rankers are called.
    effort : float
        The share of the usual number of draws; with fewer, intervals are wider and standard deviations quick.

    >>> pair = (Scorer.of(text) for text in ("linear(0.1, 0.7)", "constant(0.4)"))
    >>> experiment = Experiment(*pair, 100, Requirements())
    >>> [(row.measure, row.required_lists) for row in experiment.rows([Measure.of("nDCG@3")])]
    [('nDCG@3', 18)]
    >>> [(choice.at, choice.lists) for choice in experiment.sweep(by_cutoff([1, 10]))]
    [(1.0, 43), (10.0, 8)]
    """

    a: Scorer
    b: Scorer
    n: int
    design: Requirements
    names: tuple[str, str] = ("A", "B")
    effort: float = 1.0

    def difference(self, measure: Measure) -> tuple[Estimate, Estimate]:
        """Return mean and standard deviation of NDCG_n(a) - NDCG_n(b), independent given the label.

        A mean within its error bound is 0. With less than the usual effort the standard deviation is that of
        `quick_moments`, whose error is not known: nan.

        Raises
        ------
        NotAvailableError
            If the measure has no exact mean or variance.
        """
        first, second = (expected_ndcg(scorer, measure, [self.n]) for scorer in (self.a, self.b))
        mean, error = float(first.value[0] - second.value[0]), float(first.error[0] + second.error[0])
        known = Estimate(mean if abs(mean) > error else 0.0, error)
        if self.effort < 1:
            return known, Estimate(quick_moments((self.a, self.b), measure, self.n).sd, math.nan)
        sd = difference_std(self.a, self.b, measure, [self.n])
        return known, Estimate(float(sd.value[0]), float(sd.error[0]))

    def drawn(self, measures: Sequence[Measure]) -> DrawnOrders:
        """Return the orders on drawn lists that all measures share, for those that need draws."""
        asked = [m for m in measures if not self._enumerated(m)]
        if self.n > SIMULATED or not asked:
            return {}
        return dict(zip(asked, draw_orders(self.a, self.b, asked, self.n, self.effort), strict=True))

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
        known = (
            lengths_for(self.a, self.b, list(differences), self.design.rate, self.effort) if lengths else {}
        )
        return [
            PlanRow(str(measure), self.n, reason=reasons[measure])
            if measure in reasons
            else self._row(measure, *differences[measure], known.get(measure), drawn)
            for measure in measures
        ]

    def sweep(
        self,
        measures: Mapping[Measure, float],
        drawn: DrawnOrders | None = None,
        *,
        rows: Iterable[PlanRow] = (),
        judged: bool = False,
    ) -> tuple[FamilyMember, ...]:
        """Return the members of a family of measures, without those whose variance is 0 or not known.

        Parameters
        ----------
        measures : mapping of Measure to float
            The parameter of each, as `by_exponent` and `by_cutoff` return them.
        drawn : mapping, optional
            What `drawn` returns. Without it the probability of the wrong order is that of the normal law.
        rows : iterable of PlanRow
            Rows that are known, some of them perhaps of the same measures.
        judged : bool
            Whether the parameter is the rank to which lists are judged.
        """
        known = {row.measure: row.effect for row in rows if row.effect is not None}
        choices = []
        for measure, at in tracked(list(measures.items()), "measures of a family"):
            effect = known[str(measure)] if str(measure) in known else self._effect(measure)
            if effect is not None:
                wrong = self._wrong_or_normal(measure, effect, drawn)
                lists = self.design.lists(effect, 1.0)
                choices.append(FamilyMember.of(measure, at, effect, lists, wrong, judged=judged))
        return tuple(choices)

    def plan(
        self,
        rows: Sequence[PlanRow],
        exponents: Sequence[FamilyMember] = (),
        cutoffs: Sequence[FamilyMember] = (),
    ) -> Plan:
        """Return the answers that rows and families give."""
        ordered = sorted(rows, key=lambda row: -abs(row.effect or 0.0))
        families = tuple(exponents), tuple(cutoffs)
        remarks = (sentences.INDEPENDENT,)
        return Plan(*self.names, "curves", self.design, tuple(ordered), *families, remarks)

    def _enumerated(self, measure: Measure) -> bool:
        """Return whether the probability of the wrong order is known without draws."""
        return one_item(self.a) or enumerable(self.a, measure, self.n)

    def _row(
        self,
        measure: Measure,
        difference: Estimate,
        sd: Estimate,
        known: tuple[LongRun, Length] | None,
        drawn: DrawnOrders | None,
    ) -> PlanRow:
        fields = long_run_fields(*known, self.names) if known else {}
        ahead = known[0].ahead if known else int(difference < 0)
        if not difference:
            fields["reason"] = f"the two means at n = {self.n:g} are equal to within their error bounds"
        elif int(difference < 0) != ahead:
            behind = self.names[int(difference < 0)]
            short = f"on lists of {self.n:,} documents {behind} has the larger mean"
            fields["reason"] = f"{short}; {fields['reason']}" if fields["reason"] else short
        if drawn is not None:
            try:
                fields["wrong"] = self._wrong(measure, ahead, drawn.get(measure))
            except NotAvailableError as error:  # everything else is known
                fields["reason"] = fields.get("reason") or f"the probability of the wrong order is {error}"
        return PlanRow(
            str(measure),
            self.n,
            limits=(limit(self.a, measure).value, limit(self.b, measure).value),
            difference_error=difference.error,
            sd_error=sd.error,
            **fields,
            **self.design.sizes(float(difference), float(sd)),
        )

    def _wrong(self, measure: Measure, ahead: int, drawn: tuple[Counts, Counts] | None) -> WrongOrder:
        """Return P(the scorer that is ahead on long lists is not ahead on one of n items)."""
        pair = better_first((self.a, self.b), ahead)
        return wrong_order(*pair, measure, self.n, drawn[ahead] if drawn else None, self.effort)

    def _effect(self, measure: Measure) -> float | None:
        """Return the effect size to about 1e-3 of its value; None where the variance is 0 or not known."""
        try:
            mean, sd = quick_moments((self.a, self.b), measure, self.n)
        except NotAvailableError:
            return None
        return mean / sd if sd > 0 else None

    def _wrong_or_normal(self, measure: Measure, effect: float, drawn: DrawnOrders | None) -> WrongOrder:
        """Return P(wrong order) where it is exact or enough drawn lists are wrong, else by the normal law."""
        if drawn is not None:
            ahead, counts = int(effect < 0), drawn.get(measure)
            if self._enumerated(measure) or (counts and counts[ahead][0] >= ENOUGH):
                return self._wrong(measure, ahead, counts)
        return WrongOrder.normal(abs(effect))
