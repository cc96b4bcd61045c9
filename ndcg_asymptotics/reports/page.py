"""Results as one HTML page: a single file that loads nothing else and runs no script."""

from __future__ import annotations

import base64
import os
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from ndcg_asymptotics.core.errors import require
from ndcg_asymptotics.core.files import path_of, write_file
from ndcg_asymptotics.core.tables import Table
from ndcg_asymptotics.core.text import visible
from ndcg_asymptotics.core.versions import versions_of
from ndcg_asymptotics.plots.saving import svg_of
from ndcg_asymptotics.reports.content import ReportContents, Reported, contents_of
from ndcg_asymptotics.results.opening import open_results

_WIDTH = 3.5  # of figures in inches, which a phone shows at their natural size


class HtmlPage(str):
    """A page as text. A notebook shows a link that saves it."""

    def __repr__(self) -> str:
        return f"<HTML page of {len(self) / 1000:,.0f} kB>"

    def _repr_html_(self) -> str:
        return f'<p><a href="{_data_url(self, "text/html")}" download="report.html">report.html</a></p>'


def report(reported: Reported | Path | str, out: Path | str | None = None) -> HtmlPage:
    """Return results as one HTML page: findings, figures, tables, and how to run the study again.

    The page is a single file that loads nothing else. Its figures are those of `plots.draw_all`, and links
    hold all values as CSV. It has a layout for phones and for printing.

    Parameters
    ----------
    reported : Results, GridResults, Comparison, JudgedComparison or path
        What `run`, `open_results` or `compare` returns, or the path of a folder of
        results. The page of incomplete results says so.
    out : path, optional
        File to write the page to.

    Returns
    -------
    HtmlPage
        The text of the page. A notebook shows a link that saves it.

    Raises
    ------
    InputError
        If no replicate is complete.
    OSError
        If the file cannot be written.

    >>> import ndcg_asymptotics as na
    >>> study = na.Study(scorers={"a": "constant(0.4)"}, measures="nDCG", n=[10, 100], replicates=20)
    >>> page = report(na.run(study, jobs=1))
    >>> page.startswith("<!doctype html>"), page.count("<img ")
    (True, 1)
    """
    if out is not None:
        out = require_writable(out, "out")
    if isinstance(reported, str | os.PathLike):
        reported = open_results(path_of(reported, "reported"))
    page = HtmlPage(_rendered(contents_of(reported, _WIDTH)))
    if out is not None:
        write_file(out, page.encode(errors="backslashreplace"))
    return page


def require_writable(file: Path | str, argument: str) -> Path:
    """Return the path of a file that may be written: no folder, and in one that there is.

    Raises
    ------
    InputError
        For any other path.
    """
    path = path_of(file, argument)
    require(not path.is_dir(), f"{path} is a folder, expected the name of a file", argument)
    require(path.parent.is_dir(), f"{path}: there is no folder {path.parent}", argument)
    return path


def _rendered(contents: ReportContents) -> str:
    """Return the page of these contents."""
    environment = Environment(
        loader=FileSystemLoader(Path(__file__).parent / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
    )
    environment.filters |= {"visible": visible, "data_url": _data_url}
    environment.tests |= {"table": lambda block: isinstance(block, Table)}
    # the panels of a summary and of an overview are figures of their own
    drawings = [(words, draw) for words, draw in contents.figures if words[0] not in ("summary", "overview")]
    figures = [(visible(" ".join(words)), svg_of(draw())) for words, draw in drawings]
    return environment.get_template("report.html").render(
        contents=contents, figures=figures, version=versions_of()["ndcg_asymptotics"]
    )


def _data_url(data: str, kind: str) -> str:
    """Return a URL that holds a text of a media type."""
    return f"data:{kind};charset=utf-8;base64,{base64.b64encode(data.encode()).decode()}"
