"""NDCG of random orders against enumeration, and documents that are not judged."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from cases import refused, write
from oracles.discounts import formula

from ndcg_asymptotics.core.errors import InputError, InputWarning
from ndcg_asymptotics.lists import evaluate, fit

MEASURES = ["nDCG", "nDCG(zipf)@3", "nDCG(power(0.5))@0.5n", "nDCG(linear)", "nDCG(constant)@2"]


def moments(measure: str, gains: list[float], ideal: list[float]) -> tuple[float, float]:
    """Mean and standard deviation of NDCG over all orders, each of which is evaluated."""
    D, k = formula(measure, len(gains))
    weights = [D(float(r)) for r in range(1, k + 1)]
    best = sum(w * g for w, g in zip(weights, sorted(ideal, reverse=True), strict=False)) or 1.0
    values = [
        sum(w * g for w, g in zip(weights, order, strict=False)) / best for order in permutations(gains)
    ]
    return float(np.mean(values)), float(np.std(values))


@pytest.mark.parametrize("measure", MEASURES)
@pytest.mark.parametrize("gains", [[2, 0, 1, 0, 0, 1], [3, 0, 0, 0], [1, 2, 4, 8, 16], [1], [1, 1, 1]])
def test_random_orders_against_enumeration(measure, gains):
    names = [f"d{i}" for i in range(len(gains))]
    run = {"q": dict(zip(names, range(len(gains)), strict=True))}
    found = evaluate(
        run, {"q": dict(zip(names, gains, strict=True))}, measure, chance=True, ideal="retrieved"
    )
    mean, std = moments(measure, gains, gains)
    np.testing.assert_allclose([found.chance[0].item(), found.chance[1].item()], [mean, std], atol=1e-14)
    if abs(mean - 1) > 1e-12:
        assert found.adjusted.item() == pytest.approx((found.mean.item() - mean) / (1 - mean), abs=1e-12)
    else:
        assert found.adjusted.item() == 0


def test_chance_follows_the_conventions():
    run = {"empty": {"a": 1.0}, "short": {"a": 1.0, "b": 0.0}}
    qrels = {"empty": {"a": 0}, "short": {"b": 1}}
    for like, chance in (("lightgbm", [1, 0]), ("trec_eval", [0, 0])):
        found = evaluate(run, qrels, "nDCG@1", like=like, chance=True)
        np.testing.assert_allclose(found.chance[0][:, 0], [chance[0], 0.5])
        assert found.chance[1][0].item() == 0
    letor = evaluate(run, qrels, "nDCG@3", like="letor", chance=True)
    assert letor.chance[0].tolist() == letor.chance[1].tolist() == letor.values.tolist() == [[0], [0]]


def test_negative_labels_and_chance(tmp_path):
    run, qrels = {"q": {"a": 2.0, "b": 1.0}}, {"q": {"a": -2, "b": 1, "c": -1}}
    with pytest.raises(InputError, match=r"chance: 2 negative labels have no gain; .* --gain '-2=0"):
        evaluate(run, qrels, "nDCG", chance=True)
    with pytest.raises(InputError, match="chance: 1 negative label has no gain"):
        evaluate(run, qrels, "nDCG", chance=True, gain="-2=0, 1=1")
    named = evaluate(run, qrels, "nDCG", chance=True, gain="-2=0, -1=0, 1=1")  # and no warning
    assert named.chance[0].item() == pytest.approx((1 + 1 / np.log2(3)) / 2)
    with pytest.warns(InputWarning, match="2 negative labels count as 0"):
        evaluate(run, qrels, "nDCG")
    files = write(tmp_path, "q Q0 a 1 2 t\n", "a.run"), write(tmp_path, "q 0 a -1\n", "qrels")
    refused(r"chance: .*qrels: 1 negative label has no gain", evaluate, *files, "nDCG", chance=True)


def test_negative_labels_beside_scores_are_refused(tmp_path):
    """In judgements they are documents that were not judged; a file of labelled lists has none of these."""
    table = write(tmp_path, "query,score,label\na,3,2\na,2,-1\na,1,1\n", "lists.csv")
    letor = write(tmp_path, "2 qid:a 1:3\n-1 qid:a 1:2\n1 qid:a 1:1\n", "letor.txt")
    said = r"1 negative label has no gain; a table such as --gain '-1=0, 0=0, 1=1' says that they count as 0"
    for path, options in (table, {}), (letor, {"feature": 1}):
        refused(f"lists: {path}: {said}", evaluate, lists=path, measures="nDCG", **options)
        named = evaluate(lists=path, measures="nDCG", gain="-1=0, 1=1, 2=2", **options)
        assert named.mean == pytest.approx((2 + 1 / 2) / (2 + 1 / np.log2(3)))
        with pytest.raises(InputError, match="has negative labels; --binary-at 1 makes labels below 1"):
            fit(lists=path, out=tmp_path / "curve.csv", **options)
    (path,) = fit(lists=table, out=tmp_path / "curve.csv", binary_at=1)
    assert path == tmp_path / "curve.csv"


def test_dropping_unjudged_documents():
    run = {"q": {"u": 4.0, "a": 3.0, "v": 2.0, "b": 1.0}, "p": {"u": 1.0}}
    qrels = {"q": {"a": 0, "b": 1}, "p": {"c": 1}}
    refused("unjudged: must be one of zero, drop, got 'skip'", evaluate, run, qrels, "nDCG", unjudged="skip")
    found = evaluate(run, qrels, "nDCG(zipf)", unjudged="drop")
    assert found.values[:, 0].tolist() == [0.0, 0.5]
    condensed = {"q": {"a": 3.0, "b": 1.0}, "p": {"x": 1.0}}
    assert found.values.tolist() == evaluate(condensed, qrels, "nDCG(zipf)").values.tolist()


def test_the_share_of_judged_documents():
    run = {"q": {"a": 5.0, "u": 4.0, "v": 3.0, "b": 3.0, "w": 1.0}, "p": {"c": 1.0}}
    qrels = {"q": {"a": 0, "b": 1}, "p": {"c": 1}, "missing": {"c": 1}}
    found = evaluate(run, qrels, ["nDCG@1", "nDCG(zipf)@3"], missing="zero")
    assert sorted(found.judged_share) == [1, 3, 10]
    shares = {k: of[list(found.queries).index("q")] for k, of in found.judged_share.items()}
    # v and b tie: by decreasing name v is third
    assert shares == pytest.approx({1: 1, 3: 1 / 3, 10: 2 / 5})
    assert found.judged_share[3][list(found.queries).index("p")] == 1
    assert np.isnan(found.judged_share[3][list(found.queries).index("missing")])
    tied = evaluate(run, qrels, "nDCG@3", ties="average").judged_share[3]
    assert tied.tolist() == pytest.approx([1, 1.5 / 3])
    worst = evaluate(run, qrels, "nDCG@3", ties="worst").judged_share[3]
    assert worst.tolist() == pytest.approx([1, 1 / 3])
    assert evaluate(run, qrels, "nDCG", unjudged="drop").judged_share[10].tolist() == [1, 1]


def test_the_report_of_chance_and_shares(tmp_path):
    run = {"q": {"a": 1.0, "b": 2.0}}
    found = evaluate({"mine": run}, {"q": {"a": 1, "c": 0}}, "nDCG@5", chance=True)["mine"]
    assert list(found.columns) == ["nDCG@5", "nDCG@5 chance", "nDCG@5 adjusted", "judged@5", "judged@10"]
    assert found.to_dataframe().shape == (1, 2 + 5)
    said = "mine: only 50% of the first 10 documents are judged; the others count as not relevant."
    assert said in str(found)
    data = found.as_dict()
    assert data["judged_share"] == {"5": 0.5, "10": 0.5}
    mean = (1 + 1 / np.log2(3)) / 2
    assert data["chance"]["mean"] == {"nDCG@5": pytest.approx(mean)}
    assert data["chance"]["std"] == {"nDCG@5": pytest.approx(1 - mean)}
    assert data["chance"]["adjusted"] == {"nDCG@5": pytest.approx(-1.0)}
    # judgements of relevant documents alone have no share, nor have lists, whose rows are all judged
    relevant = evaluate(run, {"q": {"a": 1}}, "nDCG@5")
    assert relevant.judged_share == {}
    assert "judged" not in str(relevant)
    file = write(tmp_path, "query,score,label\nq,2,0\nq,1,1\n")
    assert evaluate(lists=file, measures="nDCG", chance=True).judged_share == {}
