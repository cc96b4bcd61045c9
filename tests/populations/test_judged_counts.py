"""Lists with a fixed number of relevant items and a judge: texts, populations, and what refuses them."""

from __future__ import annotations

import numpy as np
import pytest
from cases import design

from ndcg_asymptotics.core.errors import InputError, NotAvailableError
from ndcg_asymptotics.engines.engine import check, load_engine
from ndcg_asymptotics.engines.shared.grades import draw_label_counts
from ndcg_asymptotics.populations import JudgedCounts, Population, Scorer, with_relevant
from ndcg_asymptotics.studies.design import resolve
from ndcg_asymptotics.theory import leading_gap, limit

ONE = "relevant(1, noisy(roc_power(0.25), 0.01, 0.2))"


@pytest.mark.parametrize(
    "text",
    [
        ONE,
        "relevant(60, noisy(roc_beta(0.5, 2), fpr=0, fnr=0))",
        f"mixture(0.8={ONE}, 0.2=relevant(6, noisy(roc_beta(1, 2), 0, 0)))",
    ],
)
def test_texts_and_portable_forms_read_back(text: str) -> None:
    scorer = Scorer.parse(text)
    assert Scorer.parse(str(scorer)) == scorer == Scorer.parse(scorer.portable().text)
    assert (scorer.judged, scorer.iid) == (True, False)
    assert scorer.gains == (1.0,)


def test_a_number_may_be_given_apart_from_the_curve() -> None:
    assert str(with_relevant("noisy(roc_power(0.25), 0.01, 0.2)", 1)) == ONE
    law = with_relevant("noisy(roc_power(0.25), 0.01, 0.2)", {1: 0.5, 2: 0.5})
    assert [model.least_n for _, model in law.groups] == [1, 2]
    assert all(model.judged for _, model in law.groups)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("relevant(2, noisy(roc_power(0.4), 0.6, 0.5))", r"fpr \+ fnr < 1"),
        ("relevant(2, noisy(roc_power(0.4), -0.1, 0.5))", "fpr"),
        ("relevant(2=1, 1=3, noisy(graded(2=roc_power(0.4), 1=roc_power(0.5)), 0.1, 0.1))", "no grades"),
        (f"mixture(0.5={ONE}, 0.5=relevant(1, roc_power(0.4)))", "a judge labels either"),
        ("relevant(0, noisy(roc_power(0.4), 0.1, 0.1))", "1 to 1000"),
    ],
)
def test_other_texts_are_refused_in_one_line(text: str, said: str) -> None:
    with pytest.raises(InputError, match=said) as refused:
        Scorer.parse(text)
    assert len(str(refused.value).splitlines()) == 1


def test_the_scorers_of_a_population_share_relevant_items_and_judge() -> None:
    found = Population.of({"a": ONE, "chance": "random"})
    chance = found.scorers["chance"]
    assert isinstance(chance, JudgedCounts)
    assert str(chance) == "relevant(1, noisy(roc_power(1), 0.01, 0.2))"
    for other in (ONE.replace("0.01", "0.02"), ONE.replace("(1,", "(2,"), "relevant(1, roc_power(0.25))"):
        with pytest.raises(InputError, match="share their relevant items and judge"):
            Population.of({"a": ONE, "b": other})


@pytest.mark.parametrize("engine", ["cells", "every-n", "rare"])
def test_engines_that_draw_true_labels_refuse_it(engine: str) -> None:
    with pytest.raises(InputError):
        check(load_engine(engine), design({"a": ONE, "b": "random"}, pairs=[("a", "b")]))
    assert resolve("auto", 100, Population.of({"a": ONE})) == "items"


def test_label_counts_are_those_of_a_judge() -> None:
    """Binomial numbers; 6 standard errors of 3,000 draws, a false alarm in 5e8, and a 5% wrong fpr is 15."""
    of = design(ONE.replace("(1,", "(5,"), sizes=(100, 2000))
    drawn = draw_label_counts(of, range(3000))
    assert (drawn.sum(axis=2) == [100, 1900]).all()
    assert (drawn[:, 0, [0, 2]].sum(axis=1) == 5).all()
    assert not drawn[:, 1, [0, 2]].any()
    means, expected = drawn.mean(axis=0), np.array([[4.0, 0.95], [0.0, 19.0]])
    errors = np.sqrt(np.array([[0.8, 0.95], [0.0, 19.0]]) / 3000)
    assert (np.abs(means[:, :2] - expected) <= 6 * errors).all()
    assert abs(means[1, 1] - 1.05 * 19.0) > 10 * errors[1, 1]


def test_limits_are_those_of_false_alarms() -> None:
    """R of n items do not count in the limit; misses alone multiply that of true labels."""
    assert limit(ONE, "nDCG(zipf)").value == pytest.approx(0.01)
    assert limit(ONE, "nDCG(power(0.5))").value == pytest.approx(0.1)
    assert limit(ONE, "nDCG@10").value is None
    thinned = limit(ONE.replace("0.01", "0"), "nDCG")
    assert thinned.value == 0
    assert thinned.theorem == "Theorem J4, Theorem F1"
    assert leading_gap(ONE, "nDCG") is None
    with pytest.raises(NotAvailableError, match="a judge's labels"):
        Scorer.parse(ONE).model  # noqa: B018
