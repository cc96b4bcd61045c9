from __future__ import annotations

import re
import time

import pytest

from ndcg_asymptotics.sweep import progress


def test_without_a_terminal_there_are_plain_lines(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    now = 100.0
    monkeypatch.setattr(time, "monotonic", lambda: now)
    with progress.for_stderr() as lines:
        lines.begin(100, 20)
        now = 103.0
        lines.advance(3, 20, 22)  # too soon for a line
        now = 120.0
        lines.advance(37, 23, 59)
        lines.say("replicate 61 failed")
        now = 140.0
        lines.advance(40, 60, 99)
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.splitlines() == [
        "20 of 100 replicates are complete",
        "60 of 100 replicates, 2/s, 20 s left, last block 23-59",
        "replicate 61 failed",
        "100 of 100 replicates, 2/s, 0 s left, last block 60-99",
    ]


def test_on_a_terminal_there_is_a_bar(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "120")
    with progress.Bar() as bar:
        bar.begin(100, 20)
        bar.advance(30, 20, 49)
        bar.say("a [very] long line " * 10)
    said = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", capsys.readouterr().err)
    assert "a [very] long line " * 10 in said
    assert "50/100" in said
    assert "block 20-49" in said
    assert re.search(r"\d/s", said)
