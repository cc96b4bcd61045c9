from __future__ import annotations

import errno
import hashlib
import json
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import xarray as xr
from cases import refused

from ndcg_asymptotics.core.errors import InputError
from ndcg_asymptotics.core.files import UnreadableError
from ndcg_asymptotics.engines import cells
from ndcg_asymptotics.engines.engine import Draw
from ndcg_asymptotics.results.folder import open_study
from ndcg_asymptotics.results.kinds import FORMAT, LARGEST_RECORD, read_record, write_record
from ndcg_asymptotics.results.kinds import STUDY as RECORD
from ndcg_asymptotics.results.merge import merge
from ndcg_asymptotics.results.sinks import FolderSink, MemorySink
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
    """A disk that is full once ``left`` more files are written."""
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


def write(folder: Path, *blocks: list[int], wanted: list[int] | None = None, **change: Any) -> None:
    with FolderSink(folder, study(**change)) as sink:
        sink.want([r for block in blocks for r in block] if wanted is None else wanted)
        for replicates in blocks:
            sink.add(replicates, draws(replicates))


def test_blocks_are_read_as_they_were_written(tmp_path: Path) -> None:
    write(tmp_path / "out", [0, 1, 2])
    results = open_study(tmp_path / "out")
    assert (results.complete, results.replicates_wanted, results.replicates_complete) == (True, 3, 3)
    for name, values in draws([0, 1, 2]).items():
        np.testing.assert_array_equal(results.data[name].values, values)
        assert results.data[name].dtype == values.dtype
        assert results.data[name].dims == ("replicate", *cells.VARIABLES[name])
    assert results.data.scorer.values.tolist() == ["good", "random"]
    assert results.data.measure.values.tolist() == ["nDCG", "nDCG(zipf)@0.2n", "nDCG@5"]
    assert results.data.n.values.tolist() == [10, 100, 1000, 10**18]
    assert results.data.pair.values.tolist() == ["good > random"]
    assert canonical(results.study) == canonical(study())


def test_a_folder_describes_itself_to_numpy_and_json(tmp_path: Path) -> None:
    """A folder can be read without this package: the study is JSON, the blocks are archives of numpy."""
    write(tmp_path, [0, 1], wanted=[0, 1, 2])
    stated = json.loads((tmp_path / RECORD).read_text())
    assert stated["study"] == canonical(study())
    libraries = {"ndcg_asymptotics", "python", "numpy", "numba", "scipy"}
    assert set(stated["versions"]) == libraries | {"numpy_cpu", "numba_cpu"}
    assert (stated["format"], stated["wanted"]) == (4, [[0, 2]])
    (file,) = tmp_path.glob("*.npz")
    first, last, digest = file.stem.split("-")
    assert (first, last, digest) == ("0", "1", hashlib.blake2b(file.read_bytes(), digest_size=16).hexdigest())
    with np.load(file) as block:
        np.testing.assert_array_equal(block["ndcg"], draws([0, 1])["ndcg"])
        assert json.loads(block["about.json"])["made_by"] == stated["versions"]
    attributes = open_study(tmp_path).data.attrs
    assert json.loads(attributes["study"]) == canonical(study())
    assert attributes["complete"] == 0


def test_short_names_of_measures_change_words_alone(tmp_path: Path) -> None:
    """Data and descriptions have those of the last run; the key of a folder has none."""
    named = {"short": "nDCG", "nDCG(zipf)@0.2n": "nDCG(zipf)@0.2n", "top": "nDCG@5"}
    write(tmp_path / "out", [0, 1, 2])
    write(tmp_path / "out", [3], wanted=[0, 1, 2, 3], measures=named)
    results = open_study(tmp_path / "out")
    assert results.replicates_complete == 4
    assert results.study.measures == study().measures
    assert results.data.measure.values.tolist() == ["short", "nDCG(zipf)@0.2n", "top"]
    assert "top = nDCG@5" in str(results)
    path = tmp_path / "out" / RECORD
    path.write_text(path.read_text().replace('"top"', '"short"'))
    refused(r"study\.json", open_study, tmp_path / "out")


def test_both_sinks_give_the_same_results(tmp_path: Path) -> None:
    memory, folder = MemorySink(study()), FolderSink(tmp_path, study())
    for sink in (memory, folder):
        with sink:
            assert sink.missing([0, 4, 2]) == [0, 4, 2]
            sink.want(range(5))
            with pytest.raises(InputError, match="no replicate is complete"):
                _ = sink.results().data
            for some in ([1, 4], [0]):
                sink.add(some, draws(some))
            assert (len(sink.replicates), len(sink.done), sink.missing(range(5))) == (5, 3, [2, 3])
    one, other = memory.results(), open_study(tmp_path)
    assert (other.complete, other.data.replicate.values.tolist()) == (False, [0, 1, 4])
    np.testing.assert_array_equal(other.data.ndcg.values, draws([0, 1, 4])["ndcg"])
    assert one.data.drop_attrs(deep=False).identical(other.data.drop_attrs(deep=False))
    assert (one.replicates.tolist(), one.done.tolist()) == (other.replicates.tolist(), other.done.tolist())


