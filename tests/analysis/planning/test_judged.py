"""What `plan` says of a judge, against lists that are drawn item by item here."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

import numpy as np
import pytest

from ndcg_asymptotics.analysis.planning.curves import Experiment
from ndcg_asymptotics.analysis.planning.judged import Judged, judged
from ndcg_asymptotics.analysis.planning.requirements import Requirements
from ndcg_asymptotics.core.errors import InputError
from ndcg_asymptotics.core.files import Fields
from ndcg_asymptotics.core.tables import Estimate
from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.populations import Curve, Judge, JudgedLabels, Population
from ndcg_asymptotics.studies.relevant import scorer_of
from ndcg_asymptotics.theory.fluctuations import difference_std

Depths = Callable[[np.random.Generator, np.ndarray], np.ndarray]
"""Depths of items with these labels."""


def step(bottom: float, top: float, at: float) -> Depths:
    """Those of the curve that is ``top`` down to the depth 1 - at, and ``bottom`` below."""
    upper = 1 - at
    mass = top * upper + bottom * at

    def draw(rng: np.random.Generator, y: np.ndarray) -> np.ndarray:
        high = rng.random(y.shape) < np.where(y == 1, top * upper / mass, (1 - top) * upper / (1 - mass))
        u = rng.random(y.shape)
        return np.where(high, upper * u, upper + at * u)

    return draw


def roc_power(kappa: float) -> Depths:
    return lambda rng, y: rng.random(y.shape) ** np.where(y == 1, 1 / kappa, 1.0)


def ndcg_at(k: int, labels: np.ndarray, depth: np.ndarray) -> np.ndarray:
    """nDCG@k of lists (lists, n)."""
    discount = 1 / np.log1p(np.arange(1, k + 1))
    ranked = np.take_along_axis(labels, np.argsort(depth, axis=1), 1)[:, :k]
    best = -np.sort(-labels, axis=1)[:, :k] @ discount
    return np.divide(ranked @ discount, best, out=np.zeros(len(labels)), where=best > 0)


def differences(
    pair: tuple[Depths, Depths], truth: np.ndarray, judge: tuple[float, float], k: int, seed: int
) -> tuple[np.ndarray, np.ndarray]:
    """Differences of nDCG@k by the true labels, and by those of a judge."""
    rng = np.random.default_rng(seed)
    fpr, fnr = judge
    said = truth ^ (rng.random(truth.shape) < np.where(truth == 1, fnr, fpr))
    depths = [draw(rng, truth) for draw in pair]
    by = [[ndcg_at(k, labels.astype(float), depth) for depth in depths] for labels in (truth, said)]
    return by[0][0] - by[0][1], by[1][0] - by[1][1]


def said_of(pair: Sequence[str], measure: str, n: int, judge: Judge | Fields | str) -> Judged:
    """What `plan` says of a judge."""
    first, second = Population.of(dict(zip("ab", pair, strict=True))).scorers.values()
    return judged(Experiment(first, second, n, Requirements()), [Measure.parse(measure)], judge)


LISTS, N, K, JUDGE = 12_000, 100, 20, (0.05, 0.2)
SAID = {"fpr": 0.05, "fnr": 0.2}
# the mean of 12,000 differences has a standard error of 0.9% of their deviation; 4.5 of it: probability 7e-6


@pytest.mark.slow
@pytest.mark.parametrize(("n", "k"), [(30, 8), (150, 20)])
def test_queries_of_relevance_curves(n: int, k: int) -> None:
    """The pair is independent given the true label, which is not the same as given the judge's."""
    texts = "step(0.02, 0.9, 0.8)", "step(0.03, 0.86, 0.8)"
    (found,) = said_of(texts, f"nDCG@{k}", n, SAID).rows
    truth = (np.random.default_rng(1).random((LISTS, n)) < 0.196).astype(int)
    true, by_judge = differences((step(0.02, 0.9, 0.8), step(0.03, 0.86, 0.8)), truth, JUDGE, k, 2)
    for mean, drawn in ((found.difference, true), (found.judged_difference, by_judge)):
        assert mean is not None
        assert abs(mean - drawn.mean()) < 4.5 * drawn.std() / LISTS**0.5
    queries = Requirements().lists
    assert found.judged_difference is not None
    assert found.judged_queries is not None
    # standard deviations of 12,000 differences: within 4%, some 5 standard errors, their squares 8%
    needed = queries(found.judged_difference, float(by_judge.std()))
    assert found.judged_queries == pytest.approx(needed, rel=0.08)
    a, b = (f"noisy({text}, 0.05, 0.2)" for text in texts)
    alone = difference_std(a, b, f"nDCG@{k}", [n]).value[0]
    assert queries(found.judged_difference, float(alone)) > 1.2 * needed
    assert found.queries == pytest.approx(queries(found.difference or 0.0, float(true.std())), rel=0.08)
    assert found.worth == pytest.approx(found.judged_queries / (found.queries or 0), rel=0.03)


def test_no_queries_follow_from_a_deviation_that_is_hardly_known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Experiment, "difference", lambda *_: (Estimate(0.03, 1e-9), Estimate(0.0, 0.3)))
    found = said_of(("linear(0.1, 0.5)", "linear(0.2, 0.4)"), "nDCG@10", 20, SAID)
    (row,) = found.rows
    assert row.judged_difference == 0.03
    assert row.wrong_sign is False
    assert (row.queries, row.judged_queries, row.worth) == (None, None, None)
    assert row.reason == "the standard deviation of the differences is known as below 0.3 only"
    assert found.answer == "With a judge of fpr 0.05 and fnr 0.2 the order is right by nDCG@10."


