"""The pages of real runs: growing lists and comparisons."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ndcg_asymptotics.analysis.runs.compared import PairComparison
from ndcg_asymptotics.analysis.runs.comparison import Comparison
from ndcg_asymptotics.analysis.runs.deviations import deviations
from ndcg_asymptotics.analysis.runs.judged import JudgedComparison, JudgedPair
from ndcg_asymptotics.core.arrays import LEVEL
from ndcg_asymptotics.core.tables import Line, ReportBlock, Table
from ndcg_asymptotics.lists.growth import Growth
from ndcg_asymptotics.reports.charts import (
    comparison_charts,
    growth_charts,
    judged_comparison_charts,
)
from ndcg_asymptotics.reports.content import Chart, Listing, Mark, ReportPage, Section

_FEW_RUNS = 4  # whose names fit into a title
_FIRST_PAIRS = 10  # pairs of many runs that have charts of their own, the clearest ones


def growth_page(growth: Growth) -> ReportPage:
    """Return the page of growing lists of real runs."""
    compared = deviations(growth) if growth.theory else None
    said: list[str] = []
    marks = [
        Mark("exact", "mean over queries"),
        Mark("band", f"its {LEVEL:.0%} band, bootstrap over queries"),
    ]
    if growth.theory:
        marks = [
            Mark("plain", "mean over queries"),
            marks[1],
            Mark("mean", f"i.i.d., mixture of {len(growth.theory.groups)} groups"),
            Mark("tick", "i.i.d., one pooled curve"),
        ]
    sections = [
        Section("curves", "Curves", charts=tuple(growth_charts(growth)), marks=tuple(marks)),
        _listed("means", "Means", growth.blocks()),
    ]
    if compared:
        said = [compared.statement(str(measure)) for measure in growth.measures]
        left = [block for block in compared.blocks() if isinstance(block, Table) or block.text not in said]
        sections.append(_listed("theory", "Real lists and i.i.d. theory", left))
    settings = tuple((name.replace("_", " "), (_shown(value),)) for name, value in growth.settings.items())
    sections.append(Section("method", "How the lists were made", facts=settings))
    said = said or [_highest(growth, m) for m in range(len(growth.measures))]
    return ReportPage(
        "NDCG of real runs as the documents of each query arrive",
        "Growing lists: " + ", ".join(growth.runs),
        tuple(said),
        tuple(sections),
    )


def comparison_page(comparison: Comparison | JudgedComparison) -> ReportPage:
    """Return the page of a comparison of runs, also of one with a judge."""
    if isinstance(comparison, JudgedComparison):
        of_judge = sorted(comparison.pairs, key=lambda pair: pair.clearest.combined.p)[:_FIRST_PAIRS]
        return _of_pairs(
            comparison,
            comparison.words.shown_by,
            [(pair, judged_comparison_charts(pair, comparison.alpha)) for pair in of_judge],
        )
    clearest = sorted(comparison.pairs, key=lambda pair: pair.clearest.p)[:_FIRST_PAIRS]
    charts = [(pair, comparison_charts(pair, comparison.alpha)) for pair in clearest]
    return _of_pairs(comparison, f"{comparison.queries} queries", charts)


def _of_pairs(
    comparison: Comparison | JudgedComparison,
    queries: str,
    pairs: Sequence[tuple[PairComparison | JudgedPair, Sequence[Chart]]],
) -> ReportPage:
    """Return the page with the charts of these pairs, and all tables."""
    several = len(comparison.runs) > 2
    marks = (
        Mark("filled", f"p < {comparison.alpha:.2g} after correction"),
        Mark("mean", f"p ≥ {comparison.alpha:.2g}"),
        Mark("interval", f"{100 * comparison.level:.6g}% interval"),
    )
    sections = [
        Section(
            f"pair{i}",
            f"{pair.a} against {pair.b}",
            (pair.text,) if several else (),
            charts=tuple(charts),
            marks=marks,
        )
        for i, (pair, charts) in enumerate(pairs)
    ]
    blocks = list(comparison.blocks())
    if several and len(comparison.pairs) > len(pairs):
        blocks.append(Line(f"Charts: the {len(pairs)} clearest of {len(comparison.pairs)} pairs."))
    first = next(i for i, block in enumerate(blocks) if isinstance(block, Table))
    sections.append(_listed("tables", "Tables", blocks[first:]))
    return ReportPage(
        f"Comparison of {len(comparison.runs)} runs over {queries}",
        " against ".join(comparison.runs) if len(comparison.runs) <= _FEW_RUNS else "A comparison of runs",
        tuple(block.text.strip() for block in blocks[:first] if isinstance(block, Line)),
        tuple(sections),
    )


def _listed(id_: str, title: str, blocks: Iterable[ReportBlock]) -> Section:
    """Return a section of tables and the lines after them."""
    found = list(blocks)
    tables = [block for block in found if isinstance(block, Table)]
    return Section(
        id_,
        title,
        tables=tuple(Listing(f"{id_}{i}", table, simulated=False) for i, table in enumerate(tables)),
        notes=tuple(block.text.strip() for block in found if isinstance(block, Line)),
    )


def _shown(value: object) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)


def _highest(growth: Growth, measure: int) -> str:
    """Return which run has the highest mean over the queries at the largest n, with its band."""
    means = growth.mean[:, measure, -1]
    run = int(means.argmax())
    low, high = (float(end[run, measure, -1]) for end in growth.band())
    return (
        f"{growth.measures[measure]}: {growth.runs[run]} has the highest mean over these queries at "
        f"n = {int(growth.sizes[-1])}, {float(means[run]):.4f} ({LEVEL:.0%} band {low:.4f} to {high:.4f})."
    )
