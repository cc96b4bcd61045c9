"""Comparisons over many collections: against brute force, by simulation, and what they refuse."""

from __future__ import annotations

import re

import numpy as np
import pytest
from cases import noisy_runs, refused, write
from oracles.paired import permutation_p
from scipy import stats

from ndcg_asymptotics.comparisons import compare
from ndcg_asymptotics.core.errors import InputError
from ndcg_asymptotics.lists import evaluate
from ndcg_asymptotics.lists.values import RunValues
from ndcg_asymptotics.lists.writing import write_qrels, write_run


def values(columns, runs=("a", "b"), measures=("X",)):
    """Return values of two runs whose differences are the columns, (queries, measures)."""
    d = np.asarray(columns, np.float64).reshape(len(columns), -1)
    names = tuple(f"q{i}" for i in range(len(d)))
    return RunValues(runs, names, tuple(measures), np.stack([0.5 + d / 2, 0.5 - d / 2]))


def drawn(sizes, shift=0.0, seed=1):
    rng = np.random.default_rng(seed)
    return {f"c{i}": shift + rng.normal(0, 0.1, size) for i, size in enumerate(sizes)}


def only(gaps, over, **options):
    """Return the one answer about collections with these differences."""
    collections = {name: values(d) for name, d in gaps.items()}
    (row,) = compare(collections=collections, over=over, **options).pairs[0].by_measure[0].overall
    assert row.over == over
    return row


def test_given_collections_by_brute_force():
    """The p-value is that of all 2^12 exchanges within queries, or of Welch's test of the sum of means."""
    gaps = drawn((5, 7), 0.06)
    row = only(gaps, "fixed", level=0.9)
    flat, weight = np.concatenate(list(gaps.values())), np.repeat([1 / 10, 1 / 14], [5, 7])
    welch = stats.ttest_ind(gaps["c0"], -gaps["c1"], equal_var=False)
    low, high = (end / 2 for end in welch.confidence_interval(0.9))
    assert row.difference == pytest.approx(np.mean([d.mean() for d in gaps.values()]), rel=1e-12)
    assert row.p == pytest.approx(max(permutation_p(weight * flat), welch.pvalue), rel=1e-9)
    assert row.low <= low + 1e-12
    assert row.high >= high - 1e-12
    assert row.sign == (row.p < 0.1)


def test_a_sample_of_collections_by_brute_force():
    gaps = drawn((8, 6, 30, 12, 9, 7, 11), 0.05)
    row = only(gaps, "random")
    means = np.array([d.mean() for d in gaps.values()])
    by_t = stats.ttest_1samp(means, 0).pvalue
    assert row.p == pytest.approx(max(permutation_p(means), by_t), rel=1e-9)
    assert row.difference == pytest.approx(means.mean(), rel=1e-12)
    assert row.collections is not None


def test_which_collections_tell_the_runs_apart():
    gaps = {"clear": 0.5 + drawn([40])["c0"], "noisy": drawn([40])["c0"], "equal": np.zeros(10)}
    found = compare(collections={name: values(d) for name, d in gaps.items()})
    clear, noisy, equal = found.pairs[0].by_measure[0].by_collection
    assert (clear.p_corrected < 0.05, clear.sign) == (True, 1)
    assert noisy.p_corrected > 0.05
    assert (equal.interval, equal.p, equal.p_corrected) == (None, 1.0, 1.0)
    assert found.over == ("fixed",)
    text = str(found)
    assert "about these collections only; random, about others like these, takes at least 6 " in text
    assert re.search(r"a has the better mean X in [12] of 3 collections, in 1 of them significantly", text)
    assert "fewer than 50 queries" not in text
    tied = np.where(np.arange(40) < 30, 0.0, gaps["noisy"])
    text = str(compare(collections={"clear": values(gaps["clear"]), "tied": values(tied)}))
    assert "Warning: in tied, with fewer than 50 queries each, two runs have the same value on most " in text


def test_a_leaderboard():
    rng = np.random.default_rng(2)
    collections = {}
    for c in range(6):
        of_runs = np.array([0.0, 0.0, 0.3])[:, None, None] + rng.normal(0.5, 0.1, (3, 30, 1))
        collections[f"c{c}"] = RunValues(("x", "y", "z"), tuple(map(str, range(30))), ("X",), of_runs)
    for over in ("fixed", "random"):
        found = compare(collections=collections, over=over, resamples=999)
        first, *others = found.ranked(0)
        assert (first.run, first.ranks, first.against) == ("z", (1, 1), "->>")
        assert {row.against[1:] for row in others} == {"-·", "·-"}
    found = compare(collections=collections, resamples=999)
    assert list(found.to_dataframe()["over"][:3]) == ["fixed", "random", "c0"]
    assert len(found.to_dataframe()) == 3 * (2 + 6)
    assert list(found.by_query.to_dataframe().columns) == ["collection", "run", "query", "X"]
    assert all(len(line) <= 80 for line in str(found).splitlines() if "─" in line)
    assert "z and y are the first two of 3 runs by X, which tells 2 of 3 pairs apart" in str(found)


