"""Conventions of other programs: the values that they gave, and formulas where a program cannot be run."""

from __future__ import annotations

import numpy as np
import pytest

from ndcg_asymptotics.core.errors import InputError
from ndcg_asymptotics.lists import evaluate
from ndcg_asymptotics.lists.conventions import LIKE

# five lists: with ties, without relevant documents, short, with one score, and without ties
SCORES = {
    "1": [5, 4, 4, 4, 3, 2, 1, 0.5, 0.5, 0.25, 0.125, 0],
    "2": [3, 2, 1, 1, 1, 0.5, 0.25, 0.125, 0.0625, 0, -1, -2],
    "3": [1, 2, 3],
    "4": [1] * 12,
    "5": [12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1],
}
LABELS = {
    "1": [0, 2, 0, 1, 0, 2, 0, 0, 1, 0, 1, 0],
    "2": [0] * 12,
    "3": [2, 0, 1],
    "4": [0, 1, 2, 0, 0, 0, 1, 0, 0, 0, 0, 2],
    "5": [2, 0, 1, 0, 2, 0, 0, 1, 0, 0, 0, 1],
}
NAMES = [f"d{i * 7 % 23:02d}" for i in range(12)]  # their order is not that of the rows
RUN = {query: dict(zip(NAMES, scores, strict=False)) for query, scores in SCORES.items()}
QRELS = {query: dict(zip(NAMES, labels, strict=False)) for query, labels in LABELS.items()}

# NDCG at 3 and 10 of queries 1, 3, 4 and 5 by each program; letor is Eval-Score-4.0.pl of LETOR, and the
# script of the MSLR data sets
VALUES = """
sklearn            3 0.300630513028 0.760187533432 0.283228247829 0.664564956573
sklearn           10 0.563889242432 0.760187533432 0.541862880535 0.783766260351
lightgbm           3 0.350985208063 0.68852888094  0.395144265899 0.649014791937
lightgbm          10 0.594674379556 0.68852888094  0.42316090857  0.801250885524
catboost           3 0.132912991315 0.760187533432 0              0.664564956573
catboost          10 0.518583931649 0.760187533432 0.140748895848 0.783766260351
catboost-exp       3 0.092716398848 0.68852888094  0              0.649014791937
catboost-exp      10 0.50910129119  0.68852888094  0.101330520406 0.801250885524
catboost-position  3 0.1            0.666666666667 0              0.7
catboost-position 10 0.337738619677 0.666666666667 0.058914728682 0.75550660793
lenskit            3 0.431878716894 0.753953169048 0.48842449087  0.568121283106
lenskit           10 0.645347816824 0.753953169048 0.510251907547 0.687861741498
ir_measures        3 0.167717521713 0.760187533432 0.167717521713 0.664564956573
ir_measures       10 0.550327170484 0.760187533432 0.590195140765 0.783766260351
gdeval             3 0.117          0.68853        0.117          0.64901
gdeval            10 0.53251        0.68853        0.5561         0.80125
letor              3 0.4524         0.7232         0.4363         0.5476
letor             10 0.6581         0              0.4556         0.6951
ranx               3 0.335435043427 0.760187533432 0.433543504343 0.664564956573
ranx              10 0.590904269208 0.760187533432 0.46851429692  0.783766260351
recbole            3 0.296081910966 0.919720789148 0.530721273977 0.703918089034
recbole           10 0.5829633124   0.919720789148 0.571619097067 0.74693851779
torchmetrics       3 0.300630509853 0.76018756628  0.283228248358 0.664564967155
torchmetrics      10 0.563889324665 0.76018756628  0.541862905025 0.783766269684
"""
DIGITS = {"gdeval": 5e-6, "letor": 5e-5, "torchmetrics": 1e-7}  # half of the last digit, or single precision


