from __future__ import annotations

import errno
import itertools
import json
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import xarray as xr

from ndcg_asymptotics.core.errors import InputError
from ndcg_asymptotics.engines import cells
from ndcg_asymptotics.engines.engine import Draw
from ndcg_asymptotics.results import open_results
from ndcg_asymptotics.results.damage.seals import with_checksum
from ndcg_asymptotics.results.damage.verify import verify
from ndcg_asymptotics.results.layout import STORE
from ndcg_asymptotics.results.merge import merge
from ndcg_asymptotics.results.writer import Writer
from ndcg_asymptotics.studies import Study
from ndcg_asymptotics.studies.canonical import canonical
from ndcg_asymptotics.studies.toml import study_of

STUDY: dict[str, Any] = {
    "title": "stored",
    "scorers": {"good": "linear(0.1, 0.7)", "random": "random"},
    "measures": ["nDCG", "nDCG(zipf)@0.2n", "nDCG@5"],
    "n": [10, 100, 1000, 10**18],
    "engine": "cells",
    "replicates": 5,
    "seed": 11,
    "pairs": [["good", "random"]],
}


def study(**change: Any) -> Study:
    return Study(**STUDY | change)


def draws(replicates: list[int]) -> Draw:
    """Values that tell which replicate they are of."""
    r = np.array(replicates, float)
    values = (r[:, None, None, None] + np.linspace(0, 0.9, 24).reshape(2, 3, 4)) / 2**14
    return {
        "ndcg": values,
        "low": values / 2,
        "high": np.sqrt(values),
        "order": np.sign(values[:, :1] - 3 / 2**14).astype(np.int8),
    }


@contextmanager
def writes_allowed(monkeypatch: pytest.MonkeyPatch, left: int) -> Iterator[None]:
    """A disk that is full after so many files."""
    replace = os.replace

    def failing(source: Any, target: Any) -> None:
        nonlocal left
        if left == 0:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(target))
        left -= 1
        replace(source, target)

    with monkeypatch.context() as patch:
        patch.setattr(os, "replace", failing)
        yield


def count_writes(monkeypatch: pytest.MonkeyPatch, action: Callable[[], object]) -> int:
    """How many files an action writes."""
    replace, count = os.replace, itertools.count()

    def counting(source: Any, target: Any) -> None:
        next(count)
        replace(source, target)

    with monkeypatch.context() as patch:
        patch.setattr(os, "replace", counting)
        action()
    return next(count)


def write(folder: Path, replicates: list[int], wanted: list[int] | None = None, **change: Any) -> None:
    with Writer(folder, study(**change)) as writer:
        writer.extend(replicates if wanted is None else wanted)
        writer.write(replicates, draws(replicates))


def test_what_is_written_is_read(tmp_path: Path) -> None:
    write(tmp_path / "out", [0, 1, 2])
    results = open_results(tmp_path / "out")
    assert (results.complete, results.replicates_wanted, results.replicates_complete) == (True, 3, 3)
    for name, values in draws([0, 1, 2]).items():
        np.testing.assert_array_equal(results.data[name].values, values)
        assert results.data[name].dtype == values.dtype
        assert results.data[name].dims == ("replicate", *cells.VARIABLES[name])
    assert results.data.scorer.values.tolist() == ["good", "random"]
    assert results.data.measure.values.tolist() == ["nDCG(log)", "nDCG(zipf)@0.2n", "nDCG(log)@5"]
    assert results.data.n.values.tolist() == [10, 100, 1000, 10**18]
    assert results.data.pair.values.tolist() == ["good > random"]
    assert canonical(results.study) == canonical(study())


def test_a_store_describes_itself_to_xarray(tmp_path: Path) -> None:
    write(tmp_path, [0, 1], wanted=[0, 1, 2])
    with xr.open_zarr(tmp_path / STORE, consolidated=False) as raw:
        assert json.loads(raw.attrs["study"]) == canonical(study())
        assert (raw.attrs["seed"], raw.attrs["engine"], raw.attrs["format"]) == (11, "cells", 2)
        libraries = {"ndcg_asymptotics", "python", "numpy", "numba", "scipy"}
        assert set(raw.attrs["versions"][0]) == libraries | {"numpy_cpu", "numba_cpu"}
        assert (raw.seal.values != 0).tolist() == [True, True, False]
        np.testing.assert_array_equal(raw.ndcg.values[:2], draws([0, 1])["ndcg"])
        assert np.isnan(raw.ndcg.values[2]).all()
    attributes = open_results(tmp_path).data.attrs
    assert (attributes["complete"], attributes["replicates_wanted"]) == (False, 3)