def test_a_folder_whose_writer_died_while_extending_is_as_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The last file written may be any; there is one block more than fits on the disk."""
    write(tmp_path / "whole", [0, 1])
    with writes_allowed(monkeypatch, 3):  # the record and two blocks
        write(tmp_path / "whole", [2], [3])
    for allowed in range(3):
        folder = tmp_path / str(allowed)
        write(folder, [0, 1])
        with pytest.raises(OSError, match="No space left"), writes_allowed(monkeypatch, allowed):
            write(folder, [2], [3])
        results = open_study(folder)
        assert results.replicates_wanted == (4 if allowed else 2)
        done = [0, 1, 2, 3][: 2 + max(allowed - 1, 0)]
        assert results.replicates[results.done].tolist() == done
        np.testing.assert_array_equal(results.data.ndcg.values, draws(done)["ndcg"])
        write(folder, *([r] for r in (2, 3) if r not in done), wanted=[2, 3])
        np.testing.assert_array_equal(open_study(folder).data.ndcg.values, draws([0, 1, 2, 3])["ndcg"])
        assert not list(folder.glob(".*"))


def test_half_written_files_of_a_killed_writer_are_removed(tmp_path: Path) -> None:
    write(tmp_path, [0])
    draft = tmp_path / f".{'0' * 32}.partial"
    draft.write_bytes(b"half of a block")
    assert open_study(tmp_path).complete
    write(tmp_path, [1])
    assert not draft.exists()


def test_a_folder_that_was_being_made_is_made_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(OSError, match="No space left"), writes_allowed(monkeypatch, 0):
        write(tmp_path, [0])
    refused("holds no results", open_study, tmp_path)
    write(tmp_path, [0])
    assert open_study(tmp_path).complete
    assert sorted(path.suffix for path in tmp_path.iterdir()) == [".json", ".npz"]


def test_another_study_is_refused_with_the_differing_fields(tmp_path: Path) -> None:
    write(tmp_path, [0, 1])
    said = r"holds another study: n \(.*\); seed \(there 11, here 12\); name another"
    refused(said, FolderSink, tmp_path, study(seed=12, n=[10, 100]))
    refused(r"pairs \(only .*; name another folder", FolderSink, tmp_path, study(pairs=[]))
    with FolderSink(tmp_path, study(title="other", replicates=99)):
        pass
    np.testing.assert_array_equal(open_study(tmp_path).data.ndcg.values, draws([0, 1])["ndcg"])


def test_every_damaged_file_is_named(tmp_path: Path) -> None:
    write(tmp_path, [0], [1], [2])
    damaged = [next(tmp_path.glob(f"{i}-*")) for i in (0, 2)]
    for path in damaged:
        path.write_bytes(path.read_bytes()[:-1])
    said = refused("; move these files away and run the study again", open_study, tmp_path)
    assert [path.name in said for path in sorted(tmp_path.glob("*.npz"))] == [True, False, True]


def test_there_is_one_writer_at_a_time(tmp_path: Path) -> None:
    with FolderSink(tmp_path, study()) as sink:
        assert not list(tmp_path.iterdir())  # nothing yet
        sink.want([0])
        refused("another process is writing", FolderSink, tmp_path, study())
    write(tmp_path, [0])


def test_a_folder_of_version_0_3_opens_with_its_requests_and_is_continued(tmp_path: Path) -> None:
    """Its files that ask for more replicates state them in their names, and its blocks what was wanted."""
    write(tmp_path, [0, 1])
    older = json.loads((tmp_path / RECORD).read_text()) | {"format": 3}
    older.pop("digest")
    write_record(tmp_path / RECORD, older)
    (tmp_path / f"2-5-{'0' * 32}.json").write_text("{}")
    results = open_study(tmp_path)
    assert (results.replicates_wanted, results.replicates_complete) == (6, 2)
    write(tmp_path, [2, 3])
    assert json.loads((tmp_path / RECORD).read_text())["wanted"] == [[0, 5]]
    np.testing.assert_array_equal(open_study(tmp_path).data.ndcg.values, draws([0, 1, 2, 3])["ndcg"])


def test_a_newer_folder_is_refused(tmp_path: Path) -> None:
    write(tmp_path, [0])
    newer = json.loads((tmp_path / RECORD).read_text()) | {"format": 5}
    newer.pop("digest")
    write_record(tmp_path / RECORD, newer)
    refused("newer version, in format 5", open_study, tmp_path)
    refused("newer version, in format 5", FolderSink, tmp_path, study())


def test_fitted_curves_are_kept_beside_the_results(tmp_path: Path) -> None:
    source = tmp_path / "here"
    source.mkdir()
    (source / "c.csv").write_text("depth,y=1\n0,0.8\n0.5,0.3\n1,0.2\n")
    fields = STUDY | {"replicates": 1, "scorers": {"good": 'empirical("c.csv")', "random": "random"}}
    fitted = study_of(fields, source, "study.toml")
    with FolderSink(tmp_path / "out", fitted) as sink:
        sink.want([0])
        sink.add([0], draws([0]))
    with FolderSink(tmp_path / "out", fitted):  # the same study
        pass
    shutil.rmtree(source)
    shutil.move(tmp_path / "out", tmp_path / "moved")
    results = open_study(tmp_path / "moved")
    assert results.study.population.scorers["good"].masses == pytest.approx((0.4,))
    data = results.data
    merged = merge([tmp_path / "moved"], tmp_path / "merged")
    shutil.rmtree(tmp_path / "moved")
    assert canonical(open_study(merged.folder).study) == canonical(results.study)
    xr.testing.assert_identical(open_study(merged.folder).data, data)


def test_parts_that_do_not_belong_together_are_not_merged(tmp_path: Path) -> None:
    a, b, c, d = (tmp_path / name for name in "abcd")
    write(a, [0, 1])
    write(b, [2], seed=12)
    write(d, [1, 2])
    same = r"d/1-2-.*npz and .*a/0-1-.*npz hold the same replicates; merge disj"
    refused(r"b: not the study of .*a: seed \(there 12, here 11\)", merge, [a, b], c)
    refused(same, merge, [a, d], c)
    assert not c.exists()
    refused("holds another study", merge, [a], b)
    refused("one of the parts", merge, [a, d], d)
    refused(same, merge, [a], d)


@pytest.mark.parametrize("allowed", [0, 1, 2])
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
    xr.testing.assert_identical(merged.data, open_study(tmp_path / "whole").data)


def test_a_folder_and_a_merged_one_say_what_made_their_parts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for part, numpy, replicates in (("a", "1", [0]), ("a", "1", [1]), ("a", "2", [2]), ("b", "3", [3, 4])):
        made_by = {"numpy": numpy}
        monkeypatch.setattr("ndcg_asymptotics.results.sinks.versions_here", lambda made_by=made_by: made_by)
        write(tmp_path / part, replicates)
    monkeypatch.undo()
    assert open_study(tmp_path / "a").versions == [{"numpy": "1"}, {"numpy": "2"}]
    merged = merge([tmp_path / "a", tmp_path / "b"], tmp_path / "c")
    assert merged.versions == [{"numpy": "1"}, {"numpy": "2"}, {"numpy": "3"}]


def test_blocks_that_overlap_are_refused(tmp_path: Path) -> None:
    """Two writers on a file system without locks would leave such blocks."""
    write(tmp_path / "a", [0, 1, 2])
    write(tmp_path / "b", [1, 2, 3])
    for block in (tmp_path / "b").glob("*.npz"):
        shutil.copy(block, tmp_path / "a")
    named = r"1-3-.*npz and 0-2-.*npz hold the same replicates"
    refused(named, open_study, tmp_path / "a")
    refused(named, FolderSink, tmp_path / "a", study())
    next((tmp_path / "a").glob("1-3-*.npz")).unlink()
    write(tmp_path / "a", [3])
    np.testing.assert_array_equal(open_study(tmp_path / "a").data.ndcg.values, draws([0, 1, 2, 3])["ndcg"])


def test_a_folder_of_another_study_whose_record_was_deleted_stays_as_it_is(tmp_path: Path) -> None:
    write(tmp_path, [0])
    (tmp_path / RECORD).unlink()
    refused(r"0-0-.*npz is of another study", write, tmp_path, [1], seed=12)
    assert [path.suffix for path in tmp_path.iterdir()] == [".npz"]


def test_a_record_comes_back_and_every_change_of_it_is_noticed(tmp_path: Path) -> None:
    file, fields = tmp_path / "record.json", {"b": [1, 2.5, None], "a": {"x": "y\u00e9"}, "t": (1, 2)}
    write_record(file, fields)
    assert read_record(file, dict) == fields | {"t": [1, 2], "format": FORMAT}
    content = file.read_bytes()
    for bit in range(0, 8 * len(content), 5):
        changed = bytearray(content)
        changed[bit // 8] ^= 1 << bit % 8
        file.write_bytes(changed)
        try:
            assert read_record(file, dict) == fields | {
                "t": [1, 2],
                "format": FORMAT,
            }  # a blank that became another
        except UnreadableError:
            continue
    for content in (b"", b"[]", b"{}", b'{"digest": 3}', b"[" * 10**5, b"\xff", b" " * (LARGEST_RECORD + 1)):
        file.write_bytes(content)
        with pytest.raises(UnreadableError):
            read_record(file, dict)
