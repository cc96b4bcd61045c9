"""How surely a measure tells two scorers apart: at n, and at every n from N on.

Definition 3 of Wang et al. (2013): f_a and f_b are consistently distinguishable if, for one of the
two, P(it has the larger NDCG_n for all n >= N) >= 1 - neg(N), with neg smaller than every power of
1/N. A tie is not a larger value. A study sees n up to n_max only, so "for all n" is "for every n in
[N, n_max]" here; the every-n engine sees each of them, the other engines the grid, and then the
rate is an upper bound and says so.

The scorer that ought to win is the one with the larger exact mean at n_max. Where no exact mean is
known, the first half of the replicates elects it and the second half is counted: never the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import xarray as xr

from ndcg_asymptotics.analysis.orders.distinguish_summary import summary_table
from ndcg_asymptotics.analysis.orders.pairs import orders_of
from ndcg_asymptotics.analysis.orders.rare import weighted_blocks, weighted_fields, weighted_note, words
from ndcg_asymptotics.analysis.orders.rates import CONFIDENCE, Decay, Rate, fit_decay, rate_of
from ndcg_asymptotics.analysis.orders.weighted import FittedExponent, WeightedRate, fit_exponent, join
from ndcg_asymptotics.core.arrays import brief
from ndcg_asymptotics.core.errors import NotAvailableError, require
from ndcg_asymptotics.core.tables import Column, Line, Report, ReportBlock, Table, fixed, general
from ndcg_asymptotics.engines.engine import UNDECIDED
from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.results import Results
from ndcg_asymptotics.theory.cache import user_cache

if TYPE_CHECKING:
    import pandas as pd

_QUANTILES = (0.5, 0.9, 0.99)


@dataclass(frozen=True)
class Pair:
    """What a study shows of one pair and one measure."""

    pair: tuple[str, str]
    measure: str
    right: str | None
    right_from: str
    replicates: int
    points: list[Rate]
    from_n: list[Rate]
    from_n_is_upper_bound: bool
    ties: float
    ties_at_n: list[float]
    undecided: float
    last_wrong: dict[str, float]
    changes: dict[str, float | None]
    decay: Decay
    error_exponent: FittedExponent
    text: str

    @property
    def weighted(self) -> bool:
        """Whether the points are from the rare engine alone."""
        return all(isinstance(point, WeightedRate) for point in self.points)


@dataclass(frozen=True, repr=False)
class Distinction(Report):
    """The outcome of `distinguish`: what a study shows of each pair and measure."""

    study: str
    replicates: int
    replicates_wanted: int
    pairs: list[Pair]

    @property
    def complete(self) -> bool:
        """Whether every wanted replicate was there."""
        return self.replicates == self.replicates_wanted

    def as_dict(self) -> dict[str, Any]:
        """Everything as plain data, for JSON."""
        pairs = [asdict(pair) for pair in self.pairs]
        return {"study": self.study, "complete": self.complete, "confidence": CONFIDENCE, "pairs": pairs}

    def to_dataframe(self) -> pd.DataFrame:
        """A row per pair, measure and n: the rate of the right order at n and from n on, with intervals."""
        import pandas as pd

        return pd.DataFrame(
            {
                "a": pair.pair[0], "b": pair.pair[1], "measure": pair.measure, "right": pair.right, "n": at.n,
                "rate": at.rate, "low": at.low, "high": at.high,
                "rate_from_n": since.rate, "low_from_n": since.low, "high_from_n": since.high,
            }
            for pair in self.pairs
            for at, since in zip(pair.points, pair.from_n, strict=True)
        )  # fmt: skip

    def summary(self) -> Iterator[ReportBlock]:
        """One table with a row for each pair and measure."""
        if not self.complete:
            yield Line(f"INCOMPLETE: {self.replicates} of {self.replicates_wanted} replicates.")
        yield summary_table(self.pairs)

    def blocks(self) -> Iterator[ReportBlock]:
        """A table of rates and a paragraph for each pair and measure."""
        if not self.complete:
            yield Line(f"INCOMPLETE: {self.replicates} of {self.replicates_wanted} replicates.")
        for pair in self.pairs:
            yield from weighted_blocks(pair) if pair.weighted else _pair_blocks(pair)
        if any(pair.weighted for pair in self.pairs):
            yield weighted_note()
        if not all(pair.weighted for pair in self.pairs):
            yield Line(
                f"Intervals: Wilson, {CONFIDENCE:.0%}, for each n alone. A tie counts as a wrong order."
            )


def _pair_blocks(pair: Pair) -> Iterator[ReportBlock]:
    a, b = pair.pair
    every = "at every grid n >= N" if pair.from_n_is_upper_bound else "at every n >= N"
    columns = (
        Column("n or N", general("g")), Column("right at n", fixed(4)), Column("interval", str, 1),
        Column(f"right {every}", fixed(4)), Column("interval ", str, 1),
    )  # fmt: skip
    rows = (
        (at.n, at.rate, _interval(at), since.rate, _interval(since))
        for at, since in _thin(list(zip(pair.points, pair.from_n, strict=True)))
    )
    yield Table(f"{a} against {b}, {pair.measure}", columns, tuple(rows))
    quantiles = ", ".join(f"{float(q):.0%} {n:g}" for q, n in pair.last_wrong.items())
    changes = pair.changes["mean"]
    often = f" Changes of order per stream: {changes:.1f}." if changes is not None else ""
    yield Line(f"Last wrong n, quantiles: {quantiles}.{often}")
    if pair.undecided:
        yield Line(f"Undecided comparisons, counted as wrong: {pair.undecided:.2%}.")
    yield Line(pair.text + "\n")


def _interval(rate: Rate) -> str:
    return f"[{rate.low:.4f}, {rate.high:.4f}]"


def _thin(rows: list[tuple[Rate, Rate]], most: int = 13) -> list[tuple[Rate, Rate]]:
    """At most about a dozen rows, evenly spaced, the last one kept; `as_dict` has them all."""
    step = -(-len(rows) // most)
    return rows[::-1][::step][::-1]


def distinguish(
    results: Results, *, pair: Sequence[str] | None = None, rare: Results | None = None
) -> Distinction:
    """Rates of the right order for the pairs and measures of a study.

    Parameters
    ----------
    results : Results
    pair : two names, optional
        Two scorers; by default all pairs of the study. Of a pair that it does not name the kept NDCG tells
        the order.
    rare : Results, optional
        Of the rare engine, for the same scorers: where they have the same pair and measure their
        points join these, at each n the more precise one, in points and error exponent.

    Raises
    ------
    InputError
        If the study names no pairs and none is given, or it has no such scorers.

    >>> import ndcg_asymptotics as na
    >>> study = na.Study(
    ...     scorers={"good": "linear(0.1, 0.7)", "random": "random"},
    ...     measures="nDCG", n=[10, 100], replicates=50, pairs=[("good", "random")],
    ... )
    >>> (pair,) = distinguish(na.run(study, jobs=1)).pairs
    >>> pair.right, [(point.n, point.low < point.rate < point.high) for point in pair.points]
    ('good', [(10, True), (100, True)])
    """
    study = results.study
    wanted = study.pairs if pair is None else [_two_names(pair)]
    require(bool(wanted), "this study names no pairs: name two of its scorers", "pair")
    found = [
        _pair(orders_of(results, names), results, names, measure)
        for names in wanted
        for measure in study.measures
    ]
    if rare is not None:
        others = distinguish(rare)
        require(all(p.weighted for p in others.pairs), "must be results of the rare engine", "rare")
        require(rare.study.scorers == study.scorers, "must have the same scorers, by name and curve", "rare")
        found = [_joined(one, others.pairs, results) for one in found]
    return Distinction(study.title, results.replicates_complete, results.replicates_wanted, found)


def _joined(one: Pair, others: Sequence[Pair], results: Results) -> Pair:
    """The points of the other results in one curve with these."""
    key = (one.pair, one.measure, one.right)
    for other in others:
        if (other.pair, other.measure, other.right) == key:
            points, from_n = join(one.points, other.points), join(one.from_n, other.from_n)
            found = _fitted_exponent(points, results, one.pair, Measure.parse(one.measure))
            text = f"{one.text} With the rare engine: {words(one.right or '', points, found)}"
            return replace(one, points=points, from_n=from_n, error_exponent=found, text=text)
    return one


def _two_names(pair: Any) -> tuple[str, str]:
    names = tuple(pair) if isinstance(pair, Iterable) and not isinstance(pair, str | bytes) else ()
    two = len(names) == 2 and all(isinstance(name, str) for name in names)
    require(two, f"must be the names of two scorers, got {brief(pair)}", "pair")
    return str(names[0]), str(names[1])


def _pair(data: xr.Dataset, results: Results, pair: tuple[str, str], measure: Measure) -> Pair:
    study, cell = results.study, data.sel(measure=str(measure))
    if "log_weight" in cell:
        return Pair(**weighted_fields(cell, study, pair, measure))
    order = cell["order"].transpose("replicate", "n").to_numpy()
    sign, source = _elect(results, pair, measure)
    if source == "replicates":
        half = len(order) // 2
        votes = np.where(order == UNDECIDED, 0, order)[:half, -1].astype(float).sum()
        sign, order, cell = int(np.sign(votes)), order[half:], cell.isel(replicate=slice(half, None))
        source = "the first half of the replicates, the second half is counted"
    right = {1: pair[0], -1: pair[1], 0: None}[sign]
    sizes = study.n
    correct = (order == sign) if sign else np.zeros(order.shape, dtype=bool)
    exact_last = "last_not_greater" in cell
    if not sign:
        last = np.full(len(order), sizes[-1])
    elif exact_last:
        last = cell["last_not_greater" if sign > 0 else "last_not_less"].to_numpy()
    else:
        last = np.max(np.where(correct, 0, np.asarray(sizes)), axis=1)
    decay = fit_decay(correct, np.asarray(sizes))
    changes = float(cell["changes"].mean()) if "changes" in cell else None
    points = [rate_of(n, correct[:, i]) for i, n in enumerate(sizes)]
    from_n = [rate_of(n, last < n) for n in sizes]
    ties, undecided = float(np.mean(order == 0)), float(np.mean(order == UNDECIDED))
    last_wrong = {f"{q:g}": float(np.quantile(last, q, method="higher")) for q in _QUANTILES}
    text = _words(right, source, points, from_n, not exact_last, decay, ties, len(order))
    exponent = _fitted_exponent(points, results, pair, measure)
    return Pair(
        pair, str(measure), right, source, len(order), points, from_n, not exact_last, ties,
        [float(x) for x in np.mean(order == 0, axis=0)], undecided, last_wrong, {"mean": changes}, decay,
        exponent, text,
    )  # fmt: skip


def _fitted_exponent(
    points: list[Rate], results: Results, pair: tuple[str, str], measure: Measure
) -> FittedExponent:
    try:
        a, b = (results.study.scorers[name].model for name in pair)
        return fit_exponent(points, a, b, measure, user_cache())
    except NotAvailableError as error:  # equal curves, level means, no fixed point
        return FittedExponent(None, None, None, None, None, str(error))


def _elect(results: Results, pair: tuple[str, str], measure: Measure) -> tuple[int, str]:
    """The sign of E[NDCG_a] - E[NDCG_b] at n_max, and where it comes from."""
    scorers, largest = results.study.scorers, results.study.n[-1:]
    if scorers[pair[0]] == scorers[pair[1]]:
        return 0, "the two scorers are the same"
    try:
        a, b = (user_cache().mean(scorers[name], measure, largest) for name in pair)
    except NotAvailableError:
        return 0, "replicates"
    gap, error = float(a.value[0] - b.value[0]), float(a.error[0] + b.error[0])
    return (int(np.sign(gap)), "the exact means") if abs(gap) > error else (0, "replicates")


def _words(
    right: str | None,
    source: str,
    points: list[Rate],
    from_n: list[Rate],
    upper_bound: bool,
    decay: Decay,
    ties: float,
    replicates: int,
) -> str:
    if right is None:
        reason = "they have the same relevance curve" if "same" in source else "their means do not differ"
        tied = f"{ties:.1%} of all comparisons are ties"
        return f"Neither ought to win ({reason}), so no order is right; {tied}."
    end = points[-1]
    shown = f"{right} ought to win ({source}). "
    shown += f"At n = {end.n:g} it does in {end.rate:.4f} [{end.low:.4f}, {end.high:.4f}]"
    all_n = [p for p in from_n if p.rate >= 0.99]
    kind = "at every grid point, an upper bound for every n," if upper_bound else "at every n"
    if all_n:
        shown += f"; from N = {all_n[0].n:g} on it is ahead {kind} up to {end.n:g} in {all_n[0].rate:.4f}"
    else:
        half = from_n[len(from_n) // 2]
        shown += f"; from N = {half.n:g} on it is ahead {kind} up to {end.n:g} in only {half.rate:.4f}"
    falls = f"The rate of the wrong order {decay.verdict}"
    if decay.first is not None and decay.second is not None:
        falls += f" (n^{-decay.first:.2f}, then n^{-decay.second:.2f})"
    caveat = f"{replicates} replicates cannot see rates below {3 / replicates:.1g}, "
    caveat += f"nor what happens beyond n = {end.n:g}"
    return f"{shown}. {falls}; {caveat}."
