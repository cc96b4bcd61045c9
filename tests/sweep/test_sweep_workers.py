"""Sweeps that lose their workers, and sweeps on a cluster of dask."""

from __future__ import annotations

import logging
import os
import signal
import socket
import socketserver
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cases import refused
from joblib import cpu_count
from robustness.signals import alive
from sweep_cases import REPLICATES, Recorder, expected, study, use_fake_engine

from ndcg_asymptotics.results.folder import open_study
from ndcg_asymptotics.results.layout import versions_here
from ndcg_asymptotics.studies.grid import grid_of
from ndcg_asymptotics.sweep import run
from ndcg_asymptotics.sweep.sweep import sweep

_fake_engine = pytest.fixture(autouse=True)(use_fake_engine)


@pytest.mark.slow
def test_a_lost_process_does_not_stop_a_sweep(tmp_path: Path) -> None:
    dying = study(f"dies:{tmp_path / 'died'}")
    recorder = Recorder()
    with recorder.watching():
        outcome = sweep(dying, tmp_path / "out", jobs=2)
    assert (tmp_path / "died").exists()
    assert any("a worker was lost" in line for line in recorder.lines)
    assert (outcome.complete, outcome.stopped) == (REPLICATES, None)
    data = open_study(tmp_path / "out").data.sel(scorer=["good", "other"])
    np.testing.assert_array_equal(data.ndcg.values, expected())


@pytest.mark.slow
def test_processes_that_always_die_end_a_sweep(tmp_path: Path) -> None:
    outcome = sweep(study("always dies"), tmp_path, jobs=2)
    assert (outcome.complete, outcome.stopped) == (0, "workers lost")


def children() -> set[int]:
    """The worker processes of this one."""
    children = Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()
    commands = {int(child): Path(f"/proc/{child}/cmdline").read_bytes() for child in children}
    return {child for child, command in commands.items() if b"popen_loky" in command}


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="looks at /proc")
def test_workers_end_with_an_interrupted_sweep(tmp_path: Path) -> None:
    seen: set[int] = set()

    def look(blocks: int) -> None:
        if blocks == 2:
            seen.update(children())
            raise KeyboardInterrupt

    with Recorder(look).watching():
        outcome = sweep(study("slow"), tmp_path, jobs=2, block=2)
    assert outcome.stopped == "interrupted"
    assert len(seen) == 2
    assert all(is_gone(process) for process in seen)


def test_more_jobs_than_cores_are_refused_in_one_line(tmp_path: Path) -> None:
    recorder = Recorder()
    with recorder.watching():
        outcome = sweep(study(), tmp_path, jobs=99_999_999, backend="threading")
    assert outcome.complete == REPLICATES
    most = cpu_count()
    assert recorder.lines == [
        f"jobs: 99999999 are more than the {most} cores of this machine; {most} are used"
    ]


