"""Sweeps that are interrupted, told to end, or lose their parent."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from benchmarks.signals import STRIKES, start, strike
from benchmarks.soak import TOML


@pytest.mark.slow
@pytest.mark.parametrize("kind", STRIKES)
def test_what_is_struck_ends_says_so_and_leaves_no_process(kind: str, tmp_path: Path) -> None:
    study = tmp_path / "study.toml"
    study.write_text(TOML)
    outcome, seconds = strike(kind, study, tmp_path / "out", random.Random(3), whole=4.0)
    assert outcome in ("killed", "exit status 130 and one line", "after the end")
    assert seconds < 60
    with start(study, tmp_path / "out") as again:
        assert again.communicate()[0]
    assert again.returncode == 0
