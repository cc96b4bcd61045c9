"""Runs that hold sampled candidates: the full metric lies within bounds."""

from __future__ import annotations

import itertools
import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cases import command, output, refused

from ndcg_asymptotics.core.errors import InputError
from ndcg_asymptotics.lists.writing import write_qrels, write_run
from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.samples import sampled_candidates
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


def test_the_full_metric_lies_within_bounds_and_that_of_the_candidates_does_not() -> None:
    runs, qrels, ranks = some()
    found = sampled_candidates(runs, qrels, MEASURES, items=ITEMS)
    assert (found.negatives, found.users, found.items) == (NEGATIVES, 300, ITEMS)
    for row, (measure, name) in zip(found.rows, itertools.product(MEASURES, ranks), strict=True):
        assert row.low <= full(ranks[name], measure) <= row.high
        assert row.low < row.high < row.low + 0.4
    assert found.rows[0].mean > found.rows[0].high
    assert "the bounds of the full metric overlap" in found.statements[-1]


def test_two_systems_are_told_apart_where_their_bounds_are_apart() -> None:
    rng = np.random.default_rng(5)
    ranks = {"good": np.full(400, 5), "bad": np.full(400, 1500)}
    runs = {name: candidates(of, NEGATIVES, rng) for name, of in ranks.items()}
    found = sampled_candidates(runs, {f"u{u}": {"held": 1} for u in range(400)}, "nDCG", items=ITEMS)
    assert found.statements == ("By nDCG, good is ahead of bad among all items.",)


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
        ranks = CandidateRanks(ITEMS, NEGATIVES, above)
        ends = [ranks.full_range(measure, 0.1) for measure in parsed]
        truth = [full(true, measure) for measure in MEASURES]
        missed += any(not low <= value <= high for (low, high), value in zip(ends, truth, strict=True))
        misread += not ends[0][0] <= full(above + 1, "nDCG") <= ends[0][1]
    assert missed <= 10
    assert misread > 10


def test_all_items_as_candidates_leave_the_noise_of_the_band_only() -> None:
    true = np.repeat([1, 4, 20], 4000)
    found = CandidateRanks(30, 29, true - 1)
    for measure in MEASURES:
        low, high = found.full_range(Measure.parse(measure), 0.05)
        assert low <= full(true, measure) <= high
        assert high - low < 0.05


def test_ranks_of_no_ranking_are_refused() -> None:
    """Where all items are candidates ranks are known; not all users have half of their negatives above."""
    ranks = CandidateRanks(41, 40, np.repeat([0, 40], 5000))
    low, high = ranks.full_range(Measure.parse("nDCG"), 0.05)
    assert low <= (1 + 1 / math.log2(42)) / 2 <= high
    middle = CandidateRanks(2000, 50, np.full(20_000, 25))  # a constant is no hypergeometric law
    refused("the negatives are no uniform sample", middle.full_range, Measure.parse("nDCG"), 0.05)


def test_the_command_bounds_the_metric_of_candidates(tmp_path: Path) -> None:
    runs, qrels, _ = some(60)
    for name, run in runs.items():
        write_run(run, tmp_path / name, name)
    write_qrels(qrels, tmp_path / "qrels")
    words = ["sampled", tmp_path / "a", tmp_path / "b", "--qrels", tmp_path / "qrels", "--items", ITEMS]
    found = json.loads(output(*words, "--measure", "nDCG@10", "--json"))
    assert found["kind"] == "sampled candidates"
    assert found["rows"][0].keys() == {"system", "measure", "mean", "low", "high"}
    said = output(*words, "--measure", "nDCG@10")
    assert "What is measured among candidates is not this metric" in " ".join(said.split())
    for arguments, start in (
        ((*words, "--negatives", 20), "--negatives: "),
        ((*words, "--replacement"), "--replacement: "),
        ((*words, "--ranks", tmp_path / "a"), "--ranks: is in place of runs and judgements"),
        (("sampled", tmp_path / "a", "--items", ITEMS), "sampled needs --ranks, or runs and --qrels"),
    ):
        ended = command(*arguments, "--measure", "nDCG@10")
        assert ended.refused
        assert ended.err.startswith(f"ndcg-asymptotics: {start}")


def test_users_have_one_relevant_item_and_as_many_candidates() -> None:
    for change, words in (
        ({"other": 1.0, "held": None}, "the list of user u3 lacks the relevant item"),
        ({"more": 1.0}, "all lists must have as many candidates"),
    ):
        runs, qrels, _ = some(20)
        changed = runs["a"]["u3"] | change
        runs["a"]["u3"] = {item: score for item, score in changed.items() if score is not None}
        refused(f"^a: {words}", sampled_candidates, runs, qrels, items=ITEMS)
    runs, qrels, _ = some(20)
    several = qrels | {"u3": {"held": 1, "other": 2}}
    refused("one relevant item are expected, user u3 has 2", sampled_candidates, runs, several, items=ITEMS)
    del runs["b"]["u7"]
    with pytest.raises(InputError, match="the same users, u7 is 1 times in a and 0 times in b"):
        sampled_candidates(runs, qrels, items=ITEMS)
    with pytest.raises(InputError, match="a: lists must have 2 to 40 candidates, these have 51"):
        sampled_candidates({"a": runs["a"]}, qrels, items=40)
    with pytest.raises(InputError, match="no user with a relevant item in common"):
        sampled_candidates({"a": runs["a"]}, {"nobody": {"x": 1}}, items=ITEMS)
