"""Names of measures in other programs."""

from __future__ import annotations

import pytest

from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.specs.scanner import SpecError


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("ndcg", "nDCG"),
        ("ndcg_cut_10", "nDCG@10"),
        ("ndcg_cut.5", "nDCG@5"),
        ("NDCG@20", "nDCG@20"),
        ("nDCG(dcg='log2')@10", "nDCG@10"),
        ('nDCG(dcg="log2", judged_only=False)', "nDCG"),
        ("nDCG(cutoff=7)", "nDCG@7"),
        ('nDCG(custom("numpy:reciprocal", 100))@3', 'nDCG(custom("numpy:reciprocal", 100))@3'),
    ],
)
def test_names_that_are_understood(name, expected):
    assert str(Measure.parse(name)) == expected


@pytest.mark.parametrize(
    ("name", "advice"),
    [
        ("nDCG(dcg='exp-log2')@10", "write nDCG@10 with --gain exp2"),
        ("nDCG(gains={0: 0, 1: 5, 2:6})@10", "write nDCG@10 with --gain '0=0, 1=5, 2=6'"),
        ("nDCG(dcg='exp-log2', judged_only=True)", "write nDCG with --gain exp2 --unjudged drop"),
        ("nDCG(dcg='ln')@10", "dcg must be 'log2' or 'exp-log2', got 'ln'"),
        ("ndcg@10-", "write nDCG@10 with --like xgboost --empty zero"),
        ("ndcg_burges@10", "write nDCG@10 with --gain exp2"),
        ("NDCG:top=10", "write nDCG@10 with --like catboost"),
        (
            "NDCG:top=5;type=Exp;denominator=Position",
            r"write nDCG\(zipf\)@5 with --like catboost --gain exp2",
        ),
    ],
)
def test_names_that_are_answered(name, advice):
    with pytest.raises(SpecError, match=f"{advice}$"):
        Measure.parse(name)


@pytest.mark.parametrize(
    "text", ["nDCG(dcg=0.5)@", "nDCG(b=2, dcg='log2')", "pop", "read", "NDCG:" + "aa=" * 40]
)
def test_other_texts_are_left_to_the_grammar(text):
    assert str(Measure.parse("nDCG(power(b=0.5))")) == "nDCG(power(0.5))"
    with pytest.raises(SpecError, match="at position"):
        Measure.parse(text)
