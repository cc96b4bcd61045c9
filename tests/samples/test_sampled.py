"""The comparison of sampled with full metrics: every number of negatives by itself, and the command."""

from __future__ import annotations

from pathlib import Path
from statistics import NormalDist

import numpy as np
import pytest
from cases import refused, write

import ndcg_asymptotics as na
from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.samples import sampled
from ndcg_asymptotics.theory.sampled import metric_of_ranks, sampled_moments

USERS = list("abcde")
RANKS = {"A": [100] * 5, "B": [40, 40, 8437, 9266, 4482], "C": [212, 2, 743, 5342, 1548]}


def tables(**ranks: list[int]) -> dict[str, dict[str, int]]:
    return {name: dict(zip(USERS, values, strict=True)) for name, values in (ranks or RANKS).items()}


@pytest.mark.slow
@pytest.mark.parametrize("replacement", [False, True])
def test_crossings_and_enough_are_those_of_every_number_of_negatives(replacement: bool) -> None:
    items, level = 1000, 0.95
    ranks = {"A": [33] * 5, "B": [13, 13, 833, 933, 433], "C": [71, 1, 248, 533, 167]}
    every = np.arange(1, items)
    found = na.sampled(
        ranks=tables(**ranks), items=items, negatives=50, replacement=replacement, measures="nDCG@10"
    )
    means, errors = {}, {}
    for name, of_system in ranks.items():
        moments = [
            sampled_moments(
                metric_of_ranks(Measure("log", 10), np.arange(1, m + 2), m + 1),
                np.array(of_system),
                items,
                replacement=replacement,
            )
            for m in every.tolist()
        ]
        means[name] = np.array([mean.mean() for mean, _ in moments])
        errors[name] = np.array([variance.sum() / 25 for _, variance in moments])
    crossed = False
    for pair in found.pairs:
        difference = means[pair.a] - means[pair.b]
        signs = np.sign(np.where(np.abs(difference) > 1e-10, difference, 0))
        moved = np.flatnonzero((signs[1:] * signs[:-1]) < 0) + 2
        assert pair.crossings == tuple(moved.tolist())
        crossed |= bool(moved.size)
        with np.errstate(divide="ignore", invalid="ignore"):
            z = np.sign(pair.full) * difference / np.sqrt(errors[pair.a] + errors[pair.b])
        assert pair.right == pytest.approx(NormalDist().cdf(z[49]) if pair.full else 0.0, abs=1e-9)
        assert pair.sampled == pytest.approx(difference[49], abs=1e-12)
        bad = every[~(z >= NormalDist().inv_cdf(level))]
        want = None if pair.full == 0 or bad.max(initial=0) == every[-1] else bad.max(initial=0) + 1
        assert pair.enough == want
    assert crossed


def test_more_negatives_may_be_worse_and_a_statement_says_so() -> None:
    """By nDCG@10 the order is right at m = 30, is wrong from m = 207 to 932, and is right again."""
    users = [f"u{i}" for i in range(40)]
    ranks = {"a": [1, 19, 36], "b": [3, 684, 3]}
    tables = {name: {user: of[i % 3] for i, user in enumerate(users)} for name, of in ranks.items()}
    found = na.sampled(ranks=tables, items=1000, negatives=[30, 990], measures="nDCG@10")
    first, last = found.pairs
    assert {(pair.crossings, pair.enough) for pair in found.pairs} == {((207, 933), 970)}
    assert min(first.right, last.right) >= 0.95
    start = "By nDCG@10, {} sampled negatives show the order of the full metric "
    assert found.statements == tuple(start.format(m) + "with probability 0.95 or more." for m in (30, 990))
    (wrong,) = na.sampled(ranks=tables, items=1000, negatives=500, measures="nDCG@10").statements
    assert wrong.endswith("on average they show b ahead of a, the wrong order, however often they are drawn.")


def test_a_user_may_have_several_lists(tmp_path: Path) -> None:
    rows = [("u", 3), ("u", 40), ("v", 900)]
    file = write(tmp_path, "user,rank\n" + "".join(f"{user},{rank}\n" for user, rank in rows))
    found = na.sampled(ranks=[file], items=1000, negatives=30)
    alone = [na.sampled(ranks={"a": {"u": rank}}, items=1000, negatives=30).rows[0] for _, rank in rows]
    assert found.users == 3
    assert found.rows[0].mean == pytest.approx(np.mean([row.mean for row in alone]), abs=1e-12)
    assert found.rows[0].sd == pytest.approx(np.sqrt(np.sum([row.sd**2 for row in alone])) / 3, abs=1e-12)


def test_an_estimate_has_the_bias_that_it_has_for_these_users() -> None:
    found = na.sampled(ranks=tables(), items=10_000, negatives=[99, 5000])
    for row in found.rows[:3]:
        assert row.bias == pytest.approx(row.estimate - row.full, abs=1e-12)
    assert {row.estimate for row in found.rows[3:]} == {None}
    reason = "nDCG, m = 5000: no estimate of the full metric: the bias-variance estimate is computed for"
    assert sum(statement.startswith(reason) for statement in found.statements) == 1


@pytest.fixture
def files(tmp_path: Path) -> list[Path]:
    paths = []
    for name, ranks in RANKS.items():
        rows = (f"{user},{rank}\n" for user, rank in zip(USERS, ranks, strict=True))
        paths.append(write(tmp_path, "user,rank\n" + "".join(rows), f"{name}.csv"))
    return paths


def test_a_table_of_user_and_rank_may_have_other_column_names(files: list[Path]) -> None:
    text = files[0].read_text().replace("user,rank", "uid,place")
    files[0].write_text(text)
    options = {"items": 10_000, "columns": {"query": "uid", "rank": "place"}}
    assert sampled(ranks=files[:1], **options).rows[0].full == pytest.approx(0.1502, abs=5e-5)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"items": 0}, "items: must be a whole number from 2 to 9e[+]18, got 0"),
        ({"items": 9000}, "ranks must be from 1 to 9000 items, user d has one at 9266"),
        ({"negatives": 10_000}, "negatives: must be a whole number from 1 to 9999"),
        ({"negatives": []}, "negatives: must hold at least one number"),
        ({"level": 1.0}, "level: must lie inside"),
        ({"ranks": {}}, "ranks: must be files, or a mapping"),
        ({"ranks": {"a": [1, 2]}}, "a: expected a file, or a mapping of user to rank, got"),
        ({"ranks": {"a": {}}}, "a: expected a file, or a mapping of user to rank, got"),
        ({"ranks": {"a": {"u": 1.5}}}, r"a: ranks must be whole numbers, got 1\.5 for user u"),
    ],
)
def test_bad_options(options: dict[str, object], words: str) -> None:
    refused(words, na.sampled, **{"ranks": tables(), "items": 10_000} | options)


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("e,100\n", "", "all systems must have the same users, e is 0 times in A and 1 times in B"),
        ("e,100\n", "e,0\n", "A: ranks must be from 1 to 10000 items, user e has one at 0"),
        ("e,100\n", "e,none\n", "A.csv, line 6"),
        ("e,100\n", "e,1.5\n", "A.csv: a rank must be a whole number, got 1.5 for user e"),
        ("user,rank", "user,score", "no column 'rank'"),
    ],
)
def test_bad_files(files: list[Path], old: str, new: str, words: str) -> None:
    files[0].write_text(files[0].read_text().replace(old, new))
    refused(words, na.sampled, ranks=files, items=10_000)
