"""The comparison of sampled with full metrics: every number of negatives by itself, and the command."""

from __future__ import annotations

import json
from pathlib import Path
from statistics import NormalDist

import numpy as np
import pandas as pd
import pytest
from cases import Run

import ndcg_asymptotics as na
from ndcg_asymptotics.analysis import sampled
from ndcg_asymptotics.core.errors import InputError
from ndcg_asymptotics.lists import evaluate
from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.theory.sampled import RankedItems, sampled_ndcg

USERS = list("abcde")
RANKS = {"A": [100] * 5, "B": [40, 40, 8437, 9266, 4482], "C": [212, 2, 743, 5342, 1548]}


def tables(**ranks: list[int]) -> dict[str, dict[str, int]]:
    return {name: dict(zip(USERS, values, strict=True)) for name, values in (ranks or RANKS).items()}


@pytest.mark.parametrize("replacement", [False, True])
def test_crossings_and_enough_are_those_of_every_number_of_negatives(replacement: bool) -> None:
    items, level = 3000, 0.95
    ranks = {"A": [100] * 5, "B": [40, 40, 2500, 2800, 1300], "C": [212, 2, 743, 1600, 500]}
    every = np.arange(1, items)
    found = na.sampled(
        ranks=tables(**ranks), items=items, negatives=50, replacement=replacement, measures="nDCG@10"
    )
    means, errors, values = {}, {}, {}
    for name, of_system in ranks.items():
        ranked = RankedItems.of(USERS, of_system, items)
        mean, variance = sampled_ndcg(ranked, Measure("log", 10), every, replacement=replacement)
        means[name], errors[name], values[name] = mean.mean(axis=1), variance.sum(axis=1) / 25, mean
    crossed = False
    for pair in found.pairs:
        difference = means[pair.a] - means[pair.b]
        signs = np.sign(np.where(np.abs(difference) > 1e-10, difference, 0))
        moved = np.flatnonzero((signs[1:] * signs[:-1]) < 0) + 2
        assert pair.crossings == tuple(moved.tolist())
        crossed |= bool(moved.size)
        for enough, users in ((pair.enough, False), (pair.enough_for_other_users, True)):
            noise = errors[pair.a] + errors[pair.b]
            if users:
                noise = noise + (values[pair.a] - values[pair.b]).var(axis=1, ddof=1) / 5
            with np.errstate(divide="ignore", invalid="ignore"):
                z = np.sign(pair.difference) * difference / np.sqrt(noise)
            bad = every[~(z >= NormalDist().inv_cdf(level))]
            want = None if pair.difference == 0 or bad.max(initial=0) == every[-1] else bad.max(initial=0) + 1
            assert enough == want
    assert crossed


def test_more_negatives_may_be_worse_and_a_statement_says_so() -> None:
    """By nDCG@10 the order is right at m = 30, is wrong from m = 207 to 932, and is right again."""
    users = [f"u{i}" for i in range(40)]
    ranks = {"a": [1, 19, 36], "b": [3, 684, 3]}
    tables = {name: {user: of[i % 3] for i, user in enumerate(users)} for name, of in ranks.items()}
    found = na.sampled(ranks=tables, items=1000, negatives=[30, 990], measures="nDCG@10")
    (pair,) = found.pairs
    assert (pair.crossings, pair.enough) == ((207, 933), 970)
    start = "nDCG@10, m = {}: a sampled result orders a and b as the full metric does with probability "
    assert found.statements == (
        start.format(30)
        + "0.95 or more; for a and b the probability falls below 0.95 at larger m and is back above it from "
        "m = 970 on.",
        start.format(990) + "0.95 or more.",
    )
    assert "from m" in str(found)


@pytest.mark.slow
def test_a_run_has_the_full_metric_of_evaluate_and_gains_nothing_for_what_it_did_not_retrieve() -> None:
    rng = np.random.default_rng(2)
    documents = [f"d{i}" for i in range(60)]
    qrels = {f"q{q}": {d: int(rng.integers(0, 3)) for d in documents[q : q + 8]} for q in range(12)}
    runs = {
        name: {q: {d: float(rng.normal()) for d in rng.choice(documents, 25, replace=False)} for q in qrels}
        for name in ("a", "b")
    }
    measures = ["nDCG", "nDCG@10", "nDCG(zipf)"]
    found = na.sampled(runs, qrels, measures, negatives=[5, 30], gain="exp2")
    assert found.items == 60
    for row in found.rows:
        want = evaluate(runs[row.system], qrels, row.measure, gain="exp2").mean[0]
        assert row.full == pytest.approx(want, abs=1e-12)
        assert row.mean > row.full  # fewer items are above
    assert found.corrected == ()
    short, unknown, *_ = found.statements[6:]  # behind those of three measures at two m
    assert "the lists hold at most 25 of 60 items" in short
    assert "one relevant item for every user" in unknown


