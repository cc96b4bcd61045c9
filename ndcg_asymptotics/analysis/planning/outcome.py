"""The outcome of planning: answers in sentences, and a table by measure."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from ndcg_asymptotics.analysis.orders.one_list import Method, WrongOrder
from ndcg_asymptotics.analysis.planning.design import Design
from ndcg_asymptotics.analysis.replication import BOUND_LEGEND, IF_BOUND, IF_OBSERVED
from ndcg_asymptotics.core.tables import Column, Estimate, Line, Report, ReportBlock, Table, fixed, general
from ndcg_asymptotics.core.text import with_error
from ndcg_asymptotics.measures import Measure


@dataclass(frozen=True)
class PlanRow:
    """The needs of one measure to tell two rankers apart: documents, queries, judgements.

    Attributes
    ----------
    measure : str
    n : int or None
        The length of the lists; None where they are those of runs, or unknown.
    ahead : str or None
        The ranker that is ahead on long lists; where that is not known, on average over the queries of runs.
    difference, sd, effect : float or None
        Mean and standard deviation of the difference on one list, and their ratio. A difference within the
        error bounds of the two means is 0.
    difference_error, sd_error : float or None
        Bounds of the errors of the two, which means and standard deviations of curves have.
    limits : (float or None, float or None)
        The limits of the NDCG of the two rankers.
    long_run : float or None
        The limit of the probability that a list shows the right order, as lists grow.
    error_exponent : float or None
        The e of ``-log P(wrong order at n) = n^(e + o(1))``; 0 where that probability does not fall, or no
        faster than a power of n.
    why : str
        The reason for the error exponent.
    log10_wrong, log10_wrong_low, log10_wrong_high : float or None
        log10 of the probability that one list does not show the right order, and of the ends of its interval.
        Of runs it is the share of queries on which the other ranker is ahead, without the ``ties``.
    wrong_method : str or None
        How it is known (`orders.one_list`).
    ties : float or None
        Of runs: the share of queries on which the two are equal.
    required_n, required_n_low, required_n_high : int or None
        The smallest length from which on one list shows the right order with the required probability, with a
        95% interval where it is simulated.
    required_n_method : str
        How it is found (`planning.required_length`).
    required_lists, required_lists_low, required_lists_high : int or None
        The number of queries that a paired t test needs, with an interval where the difference or the
        standard deviation is an estimate; the ends are equal where both are exact. Of runs it is the number
        if the true difference is as large as the observed one.
    queries_assured : int or None
        Of runs: the number of queries at a lower bound of the effect (`analysis.replication`); None where
        the bound is not positive.
    enough : bool or None
        Whether the stated number of queries is at least ``required_lists``; None for runs, of which that is
        an estimate.
    detectable, detectable_low, detectable_high : float or None
        The smallest difference that the stated number of queries detects, with an interval.
    anova_lists, width_lists : int or None
        The number of queries for an analysis of variance of several systems whose best and worst differ by
        ``difference``, and for the stated mean width of the interval of a difference.
    reason : str
        Why a number is missing, or how far it can be trusted.
    """

    measure: str
    n: int | None = None
    ahead: str | None = None
    difference: float | None = None
    sd: float | None = None
    difference_error: float | None = None
    sd_error: float | None = None
    effect: float | None = None
    limits: tuple[float | None, float | None] = (None, None)
    long_run: float | None = None
    error_exponent: float | None = None
    why: str = ""
    log10_wrong: float | None = None
    log10_wrong_low: float | None = None
    log10_wrong_high: float | None = None
    wrong_method: Method | None = None
    ties: float | None = None
    required_n: int | None = None
    required_n_low: int | None = None
    required_n_high: int | None = None
    required_n_method: str = ""
    required_lists: int | None = None
    required_lists_low: int | None = None
    required_lists_high: int | None = None
    queries_assured: int | None = None
    enough: bool | None = None
    detectable: float | None = None
    detectable_low: float | None = None
    detectable_high: float | None = None
    anova_lists: int | None = None
    width_lists: int | None = None
    reason: str = ""

    @property
    def effect_error(self) -> float:
        """A bound of the error of the effect; 0 where it is not computed from curves."""
        if not self.sd or not self.effect or self.sd_error is None or self.difference_error is None:
            return 0.0
        least = self.sd - self.sd_error
        return (self.difference_error + abs(self.effect) * self.sd_error) / least if least > 0 else math.inf

    @property
    def wrong(self) -> WrongOrder | None:
        """The probability that one list does not show the right order."""
        if self.wrong_method is None:
            return None
        return WrongOrder(self.log10_wrong, self.log10_wrong_low, self.log10_wrong_high, self.wrong_method)


_EFFECT_DIGITS = 0.005  # half a unit of the second decimal
_LEAST_SHOWN = 1e-3  # of a rate in percent
_Shown = tuple[Column, Callable[[PlanRow], Any]]  # a column of a table, and its values


@dataclass(frozen=True)
class Choice:
    """One member of a family of measures: NDCG cut off at k, or with the discount r^-b.

    Attributes
    ----------
    measure : str
    at : float
        k or b.
    effect : float
    lists : int or None
        Required queries of a paired t test.
    documents : int or None
        The judgements that these take in all, if every list is judged down to rank k.
    log10_wrong, log10_wrong_low, log10_wrong_high, wrong_method
        As of `PlanRow`, for the order of the two means. Where neither enumeration nor a hundred drawn lists
        tell, it is that of the normal law, without an interval.
    """

    measure: str
    at: float
    effect: float
    lists: int | None
    documents: int | None = None
    log10_wrong: float | None = None
    log10_wrong_low: float | None = None
    log10_wrong_high: float | None = None
    wrong_method: Method | None = None

    @classmethod
    def of(
        cls, measure: Measure, at: float, mean: float, sd: float, wrong: WrongOrder | None, design: Design,
        k: int | None = None,
    ) -> Choice:  # fmt: skip
        """Return the choice for a mean and a standard deviation of the difference; ``k`` ranks are judged."""
        lists = design.lists(mean, sd)
        effect = mean / sd if sd > 0 else 0.0
        fields = {} if wrong is None else wrong.fields
        return cls(str(measure), at, effect, lists, lists * k if lists and k else None, **fields)


def strongest(choices: Sequence[Choice]) -> Choice | None:
    """Return the choice with the largest effect, if any has one."""
    return max((c for c in choices if c.lists), key=lambda c: abs(c.effect), default=None)


def verdict(rows: Sequence[PlanRow]) -> str:
    """Return in one sentence from which list length on each measure tells the rankers apart.

    Without required lengths it is how many queries that takes at the length of the rows; the text is empty
    where neither is known.

    >>> verdict([PlanRow("nDCG", required_n=1382), PlanRow("nDCG@10", long_run=0.66)])
    'nDCG tells them apart from n = 1,382 on; nDCG@10 never does.'
    >>> verdict([PlanRow("nDCG", 10**4, required_lists=316), PlanRow("nDCG@10", 10**4, required_lists=1222)])
    'With lists of 10,000 items it takes 316 queries by nDCG, 1,222 queries by nDCG@10 to tell them apart.'
    """
    if all(row.long_run is None for row in rows):
        needs = [f"{row.required_lists:,} queries by {row.measure}" for row in rows if row.required_lists]
        if not needs:
            return ""
        return f"With lists of {rows[0].n:,} items it takes {', '.join(needs)} to tell them apart."
    known = sorted((row for row in rows if row.required_n), key=lambda row: row.required_n or 0)
    never = [row.measure for row in rows if row.required_n is None and row.long_run is not None]
    if not known:
        return f"{' and '.join(never)} never {'tells' if len(never) == 1 else 'tell'} them apart."
    tells = (" tells them apart", *("" for _ in known[1:]))
    said = [f"{row.measure}{word} from n = {_length(row)} on" for row, word in zip(known, tells, strict=True)]
    does = f"; {' and '.join(never)} never {'does' if len(never) == 1 else 'do'}" if never else ""
    return f"{', '.join(said)}{does}."


def _length(row: PlanRow) -> str:
    between = "" if row.required_n_low is None else f" [{row.required_n_low:,}, {row.required_n_high:,}]"
    return f"{row.required_n:,}{between}"


@dataclass(frozen=True, repr=False)
class Plan(Report):
    """The outcome of `plan`, `plan_runs` and `plan_for_sd`.

    Attributes
    ----------
    a, b : str
        The rankers, empty where a standard deviation was stated.
    source : {"curves", "runs", "sd"}
    design : Design
    rows : tuple of PlanRow
        By the number of queries that measures need, the smallest first.
    exponents, cutoffs : tuple of Choice
        The discounts r^-b of whole lists by b, and the cutoffs of the log discount by k.
    remarks : tuple of str
    pilot : int or None
        The number of queries of the runs.
    """

    a: str
    b: str
    source: str
    design: Design
    rows: tuple[PlanRow, ...]
    exponents: tuple[Choice, ...] = ()
    cutoffs: tuple[Choice, ...] = ()
    remarks: tuple[str, ...] = ()
    pilot: int | None = None

    @property
    def better(self) -> str | None:
        """The ranker with the larger mean by the measure with the largest effect."""
        return self.mean_ahead(self.rows[0]) if self.rows else None

    def mean_ahead(self, of: PlanRow | Choice) -> str | None:
        """Return the ranker with the larger mean by a measure; None if the means are equal or not known."""
        return None if not of.effect else self.a if of.effect > 0 else self.b

    def best(self, choices: Sequence[Choice]) -> Choice | None:
        """Return the choice that needs the fewest queries to show that the better ranker is ahead."""
        return strongest([c for c in choices if self.mean_ahead(c) == self.better])

    @property
    def fewest_judgements(self) -> Choice | None:
        """The cutoff that needs the fewest judgements in all for that, the shorter one of equal ones."""
        judged = [c for c in self.cutoffs if c.documents and self.mean_ahead(c) == self.better]
        return min(judged, key=lambda c: (c.documents or math.inf, c.at), default=None)

    def answers(self) -> list[str]:
        """Return the answers in the order of the questions, a sentence each."""
        if self.source == "sd":
            return [self._detectable(), *self._enough()]
        return [
            said
            for said in (self._long_run(), self._lengths(), self._lists(), *self._enough(), self._choice())
            if said
        ]

    def as_dict(self) -> dict[str, Any]:
        """Return everything as plain data, for JSON."""
        return {
            "a": self.a, "b": self.b, "source": self.source, **asdict(self.design), "answers": self.answers(),
            "rows": [asdict(row) for row in self.rows],
            "exponents": [asdict(choice) for choice in self.exponents],
            "cutoffs": [asdict(choice) for choice in self.cutoffs], "remarks": list(self.remarks),
            "pilot": self.pilot,
        }  # fmt: skip

    def blocks(self) -> Iterator[ReportBlock]:
        """Yield the answers, a table by measure, and lines that say what its numbers mean."""
        for answer in self.answers():
            yield Line(answer)
        yield Line("")
        for table in (self._table(), self._sample_sizes()):
            if len(table.columns) > 1:
                yield table
        yield Line(self._legend())
        for row in self.rows:
            if reason := row.reason or (row.why if row.error_exponent == 0 else ""):
                yield Line(f"{row.measure}: {reason}.")
        for remark in self.remarks:
            yield Line(f"{remark}.")

    def _long_run(self) -> str:
        parts = []
        for name, other in ((self.a, self.b), (self.b, self.a)):
            rows = [row for row in self.rows if row.long_run is not None and row.ahead == name]
            shares = []
            sure = [row.measure for row in rows if row.long_run == 1]
            if sure:
                shares.append(f"on every list by {_listed(sure)}")
            unsure = [
                f"{_percent(share)} by {row.measure}"
                for row in rows
                if 0 < (share := row.long_run or 0.0) < 1
            ]
            if unsure:
                unsure[0] = unsure[0].replace(" by ", " of the lists by ", 1)
                shares.append(f"on {'only ' if sure else ''}{_listed(unsure)}")
            equal = [row.measure for row in rows if row.long_run == 0]
            if equal:
                shares.append(f"on none by {_listed(equal)}, as both become equal")
            if shares:
                parts.append(f"{name} comes before {other} {'; '.join(shares)}")
        return f"In the long run {'. '.join(parts)}." if parts else ""

    def _lengths(self) -> str:
        known = sorted((row for row in self.rows if row.required_n), key=lambda row: row.required_n or 0)
        rate = f"{self.design.rate:g}"
        if all(row.long_run is None for row in self.rows):
            return ""
        if not known:
            return f"No list is known to be long enough to show the right order with probability {rate}."
        first, last = known[0], known[-1]
        said = (
            f"One list shows the order of the long run with probability {rate} from {first.required_n:,} "
            f"documents on by {first.measure}"
        )
        return said + (f", from {last.required_n:,} on by {last.measure}." if last is not first else ".")

    def _lists(self) -> str:
        known = [row for row in self.rows if row.required_lists]
        n = self.rows[0].n
        where = f"With lists of {n:,} documents" if n else "With queries like these"
        test = f"a paired t test at level {self.design.alpha:g} has {self.design.power:.0%} power"
        if not known:
            return f"{where} no number of queries is known with which {test}."
        first, last = known[0], known[-1]
        runs = self.source == "runs"
        said = f"{test} with {_queries(first)} {'new ' if runs else ''}queries by {first.measure}"
        said += f", {_queries(last)} by {last.measure}" if last is not first else ""
        return f"{IF_OBSERVED.capitalize()}, {said}; {self._assured()}." if runs else f"{where} {said}."

    def _assured(self) -> str:
        """Return the numbers of queries at the lower bounds of the differences of runs."""
        bounds = sorted((row.queries_assured, row.measure) for row in self.rows if row.queries_assured)
        if not bounds:
            return "no lower bound of the difference is positive"
        ends = _listed([f"{number:,} by {of}" for number, of in dict.fromkeys((bounds[0], bounds[-1]))])
        none = [row.measure for row in self.rows if row.effect is not None and not row.queries_assured]
        return f"{IF_BOUND}, with {ends}" + (f" (not positive by {_listed(none)})" if none else "")

    def _enough(self) -> Iterator[str]:
        queries = self.design.queries
        judged = [row for row in self.rows if row.enough is not None]
        if queries is None:
            if self.source != "sd":
                yield "State how many queries there are (--queries) to see whether they are enough."
        elif judged and self.source == "sd":
            (need,) = judged
            word = "enough" if need.enough else "too few"
            yield f"For a difference of {need.difference:g} they are {word}: {_queries(need)} are needed."
        elif judged:
            said = [(row.measure, "enough" if row.enough else "too few") for row in judged]
            yield f"The {queries} queries are {_by(said, 'enough', 'too few')}."
        elif queries != self.pilot:
            words = "at least the assured number", "at least the number as observed", "too few"
            said = []
            for row in self.rows:
                needed = (row.queries_assured or math.inf, row.required_lists or math.inf, 0)
                if row.sd is not None:
                    word = next(w for w, number in zip(words, needed, strict=True) if queries >= number)
                    said.append((row.measure, word))
            if said:
                yield f"{queries:,} new queries are {_by(said, *words)}."

    def _choice(self) -> str:
        found = []
        if len(self.rows) > 1 and self.rows[0].required_lists:
            found.append(f"of these measures, {self.rows[0].measure} ({self.rows[0].required_lists})")
        families = (("discounts r^-b", "b", self.exponents), ("cutoffs nDCG@k", "k", self.cutoffs))
        for name, letter, choices in families:
            best = self.best(choices)
            if best:
                found.append(f"of the {name}, {letter} = {best.at:,.10g} ({best.lists:,})")
        if not found:
            return ""
        observed = f", {IF_OBSERVED}" if self.source == "runs" else ""
        said = "; ".join(found)
        if cheap := self.fewest_judgements:
            said += (
                f"; fewest judgements: {cheap.documents:,}, with {cheap.lists:,} queries judged to rank "
                f"{cheap.at:g}"
            )
        opposite = [row.measure for row in self.rows if row.effect and self.mean_ahead(row) != self.better]
        for _, letter, choices in families:
            at = [f"{c.at:g}" for c in choices if c.effect and self.mean_ahead(c) != self.better]
            opposite += [f"{letter} = {_listed(at)}"] if at else []
        if not opposite:
            return f"Fewest queries{observed}: {said}."
        other = self.b if self.better == self.a else self.a
        return (
            f"Fewest queries to show that {self.better} is ahead on average{observed}: {said}. "
            f"{other} is ahead by {_listed(opposite, '; ')}."
        )

    def _detectable(self) -> str:
        row, design = self.rows[0], self.design
        if row.detectable is None:
            return (
                f"A difference of {row.difference:g} needs {_queries(row)} queries for a paired t test at "
                f"level {design.alpha:g} with {design.power:.0%} power."
                if row.difference
                else f"{_count(row.width_lists)} queries give an interval of mean width {design.width:g}."
            )
        return (
            f"With {design.queries} queries a paired t test at level {design.alpha:g} has {design.power:.0%} "
            f"power if the difference is {_detectable(row)} or more."
        )

    def _table(self) -> Table:
        title = f"{self.a} against {self.b}" if self.a else ""
        return self._columns(
            title,
            (Column("long run", _percent), lambda row: row.long_run),
            (Column("error exponent", general(".3g"), 5), lambda row: row.error_exponent),
            (Column("required documents", general(",")), lambda row: row.required_n),
            (Column("95% interval", _length_interval, 4), lambda row: row if row.required_n_low else None),
            (Column(self._required, _queries), lambda row: row if row.required_lists else None),
            (Column("assured queries", general(",")), lambda row: row.queries_assured),
            (Column("enough", lambda enough: "yes" if enough else "no"), lambda row: row.enough),
            (Column("difference", _difference, 2), _estimated),
            (Column("effect size", _effect), lambda row: None if row.effect is None else row),
            (Column("P(wrong order)", str, 1), lambda row: row.wrong),
            (Column("ties", lambda share: f"{share:.1%}", 1), lambda row: row.ties or None),
            (Column("method", None, 6), lambda row: row.required_n_method or None),
        )

    @property
    def _required(self) -> str:
        return "queries as observed" if self.source == "runs" else "required queries"

    def _sample_sizes(self) -> Table:
        """Return what the stated queries detect, and the queries for several systems and for an interval."""
        design = self.design
        found = self._columns(
            "",
            (Column("detectable difference", _detectable), lambda row: row if row.detectable else None),
            (Column(f"queries for {design.systems} systems", general(",")), lambda row: row.anova_lists),
            (Column(f"queries for width {design.width}", general(",")), lambda row: row.width_lists),
        )
        if len(found.columns) == 1:
            return found
        sds = self._columns("", (Column("standard deviation", fixed(4)), lambda row: row.sd))
        rows = tuple((a, sd, *rest) for (a, *rest), (_, sd) in zip(found.rows, sds.rows, strict=True))
        return Table("", (found.columns[0], sds.columns[1], *found.columns[1:]), rows)

    def _columns(self, title: str, *columns: _Shown) -> Table:
        """Return a table with the measures and those of the columns that have a value."""
        measure: _Shown = (Column("measure", whole=True), lambda row: row.measure)
        shown = [measure, *(c for c in columns if any(c[1](row) is not None for row in self.rows))]
        rows = tuple(tuple(value(row) for _, value in shown) for row in self.rows)
        return Table(title, tuple(column for column, _ in shown), rows)

    def _legend(self) -> str:
        design = self.design
        parts = []
        if any(row.long_run is not None for row in self.rows):
            parts.append(
                "Long run: the limit of the share of lists that show the right order. Required documents: "
                f"the length of a list from which on that share is {design.rate:g} or more."
            )
        if any(row.required_lists for row in self.rows):
            parts.append(
                f"{self._required.capitalize()}: for a paired t test at level {design.alpha:g} with "
                f"{design.power:.0%} power{f', {IF_OBSERVED}' if self.source == 'runs' else ''}."
            )
        if self.source == "runs":
            parts.append(BOUND_LEGEND)
        if any(row.detectable for row in self.rows):
            parts.append(
                f"Detectable difference: the smallest for which {design.queries} queries give it that power."
            )
        if any(row.effect for row in self.rows):
            parts.append("Effect size: the mean difference on one list over its standard deviation.")
        if any(row.ties for row in self.rows):
            parts.append("P(wrong order): the share of queries on which the other is ahead, without ties.")
        elif any(row.wrong is not None for row in self.rows):
            where = f" of {self.rows[0].n:,} documents" if self.rows[0].n else ""
            parts.append(f"P(wrong order): on one list{where}; a tie counts as wrong.")
        if design.systems is not None:
            parts.append(
                f"Queries for {design.systems} systems: for an analysis of variance with queries as blocks, "
                "where the best and the worst system differ by that much."
            )
        if design.width is not None:
            parts.append(
                f"Queries for width {design.width:g}: the mean width of the interval of the difference."
            )
        return " ".join(parts)


def _by(said: Sequence[tuple[str, str]], *words: str) -> str:
    """Return which measures have which of the words, such as "enough by nDCG and too few by nDCG@10"."""
    parts = []
    for word in words:
        by = [measure for measure, its in said if its == word]
        many = "both" if len(by) == 2 else f"all {len(by)}"
        if by:
            parts.append(f"{word} by {f'{many} measures' if len(by) == len(said) > 1 else _listed(by)}")
    return _listed(parts)


def _listed(names: Sequence[str], between: str = ", ") -> str:
    return names[0] if len(names) == 1 else f"{between.join(names[:-1])} and {names[-1]}"


def _percent(rate: float) -> str:
    """Return a probability in percent; one that is not 0 or 1 is not rounded to it."""
    if 0 < rate < _LEAST_SHOWN:
        return f"<{_LEAST_SHOWN:.1%}"
    return "100%" if rate == 1 else f"{min(100 * rate, 99.9):.1f}%"


def _estimated(row: PlanRow) -> float | None:
    """Return the difference, with its error where it has one; 0 where it is within its error."""
    return Estimate.of(row.difference or None, row.difference_error) or row.difference


def _difference(value: float) -> str:
    return value.text(4) if isinstance(value, Estimate) else f"{value:+.4f}"


def _length_interval(row: PlanRow) -> str:
    return f"{row.required_n_low:,} to {row.required_n_high:,}"


def _detectable(row: PlanRow) -> str:
    if row.detectable_low == row.detectable_high:
        return f"{row.detectable:.4f}"
    return f"{row.detectable:.4f} [{row.detectable_low:.4f}, {row.detectable_high:.4f}]"


def _effect(row: PlanRow) -> str:
    """Return the effect to two decimals, or to fewer with its error where that is larger."""
    effect = row.effect or 0.0
    if row.effect_error < _EFFECT_DIGITS:
        return f"{effect:+.2f}"
    text = with_error(abs(effect), row.effect_error, 3)
    return text if text.startswith("below") else f"{'-' if effect < 0 else '+'}{text}"


def _count(lists: int | None) -> str:
    """Return a number of queries; None stands for more than `analysis.power` computes."""
    return "more than 1e15" if lists is None else f"{lists:,}"


def _queries(row: PlanRow) -> str:
    """Return the required queries with their interval, such as "7", "84 [33, 513]" or "1,151 [105, ∞)"."""
    if row.required_lists is None or row.required_lists_low == row.required_lists == row.required_lists_high:
        return _count(row.required_lists)
    high = "∞)" if row.required_lists_high is None else f"{row.required_lists_high:,}]"
    return f"{row.required_lists:,} [{row.required_lists_low:,}, {high}"
