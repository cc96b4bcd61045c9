"""Evaluation, computed by hand and compared with trec_eval, pytrec_eval and scikit-learn."""

from __future__ import annotations

import sys

import numpy as np
import pytest
from cases import refused, write

from ndcg_asymptotics.core.errors import InputError, InputWarning
from ndcg_asymptotics.lists import evaluate
from ndcg_asymptotics.measures import Measure

QRELS = "q1 0 d1 0\nq1 0 d2 2\nq1 0 d3 1\nq2 0 d9 -1\nq3 0 d1 1\n"


RUN = {"q": {"a": 3.0, "b": 2.0, "c": 2.0, "x": 2.0, "d": 1.0}, "none": {"a": 1.0}, "blind": {"z": 1.0}}
JUDGED = {"q": {"b": 2.0, "x": 1.0, "y": 3.0}, "none": {"a": 0.0}, "blind": {"a": 1.0}, "unmet": {"a": 1.0}}
D = 1 / np.log2(np.arange(2, 8))  # D[0] is that of rank 1


def test_measures_by_hand():
    """The order is a, x, c, b, d, of which x and b are relevant; 0.5n and n^0.5 are rounded up to 3."""
    expected = {
        "nDCG(zipf)@2": (1 / 2) / (3 + 2 / 2),
        "nDCG(zipf)@0.5n": (1 / 2) / (3 + 2 / 2 + 1 / 3),
        "nDCG(zipf)@n^0.5": (1 / 2) / (3 + 2 / 2 + 1 / 3),
        "nDCG(linear)": (3 * 1 + 1 * 2) / (4 * 3 + 3 * 2 + 2 * 1),
        "nDCG(constant)@2": 1 / (3 + 2),
    }
    found = evaluate(RUN, JUDGED, [*expected])
    assert (found.queries, found.missing, found.empty) == (("blind", "none", "q"), ("unmet",), ("none",))
    np.testing.assert_allclose(found.values[2], [*expected.values()], rtol=1e-14)
    np.testing.assert_allclose(found.mean, found.values[2] / 3, rtol=1e-14)


def test_conventions_by_hand():
    def values(**options) -> dict[str, float]:
        found = evaluate(RUN, JUDGED, "nDCG", **options)
        return dict(zip(found.queries, found.values[:, 0].tolist(), strict=True))

    # ties by decreasing name: a, x, c, b, d
    judged = 3 * D[0] + 2 * D[1] + D[2]
    assert values()["q"] == pytest.approx((D[1] + 2 * D[3]) / judged, rel=1e-14)
    tied = D[1:4].mean()
    assert values(ties="average")["q"] == pytest.approx(3 * tied / judged, rel=1e-14)
    assert values(ideal="retrieved")["q"] == pytest.approx((D[1] + 2 * D[3]) / (2 * D[0] + D[1]), rel=1e-14)
    exp2 = (D[1] + 3 * D[3]) / (7 * D[0] + 3 * D[1] + D[2])
    assert values(gain="exp2")["q"] == pytest.approx(exp2, rel=1e-14)
    # a query without relevant documents, one with none of them retrieved, and one that is not in the run
    assert {**values(), "q": 0} == {"q": 0, "none": 0.0, "blind": 0.0}
    assert {**values(ideal="retrieved"), "q": 0} == {"q": 0, "none": 0.0, "blind": 0.0}
    assert set(values(empty="skip")) == {"q", "blind"}
    assert np.isnan(values(empty="nan")["none"])
    assert values(missing="zero")["unmet"] == 0.0
    refused(r"^missing: the run lacks 1 of 4 judged .* \(unmet\); drop leaves", values, missing="error")
    counted = {("zero", "drop"): 3, ("zero", "zero"): 4, ("nan", "drop"): 2, ("skip", "zero"): 3}
    for (empty, missing), queries in counted.items():
        mean = evaluate(RUN, JUDGED, "nDCG", empty=empty, missing=missing).mean
        assert mean == pytest.approx(values()["q"] / queries)
    for option in ("gain", "ties", "ideal", "empty", "missing"):
        refused(rf"^{option}: must be one of .*, got 'other'$", values, **{option: "other"})
    with pytest.raises(InputError, match="too large for the label 2000"):
        evaluate({"q": {"a": 1.0}}, {"q": {"a": 2000.0}}, "nDCG", gain="exp2")