@pytest.mark.parametrize("replacement", [False, True])
def test_users_with_catalogues_of_their_own_are_those_of_separate_evaluations(replacement: bool) -> None:
    """The catalogue less the history: five users with 50 to 10,000 items, against each of them alone."""
    own = {"A": [40, 7, 299, 1, 60], "B": [3, 900, 5, 50, 2000]}
    sizes = [300, 1000, 300, 50, 10_000]
    frames = {
        name: pd.DataFrame({"user": USERS, "rank": ranks, "items": sizes}) for name, ranks in own.items()
    }
    options = {"negatives": 30, "measures": ["nDCG", "nDCG@0.1n"], "replacement": replacement}
    found = na.sampled(ranks=frames, **options)
    assert (found.fewest_items, found.items) == (50, 10_000)
    assert "50 to 10000 items" in str(found)
    for name, ranks in own.items():
        alone = [
            na.sampled(ranks={name: {"u": rank}}, items=size, **options)
            for rank, size in zip(ranks, sizes, strict=True)
        ]
        for m, row in enumerate(row for row in found.rows if row.system == name):
            each = [one.rows[m] for one in alone]
            assert row.mean == pytest.approx(np.mean([one.mean for one in each]), abs=1e-10)
            assert row.full == pytest.approx(np.mean([one.full for one in each]), abs=1e-12)
            assert row.sd == pytest.approx(np.sqrt(np.sum([one.sd**2 for one in each])) / 5, abs=1e-9)
    # every estimate with the bias that it has for these users
    for estimated in found.corrected:
        key = estimated.system, estimated.measure
        (full,) = (row.full for row in found.rows if (row.system, row.measure) == key)
        assert estimated.mean - estimated.bias == pytest.approx(full, abs=1e-12)


def test_the_items_of_users_are_a_column_of_the_file(files: list[Path], run: Run) -> None:
    for path in files:
        head, *rows = path.read_text().splitlines()
        rows = [f"{row},{9500 + 100 * i}" for i, row in enumerate(rows)]
        path.write_text("\n".join([f"{head},items", *rows]) + "\n")
    code, out, _ = run(*arguments(files))
    assert code == 0
    assert "5 users, 9500 to 9900 items" in " ".join(out.split())
    code, _, err = run(*arguments(files, "--items", 10_000))
    assert code == 2
    assert "--items: is given, and A has a column of this name" in err
    files[1].write_text(files[1].read_text().replace("9600", "9601"))
    code, _, err = run(*arguments(files))
    assert code == 2
    assert "a user must have as many items in all files, b has 9600 items in A and 9601 in B" in err
    text = files[0].read_text()
    for old, new, words in (
        ("9500", "9500.5", "a number of items must be a whole number, got 9500.5 for user a"),
        ("9500", "50", "ranks must be from 1 to 50 items, user a has one at 100"),
        ("9500", "1", "items must be whole numbers from 2 on, user a has 1"),
        ("a,100,9500", "a,100,9500\na,101,9600", "a user has one number of items, a has 9500 and 9600"),
    ):
        files[0].write_text(text.replace(old, new))
        code, _, err = run(*arguments(files[:1]))
        assert code == 2
        assert words in err
        assert len(err.splitlines()) == 1


def test_equal_systems_have_no_order() -> None:
    found = na.sampled(ranks=tables(A=RANKS["A"], B=RANKS["A"]), items=10_000, negatives=[1, 99])
    assert (found.pairs[0].crossings, found.pairs[0].enough) == ((), None)
    assert "are equal by the full metric" in found.statements[0]


@pytest.fixture
def files(tmp_path: Path) -> list[Path]:
    paths = []
    for name, ranks in RANKS.items():
        paths.append(tmp_path / f"{name}.csv")
        rows = [f"{user},{rank}" for user, rank in zip(USERS, ranks, strict=True)]
        paths[-1].write_text("\n".join(["user,rank", *rows]) + "\n")
    return paths


def arguments(files: list[Path], *further: object) -> list[object]:
    named = [part for path in files for part in ("--ranks", path)]
    return ["sampled", *named, "--measure", "nDCG", *further]


def test_the_command_prints_the_reference_values(files: list[Path], run: Run, tmp_path: Path) -> None:
    options = ("--items", "1e4", "--negatives", "99,500", "--replacement", "--figures", tmp_path / "figures")
    code, out, _ = run(*arguments(files, *options, "--json"))
    assert code == 0
    found = json.loads(out)
    at_99 = {row["system"]: row for row in found["rows"] if row["negatives"] == 99}
    assert at_99["A"].keys() == {"system", "measure", "negatives", "mean", "sd", "full"}
    for system, mean, sd in (("A", 0.7290, 0.0978), ("B", 0.4473, 0.0528), ("C", 0.4600, 0.0395)):
        assert at_99[system]["mean"] == pytest.approx(mean, abs=5e-5)
        assert at_99[system]["sd"] == pytest.approx(sd, abs=5e-5)
    pair = found["pairs"][1]
    assert (pair["a"], pair["b"], pair["measure"]) == ("A", "C", "nDCG")
    assert len(pair["crossings"]) == 1
    assert pair["enough"] > pair["crossings"][0]
    assert {path.name for path in (tmp_path / "figures").iterdir()} == {"sampled-nDCG.png"}
    code, out, _ = run(*arguments(files, "--items", "1e4", "--negatives", "99"))
    assert code == 0
    words = (
        "by the full metric C is ahead of A, but the sampled one puts A ahead on average, however often it is"
    )
    assert words in " ".join(out.split())


