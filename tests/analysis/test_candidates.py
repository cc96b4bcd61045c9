"""Runs that hold sampled candidates: the full metric lies within bounds, and is not read off."""

from __future__ import annotations

import itertools
import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cases import Run

import ndcg_asymptotics as na
from ndcg_asymptotics.analysis import Candidates, sampled
from ndcg_asymptotics.core.errors import NotAvailableError
from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.theory.sampled import CandidateRanks

ITEMS, NEGATIVES = 2000, 50


def candidates(ranks: np.ndarray, negatives: int, rng: np.random.Generator) -> dict[str, dict[str, float]]:
    """A run in which the held-out item has these ranks among all items, cut to sampled candidates."""
    found = {}
    for user, rank in enumerate(ranks.tolist()):
        others = np.delete(np.arange(1, ITEMS + 1), rank - 1)
        drawn = rng.choice(others, negatives, replace=False).tolist()
        found[f"u{user}"] = {"held": -float(rank)} | {f"i{place}": -float(place) for place in drawn}
    return found


def some(users: int = 300, seed: int = 1) -> tuple[dict[str, Any], dict[str, Any], dict[str, np.ndarray]]:
    rng = np.random.default_rng(seed)
    ranks = {
        name: 1 + (ITEMS * rng.random(users) ** power).astype(int) for name, power in (("a", 3), ("b", 2))
    }
    runs = {name: candidates(of, NEGATIVES, rng) for name, of in ranks.items()}
    return runs, {f"u{user}": {"held": 1} for user in range(users)}, ranks


def full(ranks: np.ndarray, measure: str) -> float:
    """By the definitions of NDCG with one relevant item."""
    if measure == "nDCG(zipf)":
        return float((1 / ranks).mean())
    gains = 1 / np.log2(1 + ranks)
    return float((gains * (ranks <= 10) if "@10" in measure else gains).mean())


MEASURES = ("nDCG", "nDCG@10", "nDCG(zipf)")


def test_candidates_are_recognised_and_their_metric_is_not_called_full() -> None:
    runs, qrels, ranks = some()
    found = na.sampled(runs, qrels, MEASURES, items=ITEMS)
    assert isinstance(found, Candidates)
    assert (found.negatives, found.users, found.items) == (NEGATIVES, 300, ITEMS)
    for row, (measure, name) in zip(found.rows, itertools.product(MEASURES, ranks), strict=True):
        assert row.low is not None
        assert row.high is not None
        assert row.low <= full(ranks[name], measure) <= row.high
        assert row.low < row.high < row.low + 0.4
    whole = found.rows[0]
    assert whole.high is not None
    assert whole.mean > whole.high  # what would have been called full
    assert "candidates that were sampled. What is measured on them is not the metric" in found.statements[0]
    assert "the bounds overlap" in found.statements[-1]


def test_two_systems_are_told_apart_where_their_bounds_are_apart() -> None:
    rng = np.random.default_rng(5)
    ranks = {"good": np.full(400, 5), "bad": np.full(400, 1500)}
    runs = {name: candidates(of, NEGATIVES, rng) for name, of in ranks.items()}
    found = sampled(runs, {f"u{u}": {"held": 1} for u in range(400)}, "nDCG", items=ITEMS)
    assert found.statements[-1] == "nDCG, all items: good is ahead of bad."


@pytest.mark.slow
@pytest.mark.long
def test_the_bounds_hold_as_often_as_they_say() -> None:
    """Of 40 at 90%: more than 10 miss with a probability of 2e-3. The metric of the candidates often does."""
    rng = np.random.default_rng(7)
    parsed = [Measure.parse(measure) for measure in MEASURES]
    missed, misread = 0, 0
    for _ in range(40):
        true = 1 + (ITEMS * rng.random(60) ** rng.uniform(0.5, 4)).astype(int)
        above = rng.hypergeometric(true - 1, ITEMS - true, NEGATIVES)
        ranks = CandidateRanks(ITEMS, above, np.full(60, NEGATIVES))
        ends = [ranks.full_range(measure, 0.1) for measure in parsed]
        truth = [full(true, measure) for measure in MEASURES]
        missed += any(not low <= value <= high for (low, high), value in zip(ends, truth, strict=True))
        misread += not ends[0][0] <= full(above + 1, "nDCG") <= ends[0][1]
    assert missed <= 10
    assert misread > 10


