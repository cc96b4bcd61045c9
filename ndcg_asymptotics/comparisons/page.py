"""The page of a comparison: its sentences, figures of the clearest differences, and its tables."""

from __future__ import annotations

from typing import Any

from ndcg_asymptotics.comparisons.pairs import ComparedPair, ComparedPairs
from ndcg_asymptotics.core.tables import Line, Table
from ndcg_asymptotics.plots.everything import drawings
from ndcg_asymptotics.reports.content import ReportContents

_MOST_PAIRS = 10  # that have figures: those that differ most clearly by the first measure
_MOST_NAMES = 4  # runs whose names fit into a title


def comparison_contents(comparison: ComparedPairs[ComparedPair[Any]], *, width: float) -> ReportContents:
    """Return the contents of the page of a comparison, whose figures are ``width`` inches wide."""
    answers = {(pair.a, pair.b): pair.first.answer for pair in comparison.pairs}
    order: dict[tuple[str, ...], tuple[float, float]]
    order = {pair: (answer.p, -abs(answer.difference)) for pair, answer in answers.items()}
    figures = sorted(drawings(comparison, width=width), key=lambda figure: order.get(figure[0][1:], (2, 0)))
    without_pair = [figure for figure in figures[_MOST_PAIRS:] if figure[0][1:] not in order]
    names, blocks = comparison.runs, list(comparison.blocks())
    before_tables = blocks[: [isinstance(block, Table) for block in blocks].index(True)]
    return ReportContents(
        f"Comparison of {len(names)} runs over {comparison.words.shown_by}",
        " against ".join(names) if len(names) <= _MOST_NAMES else "A comparison of runs",
        [block.text for block in before_tables if isinstance(block, Line)],
        [*figures[:_MOST_PAIRS], *without_pair],
        [("Tables", comparison, "comparison.csv")],
    )
