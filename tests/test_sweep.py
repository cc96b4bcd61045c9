from __future__ import annotations

import hashlib
import logging
import math
import os
import re
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import fake_engine
import numpy as np
import pytest

from ndcg_asymptotics import sweep, workers
from ndcg_asymptotics.errors import InputError
from ndcg_asymptotics.progress import Silent
from ndcg_asymptotics.store import open_results, versions_here
from ndcg_asymptotics.study import Study

REPLICATES = 23


@pytest.fixture(autouse=True)
def _fake_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sweep.ENGINES, "items", "fake_engine")


def study(*more_scorers: str, **change: Any) -> Study:
    scorers = dict.fromkeys(("good", "other", *more_scorers), "linear(0.1, 0.7)")
    fields = {
        "scorers": scorers,
        "measures": ["nDCG", "nDCG@10"],
        "n": [10, 100, 1000],
        "replicates": REPLICATES,
        "seed": 5,
        "pairs": [("good", "other")],
    }
    return Study(**fields | change)


def digest(folder: Path) -> str:
    """A hash of every array of the results."""
    data = open_results(folder).data
    state = hashlib.sha256()
    for name in sorted(map(str, data.variables)):
        values = data[name].values
        state.update(f"{name} {values.dtype} {values.shape}".encode())
        state.update(values.tobytes())
    return state.hexdigest()


