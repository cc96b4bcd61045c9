"""Growing lists in a folder: what is kept comes back, and what is not whole is refused."""

from __future__ import annotations

import dataclasses
import random
import shutil

import numpy as np
import pytest

from ndcg_asymptotics.core.errors import InputError
from ndcg_asymptotics.lists.growing import grow
from ndcg_asymptotics.lists.growth import Growth
from ndcg_asymptotics.results import open_results
from ndcg_asymptotics.results.folder import GROWTH, holds_growth
from ndcg_asymptotics.results.growing import open_growth, save_growth
from ndcg_asymptotics.results.verify import verify


def grown(by: int | None = None) -> Growth:
    rng = np.random.default_rng(1)
    run = {f"q{q}": {f"d{i}": float(rng.random()) for i in range(30 + q)} for q in range(5)}
    labels = {q: {d: float(rng.random() < 0.3) for d in docs} for q, docs in run.items()}
    return grow({"mine": run}, labels, ["nDCG", "nDCG@10"], orders=2, length=32, by=by)


@pytest.mark.parametrize("by", [None, 2])
def test_saved_growth_is_read_back(tmp_path, by):
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
    assert [path.name for path in (tmp_path / "new" / "folder").iterdir() if path.name.startswith(".")] == []


def test_a_folder_is_not_written_over(tmp_path):
    save_growth(grown(), tmp_path)
    with pytest.raises(InputError, match="holds results already; take a new folder"):
        save_growth(grown(), tmp_path)


def test_missing_and_incomplete_growth_is_refused(tmp_path):
    with pytest.raises(InputError, match=r"no growing lists here \(no growth\.json\)"):
        open_growth(tmp_path)
    save_growth(grown(by=2), tmp_path / "good")
    assert holds_growth(tmp_path / "good")
    assert verify(tmp_path / "good").whole
    assert "3 of 3 queries are complete" in str(verify(tmp_path / "good"))
    with pytest.raises(InputError, match=r"no results here .* growing lists"):
        open_results(tmp_path / "good")
    files = [path.relative_to(tmp_path / "good") for path in (tmp_path / "good").rglob("*") if path.is_file()]
    assert len(files) == 4  # the record, the block, the curves of all queries and of the groups
    for number, file in enumerate(files):
        copy = tmp_path / str(number)
        shutil.copytree(tmp_path / "good", copy)
        (copy / file).unlink()
        if file.name == GROWTH:
            with pytest.raises(InputError, match="no growing lists here"):
                open_growth(copy)
        else:
            with pytest.raises(InputError, match=f"damaged: {file} is missing"):
                open_growth(copy)
            assert [damage.place for damage in verify(copy).damages] == [file.as_posix()]
        with pytest.raises(InputError, match="holds results already"):
            save_growth(grown(), copy)


@pytest.mark.parametrize("bit", random.Random(3).sample(range(10**6), 40))
def test_no_flipped_bit_goes_unnoticed(tmp_path, bit):
    save_growth(grown(by=2), tmp_path)
    files = sorted(path for path in tmp_path.rglob("*") if path.is_file())
    file = files[bit % len(files)]
    content = bytearray(file.read_bytes())
    content[bit // 8 % len(content)] ^= 1 << bit % 8
    file.write_bytes(content)
    assert not verify(tmp_path).sound
    with pytest.raises(InputError, match="damaged"):
        open_growth(tmp_path)


@pytest.mark.parametrize("change", [lambda ndcg: 1.2 - ndcg, lambda ndcg: np.full_like(ndcg, 7.5)])
def test_values_that_no_list_has_are_refused_though_their_digests_hold(tmp_path, change):
    """Somebody who knows the format could write such files."""
    found = grown()
    save_growth(dataclasses.replace(found, ndcg=change(found.ndcg)), tmp_path)
    with pytest.raises(InputError, match=r"holds ndcg = .*, which must be 0 to 1"):
        open_growth(tmp_path)
