"""Rates at which a measure orders two scorers correctly: at n, and at every n from N on.

Definition 3 of Wang et al. (2013): f_a and f_b are consistently distinguishable if, for one of the
two, P(it has the larger NDCG_n for all n >= N) >= 1 - neg(N), with neg smaller than every power of
1/N. A tie is not a larger value. A study reaches n_max only, so here "for all n" means "for every n in
[N, n_max]". The every-n engine visits each of them. The other engines visit the grid, so that their rate is
an upper bound, and is reported as one.

The scorer that ought to win is the one with the larger exact mean at n_max. If the exact means are equal, no
order counts as right. Where no exact mean is known, a sign test on the first half of the replicates chooses
the winner, if it can tell, and only the second half is counted.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, ClassVar, TypedDict, Unpack, overload

import numpy as np
from scipy.special import bdtr

from ndcg_asymptotics.core.arrays import Array, brief, require_flag
from ndcg_asymptotics.core.defaults import LEVEL
from ndcg_asymptotics.core.errors import InputError, NotAvailableError, require
from ndcg_asymptotics.core.progress import tracked
from ndcg_asymptotics.core.rows import HIDDEN, Data, computed_value
from ndcg_asymptotics.core.tables import Line, Report, ReportBlock
from ndcg_asymptotics.core.text import did_you_mean
from ndcg_asymptotics.engines.engine import UNDECIDED
from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.orders.long_run import long_run
from ndcg_asymptotics.orders.pair import (
    Pair,
    PairAtPoint,
    exponent_verdict,
    notes,
    overview,
    paragraph,
    weighted_paragraph,
)
from ndcg_asymptotics.orders.weighted import FittedExponent, fit_exponent, rates_from_n_on, weighted_rate
from ndcg_asymptotics.populations import Independent
from ndcg_asymptotics.results import Results
from ndcg_asymptotics.results.grid import GridReport, GridResults, table_of_points
from ndcg_asymptotics.results.opening import opened
from ndcg_asymptotics.stats.rates import Decay, Rate, fit_decay, rate_of
from ndcg_asymptotics.theory.mean import expected_ndcg
from ndcg_asymptotics.theory.orders import tilt

if TYPE_CHECKING:
    import pandas as pd

_QUANTILES = (0.5, 0.9, 0.99)  # of the last n with a wrong order
_BY_VOTE = "the first half of the replicates"
_VOTED = f"{_BY_VOTE}, the second half is counted"
_VOTE_ALPHA = 0.01  # of the sign test that chooses the right scorer where no exact mean is known


@dataclass(frozen=True, repr=False)
class Distinction(Report):
    """The outcome of `distinguish`: what a study shows of each pair and measure."""

    json_kind: ClassVar[str] = "distinguish"

    study: str
    replicates: Annotated[int, HIDDEN]
    replicates_wanted: Annotated[int, HIDDEN]
    pairs: list[Pair]

    @computed_value(Data())
    def complete(self) -> bool:
        """Whether every requested replicate was complete."""
        return self.replicates == self.replicates_wanted

    @computed_value(Data())
    def confidence(self) -> float:
        """The level of the intervals."""
        return LEVEL

    def to_dataframe(self) -> pd.DataFrame:
        """Return the rates of the right order at n and from n on, a row per pair, measure and n."""
        import pandas as pd

        return pd.DataFrame(
            {
                "a": pair.pair[0],
                "b": pair.pair[1],
                "measure": pair.measure,
                "right": pair.right,
                **{name: getattr(at, name) for name in ("n", "rate", "low", "high")},
                **{f"{name}_from_n": getattr(since, name) for name in ("rate", "low", "high")},
            }
            for pair in self.pairs
            for at, since in zip(pair.points, pair.from_n, strict=True)
        )

    def blocks(self) -> Iterator[ReportBlock]:
        """Return for each two scorers a sentence and a table of rates; weighted rates have one by measure."""
        yield from self._answers()
        yield from notes(self.pairs)

    def long(self) -> Iterator[ReportBlock]:
        """Return the same, and for each pair and measure its rates at every n in a table, and a paragraph."""
        yield from self._answers()
        for pair in self.pairs:
            if not pair.weighted:
                yield from pair.blocks()
        yield from notes(self.pairs)

    def _answers(self) -> Iterator[ReportBlock]:
        if not self.complete:
            yield Line(f"INCOMPLETE: {self.replicates} of {self.replicates_wanted} replicates.")
        if plain := [((), pair) for pair in self.pairs if not pair.weighted]:
            yield from overview(plain, partial(table_of_points, ()))
        for pair in self.pairs:
            if pair.weighted:
                yield from pair.blocks()


@dataclass(frozen=True, eq=False, repr=False)
class GridDistinction(GridReport[Distinction]):
    """The outcome of `distinguish` of a grid: that of the study at every point."""

    json_kind: ClassVar[str] = "grid distinguish"

    def blocks(self) -> Iterator[ReportBlock]:
        """Return for each two scorers a sentence and a table of rates, with the values of the parameters."""
        if not self.complete:
            yield Line(f"INCOMPLETE: {self.state}.")
        rows = [(values, pair) for values, point in self.points.items() for pair in point.pairs]
        if plain := [(values, pair) for values, pair in rows if not pair.weighted]:
            yield from overview(plain, self.table, self._name)
        for values, pair in rows:
            if pair.weighted:
                yield Line(self.axes.name(values), "bold")
                yield from pair.blocks()
        yield from notes([pair for _, pair in rows])

    def _name(self, row: PairAtPoint) -> str:
        return f"{row[1].measure} ({self.axes.name(row[0])})"


class _Options(TypedDict, total=False):
    pair: Sequence[str] | None
    exponents: bool


@overload
def distinguish(results: Results, **options: Unpack[_Options]) -> Distinction: ...
@overload
def distinguish(results: GridResults, **options: Unpack[_Options]) -> GridDistinction: ...
@overload
def distinguish(
    results: Results | GridResults | str | Path, **options: Unpack[_Options]
) -> Distinction | GridDistinction: ...
def distinguish(
    results: Results | GridResults | str | Path,
    *,
    pair: Sequence[str] | None = None,
    exponents: bool = True,
) -> Distinction | GridDistinction:
    """Estimate how often the right order of two scorers is observed, for the pairs and measures of a study.

    Parameters
    ----------
    results : Results, GridResults, or the path of their folder
    pair : two names, optional
        Two scorers; by default all pairs of the study. The order of a pair that the study does not name
        follows from the NDCG in the results.
    exponents : bool
        Whether to fit and predict error exponents of plain replicates, which takes most of the time.

    Raises
    ------
    InputError
        If the study names no pairs and none is given, or it has no such scorers, or the results hold no NDCG.

    >>> import ndcg_asymptotics as na
    >>> study = na.Study(
    ...     scorers={"good": "linear(0.1, 0.7)", "random": "random"},
    ...     measures="nDCG", n=[10, 100], replicates=50, pairs=[("good", "random")],
    ... )
    >>> (pair,) = distinguish(na.run(study, jobs=1)).pairs
    >>> pair.right, [(point.n, point.low < point.rate < point.high) for point in pair.points]
    ('good', [(10, True), (100, True)])
    """
    results = opened(results)
    require_flag(exponents, "exponents")
    if isinstance(results, GridResults):
        points = results.with_replicates(1)
        distinctions = {
            values: distinguish(point, pair=pair, exponents=exponents)
            for values, point in tracked(points.items(), "points")
        }
        return GridDistinction(results.axes, distinctions)
    study = results.study
    named_pairs = study.pairs if pair is None else [_two_names(pair)]
    require(bool(named_pairs), "this study names no pairs: name two of its scorers", "pair")
    pairs = [
        _pair(orders_of(results, names, measure), results, names, measure, exponents)
        for names in named_pairs
        for measure in study.measures
    ]
    return Distinction(study.title, results.replicates_complete, results.replicates_wanted, pairs)


def _two_names(pair: object) -> tuple[str, str]:
    names = tuple(pair) if isinstance(pair, Iterable) and not isinstance(pair, str | bytes) else ()
    two = len(names) == 2 and all(isinstance(name, str) for name in names)
    require(two, f"must be the names of two scorers, got {brief(pair)}", "pair")
    return str(names[0]), str(names[1])


def orders_of(results: Results, pair: tuple[str, str], measure: Measure) -> dict[str, Array]:
    """Return the arrays (replicate, n), or (replicate,), that tell the order of a pair, by name.

    The order of a pair that the study does not name is the sign of the difference of its NDCG. It is
    `UNDECIDED` where brackets overlap; an engine that knows of the pair narrows them until they do not.

    Raises
    ------
    InputError
        If a name is none of the study's scorers, or the results hold no NDCG.
    """
    study = results.study
    if pair in study.pairs:
        return results.of_pair(pair, measure)
    a, b = pair
    for name in pair:
        if name not in study.scorers:
            near = did_you_mean(name, study.scorers) or ","
            names_text = ", ".join(study.scorers)
            raise InputError(f"{name} is no scorer of this study{near} expected two of: {names_text}", "pair")
    require(a != b, f"a pair needs two different scorers, got {a} twice", "pair")
    pairs_text = "; ".join(" ".join(names) for names in study.pairs)
    lacking = f"the {study.engine} engine keeps no NDCG, only the orders of: {pairs_text}"
    require("ndcg" in results.values, lacking, "pair")
    arrays = (results.of_scorer(name, measure) for name in pair)
    (low_a, high_a), (low_b, high_b) = (
        (values.get("low", values["ndcg"]), values.get("high", values["ndcg"])) for values in arrays
    )
    # brackets that overlap leave the order open
    ahead, behind = low_a > high_b, high_a < low_b
    tied = (low_a == high_b) & (high_a == low_b)
    unknown = ~(ahead | behind | tied)
    return {"order": ahead.astype(np.int8) - behind.astype(np.int8) + unknown * np.int8(UNDECIDED)}


def _pair(
    cell: dict[str, Array],
    results: Results,
    pair: tuple[str, str],
    measure: Measure,
    exponents: bool,
) -> Pair:
    """Count the right orders of plain replicates; weigh those that are drawn from a tilted law."""
    if "log_weight" in cell:
        return _weighted_pair(cell, results, pair, measure)
    order = cell["order"]
    sign, source = _elect(results, pair, measure)
    if source == _BY_VOTE:
        # the half that elects the right scorer cannot also say how often it is ahead
        half = len(order) // 2
        sign = _winner(order[:half, -1])
        source = _VOTED if sign else f"{_BY_VOTE} does not tell which one is ahead more often"
        order, cell = order[half:], {name: array[half:] for name, array in cell.items()}
    right = {1: pair[0], -1: pair[1], 0: None}[sign]
    sizes = results.study.n
    exact_last = "last_not_greater" in cell
    if sign:
        correct = order == sign
        if exact_last:
            last = cell["last_not_greater" if sign > 0 else "last_not_less"]
        else:
            # at the lengths of the study only, so that from_n is an upper bound
            last = np.max(np.where(correct, 0, np.asarray(sizes)), axis=1)
        points = [rate_of(n, correct[:, i]) for i, n in enumerate(sizes)]
        from_n = [rate_of(n, last < n) for n in sizes]
        last_wrong = {f"{q:g}": float(np.quantile(last, q, method="higher")) for q in _QUANTILES}
        decay = fit_decay(correct, np.asarray(sizes))
    else:
        points = from_n = [Rate(n, math.nan, math.nan, math.nan) for n in sizes]
        last_wrong, decay = {}, Decay("is not defined, because no order counts as right")
    exponent = (
        _fitted_exponent(points, results, pair, measure)
        if exponents
        else FittedExponent(None, None, None, None, "not computed")
    )
    outcome = Pair(
        pair=pair,
        measure=str(measure),
        right=right,
        right_from=source,
        replicates=len(order),
        points=points,
        from_n=from_n,
        from_n_is_upper_bound=not exact_last,
        ties=float(np.mean(order == 0)),
        ties_at_n=[float(x) for x in np.mean(order == 0, axis=0)],
        undecided=float(np.mean(order == UNDECIDED)),
        last_wrong=last_wrong,
        changes={"mean": float(cell["changes"].mean()) if "changes" in cell else None},
        decay=decay,
        error_exponent=exponent,
        long_run=_long_run(results, pair, measure, right) if exponents else None,
        text="",
    )
    return replace(outcome, text=paragraph(outcome))


def _weighted_pair(cell: dict[str, Array], results: Results, pair: tuple[str, str], measure: Measure) -> Pair:
    """Estimate the rates of wrong orders from the weighted draws of the rare engine."""
    study = results.study
    order, log_weight, last = (cell[name] for name in ("order", "log_weight", "last"))
    a, b = (study.scorers[name].model for name in pair)
    leader = tilt(a, b, measure, study.n[-1]).leader
    right = pair[0] if leader > 0 else pair[1]
    unknown = order == UNDECIDED
    wrong = (order != leader) & ~unknown
    points: list[Rate] = [
        weighted_rate(n, log_weight[:, k], wrong[:, k], unknown[:, k]) for k, n in enumerate(study.n)
    ]
    has_draws = ~unknown.all(axis=0)  # at other sizes a wrong order is too improbable to count
    from_n = rates_from_n_on(study.n, log_weight, (last == 1) & has_draws, (last < 0) & has_draws)
    undecided = float(unknown[:, has_draws].mean()) if has_draws.any() else 1.0
    exponent = fit_exponent(points, a, b, measure)
    return Pair(
        pair=pair,
        measure=str(measure),
        right=right,
        right_from="the mean DCGs",
        replicates=len(order),
        points=points,
        from_n=list(from_n),
        from_n_is_upper_bound=True,
        ties=float(np.mean(order == 0)),
        ties_at_n=[float(x) for x in np.mean(order == 0, axis=0)],
        undecided=undecided,
        last_wrong=_settled(from_n, study.n),
        changes={"mean": None},
        decay=Decay(exponent_verdict(exponent, points), range=exponent.range),
        error_exponent=exponent,
        long_run=None,
        text=weighted_paragraph(right, points, exponent),
    )


def _settled(from_n: Sequence[Rate], sizes: Sequence[int]) -> dict[str, float]:
    """Return the last grid size before the order stays right with each probability; infinite if none does."""
    last_wrong = {}
    for q in _QUANTILES:
        reliable = [p.n for p in from_n if p.reliable and p.rate >= q]
        before = [n for n in sizes if reliable and n < reliable[0]]
        last_wrong[f"{q:g}"] = float(before[-1] if before else 0) if reliable else math.inf
    return last_wrong


def _fitted_exponent(
    points: list[Rate], results: Results, pair: tuple[str, str], measure: Measure
) -> FittedExponent:
    try:
        a, b = (results.study.scorers[name].model for name in pair)
        return fit_exponent(points, a, b, measure)
    except NotAvailableError as error:  # equal curves, level means, no fixed point
        return FittedExponent(None, None, None, None, str(error))


def _long_run(results: Results, pair: tuple[str, str], measure: Measure, right: str | None) -> float | None:
    """Return the limit of the rate of the right order if that is known."""
    population, scorers = results.study.population, results.study.scorers
    if right is None or not isinstance(population.coupling, Independent):
        return None
    try:
        order = long_run(scorers[pair[0]].model, scorers[pair[1]].model, measure)
    except NotAvailableError:
        return None
    return order.rate if pair[order.ahead] == right else None


def _elect(results: Results, pair: tuple[str, str], measure: Measure) -> tuple[int, str]:
    """Return the sign of E[NDCG_a] - E[NDCG_b] at n_max, 0 if they are equal, and how it is known."""
    scorers, largest = results.study.scorers, results.study.n[-1:]
    if scorers[pair[0]] == scorers[pair[1]]:
        return 0, "they have the same relevance curve"
    try:
        a, b = (expected_ndcg(scorers[name], measure, largest) for name in pair)
    except NotAvailableError:
        return 0, _BY_VOTE
    gap, error = float(a.value[0] - b.value[0]), float(a.error[0] + b.error[0])
    if abs(gap) > error:
        return int(np.sign(gap)), "the exact means"
    return 0, f"their exact means at n = {largest[0]:g} are equal up to their error"


def _winner(orders: Array) -> int:
    """Return the order that is significantly more frequent among some replicates, 0 if none is.

    >>> _winner(np.array([1] * 20 + [-1] * 4)), _winner(np.array([1] * 13 + [-1] * 11))
    (1, 0)
    """
    ahead, behind = int(np.sum(orders == 1)), int(np.sum(orders == -1))
    if ahead == behind or 2 * bdtr(min(ahead, behind), ahead + behind, 0.5) > _VOTE_ALPHA:
        return 0
    return 1 if ahead > behind else -1