def within(seconds: float, holds: Callable[[], bool]) -> bool:
    """Whether a condition comes true in time."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if holds():
            return True
        time.sleep(0.05)
    return holds()


def test_without_dask_one_line_names_the_package_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    monkeypatch.delitem(sys.modules, "ndcg_asymptotics.sweep.cluster", raising=False)
    said = r"^scheduler: .* not installed: pip install 'dask\[distributed\]'$"
    refused(said, sweep, study(), tmp_path, jobs=2, scheduler="tcp://127.0.0.1:9")
    assert not list(tmp_path.iterdir())


@contextmanager
def listening(answer: bytes | None) -> Iterator[int]:
    """A port at which nothing of dask answers; None is one that is closed at once. Empty is silent."""

    class Answer(socketserver.BaseRequestHandler):
        def handle(self) -> None:
            with suppress(OSError):
                if answer is not None:
                    self.request.sendall(answer)
                    self.request.recv(2**20)

    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Answer) as server:
        threading.Thread(target=server.serve_forever).start()
        try:
            yield server.server_address[1]
        finally:
            server.shutdown()


@pytest.mark.slow
@pytest.mark.parametrize(
    "answer", [b"", None, b"HTTP/1.1 400 Bad Request\r\n\r\n", b"SSH-2.0-OpenSSH_9.6\r\n" * 1000]
)
def test_a_port_without_a_scheduler_is_refused_in_one_line(answer: bytes | None) -> None:
    cluster = pytest.importorskip("ndcg_asymptotics.sweep.cluster")
    with listening(answer) as port:
        address = f"tcp://127.0.0.1:{port}"
        begun = time.monotonic()
        refused(
            f"^scheduler: no dask scheduler answers at {address}; ", cluster.check_scheduler, address, 0.5
        )
        assert time.monotonic() - begun < 5


@pytest.mark.slow
def test_a_port_that_nobody_listens_to_and_a_worker_are_refused(cluster: Any) -> None:
    from ndcg_asymptotics.sweep.cluster import check_scheduler

    with socket.create_server(("127.0.0.1", 0)) as server:
        closed = f"tcp://127.0.0.1:{server.getsockname()[1]}"
    assert within(30, lambda: len(cluster.scheduler.workers) == len(cluster.workers))
    for address in (closed, "tcp://no-such-host.invalid:8786", next(iter(cluster.scheduler.workers))):
        refused(f"^scheduler: no dask scheduler answers at {address}; ", check_scheduler, address, 0.5)
    check_scheduler(cluster.scheduler_address, 10)


def is_gone(process: int) -> bool:
    """Whether a process ends within five seconds."""
    return within(5, lambda: process not in alive())


# a cluster of separate processes, which starts others in the place of killed ones; distributed leaves sockets
# of killed workers to the collector
@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, dashboard_address=":0", silence_logs=logging.CRITICAL
    ) as running:
        yield running


def a_worker(cluster: Any) -> int:
    """The process of a worker of a cluster, when all of them are there."""
    assert within(30, lambda: len(cluster.scheduler.workers) == len(cluster.workers))
    return int(cluster.workers[0].pid)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning")
def test_grids_and_rare_orders_on_a_cluster_that_loses_a_worker(tmp_path: Path, cluster: Any) -> None:
    victim = a_worker(cluster)
    fields: dict[str, Any] = {"measures": ["nDCG"], "n": [50, 300], "replicates": 12, "seed": 7}
    curves = {"sharp": "linear(0.1, $top)", "flat": "linear(0.2, 0.4)"}
    points = grid_of({"top": [0.5]}, fields | {"scorers": curves, "engine": "cells"})
    (study,) = points.studies.values()
    rare = study.with_(engine="rare", pairs=[("sharp", "flat")])
    dask: dict[str, Any] = {"scheduler": cluster.scheduler_address, "block": 1}

    def kill(blocks: int) -> None:
        if blocks == 2:
            os.kill(victim, signal.SIGKILL)

    with Recorder(kill).watching():
        found = run(points, tmp_path / "grid", **dask)
    for values, point in run(points, jobs=1).points.items():
        np.testing.assert_array_equal(found.points[values].data.ndcg, point.data.ndcg)
    assert is_gone(victim)
    data = run(rare, tmp_path / "rare", **dask).data
    np.testing.assert_array_equal(data.log_weight, run(rare, jobs=1).data.log_weight)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning")
def test_a_replicate_that_kills_the_workers_of_a_cluster_ends_a_sweep(
    tmp_path: Path, cluster: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cluster.scheduler, "allowed_failures", 0)  # by default dask tries three more times
    scheduler = cluster.scheduler_address
    outcome = sweep(study("always dies"), tmp_path, jobs=1, scheduler=scheduler)
    assert (outcome.complete, outcome.stopped) == (0, "workers lost")


def test_unsuitable_workers_are_reported() -> None:
    pytest.importorskip("distributed")
    from ndcg_asymptotics.sweep import cluster

    class Client:
        def __init__(self, found: object, **versions: str) -> None:
            self.answers = iter([{"tcp://w:1": found}, {"tcp://w:1": versions_here() | versions}])

        def run(self, *_: object, on_error: str) -> object:
            assert on_error == "ignore"  # by default the death of one worker would be an error of all
            return next(self.answers)

    recorder = Recorder()
    with recorder.watching():
        refused("worker tcp://w:1 has no package ndcg_asymptotics", cluster.check_workers, Client(None))
        cluster.check_workers(Client("found"))
        assert recorder.lines == []
        cluster.check_workers(Client("found", numpy="9"))
    assert recorder.lines == ["the worker tcp://w:1 has another numpy than this process: its bits may differ"]
