"""Sweeps that lose their workers, and sweeps on a cluster of dask."""

from __future__ import annotations

import logging
import multiprocessing
import os
import re
import signal
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sweep_cases import REPLICATES, Recorder, expected, study, use_fake_engine

from ndcg_asymptotics.core.errors import InputError
from ndcg_asymptotics.core.progress import listening
from ndcg_asymptotics.results import open_results
from ndcg_asymptotics.results.layout import versions_here
from ndcg_asymptotics.sweep import pool
from ndcg_asymptotics.sweep.block import Block
from ndcg_asymptotics.sweep.forks import Forks, can_fork
from ndcg_asymptotics.sweep.sweep import sweep

_fake_engine = pytest.fixture(autouse=True)(use_fake_engine)


@pytest.fixture(params=["forked", "started"])
def processes(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Workers that are forked, and such as are not, whatever else runs in this process."""
    monkeypatch.setattr(pool, "can_fork", lambda: request.param == "forked")
    return str(request.param)


def test_a_lost_process_does_not_stop_a_sweep(tmp_path: Path, processes: str) -> None:
    dying = study(f"dies:{tmp_path / 'died'}")
    recorder = Recorder()
    with listening(recorder):
        outcome = sweep(dying, tmp_path / "out", jobs=2)
    assert (tmp_path / "died").exists()
    assert any("a worker was lost" in line for line in recorder.lines)
    assert (outcome.complete, outcome.stopped) == (REPLICATES, None)
    data = open_results(tmp_path / "out").data.sel(scorer=["good", "other"])
    np.testing.assert_array_equal(data.ndcg.values, expected())


@pytest.mark.slow
def test_processes_that_always_die_end_a_sweep(tmp_path: Path, processes: str) -> None:
    outcome = sweep(study("always dies"), tmp_path, jobs=2)
    assert (outcome.complete, outcome.stopped) == (0, "workers lost")


@pytest.mark.skipif(sys.platform != "linux", reason="forks")
def test_what_is_raised_in_a_fork_is_raised_here() -> None:
    def work(piece: Sequence[int]) -> Block:
        raise InputError(f"no luck with {piece[0]}")

    forks = Forks(1, work, [(7,)])
    with pytest.raises(InputError, match="no luck with 7"):
        list(forks)
    forks.close()


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning")
def test_a_cluster_whose_processes_always_die_ends_a_sweep(tmp_path: Path) -> None:
    pytest.importorskip("distributed")
    outcome = sweep(study("always dies"), tmp_path, jobs=2, backend="dask")
    assert (outcome.complete, outcome.stopped) == (0, "workers lost")


def test_the_bits_do_not_depend_on_how_processes_begin(tmp_path: Path, processes: str) -> None:
    assert sweep(study(), tmp_path, jobs=2).complete == REPLICATES
    data = open_results(tmp_path).data.sel(scorer=["good", "other"])
    np.testing.assert_array_equal(data.ndcg.values, expected())


def children() -> set[int]:
    return {child.pid or 0 for child in multiprocessing.active_children()}


@pytest.mark.skipif(sys.platform != "linux", reason="forks, and looks at /proc")
def test_forks_end_with_the_sweep_and_hold_no_lock(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pool, "can_fork", lambda: True)
    before, seen = children(), list[int]()

    def look(blocks: int) -> None:
        if blocks == 2:
            seen.extend(children() - before)
            for process in seen:
                opened = Path(f"/proc/{process}/fd").iterdir()
                assert str(tmp_path) not in map(os.readlink, opened)
            raise KeyboardInterrupt

    with listening(Recorder(look)):
        outcome = sweep(study("slow"), tmp_path, jobs=2, block=2)
    assert outcome.stopped == "interrupted"
    assert len(seen) == 2
    assert all(is_gone(process) for process in seen)


def test_no_fork_beside_a_thread_that_may_hold_a_lock() -> None:
    held = threading.Event()
    thread = threading.Thread(target=held.wait)
    thread.start()
    try:
        assert not can_fork()
    finally:
        held.set()
        thread.join()


def test_a_scheduler_that_does_not_answer_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("distributed")
    monkeypatch.setattr(pool, "_SECONDS_TO_CONNECT", 0.5)
    with pytest.raises(OSError, match=r"tcp://127\.0\.0\.1:9"):
        sweep(study(), tmp_path / "out", backend="dask", scheduler="tcp://127.0.0.1:9")
    assert not (tmp_path / "out").exists()


def is_gone(process: int) -> bool:
    """Whether a process ends within five seconds."""
    for _ in range(100):
        try:
            os.kill(process, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.05)
    return False


# a cluster of separate processes; distributed leaves sockets of killed workers to the collector
@pytest.fixture
def cluster() -> Iterator[Any]:
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, dashboard_address=":0", silence_logs=logging.CRITICAL
    ) as running:
        yield running


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning")
def test_a_cluster_that_loses_a_worker_gives_the_same_bits(tmp_path: Path, cluster: Any) -> None:
    victims = [worker.pid for worker in cluster.workers.values()]
    slow = study("slow")

    def kill(blocks: int) -> None:
        if blocks == 3:
            os.kill(victims[0], signal.SIGKILL)

    with listening(Recorder(kill)):
        outcome = sweep(slow, tmp_path, backend="dask", scheduler=cluster.scheduler_address, block=2)
    assert (outcome.complete, outcome.failures, outcome.stopped) == (REPLICATES, [], None)
    assert is_gone(victims[0])
    data = open_results(tmp_path).data.sel(scorer=["good", "other"])
    np.testing.assert_array_equal(data.ndcg.values, expected())


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning")
def test_dask_starts_a_cluster_of_its_own(tmp_path: Path) -> None:
    pytest.importorskip("distributed")
    once = study(f"dies:{tmp_path / 'died'}")  # only a worker can die and the sweep go on
    sweep(once, tmp_path / "out", jobs=1, backend="dask")
    assert (tmp_path / "died").exists()
    data = open_results(tmp_path / "out").data.sel(scorer=["good", "other"])
    np.testing.assert_array_equal(data.ndcg.values, expected())


def test_workers_that_would_not_do_are_told() -> None:
    pytest.importorskip("distributed")
    from ndcg_asymptotics.sweep import cluster

    class Client:
        def __init__(self, found: object, **versions: str) -> None:
            self.answers = iter([{"tcp://w:1": found}, {"tcp://w:1": versions_here() | versions}])

        def run(self, *_: object) -> object:
            return next(self.answers)

    recorder = Recorder()
    with listening(recorder):
        with pytest.raises(InputError, match="worker tcp://w:1 has no package ndcg_asymptotics"):
            cluster.check_workers(Client(None))
        cluster.check_workers(Client("found"))
        assert recorder.lines == []
        cluster.check_workers(Client("found", numpy="9"))
    assert re.fullmatch(r"the worker tcp://w:1 has numpy 9, here .*: its bits may differ", recorder.lines[0])