def expected(replicates: range = range(REPLICATES)) -> np.ndarray[Any, Any]:
    design = study().design()
    return np.stack([fake_engine.simulate(design, r)["ndcg"] for r in replicates])


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The digest of an uninterrupted sweep in one process."""
    folder = tmp_path_factory.mktemp("plain")
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(sweep.ENGINES, "items", "fake_engine")
        outcome = sweep.run(study(), folder, jobs=1)
    assert (outcome.complete, outcome.wanted, outcome.failures, outcome.stopped) == (23, 23, [], None)
    np.testing.assert_array_equal(open_results(folder).data.ndcg.values, expected())
    return digest(folder)


class Recorder(Silent):
    """Remembers what a sweep said, and may do something after each block."""

    def __init__(self, after_block: Any = None) -> None:
        self.lines: list[str] = []
        self.blocks: list[tuple[int, int, int]] = []
        self.begun: tuple[int, int] | None = None
        self.after_block = after_block

    def begin(self, total: int, done: int) -> None:
        self.begun = (total, done)

    def advance(self, count: int, first: int, last: int) -> None:
        self.blocks.append((count, first, last))
        if self.after_block:
            self.after_block(len(self.blocks))

    def say(self, line: str) -> None:
        self.lines.append(line)


@pytest.mark.parametrize("backend", ["loky", "threading"])
@pytest.mark.parametrize("jobs", [1, 2, 4])
def test_the_bits_do_not_depend_on_jobs_or_backend(
    tmp_path: Path, plain: str, backend: workers.Backend, jobs: int
) -> None:
    sweep.run(study(), tmp_path, jobs=jobs, backend=backend)
    assert digest(tmp_path) == plain


@pytest.mark.parametrize("block", [1, 2, 7, 100])
def test_the_bits_do_not_depend_on_the_blocks(tmp_path: Path, plain: str, block: int) -> None:
    recorder = Recorder()
    sweep.run(study(), tmp_path, jobs=2, backend="threading", block=block, progress=recorder)
    assert digest(tmp_path) == plain
    assert sum(count for count, _, _ in recorder.blocks) == REPLICATES
    assert {count for count, _, _ in recorder.blocks} <= {block, REPLICATES % block, REPLICATES}


def test_another_seed_gives_other_bits(tmp_path: Path, plain: str) -> None:
    sweep.run(study(seed=6), tmp_path, jobs=1)
    assert digest(tmp_path) != plain


def test_a_sweep_continues_and_extends(tmp_path: Path, plain: str) -> None:
    sweep.run(study(), tmp_path, jobs=1, replicates=6)
    recorder = Recorder()
    outcome = sweep.run(study(), tmp_path, jobs=1, progress=recorder)
    assert recorder.begun == (23, 6)
    assert min(first for _, first, _ in recorder.blocks) == 6
    assert (outcome.complete, outcome.wanted) == (23, 23)
    assert digest(tmp_path) == plain


def test_nothing_is_computed_twice(tmp_path: Path, plain: str) -> None:
    sweep.run(study(), tmp_path, jobs=1)
    recorder = Recorder()
    outcome = sweep.run(study(), tmp_path, jobs=1, progress=recorder)
    assert (recorder.blocks, outcome.complete) == ([], 23)


def test_fewer_than_there_are_is_said(tmp_path: Path, plain: str) -> None:
    sweep.run(study(), tmp_path, jobs=1)
    recorder = Recorder()
    outcome = sweep.run(study(), tmp_path, jobs=1, replicates=10, progress=recorder)
    assert "is for 23 replicates, more than the 10 asked for: they stay" in recorder.lines[0]
    assert (outcome.complete, outcome.wanted) == (23, 23)
    assert digest(tmp_path) == plain


def test_parts_with_first_are_the_replicates_of_the_whole(tmp_path: Path) -> None:
    sweep.run(study(), tmp_path, jobs=1, first=10, replicates=5)
    data = open_results(tmp_path).data
    assert data.replicate.values.tolist() == [10, 11, 12, 13, 14]
    np.testing.assert_array_equal(data.ndcg.values, expected(range(10, 15)))


def test_a_time_limit_stops_between_blocks_with_what_is_complete(tmp_path: Path) -> None:
    slow = study("slow")
    recorder = Recorder()
    outcome = sweep.run(slow, tmp_path, jobs=1, block=2, time_limit=0.4, progress=recorder)
    assert outcome.stopped == "time limit"
    assert 0 < outcome.complete < REPLICATES
    assert outcome.complete % 2 == 0
    assert open_results(tmp_path).replicates_complete == outcome.complete
    again = sweep.run(slow, tmp_path, jobs=1)
    assert (again.complete, again.stopped) == (REPLICATES, None)


def test_failures_are_reported_and_the_rest_goes_on(tmp_path: Path) -> None:
    recorder = Recorder()
    outcome = sweep.run(study("fails"), tmp_path, jobs=2, backend="threading", block=5, progress=recorder)
    assert [(f.replicate, f.reason) for f in sorted(outcome.failures, key=lambda f: f.replicate)] == [
        (3, "RuntimeError: no luck with 3"),
        (7, "RuntimeError: no luck with 7"),
    ]
    assert "replicate 3 (seed 5) failed: RuntimeError: no luck with 3" in recorder.lines
    results = open_results(tmp_path)
    assert (results.complete, results.replicates_complete) == (False, REPLICATES - 2)
    assert set(results.replicates[~results.done].tolist()) == {3, 7}
    np.testing.assert_array_equal(
        results.data.ndcg.sel(scorer=["good", "other"]).values, np.delete(expected(), [3, 7], axis=0)
    )


def test_a_replicate_can_be_replayed_alone(tmp_path: Path) -> None:
    failing = study("fails")
    sweep.run(failing, tmp_path / "a", jobs=1)
    with pytest.raises(RuntimeError, match="no luck with 7"):
        sweep.replay(failing, tmp_path / "a", 7)
    assert sweep.replay(failing, tmp_path / "a", 8) == "same"
    with pytest.raises(InputError, match="no replicate 99, it is for 0 to 22"):
        sweep.replay(failing, tmp_path / "a", 99)
    assert sweep.replay(study(), tmp_path / "b", 4) == "written"
    np.testing.assert_array_equal(open_results(tmp_path / "b").data.ndcg.values, expected(range(4, 5)))


def test_a_replicate_that_is_not_what_is_stored_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sweep.run(study(), tmp_path, jobs=1)
    honest = fake_engine.simulate
    monkeypatch.setattr(fake_engine, "simulate", lambda d, r: {k: v + 1 for k, v in honest(d, r).items()})
    assert sweep.replay(study(), tmp_path, 4) == "different"


def test_an_interruption_keeps_what_is_complete(tmp_path: Path, plain: str) -> None:
    def interrupt(blocks: int) -> None:
        if blocks == 4:
            raise KeyboardInterrupt

    outcome = sweep.run(study(), tmp_path, jobs=2, backend="threading", block=2, progress=Recorder(interrupt))
    assert (outcome.stopped, outcome.complete) == ("interrupted", 8)
    assert sweep.run(study(), tmp_path, jobs=1).complete == REPLICATES
    assert digest(tmp_path) == plain


def test_a_lost_process_does_not_stop_a_sweep(tmp_path: Path) -> None:
    dying = study(f"dies:{tmp_path / 'died'}")
    recorder = Recorder()
    outcome = sweep.run(dying, tmp_path / "out", jobs=2, progress=recorder)
    assert (tmp_path / "died").exists()
    assert any("a worker was lost" in line for line in recorder.lines)
    assert (outcome.complete, outcome.stopped) == (REPLICATES, None)
    data = open_results(tmp_path / "out").data.sel(scorer=["good", "other"])
    np.testing.assert_array_equal(data.ndcg.values, expected())


@pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("backend", ["loky", "dask"])
def test_processes_that_always_die_end_a_sweep(tmp_path: Path, backend: workers.Backend) -> None:
    if backend == "dask":
        pytest.importorskip("distributed")
    outcome = sweep.run(study("always dies"), tmp_path, jobs=2, backend=backend)
    assert (outcome.complete, outcome.stopped) == (0, "workers lost")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"replicates": 0}, "--replicates must be at least 1, got 0"),
        ({"first": -1}, "--first must be at least 0, got -1"),
        ({"jobs": 0}, "--jobs must be at least 1, got 0"),
        ({"block": 0}, "a block must hold at least 1"),
        ({"time_limit": 0.0}, "--time-limit must be positive, got 0"),
        ({"time_limit": math.nan}, "--time-limit must be positive, got nan"),
        ({"scheduler": "tcp://127.0.0.1:1"}, "--scheduler needs --backend dask"),
        (
            {"backend": "dask", "scheduler": "localhost"},
            "an address such as tcp://host:8786, got 'localhost'",
        ),
    ],
)
def test_bad_arguments_write_nothing(tmp_path: Path, arguments: dict[str, Any], words: str) -> None:
    with pytest.raises(InputError, match=words):
        sweep.run(study(), tmp_path / "out", **arguments)
    assert not (tmp_path / "out").exists()


def test_a_scheduler_that_does_not_answer_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("distributed")
    monkeypatch.setattr(workers, "_SECONDS_TO_CONNECT", 0.5)
    with pytest.raises(OSError, match=r"tcp://127\.0\.0\.1:9"):
        sweep.run(study(), tmp_path / "out", backend="dask", scheduler="tcp://127.0.0.1:9")
    assert not (tmp_path / "out").exists()


def test_what_the_engine_refuses_writes_nothing(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="the cells engine can do it"):
        sweep.run(study("impossible"), tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_blocks_grow_to_about_two_seconds_and_shrink_at_the_end() -> None:
    deal = sweep._Deal(range(1000), jobs=2, size=None, deadline=math.inf)
    sizes = []
    for block in deal:
        sizes.append(len(block))
        draws = {"ndcg": np.zeros((len(block), 2))}
        deal.learn(workers.Block(block, tuple(block), draws, (), seconds=0.01 * len(block)))
    assert sizes[0] == 1
    assert max(sizes) == 200
    assert sizes[-1] == 1
    assert sum(sizes) == 1000


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


@pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning")
def test_a_cluster_that_loses_a_worker_gives_the_same_bits(tmp_path: Path, cluster: Any) -> None:
    victims = [worker.pid for worker in cluster.workers.values()]
    slow = study("slow")

    def kill(blocks: int) -> None:
        if blocks == 3:
            os.kill(victims[0], signal.SIGKILL)

    outcome = sweep.run(
        slow,
        tmp_path,
        backend="dask",
        scheduler=cluster.scheduler_address,
        block=2,
        progress=Recorder(kill),
    )
    assert (outcome.complete, outcome.failures, outcome.stopped) == (REPLICATES, [], None)
    assert is_gone(victims[0])
    data = open_results(tmp_path).data.sel(scorer=["good", "other"])
    np.testing.assert_array_equal(data.ndcg.values, expected())


@pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning")
def test_dask_starts_a_cluster_of_its_own(tmp_path: Path) -> None:
    pytest.importorskip("distributed")
    once = study(f"dies:{tmp_path / 'died'}")  # only a worker can die and the sweep go on
    sweep.run(once, tmp_path / "out", jobs=1, backend="dask")
    assert (tmp_path / "died").exists()
    data = open_results(tmp_path / "out").data.sel(scorer=["good", "other"])
    np.testing.assert_array_equal(data.ndcg.values, expected())


def test_workers_that_would_not_do_are_told() -> None:
    cluster = pytest.importorskip("ndcg_asymptotics.cluster")

    class Client:
        def __init__(self, found: object, **versions: str) -> None:
            self.answers = iter([{"tcp://w:1": found}, {"tcp://w:1": versions_here() | versions}])

        def run(self, *_: object) -> object:
            return next(self.answers)

    recorder = Recorder()
    with pytest.raises(InputError, match="worker tcp://w:1 has no package ndcg_asymptotics"):
        cluster.check_workers(Client(None), recorder)
    cluster.check_workers(Client("found"), recorder)
    assert recorder.lines == []
    cluster.check_workers(Client("found", numpy="9"), recorder)
    assert re.fullmatch(
        r"the worker tcp://w:1 has numpy 9 \(here .*\): its bits may differ", recorder.lines[0]
    )