def test_all_items_as_candidates_leave_the_noise_of_the_band_only() -> None:
    true = np.repeat([1, 4, 20], 4000)
    found = CandidateRanks(30, true - 1, np.full(true.size, 29))
    for measure in MEASURES:
        low, high = found.full_range(Measure.parse(measure), 0.05)
        assert low <= full(true, measure) <= high
        assert high - low < 0.05


def test_users_with_more_candidates_are_thinned_to_the_fewest() -> None:
    """Against every choice of 3 of 5 negatives."""
    found = CandidateRanks(100, np.array([2, 1]), np.array([5, 3]))
    chosen = [sum(place < 2 for place in three) for three in itertools.combinations(range(5), 3)]
    want = np.bincount(chosen, minlength=4) / len(chosen)
    np.testing.assert_allclose(found.law, [want, [0, 1, 0, 0]], atol=1e-14)
    value, error = found.mean(np.array([1.0, 0.0, 0.0, 0.0]))
    assert value == pytest.approx(want[0] / 2)
    assert error == pytest.approx(want[0] / math.sqrt(2) / math.sqrt(2))


def test_ranks_of_no_ranking_are_not_estimated() -> None:
    """Where all items are candidates ranks are known; not all users have half of their negatives above."""
    ranks = CandidateRanks(41, np.repeat([0, 40], 5000), np.full(10_000, 40))
    low, high = ranks.full_range(Measure.parse("nDCG"), 0.05)
    assert low <= (1 + 1 / math.log2(42)) / 2 <= high
    middle = CandidateRanks(
        2000, np.full(20_000, 25), np.full(20_000, 50)
    )  # a constant is no hypergeometric law
    with pytest.raises(NotAvailableError, match="the negatives are not uniform"):
        middle.full_range(Measure.parse("nDCG"), 0.05)


@pytest.fixture
def files(tmp_path: Path) -> list[Path]:
    runs, qrels, _ = some(60)
    for name, run in runs.items():
        lines = (f"{u} Q0 {i} 0 {score} {name}\n" for u, docs in run.items() for i, score in docs.items())
        (tmp_path / name).write_text("".join(lines))
    (tmp_path / "qrels").write_text("".join(f"{user} 0 held 1\n" for user in qrels))
    return [tmp_path / "a", tmp_path / "b", tmp_path / "qrels"]


def test_the_command_takes_candidates_as_such(files: list[Path], run: Run, tmp_path: Path) -> None:
    words = ["sampled", "--run", files[0], "--run", files[1], "--qrels", files[2], "--measure", "nDCG@10"]
    code, out, _ = run(*words, "--items", ITEMS, "--json")
    assert code == 0
    found = json.loads(out)
    assert found["kind"] == "sampled candidates"
    assert "full" not in found["rows"][0]
    code, out, _ = run(*words, "--items", ITEMS)
    assert code == 0
    assert "candidates that were sampled" in " ".join(out.split())
    for option in (("--negatives", 20), ("--replacement",), ("--figures", tmp_path / "figures")):
        code, out, err = run(*words, "--items", ITEMS, *option)
        assert (code, out) == (2, "")
        assert err.startswith(f"ndcg-asymptotics: {option[0]}: ")
    assert isinstance(sampled(files[:2], files[2], "nDCG@10", items=ITEMS), Candidates)


def test_several_relevant_items_are_refused(files: list[Path], run: Run) -> None:
    files[2].write_text(
        files[2].read_text() + f"u3 0 {files[0].read_text().split('u3 Q0 ')[2].split()[0]} 1\n"
    )
    code, _, err = run(
        "sampled", "--run", files[0], "--qrels", files[2], "--measure", "nDCG", "--items", ITEMS
    )
    assert code == 2
    assert "one relevant item per user is expected; user u3 has 2" in err
    assert len(err.splitlines()) == 1


def test_short_lists_that_lack_relevant_items_are_said_to_be_short() -> None:
    """The first 40 of 2,000 items: a ranking that was cut, not a sample."""
    run = {f"u{u}": {f"i{u + place}": -float(place) for place in range(40)} for u in range(5)}
    qrels = {f"u{u}": {f"i{u}": 1, "far": 1} for u in range(5)}
    found = na.sampled({"a": run}, qrels, "nDCG@10", items=ITEMS)
    assert "the lists hold at most 40 of 2,000 items" in found.statements[0]
    assert not any(
        "at most" in said for said in na.sampled({"a": run}, qrels, items=60, negatives=5).statements
    )
