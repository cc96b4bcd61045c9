"""The contents of a page: sections with charts, tables, facts and texts to copy."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ndcg_asymptotics.core.tables import Table

Chart = dict[str, Any]
"""A chart as plain data; `reports.charts` says which."""


@dataclass(frozen=True)
class Listing:
    """A table of a page.

    Attributes
    ----------
    id : str
    table : Table
    filters : mapping of name to numbers of columns
        Rows can be filtered by the values of these columns.
    simulated : bool
        Whether its numbers are of a simulation, so that the glossary explains its headings.
    """

    id: str
    table: Table
    filters: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    simulated: bool = True


@dataclass(frozen=True)
class Mark:
    """A mark in charts; ``kind`` is mean, exact, plain, limit, band, interval, filled, tick or none."""

    kind: str
    meaning: str


@dataclass(frozen=True)
class Section:
    """A section of a page, in the order in which its parts are shown.

    Attributes
    ----------
    id, title : str
    lead : tuple of str
        Paragraphs.
    charts : tuple of Chart
    marks : tuple of Mark
    tables : tuple of Listing
    notes : tuple of str
        Paragraphs below the tables.
    facts : tuple of (name, values)
        The values are shown as code, one below the other.
    copies : tuple of (sentence, text)
        Texts that a button copies.
    folds : tuple of (summary, text)
        Texts that are shown when asked for.
    """

    id: str
    title: str
    lead: tuple[str, ...] = ()
    charts: tuple[Chart, ...] = ()
    marks: tuple[Mark, ...] = ()
    tables: tuple[Listing, ...] = ()
    notes: tuple[str, ...] = ()
    facts: tuple[tuple[str, tuple[str, ...]], ...] = ()
    copies: tuple[tuple[str, str], ...] = ()
    folds: tuple[tuple[str, str], ...] = ()

    @property
    def legend(self) -> dict[str, dict[str, str]]:
        """The looks of the series of the charts, by their names."""
        curves = [chart for chart in self.charts if "rows" not in chart]
        return {series["name"]: series["look"] for chart in curves for series in chart["series"]}


@dataclass(frozen=True)
class ReportPage:
    """A page.

    Attributes
    ----------
    kicker : str
        What kind of page it is.
    title : str
    answer : tuple of str
        The findings in words.
    sections : tuple of Section
    incomplete : str
        What is missing.
    """

    kicker: str
    title: str
    answer: tuple[str, ...]
    sections: tuple[Section, ...]
    incomplete: str = ""
