"""Progress: silent unless asked for and about quick loops, bars on a terminal, fewer in a log."""

from __future__ import annotations

import io
import re
import sys
import time

import pytest
from tqdm.std import tqdm

from ndcg_asymptotics.core.progress import say, show_progress, task, tracked


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The time that tqdm sees, which goes on when a test says so."""
    now = [time.time()]
    monkeypatch.setattr(tqdm, "_time", lambda self: now[0], raising=False)
    monkeypatch.setattr("tqdm.std.time", lambda: now[0])
    return now


def work(clock: list[float]) -> None:
    """20 of 100 are there, 80 follow at two a second."""
    with task("replicates\x1b", 100, 20) as bar:
        for _ in range(40):
            clock[0] += 1
            bar.update(2)


def test_a_loop_yields_its_pieces_and_is_silent_in_a_program(
    capsys: pytest.CaptureFixture[str], clock: list[float]
) -> None:
    assert list(tracked("ab", "letters")) == ["a", "b"]
    assert list(tracked((x for x in "ab"), "letters")) == ["a", "b"]
    work(clock)
    say("a line")
    with show_progress(False):
        work(clock)
        say("a line")
    assert capsys.readouterr() == ("", "")


def test_a_log_gets_a_bar_every_ten_seconds(capsys: pytest.CaptureFixture[str], clock: list[float]) -> None:
    with show_progress():
        work(clock)
        say("replicate 61 failed\x1b")
    said = capsys.readouterr()
    assert said.out == ""
    states = [text.strip() for text in re.split("[\r\n]", said.err) if text.strip()]
    assert [re.search(r"(\d+)/100", state)[1] for state in states[:-1]] == ["40", "60", "80", "100"]
    assert all(state.startswith("replicates\\x1b: ") for state in states[:-1])
    assert states[-1] == "replicate 61 failed\\x1b"


def test_a_terminal_gets_a_bar_that_disappears(monkeypatch: pytest.MonkeyPatch, clock: list[float]) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setenv("COLUMNS", "120")
    with show_progress(), task("replicates", 100, 20) as bar:
        clock[0] += 1
        bar.update(10)
        assert terminal.getvalue() == ""  # nothing for the first two seconds
        clock[0] += 4
        bar.update(20)
        say("a line")
    said = terminal.getvalue()
    assert "replicates:  50%" in said
    assert re.search(r"50/100 .*6.00it/s", said)
    assert "a line\n" in said
    assert said.rpartition("\r")[0].rpartition("\r")[2].strip() == ""  # the bar is wiped out


@pytest.mark.slow
def test_a_notebook_shows_bars_without_being_asked() -> None:
    manager = pytest.importorskip("jupyter_client.manager")
    kernel, client = manager.start_new_kernel(kernel_name="python3")
    shown: list[str] = []
    code = (
        "import time\nfrom ndcg_asymptotics.core import progress\nprogress._DELAY = 0.2\n"
        "for x in progress.tracked(range(6), 'steps'): time.sleep(0.15)"
    )
    try:
        client.execute_interactive(code, timeout=60, output_hook=lambda m: shown.append(str(m["content"])))
    finally:
        client.stop_channels()
        kernel.shutdown_kernel(now=True)
    said = "".join(shown)
    assert "steps" in said
    assert re.search(r"[456]/6", said) or "jupyter-widget" in said
    assert "Warning" not in said
