"""Verdicts: right under the truth at the stated rate, wrong under every mutation."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
import xarray as xr
from scipy import stats

from ndcg_asymptotics.check import Report, check
from ndcg_asymptotics.design import Design
from ndcg_asymptotics.engines import items
from ndcg_asymptotics.errors import InputError
from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.population import Population
from ndcg_asymptotics.relevance import Relevance
from ndcg_asymptotics.theory.limits import Limit, limit

SIZES = (10, 100, 1000, 10_000)
MEASURES = (
    "nDCG(log)", "nDCG(power(0.3))", "nDCG(zipf)", "nDCG(linear)", "nDCG(geometric(2))",
    "nDCG(log)@0.2n", "nDCG(log)@n^0.5",
)  # fmt: skip


def design(
    scorers: dict[str, str],
    measures: tuple[str, ...] = MEASURES,
    sizes: tuple[int, ...] = SIZES,
    seed: int = 5,
) -> Design:
    return Design(Population.of(scorers), tuple(map(Measure.parse, measures)), sizes, seed)


def dataset(d: Design, ndcg: np.ndarray) -> xr.Dataset:
    coordinates = {
        "replicate": np.arange(len(ndcg)),
        "scorer": list(d.population.scorers),
        "measure": [str(m) for m in d.measures],
        "n": list(d.sizes),
    }
    return xr.Dataset({"ndcg": (("replicate", "scorer", "measure", "n"), ndcg)}, coordinates)


def simulate(d: Design, replicates: int) -> xr.Dataset:
    return dataset(d, np.array([items.simulate(d, r)["ndcg"] for r in range(replicates)]))


BINARY = design({"good": "linear(0.1, 0.7)", "random": "random"})
GRADED = design(
    {"graded": "graded(2=power(0, 0.3, 3), 1=linear(0.1, 0.3))"},
    ("nDCG(log)", "nDCG(power(0.3))", "nDCG(log)@0.2n"),
)


@pytest.fixture(scope="module")
def binary() -> xr.Dataset:
    return simulate(BINARY, 300)


@pytest.fixture(scope="module")
def graded() -> xr.Dataset:
    return simulate(GRADED, 300)


def verdicts(report: Report) -> dict[tuple[str, str], str]:
    return {(row.scorer, row.measure): row.verdict for row in report.limits}


def test_the_truth_agrees(binary: xr.Dataset, graded: xr.Dataset) -> None:
    """Chance of a false alarm 1e-4 for each of the two tables."""
    for report in (check(binary, BINARY), check(graded, GRADED)):
        assert report.agrees
        assert {row.verdict for row in report.rows} == {"agrees"}
    assert verdicts(check(binary, BINARY))["good", "nDCG(geometric(2))"] == "does not converge"
    assert len(check(binary, BINARY).rows) == 2 * len(MEASURES) * len(SIZES)


@pytest.mark.parametrize("perturb", [0.01, -0.01])
def test_perturbed_theory_disagrees(binary: xr.Dataset, graded: xr.Dataset, perturb: float) -> None:
    for report in (check(binary, BINARY, perturb=perturb), check(graded, GRADED, perturb=perturb)):
        assert not report.agrees
        assert any(row.verdict == "disagrees" for row in report.rows)
        assert any(row.verdict == "disagrees" for row in report.limits)


def test_detectable_error_is_what_it_says(binary: xr.Dataset) -> None:
    report = check(binary, BINARY)
    for measure, error in report.detectable.items():
        rows = check(binary, BINARY, perturb=1.5 * error).rows
        assert any(row.verdict == "disagrees" for row in rows if row.measure == measure)


def mutated(change: Callable[[Relevance, Measure, float], float]) -> Callable[[Relevance, Measure], Limit]:
    """`limit` with another formula."""

    def wrong(relevance: Relevance, measure: Measure) -> Limit:
        found = limit(relevance, measure)
        return found if found.value is None else replace(found, value=change(relevance, measure, found.value))

    return wrong


def beta_for_one_minus_beta(_: Relevance, measure: Measure, value: float) -> float:
    return value * 0.3 / 0.7 if "power" in str(measure) else value


def p_for_the_smaller_of_c_and_p(relevance: Relevance, measure: Measure, value: float) -> float:
    return value * 0.2 / relevance.masses[0] if str(measure).endswith("0.2n") else value


def grades_shifted_by_one(relevance: Relevance, measure: Measure, value: float) -> float:
    """R_j for R_{j-1}: each gain takes the ranks of the next grade."""
    (p2, p1), (y2, y1) = relevance.masses, relevance.gains
    if str(measure) != "nDCG(power(0.3))":
        return value
    first, second = p2**0.7, (p1 + p2) ** 0.7 - p2**0.7
    return value * (y2 * first + y1 * second) / (y2 * second + y1 * (1 - first - second))


@pytest.mark.parametrize(
    ("change", "measure"),
    [
        (beta_for_one_minus_beta, "nDCG(power(0.3))"),
        (p_for_the_smaller_of_c_and_p, "nDCG(log)@0.2n"),
    ],
)
def test_mutated_binary_limits_are_caught(
    binary: xr.Dataset, monkeypatch: pytest.MonkeyPatch, change: Callable[..., float], measure: str
) -> None:
    monkeypatch.setattr("ndcg_asymptotics.check.limit", mutated(change))
    found = verdicts(check(binary, BINARY))
    assert found["good", measure] == "disagrees"
    assert found["good", "nDCG(log)"] == "agrees"


def test_mutated_graded_limit_is_caught(graded: xr.Dataset, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ndcg_asymptotics.check.limit", mutated(grades_shifted_by_one))
    found = verdicts(check(graded, GRADED))
    assert found["graded", "nDCG(power(0.3))"] == "disagrees"
    assert found["graded", "nDCG(log)@0.2n"] == "agrees"


def naive_study(d: Design, replicates: int, shift: int, cut_ideal: bool, seed: int = 11) -> xr.Dataset:
    """A simulator of its own for one linear(0.1, 0.7) scorer and `nDCG(log)@0.2n`, with bugs to order."""
    rng = np.random.default_rng(seed)
    values = np.zeros((replicates, 1, 1, len(d.sizes)))
    for r in range(replicates):
        score = rng.random(d.sizes[-1])
        label = rng.random(d.sizes[-1]) < 0.1 + 0.6 * score
        for i, n in enumerate(d.sizes):
            k = -(-n // 5)
            ranked = label[:n][np.argsort(-score[:n])]
            weight = 1 / np.log(1 + np.arange(1, n + 1) + shift)
            ideal = np.sum((1 / np.log(1 + np.arange(1, n + 1)))[: label[:n].sum()][: k if cut_ideal else n])
            values[r, 0, 0, i] = ranked[:k] @ weight[:k] / ideal if ideal else 0.0
    return dataset(d, values)


@pytest.mark.parametrize(
    ("shift", "cut_ideal", "agrees"), [(0, True, True), (1, True, False), (0, False, False)]
)
def test_mutated_engines_are_caught(shift: int, cut_ideal: bool, agrees: bool) -> None:
    """A rank off by one, and an ideal list without the cutoff."""
    d = design({"good": "linear(0.1, 0.7)"}, ("nDCG(log)@0.2n",), (10, 100, 1000))
    assert check(naive_study(d, 300, shift, cut_ideal), d).agrees is agrees


def test_false_alarms_come_at_the_stated_rate() -> None:
    """200 independent studies of one mean each: z is Student's t, and alarms come at alpha = 0.05.

    Chance that a true study fails here: 1e-4 for each of the two tests.
    """
    alpha, reports = 0.05, []
    for seed in range(200):
        d = design({"good": "linear(0.1, 0.7)"}, ("nDCG(log)",), (200,), seed=seed)
        reports.append(check(simulate(d, 40), d, alpha=alpha))
    z = np.array([report.rows[0].z for report in reports], dtype=float)
    alarms = sum(report.rows[0].verdict == "disagrees" for report in reports)
    assert stats.kstest(z, "t", (39,)).pvalue > 1e-4
    assert stats.binomtest(alarms, 200, alpha).pvalue > 1e-4
    # and the same tests reject means that are off by half a standard error, or alarms at twice the rate
    assert stats.kstest(z + 0.5, "t", (39,)).pvalue < 1e-4
    assert stats.binomtest(2 * 200 // 10 + alarms, 200, alpha).pvalue < 1e-4


def test_degenerate_means() -> None:
    """n = 1: NDCG is 0 or 1; a study that never saw a relevant item is no disagreement by itself."""
    d = design({"rare": "constant(0.001)"}, ("nDCG(log)",), (1,))
    data = dataset(d, np.zeros((100, 1, 1, 1)))
    (row,) = check(data, d).rows
    assert row.mcse == 0
    assert row.verdict == "agrees"
    # but it is one if half of the items are relevant
    half = design({"half": "constant(0.5)"}, ("nDCG(log)",), (1,))
    assert check(data.assign_coords(scorer=["half"]), half).rows[0].verdict == "disagrees"


def test_brackets_are_allowed_for() -> None:
    """What lies within the cells engine's brackets is no deviation; what lies outside is one."""
    d = design({"good": "linear(0.1, 0.7)"}, ("nDCG(zipf)",), (1000,))
    data = simulate(d, 400) + 0.2
    assert not check(data, d).agrees
    wide = data.assign(low=data["ndcg"] - 0.3, high=data["ndcg"] + 0.3)
    assert check(wide, d).agrees


def test_assumptions_not_met_is_said() -> None:
    d = design({"step": "step(0.1, 0.6, 0.7)"}, ("nDCG(zipf)",), (100,))
    (row,) = check(simulate(d, 20), d).limits
    assert row.verdict == "assumptions not met"
    assert "continuous" in row.explanation


def test_unknown_is_not_tested() -> None:
    d = design({"good": "linear(0.1, 0.7)"}, ('nDCG(custom("numpy:reciprocal"))',), (100,))
    report = check(simulate(d, 20), d)
    assert report.limits[0].verdict == "not tested"
    assert "nothing is known" in report.limits[0].explanation


def test_bad_input(binary: xr.Dataset) -> None:
    with pytest.raises(InputError, match="at least 2"):
        check(binary.isel(replicate=[0]), BINARY)
    with pytest.raises(InputError, match="alpha"):
        check(binary, BINARY, alpha=0.0)
