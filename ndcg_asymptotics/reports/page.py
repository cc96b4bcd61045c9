"""A study and its results as one HTML page, a single file that loads nothing else."""

from __future__ import annotations

import base64
import hashlib
import math
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from jinja2 import Environment, FileSystemLoader, StrictUndefined

from ndcg_asymptotics.analysis.check import Check, check, if_tested, largest_z, overall
from ndcg_asymptotics.analysis.orders.distinguish import Distinction, distinguish
from ndcg_asymptotics.core.errors import InputError, require
from ndcg_asymptotics.core.files import write_file
from ndcg_asymptotics.core.tables import Column, Table, decimals, fixed, general
from ndcg_asymptotics.core.text import visible
from ndcg_asymptotics.reports.answer import answer, settled
from ndcg_asymptotics.reports.charts import BAND, curve_charts, order_charts
from ndcg_asymptotics.results import Results
from ndcg_asymptotics.studies.canonical import canonical, files
from ndcg_asymptotics.studies.toml import study_text

_TEMPLATES = Path(__file__).parent / "templates"

_METHOD = (
    "Each replicate draws independent, identically distributed streams of scores and labels and computes "
    "{values} along growing n. At every n the mean over replicates is compared with the exact mean (by "
    "Student’s t, or by bets that are valid for any values), at some n the standard deviation with the exact "
    "one (by chi-square, or by bets), and at the last n the distribution with that of long lists "
    "(Kolmogorov-Smirnov). The family-wise error rate of all these tests is controlled by Bonferroni’s "
    "correction. The limit of each theorem is compared with the limit extrapolated from exact means up to "
    "n = 1e18, which does not use the theorem’s formula. A replicate’s random numbers depend only on the "
    "seed, its index and the scorer’s name."
)


def report(results: Results, out: Path | str | None = None, *, alpha: float = 1e-4) -> str:
    """Return a study as one HTML page: findings, verdicts, curves, the method and how to rerun it.

    The page is a single file that loads nothing else. It has a light and a dark theme, tables that can be
    sorted and filtered, and a layout for printing.

    Parameters
    ----------
    results : Results
        From `open_results` or `run`. The page of incomplete results says so.
    out : path, optional
        File to write the page to.
    alpha : float
        Family-wise error rate, as in `check`.

    Returns
    -------
    str
        The page.

    Raises
    ------
    InputError
        If no replicate is complete, or the engine draws no NDCG.
    OSError
        If the file cannot be written.

    >>> import ndcg_asymptotics as na
    >>> study = na.Study(scorers={"a": "constant(0.4)"}, measures="nDCG", n=[10, 100], replicates=20)
    >>> page = report(na.run(study, jobs=1))
    >>> page.startswith("<!doctype html>"), page.count('id="verdict-table"')
    (True, 1)
    """
    if out is not None:
        out = Path(out)
        require(not out.is_dir(), f"{out} is a folder, expected the name of a file", "out")
        require(out.parent.is_dir(), f"{out}: there is no folder {out.parent}", "out")
    rare = results.study.engine == "rare"
    require(not rare, "the rare engine draws orders of pairs, not NDCG: use distinguish", "report")
    page = _environment().get_template("report.html").render(_contents(results, alpha))
    if out is not None:
        write_file(out, page.encode("utf-8"))
    return page


def _environment() -> Environment:
    found = Environment(
        loader=FileSystemLoader(_TEMPLATES), autoescape=True, undefined=StrictUndefined, trim_blocks=True
    )
    found.filters["visible"] = visible
    found.globals |= {"cells": _cells, "raw": _raw}
    return found


def _contents(results: Results, alpha: float) -> dict[str, Any]:
    study = results.study
    drawn = results.replicates_complete == 0 or "ndcg" in results.values
    require(drawn, f"the {study.engine} engine draws orders of pairs, not NDCG: use distinguish")
    curves = curve_charts(results)
    values = " and ".join(dict.fromkeys(measure.name.upper() for measure in study.measures))
    found = check(results, alpha=alpha) if results.replicates_complete > 1 else None
    orders = distinguish(results) if study.pairs and results.replicates_complete > 1 else None
    order_specs = order_charts(orders.pairs) if orders else []
    script = (_TEMPLATES / "report.js").read_text(encoding="utf-8")
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    verdicts = _verdicts(found) if found else None
    facets = _facets(verdicts) if verdicts else []
    bounded = any(pair.from_n_is_upper_bound for pair in orders.pairs) if orders else False
    return {
        "title": visible(study.title or results.name or "A study"),
        "incomplete": "" if results.complete else (
            f"Incomplete: {results.replicates_complete} of {results.replicates_wanted} replicates."
        ),
        "answer": [visible(sentence) for sentence in answer(results, found, orders)],
        "values": values,
        "scorers": [visible(name) for name in study.scorers],
        "scorers_table": Table(
            "", (Column("scorer"), Column("relevance curve")),
            tuple((name, str(scorer)) for name, scorer in study.scorers.items()),
        ),
        "measures": [visible(str(measure)) for measure in study.measures],
        "lengths": f"{study.n[0]:g}" if len(study.n) == 1 else f"{study.n[0]:g} to {study.n[-1]:g}",
        "coupling": str(study.population.coupling),
        "replicates": results.replicates_complete,
        "verdicts": verdicts,
        "row_facets": facets,
        "facets": {name: _options(facets, name) for name in ("measure", "scorer", "verdict")},
        "remarks": list(_remarks(found)) if found else [],
        "curve_charts": curves,
        "order_charts": order_specs,
        "charts": [*curves, *order_specs],
        "band": f"{100 * BAND[0]:g}–{100 * BAND[1]:g}%",
        "orders": _orders(orders) if orders else None,
        "order_remark": _no_orders(results),
        "from_n": "at every grid point from n on, which is an upper bound" if bounded
        else "at every list length from n on",
        "method": _METHOD.format(values=values),
        "engine": study.engine,
        "seed": study.seed,
        "versions": results.versions[-1],
        "css": (_TEMPLATES / "report.css").read_text(encoding="utf-8"),
        "js": script,
        "script_hash": f"sha256-{digest}",
        **_rerun(results),
    }  # fmt: skip


