"""What `check`, `distinguish` and `predict` found, as tables and words for a terminal."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

import rich.box
from rich.console import Console
from rich.table import Table

from ndcg_asymptotics.check import LimitRow, Report, Row
from ndcg_asymptotics.distinguish import CONFIDENCE, Pair, Rate
from ndcg_asymptotics.lists.evaluation import Evaluation
from ndcg_asymptotics.prediction import Prediction

_PLAIN_WIDTH = 200  # where the output is no terminal


def console() -> Console:
    """A console that does not fold tables which are written to a file or a pipe."""
    found = Console(highlight=False)
    return found if found.is_terminal else Console(highlight=False, width=_PLAIN_WIDTH)


def _table(*columns: str, title: str = "") -> Table:
    table = Table(title=title or None, box=rich.box.SIMPLE_HEAD, title_justify="left", pad_edge=False)
    for name in columns:
        text, _, right = name.partition(">")
        table.add_column(text, justify="right" if right else "left", no_wrap=right != "" or text != "why")
    return table


def _number(value: float | None, digits: int = 5) -> str:
    return "-" if value is None else f"{value:.{digits}f}"


def show_check(report: Report, out: Console, *, summary: bool = False) -> None:
    """Print a report of `check`: every mean (unless ``summary``), every limit, and the verdict."""
    state = "" if report.complete else " (INCOMPLETE: more were asked for)"
    out.print(f"[bold]{report.study}[/bold]: {report.replicates} replicates{state}", soft_wrap=True)
    if summary:
        _summary(report, out)
    else:
        _means(report.rows, out)
    _limits(report.limits, out)
    tested = sum(row.verdict != "not tested" for row in report.rows)
    judged: list[Row | LimitRow] = [*report.rows, *report.limits]
    wrong = [row for row in judged if row.verdict == "disagrees"]
    out.print(
        f"{tested} means tested against the exact mean. Chance of any false alarm among them: at most "
        f"{report.alpha:g} (Bonferroni, {report.rows[0].false_alarm:.1e} each, Student's t).",
        soft_wrap=True,
    )
    if report.detectable:
        details = ", ".join(f"{measure} {100 * error:.2g}%" for measure, error in report.detectable.items())
        out.print(f"Smallest relative error of a formula reported with 99% power: {details}.", soft_wrap=True)
    if wrong:
        first = wrong[0]
        at = f" at n = {first.n:g}" if isinstance(first, Row) else ""
        out.print(
            f"[bold red]{len(wrong)} verdict(s) disagree[/], first: {first.scorer}, {first.measure}{at}."
        )
    else:
        out.print("[bold green]Nothing disagrees.[/]")


def _means(rows: Sequence[Row], out: Console) -> None:
    for (scorer, measure), group in groupby(rows, key=lambda row: (row.scorer, row.measure)):
        table = _table("n>", "simulated>", "MCSE>", "exact mean>", "z>", "verdict", "pseudo>",
                       title=f"{scorer}, {measure}")  # fmt: skip
        for row in group:
            table.add_row(
                f"{row.n:g}", _number(row.simulated), f"{row.mcse:.1e}", _number(row.expectation),
                _number(row.z, 2), row.verdict, _number(row.pseudo_expectation),
            )  # fmt: skip
        out.print(table)


def _summary(report: Report, out: Console) -> None:
    table = _table("scorer", "measure", "n>", "simulated>", "MCSE>", "exact mean>", "pseudo>", "largest |z|>",
                   "verdict", title="At the largest n, and the largest |z| over all n")  # fmt: skip
    for (scorer, measure), group in groupby(report.rows, key=lambda row: (row.scorer, row.measure)):
        rows = list(group)
        last = rows[-1]
        worst = max((abs(row.z) for row in rows if row.z is not None), default=None)
        verdicts = {row.verdict for row in rows}
        verdict = "disagrees" if "disagrees" in verdicts else last.verdict
        table.add_row(
            scorer, measure, f"{last.n:g}", _number(last.simulated), f"{last.mcse:.1e}",
            _number(last.expectation), _number(last.pseudo_expectation), _number(worst, 2), verdict,
        )  # fmt: skip
    out.print(table)


def _limits(limits: Sequence[LimitRow], out: Console) -> None:
    table = _table("scorer", "measure", "limit>", "theorem", "exact mean goes to>", "± >", "gap at 1e6>",
                   "gap at 1e18>", "gap falls like", "verdict",
                   title="Limits, against the exact mean extrapolated from n = 1e4 … 1e18")  # fmt: skip
    for row in limits:
        gaps = dict(row.gaps)
        tolerance = "-" if row.tolerance is None else f"{row.tolerance:.0e}"
        table.add_row(
            row.scorer, row.measure, _number(row.limit), row.theorem, _number(row.extrapolated), tolerance,
            _gap(gaps.get(10**6)), _gap(gaps.get(10**18)), row.fitted_gap or "-", row.verdict,
        )  # fmt: skip
    out.print(table)
    for row in limits:
        if row.verdict != "agrees":
            out.print(f"{row.scorer}, {row.measure}: {row.verdict}; {row.explanation}.", soft_wrap=True)


def _gap(value: float | None) -> str:
    return "-" if value is None else f"{value:+.1e}"


def show_distinguish(pairs: Sequence[Pair], out: Console) -> None:
    """Print the rates of right order and what they show."""
    for pair in pairs:
        a, b = pair.pair
        every = "at every grid n >= N" if pair.from_n_is_upper_bound else "at every n >= N"
        table = _table("n or N>", "right at n>", "interval", f"right {every}>", "interval ",
                       title=f"{a} against {b}, {pair.measure}")  # fmt: skip
        for at, since in _thin(list(zip(pair.points, pair.from_n, strict=True))):
            table.add_row(f"{at.n:g}", f"{at.rate:.4f}", _interval(at), f"{since.rate:.4f}", _interval(since))
        out.print(table)
        quantiles = ", ".join(f"{float(q):.0%} {n:g}" for q, n in pair.last_wrong.items())
        changes = pair.changes["mean"]
        out.print(f"Last wrong n, quantiles: {quantiles}." + (
            f" Changes of order per stream: {changes:.1f}." if changes is not None else ""))  # fmt: skip
        if pair.undecided:
            out.print(f"Undecided comparisons, counted as wrong: {pair.undecided:.2%}.")
        out.print(pair.text + "\n", soft_wrap=True)
    out.print(
        f"Intervals: Wilson, {CONFIDENCE:.0%}, for each n alone. A tie counts as a wrong order.",
        soft_wrap=True,
    )


def _interval(rate: Rate) -> str:
    return f"[{rate.low:.4f}, {rate.high:.4f}]".replace("[", r"\[")


def _thin(rows: list[tuple[Rate, Rate]], most: int = 13) -> list[tuple[Rate, Rate]]:
    """At most about a dozen rows, evenly spaced, the last one kept; `--json` has them all."""
    step = -(-len(rows) // most)
    return rows[::-1][::step][::-1]


def show_predictions(rows: Sequence[Prediction], out: Console) -> None:
    """Print predictions, one line each, and the reasons for what is missing."""
    table = _table("scorer", "measure", "n>", "exact mean>", "± >", "pseudo>", "limit>", "theorem",
                   "assumptions", "why")  # fmt: skip
    for row in rows:
        error = "-" if row.expectation_error is None else f"{row.expectation_error:.0e}"
        table.add_row(
            row.scorer, row.measure, f"{row.n:g}", _number(row.expectation, 8), error,
            _number(row.pseudo_expectation, 6), _number(row.limit, 6), row.theorem,
            "; ".join(row.assumptions), row.reason,
        )  # fmt: skip
    out.print(table)


def show_evaluation(found: Evaluation, out: Console) -> None:
    """Print NDCG by query and the mean, four decimals as trec_eval does."""
    table = _table("query", *(f"{measure}>" for measure in found.measures))
    for query, values in zip(found.queries, found.values, strict=True):
        table.add_row(query, *(f"{value:.4f}" for value in values))
    table.add_section()
    table.add_row("mean", *(f"{value:.4f}" for value in found.mean))
    out.print(table)