@pytest.mark.slow
@pytest.mark.parametrize("relevant", [1, 3])
def test_queries_of_a_fixed_number_of_relevant_items(relevant: int) -> None:
    texts = [f"relevant({relevant}, roc_power({kappa}))" for kappa in (0.4, 0.45)]
    (found,) = said_of(texts, f"nDCG@{K}", N, SAID).rows
    truth = np.zeros((LISTS, N), int)
    truth[:, :relevant] = 1
    _, by_judge = differences((roc_power(0.4), roc_power(0.45)), truth, JUDGE, K, 3)
    assert found.judged_difference is not None
    assert abs(found.judged_difference - by_judge.mean()) < 4.5 * by_judge.std() / LISTS**0.5
    needed = Requirements().lists(found.judged_difference, float(by_judge.std()))
    assert found.judged_queries == pytest.approx(needed, rel=0.08)
    (other,) = said_of(texts, f"nDCG@{K}", N, "fpr=0.1, fnr=0.2").rows
    assert other.judged_queries != pytest.approx(needed, rel=0.15)


@pytest.mark.slow
def test_a_wrong_sign_and_what_has_none() -> None:
    curves = [
        f"mixture(0.8=relevant(1, roc_power({few})), 0.2=relevant(60, roc_power({many})))"
        for few, many in ((0.25, 0.55), (0.4, 0.4))
    ]
    found = said_of(curves, "nDCG@3", 1000, "fpr=0.01, fnr=0.2")
    signs = {row.measure: row.wrong_sign for row in found.rows}
    assert signs["nDCG@3"]
    assert signs["DCG@3"] is False
    assert "the order by nDCG@3 and nDCG@30 is wrong with any number of queries" in found.answer
    assert "the sign is right by DCG@3 and nDCG." in found.answer
    assert next(row.worth for row in found.rows if row.wrong_sign) is None
    assert "the order is right by nDCG@3." in said_of(curves, "nDCG@3", 1000, "fpr=0, fnr=0.2").answer


@pytest.mark.slow
@pytest.mark.parametrize("measure", ["nDCG", "nDCG@10", "nDCG(power(0.5))@0.2n"])
def test_a_judge_without_errors_changes_nothing(measure: str) -> None:
    a, b = (Curve.parse(text) for text in ("linear(0.1, 0.5)", "linear(0.2, 0.4)"))
    true, kept, errs = (
        difference_std(*pair, measure, [20, 10**6])
        for pair in ((a, b), *((JudgedLabels(a, fpr, 0.0), JudgedLabels(b, fpr, 0.0)) for fpr in (0.0, 0.01)))
    )
    assert np.all(abs(kept.value - true.value) <= kept.error + true.error)
    assert np.all(abs(errs.value - true.value) > errs.error + true.error)


def test_long_lists_of_curves() -> None:
    """The first items of two long lists are two items, whose reported labels are independent."""
    texts = "linear(0.1, 0.5)", "linear(0.2, 0.4)"
    row, short = (said_of(texts, "DCG(zipf)@1", n, SAID).rows[0] for n in (10**9, 10))
    assert row.wrong_sign is False
    assert row.judged_difference == pytest.approx(0.75 * 0.1, abs=1e-6)
    p, q = 0.05 + 0.75 * 0.5, 0.05 + 0.75 * 0.4
    assert row.judged_queries == Requirements().lists(0.075, (p * (1 - p) + q * (1 - q)) ** 0.5)
    assert short.judged_queries != row.judged_queries


@pytest.mark.slow
def test_long_lists_of_few_judged_items_have_queries_without_an_order() -> None:
    """Lists of more than 4,096 items are not drawn, and the means and the deviation need no drawing."""
    a, b = (f"noisy(roc_power({kappa}), fpr=0.01, fnr=0.1)" for kappa in (0.3, 0.5))
    first, second = (scorer_of(text, 3, "linear") for text in (a, b))
    (row,) = Experiment(first, second, 10**5, Requirements()).rows([Measure.of("nDCG@10")], {})
    assert row.required_lists is not None
    assert row.wrong is None
    assert "known on lists of up to 4,096 items" in row.reason


@pytest.mark.parametrize(
    ("judge", "said"),
    [
        ("fpr=0.1", "fnr is missing"),
        ("fpr=a, fnr=0.2", 'must be like "fpr=0.05, fnr=0.2"'),
        ("0.1, 0.2", 'must be like "fpr=0.05, fnr=0.2"'),
        ("fpr=0.1, fnr=0.2, kappa=1", "unknown field 'kappa'"),
        (3, "must be a table with fpr and fnr"),
        ({}, "fpr is missing"),
        (Judge(0.1, 0.2, "a", 0.1, 0.5), "a plan takes fpr and fnr"),
    ],
)
def test_what_is_no_pair_of_rates_is_refused(judge: Judge | Fields | str, said: str) -> None:
    with pytest.raises(InputError, match=re.escape(said)):
        said_of(("linear(0.1, 0.5)", "linear(0.2, 0.4)"), "nDCG", 20, judge)


def test_rates_that_say_nothing_and_graded_labels_are_refused() -> None:
    with pytest.raises(InputError, match=r"fpr \+ fnr must be below 1"):
        said_of(("linear(0.1, 0.5)", "linear(0.2, 0.4)"), "nDCG", 20, "fpr=0.5, fnr=0.6")
    graded = [f"graded(2=linear({ends}), 1=constant(0.1))" for ends in ("0.1, 0.2", "0.2, 0.1")]
    with pytest.raises(InputError, match="with the labels 0 and 1"):
        said_of(graded, "nDCG", 20, "fpr=0.1, fnr=0.1")
