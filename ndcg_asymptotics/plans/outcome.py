"""The outcome of a plan: answers in sentences, and a table by measure."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Annotated, ClassVar

from ndcg_asymptotics.core.rows import HIDDEN, Data, computed_value
from ndcg_asymptotics.core.tables import Line, Report, ReportBlock, Table, details, remark_lines
from ndcg_asymptotics.core.text import listed
from ndcg_asymptotics.plans.rows import PlanRow, Requirements, percent
from ndcg_asymptotics.plots.hooks import OutcomeFigures
from ndcg_asymptotics.populations import Scorer
from ndcg_asymptotics.stats.replication import BOUND_LEGEND, IF_BOUND, IF_OBSERVED

_MANY = "more than 1e15"  # queries, where `stats.power` has no number


@dataclass(frozen=True, repr=False)
class Plan(Report):
    """The outcome of `plan`.

    Attributes
    ----------
    a, b : str
        The rankers, empty where a standard deviation was stated.
    source : {"curves", "runs", "sd"}
    requirements : Requirements
    rows : tuple of PlanRow
        By the number of queries that measures need, the smallest first.
    remarks : tuple of str
    pilot : int or None
        The number of queries of the runs.
    scorers : (Scorer, Scorer) or None
        The rankers of a plan from curves.
    """

    figures: ClassVar = OutcomeFigures("ndcg_asymptotics.plans.figures.plan_drawings", "a plan")

    a: str
    b: str
    source: str
    requirements: Annotated[Requirements, Data(inline=True)]
    rows: tuple[PlanRow, ...]
    remarks: tuple[str, ...] = ()
    pilot: int | None = None
    scorers: Annotated[tuple[Scorer, Scorer] | None, HIDDEN] = None

    @computed_value(Data())
    def answers(self) -> list[str]:
        """The answers in the order of the questions, a sentence each."""
        return _answers(self)

    def blocks(self) -> Iterator[ReportBlock]:
        """Yield the answers, a table by measure, and lines that say what its numbers mean."""
        yield from remark_lines(self.remarks, warnings=True)
        for answer in self.answers:
            yield Line(answer)
        yield Line("")
        title = f"{self.a} against {self.b}" if self.a else ""
        table = Table.of(title, PlanRow, self.rows, **{"queries.shown": _required(self)})
        if len(table.columns) > 1:
            yield table
        yield from details(self._notes())

    def _notes(self) -> Iterator[Line]:
        yield Line(_meanings(self))
        for row in self.rows:
            if reason := "; ".join(filter(None, (row.reason, row.order.why))):
                yield Line(f"{row.measure}: {reason}.")
        yield from remark_lines(self.remarks, warnings=False)


def _answers(plan: Plan) -> list[str]:
    if plan.source == "sd":
        return [_detected(plan), *_enough(plan)]
    sentences = (_long_run(plan), _lengths(plan), _queries(plan), *_enough(plan), _opposite(plan))
    return [sentence for sentence in sentences if sentence]


def _long_run(plan: Plan) -> str:
    parts = []
    for name, behind in ((plan.a, plan.b), (plan.b, plan.a)):
        rates = [
            (row.measure, row.order.long_run)
            for row in plan.rows
            if row.order.long_run is not None and row.order.ahead == name
        ]
        shares = []
        if sure := [measure for measure, rate in rates if rate == 1]:
            shares.append(f"on every list by {listed(sure)}")
        if unsure := [(measure, rate) for measure, rate in rates if 0 < rate < 1]:
            of_lists = (" of the lists", *("" for _ in unsure[1:]))
            each = [f"{percent(r)}{of} by {m}" for (m, r), of in zip(unsure, of_lists, strict=True)]
            otherwise = ", and has the same value or comes behind on the others"
            shares.append(f"on {'only ' if sure else ''}{listed(each)}{otherwise}")
        if equal := [measure for measure, rate in rates if rate == 0]:
            shares.append(f"on none by {listed(equal)}, as both become equal")
        if shares:
            parts.append(f"{name} comes before {behind} {'; '.join(shares)}")
    sentence = f"In the long run {'. '.join(parts)}." if parts else ""
    unknown = [row.measure for row in plan.rows if row.order.ahead and row.order.long_run is None]
    if plan.source != "curves" or not unknown:
        return sentence
    return f"{sentence} On how many long lists that is so by {listed(unknown)} is not known.".strip()


def _lengths(plan: Plan) -> str:
    """Return the lengths of lists of which a single one shows the order often enough."""
    orders = [(row.order, row.measure) for row in plan.rows if row.order.ahead]
    if plan.source != "curves" or not orders:
        return ""
    shows = f"the order of long lists with probability {plan.requirements.rate:g}"
    lengths = sorted(
        (order.required_n, name, order.required_n_last) for order, name in orders if order.required_n
    )
    if not lengths:
        limits = [order.long_run for order, _ in orders]
        below = [x is not None and x < plan.requirements.rate for x in limits]
        impossible = len(limits) == len(plan.rows) and all(below)
        no_list = "Ever longer lists do not" if impossible else "No list is known to be long enough to"
        return f"{no_list} show {shows}."
    unbounded = [f"from {n:,} documents on by {name}" for n, name, last in lengths if last is None]
    bounded = [
        f"from {n:,} to {last:,} documents by {name}, but not longer ones"
        for n, name, last in lengths
        if last
    ]
    ends = list(dict.fromkeys((*unbounded[:1], *unbounded[-1:], *bounded)))
    return f"One list shows {shows} {'; '.join(ends)}."


def _test(plan: Plan) -> str:
    return f"a paired t test at level {plan.requirements.alpha:g} has {plan.requirements.power:.0%} power"


def _paired_test(requirements: Requirements) -> str:
    return f"a paired t test at level {requirements.alpha:g} with {requirements.power:.0%} power"


def _queries(plan: Plan) -> str:
    rows = [row for row in plan.rows if row.queries.required]
    n, runs = plan.rows[0].n, plan.source == "runs"
    if not rows and runs:
        return (
            "The means of the runs do not differ, or the runs do in too few queries to say how many it takes."
        )
    if not rows:
        return f"With lists of {n or 0:,} documents no number of queries is known with which {_test(plan)}."
    first, last = rows[0], rows[-1]
    power = f"{_test(plan)} with {first.queries.shown} {'new ' if runs else ''}queries by {first.measure}"
    power += f" and {last.queries.shown} by {last.measure}" if last is not first else ""
    if runs:
        return f"{IF_OBSERVED.capitalize()}, {power}{_assured(plan)}."
    return f"With lists of {n or 0:,} documents {power}."


def _assured(plan: Plan) -> str:
    """Return the numbers of queries at the lower bounds of the differences of runs, where there are any."""
    bounds = sorted((row.queries.assured, row.measure) for row in plan.rows if row.queries.assured)
    if not bounds:
        return ""
    ends = listed([f"{number:,} by {of}" for number, of in dict.fromkeys((bounds[0], bounds[-1]))])
    differ = [row for row in plan.rows if row.difference.effect is not None]
    without_number = [row.measure for row in differ if not row.queries.assured]
    return f"; {IF_BOUND}, with {ends}" + (
        f" and with no number by {listed(without_number)}" if without_number else ""
    )


def _enough(plan: Plan) -> Iterator[str]:
    queries = plan.requirements.queries
    if queries is None:
        return
    rows = [row for row in plan.rows if row.queries.enough is not None]
    if plan.source == "sd":
        for row in rows:
            word, count = "enough" if row.queries.enough else "too few", row.queries.shown or _MANY
            yield f"For a difference of {row.difference.mean:g} they are {word}: {count} are needed."
    elif rows:
        by_measure = {row.measure: "enough" if row.queries.enough else "too few" for row in rows}
        yield f"The {queries} queries are {_by(by_measure, 'enough', 'too few')}."
    elif queries != plan.pilot:
        words = "reach the assured number", "reach only the number as observed", "are too few"
        by_measure = {}
        for row in plan.rows:
            numbers = (row.queries.assured or math.inf, row.queries.required or math.inf, 0)
            if row.difference.sd is not None:
                word = next(w for w, number in zip(words, numbers, strict=True) if queries >= number)
                by_measure[row.measure] = word
        if by_measure:
            yield f"{queries:,} new queries {_by(by_measure, *words)}."


def _opposite(plan: Plan) -> str:
    """Return the measures whose means are in another order than by the measure with the fewest queries."""
    effects = [(row.measure, row.difference.effect) for row in plan.rows if row.difference.effect]
    opposite = [measure for measure, effect in effects if effect * effects[0][1] < 0]
    if not opposite:
        return ""
    better, opponent = (plan.a, plan.b) if effects[0][1] > 0 else (plan.b, plan.a)
    return f"On average {better} is ahead by {effects[0][0]}, but {opponent} by {listed(opposite)}."


def _detected(plan: Plan) -> str:
    row, requirements = plan.rows[0], plan.requirements
    if row.detection.detectable is not None:
        detected = row.detection.interval
        return f"With {requirements.queries} queries {_test(plan)} if the difference is {detected} or more."
    queries = f"{row.queries.shown or _MANY} queries"
    return f"A difference of {row.difference.mean:g} needs {queries} for {_paired_test(requirements)}."


def _meanings(plan: Plan) -> str:
    """Return what the numbers of the tables mean."""
    requirements, rows, runs = plan.requirements, plan.rows, plan.source == "runs"
    parts = []
    if any(row.order.long_run is not None for row in rows):
        parts.append(
            "Long run: the limit of the share of lists that show that order. Required documents: "
            f"the length of a list from which on that share is {requirements.rate:g} or more."
        )
    if any(row.queries.required for row in rows):
        parts.append(
            f"{_required(plan).capitalize()}: for {_paired_test(requirements)}"
            f"{f', {IF_OBSERVED}' if runs else ''}."
        )
    if runs:
        parts.append(BOUND_LEGEND)
    if any(row.detection.detectable for row in rows):
        parts.append(
            "Detectable difference: the smallest for which "
            f"{requirements.queries} queries give it that power."
        )
    if any(row.difference.effect for row in rows):
        parts.append("Effect size: the mean difference on one list over its standard deviation.")
    if any(row.wrong is not None for row in rows):
        length = f" of {rows[0].n:,} documents" if rows[0].n else ""
        parts.append(
            "P(wrong order): the share of queries on which the other run is ahead, with its 95% interval; a "
            "tie is not counted as wrong."
            if runs
            else f"P(wrong order): on one list{length}; a tie counts as wrong."
        )
    return "\n".join(parts)


def _required(plan: Plan) -> str:
    """Return what the required number of queries is called."""
    return "queries as observed" if plan.source == "runs" else "required queries"


def _by(by_measure: Mapping[str, str], *words: str) -> str:
    """Return which measures have which of the words, such as "enough by nDCG; too few by nDCG@10"."""
    measures = {word: [measure for measure, its in by_measure.items() if its == word] for word in words}
    return "; ".join(f"{word} by {listed(names)}" for word, names in measures.items() if names)
