"""Studies of the rare engine: kept, continued, in blocks, and drawn."""

from pathlib import Path

import numpy as np
import pytest
from cases import study

from ndcg_asymptotics.plots import draw_all
from ndcg_asymptotics.results import open_results
from ndcg_asymptotics.sweep.sweep import run

PAIR = {"sharp": "linear(0.1, 0.5)", "flat": "linear(0.2, 0.4)"}


@pytest.mark.slow
def test_a_study_is_continued_bit_for_bit_and_drawn(tmp_path: Path) -> None:
    pairs = [("sharp", "flat")]
    asked = study(PAIR, (50, 300, 1000), ("nDCG", "nDCG@5"), replicates=6, engine="rare", pairs=pairs)
    run(asked, tmp_path / "out", replicates=2, jobs=1, block=1)
    run(asked, tmp_path / "out", jobs=1, block=3)
    kept, whole = open_results(tmp_path / "out").data, run(asked, jobs=1).data
    for name in ("order", "log_weight", "last"):
        assert np.array_equal(kept[name], whole[name])
    names = {path.name for path in draw_all(open_results(tmp_path / "out"), tmp_path / "figures")}
    assert names == {"speed-sharp-flat.svg", "speed-sharp-flat.png"}
