"""DCG, RBP, the notation of papers and the names of other programs: texts, values, what to write instead."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from cases import refused

from ndcg_asymptotics.measures import Measure


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("DCG", "DCG"),
        ("dcg@10", "DCG@10"),
        ("DCG(zipf)@0.2n", "DCG(zipf)@0.2n"),
        ("RBP(0.8)", "RBP(0.8)"),
        ("rbp( p = .8 )@ 10", "RBP(0.8)@10"),
        ("DCG(rbp(0.8))", "RBP(0.8)"),
        ("nDCG(rbp(0.8))", "nDCG(rbp(0.8))"),
    ],
)
def test_texts(text: str, canonical: str) -> None:
    measure = Measure.parse(text)
    assert str(measure) == canonical
    assert Measure.parse(canonical) == measure
    assert measure.normalised == canonical.startswith("nDCG")


def test_dcg_is_another_measure_than_ndcg() -> None:
    assert Measure("zipf", 10) != Measure("zipf", 10, normalised=False)
    assert len({Measure.parse(text) for text in ("nDCG", "DCG", "RBP(0.5)", "DCG@10", "nDCG@10")}) == 5


def test_rank_biased_precision_by_its_definition() -> None:
    rng = np.random.default_rng(3)
    labels = rng.choice([0.0, 0.5, 1.0], 60)
    for p in (0.5, 0.8, 0.95):
        seen = sum((1 - p) * p**i * y for i, y in enumerate(labels.tolist()))
        assert Measure.parse(f"RBP({p})").evaluate(labels, -np.arange(60.0)) == pytest.approx(seen, rel=1e-13)
    assert Measure.parse("RBP(0.8)@2").evaluate([1, 1, 1], [2.0, 1.0, 0.0]) == pytest.approx(0.36)


CONSTANT = r"^constant needs a cutoff, such as nDCG\(constant\)@10"
FORMULAS = r"1/r, r\^-0.5, 2\^-r|n/5, n\^0.5, sqrt\(n\)"
GAIN = r"write nDCG@10 with --gain exp2, --gain '.*' or --unjudged drop$"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("RR", r"nDCG\(zipf\), with several evaluate and compare compute it with ir_measures"),
        ("MRR@10", r"nDCG\(zipf\)@10, with several evaluate and compare compute it with ir_measures"),
        ("P@10", r"DCG\(constant\)@10 divided by 10"),
        ("recall@100", r"with at most 100 relevant items it is nDCG\(constant\)@100"),
        ("HR@10", r"with one relevant item it is nDCG\(constant\)@10"),
        ("AUC", r"nDCG\(linear\)"),
        ("AP", "theory knows NDCG and DCG, .* evaluate and compare compute it"),
        ("Apple", "expected 'nDCG', 'DCG' or 'RBP'"),
        ("RBP(1)", r"rbp needs 0 < p < 1, got 1"),
        ("RBP(0.5, 2)", "takes 1 argument"),
        ("RBP", "needs 'p'"),
        ("nDCG(b=2, dcg='log2')", "at position"),
        *((text, "at position") for text in ("pop", "read", "ndcg@10-", "NDCG:top=10")),
        ("nDCG(dcg='exp-log2')@10", GAIN),
        ("nDCG(gains={0: 0, 1: 5, 2:6})@10", GAIN),
        ("nDCG(dcg='exp-log2', judged_only=True)", GAIN),
        ("nDCG( judged_only=True )@10", GAIN),
        ('nDCG(custom("nothing:here"))', "No module named 'nothing'"),
        ('nDCG(custom("math:no_such"))', "no attribute 'no_such'"),
        ('nDCG(custom(":f"))', 'needs "module:function"'),
        ('nDCG(custom("math:pi"))', "must be a function of the rank"),
        ('nDCG(custom("math:sqrt"))', "failed at .* ranks .TypeError"),
        ('nDCG(custom("numpy:reciprocal", 1e10))', "largest must be 1 to 1e8, got 10000000000"),
        ('nDCG(custom("numpy:reciprocal", 1e4, "linear"))', "does not depend on the list length, got linear"),
        ("nDCG(constant)", CONSTANT),
        ("nDCG(constant)@1n", CONSTANT),
        ("nDCG(1/log(r))", FORMULAS),
        ("nDCG(r^2)", FORMULAS),
        ("nDCG(1/r^)", FORMULAS),
        ("nDCG@n-5", FORMULAS),
        ("nDCG@n/0", FORMULAS),
        ("nDCG@2sqrt(n)", FORMULAS),
        ("DCG(1/log2(1+r))", FORMULAS),
        *(
            (text.replace("HUGE", number), "needs 0 < |expected a")
            for text in ("nDCG(r^-HUGE)", "nDCG@HUGEn")
            for number in ("9" * 400, "9" * 5000, f"1/{'9' * 5000}", f"{'9' * 400}/{'9' * 400}")
        ),
    ],
)
def test_answers(text: str, said: str) -> None:
    refused(said, Measure.parse, text)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("ndcg", "nDCG"),
        ("ndcg_cut_10", "nDCG@10"),
        ("ndcg_cut.5", "nDCG@5"),
        ("NDCG@20", "nDCG@20"),
        ("nDCG(dcg='log2')@10", "nDCG@10"),
        ('nDCG(dcg="log2")', "nDCG"),
        ('nDCG(custom("numpy:reciprocal", 100))@3', 'nDCG(custom("numpy:reciprocal", 100))@3'),
    ],
)
def test_names_that_are_understood(name, expected):
    assert str(Measure.parse(name)) == expected


# The notation of papers against the formulas that it writes


@pytest.mark.parametrize(
    ("text", "spec", "formula"),
    [
        ("1/r", "nDCG(zipf)", lambda r: 1 / r),
        ("r^-1", "nDCG(zipf)", lambda r: 1 / r),
        ("r^{-0.5}", "nDCG(power(0.5))", lambda r: r**-0.5),
        ("r ^ (-1/2)", "nDCG(power(0.5))", lambda r: r**-0.5),
        ("1/sqrt(r)", "nDCG(power(0.5))", lambda r: r**-0.5),
        ("1/r^2", "nDCG(power(2))", lambda r: r**-2.0),
        ("r^(-1.5/3)", "nDCG(power(0.5))", lambda r: r**-0.5),
        ("r**-.3", "nDCG(power(0.3))", lambda r: r**-0.3),
        ("2^-r", "nDCG(geometric(2))", lambda r: 2.0**-r),
        ("1.5^{−r}", "nDCG(geometric(1.5))", lambda r: 1.5**-r),
        ("1/2^r", "nDCG(geometric(2))", lambda r: 2.0**-r),
        ("1/log(1+r)", "nDCG", lambda r: 1 / math.log(1 + r)),
        ("1/log2(r + 1)", "nDCG", lambda r: 1 / math.log2(1 + r)),
    ],
)
def test_a_discount_is_read_as_its_formula(text: str, spec: str, formula: Callable[[float], float]) -> None:
    measure = Measure.parse(f"nDCG({text})")
    assert str(measure) == spec
    ratios = measure.discount(np.arange(1.0, 9.0)) / [formula(r) for r in range(1, 9)]
    np.testing.assert_allclose(ratios, ratios[0], rtol=1e-14)


@pytest.mark.parametrize(
    ("text", "spec", "formula"),
    [
        ("n/5", "nDCG@0.2n", lambda n: n / 5),
        ("n / 3", "nDCG@0.3333333333333333n", lambda n: n / 3),
        ("1/4 n", "nDCG@0.25n", lambda n: n / 4),
        ("0.5/2 n", "nDCG@0.25n", lambda n: n / 4),
        ("sqrt(n)", "nDCG@n^0.5", math.sqrt),
        ("n^{1/3}", "nDCG@n^0.3333333333333333", lambda n: n ** (1 / 3)),
        ("log n", "nDCG@1log(n)", math.log),
        ("5 ln(n)", "nDCG@5log(n)", lambda n: 5 * math.log(n)),
        ("n/log n", "nDCG@n/log(n)", lambda n: n / math.log(n)),
    ],
)
def test_a_cutoff_is_read_as_its_formula(text: str, spec: str, formula: Callable[[float], float]) -> None:
    measure = Measure.parse(f"ndcg@{text}")
    assert str(measure) == spec
    assert [measure.cutoff(n) for n in (7, 1000, 10**6)] == [
        min(math.ceil(round(formula(n), 9)), n) for n in (7, 1000, 10**6)
    ]


def test_the_cutoff_alone_and_that_of_rbp_have_the_same_notation() -> None:
    assert str(Measure(cutoff="n/5")) == str(Measure(cutoff="0.2 * n")) == "nDCG@0.2n"
    assert str(Measure.parse("RBP(0.8)@log(n)")) == "RBP(0.8)@1log(n)"
