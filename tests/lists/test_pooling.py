"""Pooled runs, and files of curves fitted to files of runs: one label law, and no partial output."""

from __future__ import annotations

import numpy as np
import pytest
from cases import noisy_runs, refused, write

from ndcg_asymptotics.checks.checking import check
from ndcg_asymptotics.core.errors import InputError
from ndcg_asymptotics.lists import fit, pool_runs
from ndcg_asymptotics.lists.writing import write_qrels, write_run
from ndcg_asymptotics.populations import Population, Relevance
from ndcg_asymptotics.studies import load
from ndcg_asymptotics.sweep import run


@pytest.mark.parametrize("pool", ["retrieved", "judged"])
def test_pooling_agrees_with_a_plain_loop(pool):
    rng = np.random.default_rng(3)
    names = [f"{'x' * int(rng.integers(0, 20))}{i}" for i in range(60)]

    def some(share: float, draw) -> dict[str, dict[str, float]]:
        return {
            q: {d: float(draw()) for d in names if rng.random() < share}
            for q in "abcde"
            if rng.random() < 0.9
        }

    runs = {name: some(0.5, rng.normal) for name in ("one", "two", "three")}
    qrels = some(0.7, lambda: rng.integers(0, 3))
    found = pool_runs(runs, qrels, pool).lists()
    queries = sorted(set(qrels).intersection(*runs.values()))
    for name, scored in runs.items():
        assert [ranked.query for ranked in found[name]] == queries
        for query, ranked in zip(queries, found[name], strict=True):
            documents = set().union(*(r[query] for r in runs.values()))
            documents |= set(qrels[query]) if pool == "judged" else set()
            ordered = sorted(documents)
            assert ranked.scores.tolist() == [scored[query].get(d, -np.inf) for d in ordered]
            assert ranked.labels.tolist() == [qrels[query].get(d, 0.0) for d in ordered]


@pytest.fixture
def files(tmp_path):
    """Write two runs and their qrels, and a CSV file of one of the runs."""
    rng = np.random.default_rng(10)
    labels = {
        str(q): {f"d{d}": float(rng.choice(3, p=[0.6, 0.3, 0.1])) for d in range(30)} for q in range(20)
    }
    runs = noisy_runs(labels, {"good": 0.5, "bad": 3.0}, rng)
    for name, scores in runs.items():
        retrieved = {q: {d: s for d, s in docs.items() if s > -0.5} for q, docs in scores.items()}
        write_run(retrieved, tmp_path / f"{name}.run", name)
    write_qrels(labels, tmp_path / "qrels.txt")
    rows = (f"{q},{s},{labels[q][d]}\n" for q, docs in runs["good"].items() for d, s in docs.items())
    write(tmp_path, "query,score,label\n" + "".join(rows), "good.csv")
    return tmp_path, [tmp_path / "good.run", tmp_path / "bad.run"], tmp_path / "qrels.txt"


def test_fitted_runs_make_a_population(files):
    folder, runs, qrels = files
    written = fit(runs, qrels, out=folder / "curves")
    assert written == [folder / "curves" / "good.csv", folder / "curves" / "bad.csv"]
    texts = {path.stem: f'empirical("{path}")' for path in written}
    population = Population.of({**texts, "random": "random"})
    assert population.gains == (2.0, 1.0)
    good, bad = (population.models[name].mean_gain_at_top for name in ("good", "bad"))
    assert good > bad
    comment, columns, *_ = written[0].read_text().splitlines()
    source = "# run: good.run; qrels: qrels.txt; pool: retrieved; queries: 20; documents: "
    assert comment.startswith(source)
    assert columns == "depth,y=2,y=1"
    # labels can be made binary
    (path,) = fit(runs[:1], qrels, out=folder / "one.csv", binary_at=2)
    assert path == folder / "one.csv"
    assert Relevance.parse(f'empirical("{path}")').gains == (1.0,)
    assert path.read_text().splitlines()[0].endswith("; binary_at: 2")
    # and lists in a table be fitted
    (path,) = fit(lists=folder / "good.csv", out=folder / "curves")
    assert path == folder / "curves" / "good.csv"
    labels = np.array([int(line.split()[3]) for line in qrels.read_text().splitlines()])
    expected = [np.mean(labels == gain) for gain in (2, 1)]
    np.testing.assert_allclose(Relevance.parse(f'empirical("{path}")').masses, expected, atol=1e-12)


def test_a_curve_replaces_no_file_that_is_read(files):
    folder, runs, qrels = files
    before = (folder / "good.csv").read_bytes()
    (folder / "curves").mkdir()
    with pytest.raises(InputError, match=r"out: .*good\.csv: is read; name another folder"):
        fit(lists=folder / "good.csv", out=folder / "curves" / "..")
    rows = qrels.read_text().replace(" 0 d", ",d").replace(" ", ",")
    table = write(folder, "query,document,label\n" + rows, "judged.csv")
    refused(r"out: .*judged\.csv: is read", fit, runs[:1], table, out=table)
    assert (folder / "good.csv").read_bytes() == before
    with pytest.raises(InputError, match=r"out: 'curve as JSON' was removed in version 0\.4: `fit --out"):
        fit(runs[:1], qrels, out=folder / "one.json")


@pytest.mark.slow
def test_fitted_runs_come_with_a_study(files):
    folder, runs, qrels = files
    fit(runs, qrels, out=folder / "curves")
    study = load(folder / "curves" / "study.toml")
    assert str(study.scorers["good"]) == 'empirical("good.csv")'
    assert study.pairs == (("good", "bad"),)
    # the study runs as it is; it is made smaller here to save time
    quick = load(folder / "curves" / "study.toml").with_(n=[5, 20], replicates=200, measures=["nDCG"])
    assert check(run(quick, jobs=1)).agrees
    # fitting one run writes no study
    fit(runs[:1], qrels, out=folder / "alone")
    assert [path.name for path in (folder / "alone").iterdir()] == ["good.csv"]


def test_bad_input_writes_nothing(files):
    folder, runs, qrels = files
    other = write(folder, "nobody 0 d1 1\n", "other.qrels")
    for options, said in (
        ({"runs": []}, "must hold at least one"),
        ({"runs": [runs[0], runs[0]]}, "a file is given twice"),
        ({"pool": "all"}, "pool: must be one of"),
        ({"binary_at": 3}, "no item has a positive label"),
        ({"qrels": other}, r"good\.run.*bad\.run.*other\.qrels.*no query in common"),
    ):
        refused(said, fit, **{"runs": runs, "qrels": qrels, "out": folder / "new"} | options)
        assert not (folder / "new").exists()
    refused("cannot be written", fit, runs, qrels, out=qrels)