def _verdicts(found: Check) -> Table:
    rows = []
    for (scorer, measure), tests in found.by_scorer_and_measure().items():
        means, (limit,) = tests["means"], tests["limits"]
        last = means[-1]
        rows.append(
            (scorer, measure, overall(means), limit.verdict, if_tested(overall(tests["standard deviations"])),
             if_tested(overall(tests["laws"])), last.simulated, last.mcse, last.expectation, largest_z(means),
             limit.limit, limit.extrapolated, limit.theorem)
        )  # fmt: skip
    columns = (  # verdicts come before their evidence, so that a narrow page shows them
        Column("scorer"), Column("measure"), Column("mean verdict"), Column("limit verdict"),
        Column("std"), Column("law"), Column("simulated", decimals(5)),
        Column("std. error", general(".1e")), Column("exact mean", decimals(5)),
        Column("largest |z|", fixed(2)), Column("limit", decimals(5)),
        Column("extrapolated limit", decimals(5)), Column("theorem"),
    )  # fmt: skip
    title = f"Means at n = {found.rows[-1].n:g}; largest |z| and verdicts over all tested n"
    return Table(title, columns, tuple(rows))


def _facets(table: Table) -> list[dict[str, list[str]]]:
    """Return the values by which each row of verdicts can be filtered."""
    return [
        {
            "measure": [visible(row[1])],
            "scorer": [visible(row[0])],
            "verdict": [verdict for verdict in dict.fromkeys(row[2:6]) if verdict],
        }
        for row in table.rows
    ]


def _options(facets: Iterable[dict[str, list[str]]], name: str) -> list[str]:
    return list(dict.fromkeys(value for row in facets for value in row[name]))


def _remarks(found: Check) -> Iterator[str]:
    for row in found.limits:
        if row.verdict != "agrees":
            yield visible(f"{row.scorer}, {row.measure}: {row.verdict}; {row.explanation}.")


def _orders(found: Distinction) -> Table:
    columns = (
        Column("pair"), Column("measure"), Column("right"), Column("rate at largest n", fixed(4)),
        Column("settled from n", general("g")), Column("wrong orders"),
    )  # fmt: skip
    rows = tuple(
        (" > ".join(pair.pair), pair.measure, pair.right, pair.points[-1].rate, settled(pair),
         pair.decay.verdict.removesuffix(" over the observed range").rstrip(","))
        for pair in found.pairs
    )  # fmt: skip
    return Table("Settled: from this n on, the right scorer stays ahead in 99% of streams", columns, rows)


def _no_orders(results: Results) -> str:
    if results.study.pairs or len(results.study.scorers) < 2:
        return ""
    a, b = list(results.study.scorers)[:2]
    return visible(
        "The study does not compare scorers. "
        f'To compare two, add pairs = [["{a}", "{b}"]] to the study and run it into a new folder.'
    )


def _rerun(results: Results) -> dict[str, Any]:
    """Return the study as a file, the other files that it needs, and the commands that rerun it.

    They are empty if another process could not find a function of the study by a name.
    """
    study = results.study
    try:
        text, beside, custom = study_text(study), files(study), "digests" in canonical(study)
    except InputError:
        return {"study_text": "", "study_files": [], "commands": []}
    allow = " --allow-custom" if custom else ""
    wanted = np.sort(results.replicates)
    commands = [
        f"run study.toml --replicates {len(part)}{f' --first {part[0]}' if part[0] else ''} --out results"
        for part in np.split(wanted, np.flatnonzero(np.diff(wanted) != 1) + 1)
    ]
    commands += ["check results", "report results --out report.html"]
    return {
        "study_text": text,
        "study_files": [visible(name) for name in beside],
        "commands": [f"ndcg-asymptotics {command}{allow}" for command in commands],
    }


def _cells(table: Table, row: tuple[Any, ...]) -> list[tuple[Column, Any]]:
    return list(zip(table.columns, row, strict=True))


def _raw(value: Any) -> str:
    """Return the text by which a column is sorted; empty for no value."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    return repr(value) if isinstance(value, float | int) else visible(str(value))