def test_collections_are_read_from_a_table(tmp_path):
    rng = np.random.default_rng(4)
    rows = ["collection, qrels, run, path"]
    for c in ("A", "B"):
        folder = tmp_path / c
        folder.mkdir()
        labels = {str(q): {f"d{d}": float(d < 3) for d in range(9)} for q in range(8)}
        write_qrels(labels, folder / "qrels")
        for run in ("old", "new") if c == "A" else ("new", "old"):
            write_run(noisy_runs(labels, {run: 9.0}, rng)[run], folder / f"{run}.run", "t")
            rows.append(f"{c}, {c}/qrels, {run}, {c}/{run}.run")
    table = write(tmp_path, "\n".join(rows), "table.csv")
    found = compare(collections=table, measures=["nDCG@3", "AP"], over="fixed", resamples=99)
    assert (found.runs, found.measures, found.queries) == (("old", "new"), ["nDCG@3", "AP"], (8, 8))
    of_b = found.pairs[0].by_measure[1].by_collection[1]
    folder = tmp_path / "B"
    means = [evaluate(folder / f"{run}.run", folder / "qrels", "AP").mean[0] for run in ("old", "new")]
    assert [of_b.mean_a, of_b.mean_b] == pytest.approx(means)
    assert compare(collections=table, measures="AP", runs=["new", "old"], resamples=99).runs == ("new", "old")
    table.write_text("\n".join([rows[0], *rows[1:4]]))
    with pytest.raises(InputError, match="the same runs: A has old, new, and B has new"):
        compare(collections=table, measures="AP", resamples=99)
    with pytest.raises(InputError, match=r"B: run: there is no old; there are new"):
        compare(collections=table, measures="AP", runs=["old", "new"], resamples=99)
    text = "\n".join(rows)
    for bad, said in (
        (f"{text}\n{rows[1]}", r"table\.csv: A has the run old twice"),
        (text.replace("B/qrels, old", "A/qrels, old"), "B has two files of judgements"),
        (text.replace("B/new.run", "B/no.run"), r"B: .*no\.run: cannot be read"),
        ("collection,run\nA,b", "expected the columns collection, qrels, run, path, found collection"),
        ("collection,qrels,run,path\nA,q,r,", r"table\.csv: line 2: expected the columns .* in every row"),
    ):
        table.write_text(bad)
        refused(said, compare, collections=table)
    refused(r"lower_is_better: is of values", compare, collections=table, lower_is_better=["AP"])


def test_values_of_collections(tmp_path):
    collections = {}
    for c in ("A", "B"):
        lines = [f"q{q},{0.1 * (q % 4)},{0.2 * (q % 5)}" for q in range(10)]
        collections[c] = write(tmp_path, "\n".join(["query,x,y", *lines]), f"{c}.csv")
    found = compare(collections=collections, measures="F1", resamples=99)
    assert (found.runs, found.measures) == (("x", "y"), ["F1"])
    swapped = compare(collections=collections, measures="F1", resamples=99, runs=["y", "x"])
    assert swapped.runs == ("y", "x")
    row, other = (one.pairs[0].by_measure[0].overall[0] for one in (found, swapped))
    assert (row.mean_a, row.mean_b) == pytest.approx((0.1 * 1.3, 0.2 * 2.0))
    assert (other.mean_a, other.p) == (row.mean_b, row.p)
    with pytest.raises(InputError, match="gain: does not belong to collections of values"):
        compare(collections=collections, measures="F1", gain="exp2")
    (tmp_path / "B.csv").write_text("query,x,y\n" + "\n".join([*lines[1:], "q0,,0.1"]))
    with pytest.raises(InputError, match=r"^B: missing: not all runs have values for 1 of 10 queries \(q0\)"):
        compare(collections=collections, measures="F1", missing="error")


@pytest.mark.parametrize(
    ("other", "options", "said"),
    [
        (None, {}, r"collections: must be at least two, got 1"),
        (values(np.ones(4)), {}, "at least 6 queries that all runs answer in each, B has 4"),
        (values(np.ones(8), ("a", "c")), {}, "the same runs: A has a, b, and B has a, c"),
        (values(np.ones(8), measures=("Y",)), {}, "the same measures: A has X, and B has Y"),
        (
            values(np.ones(8)),
            {"over": "random"},
            r"^over: random.* at least 6 collections .*, got 2",
        ),
        (values(np.ones(8)), {"over": "all"}, "over: must be one of fixed, random, both, got 'all'"),
    ],
)
def test_refused(other, options, said):
    collections = {"A": values(np.ones(8)), **({} if other is None else {"B": other})}
    refused(said, compare, collections=collections, **options)
