"""The site has every page, name and command, and loads nothing from other servers.

What the texts of the pages and the hooks of docs/site show is tested here. `make docs` builds the site in
strict mode.
"""

from __future__ import annotations

import inspect
import json
import re
import runpy
from collections.abc import Iterator
from typing import Any

import pytest
from pages import ROOT, pages

import ndcg_asymptotics as na
from ndcg_asymptotics.explorer.state import State
from ndcg_asymptotics.studies.design import ENGINES
from ndcg_asymptotics.studies.toml import TEMPLATE

LOADED = re.compile(r'<(?:script|img|link rel="stylesheet")[^>]+(?:src|href)="(https?:[^"]+)"')
# images of Markdown, and what a style sheet or a script loads
LOADED_BY_SOURCES = re.compile(
    r"""(?:!\[[^\]]*\]\(|url\(["']?|(?:@import|import|fetch\()\s*["'])((?:https?:)?//[^)"'\s]+)"""
)
NOTEBOOKS = sorted((ROOT / "docs" / "notebooks").glob("*.ipynb"))


def public() -> Iterator[Any]:
    """Yield the public functions and classes of the package and its subpackages."""
    for package in (na, *filter(inspect.ismodule, (getattr(na, name) for name in na.__all__))):
        for thing in (getattr(package, name) for name in getattr(package, "__all__", ())):
            if inspect.isclass(thing) or inspect.isfunction(thing):
                yield thing


def whole_name(thing: Any) -> str:
    return f"{thing.__module__}.{thing.__qualname__}"


def hook(name: str) -> dict[str, Any]:
    """Return the names of a hook of the site."""
    pytest.importorskip("mkdocs")
    return runpy.run_path(str(ROOT / "docs" / "site" / f"{name}.py"))


def test_the_reference_has_a_page_for_every_public_name() -> None:
    tasks = hook("reference")["grouped"]().values()
    names = [whole_name(thing) for task in tasks for thing in task.names.values()]
    assert len(names) == len(set(names))
    assert set(names) == set(map(whole_name, public()))
    assert all(task.names for task in tasks)


def test_every_page_and_command_is_in_the_navigation() -> None:
    made = hook("hooks")
    commands = {
        f"commands/{page}": made["_command"](name, command) for name, page, command in made["_commands"]()
    }
    assert {"commands/run.md", "commands/losses-search.md"} <= commands.keys()
    assert [page for page, text in commands.items() if "\\b" in text or "\b" in text] == []
    written = {path.relative_to(ROOT / "docs").as_posix() for path in (ROOT / "docs").rglob("*.md")}
    roots = {page for page in made["PAGES"] if page.islower()}  # the others are in `not_in_nav`
    navigation = re.findall(
        r"([\w/-]+\.md)$", (ROOT / "mkdocs.yml").read_text().split("\nnav:")[1], re.MULTILINE
    )
    assert sorted(navigation) == sorted({*written, *roots})
    assert len(navigation) <= 45
    # the first pages of commands and of the reference list theirs, and the tutorial links the notebooks
    listed = re.findall(r"\((.+?\.md)\)", made["_contents"]())
    assert commands.keys() <= {f"commands/{page}" for page in listed}
    reference = hook("reference")
    assert reference["TASKS"].keys() <= {*re.findall(r"\]\((\w+)\.md\)", reference["_contents"]())}
    tutorial = (ROOT / "docs" / "tutorial.md").read_text()
    assert {notebook.name for notebook in NOTEBOOKS} <= {*re.findall(r"\(notebooks/(.+?)\)", tutorial)}


def test_sources_load_nothing_from_other_servers() -> None:
    sources = [*pages(), *(ROOT / "docs" / "site").glob("site.*")]
    texts = {path.relative_to(ROOT).as_posix(): path.read_text() for path in (*sources, ROOT / "mkdocs.yml")}
    assert {"docs/index.md", "docs/site/site.css", "docs/site/site.js"} <= texts.keys()
    found = {name: LOADED.findall(text) + LOADED_BY_SOURCES.findall(text) for name, text in texts.items()}
    assert {name: addresses for name, addresses in found.items() if addresses} == {}
    assert "  font: false" in texts["mkdocs.yml"]  # the theme would load fonts
    extra = re.findall(r"^extra_(?:css|javascript): \[(.*)\]$", texts["mkdocs.yml"], re.MULTILINE)
    assert extra == ["site/site.css", "site/site.js"]
    wrong = '![a](https://a.org/a.png) @import "//a.org/b" url(https://a.org/c)'
    assert LOADED_BY_SOURCES.findall(wrong) == ["https://a.org/a.png", "//a.org/b", "https://a.org/c"]


def test_every_figure_of_the_gallery_has_a_title_and_a_caption() -> None:
    text = (ROOT / "docs" / "gallery.md").read_text()
    drawn = {path.name for path in (ROOT / "figures" / "gallery").glob("*.png")}
    captions = dict(re.findall(r"!\[.+\]\(\.\./figures/gallery/(.+?)\)\n((?:\S.*\n)+)", text + "\n"))
    assert captions.keys() == drawn
    assert all(caption.endswith(".\n") for caption in captions.values())


def test_every_field_and_engine_of_a_study_is_explained() -> None:
    assert "<!-- the study file -->" in (ROOT / "docs" / "howto" / "study-file.md").read_text()
    fields = {*re.findall(r"^(?:# )?\[?(\w+)(?:\]| = )", TEMPLATE, re.MULTILINE)}
    assert fields >= {*inspect.signature(na.Study).parameters}
    assert all(f'"{engine}"' in TEMPLATE for engine in ENGINES)


def test_notebooks_are_stored_with_their_outputs() -> None:
    assert len(NOTEBOOKS) >= 2
    for notebook in NOTEBOOKS:
        outputs = [cell.get("outputs") for cell in json.loads(notebook.read_text())["cells"]]
        assert sum(map(bool, outputs)) >= 3, notebook.name
        assert re.search(r"/(?:home|root|tmp|work|Users)/", notebook.read_text()) is None


def test_the_stops_of_the_lecture_are_states_of_the_explorer() -> None:
    text = (ROOT / "docs" / "howto" / "lecture.md").read_text()
    links = re.findall(r"\(http://127\.0\.0\.1:5006/\?([^)]+)\)", text)
    assert len(links) == 9
    stops = re.findall(r'^    "(.+=.+)",$', text, re.MULTILINE)
    assert [State.from_query(link) for link in links] == [State.from_query(stop) for stop in stops]
    assert all(State.from_query(stop).scorers for stop in stops)
