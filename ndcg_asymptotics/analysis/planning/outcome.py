"""The outcome of planning: answers in sentences, and a table by measure."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated

from ndcg_asymptotics.analysis.planning import sentences
from ndcg_asymptotics.analysis.planning.findings import Findings, PlanRow
from ndcg_asymptotics.core.tables import (
    Data,
    Line,
    Report,
    ReportBlock,
    Table,
    declared,
    details,
    remark_lines,
)

_SAMPLE_SIZES = ("sd", "detectable_interval", "anova_lists", "width_lists")
"""The columns of the second table."""


@dataclass(frozen=True, repr=False)
class Plan(Findings, Report):
    """The outcome of `plan`: what it finds (`Findings`), to be printed."""

    @property
    def answers(self) -> Annotated[list[str], Data()]:
        """The answers in the order of the questions, a sentence each."""
        return sentences.answers(self)

    def blocks(self) -> Iterator[ReportBlock]:
        """Yield the answers, a table by measure, and lines that say what its numbers mean."""
        yield from remark_lines(self.remarks, warnings=True)
        for answer in self.answers:
            yield Line(answer)
        yield Line("")
        tables = [table for table in (self._table(), self._sample_sizes()) if len(table.columns) > 1]
        yield from tables[:1]
        yield from details([*tables[1:], *self._notes()])

    def _notes(self) -> Iterator[Line]:
        yield Line(sentences.meanings(self))
        for row in self.rows:
            if reason := row.reason or (row.why if row.error_exponent == 0 else ""):
                yield Line(f"{row.measure}: {reason}.")
        yield from remark_lines(self.remarks, warnings=False)

    def _table(self) -> Table:
        return Table.of(
            f"{self.a} against {self.b}" if self.a else "",
            PlanRow,
            self.rows,
            queries=sentences.required(self),
            **dict.fromkeys(_SAMPLE_SIZES),
        )

    def _sample_sizes(self) -> Table:
        """Return what the stated queries detect, and the queries for several systems and for an interval."""
        others = [one.path for one in declared(PlanRow) if one.path not in ("measure", *_SAMPLE_SIZES)]
        headings = {
            "anova_lists": f"queries for {self.design.systems} systems",
            "width_lists": f"queries for width {self.design.interval_width}",
        }
        found = Table.of("", PlanRow, self.rows, **dict.fromkeys(others), **headings)
        return found if len(found.columns) > len(("measure", "sd")) else Table("", (), ())
