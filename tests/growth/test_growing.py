"""Growing lists: every n against plain evaluation, orders of arrival, and i.i.d. theory."""

from __future__ import annotations

import numpy as np
import pytest
from cases import refused, write

import ndcg_asymptotics as na
from ndcg_asymptotics.growth.growing import GrowingLists, grow
from ndcg_asymptotics.growth.outcome import Growth, shown_sizes
from ndcg_asymptotics.lists.pooling import pool_runs
from ndcg_asymptotics.measures import Measure

MEASURES = ["nDCG", "nDCG(zipf)", "nDCG@0.2n", "nDCG@10"]


def collection(queries: int = 6, documents: int = 50, seed: int = 1):
    """Return two runs that each miss some documents, and judgements of most documents."""
    rng = np.random.default_rng(seed)
    runs: dict[str, dict[str, dict[str, float]]] = {"good": {}, "bad": {}}
    qrels: dict[str, dict[str, float]] = {}
    for q in range(queries):
        names = [f"d{i:03}" for i in range(documents + q)]
        labels = rng.choice([0.0, 1.0, 2.0], len(names), p=[0.7, 0.2, 0.1])
        qrels[f"q{q}"] = {d: y for d, y in zip(names, labels, strict=True) if rng.random() < 0.9}
        for run, noise in (("good", 0.5), ("bad", 3.0)):
            scores = np.round(labels + rng.normal(0, noise, len(names)), 1)
            runs[run][f"q{q}"] = {
                d: s for d, s in zip(names, scores.tolist(), strict=True) if rng.random() < 0.9
            }
    return runs, qrels


def test_every_n_agrees_with_a_plain_evaluation():
    runs, qrels = collection()
    documents = pool_runs(runs, qrels)
    keys = np.random.default_rng(2).random(len(documents.documents))
    arrivals = GrowingLists(documents, 40, 1, 0, keys)
    measures = tuple(map(Measure.parse, MEASURES))
    for query, values in arrivals.paths(measures, arrivals.sizes):
        part = list(documents.query_slices())[query]
        labels, order = documents.documents.values[part], np.argsort(keys[part])
        for r in range(2):
            scores = np.maximum(documents.scores[r, part], -1e6)  # not retrieved: below all others
            for n in (1, 7, 40):
                first = order[:n]
                for m, measure in enumerate(measures):
                    expected = measure.evaluate(labels[first], scores[first], ties="stable")
                    assert values[r, m, n - 1] == pytest.approx(expected, abs=1e-10)


def test_means_are_over_the_queries_that_are_long_enough():
    runs, qrels = collection()
    sizes = pool_runs(runs, qrels).sizes
    whole = grow(runs, qrels, MEASURES, orders=3, n=int(sizes.min()))
    assert (whole.left_out, len(whole.queries)) == ((), 6)
    longer = grow(runs, qrels, MEASURES, orders=3, n=int(np.sort(sizes)[2]))
    assert len(longer.queries) == int((sizes >= np.sort(sizes)[2]).sum())
    assert {*longer.queries, *longer.left_out} == set(whole.queries)
    # the draws for a query do not depend on the other queries
    kept = [whole.queries.index(query) for query in longer.queries]
    assert np.array_equal(longer.ndcg[..., : whole.sizes.size], whole.ndcg[kept])
    assert grow(runs, qrels, MEASURES, orders=2).settings["length"] <= int(np.sort(sizes)[1])
    assert whole.mean.shape == (2, 4, whole.sizes.size)
    assert "queries have fewer than" in str(longer)
    frame = whole.to_dataframe()
    assert len(frame) == whole.mean.size
    chosen = (frame.run == "bad") & (frame.measure == str(whole.measures[-1])) & (frame.n == 7)
    (row,) = frame[chosen].to_dict("records")
    assert (row["mean"], row["error"]) == (whole.mean[1, -1, 6], whole.error[1, -1, 6])


@pytest.mark.parametrize(("queries", "least"), [(10, 0.915), (30, 0.938)])
def test_bands_cover_the_mean_more_often_than_those_of_the_bootstrap(queries: int, least: float) -> None:
    """NDCG of a query is near its mean or, in a fifth of the queries, 0."""
    samples, mean = 20_000, 0.8 * 0.6
    rng = np.random.default_rng(queries)
    shape = queries, 1, 1, samples
    values = np.where(rng.random(shape) < 0.2, 0.0, rng.beta(6, 4, shape))
    low, high = Growth(("a",), (Measure.parse("nDCG"),), np.arange(samples), (), values).band()
    # the coverage is 0.924 and 0.945, four standard errors above: P < 1e-4
    assert np.mean((low <= mean) & (mean <= high)) > least
    bootstrap = 1.96 * values.std(axis=0) / np.sqrt(queries)
    assert np.mean(np.abs(values.mean(axis=0) - mean) <= bootstrap) < least


