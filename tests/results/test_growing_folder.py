"""Growing lists in a folder: what is kept comes back, and what is not whole is refused."""

from __future__ import annotations

import dataclasses
import random
import re
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ndcg_asymptotics.core.errors import InputError
from ndcg_asymptotics.lists import growing
from ndcg_asymptotics.lists.growing import grow
from ndcg_asymptotics.lists.growth import Growth
from ndcg_asymptotics.results import open_results
from ndcg_asymptotics.results.growing import open_growth, save_growth, unfinished
from ndcg_asymptotics.results.kinds import GROWTH, kind_of
from ndcg_asymptotics.results.verify import verify


def grown(groups: int | None = None, seed: int = 0, **options: Any) -> Growth:
    rng = np.random.default_rng(1)
    run = {f"q{q}": {f"d{i}": float(rng.random()) for i in range(30 + q)} for q in range(5)}
    labels = {q: {d: float(rng.random() < 0.3) for d in docs} for q, docs in run.items()}
    return grow(
        {"mine": run}, labels, ["nDCG", "nDCG@10"], orders=2, n=32, groups=groups, seed=seed, **options
    )


@pytest.mark.parametrize("groups", [None, 2])
def test_saved_growth_is_read_back(tmp_path, groups):
    before = grown(groups)
    save_growth(before, tmp_path / "new" / "folder")
    after = open_growth(tmp_path / "new" / "folder")
    assert np.array_equal(after.ndcg, before.ndcg)
    for name in ("runs", "measures", "queries", "left_out", "settings"):
        assert getattr(after, name) == getattr(before, name)
    assert np.array_equal(after.sizes, before.sizes)
    assert (after.theory is None) == (groups is None)
    if before.theory is not None and after.theory is not None:
        for name in ("sizes", "pooled", "grouped", "groups"):
            assert np.array_equal(getattr(after.theory, name), getattr(before.theory, name))
        assert dict(after.theory.curves) == dict(before.theory.curves)
    assert [path.name for path in (tmp_path / "new" / "folder").iterdir() if path.name.startswith(".")] == []


def test_a_folder_is_not_written_over(tmp_path):
    save_growth(grown(), tmp_path)
    with pytest.raises(InputError, match="holds growing lists already; take another folder"):
        save_growth(grown(), tmp_path)


def test_missing_and_incomplete_growth_is_refused(tmp_path):
    with pytest.raises(InputError, match=r"no growing lists here \(no growth\.json\)"):
        open_growth(tmp_path)
    save_growth(grown(groups=2), tmp_path / "good")
    assert kind_of(tmp_path / "good") == "growth"
    assert verify(tmp_path / "good").whole
    assert "3 of 3 queries are complete" in str(verify(tmp_path / "good"))
    with pytest.raises(InputError, match=r"no results here .* growing lists"):
        open_results(tmp_path / "good")
    files = [path.relative_to(tmp_path / "good") for path in (tmp_path / "good").rglob("*") if path.is_file()]
    assert len(files) == 3  # the record, the block and the curve
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
        with pytest.raises(InputError, match=r"holds (growing lists|results) already"):
            save_growth(grown(), copy)


@pytest.mark.slow
@pytest.mark.parametrize("bit", random.Random(3).sample(range(10**6), 40))
def test_no_flipped_bit_goes_unnoticed(tmp_path, bit):
    save_growth(grown(groups=2), tmp_path)
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


def test_an_interrupted_comparison_with_theory_continues(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Everything was lost before: the growing lists, and the groups whose means were computed."""
    exact, simulate = growing._exact, growing.mean_paths
    calls = {"exact": 0, "simulated": 0}

    def counted_exact(*given: Any) -> Any:
        calls["exact"] += 1
        if calls["exact"] == 5:  # two measures: in the second of the two groups, after the pooled curve
            raise KeyboardInterrupt
        return exact(*given)

    def counted(*given: Any, **options: Any) -> Any:
        calls["simulated"] += 1
        return simulate(*given, **options)

    monkeypatch.setattr(growing, "_exact", counted_exact)
    monkeypatch.setattr(growing, "mean_paths", counted)
    with pytest.raises(KeyboardInterrupt):
        grown(2, keep=unfinished(tmp_path))
    assert calls == {"exact": 5, "simulated": 1}
    assert kind_of(tmp_path) != "growth"
    kept = sorted((tmp_path / "unfinished").iterdir())
    assert len(kept) == 3
    kept[0].write_bytes(kept[0].read_bytes()[:-1])  # a damaged array is computed again
    found = grown(2, keep=unfinished(tmp_path))
    assert (calls["exact"] - 5, calls["simulated"] - 1) in {(2, 1), (4, 0)}
    save_growth(found, tmp_path)
    assert not (tmp_path / "unfinished").exists()
    plain = grown(2)
    assert np.array_equal(found.ndcg, plain.ndcg)
    assert found.theory is not None
    assert plain.theory is not None
    for name in ("pooled", "grouped"):
        assert np.array_equal(getattr(found.theory, name), getattr(plain.theory, name))
    assert verify(tmp_path).whole


def test_arrays_of_other_lists_are_not_taken(tmp_path: Path) -> None:
    first = grown(seed=1, keep=unfinished(tmp_path))
    other = grown(seed=2, keep=unfinished(tmp_path))
    assert not np.array_equal(first.ndcg, other.ndcg)
    assert np.array_equal(other.ndcg, grown(seed=2).ndcg)


def test_the_time_of_long_theory_is_estimated_from_one_group(monkeypatch: pytest.MonkeyPatch) -> None:
    lines: list[str] = []
    monkeypatch.setattr(growing, "say", lines.append)
    grown(2)
    assert lines == []
    monkeypatch.setattr(growing, "_LONG", 0.0)
    grown(2)
    assert len(lines) == 1
    assert re.fullmatch(r"exact means of one group took \d+ s; the 2 others take about \d+ s", lines[0])