def test_only_complete_replicates_are_data(tmp_path: Path) -> None:
    write(tmp_path, [1, 4], wanted=[0, 1, 2, 3, 4])
    results = open_results(tmp_path)
    assert (results.complete, results.replicates_complete, results.replicates_wanted) == (False, 2, 5)
    assert results.data.replicate.values.tolist() == [1, 4]
    np.testing.assert_array_equal(results.data.ndcg.values, draws([1, 4])["ndcg"])


def test_without_a_complete_replicate_there_is_no_data(tmp_path: Path) -> None:
    with Writer(tmp_path, study()) as writer:
        writer.extend(range(3))
    assert open_results(tmp_path).replicates_complete == 0
    with pytest.raises(InputError, match="no replicate is complete"):
        _ = open_results(tmp_path).data


def test_a_store_grows_and_its_data_are_in_the_order_of_replicates(tmp_path: Path) -> None:
    write(tmp_path, [5, 6])
    write(tmp_path, [1, 0])
    data = open_results(tmp_path).data
    assert data.replicate.values.tolist() == [0, 1, 5, 6]
    np.testing.assert_array_equal(data.ndcg.values, draws([0, 1, 5, 6])["ndcg"])


def test_a_store_grows_past_its_chunks(tmp_path: Path) -> None:
    many = list(range(10_000))
    write(tmp_path, many[:4095])
    write(tmp_path, many[4095:])
    np.testing.assert_array_equal(open_results(tmp_path).data.ndcg.values, draws(many)["ndcg"])


