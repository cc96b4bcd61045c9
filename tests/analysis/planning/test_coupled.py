"""Plans for rankers that agree: the promised power on coupled lists, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import t as student

from ndcg_asymptotics.analysis.planning.coupled import Coupled
from ndcg_asymptotics.analysis.planning.curves import Experiment
from ndcg_asymptotics.analysis.planning.findings import PlanRow
from ndcg_asymptotics.analysis.planning.plan import plan
from ndcg_asymptotics.analysis.planning.requirements import Requirements
from ndcg_asymptotics.core.errors import InputError, NotAvailableError
from ndcg_asymptotics.engines.items import engine
from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.populations import Gaussian, Population, Scorer
from ndcg_asymptotics.studies.design import Design
from ndcg_asymptotics.studies.relevant import Relevant, scorer_of

A, B = "linear(0.2, 0.6)", "linear(0.3, 0.5)"


def planned(a: str, b: str, measure: str, n: int, relevant: Relevant | None = None) -> PlanRow:
    """The row of a plan for rankers with the correlation 0.7, without the families of measures."""
    first, second = (scorer_of(text, relevant, "linear") for text in (a, b))
    coupled = Coupled(first, second, Gaussian(0.7), n, (Measure.of(measure),))
    return Experiment(first, second, n, Requirements(), coupled=coupled).rows([Measure.of(measure)])[0]


def power(a: str, b: str, measure: str, n: int, queries: int, tests: int) -> float:
    """Return the share of paired t tests at level 0.05 on lists of coupled rankers that find a ahead."""
    design = Design(Population.of({"a": a, "b": b}, 0.7), (Measure.of(measure),), (n,), seed=77)
    drawn = [engine.simulate_block(design, list(range(i * queries, (i + 1) * queries))) for i in range(tests)]
    d = np.array([one["ndcg"][:, 0, 0, 0] - one["ndcg"][:, 1, 0, 0] for one in drawn])
    statistic = d.mean(axis=1) / d.std(axis=1, ddof=1) * np.sqrt(queries)
    return float(np.mean(statistic > student.ppf(0.975, queries - 1)))


@pytest.mark.slow
@pytest.mark.long
@pytest.mark.parametrize(
    ("b", "measure", "n", "method", "tests"),
    [
        (B, "nDCG@10", 200, "drawn lists", 400),
        ("linear(0.216, 0.584)", "nDCG(linear)", 2000, "formula", 200),
    ],
)
def test_the_promised_power_is_that_of_tests_on_coupled_lists(
    b: str, measure: str, n: int, method: str, tests: int
) -> None:
    row = planned(A, b, measure, n)
    assert row.correlation_method == method
    assert row.required_lists is not None
    assert row.independent_lists is not None
    found = power(A, b, measure, n, row.required_lists, tests)
    # 4 standard errors of a share, a false alarm in 15,000 tests; 0.03 for the interval of the number of
    # queries and for whole queries
    room = 4 * np.sqrt(0.16 / tests) + 0.03
    assert abs(found - 0.8) < room
    # the number for independent rankers is not that with which these have 80% power
    assert power(A, b, measure, n, row.independent_lists, tests // 4) > 0.8 + room


@pytest.mark.slow
def test_formula_and_drawn_lists_give_one_number() -> None:
    measure = Measure.of("nDCG(power(0.2))")
    pair = Coupled(Scorer.of(A), Scorer.of(B), Gaussian(0.7), 4000, (measure,))
    formula, drawn = pair.agreement(measure), pair.drawn[measure]
    assert formula.method == "formula"
    # twice the half-width of a 95% interval: a false alarm in 10,000 tests
    assert abs(formula.sd - drawn.sd) < formula.sd.error + 2 * drawn.sd.error
    assert (
        abs(formula.correlation - drawn.correlation) < formula.correlation.error + 2 * drawn.correlation.error
    )
    other = Coupled(Scorer.of(A), Scorer.of(B), Gaussian(0.6), 4000, (measure,)).agreement(measure)
    assert abs(other.sd - drawn.sd) > other.sd.error + 2 * drawn.sd.error


@pytest.mark.slow
def test_rankers_that_agree_need_fewer_queries_in_words_and_rows() -> None:
    found = plan(A, B, ["nDCG", "nDCG@10"], n=1000, coupling="gaussian(0.7)", queries=30)
    independent = plan(A, B, ["nDCG", "nDCG@10"], n=1000)
    assert found.coupling == "gaussian(0.7)"
    assert independent.coupling is None
    needed = {row.measure: row.required_lists for row in independent.rows}
    for row in found.rows:
        assert row.independent_lists == needed[row.measure] > row.required_lists
        assert row.required_lists_low <= row.required_lists <= row.required_lists_high
        assert row.required_n is None
        assert row.long_run is None
    assert any("independent given the label would need" in said for said in found.answers)
    assert "coupling gaussian(0.7) given its label" in " ".join(str(found).split())
    assert "would need" not in " ".join(independent.answers)
    assert all(row.correlation is None for row in independent.rows)


def test_no_agreement_is_independence() -> None:
    assert plan(A, B, "nDCG@3", n=50, coupling=0).rows == plan(A, B, "nDCG@3", n=50).rows


@pytest.mark.slow
def test_mixtures_and_fixed_numbers_are_drawn() -> None:
    mixed = (
        "mixture(0.5=linear(0.1, 0.7), 0.5=linear(0, 0.2))",
        "mixture(0.5=constant(0.4), 0.5=constant(0.1))",
    )
    row = planned(*mixed, "nDCG", 500)
    assert row.correlation_method == "drawn lists"
    assert row.required_lists < row.independent_lists
    few = planned("roc_power(0.4)", "roc_power(0.6)", "nDCG@10", 1500, relevant=1)
    assert few.correlation_method == "drawn lists"
    assert few.required_lists < few.independent_lists


def test_long_lists_of_other_measures_are_refused_in_one_line() -> None:
    measure = Measure.of("nDCG@10")
    with pytest.raises(NotAvailableError, match="up to 4,096 documents") as caught:
        Coupled(Scorer.of(A), Scorer.of(B), Gaussian(0.7), 10**6, (measure,)).agreement(measure)
    assert "\n" not in str(caught.value)
    row = planned(A, B, "nDCG@10", 10**6)
    assert row.required_lists is None
    assert "4,096" in row.reason


@pytest.mark.parametrize("rho", [-0.1, 1.1, float("nan"), "gaussian(2)", "copula"])
def test_bad_couplings_name_the_argument(rho: float | str) -> None:
    with pytest.raises(InputError, match=r"^coupling: "):
        plan(A, B, "nDCG", n=50, coupling=rho)