def test_orders_of_arrival():
    run = {"q": {"a": 1.0, "b": 2.0, "c": 3.0, "d": 0.5}}
    qrels = {"q": {"c": 0.0, "a": 1.0, "b": 0.0}}

    def path(**options) -> list[float]:
        return grow({"x": run}, qrels, "nDCG(zipf)", **options).mean[0, 0].round(6).tolist()

    # c, a, b as in the judgements, then d as in the run
    assert path(order="file") == [0.0, 0.5, 0.333333, 0.333333]
    times = {"q": {"a": 1.0, "b": 2.0, "c": 3.0, "d": 4.0}}
    assert path(order="time", times=times) == [1.0, 0.5, 0.333333, 0.333333]
    # random order: a is the first of four documents in a quarter of the orders
    assert path(orders=4000)[0] == pytest.approx(0.25, abs=5 * np.sqrt(0.25 * 0.75 / 4000))
    assert path(orders=3, seed=1) != path(orders=3, seed=2)


def test_a_random_run_tends_to_the_share_of_relevant_documents():
    runs, qrels = collection(queries=30, documents=80)
    grown = grow(runs, qrels, ["nDCG@10"], orders=30, n=70, binary_at=1, random=True)
    assert grown.runs == ("good", "bad", "random")
    # nDCG@10 of a random order tends to p, about 0.27 here; standard error over 30 x 30 lists 0.01
    documents = pool_runs(runs, qrels)
    share = np.mean(documents.documents.values >= 1)
    assert abs(grown.mean[2, 0, -1] - share) < 0.05
    assert grown.mean[0, 0, -1] > share + 0.2
    refused("a run is already called 'random'", grow, {"random": runs["good"]}, qrels, "nDCG", random=True)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"order": "by date"}, "^order: must be one of random, file, time, got 'by date'"),
        ({"order": "time"}, "^times: order 'time' needs times"),
        ({"times": {"q": {"a": 1.0}}}, "^times: order 'time' needs times, and no other order takes them"),
        ({"order": "time", "times": {"q0": {"d000": 1.0}}}, r"^times: \d+ documents have no time, first doc"),
        ({"n": 1000}, "^n: no query has 1000 documents, the longest has 5"),
        ({"groups": 100}, "^groups: must be a number of groups from 1 to "),
        ({"pool": "all"}, "^pool: must be one of"),
    ],
)
def test_bad_options(options, said):
    runs, qrels = collection()
    refused(said, grow, runs, qrels, "nDCG", **options)


@pytest.mark.slow
def test_iid_theory():
    runs, qrels = collection(queries=12, documents=60)
    grown = grow(runs, qrels, ["nDCG", "nDCG(zipf)"], orders=40, n=60, groups=3, random=True, binary_at=1)
    theory = grown.theory
    assert theory.sizes.tolist() == shown_sizes(60) == [10, 20, 60]
    assert theory.pooled.shape == (3, 2, 3)
    assert theory.grouped.shape == (3, 2, 3)
    # a random run has the exact mean of constant curves
    documents = pool_runs(runs, qrels)
    share = float(np.mean(documents.documents.values >= 1))
    expected = na.theory.expected_ndcg(f"constant({share!r})", "nDCG", [10, 20, 60]).value
    np.testing.assert_allclose(theory.pooled[2, 0], expected, rtol=1e-9)
    # in a group the random run has the mean share of the group's queries, which are in order of their shares
    parts = sorted((documents.documents.values[part] >= 1 for part in documents.query_slices()), key=np.mean)
    shares = [float(np.concatenate(parts[i : i + 4]).mean()) for i in (0, 4, 8)]
    each = [na.theory.expected_ndcg(f"constant({p!r})", "nDCG", [10, 20, 60]).value for p in shares]
    np.testing.assert_allclose(theory.grouped[2, 0], np.mean(each, axis=0), rtol=1e-9)
    assert np.abs(theory.pooled - theory.grouped).max() > 1e-3
    assert "with a curve for each of 3 groups of queries" in str(grown)
    row = grown.as_dict()["rows"][-1]
    assert (row["pooled"], row["grouped"]) == (theory.pooled[2, 1, 2], theory.grouped[2, 1, 2])


def test_files_and_times(tmp_path):
    run = write(tmp_path, "q Q0 x 1 3 t\nq Q0 y 2 2 t\n", "a.run")
    table = write(tmp_path, "user,item,score\nq,y,1\nq,x,0\n", "b.csv")
    times = write(tmp_path, "query,document,date\nq,x,2001-02-03\nq,y,1999-01-01\n", "times.csv")
    qrels = write(tmp_path, "q 0 x 1\nq 0 y 0\n", "q.qrels")
    by_time = {"order": "time", "times": times}
    grown = grow([run], qrels, "nDCG(zipf)", **by_time)
    assert grown.mean[0, 0].tolist() == [0.0, 1.0]
    assert grown.settings["runs"] == {"a": "a.run"}
    said = r"times\.csv, line 1: got .*no column 'user'"
    refused(said, grow, [table], qrels, "nDCG", **by_time, columns={"query": "user", "document": "item"})
    times.write_text("query,document,date\nq,x,yesterday\n")
    said = r"line 2: got 'q,x,yesterday', expected .* that are numbers or dates"
    refused(said, grow, [run], qrels, "nDCG", **by_time)
