"""The pages of studies and of grids of studies."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Annotated

import numpy as np

from ndcg_asymptotics.analysis.check import check, check_grid
from ndcg_asymptotics.analysis.check_outcome import CellTests, Check
from ndcg_asymptotics.analysis.orders.distinguish import Distinction, distinguish
from ndcg_asymptotics.analysis.orders.pair import notes
from ndcg_asymptotics.core.arrays import BAND
from ndcg_asymptotics.core.errors import InputError, require
from ndcg_asymptotics.core.tables import Column, Line, Table, fixed, general
from ndcg_asymptotics.reports.answer import main_findings
from ndcg_asymptotics.reports.charts import (
    curve_charts,
    grid_charts,
    order_charts,
    rare_charts,
)
from ndcg_asymptotics.reports.content import Listing, Mark, ReportPage, Section
from ndcg_asymptotics.results import Results
from ndcg_asymptotics.results.grid import GridResults
from ndcg_asymptotics.studies import Study
from ndcg_asymptotics.studies.canonical import canonical, files
from ndcg_asymptotics.studies.grid import grid_text
from ndcg_asymptotics.studies.toml import study_text
from ndcg_asymptotics.sweep.precision import interim_sizes, precision_of

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
_RARE = (
    "Each replicate draws lists in which a wrong order is likely, and weighs them by how improbable they "
    "are. The probability of a wrong order is the mean of these importance weights. An estimate whose "
    "effective sample size is too small, or in which one draw has most of the weight, is not shown."
)
_BAND = f"{100 * BAND[0]:g}–{100 * BAND[1]:g}% of the replicates"
_CURVES = (
    Mark("mean", "mean over the replicates"),
    Mark("exact", "exact mean"),
    Mark("limit", "limit"),
    Mark("band", _BAND),
)

# verdicts come before their evidence, so that a narrow page shows them
_VERDICTS = (
    *("scorer", "measure", "mean", "stated.verdict", "std", "law", "simulated", "mcse", "expectation"),
    *("largest_z", "least", "pseudo_expectation", "limit", "extrapolated", "theorem"),
)
_HEADINGS = {"mean": "mean verdict", "stated.verdict": "limit verdict", "mcse": "MCSE"}

_Facts = tuple[tuple[str, tuple[str, ...]], ...]


@dataclass(frozen=True)
class SettledOrder:
    """The order of a pair by a measure: its rate at the largest n, and the n from which on it is settled."""

    pair: Annotated[str, Column("pair")]
    measure: Annotated[str, Column("measure", whole=True)]
    right: Annotated[str | None, Column("right")]
    rate: Annotated[float | None, Column("rate at largest n", fixed(4))]
    settled: Annotated[int | None, Column("settled from n", general("g"))]
    wrong: Annotated[str, Column("wrong orders")]


def study_page(results: Results, alpha: float) -> ReportPage:
    """Return the page of a study whose engine draws NDCG."""
    study = results.study
    several = results.replicates_complete > 1
    found = check(results, alpha=alpha) if several else None
    orders = distinguish(results) if study.pairs and several else None
    values = _values(study)
    parts = (
        Section("curves", "Curves", charts=tuple(curve_charts(results)), marks=_CURVES),
        _orders(results, orders),
        _verdicts(found),
        _study(study, f"{results.replicates_complete}", values),
        _method(_METHOD.format(values=values), results),
    )
    return ReportPage(
        f"{values} along growing lists: simulation against theory",
        study.title or results.name or "A study",
        tuple(main_findings(results, found, orders)),
        tuple(part for part in parts if part),
        _incomplete(results),
    )


def rare_page(results: Results) -> ReportPage:
    """Return the page of a study of the rare engine, which draws wrong orders."""
    study, several = results.study, results.replicates_complete > 1
    pairs = distinguish(results).pairs if several else []
    tables = [block for pair in pairs for block in pair.blocks() if isinstance(block, Table)]
    sections = []
    if pairs:
        said = tuple(block.text for block in notes(pairs) if isinstance(block, Line))
        sections = [
            Section(
                "probabilities",
                "Probabilities of a wrong order",
                charts=tuple(rare_charts(pairs, study)),
                marks=(
                    Mark("mean", "estimate"),
                    Mark("band", "95% interval"),
                    Mark("exact", "predicted without simulation"),
                ),
                tables=tuple(Listing(f"rates{i}", table) for i, table in enumerate(tables)),
                notes=said,
            )
        ]
    sections += [
        _study(study, f"{results.replicates_complete}", _values(study)),
        _method(_RARE, results),
    ]
    nothing = f"There are {results.replicates_complete} complete replicates; at least two are needed."
    return ReportPage(
        "Probabilities of wrong orders along growing lists",
        study.title or results.name or "A study",
        tuple(f"{pair.measure}: {pair.text}" for pair in pairs) or (nothing,),
        tuple(sections),
        _incomplete(results),
    )


def grid_page(results: GridResults, alpha: float) -> ReportPage:
    """Return the page of a grid: verdicts at every point, and NDCG against each parameter."""
    require(len(results.points) > 0, "the grid has no complete point yet")
    for point in results.points.values():
        drawn = not point.replicates_complete or "ndcg" in point.values
        require(drawn, f"the {point.study.engine} engine draws orders of pairs, not NDCG: use distinguish")
    found = check_grid(results, alpha=alpha)
    axes, first = results.axes, next(iter(results.points.values()))
    parameters = tuple(
        f"{name}: {values[0]:g}" + (f" to {values[-1]:g}, {len(values)} values" if len(values) > 1 else "")
        for name, values in axes.parameters.items()
    )
    blocks = list(found.blocks())
    count = len(axes.parameters)
    verdicts = found.every_verdict()
    filters = {
        **{name: (i,) for i, name in enumerate(axes.parameters)},
        "scorer": (count,),
        "measure": (count + 1,),
        "verdict": tuple(range(count + 3, count + 7)),
    }
    text = grid_text(axes)
    about = (
        ("Parameters", parameters),
        ("Scorers", tuple(f"{name} = {text}" for name, text in axes.fields["scorers"].items())),
        ("Measures", axes.measures),
    )
    replicates = f"{first.replicates_wanted} at each of {len(axes.points)} points"
    commands = ("run grid.toml --out results", "check results", "report results --out report.html")
    sections = (
        Section(
            "curves",
            "Curves against the parameters",
            charts=tuple(grid_charts(results)),
            marks=tuple(mark for mark in _CURVES if mark.kind != "limit"),
        ),
        Section("verdicts", "Verdicts", tables=(Listing("verdict-table", verdicts, filters),)),
        _study(first.study, replicates, "", about),
        Section(
            "method",
            "Method and how to rerun",
            (_METHOD.format(values=_values(first.study)),),
            facts=_versions(first)[0],
            copies=(
                ("The grid, as a file grid.toml:", text),
                _commands(first, commands, any("custom(" in line for line in text.splitlines())),
            ),
            folds=_versions(first)[1],
        ),
    )
    there = f"{len(results.points)} of {len(axes.points)} points"
    return ReportPage(
        f"{_values(first.study)} at every point of a grid: simulation against theory",
        str(axes.fields.get("title", "")) or "A grid",
        tuple(block.text for block in blocks if isinstance(block, Line)),
        sections,
        "" if results.complete else f"Incomplete: {there} have results, or replicates are missing.",
    )


def _values(study: Study) -> str:
    return " and ".join(dict.fromkeys(measure.name.upper() for measure in study.measures))


def _incomplete(results: Results) -> str:
    if results.complete:
        return ""
    return f"Incomplete: {results.replicates_complete} of {results.replicates_wanted} replicates."


def _study(study: Study, replicates: str, values: str, about: _Facts = ()) -> Section:
    """Return what was simulated; what a grid says ``about`` it takes the place of scorers and measures."""
    count = len(study.scorers)
    sizes = f"{study.n[0]:g}" if len(study.n) == 1 else f"{study.n[0]:g} to {study.n[-1]:g}"
    scorers = tuple(f"{name} = {scorer}" for name, scorer in study.scorers.items())
    facts = [
        *(about or (("Scorers", scorers), ("Measures", tuple(map(str, study.measures))))),
        ("List lengths", (sizes,)),
        ("Coupling", (f"{study.population.coupling}, given the label",)),
        ("Replicates", (replicates,)),
        ("Seed", (f"{study.seed}",)),
    ]
    if study.precision:
        until = f"until every Monte Carlo standard error is at most {study.precision:g}"
        facts.append(("Precision", (until,)))
    lead = (
        f"The study simulates {values or 'measures'} of "
        f"{'one scorer' if count == 1 else f'{count} scorers'} on growing lists. A scorer is described by "
        "its relevance curve: the probability of relevance (or the expected gain) of an item whose canonical "
        "score, which is uniform on [0, 1], is s."
    )
    return Section("study", "The study", (lead,), facts=tuple(facts))


def _verdicts(found: Check | None) -> Section | None:
    if found is None:
        return None
    title = f"Means at n = {found.rows[-1].n:g}; largest |z| and verdicts over all tested n"
    return Section(
        "verdicts",
        "Verdicts",
        (
            "The table answers two separate questions. Is the simulated mean the exact mean at every n? And "
            "does the exact mean tend to the limit of the theorem?",
        ),
        tables=(
            Listing(
                "verdict-table",
                Table.of(title, CellTests, found.by_cell(), *_VERDICTS, **_HEADINGS),
                {"measure": (1,), "scorer": (0,), "verdict": (2, 3, 4, 5)},
            ),
        ),
        notes=tuple(
            f"{row.scorer}, {row.measure}: {row.verdict}; {row.explanation}."
            for row in found.limits
            if row.verdict != "agrees"
        ),
    )


def _orders(results: Results, orders: Distinction | None) -> Section | None:
    study = results.study
    if orders is None:
        if study.pairs or len(study.scorers) < 2:
            return None
        a, b = list(study.scorers)[:2]
        lead = (
            "The study does not compare scorers. "
            f'To compare two, add pairs = [["{a}", "{b}"]] to the study and run it into a new folder.'
        )
        return Section("orders", "Which scorer is ahead", (lead,))
    bounded = any(pair.from_n_is_upper_bound for pair in orders.pairs)
    none = any(1 in (pair.points[-1].rate, pair.from_n[-1].rate) for pair in orders.pairs if pair.right)
    since = (
        "at some grid point from n on, which is a lower bound" if bounded else "at some list length from n on"
    )
    rows = [
        SettledOrder(
            " > ".join(pair.pair),
            pair.measure,
            pair.right,
            pair.points[-1].rate if pair.right else None,
            pair.settled_from,
            pair.decay.verdict.removesuffix(" over the observed range").rstrip(","),
        )
        for pair in orders.pairs
    ]
    title = "Settled: from this n to at least 10 n, the right scorer stays ahead in 99% of the replicates"
    table = Table.of(title, SettledOrder, rows)
    return Section(
        "orders",
        "Which scorer is ahead",
        (
            "The charts show how often the scorer that should win does not have the larger value at n, and "
            f"how often {since}. The intervals are 95% Wilson intervals for each n separately. A tie "
            "counts as a wrong order.",
        ),
        charts=tuple(order_charts(orders.pairs)),
        marks=(
            Mark("mean", "rate"),
            Mark("band", "95% interval"),
            *((Mark("none", "none wrong from here on: upper end of the interval"),) if none else ()),
        ),
        tables=(Listing("order-table", table, {"pair": (0,), "measure": (1,)}),),
    )


def _method(text: str, results: Results) -> Section:
    """Return the method, the study as a file, and the commands that rerun it."""
    facts, folds = _versions(results)
    study = results.study
    try:
        options, given = _as_run(results)
        file, beside, custom = study_text(given), files(study), "digests" in canonical(study)
    except InputError:
        said = (
            "The study has a function that another process could not find by a name, so it cannot be printed "
            "here as a file."
        )
        return Section("method", "Method and how to rerun", (text,), facts=facts, folds=folds, notes=(said,))
    judged = ["check results"] if "ndcg" in results.named else ["distinguish results"]
    commands = (
        *(f"run study.toml --out results{option}" for option in options),
        *judged,
        "report results --out report.html",
    )
    needed = (("Files beside it, from the folder of the results", tuple(beside)),) if beside else ()
    return Section(
        "method",
        "Method and how to rerun",
        (text,),
        facts=(*facts, *needed),
        copies=(("The study, as a file study.toml:", file), _commands(results, commands, custom)),
        folds=folds,
    )


def _as_run(results: Results) -> tuple[list[str], Study]:
    """Return the options of the runs that gave the results, and the study whose file they were given."""
    study, wanted = results.study, np.sort(results.replicates)
    if _by_itself(results) == len(wanted) == wanted[-1] + 1:
        return [""], study
    parts = np.split(wanted, np.flatnonzero(np.diff(wanted) != 1) + 1)
    options = [f" --replicates {len(part)}{f' --first {part[0]}' if part[0] else ''}" for part in parts]
    return options, study.with_(precision=None)


def _by_itself(results: Results) -> int | None:
    """Return how many replicates a run of the study takes without options; None where that is not known."""
    study = results.study
    if study.precision is None:
        return study.replicates
    for size in interim_sizes(study.replicates):
        if not results.complete or size > results.replicates_complete or "ndcg" not in results.named:
            return None
        if precision_of(results, study.precision, size).enough:
            return size
    return study.replicates


def _commands(results: Results, commands: Iterable[str], custom: bool) -> tuple[str, str]:
    allow = " --allow-custom" if custom else ""
    lines = ["pip install .", *(f"ndcg-asymptotics {command}{allow}" for command in commands)]
    version = results.versions[-1]["ndcg_asymptotics"]
    return (
        "These commands give the same results, bit for bit, with any number of jobs. The first installs the "
        f"package from a copy of the repository at version {version}:",
        "\n".join(lines),
    )


def _versions(results: Results) -> tuple[_Facts, tuple[tuple[str, str], ...]]:
    """Return engine and versions as facts, and the vector units of the processor as folds."""
    versions = results.versions[-1]
    libraries = [f"{name} {version}" for name, version in versions.items() if not name.endswith("_cpu")]
    facts = (("Engine", (results.study.engine,)), ("Versions", (", ".join(libraries),)))
    units = [
        f"{name.removesuffix('_cpu')}: {text}" for name, text in versions.items() if name.endswith("_cpu")
    ]
    folds = (("Vector units of the processor, which decide the last bits", "\n".join(units)),)
    return facts, folds if units else ()
