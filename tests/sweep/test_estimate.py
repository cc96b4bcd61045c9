"""Estimates of a sweep's duration: what they say, when, and that they are right."""

from __future__ import annotations

import re
import time
from pathlib import Path

import fake_engine
import numpy as np
import pytest
from cases import Run
from cli_cases import write_study
from sweep_cases import study, use_fake_engine

from ndcg_asymptotics.studies import Design
from ndcg_asymptotics.studies.grid import grid_of
from ndcg_asymptotics.sweep import estimate
from ndcg_asymptotics.sweep.block import Block, run_block
from ndcg_asymptotics.sweep.estimate import TimeEstimate
from ndcg_asymptotics.sweep.grid import sweep_grid
from ndcg_asymptotics.sweep.sweep import sweep


@pytest.fixture
def said(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    lines: list[str] = []
    monkeypatch.setattr(estimate, "say", lines.append)
    return lines


def block(replicates: int, each: float) -> Block:
    """A block of replicates that took ``each`` seconds each."""
    done = tuple(range(replicates))
    return Block(done, done, {"ndcg": np.zeros((replicates, 1))}, (), seconds=replicates * each)


def test_it_waits_for_a_second_of_work_and_speaks_once(said: list[str]) -> None:
    sweep_of = TimeEstimate(1000, at_most=False)
    sweep_of.learn(block(1, 0.5), already=40, jobs=2)
    assert said == []
    for _ in range(3):
        sweep_of.learn(block(1, 1.5), already=40, jobs=2)
    # 960 replicates of one second each, two at a time
    assert said == ["960 replicates will take about 8 minutes"]


def test_what_a_process_does_once_is_not_timed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Kernels and tables take a second or two of each process, which quick replicates must not be charged."""
    warmed: list[Design] = []
    clock = time.perf_counter

    # each time that the engine is warmed, a minute seems to pass
    monkeypatch.setattr(time, "perf_counter", lambda: clock() + 60 * len(warmed))
    monkeypatch.setattr(fake_engine, "warm", warmed.append)
    first, second = study(seed=11).design, study(seed=12).design
    took = [run_block("fake_engine", design, [0]).seconds for design in (first, first, second)]
    assert warmed == [first, second]
    assert max(took) < 30


def test_one_long_replicate_is_enough(said: list[str]) -> None:
    TimeEstimate(200, at_most=False).learn(block(1, 9.6), already=0, jobs=2)
    assert said == ["200 replicates will take about 16 minutes"]


@pytest.mark.parametrize(
    ("count", "words"), [(59, []), (61, ["61 replicates will take at most about 30 seconds"])]
)
def test_less_than_half_a_minute_is_not_announced(said: list[str], count: int, words: list[str]) -> None:
    TimeEstimate(count, at_most=True).learn(block(4, 0.5), already=0, jobs=1)
    assert said == words


def interrupt_after_the_estimate(monkeypatch: pytest.MonkeyPatch) -> None:
    """End a sweep when it has written its estimate, however long a busy machine takes to get there."""
    say = vars(estimate)["say"]

    def say_and_interrupt(line: str) -> None:
        say(line)
        if "will take" in line:  # and not that a busy machine takes long to compile
            raise KeyboardInterrupt

    monkeypatch.setattr(estimate, "say", say_and_interrupt)


@pytest.mark.slow
def test_a_sweep_takes_as_long_as_estimated(
    tmp_path: Path, said: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each replicate sleeps for 50 ms, so the time left hardly depends on how busy the machine is."""
    use_fake_engine(monkeypatch)
    interrupt_after_the_estimate(monkeypatch)
    monkeypatch.setattr(estimate, "_SECONDS_OF_WORK", 0.5)
    outcome = sweep(study("slow"), tmp_path, jobs=2, replicates=12_000, block=5)
    assert outcome.stopped == "interrupted"
    (line,) = said
    assert line.startswith("12000 replicates will take about ")
    minutes = float(re.findall(r"about (\d+) minutes", line)[0])
    # 5 minutes if sleeping were all; a process that is kept waiting wakes late
    assert 5 <= minutes < 10


@pytest.mark.slow
def test_interim_sizes_share_one_estimate(
    tmp_path: Path, said: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The estimate is written before the 32nd replicate, the first interim size, and not again after it."""
    use_fake_engine(monkeypatch)
    monkeypatch.setattr(estimate, "_SECONDS_OF_WORK", 0.0)
    monkeypatch.setattr(estimate, "SHORTEST_ANNOUNCED", 0.0)
    outcome = sweep(study(), tmp_path, jobs=1, replicates=100, precision=1e-6)
    assert outcome.complete == 100
    assert said == ["100 replicates will take at most about 10 seconds"]


@pytest.mark.slow
def test_the_command_line_shows_it(tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    use_fake_engine(monkeypatch)
    interrupt_after_the_estimate(monkeypatch)
    monkeypatch.setattr(estimate, "_SECONDS_OF_WORK", 0.0)
    file = write_study(tmp_path, "slow", replicates="100_000")
    status, _, stderr = run("run", file, "--out", tmp_path / "out", "--jobs", "1")
    assert status == 130
    (said,) = re.findall(r"^100000 replicates will take about .*", stderr, re.MULTILINE)
    assert re.fullmatch(r".* \d+ (seconds|minutes|hours)", said)


@pytest.mark.slow
def test_a_grid_has_one_estimate_for_all_its_points(tmp_path: Path, run: Run) -> None:
    text = write_study(tmp_path, replicates="1_000_000").read_text()
    file = tmp_path / "grid.toml"
    file.write_text(text.replace("linear(0.1, 0.7)", "linear(0.1, $top)") + "\n[grid]\ntop = [0.5, 0.7]\n")
    _, _, stderr = run("run", file, "--out", tmp_path / "out", "--time-limit", "0.1", "--jobs", "1")
    assert len(re.findall(r"^2 points will take about \d+ (minutes|hours)$", stderr, re.MULTILINE)) == 1
    bounded = tmp_path / "bounded.toml"
    bounded.write_text("precision = 1e-9\n" + file.read_text())
    _, _, stderr = run("run", bounded, "--out", tmp_path / "other", "--time-limit", "0.1", "--jobs", "1")
    assert (
        len(re.findall(r"^2 points will take at most about \d+ (minutes|hours)$", stderr, re.MULTILINE)) == 1
    )


@pytest.mark.slow
def test_a_grid_is_estimated_by_what_it_has_still_to_do(
    tmp_path: Path, said: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    use_fake_engine(monkeypatch)
    fields = {"scorers": {"slow": "constant($p)"}, "measures": ["nDCG"], "n": [10], "replicates": 2400}
    grid = grid_of({"p": [0.1, 0.2, 0.3]}, fields)
    sweep_grid(grid, tmp_path, jobs=1, replicates=2)  # 0.1 s each
    assert said == []
    # 120 s each: 6 minutes if sleeping were all; a process that is kept waiting wakes late
    sweep_grid(grid, tmp_path / "whole", jobs=1, time_limit=0.1)
    assert 6 <= float(re.findall(r"^3 points will take about (\d+) minutes", said[-1])[0]) < 12
    # the first point has been begun
    sweep_grid(grid, tmp_path / "whole", jobs=1, time_limit=0.1)
    assert 4 <= float(re.findall(r"^2 points will take about (\d+) minutes", said[-1])[0]) < 8
