"""Results as one HTML page, a single file that loads nothing else."""

from __future__ import annotations

import base64
import hashlib
import html
import itertools
import math
import re
from collections.abc import Iterable
from html import escape
from pathlib import Path
from typing import Self

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from ndcg_asymptotics.analysis.runs.comparison import Comparison
from ndcg_asymptotics.analysis.runs.judged import JudgedComparison
from ndcg_asymptotics.core.errors import require
from ndcg_asymptotics.core.files import path_of, write_file
from ndcg_asymptotics.core.looks import on_dark
from ndcg_asymptotics.core.text import visible
from ndcg_asymptotics.core.versions import versions_of
from ndcg_asymptotics.lists.growth import Growth
from ndcg_asymptotics.reports.content import Chart, Listing, ReportPage
from ndcg_asymptotics.reports.glossary import TERMS, Term, behind
from ndcg_asymptotics.reports.runs import comparison_page, growth_page
from ndcg_asymptotics.reports.studies import grid_page, rare_page, study_page
from ndcg_asymptotics.results import Results
from ndcg_asymptotics.results.grid import GridResults
from ndcg_asymptotics.results.opening import open_any

_TEMPLATES = Path(__file__).parent / "templates"
_LONG_NAMES = [term for term in sorted(TERMS, key=lambda term: -len(term.name)) if {"-", " "} & {*term.name}]
_IN_TEXT = re.compile("|".join(rf"\b{re.escape(term.name)}\b" for term in _LONG_NAMES), re.IGNORECASE)


class HtmlPage(str):
    """A page as text, and the file that it was written to, if any."""

    path: Path | None

    def __new__(cls, text: str, path: Path | None = None) -> Self:
        """Return the page with this text."""
        page = super().__new__(cls, text)
        page.path = path
        return page

    def __repr__(self) -> str:
        where = f"written to {self.path}" if self.path else 'report(…, "report.html") writes it to a file'
        return f"<HTML page of {len(self) / 1000:,.0f} kB; {where}>"

    def _repr_html_(self) -> str:
        if self.path is None:  # the link holds the page itself
            page = base64.b64encode(self.encode()).decode()
            link = f'<a href="data:text/html;base64,{page}" download="report.html">report.html</a>'
        else:
            link = f'<a href="{escape(self.path.as_posix())}" target="_blank">{escape(str(self.path))}</a>'
        return f"<p>Report: {link}</p>"


def report(
    found: Results | GridResults | Growth | Comparison | JudgedComparison | Path | str,
    out: Path | str | None = None,
    *,
    alpha: float = 1e-4,
) -> HtmlPage:
    """Return results as one HTML page: findings, charts, verdicts, the method and how to rerun it.

    The page is a single file that loads nothing else. In its charts scorers can be hidden, ranges zoomed, and
    numbers and pictures saved; tables can be sorted and filtered. It has a light and a dark theme, and a
    layout for printing and for phones.

    Parameters
    ----------
    found : Results, GridResults, Growth, Comparison, JudgedComparison or path
        What `run`, `open_results`, `results.open_grid`, `results.open_growth` or `compare` returns, or the
        path of a folder of results. The page of incomplete results says so.
    out : path, optional
        File to write the page to.
    alpha : float
        Family-wise error rate, as in `check`.

    Returns
    -------
    HtmlPage
        The text of the page. In a notebook it is shown as a link to the file, or to the page itself.

    Raises
    ------
    InputError
        If no replicate is complete.
    OSError
        If the file cannot be written.

    >>> import ndcg_asymptotics as na
    >>> study = na.Study(scorers={"a": "constant(0.4)"}, measures="nDCG", n=[10, 100], replicates=20)
    >>> page = report(na.run(study, jobs=1))
    >>> page.startswith("<!doctype html>"), page.count('id="verdict-table"')
    (True, 1)
    """
    if out is not None:
        out = path_of(out, "out")
        require(not out.is_dir(), f"{out} is a folder, expected the name of a file", "out")
        require(out.parent.is_dir(), f"{out}: there is no folder {out.parent}", "out")
    if isinstance(found, str | Path):
        found = open_any(found)
    page = HtmlPage(_rendered(_page(found, alpha)), out)
    if out is not None:
        write_file(out, page.encode("utf-8"))
    return page


def _page(found: Results | GridResults | Growth | Comparison | JudgedComparison, alpha: float) -> ReportPage:
    if isinstance(found, Growth):
        return growth_page(found)
    if isinstance(found, Comparison | JudgedComparison):
        return comparison_page(found)
    if isinstance(found, GridResults):
        return grid_page(found, alpha)
    require(found.replicates_complete > 0, "no replicate is complete yet")
    return study_page(found, alpha) if "ndcg" in found.values else rare_page(found)


def _rendered(page: ReportPage) -> str:
    environment = Environment(
        loader=FileSystemLoader(_TEMPLATES), autoescape=True, undefined=StrictUndefined, trim_blocks=True
    )
    environment.filters |= {"visible": visible, "explained": _explained}
    environment.globals |= {"zip": zip, "raw": _raw, "behind": behind, "options": _options}
    script = (_TEMPLATES / "report.js").read_text(encoding="utf-8")
    charts = [chart for section in page.sections for chart in section.charts]
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    return environment.get_template("report.html").render(
        page=page,
        charts=charts,
        colors={color: on_dark(color) for color in _colors(charts)},
        terms=TERMS,
        version=versions_of()["ndcg_asymptotics"],
        css=(_TEMPLATES / "report.css").read_text(encoding="utf-8"),
        js=script,
        script_hash=f"sha256-{digest}",
    )


def _colors(charts: Iterable[Chart]) -> list[str]:
    """Return the colours of the series of charts, each once."""
    looks = [series["look"] for chart in charts for series in chart["series"]]
    every = itertools.chain.from_iterable([look] if isinstance(look, dict) else look for look in looks)
    return list(dict.fromkeys(look["color"] for look in every))


def _explained(text: str) -> str:
    """Return a text as HTML; the first occurrence of each long term of the glossary has its meaning."""
    seen: set[str] = set()
    by_name = {term.name.lower(): term for term in _LONG_NAMES}

    def mark(found: re.Match[str]) -> str:
        term: Term = by_name[found[0].lower()]
        if term.name in seen:
            return found[0]
        seen.add(term.name)
        named = f'data-term="{term.anchor}" aria-describedby="term-{term.anchor}"'
        return f'<span class="term" tabindex="0" {named}>{found[0]}</span>'

    return _IN_TEXT.sub(mark, html.escape(visible(text)))


def _options(listing: Listing, name: str) -> list[str]:
    """Return the values by which the rows of a table can be filtered under a name."""
    texts = (row[i] for row in listing.table.texts() for i in listing.filters[name])
    return list(dict.fromkeys(text for text in texts if text not in ("-", "")))


def _raw(value: object) -> str:
    """Return the text by which a column is sorted; empty for no value."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    return repr(value) if isinstance(value, float | int) else visible(str(value))
