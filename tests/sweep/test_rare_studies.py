"""Studies of the rare engine: kept, continued, in blocks, and drawn."""

from pathlib import Path

import numpy as np
import pytest
from cases import refused, study

import ndcg_asymptotics as na
from ndcg_asymptotics.plots import draw_all
from ndcg_asymptotics.results.folder import open_study
from ndcg_asymptotics.studies.grid import grid_of
from ndcg_asymptotics.sweep import run

PAIR = {"sharp": "linear(0.1, 0.5)", "flat": "linear(0.2, 0.4)"}


@pytest.mark.slow
def test_a_study_is_continued_bit_for_bit_and_drawn(tmp_path: Path) -> None:
    pairs = [("sharp", "flat")]
    asked = study(PAIR, (50, 300, 1000), ("nDCG", "nDCG@5"), replicates=6, engine="rare", pairs=pairs)
    run(asked, tmp_path / "out", replicates=2, jobs=1, block=1)
    run(asked, tmp_path / "out", jobs=1, block=3)
    kept, whole = open_study(tmp_path / "out").data, run(asked, jobs=1).data
    for name in ("order", "log_weight", "last"):
        assert np.array_equal(kept[name], whole[name])
    names = {path.name for path in draw_all(open_study(tmp_path / "out"), tmp_path / "figures")}
    assert names == {"error-exponent-sharp-flat.png"}


def test_commands_that_need_ndcg_refuse_in_one_line(tmp_path: Path) -> None:
    """Weighted draws have orders alone."""
    fields = {"measures": ["nDCG"], "n": [5, 10], "replicates": 4, "engine": "rare", "pairs": [("a", "b")]}
    scorers = {"a": "linear(0, $top)", "b": "constant(0.25)"}
    grid = grid_of({"top": [0.5]}, fields | {"scorers": scorers})
    (point,) = grid.studies.values()
    said = "precision: is of means of NDCG, the rare engine draws orders"
    refused(said, na.run, point, tmp_path / "precise", jobs=1, precision=0.01)
    refused("draws orders of pairs, not NDCG: use distinguish", draw_all, run(grid, jobs=1), tmp_path / "d")
    assert not list(tmp_path.iterdir())
