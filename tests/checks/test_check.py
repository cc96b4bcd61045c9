"""Verdicts of check: true theory agrees at the stated error rate, wrong theory and wrong engines do not."""

import numpy as np
import pytest
from cases import LINEAR, refused, results, simulated, study
from scipy import stats

from ndcg_asymptotics.checks.checking import check
from ndcg_asymptotics.checks.mean_tests import nearly_normal
from ndcg_asymptotics.core.tables import Line
from ndcg_asymptotics.measures import Measure, discount
from ndcg_asymptotics.populations import Scorer
from ndcg_asymptotics.results import Results

SIZES = (10, 100, 10_000)
MEASURES = (
    "nDCG",
    "nDCG(power(0.3))",
    "nDCG(zipf)",
    "nDCG(geometric(2))",
    "nDCG@0.2n",
    "nDCG@n^0.5",
)
GRADED = {"graded": "graded(2=power(0, 0.3, 3), 1=linear(0.1, 0.3))"}
GRADED_ROC = "graded(3=roc_power(0.3), 1=roc_binormal(1))"
FEW_MEASURES = ("nDCG", "nDCG(linear)", "nDCG(constant)@15")


@pytest.fixture(scope="module")
def binary() -> Results:
    return simulated(study({"good": LINEAR, "random": "random"}, SIZES, MEASURES, seed=5), 300)


@pytest.fixture(scope="module")
def every_kind(binary: Results) -> list[Results]:
    """Binary and graded labels; 20 relevant items among 25, of which 3000 lists tell means apart by 1%."""
    graded = simulated(study(GRADED, SIZES, ("nDCG", "nDCG@0.2n"), seed=5), 300)
    return [binary, graded, simulated(study("roc_power(0.5)", (25,), FEW_MEASURES, relevant=20), 3000)]


@pytest.mark.slow
def test_true_theory_agrees(every_kind: list[Results]) -> None:
    """Chance of a false alarm 1e-4 for each of the four tables."""
    graded_few = simulated(study(GRADED_ROC, (3, 30), relevant={3: 1, 1: 2}), 1000)
    reports = [*map(check, every_kind), check(graded_few, std="every")]
    for report in reports:
        assert report.agrees
        assert {row.verdict for row in report.rows} == {"agrees"}
    verdicts = {(row.scorer, row.measure): row.verdict for row in reports[0].limits}
    assert verdicts["good", "nDCG(geometric(2))"] == "does not converge"
    assert len(reports[0].rows) == 2 * len(MEASURES) * len(SIZES)


@pytest.mark.slow
@pytest.mark.parametrize("perturb", [0.01, -0.01])
def test_perturbed_theory_disagrees(every_kind: list[Results], perturb: float) -> None:
    for drawn in every_kind:
        report = check(drawn, perturb=perturb)
        assert not report.agrees
        assert any(row.verdict == "disagrees" for row in report.rows)
        assert drawn is every_kind[2] or any(row.verdict == "disagrees" for row in report.limits)
    assert {test.measure for test in report.disagreeing} == {*FEW_MEASURES}


def test_few_relevant_items_are_not_nearly_normal() -> None:
    scorer = Scorer.parse("relevant(5, roc_power(0.5))")
    assert not nearly_normal(scorer, Measure.of("nDCG"), 10**9, 1000)


@pytest.mark.slow
def test_detectable_errors_are_detected(binary: Results) -> None:
    """Errors 1.5 times as large as the detectable ones, which follow from the normal law and from bets."""
    least = check(binary).detectable
    for measure in ("nDCG", "nDCG(zipf)"):
        rows = check(binary, perturb=1.5 * least[measure]).rows
        assert any(row.verdict == "disagrees" for row in rows if row.measure == measure)