def test_a_store_whose_writer_died_while_extending_is_as_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whichever file is the last that was written."""
    write(tmp_path / "whole", [0, 1])
    written = count_writes(monkeypatch, lambda: write(tmp_path / "whole", [2, 3]))
    assert written > 10
    for allowed in range(written):
        folder = tmp_path / str(allowed)
        write(folder, [0, 1])
        with pytest.raises(OSError, match="No space left"), writes_allowed(monkeypatch, allowed):
            write(folder, [2, 3])
        results = open_results(folder)
        assert verify(folder).sound
        assert results.replicates[results.done].tolist() == [0, 1]
        np.testing.assert_array_equal(results.data.ndcg.values, draws([0, 1])["ndcg"])
        write(folder, [2, 3])
        np.testing.assert_array_equal(open_results(folder).data.ndcg.values, draws([0, 1, 2, 3])["ndcg"])


def test_a_store_that_was_being_made_is_made_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(OSError, match="No space left"), writes_allowed(monkeypatch, 0):
        write(tmp_path, [0])
    with pytest.raises(InputError, match="no results here"):
        open_results(tmp_path)
    write(tmp_path, [0])
    assert open_results(tmp_path).complete
    assert sorted(path.name for path in tmp_path.iterdir()) == [STORE]


def test_another_study_is_refused_with_the_differing_fields(tmp_path: Path) -> None:
    write(tmp_path, [0, 1])
    with pytest.raises(InputError, match=r"holds another study: n \(.*\); seed \(there 11, here 12\)$"):
        Writer(tmp_path, study(seed=12, n=[10, 100]))
    with pytest.raises(InputError, match=r"pairs \(only .*; distinguish --pair A B tells the order"):
        Writer(tmp_path, study(pairs=[]))
    Writer(tmp_path, study(title="other", replicates=99)).__exit__(None, None, None)
    np.testing.assert_array_equal(open_results(tmp_path).data.ndcg.values, draws([0, 1])["ndcg"])


def test_there_is_one_writer(tmp_path: Path) -> None:
    with Writer(tmp_path, study()) as writer:
        assert not list(tmp_path.iterdir())  # nothing yet
        writer.extend([0])
        with pytest.raises(InputError, match="another process is writing"):
            Writer(tmp_path, study())
    write(tmp_path, [0])


def test_a_newer_store_is_refused(tmp_path: Path) -> None:
    write(tmp_path, [0])
    file = tmp_path / STORE / "zarr.json"
    newer = json.loads(file.read_text())
    newer["attributes"]["format"] = 3
    file.write_bytes(with_checksum(json.dumps(newer).encode()))
    with pytest.raises(InputError, match="newer version, in format 3"):
        open_results(tmp_path)
    with pytest.raises(InputError, match="newer version, in format 3"):
        Writer(tmp_path, study())


def test_folders_without_results_are_refused(tmp_path: Path) -> None:
    for folder in (tmp_path, tmp_path / "none"):
        with pytest.raises(InputError, match="no results here"):
            open_results(folder)


def test_versions_that_wrote_are_all_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, [0])
    write(tmp_path, [1])
    assert len(open_results(tmp_path).versions) == 1
    monkeypatch.setattr("ndcg_asymptotics.results.writer.versions_here", lambda: {"numpy": "9"})
    write(tmp_path, [2])
    assert open_results(tmp_path).versions[1:] == [{"numpy": "9"}]


def test_fitted_curves_are_kept_beside_the_store(tmp_path: Path) -> None:
    source = tmp_path / "here"
    source.mkdir()
    curve = {
        "format": "ndcg-asymptotics curve 1",
        "gains": [1],
        "depth": [0.0, 0.5, 1.0],
        "probability": [[0.8, 0.3, 0.2]],
    }
    (source / "c.json").write_text(json.dumps(curve))
    fields = STUDY | {"replicates": 1, "scorers": {"good": 'empirical("c.json")', "random": "random"}}
    fitted = study_of(fields, source, "study.toml")
    with Writer(tmp_path / "out", fitted) as writer:
        writer.extend([0])
        writer.write([0], draws([0]))
    Writer(tmp_path / "out", fitted).__exit__(None, None, None)  # the same study
    shutil.rmtree(source)
    shutil.move(tmp_path / "out", tmp_path / "moved")
    results = open_results(tmp_path / "moved")
    assert results.study.population.scorers["good"].masses == pytest.approx((0.4,))
    data = results.data
    merged = merge([tmp_path / "moved"], tmp_path / "merged")
    shutil.rmtree(tmp_path / "moved")
    assert canonical(open_results(merged.folder).study) == canonical(results.study)
    xr.testing.assert_identical(open_results(merged.folder).data, data)


def test_parts_merge_into_what_one_run_gives(tmp_path: Path) -> None:
    write(tmp_path / "whole", [0, 1, 2, 3, 4])
    write(tmp_path / "a", [3, 4])
    write(tmp_path / "b", [0, 1, 2, 3])  # 3 is in both
    merged = merge([tmp_path / "a", tmp_path / "b"], tmp_path / "c")
    assert merged.complete
    xr.testing.assert_identical(merged.data, open_results(tmp_path / "whole").data)


def test_merging_keeps_what_is_incomplete_incomplete(tmp_path: Path) -> None:
    write(tmp_path / "a", [0], wanted=[0, 1])
    with Writer(tmp_path / "b", study()) as writer:
        writer.extend([2])
    merged = merge([tmp_path / "a", tmp_path / "b"], tmp_path / "c")
    assert merged.replicates.tolist() == [0, 1, 2, 3, 4]  # what the study asks for
    assert merged.done.tolist() == [True, False, False, False, False]


def test_what_does_not_belong_together_is_not_merged(tmp_path: Path) -> None:
    write(tmp_path / "a", [0, 1])
    write(tmp_path / "b", [2], seed=12)
    with pytest.raises(InputError, match=r"b: not the study of .*a: seed \(there 11, here 12\)"):
        merge([tmp_path / "a", tmp_path / "b"], tmp_path / "c")
    with Writer(tmp_path / "d", study()) as writer:
        writer.extend([1])
        writer.write([1], draws([7]))
    said = r"disagree about replicates .* replicate 1, high by up to 0\.\d+ \(.*; the same versions made both"
    with pytest.raises(InputError, match=said):
        merge([tmp_path / "a", tmp_path / "d"], tmp_path / "c")
    assert not (tmp_path / "c").exists()
    with pytest.raises(InputError, match="holds another study"):
        merge([tmp_path / "a"], tmp_path / "b")
    with pytest.raises(InputError, match="one of the parts"):
        merge([tmp_path / "a", tmp_path / "d"], tmp_path / "d")
    with pytest.raises(InputError, match="disagree about replicates"):
        merge([tmp_path / "a"], tmp_path / "d")


@pytest.mark.parametrize("allowed", [2, 20, 25])
def test_a_merging_that_was_interrupted_is_continued(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, allowed: int
) -> None:
    write(tmp_path / "whole", [0, 1, 2, 3, 4])
    write(tmp_path / "a", [3, 4])
    write(tmp_path / "b", [0, 1, 2])
    parts = [tmp_path / "a", tmp_path / "b"]
    with pytest.raises(OSError, match="No space left"), writes_allowed(monkeypatch, allowed):
        merge(parts, tmp_path / "c")
    merged = merge(parts, tmp_path / "c")
    assert merged.complete
    xr.testing.assert_identical(merged.data, open_results(tmp_path / "whole").data)


def test_a_merged_store_says_what_made_its_parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for part, replicates in (("a", [0, 1, 2]), ("b", [3, 4])):
        monkeypatch.setattr(
            "ndcg_asymptotics.results.writer.versions_here", lambda part=part: {"numpy": part}
        )
        write(tmp_path / part, replicates)
    monkeypatch.undo()
    merged = merge([tmp_path / "a", tmp_path / "b"], tmp_path / "c")
    assert merged.versions == [{"numpy": "a"}, {"numpy": "b"}]
