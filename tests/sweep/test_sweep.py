"""Sweeps: bits that depend on the study alone, continuing, failures and refusals."""

from __future__ import annotations

import math
import time
from pathlib import Path
from typing import Any

import fake_engine
import numpy as np
import pytest
from cases import refused
from robustness import signals
from sweep_cases import REPLICATES, Recorder, expected, study, use_fake_engine

from ndcg_asymptotics.results.folder import open_study
from ndcg_asymptotics.studies import Design
from ndcg_asymptotics.sweep.block import Block, BlockScheduler, run_block
from ndcg_asymptotics.sweep.executor import Backend
from ndcg_asymptotics.sweep.sweep import sweep

_fake_engine = pytest.fixture(autouse=True)(use_fake_engine)


def digest(folder: Path) -> str:
    """A hash of every array of the results."""
    return signals.digest(open_study(folder))


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The digest of an uninterrupted sweep in one process."""
    folder = tmp_path_factory.mktemp("plain")
    with pytest.MonkeyPatch.context() as patch:
        use_fake_engine(patch)
        outcome = sweep(study(), folder, jobs=1)
    assert (outcome.complete, outcome.wanted, outcome.stopped) == (23, 23, None)
    np.testing.assert_array_equal(open_study(folder).data.ndcg.values, expected())
    return digest(folder)


@pytest.mark.parametrize(("backend", "jobs"), [("loky", 2), ("loky", 4), ("threading", 1), ("threading", 4)])
def test_the_bits_do_not_depend_on_jobs_or_backend(
    tmp_path: Path, plain: str, backend: Backend, jobs: int
) -> None:
    sweep(study(), tmp_path, jobs=jobs, backend=backend)
    assert digest(tmp_path) == plain


@pytest.mark.parametrize("block", [1, 2, 7, 100])
def test_the_bits_do_not_depend_on_the_blocks(tmp_path: Path, plain: str, block: int) -> None:
    recorder = Recorder()
    with recorder.watching():
        sweep(study(), tmp_path, jobs=2, backend="threading", block=block)
    assert digest(tmp_path) == plain
    assert sum(recorder.blocks) == REPLICATES
    assert {*recorder.blocks} <= {block, REPLICATES % block, REPLICATES}


def test_another_seed_gives_other_bits(tmp_path: Path, plain: str) -> None:
    sweep(study(seed=6), tmp_path, jobs=1)
    assert digest(tmp_path) != plain


def test_a_sweep_continues_and_extends(tmp_path: Path, plain: str) -> None:
    sweep(study(), tmp_path, jobs=1, replicates=6)
    recorder = Recorder()
    with recorder.watching():
        outcome = sweep(study(), tmp_path, jobs=1)
    assert recorder.begun == (23, 6)
    assert sum(recorder.blocks) == 17
    assert (outcome.complete, outcome.wanted) == (23, 23)
    assert digest(tmp_path) == plain


@pytest.mark.slow
def test_a_time_limit_stops_between_blocks(tmp_path: Path) -> None:
    slow = study("slow", replicates=20)  # one second
    outcome = sweep(slow, tmp_path, jobs=1, block=2, time_limit=0.5)
    assert outcome.stopped == "time limit"
    assert 0 < outcome.complete < 20
    assert outcome.complete % 2 == 0
    assert open_study(tmp_path).replicates_complete == outcome.complete
    again = sweep(slow, tmp_path, jobs=1)
    assert (again.complete, again.stopped) == (20, None)


def test_a_replicate_that_raises_ends_the_sweep_and_complete_blocks_stay(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError, match="no luck with 3"):
        sweep(study("fails"), tmp_path, jobs=1, block=1)
    results = open_study(tmp_path)
    assert results.replicates[results.done].tolist() == [0, 1, 2]
    np.testing.assert_array_equal(results.data.ndcg.sel(scorer=["good", "other"]).values, expected()[:3])


def test_an_interruption_keeps_complete_replicates(tmp_path: Path, plain: str) -> None:
    def interrupt(blocks: int) -> None:
        if blocks == 4:
            raise KeyboardInterrupt

    with Recorder(interrupt).watching():
        outcome = sweep(study(), tmp_path, jobs=2, backend="threading", block=2)
    assert (outcome.stopped, outcome.complete) == ("interrupted", 8)
    assert sweep(study(), tmp_path, jobs=1).complete == REPLICATES
    assert digest(tmp_path) == plain


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"replicates": 0}, "replicates: must be a whole number from 1 to 1e.07, got 0"),
        ({"first": -1}, "first: must be a whole number from 0 to 1e.09, got -1"),
        ({"jobs": 0}, "jobs: must be a whole number >= 1, got 0"),
        ({"block": 0}, "block: must be a whole number >= 1"),
        ({"time_limit": 0.0}, "time_limit: must be a number above 0, got 0.0"),
        ({"time_limit": math.nan}, "time_limit: must be a number above 0, got nan"),
        ({"scheduler": "localhost"}, "no dask scheduler answers at localhost"),
    ],
)
def test_bad_arguments_write_nothing(tmp_path: Path, arguments: dict[str, Any], words: str) -> None:
    refused(words, sweep, study(), tmp_path / "out", **arguments)
    assert not (tmp_path / "out").exists()


def test_a_design_that_the_engine_refuses_writes_nothing(tmp_path: Path) -> None:
    refused("the cells engine can do it", sweep, study("impossible"), tmp_path / "out")
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(("each", "bytes_each", "most"), [(0.01, 16, 200), (1e-9, 2**20, 16), (60, 16, 1)])
def test_blocks_grow_to_about_two_seconds_or_16_megabytes(each: float, bytes_each: int, most: int) -> None:
    scheduler = BlockScheduler(range(1000), size=None, deadline=math.inf)
    sizes = []
    for block in scheduler:
        sizes.append(len(block))
        draws = {"ndcg": np.zeros((len(block), bytes_each // 8))}
        scheduler.learn(Block(block, draws, seconds=each * len(block)))
    assert (sizes[0], max(sizes), sum(sizes)) == (1, most, 1000)


def test_what_a_process_does_once_is_not_timed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Kernels and tables take a second or two of each process: blocks would hold too few replicates."""
    warmed: list[Design] = []
    clock = time.perf_counter

    # each time that the engine is warmed, a minute seems to pass
    monkeypatch.setattr(time, "perf_counter", lambda: clock() + 60 * len(warmed))
    monkeypatch.setattr(fake_engine, "warm", warmed.append)
    first, second = study(seed=11).design, study(seed=12).design
    took = [run_block("fake_engine", design, [0]).seconds for design in (first, first, second)]
    assert warmed == [first, second]
    assert max(took) < 30
