"""Sweeps that end when every mean is precise enough."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from cases import refused, study

from ndcg_asymptotics.studies import Study
from ndcg_asymptotics.sweep import run
from ndcg_asymptotics.sweep.sweep import sweep


def precise(**change: object) -> Study:
    return study(n=(10, 50), replicates=500, precision=0.02, **change)


def test_a_sweep_ends_at_the_first_size_that_is_precise_enough() -> None:
    outcome = sweep(precise(), jobs=1)
    found = outcome.precision
    assert found is not None
    assert found.enough
    assert (found.n, found.measure, outcome.complete) == (10, "nDCG", found.replicates)
    values = outcome.sink.results().data["ndcg"].values
    errors = values.std(axis=0, ddof=1) / np.sqrt(len(values))
    assert errors.max() == pytest.approx(found.reached)
    before = values[: len(values) // 2]
    assert before.std(axis=0, ddof=1).max() / np.sqrt(len(before)) > 0.02


def test_the_outcome_says_that_the_largest_size_was_reached() -> None:
    outcome = sweep(precise(), jobs=1, replicates=40)
    assert outcome.precision is not None
    assert not outcome.precision.enough
    assert outcome.complete == 40
    assert "NOT reached after 40 replicates" in str(outcome.precision)


@pytest.mark.slow
def test_a_continued_sweep_gives_the_same_bits(tmp_path: Path) -> None:
    whole = run(precise(), tmp_path / "whole", jobs=1).data
    sweep(precise().with_(precision=None), tmp_path / "parts", jobs=1, replicates=7)
    assert run(precise(), tmp_path / "parts", jobs=2, backend="threading").data.equals(whole)
    more = sweep(precise(), tmp_path / "parts", jobs=1)
    assert more.complete == len(whole["replicate"])


@pytest.mark.parametrize("precision", [0, 1, -1, float("nan"), "x", True])
def test_bad_precisions_are_refused(precision: object) -> None:
    refused("precision: must be a number between 0 and 1", study, precision=precision)
