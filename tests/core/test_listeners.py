"""Who listens to work that takes a while: silent about what is quick, then bars or lines."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from typing import Any

import pytest

from ndcg_asymptotics.core.progress import listening, say, task, tracked
from ndcg_asymptotics.core.progress.listeners import _BETWEEN_LOOKS, Bars, Lines, Notebook

Wait = Callable[[float], None]


@pytest.fixture
def wait(monkeypatch: pytest.MonkeyPatch) -> Wait:
    """A clock that goes on when it is told to."""
    now = 100.0
    monkeypatch.setattr(time, "monotonic", lambda: now)

    def on(seconds: float) -> None:
        nonlocal now
        now += seconds

    return on


def test_work_is_told_and_nobody_need_listen() -> None:
    told: list[tuple[object, ...]] = []

    class Listener:
        def begin(self, task: int, what: str, total: int | None, done: int) -> None:
            told.append((what, total, done))

        def advance(self, task: int, count: int, note: str) -> None:
            told.append((count, note))

        def end(self, task: int) -> None:
            told.append(("end",))

        def say(self, line: str) -> None:
            told.append((line,))

    with listening(Listener()):
        assert list(tracked("ab", "letters")) == ["a", "b"]
        with task("steps", done=3) as steps:
            steps.advance(2, "a note")
        say("a line")
        with listening(None):
            assert list(tracked("c", "letters")) == ["c"]
    expected = [("letters", 2, 0), (1, ""), (1, ""), ("end",), ("steps", None, 3), (2, "a note"), ("end",)]
    assert told == [*expected, ("a line",)]
    assert list(tracked("ab", "letters")) == ["a", "b"]
    say("to nobody")
    assert len(told) == len(expected) + 1


def test_without_a_terminal_there_are_plain_lines(capsys: pytest.CaptureFixture[str], wait: Wait) -> None:
    with listening(Lines()), task("replicates", 100, 20) as replicates:
        wait(3)
        replicates.advance(3, "block 20-22")  # too soon for a line
        wait(17)
        replicates.advance(37, "block 23-59")
        say("replicate 61 failed\x1b")
        with task("steps") as steps:
            wait(20)
            steps.advance(10)
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.splitlines() == [
        "replicates: 20 of 100 are there",
        "replicates: 60 of 100, 2/s, 20 s left, block 23-59",
        "replicate 61 failed\\x1b",
        "steps: 10, 0.5/s",
    ]


def plain(text: str) -> str:
    return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", text)


def test_on_a_terminal_there_is_a_bar(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "120")
    monkeypatch.setattr("ndcg_asymptotics.core.progress.listeners._PATIENCE", 0.2)
    with listening(Bars()), task("replicates", 100, 20) as replicates:
        replicates.advance(30, "block 20-49 [red]")
        assert capsys.readouterr().err == ""  # whoever is quick needs no bar
        time.sleep(0.6)  # a long piece is seen before it is done
        say("a [very] long line " * 10)
    said = plain(capsys.readouterr().err)
    assert "a [very] long line " * 10 in said
    assert "50/100" in said
    assert "block 20-49 [red]" in said
    assert re.search(r"\d/s", said)


def test_quick_work_shows_no_bar(capsys: pytest.CaptureFixture[str]) -> None:
    with listening(Bars()):
        list(tracked(range(10), "quick"))
        say("a line")
    assert capsys.readouterr().err == "a line\n"


def test_in_a_notebook_there_is_a_bar(monkeypatch: pytest.MonkeyPatch, wait: Wait) -> None:
    display = pytest.importorskip("IPython.display")
    shown: list[str] = []

    class Handle:
        def update(self, found: Any) -> None:
            shown.append(found.data)

    def first(found: Any, display_id: bool) -> Handle:
        shown.append(found.data)
        return Handle()

    monkeypatch.setattr(display, "display", first)
    with listening(Notebook()), task("<checks>", 4) as checks:
        checks.advance()
        assert shown == []
        wait(10)
        checks.advance()
        checks.advance()  # too soon after the last look
        wait(_BETWEEN_LOOKS)
        checks.advance()
    assert shown == [
        '<progress value="2" max="4"></progress> &lt;checks&gt;: 2 of 4, 0.2/s, 10 s left',
        '<progress value="4" max="4"></progress> &lt;checks&gt;: 4 of 4, 0.392/s, 0 s left',
        "",
    ]


@pytest.mark.slow
def test_a_notebook_needs_nobody_to_be_told() -> None:
    manager = pytest.importorskip("jupyter_client.manager")
    kernel, client = manager.start_new_kernel(kernel_name="python3")
    shown: list[str] = []
    try:
        code = (
            "import time\nfrom ndcg_asymptotics.core.progress import listeners, tracked\n"
            "listeners._PATIENCE = 0\nfor x in tracked(range(2), 'steps'): time.sleep(0.3)"
        )
        client.execute_interactive(
            code,
            timeout=60,
            output_hook=lambda message: shown.append(message["content"].get("data", {}).get("text/html")),
        )
    finally:
        client.stop_channels()
        kernel.shutdown_kernel(now=True)
    bars = [text for text in shown if text]
    assert '<progress value="0" max="2">' in bars[0]
    assert '<progress value="2" max="2">' in bars[-1]
    assert shown[-1] is None  # the kernel's word that it is idle; before it, the bar is taken away
    assert shown[-2] == ""
