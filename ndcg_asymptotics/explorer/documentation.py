"""The pages of the documentation, which the server shows where the explorer runs from the repository."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

from markdown_it import MarkdownIt
from tornado.web import HTTPError, RequestHandler

PATH = r"/docs/((?:[a-z-]+/)?[a-z-]+\.md)"
"""The addresses of pages, as a regular expression."""

_FOLDER = Path(__file__).parents[2] / "docs"
_PAGE = """<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title><style>
:root {{ color-scheme: light dark; }}
body {{ font: 16px/1.5 sans-serif; max-width: 46rem; margin: 0 auto; padding: 1rem; }}
pre {{ overflow-x: auto; }}
table {{ border-collapse: collapse; }} td, th {{ padding: 2px 8px; text-align: left; }}
</style></head><body><main>{body}</main></body></html>"""


def address_of(page: str) -> str | None:
    """Return the address of a page on the server, None for one that is not there."""
    return f"/docs/{page}" if (_FOLDER / page).is_file() else None


@cache
def html_of(page: str) -> str:
    """Return a page as HTML; formulas stay as they are written."""
    text = (_FOLDER / page).read_text(encoding="utf-8")
    title = re.search(r"^# (.+)$", text, re.MULTILINE)
    return _PAGE.format(title=title[1] if title else page, body=MarkdownIt().enable("table").render(text))


class PageHandler(RequestHandler):
    """Answers requests for pages."""

    def get(self, page: str) -> None:
        """Send a page, or say that there is none."""
        if address_of(page) is None:
            raise HTTPError(404)
        self.write(html_of(page))
