"""The results of a study for one pair of scorers and one measure, as a record, in tables and in words."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ndcg_asymptotics.core.defaults import LEVEL
from ndcg_asymptotics.core.rows import Column, fixed, general
from ndcg_asymptotics.core.tables import Line, ReportBlock, Table
from ndcg_asymptotics.core.text import listed
from ndcg_asymptotics.orders.probability import log10_text
from ndcg_asymptotics.orders.weighted import (
    LARGEST_SHARE,
    LEAST_EFFECTIVE,
    FittedExponent,
    WeightedRate,
)
from ndcg_asymptotics.stats.rates import SETTLED_BEYOND, SETTLED_RATE, Decay, Rate, settled_from

OFTEN = 0.95
"""Rate of the right order at one n that a sentence calls often."""

_MOST_ROWS, _SIZES = 13, 7  # of a table
_FLAT = 0.03  # exponents below this count as 0


@dataclass(frozen=True)
class Pair:
    """The results of a study for one pair and one measure.

    Attributes
    ----------
    right : str or None
        The scorer that ought to be ahead, as ``right_from`` says; None if no order counts as right, for the
        reason in ``right_from``.
    points, from_n : list of Rate
        Rates of the right order at n, and at every n from N on.
    from_n_is_upper_bound : bool
        Whether ``from_n`` knows the n of the study only.
    ties, ties_at_n, undecided
        Shares of all comparisons, and of those at each n.
    last_wrong : dict
        Quantiles of the last n with a wrong order; the largest n where it may be larger.
    changes : dict
        The mean number of changes of the order per replicate, if the engine counts them.
    long_run : float or None
        The limit of the rate of the right order, where it is known.
    text : str
        All of this in a paragraph.
    """

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
    long_run: float | None
    text: str

    @property
    def weighted(self) -> bool:
        """Whether all rates are from the rare engine."""
        return all(isinstance(point, WeightedRate) for point in self.points)

    @property
    def settled_from(self) -> int | None:
        """The first n from which on the order is settled, as `rates.settled_from` says; None without one."""
        return None if self.right is None else settled_from(self.from_n)

    @property
    def behind(self) -> str:
        """The other one of the two scorers than ``right``."""
        return self.pair[1] if self.right == self.pair[0] else self.pair[0]

    @property
    def often_from(self) -> int | None:
        """The first n from which on, to the largest, 95% of the replicates have the right order; or None."""
        first = None
        for rate in reversed(self.points):
            if not rate.rate >= OFTEN:
                break
            first = rate.n
        return first

    @property
    def wrong(self) -> float:
        """The rate of the wrong order at the largest n, without ties; not a number if no order counts."""
        return float(np.maximum(1 - self.points[-1].rate - self.ties_at_n[-1], 0.0))

    def blocks(self) -> Iterator[ReportBlock]:
        """Return the table of rates at every n, for which studies of orders are run, and the paragraph."""
        if self.right is None:
            yield Line(f"{self._title}: {self.text}\n")
            return
        yield self._weighted_table() if self.weighted else self._table()
        if self.weighted:
            left = [at.n for at in self.points if isinstance(at, WeightedRate) and at.undecided == 1]
            if left:
                yield Line(f"Probabilities below 1e-130, from n = {left[0]:g} on, are not estimated.")
            if self.undecided:
                share = f"{self.undecided:.2%}"
                yield Line(f"Undecided comparisons, counted in the upper end of the interval: {share}.")
        else:
            longest = self.points[-1].n
            quantiles = ", ".join(
                f"{float(q):.0%} {n:g}{' or more' if n >= longest else ''}"
                for q, n in self.last_wrong.items()
            )
            changes = self.changes["mean"]
            often = "" if changes is None else f" The order changes {changes:.1f} times per replicate."
            yield Line(f"Quantiles of the last n with a wrong order: {quantiles}.{often}")
            if self.undecided:
                yield Line(f"Undecided comparisons, counted as wrong: {self.undecided:.2%}.")
        yield Line(self.text + "\n")

    def _table(self) -> Table:
        scope = "at every grid n >= N" if self.from_n_is_upper_bound else "at every n >= N"
        columns = (
            Column("n or N", general("g")),
            Column("right at n", fixed(4)),
            Column("95% interval", str, 1),
            Column(f"right {scope}", fixed(4)),
            Column("95% interval ", str, 1),
        )
        rows = tuple(
            (at.n, _number(at.rate), _interval(at), _number(since.rate), _interval(since))
            for at, since in zip(self.points, self.from_n, strict=True)
        )
        return Table(self._title, columns, tuple(rows[i] for i in _evenly(len(rows), _MOST_ROWS)))

    def _weighted_table(self) -> Table:
        columns = (
            Column("n or N", general("g")),
            Column("log10 P(wrong at n)", str),
            Column("relative standard error", fixed(3)),
            Column("effective sample size", general(".0f")),
            Column("log10 P(wrong at a grid n >= N)", str),
        )
        rows = tuple(
            (at.n, _log10(at), at.relative_se, at.effective_sample_size, _log10(since))
            for at, since in zip(self.points, self.from_n, strict=True)
            if isinstance(at, WeightedRate) and at.undecided < 1
        )
        return Table(self._title, columns, rows)

    @property
    def _title(self) -> str:
        return f"{self.pair[0]} against {self.pair[1]}, {self.measure}"


def _summary(pairs: Sequence[Pair]) -> Table:
    """Return a table of the comparisons at the largest n."""
    columns = (
        Column("pair"),
        Column("measure"),
        Column("n", general("g"), 2),
        Column("right", fixed(4)),
        Column("95% interval", str, 1),
        Column("tied", fixed(4)),
        Column("wrong", fixed(4)),
        Column("settled from n", general("g")),
        Column("wrong in the long run", fixed(2), 1),
        # e, with P(wrong order at n) = exp(-n^(e + o(1)))
        Column("error exponent", general(".3g"), 2),
        Column("the rate of the wrong order", None, 3, fold=True),
    )
    rows = tuple(
        (
            " and ".join(pair.pair) if pair.right is None else _order_text(pair),
            pair.measure,
            pair.points[-1].n,
            _number(pair.points[-1].rate),
            _interval(pair.points[-1]) if pair.right else None,
            pair.ties_at_n[-1],
            _number(pair.wrong),
            pair.settled_from,
            None if pair.long_run is None else 1 - pair.long_run,
            pair.error_exponent.predicted,
            pair.decay.verdict,
        )
        for pair in pairs
    )
    return Table("At the largest n", columns, rows)


PairAtPoint = tuple[Sequence[float], Pair]
"""The values of the parameters at a point of a grid, () of a study, and a pair under a measure there."""


def overview(
    rows: Sequence[PairAtPoint],
    table: Callable[[Sequence[PairAtPoint], Callable[[list[Pair]], Table]], Table],
    name: Callable[[PairAtPoint], str] | None = None,
) -> Iterator[ReportBlock]:
    """Yield a sentence and a table of rates against n for each two scorers, and a table of the largest n.

    ``table`` makes tables as `results.grid.table_of_points`, and ``name`` is what a sentence calls a row of a
    grid.
    """
    answers = _by_order(rows)
    if answers:
        sentences = [
            _answer([pair for _, pair in group]) if name is None else _answer_of_points(group, name)
            for group in answers
        ]
        yield Line("\n".join(sentences) + "\n")
    if equal := [(values, pair) for values, pair in rows if pair.right is None]:
        pairs = [replace(pair, measure=name((v, pair))) if name else pair for v, pair in equal]
        yield Line("\n".join(_no_right_order(pairs)) + "\n")
    for group in answers:
        yield table(group, _rates_table)
    yield replace(table(rows, _summary), detail=bool(answers))


def _by_order(rows: Sequence[PairAtPoint]) -> list[list[PairAtPoint]]:
    """Return the rows of each two scorers and their right order, of those that have one."""
    groups: dict[tuple[tuple[str, str], str], list[PairAtPoint]] = {}
    for values, pair in rows:
        if pair.right is not None and not math.isnan(pair.points[-1].rate):
            groups.setdefault((pair.pair, pair.right), []).append((values, pair))
    return list(groups.values())


def _answer_of_points(rows: Sequence[PairAtPoint], name: Callable[[PairAtPoint], str]) -> str:
    """Return where in a grid the right order of two scorers shows soonest, and where least often."""

    def rate(row: PairAtPoint) -> float:
        return row[1].points[-1].rate

    end, least, most = rows[0][1].points[-1].n, min(rows, key=rate), max(rows, key=rate)
    text = f"at n = {end:,} most often by {name(most)}, in {rate(most):.1%} of the replicates"
    if often := [(n, row) for row in rows if (n := row[1].often_from) is not None]:
        n, soonest = min(often, key=lambda item: item[0])
        text = f"soonest by {name(soonest)}, in at least {OFTEN:.0%} of the replicates from n = {n:,} on"
    if rate(least) < 1:
        text += f"; at n = {end:,} least often by {name(least)}, in {rate(least):.1%}"
    return f"{_order_text(rows[0][1])}: {text}."


def _evenly(count: int, most: int) -> range:
    """Return at most so many positions, evenly spaced, with the last one.

    >>> list(_evenly(10, 4)), list(_evenly(3, 4))
    ([0, 3, 6, 9], [0, 1, 2])
    """
    step = -(-count // most)
    return range((count - 1) % step, count, step)


def _order_text(pair: Pair) -> str:
    """Return the right order of two scorers, such as "strong > weak"."""
    return f"{pair.right} > {pair.behind}"


def _answer(pairs: Sequence[Pair]) -> str:
    """Return from which n on measures show the right order of two scorers often, and how often others do."""
    often: dict[int, list[str]] = {}
    rarely = []
    for pair in pairs:
        if (n := pair.often_from) is not None:
            often.setdefault(n, []).append(pair.measure)
        else:
            end = pair.points[-1]
            limit = "" if pair.long_run is None else f" ({pair.long_run:.0%} in the long run)"
            rarely.append(f"by {pair.measure} in {end.rate:.1%}{limit}")
    parts = [f"by {listed(measures)} from n = {n:,} on" for n, measures in sorted(often.items())]
    clauses = [f"in at least {OFTEN:.0%} of the replicates {listed(parts)}"] if parts else []
    if rarely:
        clauses.append(f"at n = {pairs[0].points[-1].n:,} {listed(rarely)}")
    return f"{_order_text(pairs[0])}: {'; '.join(clauses)}."


def _no_right_order(pairs: Sequence[Pair]) -> Iterator[str]:
    """Yield a sentence for each two scorers and each reason why no order of theirs counts as right."""
    measures: dict[tuple[tuple[str, str], str], list[str]] = {}
    for pair in pairs:
        measures.setdefault((pair.pair, pair.right_from), []).append(pair.measure)
    for ((a, b), reason), names in measures.items():
        yield f"No order of {a} and {b} counts as right by {', '.join(names)}: {reason}."


def settled_sentence(pairs: Sequence[Pair]) -> str:
    """Return how many orders are settled from some n on, and which one from the smallest n on."""
    settled = [(n, pair) for pair in pairs if (n := pair.settled_from) is not None]
    largest = pairs[0].points[-1].n
    if not settled:
        return (
            "No order is shown to settle: from no list length up to "
            f"{largest / SETTLED_BEYOND:g} on does the right scorer stay ahead, up to n = {largest:g}, in "
            f"{SETTLED_RATE:.0%} of the replicates by the lower end of the {LEVEL:.0%} interval."
        )
    n, pair = min(settled, key=lambda item: item[0])
    (since,) = (rate for rate in pair.from_n if rate.n == n)
    return (
        f"In {len(settled)} of {len(pairs)} comparisons the order settles: from some list length on, the "
        f"right scorer stays ahead in {SETTLED_RATE:.0%} of the replicates, up to n = {largest:g}. It does "
        f"so first with {pair.measure}, which puts {pair.right} ahead of {pair.behind} from n = {n:g} on in "
        f"{since.rate:.4f} [{since.low:.4f}, {since.high:.4f}] of the replicates."
    )


def _rates_table(pairs: Sequence[Pair]) -> Table:
    """Return the rates of the right order of two scorers: a row for each measure, a column for each n."""
    sizes = [rate.n for rate in pairs[0].points]
    positions = _evenly(len(sizes), _SIZES)
    percent = "{:.1%}".format
    columns = (
        Column("measure"),
        *(Column(f"{sizes[i]:g}", percent) for i in positions),
        Column("95% interval", "±{:.1%}".format, 1),
        Column("long run", "{:.0%}".format, 1),
        Column(f"{OFTEN:.0%} from n", general(","), 1),
        Column("settled from n", general(","), 1, optional=True),
    )
    rows = tuple(
        (
            pair.measure,
            *(pair.points[i].rate for i in positions),
            max(pair.points[i].high - pair.points[i].low for i in positions) / 2,
            pair.long_run,
            pair.often_from,
            pair.settled_from,
        )
        for pair in pairs
    )
    title = f"{_order_text(pairs[0])}: share of the replicates with the right order, by n"
    return Table(title, columns, rows)


def notes(pairs: Sequence[Pair]) -> Iterator[Line]:
    """Return what the numbers of the tables mean."""
    if any(pair.weighted for pair in pairs):
        yield Line(
            "Probabilities of a wrong order are means of importance weights. The effective sample size of "
            f"weights w is (sum w)^2 / sum w^2. An estimate is not reliable if it is below "
            f"{LEAST_EFFECTIVE:g} or one draw has more than {LARGEST_SHARE:.0%} of the weight. --json has "
            f"{LEVEL:.0%} intervals.",
            detail=True,
        )
    if not all(pair.weighted for pair in pairs):
        text = f"Intervals are Wilson's, at {LEVEL:.0%} for each n alone. A tie counts as a wrong order."
        yield Line(text, detail=True)


def paragraph(pair: Pair) -> str:
    """Return what plain replicates show, in words."""
    if pair.right is None:
        ties = f"{pair.ties:.1%} of all comparisons are ties"
        return f"Neither ought to win ({pair.right_from}), so no order counts as right; {ties}."
    end, decay = pair.points[-1], pair.decay
    middle = pair.from_n[len(pair.from_n) // 2]
    since = next((rate for rate in pair.from_n if rate.n == pair.settled_from), middle)
    scope = "at every grid point (an upper bound for every n)" if pair.from_n_is_upper_bound else "at every n"
    text = (
        f"{pair.right} ought to win (according to {pair.right_from}). At n = {end.n:g} it is ahead in "
        f"{end.rate:.4f} [{end.low:.4f}, {end.high:.4f}] of the replicates; from N = {since.n:g} to "
        f"{end.n:g} it is ahead {scope} in {since.rate:.4f} [{since.low:.4f}, {since.high:.4f}]. The rate of "
        f"the wrong order {decay.verdict}"
    )
    if decay.first is not None and decay.second is not None and decay.interval is not None:
        low, high = decay.interval
        text += (
            f" (n^{-decay.first:.2f}, then n^{-decay.second:.2f}; interval of the change: {-high:+.2f} to "
            f"{-low:+.2f})"
        )
    text += (
        f"; {pair.replicates} replicates cannot detect rates below {3 / pair.replicates:.1g}, nor anything "
        f"beyond n = {end.n:g}."
    )
    if pair.long_run is None:
        return text
    return f"{text} According to theory the rate of the wrong order tends to {round(1 - pair.long_run, 2):g}."


def weighted_paragraph(right: str, points: Sequence[Rate], fit: FittedExponent) -> str:
    """Return what weighted draws show, in words."""
    text = f"{right} ought to win (according to the mean DCGs). "
    reliable = [
        (point.n, point.log10_wrong) for point in points if point.reliable and point.log10_wrong is not None
    ]
    if reliable:
        n, log10_wrong = reliable[-1]
        text += f"At n = {n:g} the order is wrong with probability {log10_text(log10_wrong, 2)}. "
    over = f" from n = {fit.range[0]:g} to {fit.range[1]:g}" if fit.range else ""
    limit = "no theorem gives it" if fit.predicted is None else f"it is {fit.predicted:.3g}"
    return (
        f"{text}The rate of the wrong order {exponent_verdict(fit, points)}{over}; in the limit {limit} "
        f"({fit.reason})."
    )


def exponent_verdict(fit: FittedExponent, points: Sequence[Rate] = ()) -> str:
    """Return the fitted error exponent of rates in words."""
    if fit.exponent is None or fit.interval is None:
        return "is known at too few list lengths to tell how fast it falls"
    low, high = fit.interval
    interval = f"[{low:.2f}, {high:.2f}]"
    if low >= _FLAT:
        return f"falls like exp(-n^{fit.exponent:.2f}) {interval}"
    if high < _FLAT:
        start = "does not fall"
    elif _falls([point for point in points if fit.range and fit.range[0] <= point.n <= fit.range[1]]):
        start = "falls, but it cannot be told how fast"
    else:
        start = "cannot be told from one that does not fall"
    return f"{start}: -log P(wrong) grows like n^{fit.exponent:.2f} {interval}"


def _falls(points: Sequence[Rate]) -> bool:
    """Return whether the last probability of a wrong order is below the first, with 95% intervals apart."""
    logs = [
        (point.log10_wrong, point.log10_error)
        for point in points
        if point.reliable and point.log10_wrong is not None
    ]
    return len(logs) > 1 and logs[-1][0] + logs[-1][1] < logs[0][0] - logs[0][1]


def _number(value: float) -> float | None:
    return None if math.isnan(value) else value


def _interval(rate: Rate) -> str:
    return "not reliable" if math.isnan(rate.rate) else f"[{rate.low:.4f}, {rate.high:.4f}]"


def _log10(point: Rate) -> str:
    return f"{point.log10_wrong:.2f}" if point.log10_wrong is not None else "not reliable"