def test_negative_labels_are_counted_once(tmp_path):
    qrels = write(tmp_path, QRELS + "q1 0 d7 -2\n", "b.qrels")
    runs = [write(tmp_path, "q1 Q0 d2 1 1 tag\n", f"{name}.run") for name in "ab"]
    with pytest.warns(InputWarning, match=r"b\.qrels: 2 negative labels count as 0") as caught:
        found = evaluate(runs, qrels, "nDCG")
    assert len(caught) == 1
    assert found["a"].mean == pytest.approx(2 / (2 + 1 / np.log2(3)))
    paths = write(tmp_path, "a1 Q0 d 1 1 tag\n", "c.run"), write(tmp_path, QRELS.replace("-1", "1"))
    refused(r"c\.run, .*file: .* no query in common; .* a1, .* q1, q2, q3", evaluate, *paths)


def test_the_report():
    text = str(evaluate({"mine": RUN}, JUDGED, ["nDCG", "nDCG@10"]))
    assert "queries    nDCG  nDCG@10" in text
    missing = "1 of 4 judged queries is not in the run (unmet): not counted; --missing zero counts them as 0"
    assert f"mine: {missing}." in text
    assert "mine: 1 query has no relevant document (none): counted as 0." in text
    assert "(unmet): counted as 0" in str(evaluate(RUN, JUDGED, "nDCG", missing="zero"))
    few = evaluate(RUN, {"q": {"a": 1.0}}, "nDCG")
    assert few.unjudged == ("blind", "none")
    assert "2 queries of the run have no judgements" in str(few)
    frame = evaluate(RUN, JUDGED, ["nDCG"]).to_dataframe()
    assert frame.columns.tolist() == ["run", "query", "nDCG", "judged@10"]
    assert frame["query"].tolist() == ["blind", "none", "q"]


def against_pytrec_eval(run, qrels) -> float:
    """Return the largest difference from pytrec_eval, which runs the code of trec_eval 9."""
    pytrec_eval = pytest.importorskip("pytrec_eval")
    judged = {query: {d: int(label) for d, label in docs.items()} for query, docs in qrels.items()}
    peer = pytrec_eval.RelevanceEvaluator(judged, {"ndcg", "ndcg_cut"}).evaluate(run)
    cutoffs = (5, 10, 15, 20, 30, 100, 200, 500, 1000)
    measures = {"ndcg": Measure()} | {f"ndcg_cut_{k}": Measure.parse(f"nDCG@{k}") for k in cutoffs}
    found = evaluate(run, qrels, list(measures.values()))
    assert set(found.queries) == set(peer)
    expected = [[peer[query][name] for name in measures] for query in found.queries]
    return float(np.abs(found.values - expected).max())


def random_lists(seed: int):
    """Return a run with many ties, some of them in single precision only, and its judgements."""
    rng = np.random.default_rng(seed)
    run, qrels = {}, {}
    for query in range(60):
        n = int(rng.integers(1, 300))
        names = [f"d{i}" * int(rng.integers(1, 5)) + f"-{i}" for i in rng.permutation(2 * n)[:n]]
        scores = rng.integers(-4, 4, n) + 1e-9 * rng.integers(0, 2, n)
        run[f"q{query}"] = dict(zip(names, scores.tolist(), strict=True))
        judged = rng.choice([*names, *(f"other{i}" for i in range(n))], int(rng.integers(1, 2 * n)), False)
        qrels[f"q{query}"] = {str(d): float(max(0, rng.integers(-4, 4))) for d in judged}
    return run, qrels


def test_agrees_with_pytrec_eval_on_random_runs():
    run, qrels = random_lists(1)
    # sums of at most 600 terms: rounding stays below 1e-13
    assert against_pytrec_eval(run, qrels) < 1e-13
    # scores a little apart in single precision are another order, and would be seen
    moved = {q: {d: s + 1e-5 * i for i, (d, s) in enumerate(docs.items())} for q, docs in run.items()}
    found = (evaluate(lists, qrels, "nDCG").values for lists in (run, moved))
    assert float(np.abs(np.subtract(*found)).max()) > 1e-3


