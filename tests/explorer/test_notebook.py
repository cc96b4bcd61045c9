"""The explorer in a notebook."""

from __future__ import annotations

import pytest

EXACT = "relevant=1&a=roc_power(0.4)&b=roc_power(0.6)&n=10"


@pytest.mark.slow
def test_a_cell_shows_the_explorer_and_leaves_panel_as_it_was() -> None:
    nbclient, nbformat = pytest.importorskip("nbclient"), pytest.importorskip("nbformat")
    book = nbformat.v4.new_notebook()
    sources = (
        "import panel as pn; before = dict(vars(pn.reactive.Syncable))",
        "import ndcg_asymptotics.explorer.page; before == dict(vars(pn.reactive.Syncable))",
        f"import ndcg_asymptotics as na; shown = na.explore('{EXACT}'); shown",
    )
    book.cells = [nbformat.v4.new_code_cell(source) for source in sources]
    nbclient.NotebookClient(book, timeout=300, kernel_name="python3").execute()
    _, (same,), outputs = (cell.outputs for cell in book.cells)
    assert same["data"]["text/plain"] == "True"
    shown = [data for output in outputs if (data := output.get("data"))]
    assert any("to show that A is better" in data.get("text/html", "") for data in shown)