@pytest.mark.slow
def test_false_alarms_come_at_the_stated_rate() -> None:
    """200 independent studies of one mean each: z is Student's t, and alarms come at alpha = 0.05 at most.

    The lists are drawn here. Chance that a true study fails: 1e-4 for each of the two tests.
    """
    alpha, n, rng = 0.05, 50, np.random.default_rng(3)
    discount = 1 / np.log1p(np.arange(1, n + 1))
    score = np.sort(rng.random((200, 40, n)))[..., ::-1]
    label = (rng.random(score.shape) < 0.1 + 0.6 * score).astype(float)
    ndcg = (label @ discount / np.cumsum(discount)[label.sum(axis=2).astype(int) - 1])[..., None, None, None]
    found = [check(results(study(LINEAR, (n,)), ndcg=one), alpha=alpha) for one in ndcg]
    z = np.array([one.rows[0].z for one in found], dtype=float)
    alarms = sum(one.rows[0].verdict == "disagrees" for one in found)
    assert stats.kstest(z, "t", (39,)).pvalue > 1e-4
    assert stats.binomtest(alarms, 200, alpha, "greater").pvalue > 1e-4
    # and the same tests reject means that are off by half a standard error, or alarms at 2.5 times the rate
    assert stats.kstest(z + 0.5, "t", (39,)).pvalue < 1e-4
    assert stats.binomtest(27, 200, alpha, "greater").pvalue < 1e-4


def test_degenerate_means() -> None:
    """n = 1: NDCG is 0 or 1; a study that never saw a relevant item is no disagreement by itself."""
    never = np.zeros((100, 1, 1, 1))
    (row,) = check(results(study("constant(0.001)", (1,)), ndcg=never)).rows
    assert row.mcse == 0
    assert row.verdict == "agrees"
    # but it is one if half of the items are relevant
    assert check(results(study("constant(0.5)", (1,)), ndcg=never)).rows[0].verdict == "disagrees"


@pytest.mark.parametrize("measure", ["nDCG(linear)", "DCG(linear)"])
def test_a_mean_of_0_has_no_detectable_error(measure: str) -> None:
    """D(1) = 0 at n = 1, so that every value there is 0."""
    found = check(simulated(study(LINEAR, (1, 10, 100), measure, seed=5), 300))
    least = found.detectable[measure]
    assert 0.005 < least < 0.5
    wrong = check(simulated(study(LINEAR, (1, 10, 100), measure, seed=5), 300), perturb=1.5 * least)
    assert any(row.verdict == "disagrees" for row in wrong.rows)
    assert not check(simulated(study(LINEAR, (1,), measure, seed=5), 300)).detectable


def test_unmet_assumptions_are_reported() -> None:
    (row,) = check(simulated(study("step(0.1, 0.6, 0.7)", (100,), "nDCG(power(0.5))"), 20)).limits
    assert row.verdict == "assumptions not met"
    assert "continuous" in row.explanation


def test_the_first_line_is_green_only_if_every_limit_was_tested() -> None:
    """The first line has the verdict and what was tested; it is green only if every mean and limit was."""
    measures = ["nDCG", 'nDCG(custom("numpy:reciprocal"))']
    tested, not_tested = (check(simulated(study(LINEAR, (100,), m), 20)) for m in (measures[:1], measures))
    for found, words, style, limits in (
        (tested, "Nothing disagrees.", "bold green", "1 of 1 limits"),
        (not_tested, "Nothing that was tested disagrees.", "bold yellow", "1 of 2 limits"),
    ):
        first = next(iter(found.blocks()))
        assert isinstance(first, Line)
        assert first.style == style
        assert first.text.startswith(f"{words} Tested: ")
        assert limits in first.text
    unknown = not_tested.limits[1]
    assert (unknown.verdict, "nothing is known" in unknown.explanation) == ("not tested", True)
    assert {cell.limit for cell in not_tested.by_cell()} > {"- (unknown)"}


@pytest.mark.slow
def test_a_conjectured_limit_is_tested() -> None:
    """The discount 1/log(2 + r), with the limit its author conjectures: 1 is right, 0.9 is not."""
    for conjecture, verdict in ((1.0, "agrees"), (lambda relevance, cutoff: 0.9, "disagrees")):
        slow = discount(lambda r: 1 / np.log(2 + r), name="slow", largest=1e5, limit=conjecture)
        (row,) = check(simulated(study(LINEAR, (100,), [slow]), 20)).limits
        assert (row.theorem, row.verdict) == ("conjectured", verdict)


def test_bad_input(binary: Results) -> None:
    one = results(study(LINEAR, (10,)), ndcg=np.zeros((1, 1, 1, 1)))
    refused("at least 2", check, one)
    refused("alpha", check, binary, alpha=0.0)
    refused("perturb", check, binary, perturb=np.inf)
    refused("std: must be one of few, every", check, binary, std="some")