@pytest.mark.parametrize(
    ("program", "like", "options", "of_empty"),
    [
        ("sklearn", "sklearn", {}, 0),
        ("lightgbm", "lightgbm", {}, 1),
        ("lightgbm", "xgboost", {}, 1),
        ("lightgbm", "xgboost", {"empty": "zero"}, 0),
        ("catboost", "catboost", {}, 1),
        ("catboost-exp", "catboost", {"gain": "exp2"}, 1),
        ("catboost-position", "catboost", {}, 1),
        ("lenskit", "lenskit", {}, None),
        ("lenskit", "jarvelin", {}, 0),
        ("ir_measures", "ir_measures", {}, 0),
        ("ir_measures", "trec_eval", {}, 0),
        ("ir_measures", "mteb", {}, 0),
        ("ir_measures", "beir", {}, 0),
        ("gdeval", "gdeval", {}, None),
        ("letor", "letor", {}, 0),
        ("ranx", "ranx", {}, 0),
        ("recbole", "recbole", {}, None),
        ("torchmetrics", "torchmetrics", {}, 0),
    ],
)
def test_values_of_programs(program, like, options, of_empty):
    """Query 2 has no relevant documents; it is left out where ``of_empty`` is None."""
    measure = "nDCG(zipf)" if program == "catboost-position" else "nDCG"
    found = evaluate(RUN, QRELS, [f"{measure}@{k}" for k in (3, 10)], like=like, **options)
    values = dict(zip(found.queries, found.values.tolist(), strict=True))
    assert values.pop("2", [None] * 2) == [of_empty] * 2
    rows = [line.split()[2:] for line in VALUES.splitlines() if line.split()[:1] == [program]]
    expected = np.array(rows, float).T
    np.testing.assert_allclose([*values.values()], expected, rtol=0, atol=DIGITS.get(program, 1e-11))


def test_beir_ignores_documents_with_the_name_of_their_query():
    run = {"q": {"q": 3.0, "a": 2.0, "b": 1.0}, "r": {"q": 2.0, "b": 1.0}}
    qrels = {"q": {"b": 1, "q": 1}, "r": {"b": 1}}
    (of_q,), (of_r,) = evaluate(run, qrels, "nDCG(zipf)", like="beir").values
    assert of_q == pytest.approx((1 / 2) / (1 + 1 / 2), rel=1e-14)  # it stays in the ideal list
    assert of_r == pytest.approx(1 / 2, rel=1e-14)
    of_q = evaluate(run, qrels, "nDCG(zipf)").values[0, 0]
    assert of_q == pytest.approx((1 + 1 / 3) / (1 + 1 / 2), rel=1e-14)


def test_ties_of_long_lists_like_ranx():
    """Of 200 documents with seven scores; quicksort keeps the order of lists up to 15 documents only."""
    run = {"q": {f"d{i}": float(i * i % 7) for i in range(200)}}
    qrels = {"q": {f"d{i}": (i % 5 == 0) + (i % 11 == 0) for i in range(200)}}
    measures, of_ranx = ["nDCG@10", "nDCG@50", "nDCG@100"], [0.142044678005, 0.2366049684, 0.361845873252]
    found = {
        ties: evaluate(run, qrels, measures, like="ranx", ties=ties).values[0] for ties in (None, "file")
    }
    np.testing.assert_allclose(found[None], of_ranx, rtol=0, atol=1e-12)
    assert (np.abs(found["file"] - of_ranx) > 1e-3).all()


def test_a_query_without_results_is_an_error_in_ranx():
    with pytest.raises(InputError, match=r"^missing: the run lacks 1 of 5 judged queries \(5\)"):
        evaluate({q: RUN[q] for q in "1234"}, QRELS, "nDCG", like="ranx")


def test_jarvelin_and_kekalainen_by_hand():
    # base 2: ranks 1 and 2 are not discounted; the ideal list holds all judged documents
    run, qrels = {"q": {"a": 2.0, "b": 1.0, "c": 0.0}}, {"q": {"b": 3, "c": 1, "unseen": 2}}
    (found,) = evaluate(run, qrels, "nDCG", like="jarvelin").values[0]
    log = np.log2
    assert found == pytest.approx((0 + 3 + 1 / log(3)) / (3 + 2 + 1 / log(3)), rel=1e-14)


def test_the_help_names_every_program():
    from ndcg_asymptotics.cli import options

    assert options.LIKE.help.rstrip(".").partition("change: ")[2].split(", ") == list(LIKE)
