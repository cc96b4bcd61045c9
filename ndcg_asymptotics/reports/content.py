"""The contents of a report: sentences, figures and tables of results or of a comparison."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import singledispatch
from pkgutil import resolve_name

from ndcg_asymptotics.checks.checking import check
from ndcg_asymptotics.checks.outcome import Check
from ndcg_asymptotics.core.arrays import brief
from ndcg_asymptotics.core.errors import require
from ndcg_asymptotics.core.tables import Line, Report
from ndcg_asymptotics.orders.distinguishing import Distinction, distinguish
from ndcg_asymptotics.orders.pair import settled_sentence
from ndcg_asymptotics.plots.everything import drawings
from ndcg_asymptotics.plots.saving import Drawing
from ndcg_asymptotics.reports.rerun import Texts, rerun_grid, rerun_study
from ndcg_asymptotics.results import Results
from ndcg_asymptotics.results.grid import GridResults

Reported = Results | GridResults | Report
"""What has a report: results, and outcomes whose class attribute ``page`` is the path of a function.

The function ``contents(outcome, *, width)`` returns the `ReportContents`.
"""


@dataclass(frozen=True)
class ReportContents:
    """The contents of a report.

    Attributes
    ----------
    subject, title : str
    sentences : sequence of str
        The findings.
    figures : sequence of Drawing
    sections : sequence of (heading, outcome, name of the CSV file of all values)
    texts : sequence of (sentence, text)
        How the results are made again.
    missing : str
        What incomplete results lack.
    """

    subject: str
    title: str
    sentences: Sequence[str]
    figures: Sequence[Drawing]
    sections: Sequence[tuple[str, Report, str]]
    texts: Texts = ()
    missing: str = ""


@singledispatch
def contents_of(reported: object, width: float) -> ReportContents:
    """Return the contents of a report, whose figures are ``width`` inches wide.

    Raises
    ------
    InputError
        If no replicate, or no point of a grid, is complete, and for an object that has no report.
    """
    path = getattr(reported, "page", None)
    require(isinstance(path, str), f"expected results or a comparison, got {brief(reported)}", "reported")
    contents: ReportContents = resolve_name(str(path))(reported, width=width)
    return contents


@contents_of.register
def _of_study(results: Results, width: float) -> ReportContents:
    study, complete = results.study, results.replicates_complete
    require(complete > 0, "no replicate is complete yet")
    rare = "ndcg" not in results.values
    check_outcome = check(results) if complete > 1 and not rare else None
    orders = distinguish(results) if complete > 1 and study.pairs else None
    names = " and ".join(dict.fromkeys(measure.name.upper() for measure in study.measures))
    return ReportContents(
        "Probabilities of wrong orders" if rare else f"{names} along growing lists",
        study.title or results.name or "A study",
        list(_findings(check_outcome, orders, rare)),
        drawings(results, width=width),
        _sections(orders, check_outcome, "The study", results),
        rerun_study(results),
        "" if results.complete else f"Incomplete: {complete} of {results.replicates_wanted} replicates.",
    )


def _findings(check_outcome: Check | None, orders: Distinction | None, rare: bool) -> Iterator[str]:
    """Yield a sentence about simulation and theory, and sentences about the order of scorers."""
    if check_outcome:
        verdict = _lines(check_outcome)[0]
        yield f"Simulation against theory: {verdict[0].lower()}{verdict[1:]}"
    if orders and rare:
        yield from (f"{pair.measure}: {pair.text}" for pair in orders.pairs)
    elif orders:
        yield settled_sentence(orders.pairs)
    elif not check_outcome:
        yield "Only one replicate is complete; verdicts need at least two."


def _sections(
    orders: Report | None, check_outcome: Report | None, name: str, results: Report
) -> list[tuple[str, Report, str]]:
    """Return the sections of a report on simulated results."""
    sections = (
        ("Which scorer is ahead", orders, "orders.csv"),
        ("Simulation against theory", check_outcome, "means.csv"),
        (name, results, "simulated.csv"),
    )
    return [(title, outcome, file) for title, outcome, file in sections if outcome is not None]


def _lines(outcome: Report) -> list[str]:
    return [block.text for block in outcome.blocks() if isinstance(block, Line)]


@contents_of.register
def _of_grid(results: GridResults, width: float) -> ReportContents:
    for point in results.points.values():
        plain = not point.replicates_complete or "ndcg" in point.values
        require(plain, f"the {point.study.engine} engine draws orders of pairs, not NDCG: use distinguish")
    check_outcome, axes = check(results), results.axes
    orders = distinguish(results) if axes.fields.get("pairs") else None
    return ReportContents(
        "NDCG at every point of a grid",
        str(axes.fields.get("title", "")) or "A grid",
        [line for outcome in (check_outcome, orders) if outcome for line in _lines(outcome)[:1]],
        drawings(results, width=width),
        _sections(orders, check_outcome, "The grid", results),
        rerun_grid(results),
        "" if results.complete else f"Incomplete: {results.state}.",
    )
