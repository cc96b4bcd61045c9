"""The site builds in strict mode and loads nothing from other servers, and its notebooks run."""

from __future__ import annotations

import inspect
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pages import ROOT

import ndcg_asymptotics as na
from ndcg_asymptotics.studies.design import ENGINES
from ndcg_asymptotics.studies.toml import _File

LOADED = re.compile(r'<(?:script|img|link rel="stylesheet")[^>]+(?:src|href)="(https?:[^"]+)"')
NOTEBOOKS = sorted((ROOT / "docs" / "notebooks").glob("*.ipynb"))


@pytest.mark.slow
def test_the_site_builds(tmp_path: Path) -> None:
    pytest.importorskip("mkdocs")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "-d", str(tmp_path)]
    surroundings = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    done = subprocess.run(
        command, cwd=ROOT, env=surroundings, capture_output=True, text=True, check=False, timeout=300
    )
    assert done.returncode == 0, done.stdout + done.stderr
    reference = "".join(page.read_text() for page in (tmp_path / "reference").glob("*/index.html"))
    documented = re.findall(r'<h2 id="(ndcg_asymptotics[\w.]*)" class="doc', reference)
    assert len(documented) == len(set(documented))
    assert {f"{thing.__module__}.{thing.__qualname__}" for thing in public()} == set(documented)
    commands = (tmp_path / "commands" / "index.html").read_text()
    assert all(f'id="{name}"' in commands for name in ("run", "check", "init", "losses-search"))
    assert [found for page in tmp_path.rglob("*.html") for found in LOADED.findall(page.read_text())] == []
    assert LOADED.findall('<script src="https://example.org/a.js">') == ["https://example.org/a.js"]


@pytest.mark.slow
@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs(notebook: Path, tmp_path: Path) -> None:
    if "real" in notebook.stem and not os.environ.get("NDCG_ASYMPTOTICS_DATA"):
        pytest.skip("NDCG_ASYMPTOTICS_DATA names no folder of real data")
    nbformat, nbclient = pytest.importorskip("nbformat"), pytest.importorskip("nbclient")
    content = nbformat.read(notebook, as_version=4)
    done = nbclient.NotebookClient(
        content, timeout=300, resources={"metadata": {"path": str(tmp_path)}}
    ).execute()
    shown = [output["data"] for cell in done.cells for output in cell.get("outputs", []) if "data" in output]
    assert any("<table>" in data.get("text/html", "") for data in shown)
    assert any("image/png" in data for data in shown)


def is_progress(output: Any) -> bool:
    """Return whether an output of a cell is a progress bar, which only slow cells have."""
    widget = "application/vnd.jupyter.widget-view+json"
    return output.get("name") == "stderr" or widget in output.get("data", {})


@pytest.mark.slow
def test_a_notebook_shows_a_result_once(tmp_path: Path) -> None:
    """The last expression of a cell, `display` and `print` have one output each."""
    nbformat, nbclient = pytest.importorskip("nbformat"), pytest.importorskip("nbclient")
    begin = (
        "import numpy as np\nimport ndcg_asymptotics as na\n"
        "study = na.Study(scorers={'a': 'constant(0.4)'}, measures='nDCG', n=[10, 20], replicates=20)\n"
        "results = na.run(study, jobs=1);"
    )
    shown = ["results", "display(results)", "print(results)", "na.check(results)", "str(results)"]
    cells = [nbformat.v4.new_code_cell(source) for source in (begin, *shown)]
    notebook = nbformat.v4.new_notebook(cells=cells)
    done = nbclient.NotebookClient(
        notebook, timeout=300, kernel_name="python3", resources={"metadata": {"path": str(tmp_path)}}
    ).execute()
    of_cell = {cell.source: [o for o in cell.outputs if not is_progress(o)] for cell in done.cells[1:]}
    assert {source: len(outputs) for source, outputs in of_cell.items()} == dict.fromkeys(shown, 1)
    for source in ("results", "display(results)", "na.check(results)"):
        data = of_cell[source][0]["data"]
        assert data["text/html"].count("<table>") >= 1, source
        assert "nDCG(log)" in data["text/plain"], source
    assert "nDCG(log)" in of_cell["print(results)"][0]["text"]


def public() -> Iterator[Any]:
    """Yield the public functions and classes of the package and its subpackages."""
    for package in (na, *filter(inspect.ismodule, (getattr(na, name) for name in na.__all__))):
        for thing in (getattr(package, name) for name in getattr(package, "__all__", ())):
            if inspect.isclass(thing) or inspect.isfunction(thing):
                yield thing


def test_every_figure_of_the_gallery_has_a_title_and_a_caption() -> None:
    text = (ROOT / "docs" / "gallery.md").read_text()
    drawn = {path.name for path in (ROOT / "figures" / "gallery").glob("*.png")}
    captions = dict(re.findall(r"!\[.+\]\(\.\./figures/gallery/(.+?)\)\n(\S.*\.)\n", text))
    assert captions.keys() == drawn


def test_every_field_and_engine_of_a_study_is_explained() -> None:
    text = (ROOT / "docs" / "howto" / "study-file.md").read_text()
    named = {re.split(r"[ \[({]", word)[0] or word.strip("[]") for word in re.findall(r"`([^`]+)`", text)}
    assert {*_File.model_fields, *ENGINES, "grid"} - named == set()


def test_there_are_notebooks() -> None:
    assert len(NOTEBOOKS) >= 2