def test_evaluation_imports_no_more_than_it_needs(tmp_path):
    import subprocess

    run = write(tmp_path, "q1 Q0 d2 1 1 tag\n", "a.run")
    qrels = write(tmp_path, QRELS.replace("-1", "0"), "b.qrels")
    code = (
        "import sys; from ndcg_asymptotics.cli.main import main\n"
        f"files = ['--run', {str(run)!r}, '--qrels', {str(qrels)!r}]\n"
        "try: main(['evaluate', *files, '--measure', 'nDCG'])\nexcept SystemExit: pass\n"
        "print([m for m in ('xarray', 'scipy', 'numba', 'matplotlib') if m in sys.modules])"
    )
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert said.splitlines()[-1] == "[]"
    assert "0.7602" in said


FOLDS = {
    "one": "2 qid:1 1:3 2:1\n0 qid:1 1:2 2:2\n1 qid:1 1:1 2:3\n",
    "two": "0 qid:2 1:3 2:1\n1 qid:2 1:2 2:2\n0 qid:1 1:3 2:0\n1 qid:1 1:1 2:1\n",
}


def test_several_files_with_labels_have_a_row_each_and_one_of_all_queries(tmp_path):
    paths = [write(tmp_path, text, f"{name}.txt") for name, text in FOLDS.items()]
    options = {"feature": 1, "chance": True}
    found = evaluate(lists=paths, measures=["nDCG", "nDCG@1"], **options)
    assert [*found] == ["one", "two", "all files"]
    single = [evaluate(lists=path, measures=["nDCG", "nDCG@1"], **options) for path in paths]
    together = found["all files"]
    assert np.array_equal(together.values, np.concatenate([one.values for one in single]))
    assert np.array_equal(together.chance[0], np.concatenate([one.chance[0] for one in single]))
    assert together.queries == ("one: 1", "two: 1", "two: 2")
    assert together.judged == 3
    assert [*evaluate(lists=paths[:1], measures="nDCG", **options)] == ["one"]
    refused("a file is given twice", evaluate, lists=[paths[0], paths[0]], measures="nDCG", **options)
    with pytest.raises(InputError, match=r"one\.txt: no line has feature 3; the highest is 2$"):
        evaluate(lists=paths[0], measures="nDCG", feature=3)


def test_ties_that_change_a_mean_are_named():
    rng = np.random.default_rng(5)
    labels = {f"q{q}": {f"d{i}": float(i < 3) for i in range(12)} for q in range(20)}
    tied = {q: {d: float(rng.integers(3)) for d in of_query} for q, of_query in labels.items()}
    apart = {q: {d: s + 1e-3 * rng.random() for d, s in of_query.items()} for q, of_query in tied.items()}
    for measure in ("nDCG", "nDCG@5"):
        found, averaged = (evaluate(tied, labels, measure, ties=ties) for ties in ("trec", "average"))
        assert found.averaged == pytest.approx(averaged.mean, abs=1e-15)
        said = f"is {averaged.mean[0]:.4f} instead of {found.mean[0]:.4f} if ties are averaged"
        assert said in str(found)
        by_file = evaluate(tied, labels, measure, ties="file")
        for other in (averaged, evaluate(apart, labels, measure), by_file):
            assert other.averaged is None
            assert "ties" not in str(other)
    # of two tied documents without a gain the order does not matter
    same = {"q": {"a": 2.0, "b": 1.0, "c": 1.0}}
    assert "ties" not in str(evaluate(same, {"q": {"a": 1.0, "b": 0.0, "c": 0.0}}, "nDCG"))


def test_queries_that_retrieve_themselves_are_named():
    run = {"q1": {"q1": 3.0, "d": 2.0}, "q2": {"d": 2.0, "q2": 1.0}, "q3": {"d": 1.0}}
    found = evaluate(run, {q: {"d": 1.0} for q in run}, "nDCG")
    assert found.own == ("q1",)
    assert "1 query has the query itself as the first document (q1)" in " ".join(str(found).split())