def test_a_table_of_user_and_rank_may_have_other_column_names(files: list[Path]) -> None:
    text = files[0].read_text().replace("user,rank", "uid,place")
    files[0].write_text(text)
    options = {"items": 10_000, "columns": {"query": "uid", "rank": "place"}}
    assert sampled(ranks=files[:1], **options).rows[0].full == pytest.approx(0.1502, abs=5e-5)


@pytest.mark.parametrize(
    ("further", "words"),
    [
        ((), "--items: must be given with ranks"),
        (("--items", "0"), "--items: must be a whole number from 2 on, got 0"),
        (("--items", "10000", "--gain", "exp2"), "--gain: is for runs with judgements: ranks have no labels"),
        (("--items", "9000"), "ranks must be from 1 to 9000 items, user d has one at 9266"),
        (("--items", "10000", "--negatives", "10000"), "--negatives: must be whole numbers from 1 to 9999"),
        (
            ("--items", "10000", "--negatives", "10000", "--replacement"),
            "--negatives: must be whole numbers from 1 to 9999",
        ),
        (("--items", "10000", "--negatives", "0"), "--negatives: must be whole numbers from 1"),
        (("--items", "10000", "--negatives", "x"), "must be a whole number"),
        (("--items", "10000", "--level", "1"), "--level: must lie inside (0, 1), got 1.0"),
        (("--items", "10000", "--gamma", "2"), "--gamma: must be above 0 and at most 1, got 2.0"),
        (
            ("--items", "10000", "--qrels", "q"),
            "sampled needs either runs and qrels, or ranks and items",
        ),
    ],
)
def test_bad_options_are_one_line(
    files: list[Path], run: Run, further: tuple[object, ...], words: str
) -> None:
    code, out, err = run(*arguments(files, *further))
    assert (code, out) == (2, "")
    assert words in err
    assert len(err.splitlines()) == 1


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("e,100\n", "", "all systems must have the same users, e is in B but not in A"),
        ("e,100\n", "e,100\ne,200\n", "have as many ranks in all files, e has 2 ranks in A and 1 in B"),
        ("e,100\n", "e,100\ne,100\n", "A: a user's relevant items must have different ranks"),
        ("e,100\n", "e,1.5\n", "a rank must be a whole number, got 1.5 for user e"),
        ("e,100\n", "e,none\n", "A.csv, line 6"),
        ("user,rank", "user,score", "expected a header with the column rank"),
    ],
)
def test_bad_files_are_one_line(files: list[Path], run: Run, old: str, new: str, words: str) -> None:
    files[0].write_text(files[0].read_text().replace(old, new))
    code, _, err = run(*arguments(files, "--items", "10000"))
    assert code == 2
    assert words in err
    assert len(err.splitlines()) == 1


def test_ranks_in_a_data_frame() -> None:
    frame = pd.DataFrame({"user": USERS, "rank": RANKS["B"]})
    options = {"items": 10_000, "negatives": 100}
    given = na.sampled(ranks={"A": dict(zip(USERS, RANKS["A"], strict=True)), "B": frame}, **options)
    assert given.rows == na.sampled(ranks=tables(A=RANKS["A"], B=RANKS["B"]), **options).rows


@pytest.mark.parametrize(
    ("table", "words"),
    [
        (
            pd.DataFrame({"user": USERS, "place": RANKS["A"]}),
            "a: expected a column rank, there are: user, place",
        ),
        ([1, 2], "a: expected a mapping of user to rank or a DataFrame, got"),
        ({}, "a: holds no ranks"),
    ],
)
def test_tables_that_hold_no_ranks(table: object, words: str) -> None:
    with pytest.raises(InputError, match=words):
        na.sampled(ranks={"a": table}, items=10_000)


def test_bad_arguments_in_python() -> None:
    with pytest.raises(InputError, match="needs either runs and qrels, or ranks"):
        na.sampled()
    with pytest.raises(InputError, match=r"a: ranks must be whole numbers, got 1\.5"):
        na.sampled(ranks={"a": {"u": 1.5}}, items=10)
    with pytest.raises(InputError, match="items: is 2, but a list of a has 3 items"):
        na.sampled({"a": {"u": {"x": 1.0, "y": 2.0, "z": 3.0}}}, {"u": {"x": 1}}, items=2)
    runs = {"a": {"u": {"x": 1.0}, "v": {"x": 1.0}}, "b": {"v": {"x": 1.0}}}
    with pytest.raises(InputError, match="u is in a but not in b"):
        na.sampled(runs, {"u": {"x": 1}, "v": {"x": 1}}, items=20)
