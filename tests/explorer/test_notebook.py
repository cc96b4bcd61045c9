"""The explorer in a notebook."""

from __future__ import annotations

import pytest

import ndcg_asymptotics as na
from ndcg_asymptotics.core.errors import InputError

EXACT = "relevant=1&a=roc_power(0.4)&b=roc_power(0.6)"  # nothing is drawn


@pytest.mark.slow
def test_a_cell_shows_the_explorer() -> None:
    nbclient, nbformat = pytest.importorskip("nbclient"), pytest.importorskip("nbformat")
    book = nbformat.v4.new_notebook()
    book.cells = [
        nbformat.v4.new_code_cell(f"import ndcg_asymptotics as na; shown = na.explore('{EXACT}'); shown"),
    ]
    nbclient.NotebookClient(book, timeout=300, kernel_name="python3").execute()
    shown = [data for output in book.cells[0].outputs if (data := output.get("data"))]
    assert any("one query never settles it" in data.get("text/html", "") for data in shown)


def test_what_is_no_state_is_refused() -> None:
    with pytest.raises(InputError, match="n: must be 10 to 1e18, got 3"):
        na.explore("n=3")
