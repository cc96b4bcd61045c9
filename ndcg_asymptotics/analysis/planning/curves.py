"""Plan an experiment for two rankers that are described by their relevance curves."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from ndcg_asymptotics.analysis.orders.one_list import (
    ENOUGH,
    SIMULATED,
    Counts,
    WrongOrder,
    draw,
    wrong_order,
)
from ndcg_asymptotics.analysis.planning.design import Design
from ndcg_asymptotics.analysis.planning.outcome import Choice, Plan, PlanRow
from ndcg_asymptotics.analysis.planning.required_length import (
    Length,
    LongRun,
    long_run,
    required_lengths,
)
from ndcg_asymptotics.core.arrays import list_length
from ndcg_asymptotics.core.errors import NotAvailableError, require
from ndcg_asymptotics.core.progress import tracked
from ndcg_asymptotics.core.tables import Estimate
from ndcg_asymptotics.measures import Measure, measures_of
from ndcg_asymptotics.measures.gains import Gain
from ndcg_asymptotics.populations import Population, Scorer
from ndcg_asymptotics.studies.relevant import Relevant, scorer_of
from ndcg_asymptotics.theory.fluctuations.effort import ROUGH
from ndcg_asymptotics.theory.fluctuations.enumeration import enumerable
from ndcg_asymptotics.theory.fluctuations.one_item import one_item
from ndcg_asymptotics.theory.fluctuations.variance import difference_std, moments
from ndcg_asymptotics.theory.limits import limit
from ndcg_asymptotics.theory.mean import expected_ndcg

MEASURES = ("nDCG", "nDCG@10", "nDCG@0.2n", "nDCG(power(0.5))", "nDCG(zipf)", "nDCG(geometric(2))")
"""The measures that are planned for by default."""
EXPONENTS = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0, 1.5, 2.0)
"""The b of the discounts r^-b that are compared."""
CUTOFFS = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)
"""The cutoffs k that are compared."""

_DEFAULT_N = 1000
_INDEPENDENT = (
    "The rankers are taken to score documents independently given the label. Real ones agree more: three "
    "TREC runs (rho 0.65 to 0.75) need about half as many queries by nDCG. `plan --run` measures it"
)


def plan(
    a: Scorer | str,
    b: Scorer | str,
    measures: Measure | str | Sequence[Measure | str] = MEASURES,
    *,
    n: int = _DEFAULT_N,
    gain: Gain = "linear",
    relevant: Relevant | None = None,
    **design: Any,
) -> Plan:
    """Plan an experiment that tells two rankers apart: by which measure, with how many documents and queries.

    Means and standard deviations of the difference on one list of n items are exact to about 1e-6 and 1e-3 of
    their value. The number of queries follows from them, the length of a list from the
    probability of the right order (`required_lengths`).

    Parameters
    ----------
    a, b : Scorer or text
        Scorers with the same label law, independent given the label; those of fitted runs are
        ``empirical("FILE.json")``.
    measures : Measure or text, or several
    n : int
        The length of the lists of each query.
    gain : {"linear", "exp2"}, text or mapping
        The gain of a label y of the scorers: y, 2^y - 1, or that of a table (`measures.gains`).
    relevant : int or mapping, optional
        The number of relevant items of every list, or the probability of each number, as of a study.
    **design
        The fields of `Design`: ``rate``, ``power``, ``alpha``, ``queries``, ``systems``, ``width``.

    Raises
    ------
    InputError
        If the curves are equal or their label laws differ, or a number is out of range.

    >>> found = plan("linear(0.1, 0.7)", "constant(0.4)", ["nDCG", "nDCG@3"], n=100, queries=15)
    >>> [(row.measure, row.required_lists, row.enough) for row in found.rows]
    [('nDCG(log)', 6, True), ('nDCG(log)@3', 18, False)]
    """
    required = Design(**design)
    scorers = Population({"a": scorer_of(a, relevant, gain), "b": scorer_of(b, relevant, gain)}).scorers
    first, second = scorers["a"], scorers["b"]
    size = list_length(n)
    first.check_lengths([size])
    require(first != second, f"both have the relevance curve {first}: no measure tells them apart")
    return _Curves(first, second, size, required).plan(list(dict.fromkeys(measures_of(measures))))


def lengths_for(
    a: Scorer, b: Scorer, measures: Sequence[Measure], rate: float
) -> dict[Measure, tuple[LongRun, Length]]:
    """Return the long run and the required length of the measures for which they are known."""
    runs = {}
    for measure in tracked(measures, "measures"):
        try:
            runs[measure] = long_run(a, b, measure)
        except NotAvailableError:  # no exact variance
            continue
    found = required_lengths(a, b, list(runs), list(runs.values()), rate)
    return {measure: (run, length) for (measure, run), length in zip(runs.items(), found, strict=True)}


def long_run_fields(run: LongRun, length: Length, names: tuple[str, str]) -> dict[str, Any]:
    """Return the fields of a `PlanRow` that a long run and a required length give."""
    low, high = length.between or (None, None)
    return {
        "ahead": names[run.ahead], "long_run": run.rate, "error_exponent": run.end.exponent,
        "why": run.end.reason, "required_n": length.n, "required_n_low": low, "required_n_high": high,
        "required_n_method": length.method, "reason": length.reason or run.reason,
    }  # fmt: skip


class _Curves:
    """Two scorers and the length of lists, for which measures are compared."""

    def __init__(self, a: Scorer, b: Scorer, n: int, design: Design) -> None:
        self.a, self.b, self.n, self.design = a, b, n, design
        self.names = (str(a), str(b))

    def plan(self, measures: list[Measure]) -> Plan:
        moved = {}
        reasons = {}
        for measure in measures:
            try:
                moved[measure] = self.difference(measure)
            except NotAvailableError as error:
                reasons[measure] = str(error)
        lengths = lengths_for(self.a, self.b, list(moved), self.design.rate)
        exponents = {Measure.of(f"nDCG(power({b:g}))"): b for b in EXPONENTS}
        cutoffs = {Measure("log", k): float(k) for k in (*(k for k in CUTOFFS if k < self.n), self.n)}
        sweep = {}
        for measure in tracked([*exponents, *cutoffs], "exponents and cutoffs"):
            if measure in moved:
                mean, sd = map(float, moved[measure])
            else:
                try:
                    mean, variance, *_ = moments((self.a, self.b), measure, self.n, ROUGH)
                except NotAvailableError:
                    continue
                sd = math.sqrt(max(variance, 0.0))
            if sd > 0:
                sweep[measure] = mean / sd
        drawn = self.drawn([*moved, *sweep])
        rows = [
            self.row(m, *moved[m], *lengths[m], drawn.get(m)) if m in moved else PlanRow(
                str(m), self.n, reason=reasons[m]
            )
            for m in measures
        ]  # fmt: skip
        rows.sort(key=lambda row: -abs(row.effect or 0.0))
        return Plan(
            *self.names, "curves", self.design, tuple(rows),
            tuple(self.choice(m, b, sweep[m], drawn.get(m)) for m, b in exponents.items() if m in sweep),
            tuple(
                self.choice(m, k, sweep[m], drawn.get(m), int(k)) for m, k in cutoffs.items() if m in sweep
            ),
            (_INDEPENDENT,),
        )  # fmt: skip

    def difference(self, measure: Measure) -> tuple[Estimate, Estimate]:
        """Return mean and standard deviation of NDCG_n(a) - NDCG_n(b); a mean within its error bound is 0."""
        means = [expected_ndcg(scorer, measure, [self.n], quick=True) for scorer in (self.a, self.b)]
        mean, error = (
            float(means[0].value[0] - means[1].value[0]),
            float(means[0].error[0] + means[1].error[0]),
        )
        sd = difference_std(self.a, self.b, measure, [self.n], quick=True)
        known = mean if abs(mean) > error else 0.0
        return Estimate(known, error), Estimate(float(sd.value[0]), float(sd.error[0]))

    def exact(self, measure: Measure) -> bool:
        """Return whether the probability of the wrong order is known without draws."""
        return one_item(self.a) or enumerable(self.a, measure, self.n)

    def drawn(self, measures: Sequence[Measure]) -> dict[Measure, tuple[Counts, Counts]]:
        """Return what `orders.one_list.draw` counts on lists that all measures share."""
        asked = [m for m in measures if not self.exact(m)]
        if self.n > SIMULATED or not asked:
            return {}
        return dict(zip(asked, draw(self.a, self.b, asked, self.n), strict=True))

    def row(
        self,
        measure: Measure,
        difference: Estimate,
        sd: Estimate,
        run: LongRun,
        length: Length,
        drawn: tuple[Counts, Counts] | None,
    ) -> PlanRow:
        fields = long_run_fields(run, length, self.names)
        if not difference:
            fields["reason"] = f"the two means at n = {self.n:g} are equal to within their error bounds"
        elif int(difference < 0) != run.ahead:
            short = f"on lists of {self.n:,} documents {self.names[int(difference < 0)]} has the larger mean"
            fields["reason"] = f"{short}; {fields['reason']}" if fields["reason"] else short
        return PlanRow(
            str(measure), self.n, limits=(limit(self.a, measure).value, limit(self.b, measure).value),
            difference_error=difference.error, sd_error=sd.error,
            **self.wrong(measure, run.ahead, drawn).fields, **fields,
            **self.design.sizes(float(difference), float(sd)),
        )  # fmt: skip

    def wrong(self, measure: Measure, ahead: int, drawn: tuple[Counts, Counts] | None) -> WrongOrder:
        """Return P(the scorer that is ahead on long lists is not ahead on one of n items)."""
        pair = (self.b, self.a) if ahead else (self.a, self.b)
        return wrong_order(*pair, measure, self.n, drawn[ahead] if drawn else None)

    def choice(
        self,
        measure: Measure,
        at: float,
        effect: float,
        drawn: tuple[Counts, Counts] | None,
        k: int | None = None,
    ) -> Choice:
        ahead = int(effect < 0)
        if self.exact(measure):
            wrong = self.wrong(measure, ahead, None)
        elif drawn and drawn[ahead][0] >= ENOUGH:
            wrong = WrongOrder.counted(*drawn[ahead])
        else:
            wrong = WrongOrder.normal(abs(effect))
        return Choice.of(measure, at, effect, 1.0, wrong, self.design, k)
