"""What a plan finds, in words."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from ndcg_asymptotics.analysis.planning.findings import FamilyMember, Findings, PlanRow, percent
from ndcg_asymptotics.analysis.replication import ASSURANCE, BOUND_LEGEND, IF_BOUND, IF_OBSERVED
from ndcg_asymptotics.analysis.runs.paired import level_text
from ndcg_asymptotics.core.text import count_text, listed

INDEPENDENT = (
    "The rankers are taken to score documents independently given the label. Rankers that place the same "
    "documents at similar depths need fewer queries: a study simulates them (coupling), a pilot measures them"
)
"""What plans from curves assume."""

_NAMED = 3  # measures that a sentence names
_MANY = "more than 1e15"  # queries, where `analysis.power` has no number


def answers(found: Findings) -> list[str]:
    """Return the answers in the order of the questions, a sentence each."""
    if found.source == "sd":
        return [_detected(found), *_enough(found)]
    said = (_long_run(found), _lengths(found), _lists(found), *_enough(found), choice(found))
    return [sentence for sentence in said if sentence]


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
        n = count_text(rows[0].n or 0)
        return f"With lists of {n} items it takes {', '.join(needs)} to tell them apart."
    known = sorted((row for row in rows if row.required_n), key=lambda row: row.required_n or 0)
    never = [row.measure for row in rows if row.required_n is None and row.long_run is not None]
    if not known:
        return f"{' and '.join(never)} never {'tells' if len(never) == 1 else 'tell'} them apart."
    tells = (" tells them apart", *("" for _ in known[1:]))
    said = [f"{row.measure}{word} from n = {_length(row)} on" for row, word in zip(known, tells, strict=True)]
    does = f"; {' and '.join(never)} never {'does' if len(never) == 1 else 'do'}" if never else ""
    return f"{', '.join(said)}{does}."


def _length(row: PlanRow) -> str:
    low, high = row.required_n_low, row.required_n_high
    between = f" [{count_text(low)}, {count_text(high)}]" if low is not None and high is not None else ""
    return f"{count_text(row.required_n or 0)}{between}"


def _long_run(found: Findings) -> str:
    parts = []
    for name, other in ((found.a, found.b), (found.b, found.a)):
        rows = [row for row in found.rows if row.long_run is not None and row.ahead == name]
        shares = []
        sure = [row.measure for row in rows if row.long_run == 1]
        if sure:
            shares.append(f"on every list by {listed(sure)}")
        some = [row for row in rows if 0 < (row.long_run or 0.0) < 1]
        unsure = [
            f"{percent(row.long_run or 0.0)}{'' if row is not some[0] else ' of the lists'} by {row.measure}"
            for row in some
        ]
        if unsure:
            shares.append(f"on {'only ' if sure else ''}{listed(unsure)}")
        equal = [row.measure for row in rows if row.long_run == 0]
        if equal:
            shares.append(f"on none by {listed(equal)}, as both become equal")
        if shares:
            parts.append(f"{name} comes before {other} {'; '.join(shares)}")
    start = "By curves fitted to the runs, in the long run" if found.source == "runs" else "In the long run"
    return f"{start} {'. '.join(parts)}." if parts else ""


def _lengths(found: Findings) -> str:
    known = sorted((row for row in found.rows if row.required_n), key=lambda row: row.required_n or 0)
    rate = f"{found.design.rate:g}"
    if all(row.long_run is None for row in found.rows):
        return ""
    if not known:
        shares = [row.long_run for row in found.rows if row.long_run is not None]
        said = f"to show the right order with probability {rate}"
        if len(shares) == len(found.rows) and max(shares) < found.design.rate:
            return f"No list is long enough {said}."
        return f"No list is known to be long enough {said}."
    first, last = known[0], known[-1]
    said = (
        f"One list shows the order of the long run with probability {rate} from {first.required_n:,} "
        f"documents on by {first.measure}"
    )
    return said + (f", from {last.required_n:,} on by {last.measure}." if last is not first else ".")


def _lists(found: Findings) -> str:
    known = [row for row in found.rows if row.required_lists]
    n = found.rows[0].n
    test = f"a paired t test at level {found.design.alpha:g} has {found.design.power:.0%} power"
    runs = found.source == "runs"
    if not known and runs:
        return (
            "The means of the two runs do not differ, so that these queries do not say how many are needed."
        )
    if not known:
        return f"With lists of {n or 0:,} documents no number of queries is known with which {test}."
    first, last = known[0], known[-1]
    said = f"{test} with {first.queries} {'new ' if runs else ''}queries by {first.measure}"
    said += f" and {last.queries} by {last.measure}" if last is not first else ""
    if runs:
        return f"{IF_OBSERVED.capitalize()}, {said}; {_assured(found)}."
    return f"With lists of {n or 0:,} documents {said}."


def _assured(found: Findings) -> str:
    """Return the numbers of queries at the lower bounds of the differences of runs."""
    bounds = sorted((row.queries_assured, row.measure) for row in found.rows if row.queries_assured)
    if not bounds:
        return f"the lower {ASSURANCE:.0%} bound of the difference is at most 0, where no number is enough"
    ends = listed([f"{number:,} by {of}" for number, of in dict.fromkeys((bounds[0], bounds[-1]))])
    none = [row.measure for row in found.rows if row.effect is not None and not row.queries_assured]
    return f"{IF_BOUND}, with {ends}" + (f" and with no number by {listed(none)}" if none else "")


def _enough(found: Findings) -> Iterator[str]:
    queries = found.design.queries
    judged = [row for row in found.rows if row.enough is not None]
    if queries is None:
        return
    if found.source == "sd":
        for need in judged:
            word, needed = "enough" if need.enough else "too few", need.queries or _MANY
            yield f"For a difference of {need.difference:g} they are {word}: {needed} are needed."
    elif judged:
        said = [(row.measure, "enough" if row.enough else "too few") for row in judged]
        yield f"The {queries} queries are {_by(said, 'enough', 'too few')}."
    elif queries != found.pilot:
        words = "reach the assured number", "reach only the number as observed", "reach neither number"
        said = []
        for row in found.rows:
            numbers = (row.queries_assured or math.inf, row.required_lists or math.inf, 0)
            if row.sd is not None:
                word = next(w for w, number in zip(words, numbers, strict=True) if queries >= number)
                said.append((row.measure, word))
        if said:
            yield f"{queries:,} new queries {_by(said, *words)}."


def choice(found: Findings) -> str:
    """Return which measure, discount and cutoff need the fewest queries, and which the fewest judgements."""
    fewest = []
    if len(found.rows) > 1 and found.rows[0].required_lists:
        fewest.append(f"{found.rows[0].required_lists:,} by {found.rows[0].measure} of these measures")
    opposite = [row.measure for row in found.rows if _shows_opposite(found, row)]
    opposite = [listed(opposite)] if opposite else []
    for name, letter, choices in (
        ("the discounts r^-b", "b", found.exponents),
        ("the cutoffs", "k", found.cutoffs),
    ):
        if best := found.best(choices):
            fewest.append(f"{best.lists:,} by {best.measure} of {name}")
        if at := [f"{choice.at:g}" for choice in choices if _shows_opposite(found, choice)]:
            opposite.append(f"{name} with {letter} = {listed(at)}")
    if not fewest:
        return ""
    cheapest = ""
    if cheap := found.fewest_judgements:
        each = "one judgement" if cheap.at == 1 else f"{cheap.at:g} judgements"
        cheapest = f" Cheapest to judge: {cheap.measure}, {cheap.lists:,} queries, {each} each."
    aim = f" to show that {found.better} is ahead on average" if opposite else ""
    observed = " at the observed differences" if found.source == "runs" else ""
    said = f"Fewest queries{observed}{aim}: {listed(fewest)}.{cheapest}"
    if not opposite:
        return said
    other = found.b if found.better == found.a else found.a
    return f"{said} {other} is ahead by {', and by '.join(opposite)}."


def _shows_opposite(found: Findings, of: PlanRow | FamilyMember) -> bool:
    return bool(of.effect) and found.mean_ahead(of) != found.better


def _detected(found: Findings) -> str:
    row, design = found.rows[0], found.design
    test = f"a paired t test at level {design.alpha:g}"
    if row.detectable is not None:
        return (
            f"With {design.queries} queries {test} has {design.power:.0%} power if the difference is "
            f"{row.detectable_interval} or more."
        )
    if row.difference:
        needed = f"{row.queries or _MANY} queries for {test} with {design.power:.0%} power"
        return f"A difference of {row.difference:g} needs {needed}."
    queries = _MANY if row.width_lists is None else f"{row.width_lists:,}"
    return f"{queries} queries give an interval of mean width {design.interval_width:g}."


def meanings(found: Findings) -> str:
    """Return what the numbers of the tables mean."""
    design = found.design
    parts = []
    if any(row.long_run is not None for row in found.rows):
        parts.append(
            "Long run: the limit of the share of lists that show the right order. Required documents: "
            f"the length of a list from which on that share is {design.rate:g} or more."
        )
    if any(row.required_lists for row in found.rows):
        parts.append(
            f"{required(found).capitalize()}: for a paired t test at level {design.alpha:g} with "
            f"{design.power:.0%} power{f', {IF_OBSERVED}' if found.source == 'runs' else ''}."
        )
    if found.source == "runs":
        parts.append(BOUND_LEGEND)
    if any(row.detectable for row in found.rows):
        parts.append(
            f"Detectable difference: the smallest for which {design.queries} queries give it that power."
        )
    if any(row.effect for row in found.rows):
        parts.append("Effect size: the mean difference on one list over its standard deviation.")
    if found.source == "runs" and any(row.wrong is not None for row in found.rows):
        parts.append(
            "P(wrong order): the share of queries on which the other run is ahead, with its 95% interval; a "
            "tie is not counted as wrong."
        )
    elif any(row.wrong is not None for row in found.rows):
        where = f" of {found.rows[0].n:,} documents" if found.rows[0].n else ""
        parts.append(f"P(wrong order): on one list{where}; a tie counts as wrong.")
    if design.systems is not None:
        parts.append(
            f"Queries for {design.systems} systems: for an analysis of variance with queries as blocks, "
            "where the best and the worst system differ by the difference."
        )
    if design.interval_width is not None:
        parts.append(
            f"Queries for width {design.interval_width:g}: the mean width of the interval of the difference."
        )
    return " ".join(parts)


def remarks_on_runs(
    queries: int, alpha: float, fitted: bool, relevant: int | None, missing: bool
) -> tuple[str, ...]:
    """Return what a plan from runs assumes, and why it has no long run.

    Parameters
    ----------
    queries : int
        Those that both runs answer.
    alpha : float
    fitted : bool
        Whether there are long runs of fitted curves.
    relevant : int or None
        The number of relevant items of every query, if they have one.
    missing : bool
        Whether the long run of a measure is left out.
    """
    remarks = [
        f"The differences are those of {queries} queries. In brackets: {level_text(alpha)} "
        "intervals. The smallest of several estimated numbers tends to be too small"
    ]
    if fitted:
        remarks.append(
            "Long run and required documents: of curves fitted to the runs, for independent documents"
        )
    if relevant is not None:
        remarks.append(
            f"Every query has {relevant} relevant item{'s' * (relevant > 1)}. The long run, which takes "
            "labels to be independent, is left out. Lists with a fixed number of relevant items are "
            f'planned from ROC curves: --a "roc_power(0.4)" --b "roc_power(0.5)" --relevant {relevant} -n 1e6'
        )
    elif missing:
        remarks.append(
            "The long run is left out where so many different gains would take long. A table with fewer, "
            "such as --gain '0=0, 1=1, 2=1, 3=3, 4=3', is quick; `fit` writes the curves of all of "
            "them, which `plan --a --b` takes"
        )
    return tuple(remarks)


def required(found: Findings) -> str:
    """Return what the required number of queries is called."""
    return "queries as observed" if found.source == "runs" else "required queries"


def _by(said: Sequence[tuple[str, str]], *words: str) -> str:
    """Return which measures have which of the words, such as "enough by nDCG and too few by nDCG@10".

    More than three measures with the same word are not named if others are.
    """
    by = {word: [measure for measure, its in said if its == word] for word in words}
    most = max(words, key=lambda word: len(by[word]))
    parts = [f"{word} by {listed(by[word])}" for word in words if by[word] and word != most]
    if not parts:
        many = "both" if len(said) == 2 else f"all {len(said)}"
        return f"{most} by {f'{many} measures' if len(said) > 1 else listed(by[most])}"
    if len(by[most]) > _NAMED:
        return listed([*parts, f"{most} by the other {len(by[most])} measures"])
    return listed([f"{word} by {listed(by[word])}" for word in words if by[word]])
