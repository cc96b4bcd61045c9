"""Growing lists in a folder: what is kept comes back, and what is not whole is refused."""

from __future__ import annotations

import shutil

import numpy as np
import pytest

from ndcg_asymptotics.core.errors import InputError
from ndcg_asymptotics.lists.growing import Growth, grow
from ndcg_asymptotics.results import open_results
from ndcg_asymptotics.results.growing import growth_dataset, holds_growth, open_growth, save_growth


def grown(by: int | None = None) -> Growth:
    rng = np.random.default_rng(1)
    run = {f"q{q}": {f"d{i}": float(rng.random()) for i in range(30 + q)} for q in range(5)}
    labels = {q: {d: float(rng.random() < 0.3) for d in docs} for q, docs in run.items()}
    return grow({"mine": run}, labels, ["nDCG", "nDCG@10"], orders=2, length=32, by=by)


@pytest.mark.parametrize("by", [None, 2])
def test_what_is_kept_comes_back(tmp_path, by):
    before = grown(by)
    save_growth(before, tmp_path / "new" / "folder")
    after = open_growth(tmp_path / "new" / "folder")
    assert np.array_equal(after.ndcg, before.ndcg)
    assert (after.runs, after.measures, after.queries, after.left_out, dict(after.settings)) == (
        before.runs, before.measures, before.queries, before.left_out, dict(before.settings),
    )  # fmt: skip
    assert np.array_equal(after.sizes, before.sizes)
    assert (after.theory is None) == (by is None)
    if before.theory is not None and after.theory is not None:
        for name in ("sizes", "group", "pooled", "groups", "redrawn"):
            assert np.array_equal(getattr(after.theory, name), getattr(before.theory, name))
        assert dict(after.theory.curves) == dict(before.theory.curves)
    data = growth_dataset(after)
    assert data["ndcg"].sel(run="mine", measure="nDCG(log)", n=32).mean() == before.mean[0, 0, -1]
    assert [path.name for path in (tmp_path / "new" / "folder").iterdir() if path.name.startswith(".")] == []


def test_a_folder_is_not_written_over(tmp_path):
    save_growth(grown(), tmp_path)
    with pytest.raises(InputError, match="holds results already; take a new folder"):
        save_growth(grown(), tmp_path)


def test_what_is_not_there_or_not_whole_is_refused(tmp_path):
    with pytest.raises(InputError, match=r"no growing lists here \(no growth\.zarr\)"):
        open_growth(tmp_path)
    save_growth(grown(), tmp_path / "good")
    assert holds_growth(tmp_path / "good")
    with pytest.raises(InputError, match="no results here"):
        open_results(tmp_path / "good")
    store = tmp_path / "good" / "growth.zarr"
    for part in ("ndcg/zarr.json", "ndcg/c", "n/c"):
        copy = tmp_path / part.replace("/", "-")
        shutil.copytree(tmp_path / "good", copy)
        target = copy / "growth.zarr" / part
        shutil.rmtree(target) if target.is_dir() else target.unlink()
        with pytest.raises(InputError, match="the growing lists cannot be read"):
            open_growth(copy)
    text = (store / "zarr.json").read_text()
    (store / "zarr.json").write_text(text.replace("growth 1", "growth 2"))
    with pytest.raises(InputError, match=r"format must be 'ndcg-asymptotics growth 1', got .*growth 2"):
        open_growth(tmp_path / "good")
